"""Estimate the class prior and the label noise from the scores of a chunk, beside the true ones."""

import pandas as pd

from pumetrics_workflow.job import run
from pumetrics_workflow.stages import estimate_priors as stage
from pumetrics_workflow.stages.label import Seeds
from pumetrics_workflow.tables import empty, read, write


def estimate(
    scores: str,
    priors: str,
    methods: list[str],
    noisy: bool,
    seed: int,
    numbers: str,
    study: str,
    dataset: str,
    model: str,
) -> None:
    """Write one row per method, labeling and repeat; an estimate that fails is a row with its reason."""
    rng_of = stage.random_numbers(Seeds(seed, numbers, dataset), model)
    rows = stage.estimate_priors(read("scores", scores), methods, rng_of, noisy=noisy)
    table = pd.DataFrame(rows).assign(dataset=dataset, model=model) if rows else empty("priors")
    write("priors", table, priors, seed=seed, study=study, dataset=dataset, model=model)


if "snakemake" in globals():
    run(estimate, snakemake)
