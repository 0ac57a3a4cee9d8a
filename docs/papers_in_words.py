"""What tracked pages say of the papers: claims, figures, findings and what differs, of tracked tables and the config.

Functions with a short text are blocks of pages, see `generated.py`.
"""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pandas as pd

from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.plan import load_study, papers
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report import StudySection, sensitivity_in_words
from pumetrics_workflow.report.picture import short
from pumetrics_workflow.report.section import history, statement
from pumetrics_workflow.studies import Tables
from pumetrics_workflow.studies import derived as derived_from
from pumetrics_workflow.studies.rider2013 import SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import compared_cells
from pumetrics_workflow.verdicts import counted

__all__ = [
    "NONE",
    "REFERENCE",
    "ROOT",
    "agreement",
    "changes",
    "citations",
    "claims",
    "claims_of",
    "commits",
    "derived",
    "deviations",
    "differences",
    "fact",
    "figures",
    "findings",
    "frame",
    "lessons",
    "outcomes",
    "overview",
    "picture_of",
    "plain",
    "results",
    "run_of",
    "section",
    "sections",
    "sensitivity",
    "shown",
    "source",
    "studies",
    "table",
    "title",
    "verdicts",
]

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "results/reference"
NONE = "–"
_STATES = {
    "holds": "",
    "refuted": "*These tables do not confirm:* ",
    "untested": "*Not tested at this scale:* ",
}


def table(columns, rows, numbers=()):
    """Return a table as Markdown, in which the columns of ``numbers`` are aligned to the right."""
    rule = ["--:" if name in numbers else "---" for name in columns]
    lines = []
    for cells in (columns, rule, *rows):
        texts = [str(cell).replace("|", "\\|") for cell in cells]
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)


def frame(cells, first=""):
    """Return a DataFrame of text as Markdown; its index is the first column."""
    return table([first, *cells], cells.itertuples(name=None))


def plain(text):
    """Return a text in which Markdown sees no emphasis."""
    return text.strip().replace("*", "\\*")


# Studies, and what the reference holds of them


@cache
def studies():
    """Return all studies at paper scale, the papers first, in the order of the config."""
    schema = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
    names = dict.fromkeys([*papers(ROOT), *load_yaml(ROOT / "config/config.yaml")["studies"]])
    return {
        name: {
            scale: load_study(ROOT / f"config/studies/{name}.yaml", scale, schema)
            for scale in SCALES
        }
        for name in names
    }


@cache
def run_of(name):
    """Return the largest scale that is tracked of a study, and the provenance of its run; None without any."""
    scales = [
        scale for scale in SCALES if (REFERENCE / scale / name / "tables/published.csv").is_file()
    ]
    if not scales:
        return None
    runs = json.loads((REFERENCE / scales[-1] / "provenance.json").read_text(encoding="utf-8"))
    return scales[-1], next(run for run in runs if name in run["kept"])


@cache
def section(name, scale=None):
    """Return what the report says of a study at a scale, by default the largest that is tracked."""
    largest, run = run_of(name)
    scale = scale or largest
    study = studies()[name][scale]
    cards = {each: {"available": each in run["data"]} for each in study.all_datasets()}
    return StudySection(study, REFERENCE / scale / name, cards, figures={})


def sections():
    """Return the sections of the papers, by name."""
    return {name: section(name) for name in filter(run_of, papers(ROOT))}


def title(name):
    """Return first author and year of a paper, or the title of another study."""
    return short(name) if name in papers(ROOT) else studies()[name]["paper"].title


def commits(name):
    """Return which commits computed the tables of a study."""
    _, run = run_of(name)
    return ", ".join(commit[:9] for commit in run["commit"].split(", "))


def verdicts(name):
    """Return what became of the claims of a study, in words."""
    if run_of(name) is None:
        return "no tracked tables"
    found = [claim["verdict"] for claim in section(name).claims]
    return counted(found) if found else "none"


# Claims, figures and findings of papers


def outcomes():
    """Verdicts on the claims of each study."""
    rows = []
    for name in filter(run_of, studies()):
        heading = title(name)
        link = f"[{heading}](#{heading.lower().replace(' ', '-')})"
        shown = link if name in papers(ROOT) else f"{heading} (of this project)"
        scale, run = run_of(name)
        again = run.get("rejudged", {}).get(name, commits(name))
        rows.append([shown, verdicts(name), scale, commits(name), again])
    return table(["study", "claims", "scale", "computed by", "derived by"], rows)


def derived_tables(name):
    """Return the tables of a study that follow from others, and so are of the commit that renewed the verdicts."""
    tables = section(name).tables
    made = derived_from(name, tables, tables["published"])
    return sorted(key for key in tables if made.get(key) is not tables[key])


def results():
    """A section of the page of results for each paper."""
    return "\n\n".join(_result(name) for name in sections())


def _result(name):
    each = section(name)
    first = next(iter(shown(name)))
    return "\n\n".join(
        [
            f"## {title(name)}",
            each.study.citation.strip(),
            f"{each.in_short}. Data: {each.sets()}.",
            claims_of(name),
            f"Rules and sources: [`config/published/{name}.csv`](../config/published/{name}.csv). "
            f"Derived from other tables: {', '.join(f'`{table}`' for table in derived_tables(name))}.",
            _figure(name, first, "pictures"),
            findings(name),
        ]
    )


def claims():
    """The claims of each paper: the effect here and there, and the verdict."""
    return "\n\n".join(
        f"**Claims of {title(name)}** ({each.study.scale} scale)\n\n{claims_of(name, tested=False)}"
        for name, each in sections().items()
    )


def claims_of(name, *, tested=True):
    """The claims of a paper as a table, with what was tested, and by what."""
    columns = ["claim", "ours", "in the paper", *["tested"] * tested, "verdict"]
    rows = []
    for claim in section(name).claims:
        interval = f" ({claim['interval']})" if claim["interval"] else ""
        reason = f"<br>{plain(claim['reason'])}" if claim["reason"] else ""
        sets = " ".join(re.findall(r" \(\d+ sets\)", claim["rows"])) * (not tested)
        cells = {
            "claim": plain(claim["claim"]),
            "ours": f"**{claim['value']}**{interval} {claim['measure']}{sets}"
            if claim["value"]
            else "",
            "in the paper": plain(claim["theirs"]),
            "tested": plain(claim["rows"]),
            "verdict": plain(claim["verdict"]) + reason,
        }
        rows.append([cells[name] for name in columns])
    return table(columns, rows)


def overview():
    """A line for each paper: its verdicts, what it found, and what does not replicate."""
    lines = []
    for name, each in sections().items():
        sets = f" ({each.sets()})" if each.sets() else ""
        lines.append(f"- **{title(name)}**: {verdicts(name)}{sets}. {plain(each.in_short)}.")
    return "\n".join(lines)


def source(name, figure):
    """The study at the largest scale at which the first table of a figure has rows; None without any."""
    first = section(name).study.captions["figures"][figure]["from"][0]
    for scale in reversed(SCALES):
        path = REFERENCE / scale / name / "tables" / f"{first}.csv"
        if path.is_file() and len(section(name, scale).tables[first]):
            return section(name, scale)
    return None


def shown(name):
    """Figures of a paper whose first table has rows: those of the paper before those of this project."""
    captions = section(name).study.captions["figures"]
    drawn = [key for key in captions if source(name, key)]
    first = [key for key in drawn if picture_of(name, key) in _article()]
    return dict.fromkeys([*first, *sorted(drawn, key=lambda key: "in_paper" not in captions[key])])


def _article():
    return (ROOT / "docs/replication.md").read_text(encoding="utf-8")


def picture_of(name, figure):
    """Return the file name of the picture of a figure."""
    return f"{name}_{figure}.png"


def _figure(name, figure, folder):
    """A figure with its caption and its first table."""
    about = section(name).study.captions["figures"][figure]
    scale = source(name, figure).study.scale
    alt = f"{title(name)}: {about.get('in_paper', figure.replace('_', ' '))}"
    caption = re.sub(r"([*_$\[\]])", r"\\\1", about["caption"].strip())
    data = f"reference/{scale}/{name}/tables/{about['from'][0]}.csv"
    left_out = json.loads((REFERENCE / scale / "manifest.json").read_text(encoding="utf-8"))
    for behind in about["from"]:
        missing = left_out["left_out"].get(f"{name}/tables/{behind}.csv")
        if missing:
            caption += f" Drawn without `{behind}.csv`, which is not tracked: {missing['why']}."
    if scale != section(name).study.scale:
        caption += f" Drawn at {scale} scale, the largest that has this table."
    link = f"`{Path(data).name}`"
    if folder == "pictures":
        link = f"[{link}]({data})"
    return f"![{alt}]({folder}/{picture_of(name, figure)})\n\n{caption} Data: {link}."


def figures():
    """Every figure of the papers."""
    parts = []
    for name, each in sections().items():
        parts.append(f"## {each.study.title}\n\nFrom the tables at {each.study.scale} scale.")
        captions = each.study.captions["figures"]
        beyond = False
        for figure in sorted(shown(name), key=lambda key: "in_paper" not in captions[key]):
            number = captions[figure].get("in_paper")
            if number or not beyond:
                parts.append(f"### {number or 'Beyond the paper'}")
            beyond = number is None
            parts.append(_figure(name, figure, "../results/pictures"))
    return "\n\n".join(parts)


def findings(name):
    """What was found in addition to the verdicts; a reason only where the tables confirm the finding."""
    lines = []
    for entry, found, tables in _findings(name):
        reason = ""
        if found.state == "holds":
            numbers = entry.get("numbers", {})
            facts = {key: fact(tables[source], *rest) for key, (source, *rest) in numbers.items()}
            reason = " " + entry["because"].strip().format(**facts)
        lines.append(f"- {_STATES[found.state]}**{found.text}.**{reason}")
    return "\n".join(lines)


def lessons():
    """The findings that the tables confirm, as one phrase."""
    found = [pair for name in sections() for pair in _findings(name)]
    return "; ".join(
        entry["lesson"] for entry, each, _ in found if each.state == "holds" and "lesson" in entry
    )


def _findings(name):
    tables = derived(name, section(name).tables)
    entries = load_yaml(ROOT / "docs/findings.yaml").get(name, [])
    return [(entry, statement(name, entry, tables), tables) for entry in entries]


def derived(name, tables):
    """Return the tables of a study with those that only its findings need."""
    if name == "ramola2019" and len(tables["by_dataset"]):
        made = {"accuracy_sign": accuracy_sign(tables["by_dataset"], tables["prior_errors"])}
    elif name == "rider2013" and len(tables["cells"]):
        made = {"svm_distances": svm_distances(tables["cells"], tables["published"])}
    else:
        made = {}
    return Tables({**tables, **made})


def accuracy_sign(by_dataset, prior_errors):
    """Return the largest alpha with too low, and the least with too high uncorrected accuracy, in one row."""
    part = by_dataset.query("measure == 'accuracy' and method == 'PU'")
    alpha = prior_errors.groupby(["dataset", "beta_nominal"])["alpha_true"].mean()
    both = part.join(alpha, on=["dataset", "beta"])
    low = both.loc[both["error_median"] < 0, "alpha_true"]
    high = both.loc[both["error_median"] > 0, "alpha_true"]
    return pd.DataFrame({"too_low_up_to": [low.max()], "too_high_from": [high.min()]})


def svm_distances(cells, published):
    """Return the mean distance of the SVM's p-values from the printed ones, by table and reading of its scores."""
    both = compared_cells(cells, published).query("classifier == 'svm'")
    distance = (both["p_over"] - both["p_printed"]).abs()
    by = [both["table"], both["svm"].map(SVM_READINGS).rename("reading")]
    return distance.rename("distance").groupby(by).mean().reset_index()


def fact(rows, where, expression, form):
    """Return a number of the first row that a query selects as text; a dash without any."""
    rows = rows.query(where, engine="python") if len(rows) else rows
    if not len(rows):
        return NONE
    value = rows.eval(expression, engine="python")
    value = value.iloc[0] if isinstance(value, pd.Series) else value
    return NONE if pd.isna(value) else format(value, form)


def differences():
    """Everything that differs, with its status: a row for each reason."""
    rows = {}
    for name, each in sections().items():
        for row in each.differing:
            what, status, why = _difference(row)
            rows.setdefault((title(name), status, why), []).append(what)
    lines = []
    for (heading, status, why), whats in rows.items():
        several = [what if n == 1 else f"{n} {what}" for what, n in Counter(whats).items()]
        lines.append([heading, "; ".join(several), f"**{status}**", why])
    return table(["paper", "what", "status", "why"], lines)


def _difference(row):
    """What differs, the status of its explanation, and why."""
    if row["compare"] == "side":
        cells = f"cells of Table {row['id'].split('/')[0]} are significant"
        if row["verdict"] == "opposite":
            why = "The signs seem to be reversed in print. See table sign_of_table2b."
            return f"{cells} on the other side", "partly", why
        return f"{cells} only here", "unexplained", ""
    control = " (control)" if row["kind"] == "control" else ""
    see = f" See table {row['shown_by']}." if row["shown_by"] else ""
    return plain(row["quantity"] + control), row["status"], plain(row["why"]) + see


def deviations():
    """Departures of the studies from their papers, with reasons."""
    parts = []
    for name, content in papers(ROOT).items():
        entries = [f"*{entry['what']}* {entry['why']}" for entry in content.get("deviations", [])]
        parts.append(f"**{title(name)}.** {' '.join(entries)}")
    return "\n\n".join(parts)


def changes():
    """Every change of a rule or published value."""
    lines = []
    for entry in history():
        what, reason, effect = (plain(entry[key]) for key in ("what", "reason", "effect"))
        head = f"- *{entry['date']}, {entry['study']}.*"
        lines.append(f"{head} {what} Reason: {reason} Effect: {effect}")
    return "\n".join(lines)


def agreement():
    """Agreement with Rider's tables compared with a trivial answer."""
    lines = {
        "cells": "cells",
        "agree": "same verdict as printed",
        "agree_turned": "same verdict, our signs reversed",
        "trivial": 'same verdict if the answer is always "neither"',
        "kappa": "kappa",
        "kappa_turned": "kappa, our signs reversed",
        "significant_printed": "printed as significant",
        "same_sign": "of these, significant here with the same sign",
        "opposite_sign": "of these, significant here with the opposite sign",
        "z_correlation": "rank correlation of z",
    }
    rows = section("rider2013").tables["agreement"].query("svm == '0/1' and classifier == 'all'")
    cells = rows.set_index("Table " + rows["table"])[list(lines)].T.map("{:.3g}".format)
    return frame(cells.rename(index=lines))


def sensitivity():
    """Choices that verdicts depend on."""
    return sensitivity_in_words(sections().values())


def citations():
    """References of the papers."""
    return "\n".join(f"- {each.study.citation.strip()}" for each in sections().values())
