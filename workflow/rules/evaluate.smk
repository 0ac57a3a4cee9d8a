rule evaluate:
    input:
        scores=rules.train.output.scores,
        priors=rules.estimate_priors.output.priors,
    output:
        answers=stage("answers", "{dataset}/{model}/{chunk}.parquet"),
    log:
        logfile("evaluate", "{dataset}/{model}/{chunk}"),
    wildcard_constraints:
        study=studies_that(keep_scores=True),
    resources:
        mem_mb=more(1500),
        runtime=more(15),
    params:
        metrics=of_study("metrics"),
        code=code_of("evaluate"),
    message:
        "Correcting the scores of {wildcards.model} on {wildcards.dataset} ({wildcards.chunk})"
    script:
        "../scripts/evaluate.py"


rule evaluate_in_memory:
    input:
        prepared=rules.prepare.output.prepared,
    output:
        answers=stage("answers", "{dataset}/{model}/{chunk}.parquet"),
    log:
        logfile("evaluate_in_memory", "{dataset}/{model}/{chunk}"),
    wildcard_constraints:
        study=studies_that(keep_scores=False),
    cache: True
    resources:
        mem_mb=more(2000),
        runtime=more(30),
    params:
        plan=evaluated_in_memory,
        options=lambda wildcards: PLAN.studies[wildcards.study].models[wildcards.model],
        repeats=repeats,
        seed=config["seed"],
        numbers=of_study("seed"),
        code=code_of("evaluate_in_memory"),
    message:
        "Labeling, training and evaluating {wildcards.model} on {wildcards.dataset} ({wildcards.chunk})"
    script:
        "../scripts/evaluate_in_memory.py"
