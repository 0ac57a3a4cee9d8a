# The table behind calibrated intervals, from all data sets whose true class is known: `snakemake calibrate`, and the same
# under label noise: `snakemake calibrate_noise`.

POOL = ["0-9", "10-19", "20-29"]  # samples drawn from each data set, in chunks
POOLS = {
    "measure_pool": ("calibrate", "results/calibration", False),
    "measure_noisy_pool": ("calibrate_noise", "results/calibration/noisy", True),
}

for pool, (calibrates, folder, noisy) in POOLS.items():
    drawn = [
        f"{folder}/{kind}/{{dataset}}/{{chunk}}.parquet"
        for kind in ("samples", "scores")
    ]

    rule:
        name:
            pool
        input:
            prepared=rules.prepare.output.prepared,
        output:
            samples=drawn[0],
            scores=drawn[1],
        log:
            f"logs/calibration/{pool}/{{dataset}}/{{chunk}}.log",
        resources:
            mem_mb=more(3000),
            runtime=more(30),
        params:
            repeats=repeats,
            seed=config["seed"],
            noisy=noisy,
            code=code_of("measure_pool"),
        message:
            "Drawing samples with known priors from {wildcards.dataset} ({wildcards.chunk})"
        script:
            "../scripts/measure_pool.py"

    rule:
        name:
            calibrates
        input:
            samples=expand(drawn[0], dataset=AVAILABLE, chunk=POOL),
            scores=expand(drawn[1], dataset=AVAILABLE, chunk=POOL),
        output:
            table=f"{folder}/calibration.json",
            pool=f"{folder}/calibration.csv",
            intervals=f"{folder}/intervals.csv",
            coverage=f"{folder}/coverage.csv",
        log:
            f"logs/calibration/{calibrates}.log",
        resources:
            mem_mb=more(4000),
            runtime=more(60),
        params:
            noisy=noisy,
            code=code_of("calibrate"),
        message:
            "Calibrating intervals, and measuring their coverage"
        script:
            "../scripts/calibrate.py"
