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


rule average:
    input:
        answers=answers_of_set,
    output:
        means=stage("means", "{dataset}.parquet"),
    log:
        logfile("average", "{dataset}"),
    resources:
        mem_mb=by_input(1500, per_mb=80),
        runtime=more(15),
    params:
        seed=config["seed"],
        code=code_of("average"),
    message:
        "Averaging the answers of {wildcards.study} to {wildcards.dataset}"
    script:
        "../scripts/average.py"


rule simulate:
    input:
        prepared=simulated_from,
    output:
        answers=stage("answers", "simulated/{parts}.parquet"),
    log:
        logfile("simulate", "{parts}"),
    wildcard_constraints:
        parts=r"all|\w+/\d+-\d+",
    cache: True
    resources:
        mem_mb=more(3000),
        runtime=more(60),
    params:
        simulations=simulated,
        seed=config["seed"],
        code=code_of("simulate", "simulate"),
    message:
        "Simulating {wildcards.parts} of {wildcards.study}"
    script:
        "../scripts/simulate.py"
