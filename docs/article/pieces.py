"""Tables and lists of the article as Markdown, made of the kept tables, the registry of data sets and the config."""

from itertools import product
from pathlib import Path

from article.facts import derived, facts
from article.reference import PAPERS, ROOT
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import papers
from pumetrics_workflow.report.section import history, statement

__all__ = [
    "agreement_table",
    "authors",
    "citations",
    "claims",
    "claims_table",
    "deviations",
    "differences_table",
    "edition",
    "findings",
    "findings_list",
    "history_list",
    "lessons",
    "markdown",
    "overview",
    "results",
    "unwritten",
]

_FINDINGS = load_yaml(Path(__file__).with_name("findings.yaml"))
_STATES = {
    "holds": "",
    "refuted": "*These tables do not confirm:* ",
    "untested": "*Not tested at this scale:* ",
}


def markdown(columns, rows, right=()):
    """A Markdown table; `right` names the columns that are aligned to the right."""
    rule = ["--:" if name in right else "---" for name in columns]
    lines = [columns, rule, *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def overview(held):
    """A line for each paper: how many of its claims hold, what it found, and what does not replicate."""
    lines = []
    for entry in held.values():
        sets = f"{entry.section.sets()}: " if entry.section.sets() else ""
        found = entry.study.finding["found"]
        if but := [
            finding.text for finding in entry.section.statements if finding.state == "holds"
        ]:
            found = f"{found}; but {'; also, '.join(but)}"
        chips = " ".join(_chip(verdict, text) for verdict, text in entry.section.counts)
        lines.append(f"- **{entry.title}** {chips} {sets}{_plain(found)}.")
    return "\n".join(lines)


def results(held):
    """How many claims of each paper hold, as a sentence of the abstract."""
    counts = [
        f"{entry.title}, {', '.join(text for _, text in entry.section.counts)}"
        for entry in held.values()
    ]
    return "Claims by paper: " + "; ".join(counts)


def _chip(verdict, text):
    return f'<span class="chip is-{verdict.replace(" ", "-")}">{text}</span>'


def claims(held):
    """The claims of each paper, a table for each."""
    captions = {
        f"Claims of {entry.study.title} ({entry.scale} scale).": entry for entry in held.values()
    }
    return "\n\n".join(
        f":::{{table}} {caption}\n:class: claims\n\n{claims_table(entry)}\n:::"
        for caption, entry in captions.items()
    )


def claims_table(entry):
    """The claims of a paper: the sentence, its effect here and there, in how many rows it holds, and the verdict."""
    rows = []
    for claim in entry.section.claims:
        interval = f" ({claim['interval']})" * bool(claim["interval"])
        ours = f"**{claim['value']}**{interval} {claim['measure']}" if claim["value"] else ""
        verdict = _chip(claim["verdict"], claim["verdict"])
        rows.append([_plain(claim["claim"]), ours, _plain(claim["theirs"]), claim["rows"], verdict])
    return markdown(["claim", "ours", "theirs", "holds in", "verdict"], rows)


def differences_table(held):
    """Everything that differs, with its status: a row for each reason, in the order of the paper."""
    rows = {}
    for entry in held.values():
        for what, state, why in [*_differing(entry), *_differing_cells(entry)]:
            rows.setdefault((entry.title, state, why), []).append(what)
    lines = [
        [title, "; ".join(whats), f"**{state}**", why]
        for (title, state, why), whats in rows.items()
    ]
    return markdown(["paper", "what", "status", "why"], lines)


def _differing(entry):
    """Claims, numbers and controls of a paper that differ, as (what, status, why)."""
    for row in entry.section.differing:
        if row["compare"] != "side":
            why = row["why"] + f" See table {row['shown_by']}." * bool(row["shown_by"])
            yield (
                _plain(row["quantity"] + " (control)" * (row["kind"] == "control")),
                row["status"],
                _plain(why),
            )


def _differing_cells(entry):
    """Cells with a side that differ, by table and verdict, as (what, status, why)."""
    cells = [row for row in entry.section.differing if row["compare"] == "side"]
    tables = dict.fromkeys(row["id"].split("/")[0] for row in cells)
    for table, verdict in product(tables, ("opposite", "does not hold")):
        count = sum(row["verdict"] == verdict and row["id"].startswith(table) for row in cells)
        if count and verdict == "opposite":
            why = "The signs seem to be reversed in print. See table sign_of_table2b."
            yield f"{count} cells of Table {table} are significant on the other side", "partly", why
        elif count:
            yield f"{count} cells of Table {table} are significant only here", "unexplained", ""


def agreement_table(entry):
    """Agreement with Rider's tables compared with a trivial answer, a column for each printed table."""
    table = entry.tables["agreement"]
    if not len(table):
        return "Too few data sets for a verdict at this scale."
    part = table[(table["svm"] == "0/1") & (table["classifier"] == "all")].set_index("table")
    lines = {
        "cells": "cells",
        "same verdict as printed": "agree",
        "same verdict, our signs reversed": "agree_turned",
        'same verdict if the answer is always "neither"': "trivial",
        "kappa": "kappa",
        "kappa, our signs reversed": "kappa_turned",
        "printed as significant": "significant_printed",
        "of these, significant here with the same sign": "same_sign",
        "of these, significant here with the opposite sign": "opposite_sign",
        "rank correlation of z": "z_correlation",
    }
    rows = [
        [text, *(f"{part[column][name]:.3g}" for name in part.index)]
        for text, column in lines.items()
    ]
    return markdown(
        ["", *(f"Table {name}" for name in part.index)],
        rows,
        right=[f"Table {n}" for n in part.index],
    )


def history_list():
    """Every change of a rule or published value."""
    return "\n".join(
        f"- *{entry['date']}, {entry['study']}.* {_plain(entry['what'].strip())} "
        f"Reason: {_plain(entry['reason'].strip())} Effect: {_plain(entry['effect'].strip())}"
        for entry in history()
    )


def authors():
    """The authors that CITATION.cff names."""
    people = load_yaml(ROOT / "CITATION.cff")["authors"]
    return ", ".join(
        one.get("name") or f"{one['given-names']} {one['family-names']}" for one in people
    )


def edition():
    """Date and version of the software, and where code and data are."""
    about = load_yaml(ROOT / "CITATION.cff")
    return (
        f"{about['date-released']}, version {about['version']}. This repository holds the code, the tables behind all "
        "numbers (`results/reference`) and the addresses and checksums of the data (`config/datasets.yaml`)."
    )


def findings(entry):
    """What was found beyond the verdicts, as (statement, reason with its numbers)."""
    tables = derived(entry.name, entry.tables)
    written = _FINDINGS.get(entry.name, [])
    confirmed = [statement(entry.name, each, tables) for each in written]
    reasons = [
        part["because"].strip().format(**facts(part.get("numbers", {}), tables)) for part in written
    ]
    return list(zip(confirmed, reasons, strict=True))


def findings_list(entry):
    """The findings as a list; a reason only where the tables confirm the finding."""
    lines = [
        f"- {_STATES[finding.state]}**{finding.text}.**"
        + (f" {reason}" if finding.state == "holds" else "")
        for finding, reason in findings(entry)
    ]
    return "\n".join(lines)


def lessons(held):
    """The findings that the tables confirm, as one phrase of the abstract."""
    phrases = [
        written["lesson"]
        for entry in held.values()
        for written, (finding, _) in zip(
            _FINDINGS.get(entry.name, []), findings(entry), strict=True
        )
        if finding.state == "holds" and "lesson" in written
    ]
    return "; ".join(phrases) or "none"


def unwritten(text, held):
    """The text of the article with a paragraph and a section for each paper that it has no section of.

    They come at the places that comments mark: what the paper claims, its first figure and the findings.
    """
    paragraphs, sections = [], []
    for name, entry in held.items():
        if f"{{{{ findings_{name} }}}}" not in text:
            paragraphs.append(f"**{entry.title}.** {_plain(entry.study.claim.strip())}")
            sections.append(_section(entry))
    text = text.replace("% paragraphs of other papers\n", "\n\n".join(paragraphs))
    return text.replace("% sections of other papers\n", "\n\n".join(sections))


def _section(entry):
    """The section of a paper that has none of its own."""
    parts = [f"### {entry.title}"]
    for figure, about in list(entry.study.captions["figures"].items())[:1]:
        parts.append(
            f":::{{figure}} _generated/figures/{entry.name}/{figure}.svg\n:alt: {about['caption']}\n"
        )
        parts[-1] += f"\n{about['caption']}\n:::"
    return "\n\n".join([*parts, findings_list(entry)])


def citations(held):
    """The references of the replicated papers, as a list."""
    return "\n".join(f"- {entry.study.citation}" for entry in held.values())


def deviations():
    """Where the studies depart from their papers, and why."""
    lines, studies = [], papers(ROOT)
    for name, title in PAPERS.items():
        entries = studies[name].get("deviations", [])
        parts = " ".join(f"*{_plain(entry['what'])}* {_plain(entry['why'])}" for entry in entries)
        lines.append(f"**{title}.** {parts}")
    return "\n\n".join(lines)


def _plain(text):
    return text.replace("|", "\\|").replace("*", "\\*")
