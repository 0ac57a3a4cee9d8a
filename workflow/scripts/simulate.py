"""Run a part of a study that needs no training, for a chunk of repeats."""

import json
from pathlib import Path

import pandas as pd

from pumetrics import records
from pumetrics.pipeline.job import run
from pumetrics.studies import load


def simulate(
    prepared: list[str], records_path: str, options: dict, repeats: list[int], seed: int, study: str, part: str
) -> None:
    """Write the records of a simulated part; none if a data set that it needs is not available."""
    data = {Path(path).stem: pd.read_parquet(path) for path in prepared}
    cards = [json.loads(Path(path).with_suffix(".json").read_text(encoding="utf-8")) for path in prepared]
    table = records.empty("records")
    if all(card["available"] for card in cards):
        table = load(study, "simulation").simulate(part, repeats=repeats, seed=seed, data=data, **options)
        table = table.assign(study=study)
    records.write("records", table, records_path, seed=seed, study=study, part=part)


if "snakemake" in globals():
    run(simulate, snakemake)
