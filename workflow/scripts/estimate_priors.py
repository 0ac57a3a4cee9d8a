"""Estimate the class prior and the label noise from the scores of a chunk, beside the true ones."""

import time

import pandas as pd

from pumetrics.priors import estimate_priors
from pumetrics.schemes import SUPERVISED
from pumetrics_workflow.job import run
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.tables import empty, read, write


def estimate(
    scores: str, priors: str, methods: list[str], noisy: bool, seed: int, study: str, dataset: str, model: str
) -> None:
    """Write one row per method, labeling and repeat; an estimate that fails is a row with its reason."""
    rows = []
    table = read("scores", scores)
    for (labeling, repeat), part in table[table["labeling"] != SUPERVISED].groupby(["labeling", "repeat"]):
        labeled, unlabeled = part[part["s"] == 1], part[part["s"] == 0]
        truth = {"alpha_true": unlabeled["y"].mean(), "beta_true": labeled["y"].mean()}
        for method in methods:
            rng, start = rng_for(seed, study, dataset, labeling, repeat, model, method), time.perf_counter()
            row = {"labeling": labeling, "repeat": repeat, "method": method, **truth, "status": ""}
            try:
                found = estimate_priors(
                    labeled["score"].to_numpy(),
                    unlabeled["score"].to_numpy(),
                    method=method,
                    noisy=noisy,
                    random_state=rng,
                )
                row |= {"alpha": found.alpha, "beta": found.beta, "status": found.status}
            except (ValueError, ArithmeticError) as error:
                row["status"] = f"failed: {error}"
            rows.append({**row, "seconds": time.perf_counter() - start})
    table = pd.DataFrame(rows).assign(dataset=dataset, model=model) if rows else empty("priors")
    write("priors", table, priors, seed=seed, study=study, dataset=dataset, model=model)


if "snakemake" in globals():
    run(estimate, snakemake)
