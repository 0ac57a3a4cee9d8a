"""Turn all records and statistics of a study into its tables, and compare published with reproduced numbers."""

import json
import shutil
from pathlib import Path

from pumetrics_workflow.job import run
from pumetrics_workflow.linked import write_linked
from pumetrics_workflow.provenance import provenance
from pumetrics_workflow.studies import Results, check_made, load, write_tables
from pumetrics_workflow.tables import read_all, read_card
from pumetrics_workflow.verdicts import read_published, write_verdicts


def summarize(
    answers: list[str],
    priors: list[str],
    cards: list[str],
    published: str,
    tables: list[str],
    linked: list[str],
    link: str | None,
    facts: dict,
    facts_path: str,
    study: str,
) -> None:
    """Write the tables that the study's captions list as CSV, verdicts on a paper as linked data, and provenance."""
    folder = Path(tables[0]).parent
    shutil.rmtree(folder, ignore_errors=True)
    printed = read_published(published)
    results = Results(
        records=read_all("records", answers),
        statistics=read_all("statistics", answers),
        priors=read_all("priors", priors),
        cards={Path(path).stem: read_card(path) for path in cards},
        published=printed,
    )
    write_tables(load(study).tables(results), folder)
    write_verdicts(study, folder, printed)
    if linked:
        write_linked(folder, link)
    listed, made = (
        [path.stem for path in paths] for paths in (map(Path, tables), sorted(folder.glob("*.csv")))
    )
    check_made(study, "tables", listed, made)
    text = json.dumps(provenance(results.cards, **facts), indent=1)
    Path(facts_path).write_text(f"{text}\n", encoding="utf-8")


if "snakemake" in globals():
    run(summarize, snakemake)
