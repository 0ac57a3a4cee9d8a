"""The report of a run, or of a reference: an overview and a page for each study, each one self-contained HTML page."""

from functools import cache
from pathlib import Path

import pumetrics
from pumetrics.plotting import styled
from pumetrics_workflow.claims import CHOICES
from pumetrics_workflow.plan import duration
from pumetrics_workflow.report.picture import as_svg, panels, ratios
from pumetrics_workflow.report.section import StudySection, history, tracked_verdicts
from pumetrics_workflow.report.tables import provenance_parts
from pumetrics_workflow.verdicts import ALTERNATIVES, DIFFERING, VERDICTS

__all__ = [
    "StudySection",
    "history",
    "render_overview",
    "render_study",
    "sensitivity_in_words",
    "tracked_verdicts",
]

_STYLE = Path(pumetrics.__file__).parent / "assessment" / "report.css"  # one style for all pages
_FOLDED = 20  # rows; a longer table is folded
_MEANINGS = {
    "holds": "in every part",
    "mostly": "in at least nine of ten rows",
    "partly": "in fewer, and a part is false",
    "does not hold": "in no part",
    "opposite": "our interval or test lies on the other side",
    "inconclusive": "no part is false, and at least one is open",
    "not tested": "the run has no rows for it",
    "not testable here": "needs data that are not available",
}
_CHOSEN = {
    "much": 'a third, at most which is "much" or "excellent"',
    "mostly": 'nine tenths of the rows, at least which is "mostly"',
    "half": 'a half, above which is "most"',
    "visible": "0.005 of the axis, at least which a picture shows",
}
_FEW = 5  # points; the page of a study has no panel with fewer


def render_overview(sections, provenance, left_out, shortened=(), *, link="{}/report.html"):
    """Return the overview of all studies as HTML.

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
    link : str
        Where the page of a study is, seen from the overview, with {} for its name.
    """
    cards = {name: card for section in sections for name, card in section.cards.items()}
    return _filled(
        "overview.html.j2",
        sections,
        provenance,
        left_out,
        shortened,
        link=link,
        history=history(),
        ratios=_ratios(sections, link),
        panels=list(map(as_svg, panels(sections, link))),
        sensitivity=sensitivity_in_words(sections),
        unavailable=[card for _, card in sorted(cards.items()) if not card["available"]],
        altered=[
            card for _, card in sorted(cards.items()) if card["available"] and card.get("warning")
        ],
    )


def render_study(section, provenance, left_out, shortened=(), *, overview="../report.html"):
    """Return the page of a study as HTML.

    Parameters
    ----------
    section : StudySection
    provenance, left_out, shortened
        See :func:`render_overview`.
    overview : str
        Where the overview is, seen from the page.
    """
    return _filled(
        "study.html.j2",
        [section],
        provenance,
        left_out,
        shortened,
        section=section,
        link="",
        overview=overview,
        panels=list(map(as_svg, panels([section], least=_FEW))),
        datasets=_datasets(section),
    )


def _ratios(sections, link):
    with styled():
        figure = ratios(sections, link)
    return as_svg(figure) if figure else ""


def _filled(
    template,
    sections,
    provenance,
    left_out,
    shortened,
    **content,
):
    facts, tables = provenance_parts(provenance)
    return (
        _environment()
        .get_template(template)
        .render(
            sections=sections,
            provenance=provenance,
            facts=facts,
            fact_tables=tables,
            facts_in_short=_facts_in_short(sections, provenance, left_out),
            left_out=left_out,
            shortened=shortened,
            **content,
        )
    )


def sensitivity_in_words(sections):
    """Return which choices the verdicts on the claims of papers rest on, and how many depend on each; "" without any.

    Parameters
    ----------
    sections : list of StudySection
    """
    papers = [section for section in sections if section.study.kind == "paper"]
    claims = sum(len(section.claims) for section in papers)
    if not claims:
        return ""
    found = [(section.study.name, section.sensitivity) for section in papers]
    parts = []
    for choice, text in _CHOSEN.items():
        ids = [
            f"{name}: {key.removeprefix('claim/')}" for name, each in found for key in each[choice]
        ]
        low, high = (f"{value:.2g}" for value in ALTERNATIVES[choice])
        which = f" ({', '.join(ids)})" * bool(ids)
        parts.append(
            f"with {low} or {high} in place of {text}, {len(ids)} of {claims} verdicts change{which}"
        )
    return f"{len(CHOICES)} numbers in the rules are our choice. On the papers' claims, {'; '.join(parts)}."


@cache
def _environment():
    from jinja2 import Environment, FileSystemLoader

    folders = [Path(__file__).parent, _STYLE.parent]
    environment = Environment(
        loader=FileSystemLoader(folders), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals |= {
        "verdicts": VERDICTS,
        "differing": DIFFERING,
        "folded": _FOLDED,
        "meanings": _MEANINGS,
    }
    return environment


def _facts_in_short(sections, provenance, left_out):
    """The facts under a page's title."""
    origin = "reference results" if "reference" in provenance else "results of a run"
    cards = {name: card for section in sections for name, card in section.cards.items()}
    used = sum(card["available"] for card in cards.values())
    shown = {section.study.name for section in sections}
    known = {*cards, *(dataset for study, dataset, _ in left_out if study in shown)}
    seconds = sum(rule["cpu_seconds"] for rule in provenance.get("rules", {}).values())
    simulated = set(cards).difference(*(section.study.datasets for section in sections))
    commits = ", ".join(name[:9] for name in (provenance.get("commit") or "unknown").split(", "))
    changed = provenance.get("uncommitted_changes")
    facts = [
        f"{origin.capitalize()} at scale {provenance['scale']}",
        f"{used} of {len(known)} data sets{', those of simulations included' if simulated else ''}",
        f"{duration(seconds / 60)} measured on one core" if seconds and len(sections) > 1 else "",
        f"finished {provenance['finished']}",
        f"commit {commits}{' with uncommitted changes' if changed else ''}",
    ]
    return list(filter(None, facts))


def _datasets(section):
    """Names of all data sets that rows of shown tables are about."""
    tables = [section.tables[name] for name, _, content in section.shown_tables if content]
    named = [table["dataset"].astype(str) for table in tables if "dataset" in table]
    return sorted({name for names in named for name in names})
