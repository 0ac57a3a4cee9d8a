"""Draw the figures of a study from its tables."""

from pathlib import Path

from pumetrics.plotting import save, use_style
from pumetrics_workflow.job import run
from pumetrics_workflow.studies import load, read_tables


def draw(tables: str, figures: str, study: str, formats: list[str]) -> None:
    """Write each figure of the study in each format."""
    use_style()
    Path(figures).mkdir(parents=True, exist_ok=True)
    for name, figure in load(study, "figures").figures(read_tables(tables)).items():
        save(figure, Path(figures, name), formats)


if "snakemake" in globals():
    run(draw, snakemake)
