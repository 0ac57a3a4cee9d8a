"""Turn the scores and priors of a chunk into records, one per metric, method and prior, and statistics."""

import pandas as pd

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.job import run
from pumetrics_workflow.stages.evaluate import evaluate_samples
from pumetrics_workflow.tables import read


def evaluate(
    scores: str,
    priors: str,
    answers: str,
    metrics: list[str],
    study: str,
    dataset: str,
    model: str,
) -> None:
    """Write the records and statistics of every labeling and repeat of a chunk."""
    key = {"study": study, "dataset": dataset, "model": model}
    rows = evaluate_samples(read("scores", scores), read("priors", priors), metrics)
    write_answers(pd.DataFrame(rows).assign(**key), answers, **key)


if "snakemake" in globals():
    run(evaluate, snakemake)
