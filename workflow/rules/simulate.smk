rule simulate:
    input:
        prepared=simulated_from,
    output:
        records_path=stage("records", "simulated/{part}/{chunk}.parquet"),
        statistics_path=stage("statistics", "simulated/{part}/{chunk}.parquet"),
    log:
        logfile("simulate", "{part}/{chunk}"),
    benchmark:
        usage("simulate", "{part}/{chunk}")
    conda:
        ENVIRONMENT
    resources:
        mem_mb=more(3000),
        runtime=more(60),
    params:
        options=lambda wildcards: simulation(wildcards)["options"],
        repeats=repeats,
        seed=config["seed"],
        code=code_of("simulate", "simulation"),
    message:
        "Simulating {wildcards.part} of {wildcards.study} ({wildcards.chunk})"
    script:
        "../scripts/simulate.py"
