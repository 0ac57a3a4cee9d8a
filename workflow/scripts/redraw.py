"""Draw the figures of a run again, from the tables that are there."""

from pathlib import Path

from pumetrics_workflow.job import run
from pumetrics_workflow.studies.drawing import draw


def redraw(results: str, captions: dict, formats: list[str]) -> None:
    """Draw the figures of each study that has tables."""
    there = [study for study in captions if Path(results, study, "tables/published.csv").is_file()]
    if not there:
        raise ValueError(
            f"{results} holds no tables of {', '.join(captions)}: run `snakemake` first"
        )
    for study in there:
        draw(
            study,
            captions[study],
            Path(results, study, "tables"),
            Path(results, study, "figures"),
            formats,
        )


if "snakemake" in globals():
    run(redraw, snakemake)
