"""`python docs/generated.py` writes what tracked pages say of tracked tables, of the config and of the data registry.

A block is between ``<!-- NAME ARGUMENTS -->`` and ``<!-- end -->``, in the comments of a YAML file too; the function
NAME returns its text. Pictures state what they are drawn from, and are drawn again if that has changed.
`make reference` runs this.
"""

import hashlib
import io
import json
import re
from collections import Counter
from fnmatch import fnmatch
from functools import cache, partial
from pathlib import Path
from urllib.parse import urlparse

import pandas as pd
import yaml
from scipy.stats import binomtest

from pumetrics import plotting
from pumetrics.metrics import METRICS
from pumetrics.priors.calibration import read_table
from pumetrics_workflow.code import SRC, Sources
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.datasets import load_registry
from pumetrics_workflow.labelings import situation
from pumetrics_workflow.plan import link_to, load_study, papers, papers_of_sets
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report import StudySection, picture, sensitivity_in_words
from pumetrics_workflow.report.picture import short
from pumetrics_workflow.report.section import history, statement, tracked_verdicts
from pumetrics_workflow.staleness import RENAMED
from pumetrics_workflow.studies import Tables, load, module_path
from pumetrics_workflow.studies import derived as derived_from
from pumetrics_workflow.studies.head_to_head.decision import ANY, simplicity
from pumetrics_workflow.studies.head_to_head.means import ALL_SCAR, HOME, place_of
from pumetrics_workflow.studies.rider2013 import SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import compared_cells
from pumetrics_workflow.verdicts import counted

__all__ = ["main", "pictures", "renewed"]

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "results/reference"
NONE = "–"
_MARK = re.compile(r"(<!-- (?!end )([^>]+) -->)(\n?)(?:(?!<!--).)*?([# ]*<!-- end -->)", flags=re.S)
_STATES = {
    "holds": "",
    "refuted": "*These tables do not confirm:* ",
    "untested": "*Not tested at this scale:* ",
}
_CODECHECK = ("published", "figure*", "table*", "decision", "methods")
"""Tables that a check should reproduce; the others are steps on the way."""


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
    first = next(iter(_shown(name)))
    return "\n\n".join(
        [
            f"## {title(name)}",
            each.study.citation.strip(),
            f"{each.in_short}. Data: {each.sets()}.",
            claims(name),
            f"Rules and sources: [`config/published/{name}.csv`](../config/published/{name}.csv). "
            f"Derived from other tables: {', '.join(f'`{table}`' for table in derived_tables(name))}.",
            _figure(name, first, "pictures"),
            findings(name),
        ]
    )


def claims(*names):
    """The claims of some papers, or of all: the effect here and there, in how many rows they hold, and the verdict."""
    parts = []
    for name in names or sections():
        rows = []
        for claim in section(name).claims:
            interval = f" ({claim['interval']})" if claim["interval"] else ""
            ours = f"**{claim['value']}**{interval} {claim['measure']}" if claim["value"] else ""
            texts = [plain(claim[key]) for key in ("claim", "theirs", "rows", "verdict")]
            reason = f"<br>{plain(claim['reason'])}" if claim["reason"] else ""
            rows.append([texts[0], ours, *texts[1:-1], texts[-1] + reason])
        scale = section(name).study.scale
        caption = "" if names else f"**Claims of {title(name)}** ({scale} scale)\n\n"
        parts.append(caption + table(["claim", "ours", "in the paper", "tested", "verdict"], rows))
    return "\n\n".join(parts)


def overview():
    """A line for each paper: its verdicts, what it found, and what does not replicate."""
    lines = []
    for name, each in sections().items():
        sets = f" ({each.sets()})" if each.sets() else ""
        lines.append(f"- **{title(name)}**: {verdicts(name)}{sets}. {plain(each.in_short)}.")
    return "\n".join(lines)


def _source(name, figure):
    """The study at the largest scale at which the first table of a figure has rows; None without any."""
    first = section(name).study.captions["figures"][figure]["from"][0]
    for scale in reversed(SCALES):
        path = REFERENCE / scale / name / "tables" / f"{first}.csv"
        if path.is_file() and len(section(name, scale).tables[first]):
            return section(name, scale)
    return None


def _shown(name):
    """Figures of a paper whose first table has rows: those of the paper before those of this project."""
    captions = section(name).study.captions["figures"]
    drawn = [key for key in captions if _source(name, key)]
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
    scale = _source(name, figure).study.scale
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
        for figure in sorted(_shown(name), key=lambda key: "in_paper" not in captions[key]):
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


def verdicts_of_papers():
    """What became of the claims of each paper, in a sentence without its period."""
    return "Claims by paper: " + "; ".join(
        f"{title(name)}, {verdicts(name)}" for name in sections()
    )


def sensitivity():
    """Choices that verdicts depend on."""
    return sensitivity_in_words(sections().values())


def citations():
    """References of the papers."""
    return "\n".join(f"- {each.study.citation.strip()}" for each in sections().values())


def authors():
    """The authors that CITATION.cff names."""
    people = load_yaml(ROOT / "CITATION.cff")["authors"]
    return ", ".join(
        one.get("name") or f"{one['given-names']} {one['family-names']}" for one in people
    )


def edition():
    """Date and version of the software."""
    about = load_yaml(ROOT / "CITATION.cff")
    return f"{about['date-released']}, version {about['version']}"


# Costs, data sets


def _rules(run):
    return pd.DataFrame(run["rules"]).T


def costs():
    """CPU time, jobs and memory of each study at its largest tracked scale, and the data sets that it lacked."""
    lacking = "data sets that it lacked"
    numbers = ["core-hours", "jobs", "peak MB", "planned core-hours"]
    rows = []
    runs = {}
    planned = 0
    for name in sorted(filter(run_of, studies())):
        scale, run = run_of(name)
        study = studies()[name]["paper"]
        rules = _rules(run)
        runs[tuple(run["kept"])] = rules  # a run of several studies counts once
        hours = study.core_minutes / 60
        planned += hours
        lacked = [each for each in study.all_datasets() if each not in run["data"]]
        figures = [
            f"{rules['cpu_seconds'].sum() / 3600:.2g}",
            f"{rules['jobs'].sum():.0f}",
            f"{rules['most_mb'].max():.0f}",
            f"{hours:.2g}",
        ]
        rows.append([study.title, scale, *figures, commits(name), ", ".join(lacked) or NONE])
    total = pd.concat(runs.values())[["cpu_seconds", "jobs"]].sum()
    hours = f"{total['cpu_seconds'] / 3600:.3g}"
    rows.append(["all", NONE, hours, f"{total['jobs']:.0f}", NONE, f"{planned:.3g}", NONE, NONE])
    return table(["study", "scale", *numbers, "commit", lacking], rows, numbers)


def jobs():
    """The submitted jobs of each study by rule."""
    numbers = ["jobs", "mean CPU time (s)", "peak MB"]
    rows = []
    for name in sorted(filter(run_of, studies())):
        for rule, sums in run_of(name)[1]["rules"].items():
            if rule not in ("fetch", "prepare"):
                mean = f"{sums['cpu_seconds'] / sums['jobs']:.1f}"
                shown = RENAMED.get(rule, rule)
                study = studies()[name]["paper"]
                rows.append([study.title, shown, sums["jobs"], mean, sums["most_mb"]])
    return table(["study", "rule", *numbers], rows, numbers)


def commands():
    """The command of each study, and the core-minutes that are planned for each scale."""
    rows = []
    for name, at in studies().items():
        what = f"**{at['paper'].title}**<br>{at['paper'].claim.strip()}"
        minutes = [f"{study.core_minutes:.3g}" for study in at.values()]
        rows.append([what, f"`snakemake {name} --cores 2`", *minutes])
    return table(["study, with its claim or question", "command", *SCALES], rows, SCALES)


def datasets():
    """All data sets of the registry."""
    users = papers_of_sets(ROOT)
    rows = []
    for name, entry in sorted(load_registry(ROOT / "config/datasets.yaml").items()):
        urls = [place.url for file in entry.files for place in file.locations]
        address = f"[{urlparse(urls[0]).hostname}]({urls[0]})" if urls else NONE
        address = {
            "embedded": "with scikit-learn",
            "generated": "generated from the seed",
            "unavailable": "not public",
        }.get(entry.kind, address)
        pinned = re.findall(r"[0-9a-f]{40}", " ".join(urls))
        versions = [f"commit {commit}" for commit in sorted({commit[:9] for commit in pinned})]
        if entry.openml.get("verified"):
            versions.append(f"OpenML {entry.openml['id']}")
        raw = [sha256[:32] for file in entry.files for sha256 in file.sha256]
        checksum = entry.content.get("hash", next(iter(raw), ""))
        rows.append(
            [
                f"`{name}`",
                f"{entry.rows:,}",
                f"{100 * entry.share_positive:.0f}" if entry.positives else NONE,
                ", ".join(title(each) for each in users.get(name, ())) or NONE,
                ", ".join(versions) or NONE,
                address,
                entry.license or NONE,
                f"`{checksum}`" if checksum else NONE,
            ]
        )
    columns = ("data set", "rows", "% positive", "papers", "version", "address", "license", "hash")
    return table(columns, rows, columns[1:3])


def tracked():
    """How many tables of each study are tracked at each scale, and the commit that computed them."""
    rows = []
    for name in filter(run_of, studies()):
        cells = []
        for scale in SCALES:
            tables = list((REFERENCE / scale / name / "tables").glob("*.csv"))
            found = tracked_verdicts(REFERENCE / scale, name)
            cells.append(f"{len(tables)} tables, {found.commit}" if tables else NONE)
        rows.append([title(name), *cells])
    return table(["study", *SCALES], rows)


# Comparison of the methods


def _head_to_head(name):
    path = REFERENCE / "paper/head_to_head/tables" / f"{name}.csv"
    return pd.read_csv(path, dtype=dict.fromkeys(("prior", "with"), str))  # "true" is one


def decision():
    """What to estimate each metric with, a column per situation."""
    rows = _head_to_head("decision")
    rows = rows[(rows["priors"] == "unknown") | (rows["have"] == HOME)]
    columns = {}
    for (have, priors), part in rows.groupby(["have", "priors"], sort=False):
        heading = f"{have}, alpha {priors}" if have == HOME else have
        columns[heading] = part.set_index("need").apply(_decision_cell, axis=1)
    cells = pd.DataFrame(columns)
    cells = cells.loc[[name for name in METRICS if name in cells.index]]
    cells.index = "`" + cells.index + "`"
    random = [name for name in cells if name.startswith(("SCAR", ANY.split("{")[0]))]
    others = cells.drop(columns=random)
    between = "\n\nLabels that depend on a feature or on the score:\n\n"
    return frame(cells[random], "metric") + between + frame(others, "metric")


def _decision_cell(row):
    names = [row["use"]] if row["with"] in ("none", "true") else [row["use"], row["with"]]
    named = "<br>".join(f"`{name}`" for name in names)
    errors = f"{row['error']:.3f} ({row['uncorrected_error']:.3f})"
    return f"{named}<br>{errors}, bias {row['bias']:+.3f}"


def decision_in_short():
    """What is best for three metrics when no prior is known, a line per situation."""
    rows = _head_to_head("decision").query("priors == 'unknown'")
    columns = {}
    for name in ("roc_auc", "average_precision", "max_f1"):
        part = rows[rows["need"] == name].set_index("have")
        names = (part["use"] + ", " + part["with"]).str.removesuffix(", none")
        errors = part[["error", "uncorrected_error"]].map("{:.3f}".format)
        columns[METRICS[name].label] = (
            names + ": " + errors["error"] + " (" + errors["uncorrected_error"] + ")"
        )
    return frame(pd.DataFrame(columns), "situation")


def coverage():
    """How 95% intervals do: by metric where their assumptions hold, and AUC where they do not."""
    rows = _head_to_head("intervals")
    at_random = rows[rows["labeling"] == ALL_SCAR].set_index("metric")
    metrics = ("roc_auc", "average_precision", "max_f1", "max_mcc", "f1")
    at_random = at_random.loc[[name for name in metrics if name in at_random.index]]
    at_random.index = [METRICS[name].label for name in at_random.index]
    others = {name for name in rows["labeling"] if name != ALL_SCAR and situation(name) != HOME}
    elsewhere = rows[rows["metric"] == "roc_auc"].set_index("labeling")
    elsewhere = elsewhere.loc[sorted(others, key=place_of)]
    elsewhere.index = "`" + elsewhere.index + "`"
    return "\n\n".join(
        [
            "Where their assumptions hold (SCAR, no label noise), by metric:",
            _coverage(at_random),
            "AUC where they do not, by labeling:",
            _coverage(elsewhere),
        ]
    )


def _coverage(rows):
    """A line for each method and prior, and a column for each label of the index."""
    lines = {}
    ways = sorted(set(zip(rows["method"], rows["prior"], strict=True)), key=_by_simplicity)
    for method, prior in ways:
        part = rows[(rows["method"] == method) & (rows["prior"] == prior)]
        samples = round((part["intervals"] / part["sets"]).max())
        heading = f"`{method}`, `{prior}`<br>{samples} samples of each set"
        lines[heading] = part.apply(_coverage_cell, axis=1)
    return frame(pd.DataFrame(lines).T[rows.index.unique()].fillna(""), "method, priors")


def _by_simplicity(way):
    return simplicity(*way)


def _coverage_cell(row):
    worst = with_interval(row["worst_set"], round(row["intervals"] / row["sets"]))
    text = f"{row['coverage']:.2f} ({worst})<br>{row['interval_score']:.2f}"
    if row["identified"] < 1:
        text += f"<br>identified: {row['coverage_identified']:.2f} of {row['identified']:.0%}"
    return text


def with_interval(share, samples):
    """Return a coverage with its exact binomial 95% interval (Clopper & Pearson)."""
    ends = binomtest(round(share * samples), samples).proportion_ci()
    return f"{share:.2f}, {ends.low:.2f} to {ends.high:.2f}"


def families(labels="clean"):
    """Coverage and width of calibrated intervals on families of data sets that were left out."""
    ways = {"calibrated, 95%": ("calibrated", 0.95), "calibrated, 80%": ("calibrated", 0.8)}
    ways["guaranteed, 95%"] = ("guaranteed", 0.95)
    rows = pd.DataFrame(read_table(labels == "noisy")["coverage"]).set_index("metric")
    columns = {}
    for heading, (kind, level) in ways.items():
        part = rows[(rows["kind"] == kind) & (rows["level"] == level)]
        columns[heading] = part.apply("{coverage:.2f} / {width:.2f}".format_map, axis=1)
    part = rows[(rows["kind"] == "calibrated") & (rows["level"] == 0.95)]
    samples = (part["samples"] / part["families"]).round().astype(int)
    worst = [with_interval(*pair) for pair in zip(part["worst_family"], samples, strict=True)]
    cells = pd.DataFrame(columns)
    cells.insert(1, f"worst family, of {samples.iloc[0]} samples", pd.Series(worst, part.index))
    cells = cells.loc[[name for name in ("alpha", "beta", *METRICS) if name in cells.index]]
    return frame(cells.rename(index={name: METRICS[name].label for name in METRICS}))


# What catalogs read


def readme():
    """A row for each paper, with what became of its claims."""
    rows = []
    for name, content in papers(ROOT).items():
        paper = content["paper"]
        first, *others = (author["family-names"] for author in paper["authors"])
        names = f"{first} et al." if len(others) > 1 else " and ".join([first, *others])
        address = paper.get("url") or link_to(paper)
        found = verdicts(name)
        if run_of(name):
            found += f" ({section(name).sets()})"
        rows.append([f"[{names} {paper['year']}]({address})", paper["shows"], found])
    return table(["paper", "what it shows", "claims that hold here"], rows)


def _as_yaml(content):
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120).rstrip()


def references():
    """The papers for CITATION.cff."""
    ours = ("shows", "sets", "data")
    entries = [
        {key: value for key, value in content["paper"].items() if key not in ours}
        for content in papers(ROOT).values()
    ]
    return _as_yaml({"references": entries})


def codecheck():
    """Tables that a check should reproduce, with their commands, and the papers, for codecheck.yml.

    Specification: CODECHECK configuration file 1.0, https://codecheck.org.uk/spec/config/1.0/.
    """
    entries = []
    for scale in SCALES:
        for path in sorted((REFERENCE / scale).glob("*/tables/*.csv")):
            if any(fnmatch(path.stem, pattern) for pattern in _CODECHECK):
                name = path.parents[1].name
                command = f"snakemake {name} --cores 2 --config scale={scale}"
                comment = f"{studies()[name]['paper'].title}: {_in_words(path.stem)}; {command}"
                file = str(path.relative_to(ROOT))
                entries.append({"file": file, "comment": comment})
    links = [link_to(content["paper"]) for content in papers(ROOT).values()]
    return _as_yaml({"manifest": entries, "pumetrics_reproduces": links})


def _in_words(name):
    """``figure2_bounds`` is Figure 2 (bounds)."""
    if name == "published":
        return "published and reproduced numbers"
    paper = re.fullmatch(r"(figure|table)(\d+[a-z]?)_?(.*)", name)
    if not paper:
        return name
    kind, number, part = paper.groups()
    head = f"{kind.title()} {number}"
    return f"{head} ({part.replace('_', ' ')})" if part else head


def codemeta(text):
    """Return codemeta.json with the papers."""
    entries = [
        {
            "type": "ScholarlyArticle",
            "name": content["title"],
            "url": content["paper"].get("url") or link_to(content["paper"]),
        }
        for content in papers(ROOT).values()
    ]
    about = {**json.loads(text), "referencePublication": entries}
    return json.dumps(about, ensure_ascii=False, indent=2) + "\n"


# Writing


def renewed():
    """Return the present text of each page and file with blocks, by path."""
    pages = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "results/README.md"])
    texts = {
        path: _MARK.sub(_block, path.read_text(encoding="utf-8"))
        for path in [*pages, ROOT / "codecheck.yml", ROOT / "CITATION.cff"]
    }
    about = ROOT / "codemeta.json"
    return {**texts, about: codemeta(about.read_text(encoding="utf-8"))}


def _block(match):
    start, call, line_end, end = match.groups()
    name, *arguments = call.split()
    text = globals()[name](*arguments)
    return f"{start}\n\n{text}\n\n{end}" if line_end else f"{start}{text}{end}"


def pictures():
    """Return a function that draws each picture, and the hash of what it is drawn from, by file name."""
    made = {}
    for name in sections():
        for figure in _shown(name):
            scale = _source(name, figure).study.scale
            stamp = _stamp(figure, name, scale=scale)
            made[picture_of(name, figure)] = partial(_drawn, name, figure), stamp
    code = Path(picture.__file__).read_text(encoding="utf-8")
    for draw in (picture.ratios, picture.published):
        stamp = _stamp(draw.__name__ + code, *sections())
        made[f"{draw.__name__}.png"] = partial(draw, sections().values()), stamp
    return made


def _drawn(name, figure):
    tables = _source(name, figure).tables
    behind = section(name).study.captions["figures"][figure]["from"]
    return load(name).figures()[figure](*(tables[each] for each in behind))


def _stamp(figure, *names, scale=None):
    """Hash of the tables of some papers, the code that draws their figures and the name of the figure."""
    parts = [figure]
    code = Sources()
    for name in names:
        manifest = REFERENCE / (scale or section(name).study.scale) / "manifest.json"
        files = json.loads(manifest.read_text(encoding="utf-8"))["files"]
        parts.append([pair for pair in files.items() if pair[0].startswith(f"{name}/")])
        own = [module_path(name, "figures"), module_path(name)]
        drawing = [SRC / "pumetrics_workflow/studies/drawing.py", SRC / "pumetrics/plotting.py"]
        parts.append(code.hash([path for path in own + drawing if path.is_file()]))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def save(figure, path, stamp):
    """Write a figure as a PNG of few colors, a third of the size, that names its sources."""
    from PIL import Image, PngImagePlugin

    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    about = PngImagePlugin.PngInfo()
    about.add_text("Source", stamp)
    few = Image.open(content).convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE)
    few.save(path, optimize=True, pnginfo=about)


def main():
    """Renew all blocks, and the pictures that are out of date."""
    import matplotlib.pyplot as plt

    for path, text in renewed().items():
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"renewed: {path.relative_to(ROOT)}")
    folder = ROOT / "results/pictures"
    wanted = pictures()
    for path in folder.glob("*.png"):
        if path.name not in wanted:
            path.unlink()
    for name, (draw, stamp) in wanted.items():
        path = folder / name
        if not path.is_file() or stamp.encode() not in path.read_bytes():
            with plotting.styled():
                save(draw(), path, stamp)
                plt.close("all")
            print(f"drawn: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
