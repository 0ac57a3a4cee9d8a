"""Parse raw files into one table of features and true classes, with a card that says what it is."""

import json
from pathlib import Path

from pumetrics_workflow.datasets import load_registry, prepare
from pumetrics_workflow.job import run
from pumetrics_workflow.tables import write_prepared


def prepare_data(
    registries: list, dataset: str, seed: int, report: list, prepared: str, card: str
) -> None:
    """Write the prepared data and their card; both are empty, with the reason, if the data are not available."""
    fetched = (
        json.loads(Path(report[0]).read_text(encoding="utf-8"))
        if report
        else {"available": True, "paths": None}
    )
    if fetched["available"]:
        frame, facts = prepare(load_registry(*registries)[dataset], fetched["paths"], seed=seed)
    else:
        frame = None
        facts = {"name": dataset, "reason": fetched["reason"]}
    write_prepared(frame, facts, prepared, card)


if "snakemake" in globals():
    run(prepare_data, snakemake)
