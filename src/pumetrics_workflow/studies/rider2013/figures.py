"""The figures of Rider et al. (2013)."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.plotting import COLORS
from pumetrics_workflow.stages.evaluate_folds import DEFINITIONS
from pumetrics_workflow.studies.drawing import shared_legend
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


def table2(cells, published):
    """Both tables as printed and as reproduced."""
    cells = cells[cells["svm"] == next(iter(SVM_READINGS))]
    sides = {
        "printed": printed_cells(published).rename(columns={"p_printed": "p", "printed": "verdict"}),
        "reproduced": cells.rename(columns={"p_over": "p"}),
    }
    names = {"2a": "Table 2a: AUROC", "2b": "Table 2b: AUPR"}
    figure, axes = plt.subplots(2, 2, figsize=(7.4, 7.2), sharey=True)
    for row, (table, title) in zip(axes, names.items(), strict=True):
        for axis, (side, verdicts) in zip(row, sides.items(), strict=True):
            image = _grid(axis, verdicts[verdicts["table"] == table])
            axis.set_title(f"{title}, {side}")
    for axis in axes[1]:
        axis.set_xlabel("share of positives flipped (%)")
    bar = figure.colorbar(image, ax=axes, shrink=0.6, ticks=[-3, -2.33, 0, 2.33, 3])
    bar.ax.set_yticklabels(["0.999", "0.99", "0.5", "0.01", "0.001"])
    bar.set_label("p-value that the rank by bias class area is too high")
    return figure


def p_values(compared_cells):
    """The 270 cells from 10% on: printed against reproduced p-values."""
    figure, axes = plt.subplots(1, 2, figsize=(6.8, 4.3), sharey=True)
    for axis, (table, part) in zip(axes, compared_cells.groupby("table"), strict=True):
        for classifier, rows in part.groupby("classifier"):
            style = {"color": _SHADES[classifier], "marker": _MARKERS[classifier], "linestyle": "none"}
            axis.plot(rows["p_printed"], rows["p_over"], markersize=3.5, label=CLASSIFIERS[classifier], **style)
        axis.axline((0, 0), slope=1, color="#444444", linestyle="--", linewidth=0.8)
        axis.set(title=f"Table {table}", xlabel="p-value, printed", aspect="equal")
    axes[0].set_ylabel("p-value, reproduced")
    shared_legend(figure, ncols=5)
    return figure


def aupr_definitions(definitions, cells, published):
    """Cells of Table 2b by each definition of AUPR: printed against reproduced p-values, as normal quantiles."""
    from scipy.special import ndtri

    model, reading = next(iter(SVM_READINGS.items()))
    cells = cells[cells["svm"] == model].assign(table="2b")
    part = definitions[(definitions["printed_table"] == "2b") & (definitions["svm"] == reading)]
    correlations = part.set_index("definition")["rank_correlation"]
    figure, axes = plt.subplots(2, 3, figsize=(7.4, 5.8), sharex=True, sharey=True)
    for axis, (definition, label) in zip(axes.flat, DEFINITIONS.items(), strict=True):
        both = compared_cells(cells[cells["definition"] == definition], published)
        for classifier, rows in both.groupby("classifier"):
            # Without a changed rank p is 1 on both sides, and the cell leans to none.
            none = {name: (rows[name] > 0.9995) & (rows[side] == 0) for name, side in _SIDES.items()}
            place = [-ndtri(rows[name].mask(none[name], 0.5).clip(5e-4, 1 - 5e-4)) for name in _SIDES]
            style = {"color": _SHADES[classifier], "marker": _MARKERS[classifier], "linestyle": "none"}
            axis.plot(*place, markersize=3, alpha=0.8, label=CLASSIFIERS[classifier], **style)
        axis.axline((0, 0), slope=1, color="#444444", linestyle="--", linewidth=0.8)
        for draw in (axis.axhline, axis.axvline):
            for level in (-2.326, 2.326):
                draw(level, color="#999999", linewidth=0.6, zorder=0)
        axis.set(xlim=(-3.6, 3.6), ylim=(-3.6, 3.6), aspect="equal")
        axis.set_title(f"{label}\nrank correlation {correlations[f'AUPR, {label}']:.2f}", fontsize=9)
        axis.set(xticks=[-2.326, 0, 2.326], xticklabels=["0.99", "0.5", "0.01"])
        axis.set(yticks=[-2.326, 0, 2.326], yticklabels=["0.99", "0.5", "0.01"])
        axis.grid(visible=False)
    axes[1, 1].set_xlabel("p-value, printed in Table 2b")
    for axis in axes[:, 0]:
        axis.set_ylabel("p-value, reproduced")
    shared_legend(figure, ncols=5)
    return figure


def _grid(axis, verdicts):
    """Cells as colors, mechanisms and classifiers from top to bottom."""
    from scipy.special import ndtri

    lines = [(mechanism, classifier) for mechanism in MECHANISMS for classifier in CLASSIFIERS]
    levels = sorted(verdicts["fraction"].unique())
    values = verdicts.pivot(index=["mechanism", "classifier"], columns="fraction", values=["p", "verdict"]).reindex(
        lines
    )
    # A cell without any changed rank says p = 1 on both sides: nothing leans.
    p_values = values["p"].where(values["p"] < 0.99999, np.where(values["verdict"] == -1, 1, 0.5)).clip(5e-5, 1 - 5e-5)
    image = axis.imshow(-ndtri(p_values), cmap="PuOr", vmin=-3.5, vmax=3.5, aspect="auto")
    for y, x in zip(*np.nonzero(values["verdict"].abs().to_numpy() == 1), strict=True):
        axis.plot(x, y, "o", markersize=3.5, color="black")
    for border in (4.5, 9.5):
        axis.axhline(border, color="black", linewidth=0.8)
    axis.grid(False)
    axis.set_xticks(range(len(levels)), [f"{100 * level:.0f}" for level in levels])
    axis.set_yticks(range(len(lines)), [f"{MECHANISMS[line[0]]}  {CLASSIFIERS[line[1]]}" for line in lines])
    return image


def _sizes(sizes, kind, label):
    part = sizes[(sizes["kind"] == kind) & sizes["model"].isin(CLASSIFIERS)]
    figure, axes = plt.subplots(len(METRICS), len(MECHANISMS), figsize=(7.4, 5.2), sharex=True, sharey="row")
    for row, (metric, area) in zip(axes, METRICS.items(), strict=True):
        for axis, (mechanism, title) in zip(row, MECHANISMS.items(), strict=True):
            axis.axhline(0, color="#444444", linewidth=1, zorder=1)
            for place, (model, name) in enumerate(CLASSIFIERS.items()):
                chosen = (part["metric"] == metric) & (part["mechanism"] == mechanism) & (part["model"] == model)
                line = part[chosen].sort_values("fraction")
                x = 100 * line["fraction"] + 0.9 * (place - 2)
                spread = [line["mean"] - line["lower"], line["upper"] - line["mean"]]
                axis.errorbar(
                    x, line["mean"], yerr=spread, label=name, color=_SHADES[model], marker=_MARKERS[model],
                    markersize=3.5, linewidth=1.1, elinewidth=0.7,
                )  # fmt: skip
            axis.set_title(f"{area}, {title}")
        row[0].set_ylabel(label)
    for axis in axes[-1]:
        axis.set_xlabel("share of positives flipped (%)")
    shared_legend(figure, ncols=5)
    return figure


def bias_size(sizes):
    """Bias class minus true class area."""
    return _sizes(sizes, "uncorrected", "bias class $-$ true class")


def corrections(sizes):
    """Recovered minus true class area."""
    return _sizes(sizes, "corrected", "recovered $-$ true class")


def figure1a(study):
    """Areas of the case study by the share of positives known."""
    mechanisms = [name for name in MECHANISMS if name in set(study["mechanism"])]
    figure, axes = plt.subplots(1, len(mechanisms), figsize=(3.6 * len(mechanisms), 3.7), sharey=True, squeeze=False)
    for axis, mechanism in zip(axes[0], mechanisms, strict=True):
        for metric, line in (("roc_auc", "-"), ("average_precision", "--")):
            chosen = (study["mechanism"] == mechanism) & (study["metric"] == metric)
            means = study[chosen].sort_values("known")
            for kind, (name, color, marker) in _CASE.items():
                axis.plot(
                    100 * means["known"], means[kind], line, color=color, marker=marker, markersize=4,
                    label=f"{METRICS[metric]}, {name}",
                )  # fmt: skip
        axis.set(title=MECHANISMS[mechanism], xlabel="share of positives known (%)", ylim=(0, 1))
    axes[0, 0].set_ylabel("area")
    higher, dataset = (study["bias"] > study["true"]).sum(), study["dataset"].iloc[0].replace("_", " ")
    facts = f"in the paper all, on the stand-in ({dataset}) {higher} of {len(study)}"
    figure.suptitle(f"Bias class areas above the true class area: {facts}", fontsize=9)
    shared_legend(figure, ncols=2)
    return figure


def figure1b(histogram):
    """Counts in ranges of the probability, on a logarithmic axis: most examples are near 0, and very few above 0.5."""
    mechanisms = [name for name in MECHANISMS if name in set(histogram["mechanism"])]
    ranges = [f"{low:g} to {high:g}" for low, high in pairwise(_EDGES)]
    # Bins begin at multiples of a fiftieth, which are not exact.
    place = np.searchsorted(_EDGES, histogram["probability"] + 1e-9, side="right") - 1
    counts = histogram.groupby(["mechanism", "group", place])["count"].sum()
    shape = {"figsize": (3.6 * len(mechanisms), 3.6), "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(1, len(mechanisms), **shape)
    for axis, mechanism in zip(axes[0], mechanisms, strict=True):
        for group, (color, shift) in _GROUPS.items():
            part = counts[mechanism].get(group, counts.iloc[:0])
            axis.bar(part.index + shift, part, width=0.4, color=color, label=group.replace("_", " "), linewidth=0)
        axis.set(title=MECHANISMS[mechanism], xlabel="predicted probability", yscale="log")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.set_xticks(range(len(ranges)), ranges, rotation=45, ha="right", rotation_mode="anchor")
    axes[0, 0].set(ylabel="examples", ylim=(0.5, None))
    shared_legend(figure, ncols=4)
    return figure
