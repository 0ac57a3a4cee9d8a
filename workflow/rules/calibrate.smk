# The table behind calibrated intervals, from all data sets whose true class is known: `snakemake calibrate`.

POOL = ["0-9", "10-19", "20-29"]  # samples drawn from each data set, in chunks


rule measure_pool:
    input:
        prepared=rules.prepare.output.prepared,
    output:
        samples="results/calibration/samples/{dataset}/{chunk}.parquet",
        scores="results/calibration/scores/{dataset}/{chunk}.parquet",
    log:
        "logs/calibration/measure_pool/{dataset}/{chunk}.log",
    resources:
        mem_mb=more(3000),
        runtime=more(30),
    params:
        repeats=repeats,
        seed=config["seed"],
        noisy=False,
        code=code_of("measure_pool"),
    message:
        "Drawing samples with known alpha from {wildcards.dataset} ({wildcards.chunk})"
    script:
        "../scripts/measure_pool.py"


rule calibrate:
    input:
        samples=expand(
            rules.measure_pool.output.samples,
            dataset=AVAILABLE,
            chunk=POOL,
        ),
        scores=expand(
            rules.measure_pool.output.scores,
            dataset=AVAILABLE,
            chunk=POOL,
        ),
    output:
        table="results/calibration/calibration.json",
        pool="results/calibration/calibration.csv",
        intervals="results/calibration/intervals.csv",
        coverage="results/calibration/coverage.csv",
    log:
        "logs/calibration/calibrate.log",
    resources:
        mem_mb=more(4000),
        runtime=more(60),
    params:
        noisy=False,
        code=code_of("calibrate"),
    message:
        "Calibrating intervals for alpha, and measuring their coverage"
    script:
        "../scripts/calibrate.py"


# The same under label noise: `snakemake calibrate_noise`.


use rule measure_pool as measure_noisy_pool with:
    output:
        samples="results/calibration/noisy/samples/{dataset}/{chunk}.parquet",
        scores="results/calibration/noisy/scores/{dataset}/{chunk}.parquet",
    log:
        "logs/calibration/measure_noisy_pool/{dataset}/{chunk}.log",
    params:
        repeats=repeats,
        seed=config["seed"],
        noisy=True,
        code=code_of("measure_pool"),
    message:
        "Drawing samples with label noise from {wildcards.dataset} ({wildcards.chunk})"


use rule calibrate as calibrate_noise with:
    input:
        samples=expand(
            rules.measure_noisy_pool.output.samples,
            dataset=AVAILABLE,
            chunk=POOL,
        ),
        scores=expand(
            rules.measure_noisy_pool.output.scores,
            dataset=AVAILABLE,
            chunk=POOL,
        ),
    output:
        table="results/calibration/noisy/calibration.json",
        pool="results/calibration/noisy/calibration.csv",
        intervals="results/calibration/noisy/intervals.csv",
        coverage="results/calibration/noisy/coverage.csv",
    log:
        "logs/calibration/calibrate_noise.log",
    params:
        noisy=True,
        code=code_of("calibrate"),
    message:
        "Calibrating intervals for alpha and beta, and measuring their coverage"
