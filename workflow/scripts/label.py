"""Draw the labelings of a data set for a chunk of repeats."""

import pandas as pd

from pumetrics_workflow import records
from pumetrics_workflow.job import run
from pumetrics_workflow.stages import label as stage
from pumetrics_workflow.stages.data import Data, Seeds


def label(
    prepared: str, labelings: str, labeling: dict, repeats: list[int], seed: int, study: str, dataset: str
) -> None:
    """Write one row per example, labeling and repeat."""
    data = Data(pd.read_parquet(prepared), Seeds(seed, study, dataset))
    table = stage.label(data, labeling, repeats)
    records.write("labelings", table, labelings, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(label, snakemake)
