"""Run a part of a study that needs no training, for a chunk of repeats."""

from pathlib import Path

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.job import run
from pumetrics_workflow.studies import load
from pumetrics_workflow.tables import available, read_prepared


def simulate(
    prepared: list[str],
    records_path: str,
    statistics_path: str,
    options: dict,
    repeats: list[int],
    seed: int,
    study: str,
    part: str,
) -> None:
    """Write the records and statistics of a part, from those of its data sets that are available; none if none is."""
    data, rows = {Path(path).stem: read_prepared(path) for path in prepared if available(path)}, []
    if data or not prepared:
        rows = load(study, "simulation").simulate(part, repeats=repeats, seed=seed, data=data, **options)
        rows = rows.assign(study=study)
    write_answers(rows, records_path, statistics_path, seed=seed, study=study, part=part)


if "snakemake" in globals():
    run(simulate, snakemake)
