"""Bring the raw files of a data set into the project, or say why that cannot be done."""

import json
from pathlib import Path

from pumetrics.datasets import DataSet, DataUnavailable, fetch
from pumetrics.pipeline.job import run


def fetch_raw(entry: dict, folder: str, report: str, mirror: str | None, offline: bool) -> None:
    """Fetch one data set and report what was tried; a set that cannot be had is reported too, and stops nothing else."""
    try:
        found = fetch(DataSet(**entry), folder, mirror=mirror, offline=offline)
        said = {"available": True, "paths": [str(path) for path in found.paths], "source": found.source, "tried": found.tried}
    except DataUnavailable as error:
        said = {"available": False, "reason": str(error)}
    Path(report).write_text(json.dumps(said, indent=1), encoding="utf-8")


if "snakemake" in globals():
    run(fetch_raw, snakemake)
