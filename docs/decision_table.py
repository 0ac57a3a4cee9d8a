"""Write what to use, and how intervals do, into a page.

``python docs/decision_table.py results/reference/paper docs/choosing.md`` writes the tables of the study head_to_head
between the lines ``<!-- decision table -->`` and ``<!-- end -->``; into a page with ``<!-- decision table, short -->``
only what is best for three metrics when no prior is known.
"""

import sys
from pathlib import Path

import pandas as pd
from scipy.stats import binomtest

from pumetrics.metrics import METRICS
from pumetrics.priors.calibration import read_table
from pumetrics_workflow.labelings import situation
from pumetrics_workflow.studies.head_to_head.decision import ANY, simplicity
from pumetrics_workflow.studies.head_to_head.means import ALL_SCAR, HOME, place_of

START, SHORT, END = "<!-- decision table -->", "<!-- decision table, short -->", "<!-- end -->"
_NAMES = dict.fromkeys(("prior", "with", "pick_with"), str)  # "true" is one
_IN_SHORT = ("roc_auc", "average_precision", "max_f1")
_IN_COVERAGE = (*_IN_SHORT, "max_mcc", "f1")


def _table(first, columns, rows):
    """A Markdown table of rows of cells; `first` and `columns` are its heads."""
    lines = [[first, *columns], *rows]
    head, *rest = (f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([head, "|---" * len(lines[0]) + "|", *rest]) + "\n"


def markdown(table):
    """Return what to estimate each metric with, a column per situation.

    A cell holds the names of method and prior as ``estimate_score`` takes them, then the mean absolute error, in
    parentheses that of the uncorrected metric, and the bias.
    """
    table = table[(table["priors"] == "unknown") | (table["have"] == HOME)]
    columns = {
        f"{have}, alpha {priors}" if have == HOME else have: part.set_index("need")
        for (have, priors), part in table.groupby(["have", "priors"], sort=False)
    }
    random = {
        name: part for name, part in columns.items() if name.startswith(("SCAR", ANY.split("{")[0]))
    }
    others = {name: part for name, part in columns.items() if name not in random}
    metrics = [name for name in METRICS if name in set(table["need"])]
    tables = [
        _table(
            "metric",
            part,
            [[f"`{name}`", *(_cell(each.loc[name]) for each in part.values())] for name in metrics],
        )
        for part in (random, others)
        if part
    ]
    return "\nLabels that depend on a feature or on the score:\n\n".join(tables)


def _cell(row):
    error, uncorrected = (f"{row[name]:.3f}" for name in ("error", "uncorrected_error"))
    names = [row["use"]] if row["with"] in ("none", "true") else [row["use"], row["with"]]
    named = "<br>".join(f"`{name}`" for name in names)
    return f"{named}<br>{error} ({uncorrected}), bias {row['bias']:+.3f}"


def short(table):
    """Return what to use for three metrics when no prior is known, a line per situation."""
    rows = []
    for have, part in table[table["priors"] == "unknown"].groupby("have", sort=False):
        found = part.set_index("need").loc[list(_IN_SHORT)].to_dict("records")
        texts = [
            f"{row['use']}, {row['with']}: {row['error']:.3f} ({row['uncorrected_error']:.3f})"
            for row in found
        ]
        rows.append([have, *(text.replace(", none", "") for text in texts)])
    return _table("situation", [METRICS[name].label for name in _IN_SHORT], rows)


def coverage(intervals):
    """Return how 95% intervals do: by metric where their assumptions hold, and AUC where they do not.

    A cell holds the coverage, in parentheses that of the worst set with its interval, and the interval score; then, if
    the run recorded it, the coverage of the intervals of identified numbers with their share.
    """
    labelings = set(intervals["labeling"]) - {ALL_SCAR}
    others = sorted((name for name in labelings if situation(name) != HOME), key=place_of)
    metrics = [name for name in _IN_COVERAGE if name in set(intervals["metric"])]
    parts = ["Where their assumptions hold (SCAR, no label noise), by metric:\n"]
    parts.append(_coverage(intervals, {METRICS[name].label: (name, ALL_SCAR) for name in metrics}))
    if others:
        parts.append("AUC where they do not, by labeling:\n")
        parts.append(_coverage(intervals, {f"`{name}`": ("roc_auc", name) for name in others}))
    return "\n".join(parts)


def _coverage(intervals, columns):
    """Rows of methods and priors, columns of a metric and a labeling."""
    rows = []
    found = intervals.set_index(["method", "prior", "metric", "labeling"])
    for way in sorted(
        set(zip(intervals["method"], intervals["prior"], strict=True)),
        key=lambda way: simplicity(*way),
    ):
        keys = [(*way, *column) for column in columns.values()]
        there = found.loc[[key for key in keys if key in found.index]]
        samples = round((there["intervals"] / there["sets"]).max())
        cells = [_coverage_cell(found.loc[key]) if key in found.index else "" for key in keys]
        rows.append([f"`{way[0]}`, `{way[1]}`<br>{samples} samples of each set", *cells])
    return _table("method, priors", columns, rows)


def _coverage_cell(row):
    samples = round(row["intervals"] / row["sets"])
    text = f"{row['coverage']:.2f} ({_worst(row['worst_set'], samples)})<br>{row['interval_score']:.2f}"
    if row.get("identified", 1) < 1:
        text += f"<br>identified: {row['coverage_identified']:.2f} of {row['identified']:.0%}"
    return text


def _worst(share, samples):
    """The least coverage of a set or family, and its exact binomial 95% interval (Clopper & Pearson)."""
    ends = binomtest(round(share * samples), samples).proportion_ci()
    return f"{share:.2f}, {ends.low:.2f} to {ends.high:.2f}"


def of_families(noisy=False):
    """Return how often calibrated intervals hold, and how wide they are, on families of data sets left out of them."""
    table = pd.DataFrame(read_table(noisy)["coverage"]).set_index(["metric", "kind", "level"])
    table["text"] = [f"{row['coverage']:.2f} / {row['width']:.2f}" for _, row in table.iterrows()]
    rows = []
    for name in (name for name in ("alpha", "beta", *METRICS) if name in table.index):
        there = table.loc[name]
        samples = round(
            there.loc[("calibrated", 0.95), "samples"] / there.loc[("calibrated", 0.95), "families"]
        )
        worst = _worst(there.loc[("calibrated", 0.95), "worst_family"], samples)
        texts = [
            there.loc[key, "text"]
            for key in (("calibrated", 0.95), ("calibrated", 0.8), ("guaranteed", 0.95))
        ]
        rows.append([METRICS[name].label if name in METRICS else name, texts[0], worst, *texts[1:]])
    columns = [
        "calibrated, 95%",
        f"worst family, of {samples} samples",
        "calibrated, 80%",
        "guaranteed, 95%",
    ]
    return _table("", columns, rows)


def main(results, page):
    """Write the tables of a finished run, for example of ``results/laptop``, into a Markdown file with both marks.

    Raises
    ------
    ValueError
        If a table or a mark is missing.
    """
    folder, page = Path(results, "head_to_head", "tables"), Path(page)
    if not (folder / "decision.csv").is_file():
        raise ValueError(
            f"{folder}: there is no decision.csv; run the study first: snakemake head_to_head"
        )
    table, intervals = (
        pd.read_csv(folder / f"{name}.csv", dtype=_NAMES) for name in ("decision", "intervals")
    )
    text = page.read_text(encoding="utf-8")
    start = SHORT if SHORT in text else START
    before, mark, rest = text.partition(start)
    _, end, after = rest.partition(END)
    if not (mark and end):
        raise ValueError(f"{page}: the lines {start} and {END} must both be there")
    full = f"{markdown(table)}\n### Coverage of 95% intervals\n\n{coverage(intervals)}"
    filling = short(table) if start == SHORT else full
    page.write_text(f"{before}{mark}\n\n{filling}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python {sys.argv[0]} RESULTS PAGE, got {len(sys.argv) - 1} arguments")
    try:
        main(*sys.argv[1:])
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
