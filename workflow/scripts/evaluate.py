"""Turn the scores and priors of a chunk into records: one per metric, method and prior."""

import pandas as pd

from pumetrics.schemes import SUPERVISED
from pumetrics_workflow import records
from pumetrics_workflow.evaluation import evaluate_sample
from pumetrics_workflow.job import run


def evaluate(
    scores: str, priors: str, records_path: str, metrics: list[str], study: str, dataset: str, model: str
) -> None:
    """Write the records of every labeling and repeat of a chunk."""
    table, estimated = records.read("scores", scores), records.read("priors", priors)
    known = dict(iter(estimated.groupby(["labeling", "repeat"])))
    supervised = dict(iter(table[table["labeling"] == SUPERVISED].groupby("repeat")))
    rows = []
    for (labeling, repeat), part in table[table["labeling"] != SUPERVISED].groupby(["labeling", "repeat"]):
        key = {"study": study, "dataset": dataset, "model": model, "labeling": labeling, "repeat": repeat}
        priors_here = known.get((labeling, repeat))
        found = evaluate_sample(part, priors_here, metrics, supervised=supervised.get(repeat), repeat=repeat)
        rows += [{**key, **row} for row in found]
    table = pd.DataFrame(rows) if rows else records.empty("records")
    records.write("records", table, records_path, study=study, dataset=dataset, model=model)


if "snakemake" in globals():
    run(evaluate, snakemake)
