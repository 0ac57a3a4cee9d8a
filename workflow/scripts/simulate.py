"""Run a part of a study that needs no training, for a chunk of repeats."""

import json
from pathlib import Path

import pandas as pd

from pumetrics_workflow import records
from pumetrics_workflow.job import run
from pumetrics_workflow.studies import load


def simulate(
    prepared: list[str], records_path: str, options: dict, repeats: list[int], seed: int, study: str, part: str
) -> None:
    """Write the records of a simulated part, from those of its data sets that are available; none if none is."""
    paths = [Path(path) for path in prepared]
    cards = [json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) for path in paths]
    data = {path.stem: pd.read_parquet(path) for path, card in zip(paths, cards, strict=True) if card["available"]}
    table = records.empty("records")
    if data or not prepared:
        table = load(study, "simulation").simulate(part, repeats=repeats, seed=seed, data=data, **options)
        table = table.assign(study=study)
    records.write("records", table, records_path, seed=seed, study=study, part=part)


if "snakemake" in globals():
    run(simulate, snakemake)
