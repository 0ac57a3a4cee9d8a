def raw_of(wildcards):
    """Report of the fetch, or nothing for data that are generated or come with a library."""
    entry = REGISTRY[wildcards.dataset]
    return [] if entry.kind in ("embedded", "generated") else f"resources/raw/{entry.name}.json"


def local_files(wildcards):
    """Files of your own that a data set is read from: a change of theirs is a change of the data."""
    return REGISTRY[wildcards.dataset].local_files()


rule fetch:
    input:
        local_files,
    output:
        report="resources/raw/{dataset}.json",
    log:
        "logs/fetch/{dataset}.log",
    retries: 1
    params:
        entry=lambda wildcards: REGISTRY[wildcards.dataset].to_dict(),
        folder="resources/raw/{dataset}",
        mirror=config["mirror"],
        offline=config["offline"],
        code=code_of("fetch"),
    message:
        "Fetching {wildcards.dataset}"
    script:
        "../scripts/fetch.py"


rule prepare:
    input:
        report=raw_of,
    output:
        prepared="resources/prepared/{dataset}.parquet",
        card="resources/prepared/{dataset}.json",
    log:
        "logs/prepare/{dataset}.log",
    params:
        entry=lambda wildcards: REGISTRY[wildcards.dataset].to_dict(),
        code=code_of("prepare"),
    message:
        "Preparing {wildcards.dataset}"
    script:
        "../scripts/prepare.py"
