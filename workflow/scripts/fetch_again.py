"""Try again to bring the raw files of a data set that could not be had; nothing changes unless they can be had now."""

from pathlib import Path

from pumetrics_workflow.datasets import DataUnavailable, fetch, load_registry
from pumetrics_workflow.datasets.reports import read_report, say_unavailable, write_report
from pumetrics_workflow.job import run


def fetch_again(
    registries: list[str],
    dataset: str,
    folder: str,
    report: str,
    settings: dict,
    asked: int,
    tried: str,
) -> None:
    """Fetch one data set as before, and replace the report of that fetch only by a better one."""
    said = f"{asked}: "
    try:
        outcome = fetch(load_registry(*registries)[dataset], folder, **settings)
        write_report(report, read_report(report)["request"], outcome)
        said += "available"
    except DataUnavailable as error:
        say_unavailable(dataset, error)
        said += str(error)
    Path(tried).write_text(said, encoding="utf-8")


if "snakemake" in globals():
    run(fetch_again, snakemake)
