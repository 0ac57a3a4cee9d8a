"""Write the report of a run, and its provenance beside it."""

import json
from pathlib import Path

from pumetrics_workflow.job import run
from pumetrics_workflow.plan import Study
from pumetrics_workflow.provenance import provenance
from pumetrics_workflow.report import StudySection, render
from pumetrics_workflow.studies import load
from pumetrics_workflow.tables import read_card


def write_report(
    figures: list[str],
    cards: list[str],
    page: str,
    facts: str,
    studies: dict,
    settings: dict,
    left_out: list,
) -> None:
    """Write one self-contained page about the given studies, whose figures lie in the given folders."""
    known = {Path(path).stem: read_card(path) for path in cards}
    sections = []
    for folder in map(Path, figures):
        study = Study(**studies[folder.parent.name])
        used = {name: known[name] for name in study.all_datasets()}
        sections.append(StudySection(study, load(study.name), folder.parent, used))
    sources = provenance({**settings, "studies": list(studies)}, known)
    limit = settings["max_repeats"]
    shortened = [(name, f"{limit} at most, as max_repeats says") for name in studies if limit]
    Path(page).write_text(render(sections, sources, left_out, shortened), encoding="utf-8")
    Path(facts).write_text(json.dumps(sources, indent=1) + "\n", encoding="utf-8")


if "snakemake" in globals():
    run(write_report, snakemake)
