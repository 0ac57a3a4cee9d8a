"""Label, train, estimate priors and evaluate in memory, where scores would fill a disk; only records are kept."""

import pandas as pd

from pumetrics_workflow import records
from pumetrics_workflow.job import run
from pumetrics_workflow.stages import in_memory as stage
from pumetrics_workflow.stages.data import Data, Seeds


def judge(
    prepared: str,
    records_path: str,
    plan: dict,
    options: dict,
    repeats: list[int],
    seed: int,
    study: str,
    dataset: str,
    model: str,
) -> None:
    """Write the records of every labeling of a chunk of repeats; none if the data set is not available."""
    data, table = Data(pd.read_parquet(prepared), Seeds(seed, study, dataset)), records.empty("records")
    if len(data.frame):
        table = stage.judge(data, model=model, options=options, repeats=repeats, **plan)
        table = table.assign(study=study, dataset=dataset)
    records.write("records", table, records_path, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(judge, snakemake)
