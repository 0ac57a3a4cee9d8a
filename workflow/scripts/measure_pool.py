"""Draw samples with known priors from a data set, for the calibration of intervals."""

import numpy as np
import pandas as pd

from pumetrics_workflow.calibration import measure_pool
from pumetrics_workflow.job import run
from pumetrics_workflow.tables import available, read_prepared

MOST = 60_000  # rows of a data set: no sample is larger than half of that


def measure(
    prepared: str,
    samples: str,
    scores: str,
    dataset: str,
    repeats: list[int],
    seed: int,
    noisy: bool,
) -> None:
    """Write what each sample shows of its priors, and its scores; both are empty for data that are not available."""
    tables = (pd.DataFrame(), pd.DataFrame())
    if available(prepared):
        frame = read_prepared(prepared)
        kept = np.sort(np.random.default_rng(seed).permutation(len(frame))[:MOST])
        frame = frame.iloc[kept].reset_index(drop=True)
        tables = measure_pool(frame, dataset, seed=seed, repeats=repeats, noisy=noisy)
    for table, path in zip(tables, (samples, scores), strict=True):
        table.to_parquet(path, index=False)


if "snakemake" in globals():
    run(measure, snakemake)
