"""Train a model on every labeling of a chunk and keep its scores out of sample."""

import logging

import pandas as pd

from pumetrics.models.registry import out_of_sample_scores
from pumetrics_workflow.datasets import encode
from pumetrics_workflow.job import run
from pumetrics_workflow.seeding import seed_for
from pumetrics_workflow.tables import available, empty, read, read_prepared, write


def train(
    prepared: str, labelings: str, scores: str, options: dict, seed: int, study: str, dataset: str, model: str
) -> None:
    """Write one row per example, labeling and repeat, with its score."""
    table = read("labelings", labelings)
    features = encode(read_prepared(prepared)) if available(prepared) else None
    scored = []
    for (labeling, repeat), part in table.groupby(["labeling", "repeat"], sort=True):
        chosen = seed_for(seed, study, dataset, labeling, repeat, model)
        score = out_of_sample_scores(features[part["row"]], part["s"].to_numpy(), seed=chosen, **options)
        scored.append(part.assign(score=score))
        logging.info("%s, repeat %d: %d examples scored", labeling, repeat, len(part))
    table = pd.concat(scored) if scored else empty("scores")
    write("scores", table, scores, seed=seed, study=study, dataset=dataset, model=model)


if "snakemake" in globals():
    run(train, snakemake)
