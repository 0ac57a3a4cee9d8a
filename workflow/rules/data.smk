# Seconds each, where Snakemake runs: the nodes of a cluster may be without network.
localrules:
    figures,
    figures_of_reference,
    fetch,
    fetch_all,
    prepare,


rule fetch:
    input:
        own_file_of,
    output:
        report="resources/raw/{dataset}.json",
    log:
        "logs/fetch/{dataset}.log",
    retries: 1
    params:
        registries=lambda wildcards: REGISTRIES[: 1 + (wildcards.dataset in OWN)],
        entry=entry_of,
        folder="resources/raw/{dataset}",
        request=request_of,
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
        registries=lambda wildcards: REGISTRIES[: 1 + (wildcards.dataset in OWN)],
        entry=entry_of,
        seed=config["seed"],
        code=code_of("prepare"),
    message:
        "Preparing {wildcards.dataset}"
    script:
        "../scripts/prepare.py"
