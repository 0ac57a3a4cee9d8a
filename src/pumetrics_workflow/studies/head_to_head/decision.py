"""The decision table: what to use, and what error to expect, computed from the tables of errors and selection.

Of all methods and priors whose error exceeds the smallest by at most one standard error of this difference, paired by
data set, the simplest is recommended: the best of twenty methods on thirty data sets is partly luck.

``python -m pumetrics_workflow.studies.head_to_head.decision results/reference/paper docs/choosing.md`` writes it into a
page, between the lines ``<!-- decision table -->`` and ``<!-- end -->``; into a page with ``<!-- decision table, short
-->`` only what is best for three metrics when no prior is known.
"""

import sys
from pathlib import Path

import pandas as pd

from pumetrics.labeling import situation
from pumetrics.methods import METHODS
from pumetrics.metrics import METRICS
from pumetrics.priors import available_priors
from pumetrics_workflow.studies.head_to_head.assumptions import ALL_SCAR, HOME
from pumetrics_workflow.studies.head_to_head.means import candidates, place_of

__all__ = ["ANY", "coverage", "decisions", "main", "markdown", "short", "simplicity"]

ANY = "mean over the {} labelings tried"
KNOWN = {"known": True, "unknown": False}
_WHAT = ["metric", "method", "prior"]
_COLUMNS = [
    "have", "labelings", "need", "priors", "use", "with", "error", "bias", "error_q90", "standard_error", "least_error",
    "uncorrected_error", "pick_by", "pick_with", "regret", "least_regret", "uncorrected_regret",
]  # fmt: skip
_NAMES = dict.fromkeys(("prior", "with", "pick_with"), str)  # "true" is one
START, SHORT, END = "<!-- decision table -->", "<!-- decision table, short -->", "<!-- end -->"
_SET = "set "  # begins the columns of single data sets
_SHORT = ("roc_auc", "average_precision", "max_f1")
_IN_COVERAGE = ("roc_auc", "average_precision", "max_f1", "max_mcc", "f1")


def decisions(sets, errors, selection):
    """For every situation, metric and state of knowledge what to estimate with, and what to pick a model by.

    Parameters
    ----------
    sets : pandas.DataFrame
        As :func:`pumetrics_workflow.studies.head_to_head.means.by_set` returns it.
    errors, selection : pandas.DataFrame
        The tables of these names: means over data sets by metric, labeling, method and prior.

    Returns
    -------
    pandas.DataFrame
        Columns ``have`` (a situation), ``labelings`` (its labelings), ``priors`` (known or unknown), ``need`` (a
        metric), ``use`` and ``with`` (the simplest method and prior within one standard error of the best), ``error``
        and ``bias`` (means of the rows of these labelings in `errors`), ``error_q90`` (what nine in ten data sets stay
        below), ``standard_error`` (over data sets, of its difference from the best), ``least_error`` (of the best),
        ``uncorrected_error``,
        ``pick_by`` and ``pick_with`` (the same for picking a model), ``regret`` (mean of the rows in `selection`),
        ``least_regret`` and ``uncorrected_regret``.
    """
    labelings = sorted(errors["labeling"].unique(), key=place_of)
    groups = {}
    for name in labelings:
        groups.setdefault(situation(name), []).append(name)
    rows = []
    for have, names in [*groups.items(), (ANY.format(len(labelings)), labelings)]:
        tables = _of_labelings(sets, errors, selection, names)
        for metric in METRICS:
            for priors, known in KNOWN.items():
                line = _line(*(table[table["metric"] == metric] for table in tables), known)
                fixed = {"have": have, "labelings": " ".join(names), "need": metric, "priors": priors}
                rows += [{**fixed, **line}] if line else []
    return pd.DataFrame(rows, columns=_COLUMNS)


def simplicity(method, prior):
    """Sort key, smaller for simpler: methods in the order of ``METHODS``; no prior, the true one, consensus, others.

    Examples
    --------
    >>> ways = [("indirect", "true"), ("direct", "bbe_clean"), ("direct", "consensus_clean"), ("uncorrected", "none")]
    >>> sorted(ways, key=lambda way: simplicity(*way))[:3]
    [('uncorrected', 'none'), ('direct', 'consensus_clean'), ('direct', 'bbe_clean')]
    """
    first = ("none", "true", "consensus_clean", "consensus")
    return list(METHODS).index(method), first.index(prior) if prior in first else len(first), prior


def _of_labelings(sets, errors, selection, names):
    """Errors and regrets under some labelings, of the methods that have an answer under all of them."""
    part = sets[sets["labeling"].isin(names)]
    means = []
    for table, column in ((errors, "absolute_error"), (selection, "regret")):
        table = _mean(table[table["labeling"].isin(names)], len(names))
        each = part.groupby([*_WHAT, "dataset"])[column].mean()
        table = table.join(each.groupby(_WHAT).quantile(0.9).rename("q90"), on=_WHAT)
        means.append(table.join(each.unstack("dataset").add_prefix(_SET), on=_WHAT))
    return means


def _mean(table, n):
    """Means over labelings of the methods that have an answer under all `n` of them."""
    grouped = table.groupby(_WHAT)
    means = grouped.mean(numeric_only=True)
    return means[grouped.size() == n].reset_index()


def _line(errors, selection, known):
    """What to use and what to pick by; None where nothing is known."""
    errors, selection = (_candidates(table, known) for table in (errors, selection))
    errors, selection = errors.dropna(subset="absolute_error"), selection.dropna(subset="regret")
    if errors.empty or selection.empty:
        return None
    estimate, best = _simplest(errors, "absolute_error")
    pick, best_pick = _simplest(selection, "regret")
    return {
        "use": estimate["method"],
        "with": estimate["prior"],
        "error": estimate["absolute_error"],
        "error_q90": estimate["q90"],
        "bias": estimate["bias"],
        "standard_error": estimate["standard_error"],
        "least_error": best["absolute_error"],
        "uncorrected_error": _uncorrected(errors, "absolute_error"),
        "pick_by": pick["method"],
        "pick_with": pick["prior"],
        "regret": pick["regret"],
        "least_regret": best_pick["regret"],
        "uncorrected_regret": _uncorrected(selection, "regret"),
    }


def _candidates(table, known):
    """What a user can call: no controls, and the true priors where they are known, else an estimator by its name."""
    estimators = available_priors()
    names = {"true"} if known else {*estimators, *(f"{name}_clean" for name in estimators)}
    table = candidates(table, known=known)
    return table[table["prior"].isin({"none", *names})]


def _simplest(table, column):
    """The simplest row that exceeds the best by at most one standard error of their difference by set, and the best."""
    sets = [name for name in table if name.startswith(_SET)]
    best = table.loc[table[column].idxmin()]
    difference = table[sets].sub(best[sets].astype(float), axis=1)
    table = table.assign(standard_error=difference.sem(axis=1).fillna(0))  # unknown with a single data set
    near = table[table[column] <= best[column] + table["standard_error"]]
    order = [simplicity(row.method, row.prior) for row in near.itertuples()]
    return near.iloc[order.index(min(order))], best


def _uncorrected(table, column):
    return float(table.loc[table["method"] == "uncorrected", column].iloc[0])


def markdown(table):
    """Return as Markdown what to estimate each metric with, a column per situation.

    A cell holds the names of method and prior as ``estimate_score`` takes them, then the mean absolute error, in
    parentheses that of the uncorrected metric, and the bias.
    """
    table = table[(table["priors"] == "unknown") | (table["have"] == HOME)]
    columns = {
        f"{have}, alpha {priors}" if have == HOME else have: part.set_index("need")
        for (have, priors), part in table.groupby(["have", "priors"], sort=False)
    }
    random = {name: part for name, part in columns.items() if name.startswith(("SCAR", ANY.split("{")[0]))}
    others = {name: part for name, part in columns.items() if name not in random}
    metrics = [name for name in METRICS if name in set(table["need"])]
    parts = [_table(metrics, random)]
    if others:
        parts += ["Labels that depend on a feature or on the score:\n", _table(metrics, others)]
    return "\n".join(parts)


def _table(metrics, columns):
    """Rows of metrics, columns of situations."""
    lines = [f"| metric | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
    for metric in metrics:
        cells = [_cell(part.loc[metric]) for part in columns.values()]
        lines.append(f"| `{metric}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(row):
    error, uncorrected = (f"{row[name]:.3f}" for name in ("error", "uncorrected_error"))
    return f"{_named(row['use'], row['with'])}<br>{error} ({uncorrected}), bias {row['bias']:+.3f}"


def _named(method, prior):
    return f"`{method}`" if prior in ("none", "true") else f"`{method}`<br>`{prior}`"


def short(table):
    """Return as Markdown what to use for three metrics when no prior is known, a line per situation."""
    lines = [f"| situation | {' | '.join(METRICS[name].label for name in _SHORT)} |", "|---" * (1 + len(_SHORT)) + "|"]
    for have, part in table[table["priors"] == "unknown"].groupby("have", sort=False):
        rows = part.set_index("need").loc[list(_SHORT)].to_dict("records")
        cells = [
            f"{row['use']}, {row['with']}: {row['error']:.3f} ({row['uncorrected_error']:.3f})".replace(", none", "")
            for row in rows
        ]
        lines.append(f"| {have} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def coverage(intervals):
    """Return as Markdown how 95% intervals do: by metric where their assumptions hold, and AUC where they do not.

    A cell holds the coverage, in parentheses that of the worst set, and the interval score; then, if the run recorded
    it, the coverage of the intervals of identified numbers with their share. A row says how many samples a set has.
    """
    labelings = set(intervals["labeling"]) - {ALL_SCAR}
    others = sorted((name for name in labelings if situation(name) != HOME), key=place_of)
    metrics = [name for name in _IN_COVERAGE if name in set(intervals["metric"])]
    parts = ["Where their assumptions hold (SCAR, no label noise), by metric:\n"]
    parts.append(_coverage_table(intervals, [(METRICS[name].label, name, ALL_SCAR) for name in metrics]))
    if others:
        parts.append("AUC where they do not, by labeling:\n")
        parts.append(_coverage_table(intervals, [(f"`{name}`", "roc_auc", name) for name in others]))
    return "\n".join(parts)


def _coverage_table(intervals, columns):
    """Rows of methods and priors, columns as (title, metric, labeling)."""
    ways = sorted({(row.method, row.prior) for row in intervals.itertuples()}, key=lambda way: simplicity(*way))
    lines = [f"| method, priors | {' | '.join(label for label, *_ in columns)} |", "|---" * (1 + len(columns)) + "|"]
    found = intervals.set_index(["method", "prior", "metric", "labeling"])
    for way in ways:
        keys = [(*way, metric, labeling) for _, metric, labeling in columns]
        cells = [_coverage_cell(found.loc[key]) if key in found.index else "" for key in keys]
        rows = found.loc[[key for key in keys if key in found.index]]
        samples = round((rows["intervals"] / rows["sets"]).max())
        lines.append(f"| `{way[0]}`, `{way[1]}`<br>{samples} samples of each set | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _coverage_cell(row):
    text = f"{row['coverage']:.2f} ({row['worst_set']:.2f})<br>{row['interval_score']:.2f}"
    if row.get("identified", 1) < 1:
        text += f"<br>identified: {row['coverage_identified']:.2f} of {row['identified']:.0%}"
    return text


def main(results, page):
    """Write the decision table of a finished run into a page.

    Parameters
    ----------
    results : path-like
        Results of one scale, for example ``results/laptop``.
    page : path-like
        A Markdown file that holds both marks.

    Raises
    ------
    ValueError
        If the table or a mark is missing.
    """
    folder, page = Path(results, "head_to_head", "tables"), Path(page)
    if not (folder / "decision.csv").is_file():
        raise ValueError(f"{folder}: there is no decision.csv; run the study first: snakemake head_to_head")
    table, intervals = (pd.read_csv(folder / f"{name}.csv", dtype=_NAMES) for name in ("decision", "intervals"))
    text = page.read_text(encoding="utf-8")
    start = SHORT if SHORT in text else START
    before, mark, rest = text.partition(start)
    _, end, after = rest.partition(END)
    if not (mark and end):
        raise ValueError(f"{page}: the lines {START} and {END} must both be there")
    full = f"{markdown(table)}\n### Coverage of 95% intervals\n\n{coverage(intervals)}"
    filling = short(table) if start == SHORT else full
    page.write_text(f"{before}{mark}\n\n{filling}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python -m {__spec__.name} RESULTS PAGE, got {len(sys.argv) - 1} arguments")
    try:
        main(*sys.argv[1:])
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
