"""Average the answers of a data set over its repeats."""

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.job import run
from pumetrics_workflow.sets import mean_answers
from pumetrics_workflow.tables import read_all


def average(answers: list[str], means: str, seed: int, study: str, dataset: str) -> None:
    """Write the means of a data set, and its statistics; none if the data are not available."""
    rows = mean_answers(read_all("records", answers), read_all("statistics", answers))
    write_answers(rows, means, seed=seed, study=study, dataset=dataset)


if "snakemake" in globals():
    run(average, snakemake)
