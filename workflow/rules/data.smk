def raw_of(wildcards):
    """Report of the fetch, or nothing for data that are generated or come with a library."""
    entry = REGISTRY[wildcards.dataset]
    return f"resources/raw/{entry.name}.json" if entry.needs_files else []


def entry_of(wildcards):
    """Registry entry as text: what changes it changes the data."""
    return str(REGISTRY[wildcards.dataset])


rule fetch:
    output:
        report="resources/raw/{dataset}.json",
    log:
        "logs/fetch/{dataset}.log",
    retries: 1
    params:
        registries=REGISTRIES,
        entry=entry_of,
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
        registries=REGISTRIES,
        entry=entry_of,
        code=code_of("prepare"),
    message:
        "Preparing {wildcards.dataset}"
    script:
        "../scripts/prepare.py"
