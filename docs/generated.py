"""`python docs/generated.py` writes what tracked pages say of tracked tables, of the config and of the data registry.

A block is between ``<!-- NAME ARGUMENTS -->`` and ``<!-- end -->``, in the comments of a YAML file too; the function
NAME, of this module or of `papers_in_words`, returns its text. Pictures state what they are drawn from, and are drawn
again if that has changed. `make reference` runs this.
"""

import hashlib
import json
import re
from fnmatch import fnmatch
from functools import partial
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from runpy import run_path
from urllib.parse import urlparse

import pandas as pd
import papers_in_words
import yaml
from papers_in_words import (
    NONE,
    REFERENCE,
    ROOT,
    commits,
    frame,
    picture_of,
    run_of,
    section,
    sections,
    shown,
    source,
    studies,
    table,
    title,
    verdicts,
)
from scipy.stats import binomtest

from pumetrics.metrics import METRICS
from pumetrics.priors.calibration import read_table
from pumetrics_workflow.code import SRC, Sources
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.datasets import load_registry
from pumetrics_workflow.datasets.copies import known_copies
from pumetrics_workflow.labelings import situation
from pumetrics_workflow.plan import link_to, papers, papers_of_sets
from pumetrics_workflow.plotting import small_png, use_style
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.report import picture
from pumetrics_workflow.report.section import tracked_verdicts
from pumetrics_workflow.staleness import RENAMED, states
from pumetrics_workflow.studies import files_of, load
from pumetrics_workflow.studies.head_to_head.decision import ANY, simplicity
from pumetrics_workflow.studies.head_to_head.means import ALL_SCAR, HOME, place_of

__all__ = ["main", "pictures", "renewed"]

_MARK = re.compile(r"(<!-- (?!end )([^>]+) -->)(\n?)(?:(?!<!--).)*?([# ]*<!-- end -->)", flags=re.S)
_CODECHECK = ("published", "figure*", "table*", "decision", "methods")
"""Tables that a check should reproduce; the others are steps on the way."""


# Costs, data sets


def costs():
    """CPU time, jobs and memory of each study at its largest tracked scale, and the data sets that it lacked."""
    numbers = ["core-hours", "jobs", "peak MB", "planned core-hours"]
    rows = []
    runs = {}
    for name in sorted(filter(run_of, studies())):
        scale, run = run_of(name)
        study = studies()[name]["paper"]
        rules = pd.DataFrame(run["rules"]).T
        runs[tuple(run["kept"])] = rules  # a run of several studies counts once
        lacked = [each for each in study.all_datasets() if each not in run["data"]]
        planned = f"{study.core_minutes / 60:.2g}"
        spent = [*_spent(rules, 2), f"{rules['most_mb'].max():.0f}"]
        rows.append([study.title, scale, *spent, planned, commits(name), _listed(lacked)])
    planned = sum(studies()[name]["paper"].core_minutes for name in filter(run_of, studies())) / 60
    spent = _spent(pd.concat(runs.values()), 3)
    rows.append(["all", NONE, *spent, NONE, f"{planned:.3g}", NONE, NONE])
    return table(["study", "scale", *numbers, "commit", "data sets that it lacked"], rows, numbers)


def _spent(rules, digits):
    """Core-hours and number of the jobs of rules."""
    return [f"{rules['cpu_seconds'].sum() / 3600:.{digits}g}", f"{rules['jobs'].sum():.0f}"]


def _listed(names):
    return ", ".join(names) or NONE


def jobs():
    """The submitted jobs of each study by rule."""
    numbers = ["jobs", "mean CPU time (s)", "peak MB"]
    rows = []
    for name in sorted(filter(run_of, studies())):
        heading = studies()[name]["paper"].title
        for rule, sums in run_of(name)[1]["rules"].items():
            if rule not in ("fetch", "prepare"):
                mean = f"{sums['cpu_seconds'] / sums['jobs']:.1f}"
                rows.append([heading, RENAMED.get(rule, rule), sums["jobs"], mean, sums["most_mb"]])
    return table(["study", "rule", *numbers], rows, numbers)


def hours():
    """The planned core-hours of paper scale, of the papers and of all studies."""
    minutes = {name: at["paper"].core_minutes for name, at in studies().items()}
    of_papers = sum(minutes[name] for name in papers(ROOT)) / 60
    return f"{of_papers:.2g} core-hours for the five papers, {sum(minutes.values()) / 60:.3g} for all studies"


def commands():
    """The command of each study, and the core-minutes that are planned for each scale."""
    rows = []
    for name, at in studies().items():
        what = f"**{at['paper'].title}**<br>{at['paper'].claim.strip()}"
        minutes = [f"{study.core_minutes:.3g}" for study in at.values()]
        rows.append([what, f"`snakemake {name} --cores 2`", *minutes])
    return table(["study, with its claim or question", "command", *SCALES], rows, SCALES)


_PLACES = {
    "embedded": "with scikit-learn",
    "generated": "generated from the seed",
    "unavailable": "not public",
}


def datasets():
    """All data sets of the registry."""
    users = papers_of_sets(ROOT)
    rows = []
    for name, entry in sorted(load_registry(ROOT / "config/datasets.yaml").items()):
        urls = [place.url for file in entry.files for place in file.locations]
        address = f"[{urlparse(urls[0]).hostname}]({urls[0]})" if urls else NONE
        rows.append(
            [
                f"`{name}`",
                f"{entry.rows:,}",
                f"{100 * entry.share_positive:.0f}" if entry.positives else NONE,
                _listed(map(title, users.get(name, ()))),
                _listed(_versions(entry, urls)),
                _PLACES.get(entry.kind, address),
                entry.license or NONE,
                _checksum(entry),
            ]
        )
    columns = ("data set", "rows", "% positive", "papers", "version", "address", "license", "hash")
    return table(columns, rows, columns[1:3])


def copies():
    """Copies of data sets that are known to differ."""
    rows = []
    for name, entry in known_copies().items():
        rows.append(
            (
                f"`{name}`",
                entry["copy"],
                entry["original"],
            )
        )
    return table(("set", "KEEL's copy", "original"), rows)


def _versions(entry, urls):
    """Commits in the addresses of a data set, and its version at OpenML."""
    pinned = re.findall(r"([0-9a-f]{9})[0-9a-f]{31}", " ".join(urls))
    yield from (f"commit {commit}" for commit in sorted(set(pinned)))
    if entry.openml.get("verified"):
        yield f"OpenML {entry.openml['id']}"


def _checksum(entry):
    """Hash of the content of a data set, or the first half of that of its first file."""
    raw = [sha256[:32] for file in entry.files for sha256 in file.sha256]
    checksum = entry.content.get("hash", next(iter(raw), ""))
    return f"`{checksum}`" if checksum else NONE


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
    ways = dict(iter(rows.groupby(["method", "prior"])))
    for method, prior in sorted(ways, key=lambda way: simplicity(*way)):
        part = ways[method, prior]
        samples = round((part["intervals"] / part["sets"]).max())
        heading = f"`{method}`, `{prior}`<br>{samples} samples of each set"
        lines[heading] = part.apply(_coverage_cell, axis=1)
    return frame(pd.DataFrame(lines).T[rows.index.unique()].fillna(""), "method, priors")


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


def checked_rows():
    """Coverage and mean width of intervals from checked rows, by method."""
    rows = pd.read_csv(REFERENCE / "paper/checked_sample/tables/methods.csv", index_col="method")
    rows = rows.drop(columns="intervals").rename(columns=lambda name: name.removeprefix("width_"))
    return frame(rows.map("{:.3f}".format).replace("nan", ""), "method")


_WAYS = {
    "calibrated, 95%": ("calibrated", 0.95),
    "calibrated, 80%": ("calibrated", 0.8),
    "guaranteed, 95%": ("guaranteed", 0.95),
}


def families(labels="clean"):
    """Coverage and width of calibrated intervals on families of data sets that were left out."""
    rows = pd.DataFrame(read_table(labels == "noisy")["coverage"])
    parts = dict(iter(rows.set_index("metric").groupby(["kind", "level"])))
    cells = pd.DataFrame(
        {
            heading: parts[way].apply("{coverage:.2f} / {width:.2f}".format_map, axis=1)
            for heading, way in _WAYS.items()
        }
    )
    first = parts["calibrated", 0.95]
    samples = (first["samples"] / first["families"]).round().astype(int)
    worst = map(with_interval, first["worst_family"], samples)
    heading = f"worst family, of {samples.iloc[0]} samples"
    cells.insert(1, heading, pd.Series(worst, first.index))
    cells = cells.loc[[name for name in ("alpha", "beta", *METRICS) if name in cells.index]]
    return frame(cells.rename(index={name: METRICS[name].label for name in METRICS}))


def simulated(name):
    """A table of simulations that take too long to be repeated here."""
    rows = pd.read_csv(ROOT / f"docs/simulated/{name}.csv", dtype=str)
    return table(rows, rows.to_numpy())


# What catalogs read


def authors():
    """The authors that CITATION.cff names."""
    people = load_yaml(ROOT / "CITATION.cff")["authors"]
    return ", ".join(
        one.get("name") or f"{one['given-names']} {one['family-names']}" for one in people
    )


def edition():
    """Version of the software, and when it was released."""
    about = load_yaml(ROOT / "CITATION.cff")
    return f"version {about['version']}, {about.get('date-released', 'unreleased')}"


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
            moved = states(REFERENCE / run_of(name)[0], home=ROOT)[name].moved
            if moved:
                found += (
                    f"; stale: in a trial run {', '.join(f'`{table}`' for table in moved)} moved"
                )
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


def names(module, *listed):
    """Names of a module, and the first sentence of their docstrings."""
    members = [getattr(import_module(module), name) for name in listed]
    rows = zip(listed, members, strict=True)
    return table(["name", "what"], [[f"`{name}`", _first_lines(member)] for name, member in rows])


def module(name):
    """What a module is about, in the first paragraph of its docstring."""
    return _first_lines(import_module(name))


def _first_lines(member):
    """The first paragraph of a docstring, without what only Sphinx reads; "" of a plain value."""
    if isinstance(member, int | float | str | dict | tuple):
        return ""
    text = " ".join(getdoc(member).partition("\n\n")[0].split())
    return re.sub(r":[\w:]+:`~?(?:[^`<]*\.)?([^`<]+)`", r"`\1`", text).replace("``", "`")


# Writing


def renewed():
    """Return the present text of each page and file with blocks, by path."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/api/*.md")]
    pages = sorted([*pages, ROOT / "results/README.md"])
    texts = {
        path: _MARK.sub(_block, path.read_text(encoding="utf-8"))
        for path in [*pages, ROOT / "codecheck.yml", ROOT / "CITATION.cff"]
    }
    about = ROOT / "codemeta.json"
    return {**texts, about: codemeta(about.read_text(encoding="utf-8"))}


def _block(match):
    start, call, line_end, end = match.groups()
    name, *arguments = call.split()
    function = globals().get(name) or getattr(papers_in_words, name)
    text = function(*arguments)
    return f"{start}\n\n{text}\n\n{end}" if line_end else f"{start}{text}{end}"


def pictures():
    """Return a function that draws each picture, and the hash of what it is drawn from, by path in the clone."""
    made = {}
    for name in sections():
        for figure in shown(name):
            scale = source(name, figure).study.scale
            stamp = _stamp(figure, name, scale=scale)
            path = f"results/pictures/{picture_of(name, figure)}"
            made[path] = partial(_drawn, name, figure), stamp
    code = Path(picture.__file__).read_text(encoding="utf-8")
    for draw in (picture.ratios, picture.published):
        stamp = _stamp(draw.__name__ + code, *sections())
        made[f"results/pictures/{draw.__name__}.png"] = partial(draw, sections().values()), stamp
    displays = Sources().hash((SRC / "pumetrics/displays").glob("*.py"))
    for script in sorted((ROOT / "docs/gallery").glob("*.py")):
        text = script.read_text(encoding="utf-8") + displays
        stamp = hashlib.sha256(text.encode()).hexdigest()
        made[f"docs/gallery/{script.stem}.png"] = partial(_drawn_by, script), stamp
    return made


_GALLERY = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "grid.color": "#e6e6e6",
    "axes.prop_cycle": "cycler('color', ['#0072B2', '#009E73', '#D55E00', '#CC79A7'])",
    "legend.frameon": False,
}


def _drawn_by(script):
    """The figure that a script draws with the defaults of matplotlib, in the colors of this project."""
    import matplotlib.pyplot as plt

    with plt.style.context(_GALLERY, after_reset=True):
        run_path(str(script))
    return plt.gcf()


def _drawn(name, figure):
    tables = source(name, figure).tables
    behind = section(name).study.captions["figures"][figure]["from"]
    return load(name).figures()[figure](*(tables[each] for each in behind))


def _stamp(figure, *names, scale=None):
    """Hash of the tables of some papers, the code that draws their figures and the name of the figure."""
    parts = [figure]
    code = Sources()
    for name in names:
        manifest = REFERENCE / (scale or section(name).study.scale) / "manifest.json"
        files = json.loads(manifest.read_text(encoding="utf-8"))["files"]
        parts.append([pair for pair in files.items() if pair[0].startswith(f"{name}/tables/")])
        drawing = [
            SRC / f"pumetrics_workflow/{each}.py" for each in ("studies/drawing", "plotting")
        ]
        parts.append(code.hash([*files_of(name, ["figures"]), *drawing]))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def main():
    """Renew all blocks, and the pictures that are out of date."""
    import matplotlib.pyplot as plt

    for path, text in renewed().items():
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"renewed: {path.relative_to(ROOT)}")
    wanted = pictures()
    for path in [*ROOT.glob("results/pictures/*.png"), *ROOT.glob("docs/gallery/*.png")]:
        if path.relative_to(ROOT).as_posix() not in wanted:
            path.unlink()
    for name, (draw, stamp) in wanted.items():
        path = ROOT / name
        if not path.is_file() or stamp.encode() not in path.read_bytes():
            use_style()
            path.write_bytes(small_png(draw(), Source=stamp))
            plt.close("all")
            print(f"drawn: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
