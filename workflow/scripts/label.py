"""Draw the labelings of a data set for a chunk of repeats."""

from pumetrics_workflow.job import run
from pumetrics_workflow.stages import label as stage
from pumetrics_workflow.stages.label import Data, Seeds
from pumetrics_workflow.tables import available, empty, read_prepared, write


def label(
    prepared: str,
    labelings: str,
    labeling: dict,
    repeats: list[int],
    seed: int,
    numbers: str,
    study: str,
    dataset: str,
) -> None:
    """Write one row per example, labeling and repeat."""
    table = empty("labelings")
    if available(prepared):
        table = stage.label(
            Data(read_prepared(prepared), Seeds(seed, numbers, dataset)), labeling, repeats
        )
    write("labelings", table, labelings, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(label, snakemake)
