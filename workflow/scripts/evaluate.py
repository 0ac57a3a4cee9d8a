"""Turn the scores and priors of a chunk into records: one per metric, method and prior."""

import pandas as pd

from pumetrics_workflow import records
from pumetrics_workflow.job import run
from pumetrics_workflow.stages.evaluate import evaluate_samples


def evaluate(
    scores: str, priors: str, records_path: str, metrics: list[str], study: str, dataset: str, model: str
) -> None:
    """Write the records of every labeling and repeat of a chunk."""
    key = {"study": study, "dataset": dataset, "model": model}
    rows = evaluate_samples(records.read("scores", scores), records.read("priors", priors), metrics)
    table = pd.DataFrame(rows).assign(**key) if rows else records.empty("records")
    records.write("records", table, records_path, **key)


if "snakemake" in globals():
    run(evaluate, snakemake)
