# Seconds each, where Snakemake runs: the nodes of a cluster may be without network.
localrules:
    figures,
    figures_of_reference,
    fetch,
    fetch_again,
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
        request=lambda wildcards: request_of(wildcards.dataset),
        code=code_of("fetch"),
    message:
        "Fetching {wildcards.dataset}"
    script:
        "../scripts/fetch.py"


# What it brings is newer than what was made without it, so the next run goes on from it.
rule fetch_again:
    output:
        tried="resources/raw/{dataset}.again",
    log:
        "logs/fetch_again/{dataset}.log",
    params:
        registries=lambda wildcards: REGISTRIES[: 1 + (wildcards.dataset in OWN)],
        folder="resources/raw/{dataset}",
        report="resources/raw/{dataset}.json",
        settings=FETCHING,
        code=code_of("fetch_again"),
        asked=STARTED,  # each run asks once
    message:
        "Fetching {wildcards.dataset}, which could not be had"
    script:
        "../scripts/fetch_again.py"


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
