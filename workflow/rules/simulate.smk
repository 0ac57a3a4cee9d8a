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
        code=code_of("simulate", "simulation"),
    message:
        "Simulating {wildcards.parts} of {wildcards.study}"
    script:
        "../scripts/simulate.py"
