"""Draw the figures of a study from its tables."""

import shutil
from pathlib import Path

from pumetrics_workflow.job import run
from pumetrics_workflow.studies import drawing


def draw(
    study: str, captions: dict, tables: list[str], figures: list[str], formats: list[str]
) -> None:
    """Draw what the study's captions list, and leave nothing else in the folder."""
    folder = Path(figures[0]).parent
    shutil.rmtree(folder, ignore_errors=True)
    drawing.draw(study, captions, Path(tables[0]).parent, folder, formats)


if "snakemake" in globals():
    run(draw, snakemake)
