rule label:
    input:
        prepared="resources/prepared/{dataset}.parquet",
    output:
        labelings=stage("labelings", "{dataset}/{chunk}.parquet"),
    log:
        logfile("label", "{dataset}/{chunk}"),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=more(2000),
        runtime=more(15),
    params:
        labeling=of_study("labeling"),
        repeats=repeats,
        seed=config["seed"],
        code=code_of("label"),
    message:
        "Labeling {wildcards.dataset} for {wildcards.study} ({wildcards.chunk})"
    script:
        "../scripts/label.py"
