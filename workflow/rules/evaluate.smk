rule evaluate:
    input:
        scores=rules.train.output.scores,
        priors=rules.estimate_priors.output.priors,
    output:
        records_path=stage("records", "{dataset}/{model}/{chunk}.parquet"),
    log:
        logfile("evaluate", "{dataset}/{model}/{chunk}"),
    conda:
        "../../environment.yml"
    params:
        metrics=of_study("metrics"),
        code=code_of("evaluate"),
    message:
        "Correcting the scores of {wildcards.model} on {wildcards.dataset} ({wildcards.chunk})"
    script:
        "../scripts/evaluate.py"
