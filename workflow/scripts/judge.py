"""Label, train and evaluate in memory, where the scores of a study would fill a disk; only records are kept."""

import pandas as pd

from pumetrics_workflow import records
from pumetrics_workflow.job import run
from pumetrics_workflow.studies import load


def judge(
    prepared: str,
    records_path: str,
    scheme: dict,
    options: dict,
    repeats: list[int],
    seed: int,
    study: str,
    dataset: str,
) -> None:
    """Write the records of every labeling of a chunk of repeats; none if the data set is not available."""
    frame, table = pd.read_parquet(prepared), records.empty("records")
    if len(frame):
        module = load(study, "in_memory")
        table = module.judge(frame, dataset=dataset, labeling=scheme, options=options, repeats=repeats, seed=seed)
        table = table.assign(study=study, dataset=dataset)
    records.write("records", table, records_path, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(judge, snakemake)
