"""A Sphinx extension: the numbers, tables and figures of docs/replication.md, made of the tracked reference.

Each piece is a substitution of MyST, ``{{ name }}``; figures are written to ``docs/_generated``.
"""

from pathlib import Path

from decision_table import of_families

from article.costs import costs, jobs, studies_table
from article.every_figure import write
from article.figures import draw
from article.pieces import (
    agreement_table,
    authors,
    citations,
    claims,
    deviations,
    differences_table,
    edition,
    findings_list,
    history_list,
    lessons,
    overview,
    results,
    unwritten,
)
from article.reference import ROOT, held_studies
from article.registry_table import registry_table
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report import sensitivity_in_words
from pumetrics_workflow.staleness import states

__all__ = ["setup", "substitutions"]

GENERATED = "_generated"


def substitutions(held):
    """Return the pieces of the article by name.

    Parameters
    ----------
    held : dict of article.reference.Held
    """
    pieces = {
        "overview": overview(held),
        "costs": costs(),
        "jobs": jobs(),
        "coverage_of_families": of_families(),
        "coverage_of_noisy_families": of_families(noisy=True),
        "studies": studies_table(),
        "citations": citations(held),
        "replicated": "; ".join(entry.study.title for entry in held.values()),
        "deviations": deviations(),
        "registry_table": registry_table(),
        "lessons": lessons(held),
        "results": results(held),
        "edition": edition(),
        "authors": authors(),
        "agreement": agreement_table(held["rider2013"]),
        "differences": differences_table(held),
        "history": history_list(),
        "scales": _scales(held),
        "claims": claims(held),
        "sensitivity": sensitivity_in_words([entry.section for entry in held.values()]),
        "commits": ", ".join(
            dict.fromkeys(
                name[:9] for entry in held.values() for name in entry.run["commit"].split(", ")
            )
        ),
        "stale": _stale(held),
        "hours": f"{sum(entry.core_seconds for entry in held.values()) / 3600:.2g}",
        "permutations": str(held["rider2013"].study.repeats),
    }
    for name, entry in held.items():
        pieces[f"findings_{name}"] = findings_list(entry)
    paper = states(ROOT / "results/reference/paper", home=ROOT)
    return pieces | {f"state_{name}": _age(state) for name, state in paper.items()}


def _age(state):
    """Whether the present code gives the tables of a study, for readers of their numbers."""
    if state.changed is None:
        return "whether the code behind these numbers has changed since is unknown"
    if state.changed == ():
        return "these numbers are those of the current code"
    unknown = "whether any moved at quick scale is unknown"
    numbers = {None: unknown, (): "none moved at quick scale"}.get(
        state.moved, "some moved at quick scale"
    )
    return f"these numbers predate the current code; {numbers}"


def _stale(held):
    """Of which papers numbers have moved since the run, and of which that is unknown, as the end of a sentence."""
    kept = {scale: states(ROOT / "results/reference" / scale, home=ROOT) for scale in SCALES}
    found = {entry.title: kept[entry.scale][name] for name, entry in held.items()}
    stale = [title for title, state in found.items() if state.is_stale]
    unknown = [
        title for title, state in found.items() if state.moved is None and state.changed != ()
    ]
    parts = [f"some numbers of {', '.join(stale)} moved at quick scale"] * bool(stale)
    parts += [f"whether numbers of {', '.join(unknown)} moved at quick scale is unknown"] * bool(
        unknown
    )
    return "; ".join(parts) or "no number moved at quick scale"


def _scales(held):
    """Which papers are held at which scale, as the end of a sentence."""
    scales = dict.fromkeys(entry.scale for entry in held.values())
    titles = {
        scale: [entry.title for entry in held.values() if entry.scale == scale] for scale in scales
    }
    names = {scale: "all" if len(scales) == 1 else ", ".join(titles[scale]) for scale in scales}
    return "; ".join(f"{names[scale]} at {scale} scale" for scale in scales)


def _prepare(app, config):
    held, folder = held_studies(), Path(app.srcdir, GENERATED)
    config.myst_substitutions = {**config.myst_substitutions, **substitutions(held)}
    draw(held, folder)
    write(held, folder)
    config.html_static_path = [
        *config.html_static_path,
        str(ROOT / "src/pumetrics_workflow/report/chips.css"),
    ]


def _complete(app, page, source):
    """Add to the article what it has not written of a paper."""
    if page == "replication":
        source[0] = unwritten(source[0], held_studies())


def setup(app):
    """Make the pieces before any page is read."""
    app.connect("config-inited", _prepare)
    app.connect("source-read", _complete)
    app.add_css_file("chips.css")
    return {"parallel_read_safe": True}
