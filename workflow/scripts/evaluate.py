"""Turn the scores and priors of a chunk into records: one per metric, method and prior."""

import pandas as pd

from pumetrics import records
from pumetrics.evaluation import evaluate_sample
from pumetrics.pipeline.job import run


def evaluate(
    scores: str, priors: str, records_path: str, metrics: list[str], study: str, dataset: str, model: str
) -> None:
    """Write the records of every labeling and repeat of a chunk."""
    estimated = records.read("priors", priors).groupby(["labeling", "repeat"])
    known = dict(iter(estimated))
    rows = []
    for (labeling, repeat), part in records.read("scores", scores).groupby(["labeling", "repeat"], sort=True):
        key = {"study": study, "dataset": dataset, "model": model, "labeling": labeling, "repeat": repeat}
        found = evaluate_sample(part, known.get((labeling, repeat)), metrics)
        rows += [{**key, **row} for row in found]
    table = pd.DataFrame(rows) if rows else records.empty("records")
    records.write("records", table, records_path, study=study, dataset=dataset, model=model)


if "snakemake" in globals():
    run(evaluate, snakemake)
