"""The figures of the head-to-head."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm

from pumetrics.metrics import METRICS
from pumetrics_workflow.controls import CONTROLS
from pumetrics_workflow.studies.drawing import (
    PALETTE,
    SMALL,
    counted,
    facets,
    heat_map,
    labeling_label,
    method_label,
    named,
)
from pumetrics_workflow.studies.head_to_head.means import place_of
from pumetrics_workflow.studies.queries import only

__all__ = [
    "coverage",
    "error_by_labeling",
    "ranks_error",
    "ranks_regret",
    "regret",
]

# Those that answer every metric; for areas indirect recovery differs from direct recovery by a hundredth.
_ROWS = [
    ("direct", "true"),
    ("bounds_hypergeometric", "true"),
    ("direct", "consensus_clean"),
    ("bounds_hypergeometric", "consensus_clean"),
    ("direct", "consensus"),
    ("direct", "elkan_noto_e3"),
    ("direct", "alphamax"),
    ("uncorrected", "none"),
]
_SELECTORS = [
    ("random", "none"),
    ("first_model", "none"),
    ("direct", "true"),
    ("indirect", "true"),
    ("bounds_hypergeometric", "true"),
    ("lower_bound", "true"),
    ("direct", "consensus"),
    ("lee_liu", "none"),
    ("by_auc", "none"),
    ("uncorrected", "none"),
]
_COVERED = [
    ("bounds_hypergeometric", "true"),
    ("bounds_bootstrap", "true"),
    ("interval_sampling", "true"),
    ("bounds_hypergeometric", "consensus_clean"),
    ("bounds_bootstrap", "consensus_clean"),
    ("interval_sampling", "consensus_clean"),
    ("interval_calibrated", "consensus_clean"),
    ("interval_guaranteed", "consensus_clean"),
]
_CURVE_METRICS = ("roc_auc", "average_precision", "max_f1", "max_mcc")
_ALL_METRICS = (
    "roc_auc",
    "average_precision",
    "accuracy",
    "max_accuracy",
    "balanced_accuracy",
    "max_balanced_accuracy",
    "f1",
    "max_f1",
    "mcc",
    "max_mcc",
)
_MOST = 10  # methods of a metric in the diagrams of ranks: the best, and the uncorrected one


def error_by_labeling(table, errors):
    """A heat map per metric; a metric at a threshold is next to its best value."""
    return _heat_maps(
        table.melt(
            ["metric", "method", "prior"],
            [name for name in table.columns if "=" in name],
            "labeling",
            "value",
        ),
        _ALL_METRICS,
        _ROWS,
        f"mean absolute error, {counted(errors['sets'], 'data sets')}",
        colors="YlOrBr",
        bounds=[0, 0.02, 0.05, 0.1, 0.2, 0.3],
        small_is_best=True,
    )


def regret(table):
    """A heat map per metric of the loss from selecting the model with the best estimate."""
    return _heat_maps(
        table.assign(value=table["regret"]),
        _CURVE_METRICS,
        _SELECTORS,
        f"regret, {counted(table['sets'], 'data sets')}",
        colors="YlOrBr",
        bounds=[0, 0.01, 0.02, 0.05, 0.1, 0.15],
        small_is_best=True,
    )


def coverage(errors, intervals):
    """A heat map per metric of the coverage of 95% bounds and intervals."""
    table = pd.concat([errors, only(intervals, labeling=set(errors["labeling"]))])
    return _heat_maps(
        table.assign(value=table["coverage"]),
        _CURVE_METRICS,
        _COVERED,
        f"coverage, {counted(table['sets'], 'data sets')}",
        colors="RdYlBu",
        bounds=[0, 0.5, 0.7, 0.8, 0.9, 0.95, 1],
        small_is_best=False,
    )


def _heat_maps(
    cells,
    metrics,
    rows,
    label,
    *,
    colors,
    bounds,
    small_is_best,
):
    """Panels of the same methods, labelings and steps of color; a ring marks the smallest of a column, if it is best.

    Rows with the true priors, and those that select by chance, are above the line and have no ring.
    """
    there = set(cells["labeling"])
    cells = cells.assign(row=list(zip(cells["method"], cells["prior"], strict=True)))
    cells = named(
        cells,
        metric={name: METRICS[name].label for name in metrics},
        row={row: row for row in rows},
        labeling={name: name for name in sorted(there, key=place_of)},
    )
    rows = cells["row"].cat.categories
    labelings = cells["labeling"].cat.categories
    kinds = [name.split("=")[0] for name in labelings]
    practical = np.array([prior != "true" and name not in CONTROLS for name, prior in rows])
    beyond = "max" if small_is_best else "neither"
    steps = plt.get_cmap(colors, len(bounds) - (beyond == "neither"))

    lines = -(-cells["metric"].nunique() // 2)
    height = 2.2 + lines * (0.3 + 0.15 * len(rows))
    panels = facets(cells, height, col="metric", col_wrap=2)
    for metric, axis in panels.axes_dict.items():
        values = only(cells, metric=metric).pivot_table(
            index="row",
            columns="labeling",
            values="value",
            observed=False,
            dropna=False,
        )
        norm = BoundaryNorm(bounds, steps.N, extend=beyond)
        heat_map(axis, values, cmap=steps, norm=norm)
        if small_is_best:
            is_best = np.isclose(values, values[practical].min()) & practical[:, None]
            y, x = np.nonzero(is_best)
            axis.scatter(x + 0.5, y + 0.5, s=12, facecolor="white", edgecolor="black")
        axis.hlines(
            _changes(practical),
            0,
            len(labelings),
            color="black",
            linewidth=1,
        )
        axis.vlines(_changes(kinds), 0, len(rows), color="white")
        axis.set(xlabel="", ylabel="")
        axis.tick_params(length=0, labelsize=SMALL)

    panels.set_yticklabels([method_label(*row) for row in rows], rotation=0)
    names = [labeling_label(name) for name in labelings]
    panels.set_xticklabels(names, rotation=60, ha="right", rotation_mode="anchor")
    panels.figure.colorbar(
        axis.collections[0],
        ax=panels.axes,
        label=label,
        ticks=bounds,
        format="{x:g}",
        location="top",
        shrink=0.5,
        aspect=30,
    )
    return panels.figure


def _changes(groups):
    """Places between neighbors that are of different groups."""
    return [place for place in range(1, len(groups)) if groups[place] != groups[place - 1]]


def ranks_error(table):
    """Average ranks by error."""
    return _diagram(table, "absolute_error")


def ranks_regret(table):
    """Average ranks by regret."""
    return _diagram(table, "regret")


def _diagram(ranks, by):
    """Critical-difference diagrams, a panel per metric (Demšar 2006, Figure 1): bars join ranks that do not differ."""
    metrics = {name: METRICS[name].label for name in _CURVE_METRICS}
    table = named(only(ranks, by=by), metric=metrics).sort_values("average_rank", kind="stable")
    height = 0.5 + 2.5 * table["metric"].nunique()
    panels = facets(table, height, col="metric", col_wrap=1, sharex=False, sharey=False)
    for title, axis in panels.axes_dict.items():
        _panel(axis, only(table, metric=title), title)
    return panels.figure


def groups(ranks, distance):
    """Longest runs of sorted average ranks that are less than a critical distance apart.

    Parameters
    ----------
    ranks : sequence of float
        Ascending.
    distance : float

    Returns
    -------
    list of (int, int)
        First and last position of each run of at least two, none inside another.

    Examples
    --------
    >>> groups([1.0, 1.5, 2.4, 5.0], 1.0)
    [(0, 1), (1, 2)]
    """
    runs = []
    for first in range(len(ranks)):
        last = max(i for i in range(first, len(ranks)) if ranks[i] - ranks[first] < distance)
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def _panel(axis, table, title):
    """A row per method from the best rank on, and below them the bars."""
    import seaborn as sns

    facts = table.iloc[0]
    distance = facts["critical_difference"]
    kept = table[(np.arange(len(table)) < _MOST) | (table["method"] == "uncorrected")]
    sns.stripplot(
        x=kept["average_rank"],
        y=[method_label(row.method, row.prior) for row in kept.itertuples()],
        hue=kept["method"],
        palette={name: PALETTE.get(name, PALETTE["line"]) for name in kept["method"]},
        jitter=False,
        legend=False,
        ax=axis,
    )
    ranks = kept["average_rank"].tolist()
    for number, (first, last) in enumerate(groups(ranks, distance)):
        y = len(kept) - 0.3 + 0.55 * number
        axis.hlines(y, ranks[first], ranks[last], color="black", linewidth=2.5)

    about = f"{len(table)} methods, {facts['sets']} data sets"
    differ = f"critical difference {distance:.1f}, p = {facts['friedman_p']:.1g}"
    axis.set_title(f"{title} ({about}, {differ})", fontsize=9)
    axis.set(
        xlabel="average rank (1 is best)",
        ylabel="",
        ylim=(len(kept) + 1.5, -0.5),
    )
    axis.tick_params(axis="y", length=0, labelsize=SMALL)
    axis.grid(visible=True, axis="y")
