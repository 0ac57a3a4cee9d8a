"""The figures of Rider et al. (2013)."""

from itertools import pairwise

import numpy as np

from pumetrics.plotting import COLORS
from pumetrics_workflow.stages.evaluate_folds import DEFINITIONS
from pumetrics_workflow.studies.drawing import grid, shared_legend
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.rider2013 import CLASSIFIERS, MECHANISMS, METRICS, SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import compared_cells, printed_cells

__all__ = ["aupr_definitions", "bias_size", "corrections", "figure1a", "figure1b", "p_values", "table2"]

_SHADES = dict(zip(CLASSIFIERS, ["#D55E00", "#CC79A7", "#0072B2", "#009E73", "#E69F00"], strict=True))
_MARKERS = dict(zip(CLASSIFIERS, "osD^v", strict=True))
_CASE = {"bias": ("bias class", COLORS["PU"], "o"), "true": ("true class", COLORS["true"], "s")}
# Color, and place in a range: examples whose true class is negative are on the left.
_GROUPS = {
    "true_negatives": ("#bbbbbb", -0.2),
    "false_negatives": ("#D55E00", 0.2),
    "false_positives": ("#56B4E9", -0.2),
    "true_positives": ("#0072B2", 0.2),
}
_SIDES = {"p_printed": "printed", "p_over": "verdict"}
_EDGES = [0, 0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 0.9, 1]
_FLIPPED = "share of positives flipped (%)"


def table2(cells, published):
    """Both tables as printed and as reproduced."""
    sides = {
        "printed": printed_cells(published).rename(columns={"p_printed": "p", "printed": "verdict"}),
        "reproduced": only(cells, svm=next(iter(SVM_READINGS))).rename(columns={"p_over": "p"}),
    }
    names = {"2a": "Table 2a: AUROC", "2b": "Table 2b: AUPR"}
    titles = [f"{title}, {side}" for title in names.values() for side in sides]
    figure, axes = grid(2, 2, (7.4, 7.2), x=_FLIPPED, titles=titles, sharey=True)
    for row, table in zip(axes, names, strict=True):
        for axis, verdicts in zip(row, sides.values(), strict=True):
            image = _cells(axis, only(verdicts, table=table))
    bar = figure.colorbar(image, ax=axes, shrink=0.6, ticks=[-3, -2.33, 0, 2.33, 3])
    bar.ax.set_yticklabels(["0.999", "0.99", "0.5", "0.01", "0.001"])
    bar.set_label("p-value that the rank by bias class area is too high")
    return figure


def _cells(axis, verdicts):
    """Cells as colors, mechanisms and classifiers from top to bottom."""
    from scipy.special import ndtri

    lines = {
        (name, each): f"{title}  {label}" for name, title in MECHANISMS.items() for each, label in CLASSIFIERS.items()
    }
    levels = sorted(verdicts["fraction"].unique())
    values = verdicts.pivot(index=["mechanism", "classifier"], columns="fraction", values=["p", "verdict"])
    values = values.reindex(list(lines))
    # A cell without any changed rank says p = 1 on both sides: nothing leans.
    p_values = values["p"].where(values["p"] < 0.99999, np.where(values["verdict"] == -1, 1, 0.5)).clip(5e-5, 1 - 5e-5)
    image = axis.imshow(-ndtri(p_values), cmap="PuOr", vmin=-3.5, vmax=3.5, aspect="auto")
    for y, x in zip(*np.nonzero(values["verdict"].abs().to_numpy() == 1), strict=True):
        axis.plot(x, y, "o", markersize=3.5, color="black")
    for border in (4.5, 9.5):
        axis.axhline(border, color="black", linewidth=0.8)
    axis.grid(False)
    axis.set_xticks(range(len(levels)), [f"{100 * level:.0f}" for level in levels])
    axis.set_yticks(range(len(lines)), lines.values())
    return image


def p_values(compared_cells):
    """The 270 cells from 10% on: printed against reproduced p-values."""
    labels = {"x": "p-value, printed", "y": "p-value, reproduced"}
    figure, axes = grid(1, 2, (6.8, 4.3), sharey=True, **labels)
    for axis, (table, part) in zip(axes[0], compared_cells.groupby("table"), strict=True):
        _scatter(axis, part, lambda rows: (rows["p_printed"], rows["p_over"]), markersize=3.5)
        axis.set(title=f"Table {table}", aspect="equal")
    return shared_legend(figure, ncols=5)


def _scatter(axis, cells, place, **options):
    """Cells of each classifier, and the line of equal places."""
    for classifier, rows in cells.groupby("classifier"):
        style = {"color": _SHADES[classifier], "marker": _MARKERS[classifier], "linestyle": "none"}
        axis.plot(*place(rows), label=CLASSIFIERS[classifier], **style, **options)
    axis.axline((0, 0), slope=1, color="#444444", linestyle="--", linewidth=0.8)


def aupr_definitions(definitions, cells, published):
    """Cells of Table 2b by each definition of AUPR: printed against reproduced p-values, as normal quantiles."""
    model, reading = next(iter(SVM_READINGS.items()))
    cells = only(cells, svm=model).assign(table="2b")
    known = only(definitions, printed_table="2b", svm=reading).set_index("definition")["rank_correlation"]
    titles = [f"{label}\nrank correlation {known[f'AUPR, {label}']:.2f}" for label in DEFINITIONS.values()]
    labels = {"x": ["", "p-value, printed in Table 2b", ""], "y": "p-value, reproduced", "titles": titles}
    figure, axes = grid(2, 3, (7.4, 5.8), sharex=True, sharey=True, **labels)
    for axis, definition in zip(axes.flat, DEFINITIONS, strict=True):
        both = compared_cells(only(cells, definition=definition), published)
        _scatter(axis, both, _quantiles, markersize=3, alpha=0.8)
        for draw in (axis.axhline, axis.axvline):
            for level in (-2.326, 2.326):
                draw(level, color="#999999", linewidth=0.6, zorder=0)
        ticks = {"ticks": [-2.326, 0, 2.326], "ticklabels": ["0.99", "0.5", "0.01"], "lim": (-3.6, 3.6)}
        axis.set(aspect="equal", **{f"{side}{name}": value for side in "xy" for name, value in ticks.items()})
        axis.title.set_fontsize(9)
        axis.grid(visible=False)
    return shared_legend(figure, ncols=5)


def _quantiles(rows):
    """Normal quantiles of both p-values; without a changed rank p is 1 on both sides, and the cell leans to none."""
    from scipy.special import ndtri

    none = {name: (rows[name] > 0.9995) & (rows[side] == 0) for name, side in _SIDES.items()}
    return [-ndtri(rows[name].mask(none[name], 0.5).clip(5e-4, 1 - 5e-4)) for name in _SIDES]


def _sizes(sizes, kind, label):
    titles = [f"{area}, {mechanism}" for area in METRICS.values() for mechanism in MECHANISMS.values()]
    labels = {"x": _FLIPPED, "y": label, "titles": titles}
    figure, axes = grid(len(METRICS), len(MECHANISMS), (7.4, 5.2), sharex=True, sharey="row", **labels)
    for row, metric in zip(axes, METRICS, strict=True):
        for axis, mechanism in zip(row, MECHANISMS, strict=True):
            axis.axhline(0, color="#444444", linewidth=1, zorder=1)
            for place, (model, name) in enumerate(CLASSIFIERS.items()):
                line = only(sizes, kind=kind, metric=metric, mechanism=mechanism, model=model).sort_values("fraction")
                spread = [line["mean"] - line["lower"], line["upper"] - line["mean"]]
                style = {"color": _SHADES[model], "marker": _MARKERS[model], "markersize": 3.5, "label": name}
                x = 100 * line["fraction"] + 0.9 * (place - 2)
                axis.errorbar(x, line["mean"], yerr=spread, linewidth=1.1, elinewidth=0.7, **style)
    return shared_legend(figure, ncols=5)


def bias_size(sizes):
    """Bias class minus true class area."""
    return _sizes(sizes, "uncorrected", "bias class $-$ true class")


def corrections(sizes):
    """Recovered minus true class area."""
    return _sizes(sizes, "corrected", "recovered $-$ true class")


def _by_mechanism(table, height, **labels):
    """A panel for each mechanism of the case study, by name."""
    shown = {name: title for name, title in MECHANISMS.items() if name in set(table["mechanism"])}
    size = 3.6 * len(shown), height
    figure, axes = grid(1, len(shown), size, titles=list(shown.values()), sharey=True, **labels)
    return figure, dict(zip(shown, axes[0], strict=True))


def figure1a(study):
    """Areas of the case study by the share of positives known."""
    figure, axes = _by_mechanism(study, 3.7, x="share of positives known (%)", y="area")
    for mechanism, axis in axes.items():
        for metric, line in (("roc_auc", "-"), ("average_precision", "--")):
            means = only(study, mechanism=mechanism, metric=metric).sort_values("known")
            for kind, (name, color, marker) in _CASE.items():
                style = {"color": color, "marker": marker, "markersize": 4, "label": f"{METRICS[metric]}, {name}"}
                axis.plot(100 * means["known"], means[kind], line, **style)
        axis.set_ylim(0, 1)
    higher, dataset = (study["bias"] > study["true"]).sum(), study["dataset"].iloc[0].replace("_", " ")
    facts = f"in the paper all, on the stand-in ({dataset}) {higher} of {len(study)}"
    figure.suptitle(f"Bias class areas above the true class area: {facts}", fontsize=9)
    return shared_legend(figure, ncols=2)


def figure1b(histogram):
    """Counts in ranges of the probability, on a logarithmic axis: most examples are near 0, and very few above 0.5."""
    ranges = [f"{low:g} to {high:g}" for low, high in pairwise(_EDGES)]
    # Bins begin at multiples of a fiftieth, which are not exact.
    place = np.searchsorted(_EDGES, histogram["probability"] + 1e-9, side="right") - 1
    counts = histogram.groupby(["mechanism", "group", place])["count"].sum()
    figure, axes = _by_mechanism(histogram, 3.6, x="predicted probability", y="examples")
    for mechanism, axis in axes.items():
        for group, (color, shift) in _GROUPS.items():
            part = counts[mechanism].get(group, counts.iloc[:0])
            axis.bar(part.index + shift, part, width=0.4, color=color, label=group.replace("_", " "), linewidth=0)
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.set_xticks(range(len(ranges)), ranges, rotation=45, ha="right", rotation_mode="anchor")
    axis.set_ylim(0.5, None)
    return shared_legend(figure, ncols=4)
