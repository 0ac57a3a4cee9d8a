"""Train a model on every labeling of a chunk and keep its scores out of sample."""

from pumetrics_workflow.job import run
from pumetrics_workflow.stages import train as stage
from pumetrics_workflow.stages.label import Data, Seeds
from pumetrics_workflow.tables import read, read_prepared, write


def train(
    prepared: str,
    labelings: str,
    scores: str,
    options: dict,
    seed: int,
    numbers: str,
    study: str,
    dataset: str,
    model: str,
) -> None:
    """Write one row per example, labeling and repeat, with its score."""
    data = Data(read_prepared(prepared), Seeds(seed, numbers, dataset))
    table = stage.train(data, read("labelings", labelings), model, options)
    write("scores", table, scores, seed=seed, study=study, dataset=dataset, model=model)


if "snakemake" in globals():
    run(train, snakemake)
