# Seconds each, where Snakemake runs: the nodes of a cluster may be without network.
localrules:
    fetch,
    fetch_all,
    prepare,
    prepare_bundled,


rule fetch:
    input:
        own_file_of,
    output:
        report="resources/raw/{dataset}.json",
    log:
        "logs/fetch/{dataset}.log",
    benchmark:
        "logs/fetch/{dataset}.tsv"
    retries: 1
    conda:
        ENVIRONMENT
    params:
        registries=REGISTRIES,
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
        report=rules.fetch.output.report,
    output:
        prepared="resources/prepared/{dataset}.parquet",
        card="resources/prepared/{dataset}.json",
    log:
        "logs/prepare/{dataset}.log",
    benchmark:
        "logs/prepare/{dataset}.tsv"
    wildcard_constraints:
        dataset="|".join(set(AVAILABLE) - set(BUNDLED)),
    conda:
        ENVIRONMENT
    params:
        registries=REGISTRIES,
        entry=entry_of,
        seed=config["seed"],
        code=code_of("prepare"),
    message:
        "Preparing {wildcards.dataset}"
    script:
        "../scripts/prepare.py"


# In one job: Python takes longer to start than to make one of them.
rule prepare_bundled:
    output:
        prepared=expand(rules.prepare.output.prepared, dataset=BUNDLED),
        cards=expand(rules.prepare.output.card, dataset=BUNDLED),
    log:
        "logs/prepare/bundled.log",
    benchmark:
        "logs/prepare/bundled.tsv"
    conda:
        ENVIRONMENT
    params:
        registries=REGISTRIES,
        entries={name: str(REGISTRY[name]) for name in BUNDLED},
        seed=config["seed"],
        code=code_of("prepare_bundled"),
    message:
        "Preparing the bundled and generated data sets"
    script:
        "../scripts/prepare_bundled.py"
