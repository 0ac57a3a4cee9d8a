"""Turn all records and statistics of a study into its tables, and compare published with reproduced numbers."""

from pathlib import Path

import pandas as pd

from pumetrics_workflow.job import run
from pumetrics_workflow.studies import Results, compare_published, load
from pumetrics_workflow.tables import read_all, read_card


def summarize(
    records_paths: list[str],
    statistics_paths: list[str],
    priors: list[str],
    cards: list[str],
    published: str,
    tables: str,
    study: str,
) -> None:
    """Write each table of the study as CSV."""
    printed = pd.read_csv(published, comment="#")
    results = Results(
        records=read_all("records", records_paths),
        statistics=read_all("statistics", statistics_paths),
        priors=read_all("priors", priors),
        cards={Path(path).stem: read_card(path) for path in cards},
        published=printed,
    )
    module = load(study, "tables")
    made = module.tables(results)
    made["published"] = compare_published(printed, module.reproduced(made))
    Path(tables).mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        table.to_csv(Path(tables, f"{name}.csv"), index=False, float_format="%.10g", lineterminator="\n")


if "snakemake" in globals():
    run(summarize, snakemake)
