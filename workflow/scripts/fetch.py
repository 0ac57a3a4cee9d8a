"""Bring the raw files of a data set into the project, or say why that cannot be done."""

import json
import shutil
from pathlib import Path

from pumetrics_workflow.datasets import DataUnavailable, fetch, load_registry
from pumetrics_workflow.job import run


def fetch_raw(registries: list[str], dataset: str, folder: str, report: str, mirror: str | None, offline: bool) -> None:
    """Fetch one data set and report what was tried; one that cannot be had is reported too, and stops nothing else."""
    entry = load_registry(*registries)[dataset]
    if entry.own_file:  # it has no hash that would tell an old copy from the file as it is now
        shutil.rmtree(folder, ignore_errors=True)
    try:
        found = fetch(entry, folder, mirror=mirror, offline=offline)
        paths = {name: str(path) for name, path in found.paths.items()}
        said = {"available": True, "paths": paths, "source": found.source, "tried": found.tried}
    except DataUnavailable as error:
        said = {"available": False, "reason": str(error)}
    Path(report).write_text(json.dumps(said, indent=1), encoding="utf-8")


if "snakemake" in globals():
    run(fetch_raw, snakemake)
