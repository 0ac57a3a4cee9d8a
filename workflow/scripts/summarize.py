"""Turn all records of a study into its tables, among them the published numbers beside the reproduced ones."""

import json
from pathlib import Path

import pandas as pd

from pumetrics_workflow import records
from pumetrics_workflow.job import run
from pumetrics_workflow.studies import Results, compare_published, load


def summarize(
    records_paths: list[str], priors: list[str], cards: list[str], published: str, tables: str, study: str
) -> None:
    """Write each table of the study as CSV."""
    printed = pd.read_csv(published, comment="#")
    results = Results(
        records=records.read_all("records", records_paths),
        priors=read_priors(priors),
        cards={Path(path).stem: json.loads(Path(path).read_text(encoding="utf-8")) for path in cards},
        published=printed,
    )
    module = load(study, "tables")
    made = module.tables(results)
    made["published"] = compare_published(printed, module.reproduced(made))
    Path(tables).mkdir(parents=True, exist_ok=True)
    for name, table in made.items():
        table.to_csv(Path(tables, f"{name}.csv"), index=False, float_format="%.10g", lineterminator="\n")


def read_priors(paths: list[str]) -> pd.DataFrame:
    """Read the priors of all data sets and models, whose names stand in the paths."""
    named = [
        records.read("priors", path).assign(dataset=Path(path).parts[-3], model=Path(path).parts[-2]) for path in paths
    ]
    table = pd.concat(named, ignore_index=True) if named else records.empty("priors").assign(dataset="", model="")
    return table.sort_values(["dataset", "model", "labeling", "repeat", "method"], ignore_index=True)


if "snakemake" in globals():
    run(summarize, snakemake)
