rule label:
    input:
        prepared=rules.prepare.output.prepared,
    output:
        labelings=stage("labelings", "{dataset}/{chunk}.parquet"),
    log:
        logfile("label", "{dataset}/{chunk}"),
    resources:
        mem_mb=more(2000),
        runtime=more(15),
    params:
        labeling=of_study("labeling"),
        repeats=repeats,
        seed=config["seed"],
        numbers=of_study("seed"),
        code=code_of("label"),
    message:
        "Labeling {wildcards.dataset} for {wildcards.study} ({wildcards.chunk})"
    script:
        "../scripts/label.py"
