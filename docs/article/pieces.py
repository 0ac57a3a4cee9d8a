"""Tables and lists of the article as Markdown, made of the kept tables, the registry of data sets and the config."""

import re
from pathlib import Path
from types import SimpleNamespace

import yaml

from article.facts import NONE, derived, facts
from article.reference import PAPERS, ROOT
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_study
from pumetrics_workflow.report.findings import statements
from pumetrics_workflow.report.tables import VERDICTS

__all__ = [
    "claims", "claims_table", "costs", "data_table", "deviations", "findings", "findings_list", "lessons", "overview",
]  # fmt: skip

_HERE = Path(__file__).parent
_LETTERS = dict(zip(PAPERS, "CRJMT", strict=True))
_STATES = {"holds": "", "refuted": "*Not borne out by these tables:* ", "untested": "*Not tested at this scale:* "}


def _yaml(name):
    return yaml.safe_load((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))


def _markdown(columns, rows, right=()):
    """A Markdown table; `right` names the columns that are aligned to the right."""
    rule = ["--:" if name in right else "---" for name in columns]
    lines = [columns, rule, *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def overview(held):
    """Counts of published numbers by verdict, a row for each paper."""
    columns = ["paper", "scale", "data sets", "repeats", "numbers", "hold", "differ", "not available", "verdict"]
    rows = []
    for entry in held.values():
        named = entry.study.all_datasets()
        counts = [entry.section.counts[verdict] for verdict in VERDICTS]
        sets = f"{len(named) - len(entry.missing)} of {len(named)}"
        repeats = entry.study.repeats if entry.study.datasets and entry.study.labeling else NONE
        rows.append([entry.title, entry.scale, sets, repeats, sum(counts), *counts, entry.section.verdict])
    totals = [sum(row[place] for row in rows) for place in range(4, 8)]
    return _markdown(columns, [*rows, ["all", "", "", "", *totals, ""]], right=columns[3:8])


def claims(name, published):
    """Claims of a paper with their counts.

    Parameters
    ----------
    name : str
    published : DataFrame
        The study's table of published numbers.

    Returns
    -------
    list of dict
        ``claim``, ``where``, and the numbers it is made of: ``total``, ``compared``, ``holds``, and ``verdict``.
    """
    found = []
    for entry in _yaml("claims")[name]:
        part = published.loc[published["id"].str.fullmatch(entry["ids"]), "verdict"]
        holds, differs = int((part == "holds").sum()), int((part == "differs").sum())
        counts = {"total": len(part), "compared": holds + differs, "holds": holds}
        found.append({**entry, **counts, "verdict": _verdict(holds, differs)})
    return found


def _verdict(holds, differs):
    if not holds + differs:
        return "not tested"
    if not differs:
        return "holds"
    if not holds:
        return "**does not hold**"
    return "holds mostly" if holds >= 4 * differs else "**holds in part**"


def claims_table(entry):
    """The claims of a paper with verdicts."""
    rows = []
    for claim in claims(entry.name, entry.tables["published"]):
        counts = f"{claim['holds']} of {claim['compared']}" if claim["compared"] else f"0 of {claim['total']} tested"
        rows.append([claim["claim"], claim["where"], counts, claim["verdict"]])
    return _markdown(["claim", "where", "numbers that hold", "verdict"], rows)


def findings(entry):
    """What was found beyond the verdicts, as (statement, reason with its numbers)."""
    tables = derived(entry.name, entry.tables)
    numbers, written = facts(entry.name, tables), _yaml("findings")[entry.name]
    judged = statements(SimpleNamespace(name=entry.name, finding={"but": written}), tables)
    reasons = [part["because"].strip().format(**numbers) for part in written]
    return list(zip(judged, reasons, strict=True))


def findings_list(entry):
    """The findings as a list: a reason only where the tables bear the finding out."""
    lines = [
        f"- {_STATES[finding.state]}**{finding.text}.**" + (f" {reason}" if finding.state == "holds" else "")
        for finding, reason in findings(entry)
    ]
    return "\n".join(lines).replace(" %", "\u00a0%")


def lessons(held):
    """What the conclusion says of the findings that the tables bear out, in one phrase."""
    phrases = [
        written["lesson"]
        for entry in held.values()
        for written, (finding, _) in zip(_yaml("findings")[entry.name], findings(entry), strict=True)
        if finding.state == "holds" and "lesson" in written
    ]
    return "; ".join(phrases) or "none"


def costs(held):
    """Core-hours of each study: measured at the scale that is held, and expected at paper scale."""
    rows = []
    for entry in held.values():
        expected = _at_paper_scale(entry.name).core_minutes / 60
        rules = entry.run.get("rules", {})
        training = max(rules, key=lambda rule: rules[rule]["cpu_seconds"], default=NONE)
        jobs = sum(rule["jobs"] for rule in rules.values())
        most = max((rule["most_mb"] for rule in rules.values()), default=0)
        measured = f"{entry.core_seconds / 3600:.2g}"
        rows.append([entry.title, entry.scale, measured, jobs, training.replace("_", " "), most, f"{expected:.2g}"])
    columns = ["paper", "scale", "core-hours", "jobs", "most of it", "most memory (MB)", "planned at paper scale"]
    return _markdown(columns, rows, right=[columns[2], columns[3], *columns[5:]])


def deviations():
    """Where the studies depart from their papers, and why."""
    path = ROOT / "src/pumetrics_workflow/report/deviations.yaml"
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    lines = []
    for name, title in PAPERS.items():
        parts = " ".join(f"*{_plain(entry['what'])}* {_plain(entry['why'])}" for entry in written[name])
        lines.append(f"**{title}.** {parts}")
    return "\n\n".join(lines)


def _plain(text):
    return text.replace("|", "\\|").replace("*", "\\*")


def data_table(held):
    """Data sets of the papers at paper scale: size, positive class, source, and which paper uses them."""
    registry = load_yaml(ROOT / "config/datasets.yaml")
    users = {}
    for name in PAPERS:
        for dataset in _at_paper_scale(name).all_datasets():
            users.setdefault(dataset, []).append(name)
    rows = []
    for dataset, names in sorted(users.items()):
        entry = registry[dataset]
        runs = [held[name] for name in names if held[name].scale == "paper"]
        gone = "unavailable" in entry or (runs and all(dataset in run.missing for run in runs))
        share = f"{100 * entry['positives'] / entry['rows']:.0f}" if entry.get("positives") else NONE
        mark, letters = "†" if gone else "", "".join(_LETTERS[name] for name in names)
        title = dataset.replace("_", " ")
        rows.append([f"{title}{mark}", f"{entry['rows']:,}", share, _positive(entry), _source(entry), letters])
    columns = ["set", "rows", "% positive", "positives", "source", "paper"]
    return _markdown(columns, rows, right=columns[1:3])


def _at_paper_scale(name):
    schema = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
    return load_study(ROOT / f"config/studies/{name}.yaml", "paper", schema)


def _positive(entry):
    rule = entry.get("positive")
    if not rule:
        return NONE
    if "classes" in rule:
        return "class " + ", ".join(map(str, rule["classes"]))
    return f"above the {rule['above']}" if "above" in rule else f"at least {rule['at_least']}"


def _source(entry):
    """First author, year, and UCI where the set is from there."""
    if entry["kind"] == "generated":
        return "generated"
    if entry["kind"] == "unavailable":
        return "not public"
    citation = entry.get("citation", "")
    author, year = re.match(r"[^\s,(]+", citation), re.search(r"\d{4}", citation)
    source = f"{author[0]} {year[0]}" if author and year else citation.split(",")[0]
    return source + (", UCI" if "UCI" in citation or "archive.ics.uci.edu" in entry.get("url", "") else "")
