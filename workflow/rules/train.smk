rule train:
    input:
        prepared=rules.prepare.output.prepared,
        labelings=rules.label.output.labelings,
    output:
        scores=stage("scores", "{dataset}/{model}/{chunk}.parquet"),
    log:
        logfile("train", "{dataset}/{model}/{chunk}"),
    cache: True
    resources:
        mem_mb=more(2000),
        runtime=more(30),
    params:
        options=lambda wildcards: PLAN.studies[wildcards.study].models[wildcards.model],
        seed=config["seed"],
        numbers=of_study("seed"),
        code=code_of("train"),
    message:
        "Training {wildcards.model} on {wildcards.dataset} for {wildcards.study} ({wildcards.chunk})"
    script:
        "../scripts/train.py"
