"""Run parts of a study that need no training, each for a chunk of repeats."""

import logging
from pathlib import Path

import pandas as pd

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.job import run
from pumetrics_workflow.studies import load
from pumetrics_workflow.tables import available, read_prepared


def simulate(
    prepared: list[str],
    answers: str,
    simulations: list[dict],
    seed: int,
    study: str,
) -> None:
    """Write the records and statistics of the parts, from those of their data sets that are available."""
    data = {Path(path).stem: read_prepared(path) for path in prepared if available(path)}
    rows = [_simulated(**entry, data=data, seed=seed, study=study) for entry in simulations]
    write_answers(pd.concat(rows), answers, seed=seed, study=study)


def _simulated(part, datasets, options, repeats, data, seed, study):
    """Rows of one part; none if it needs data sets and none of them is available."""
    logging.info("%s, repeats %d to %d", part, repeats[0], repeats[-1])
    used = {name: data[name] for name in datasets if name in data}
    if datasets and not used:
        return pd.DataFrame()
    rows = load(study).simulate(part, repeats=repeats, seed=seed, data=used, **options)
    return rows.assign(study=study)


if "snakemake" in globals():
    run(simulate, snakemake)
