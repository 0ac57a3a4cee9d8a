"""Bring the raw files of a data set into the project, or record why that fails."""

import shutil

from pumetrics_workflow.datasets import DataUnavailable, fetch, load_registry
from pumetrics_workflow.datasets.reports import Request, say_unavailable, write_report
from pumetrics_workflow.job import run


def fetch_raw(
    registries: list[str], dataset: str, folder: str, report: str, request: Request
) -> None:
    """Fetch one data set and write down what was tried; an unavailable data set does not stop the run."""
    entry = load_registry(*registries)[dataset]
    if entry.own_file:  # it has no hash that would tell an old copy from the file as it is now
        shutil.rmtree(folder, ignore_errors=True)
    settings = {key: request.content[key] for key in ("mirror", "offline", "strict")}
    try:
        outcome = fetch(entry, folder, **settings)
    except DataUnavailable as error:
        say_unavailable(dataset, error)
        outcome = error
    write_report(report, request.content, outcome)


if "snakemake" in globals():
    run(fetch_raw, snakemake)
