"""Critical-difference diagrams: average ranks on a line, with a bar over those that do not differ significantly."""

import matplotlib.pyplot as plt

from pumetrics.metrics import METRICS
from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import SMALL, method_label

__all__ = ["critical_difference_diagram", "groups"]

_SHOWN = ("roc_auc", "average_precision", "max_f1", "max_mcc")
_MOST = 10  # methods shown of each metric: the best, and the uncorrected one


def critical_difference_diagram(ranks, by):
    """Draw a panel per metric.

    Parameters
    ----------
    ranks : pandas.DataFrame
        The table ``ranks``.
    by : {"absolute_error", "regret"}
        What was ranked.

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", Figure 1.
    """
    table = ranks[ranks["by"] == by]
    metrics = [name for name in _SHOWN if name in set(table["metric"])]
    figure, axes = plt.subplots(len(metrics) or 1, 1, figsize=(7.4, 0.5 + 2.5 * len(metrics)), squeeze=False)
    for axis, metric in zip(axes[:, 0], metrics, strict=False):
        of_metric = table[table["metric"] == metric].sort_values("average_rank", kind="stable")
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
