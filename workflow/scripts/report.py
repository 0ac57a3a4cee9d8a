"""Write the overview of a run or the page of a study."""

import json
from pathlib import Path

from pumetrics_workflow.job import run
from pumetrics_workflow.plan import StudyPlan
from pumetrics_workflow.provenance import merged
from pumetrics_workflow.report import StudySection, render_overview, render_study
from pumetrics_workflow.report.section import Tracked
from pumetrics_workflow.tables import read_card


def write_report(
    tables: list[str],
    cards: list[str],
    page: str,
    facts: list[str],
    studies: dict,
    tracked: dict,
    limit: int | None,
    left_out: list,
    whole: bool,
) -> None:
    """Write one self-contained page about the given studies, whose figures are next to their tables."""
    known = {Path(path).stem: read_card(path) for path in cards}
    sections = []
    for folder in dict.fromkeys(Path(path).parents[1] for path in tables):
        study = StudyPlan(**studies[folder.name])
        used = {name: known[name] for name in study.all_datasets()}
        at_paper = Tracked(*tracked[study.name]) if study.name in tracked else None
        sections.append(StudySection(study, folder, used, tracked=at_paper))
    sources = merged([json.loads(Path(path).read_text(encoding="utf-8")) for path in facts])
    shortened = [(name, f"{limit} at most, as max_repeats says") for name in studies if limit]
    render = render_overview if whole else render_study
    content = render(sections if whole else sections[0], sources, left_out, shortened)
    Path(page).write_text(content, encoding="utf-8")


if "snakemake" in globals():
    run(write_report, snakemake)
