"""Turn the scores and priors of a chunk into records, one per metric, method and prior, and statistics."""

from pumetrics.schemes import SUPERVISED
from pumetrics_workflow.evaluation import evaluate_sample
from pumetrics_workflow.job import run
from pumetrics_workflow.tables import read, write_answers


def evaluate(
    scores: str,
    priors: str,
    records_path: str,
    statistics_path: str,
    metrics: list[str],
    study: str,
    dataset: str,
    model: str,
) -> None:
    """Write the records and statistics of every labeling and repeat of a chunk."""
    table, estimated = read("scores", scores), read("priors", priors)
    known = dict(iter(estimated.groupby(["labeling", "repeat"])))
    supervised = dict(iter(table[table["labeling"] == SUPERVISED].groupby("repeat")))
    rows = []
    for (labeling, repeat), part in table[table["labeling"] != SUPERVISED].groupby(["labeling", "repeat"]):
        key = {"study": study, "dataset": dataset, "model": model, "labeling": labeling, "repeat": repeat}
        priors_here = known.get((labeling, repeat))
        found = evaluate_sample(part, priors_here, metrics, supervised=supervised.get(repeat), repeat=repeat)
        rows += [{**key, **row} for row in found]
    write_answers(rows, records_path, statistics_path, study=study, dataset=dataset, model=model)


if "snakemake" in globals():
    run(evaluate, snakemake)
