"""The figures of the head-to-head."""

import numpy as np
import pandas as pd

from pumetrics.labeling import parameters_of
from pumetrics.methods import METHODS
from pumetrics.metrics import METRICS
from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import SMALL, dots, grid, ink, key, labeling_label, method_label, shared_legend
from pumetrics_workflow.studies.head_to_head.means import place_of
from pumetrics_workflow.studies.queries import only

__all__ = ["coverage", "error_by_labeling", "ranks_error", "ranks_regret", "regret"]

_CURVES = [
    ("uncorrected", "none"), ("direct", "true"), ("indirect", "true"), ("direct", "consensus"),
    ("bounds_hypergeometric", "true"), ("lower_bound", "true"), ("lee_liu", "none"), ("by_auc", "none"),
    ("first_model", "none"), ("random", "none"),
]  # fmt: skip
# Those that answer every metric; for areas indirect recovery differs from direct recovery by a hundredth.
_ROWS = [
    ("direct", "true"), ("bounds_hypergeometric", "true"), ("direct", "consensus_clean"),
    ("bounds_hypergeometric", "consensus_clean"), ("direct", "consensus"), ("direct", "elkan_noto_e3"),
    ("direct", "alphamax"), ("uncorrected", "none"),
]  # fmt: skip
_CURVE_METRICS = ("roc_auc", "average_precision", "max_f1", "max_mcc")
_MOST = 10  # methods shown of each metric in the diagrams of ranks: the best, and the uncorrected one
_FAMILIES = {
    "beta": "wrong labels",
    "bcar": "hidden at random",
    "bar": "hidden by a feature",
    "bnar": "hidden by a\nremoved feature",
}
# Blue: alpha known; red: its error left out; green: its error is part of the interval. Squares: intervals.
_COVERED = {
    ("bounds_hypergeometric", "true"): ("#0b5394", "o"),
    ("bounds_bootstrap", "true"): ("#6fa8dc", "o"),
    ("interval_sampling", "true"): ("#0b5394", "s"),
    ("bounds_hypergeometric", "consensus_clean"): ("#990000", "o"),
    ("bounds_bootstrap", "consensus_clean"): ("#e06666", "o"),
    ("interval_sampling", "consensus_clean"): ("#990000", "s"),
    ("interval_calibrated", "consensus_clean"): ("#38761d", "s"),
    ("interval_guaranteed", "consensus_clean"): ("#93c47d", "s"),
}


def error_by_labeling(table):
    """A heat map per metric, all with the same methods, labelings and colors; a metric next to its best value."""
    found = set(table["metric"])
    alone = [name for name in METRICS if name in found and not {name[4:], f"max_{name}"} & found]
    pairs = [(name, f"max_{name}") for name in METRICS if {name, f"max_{name}"} <= found]
    metrics = [*alone, *[None] * (len(alone) % 2), *(name for pair in pairs for name in pair)]
    labelings = sorted((name for name in table.columns if "=" in name), key=place_of)
    known = set(zip(table["method"], table["prior"], strict=True))
    rows = [row for row in _ROWS if row in known]
    values = table.set_index(["metric", "method", "prior"])[labelings].astype(float)
    lines = len(metrics) // 2
    figure, axes = grid(lines, 2, (7.4, 1.6 + lines * (0.25 + 0.18 * len(rows))), sharex=True, sharey=True)
    top = max(0.05, float(np.nanquantile(values, 0.95)))
    for axis, metric in zip(axes.flat, metrics, strict=True):
        if metric is None:
            axis.set_axis_off()
            continue
        _heat_map(axis, values.loc[metric].reindex(rows).to_numpy(), top)
        axis.set_title(METRICS[metric].label, fontsize=9)
    figure.suptitle("Mean absolute error in hundredths; darker cells have larger errors", fontsize=9)
    for axis in axes[:, 0]:
        axis.set_yticks(range(len(rows)), [method_label(*row) for row in rows], fontsize=SMALL)
    for axis in axes[-1]:
        names = [labeling_label(name) for name in labelings]
        axis.set_xticks(range(len(labelings)), names, rotation=60, ha="right", rotation_mode="anchor", fontsize=SMALL)
    return figure


def _heat_map(axis, values, top):
    image = axis.imshow(values, cmap="cividis_r", vmin=0, vmax=top, aspect="auto")
    for y, x in np.argwhere(np.isfinite(values)):
        color = ink(image.cmap(image.norm(values[y, x])))
        axis.text(x, y, f"{100 * values[y, x]:.0f}", ha="center", va="center", fontsize=SMALL, color=color)
    axis.grid(False)
    axis.tick_params(length=0)


def regret(table):
    """Regret of selecting the model with the best estimate, as labels get worse."""
    table = table.assign(kind=[name.split("=")[0] for name in table["labeling"]])
    table["strength"] = [next(iter(parameters_of(name).values())) for name in table["labeling"]]
    families = [name for name in _FAMILIES if name in set(table["kind"])]
    metrics = [name for name in _CURVE_METRICS if name in set(table["metric"])]
    labels = {
        "x": ["wrong labels (%)" if family == "beta" else "hidden positives (%)" for family in families],
        "y": [f"regret, {METRICS[metric].label}" for metric in metrics],
    }
    size = 7.4, 1.3 + 1.55 * len(metrics)
    figure, axes = grid(len(metrics), len(families), size, sharex="col", sharey="row", **labels)
    for row, metric in zip(axes, metrics, strict=True):
        for axis, family in zip(row, families, strict=True):
            _regret_panel(axis, only(table, metric=metric, kind=family), family)
        row[0].set_ylim(0, None)
    for axis, family in zip(axes[0], families, strict=True):
        axis.set_title(_FAMILIES[family], fontsize=9)
    return shared_legend(figure)


def _regret_panel(axis, part, family):
    for place, (method, prior) in enumerate(_CURVES):
        line = only(part, method=method, prior=prior).sort_values("strength")
        if len(line):
            x = (100 * (1 - line["strength"] if family == "beta" else line["strength"])).round(6)
            style = "--" if METHODS[method].control else "-"
            axis.plot(
                x, line["regret"], style, marker="osDv^Pph*X"[place], markersize=3.5, linewidth=1.1,
                color=COLORS[f"{method}, {prior}" if prior == "consensus" else method],
                label=method_label(method, prior),
            )  # fmt: skip
            axis.set_xticks(x)


def coverage(errors, intervals):
    """Coverage of 95% bounds and intervals: a row of dots for each labeling."""
    metrics = [name for name in _CURVE_METRICS if name in set(errors["metric"])]
    rows = {name: labeling_label(name) for name in sorted(errors["labeling"].unique(), key=place_of)}
    table = pd.concat([errors, intervals])
    table["answer"] = [method_label(*answer) for answer in zip(table["method"], table["prior"], strict=True)]
    styles = {method_label(*answer): style for answer, style in _COVERED.items()}
    figure, axes = grid(2, 2, (7.4, 1.5 + 0.6 * len(rows)), x="coverage", sharex=True, sharey=True)
    for axis, metric in zip(axes.flat, metrics, strict=False):
        axis.axvline(0.95, color="#444444", linewidth=1)
        part = only(table, metric=metric)
        dots(axis, part, x="coverage", y="labeling", rows=rows, hue="answer", styles=styles, markersize=3.2)
        axis.set(title=METRICS[metric].label, xlim=(-0.03, 1.03))
    shown = {label: key(color, marker=marker) for label, (color, marker) in styles.items()}
    return shared_legend(figure, shown, ncols=2)


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
    figure, axes = grid(len(metrics) or 1, 1, (7.4, 0.5 + 2.5 * len(metrics)))
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
    kept = table[(table["average_rank"].rank(method="first") <= _MOST) | (table["method"] == "uncorrected")]
    ranks, height = kept["average_rank"].tolist(), len(kept)
    left, right = ranks[0] - 0.5, max(ranks[-1], ranks[0] + distance) + 0.5
    for place, row in enumerate(kept.itertuples()):
        axis.plot([row.average_rank, right], [place, place], color="#cccccc", linewidth=0.7, zorder=1)
        axis.plot(row.average_rank, place, "o", color=COLORS.get(row.method, "#444444"), markersize=5, zorder=3)
        name = method_label(row.method, row.prior)
        axis.annotate(name, (right, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=SMALL)
    for number, (first, last) in enumerate(groups(ranks, distance)):
        y = height - 0.3 + 0.55 * number
        axis.plot([ranks[first], ranks[last]], [y, y], color="#222222", linewidth=2.5, solid_capstyle="butt")
    sets, p_value = int(table["sets"].iloc[0]), table["friedman_p"].iloc[0]
    p_text = "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
    facts = f"{total} methods, {sets} data sets, critical difference {distance:.1f}, {p_text}"
    axis.set_title(f"{title} ({facts})", fontsize=9, loc="left")
    axis.set(xlim=(left, right), yticks=[], xlabel="average rank (1 is best)")
    axis.invert_yaxis()
    axis.grid(False)
    axis.spines["left"].set_visible(False)
