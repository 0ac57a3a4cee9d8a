rule estimate_priors:
    input:
        scores=rules.train.output.scores,
    output:
        priors=stage("priors", "{dataset}/{model}/{chunk}.parquet"),
    log:
        logfile("estimate_priors", "{dataset}/{model}/{chunk}"),
    resources:
        mem_mb=more(1500),
        runtime=more(15),
    params:
        methods=lambda wildcards: PLAN.studies[wildcards.study].priors["methods"],
        noisy=lambda wildcards: PLAN.studies[wildcards.study].priors["noisy"],
        seed=config["seed"],
        numbers=of_study("seed"),
        code=code_of("estimate_priors"),
    message:
        "Estimating priors from the scores of {wildcards.model} on {wildcards.dataset} ({wildcards.chunk})"
    script:
        "../scripts/estimate_priors.py"
