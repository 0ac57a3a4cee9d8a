"""The report of a run, or of a reference: one self-contained HTML page."""

from pathlib import Path

import pumetrics
from pumetrics_workflow.report.picture import panels
from pumetrics_workflow.report.section import StudySection, written
from pumetrics_workflow.report.tables import provenance_parts
from pumetrics_workflow.verdicts import VERDICTS

__all__ = ["StudySection", "render", "written"]

_STYLE = Path(pumetrics.__file__).parent / "assessment" / "report.css"  # one style for all pages
_FOLDED = 20  # rows; a longer table is folded


def render(sections, provenance, left_out, shortened=()):
    """Return the report as HTML.

    Parameters
    ----------
    sections : list of StudySection
    provenance : dict
        See :func:`pumetrics_workflow.provenance.provenance`; of a reference also ``reference``, its folder, and
        ``reference_sha256``.
    left_out : list of (study, data set, reason)
        What the plan left out before anything ran.
    shortened : list of (study, what)
        Studies with fewer repeats than their scale has.
    """
    from jinja2 import Environment, FileSystemLoader

    folders = [Path(__file__).parent, _STYLE.parent]
    environment = Environment(loader=FileSystemLoader(folders), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.get_template("report.html.j2")
    facts, tables = provenance_parts(provenance)
    cards = {name: card for section in sections for name, card in section.cards.items()}
    return template.render(
        sections=sections,
        provenance=provenance,
        facts=facts,
        fact_tables=tables,
        left_out=left_out,
        shortened=shortened,
        history=written("history.yaml"),
        verdicts=VERDICTS,
        folded=_FOLDED,
        panels=panels(sections),
        strip=_strip(sections, provenance, cards),
        datasets=_datasets(sections),
        unavailable=[card for _, card in sorted(cards.items()) if not card["available"]],
        altered=[card for _, card in sorted(cards.items()) if card["available"] and card.get("warning")],
    )


def _strip(sections, provenance, cards):
    """The facts of the strip, as (name, value, explanation)."""
    rules = provenance.get("rules", {}).values()
    seconds = sum(rule["cpu_seconds"] for rule in rules)
    how = "CPU time of all jobs" + any(rule.get("cpu_sampled", True) for rule in rules) * ", sampled"
    papers = sum(section.is_paper for section in sections)
    others = len(sections) - papers
    used = [card for card in cards.values() if card["available"]]
    facts = [
        ("papers", papers, f"and {others} more {'study' if others == 1 else 'studies'}" if others else ""),
        ("data sets", len(used), f"of {len(cards)}" if len(used) < len(cards) else ""),
        ("core-hours", f"{seconds / 3600:.3g}" if seconds else "unknown", how),
        ("commit", ", ".join(name[:9] for name in provenance.get("commit", "unknown").split(", ")), _state(provenance)),
    ]
    if "reference_sha256" in provenance:
        facts.append(("checksum", provenance["reference_sha256"][:12], "sha256 of the reference's manifest"))
    else:
        facts.append(("checksum", provenance.get("config_sha256", "unknown")[:12], "sha256 of the config"))
    return facts


def _state(provenance):
    return "with uncommitted changes" if provenance.get("uncommitted_changes") else ""


def _datasets(sections):
    """Names of all data sets that rows of shown tables are about."""
    tables = [section.tables[name] for section in sections for name, _, content in section.shown_tables if content]
    named = [table["dataset"].astype(str) for table in tables if "dataset" in table]
    return sorted({name for names in named for name in names})
