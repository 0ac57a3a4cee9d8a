"""The figures of the head-to-head."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm

from pumetrics.methods import METHODS
from pumetrics.metrics import METRICS
from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import SMALL, counted, grid, labeling_label, method_label
from pumetrics_workflow.studies.head_to_head.means import place_of
from pumetrics_workflow.studies.queries import only

__all__ = ["coverage", "error_by_labeling", "ranks_error", "ranks_regret", "regret"]

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
_CURVE_METRICS = ("roc_auc", "average_precision", "max_f1", "max_mcc")
_MOST = (
    10  # methods shown of each metric in the diagrams of ranks: the best, and the uncorrected one
)
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


def error_by_labeling(table, errors):
    """A heat map per metric; a metric next to its best value."""
    found = set(table["metric"])
    alone = [name for name in METRICS if name in found and not {name[4:], f"max_{name}"} & found]
    pairs = [(name, f"max_{name}") for name in METRICS if {name, f"max_{name}"} <= found]
    metrics = [*alone, *[None] * (len(alone) % 2), *(name for pair in pairs for name in pair)]
    sets = counted(errors["sets"], "data sets")
    steps = {"colors": "YlOrBr", "bounds": [0, 0.02, 0.05, 0.1, 0.2, 0.3], "extend": "max"}
    columns = [name for name in table.columns if "=" in name]
    values = table.set_index(["metric", "method", "prior"])[columns].astype(float)
    return _heat_maps(values, metrics, _ROWS, f"mean absolute error, {sets}", best=True, **steps)


def regret(table):
    """A heat map per metric of the loss from selecting the model with the best estimate."""
    values = table.pivot(index=["metric", "method", "prior"], columns="labeling", values="regret")
    sets = counted(table["sets"], "data sets")
    steps = {"colors": "YlOrBr", "bounds": [0, 0.01, 0.02, 0.05, 0.1, 0.15], "extend": "max"}
    return _heat_maps(values, _CURVE_METRICS, _SELECTORS, f"regret, {sets}", best=True, **steps)


def coverage(errors, intervals):
    """A heat map per metric of the coverage of 95% bounds and intervals."""
    table = pd.concat([errors, intervals])
    table = table[table["labeling"].isin(errors["labeling"].unique())]
    values = table.pivot_table(
        index=["metric", "method", "prior"], columns="labeling", values="coverage"
    )
    steps = {"colors": "RdYlBu", "bounds": [0, 0.5, 0.7, 0.8, 0.9, 0.95, 1]}
    return _heat_maps(
        values,
        _CURVE_METRICS,
        _COVERED,
        f"coverage, {counted(table['sets'], 'data sets')}",
        **steps,
    )


def _heat_maps(values, metrics, rows, label, *, colors, bounds, extend="neither", best=False):
    """Panels of the same answers, labelings and steps of color; with `best`, a ring marks the smallest of a column.

    Rows with the true priors, and those that select by chance, are above the line and have no ring.
    """
    metrics = [
        name for name in metrics if name is None or name in values.index.get_level_values("metric")
    ]
    rows = [row for row in rows if row in set(values.index.droplevel("metric"))]
    practical = [not (prior == "true" or METHODS[method].control) for method, prior in rows]
    labelings = sorted(values.columns, key=place_of)
    lines = -(-len(metrics) // 2)
    figure, axes = grid(lines, 2, 2.2 + lines * (0.3 + 0.15 * len(rows)), sharex=True, sharey=True)
    steps = plt.get_cmap(colors, len(bounds) - (extend == "neither"))
    norm = BoundaryNorm(bounds, steps.N, extend=extend)
    for axis, metric in zip(axes.flat, metrics, strict=False):
        if metric is None:
            axis.set_axis_off()
            continue
        cells = values.loc[metric].reindex(rows)[labelings].astype(float)
        image = axis.imshow(cells, cmap=steps, norm=norm, aspect="auto")
        if best:
            known = cells[practical].min()
            y, x = np.nonzero(np.isclose(cells, known) & np.array(practical)[:, None])
            axis.scatter(x, y, s=12, facecolor="white", edgecolor="black", linewidth=0.8)
        axis.hlines(_changes(practical), -0.5, len(labelings) - 0.5, color="black", linewidth=1)
        axis.vlines(
            _changes([name.split("=")[0] for name in labelings]),
            -0.5,
            len(rows) - 0.5,
            color="white",
        )
        axis.set_title(METRICS[metric].label, fontsize=9)
        axis.grid(False)
        axis.tick_params(length=0)
    for axis in axes[:, 0]:
        axis.set_yticks(range(len(rows)), [method_label(*row) for row in rows], fontsize=SMALL)
    for axis in axes[-1]:
        names = [labeling_label(name) for name in labelings]
        axis.set_xticks(
            range(len(labelings)),
            names,
            rotation=60,
            ha="right",
            rotation_mode="anchor",
            fontsize=SMALL,
        )
    bar = figure.colorbar(
        image, ax=axes, location="top", label=label, shrink=0.5, aspect=30, ticks=bounds
    )
    bar.ax.set_xticklabels([f"{bound:g}" for bound in bounds], fontsize=SMALL)
    return figure


def _changes(groups):
    """Places between neighbors that are of different groups."""
    return [place - 0.5 for place in range(1, len(groups)) if groups[place] != groups[place - 1]]


def ranks_error(table):
    """Average ranks by error."""
    return _diagram(table, "absolute_error")


def ranks_regret(table):
    """Average ranks by regret."""
    return _diagram(table, "regret")


def _diagram(ranks, by):
    """Critical-difference diagrams, a panel per metric (Demšar 2006, Figure 1): bars join ranks that do not differ."""
    table = only(ranks, by=by)
    metrics = [name for name in _CURVE_METRICS if name in set(table["metric"])]
    figure, axes = grid(len(metrics) or 1, 1, 0.5 + 2.5 * len(metrics))
    for axis, metric in zip(axes[:, 0], metrics, strict=False):
        of_metric = only(table, metric=metric).sort_values("average_rank", kind="stable")
        _panel(axis, of_metric, METRICS[metric].label)
    return figure


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
    total, distance = len(table), float(table["critical_difference"].iloc[0])
    kept = table[
        (table["average_rank"].rank(method="first") <= _MOST) | (table["method"] == "uncorrected")
    ]
    ranks, height = kept["average_rank"].tolist(), len(kept)
    left, right = ranks[0] - 0.5, max(ranks[-1], ranks[0] + distance) + 0.5
    for place, row in enumerate(kept.itertuples()):
        axis.plot(
            [row.average_rank, right], [place, place], color="#cccccc", linewidth=0.7, zorder=1
        )
        axis.plot(
            row.average_rank,
            place,
            "o",
            color=COLORS.get(row.method, "#444444"),
            markersize=5,
            zorder=3,
        )
        name = method_label(row.method, row.prior)
        axis.annotate(
            name,
            (right, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
        )
    for number, (first, last) in enumerate(groups(ranks, distance)):
        y = height - 0.3 + 0.55 * number
        axis.plot(
            [ranks[first], ranks[last]],
            [y, y],
            color="#222222",
            linewidth=2.5,
            solid_capstyle="butt",
        )
    sets, p_value = int(table["sets"].iloc[0]), table["friedman_p"].iloc[0]
    p_text = "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
    facts = f"{total} methods, {sets} data sets, critical difference {distance:.1f}, {p_text}"
    axis.set_title(f"{title} ({facts})", fontsize=9, loc="left")
    axis.set(xlim=(left, right), yticks=[], xlabel="average rank (1 is best)")
    axis.invert_yaxis()
    axis.grid(False)
    axis.spines["left"].set_visible(False)
