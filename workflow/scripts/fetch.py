"""Bring the raw files of a data set into the project, or record why that fails."""

import json
import shutil
from pathlib import Path

from pumetrics_workflow.datasets import DataUnavailable, fetch, load_registry
from pumetrics_workflow.job import run


def fetch_raw(registries: list[str], dataset: str, folder: str, report: str, mirror: str | None, offline: bool) -> None:
    """Fetch one data set and write down what was tried; an unavailable data set does not stop the run."""
    entry = load_registry(*registries)[dataset]
    if entry.own_file:  # it has no hash that would tell an old copy from the file as it is now
        shutil.rmtree(folder, ignore_errors=True)
    try:
        fetched = fetch(entry, folder, mirror=mirror, offline=offline)
        paths = {name: str(path) for name, path in fetched.paths.items()}
        outcome = {"available": True, "paths": paths, "source": fetched.source, "tried": fetched.tried}
    except DataUnavailable as error:
        outcome = {"available": False, "reason": str(error)}
    Path(report).write_text(json.dumps(outcome, indent=1), encoding="utf-8")


if "snakemake" in globals():
    run(fetch_raw, snakemake)
