"""Fit the table behind calibrated intervals, and measure their coverage on families left out of it."""

import json
from pathlib import Path

import pandas as pd

from pumetrics_workflow.calibration import fit_table, measure_coverage, summarize_coverage
from pumetrics_workflow.job import run


def calibrate(
    samples: list[str],
    scores: list[str],
    table: str,
    pool: str,
    intervals: str,
    coverage: str,
    noisy: bool,
) -> None:
    """Write the table with its coverage, the pool it was made from, and the intervals that were counted."""
    drawn, examples = (
        pd.concat(map(pd.read_parquet, paths), ignore_index=True) for paths in (samples, scores)
    )
    counted = measure_coverage(drawn, examples, noisy=noisy)
    summary = summarize_coverage(counted)
    fitted = fit_table(drawn, noisy=noisy)
    fitted["coverage"] = json.loads(summary.to_json(orient="records", double_precision=3))
    Path(table).write_text(json.dumps(fitted) + "\n", encoding="utf-8")
    for frame, path in ((drawn, pool), (counted, intervals), (summary, coverage)):
        frame.to_csv(path, index=False, float_format="%.4g")


if "snakemake" in globals():
    run(calibrate, snakemake)
