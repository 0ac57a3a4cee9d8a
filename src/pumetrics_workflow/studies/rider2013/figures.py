"""The figures of Rider et al. (2013)."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pumetrics_workflow.stages.evaluate_folds import DEFINITIONS
from pumetrics_workflow.studies.drawing import (
    PALETTE,
    SMALL,
    colors,
    counted,
    facets,
    heat_map,
    lines,
    named,
    shared_legend,
)
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.rider2013 import (
    CLASSIFIERS,
    MECHANISMS,
    METRICS,
    PAPER_SETS,
    SVM_READINGS,
)
from pumetrics_workflow.studies.rider2013.verdicts import printed_cells

__all__ = [
    "aupr_definitions",
    "bias_size",
    "corrections",
    "figure1a",
    "figure1b",
    "p_values",
    "table2",
]

_SVM = next(iter(SVM_READINGS))
_FLIPPED = "share of positives flipped (%)"
_CASE = {"bias": "bias class (observed labels)", "true": "true class"}
_CLASSES = {
    "true_positives": "true class positive",
    "false_negatives": "true class positive",
    "false_positives": "true class negative",
    "true_negatives": "true class negative",
}
_EDGES = [0, 0.02, 0.04, 0.06, 0.1, 0.5, 1]
_LEVEL = 0.01  # of the paper's tests
_CLASS_COLORS = {
    "true class positive": PALETTE["positive"],
    "true class negative": PALETTE["negative"],
}
_SHAPES = {
    "palette": colors(CLASSIFIERS),
    "hue_kws": {"marker": ["o", "s", "D", "^", "v"]},
}


def table2(cells, published):
    """Both tables as printed and as reproduced."""
    from scipy.special import ndtri

    printed = printed_cells(published)
    printed = printed.rename(columns={"p_printed": "p", "printed": "verdict"})
    ours = only(cells, svm=_SVM).rename(columns={"p_over": "p"})
    verdicts = named(
        pd.concat([printed.assign(side="printed"), ours.assign(side="reproduced")]),
        table={"2a": "Table 2a: AUC", "2b": "Table 2b: AUC-PR"},
        mechanism=MECHANISMS,
        classifier=CLASSIFIERS,
    )
    verdicts["p"] = _neither(verdicts, "p", "verdict")
    verdicts["percent"] = (100 * verdicts["fraction"]).round().astype(int)

    # All panels share their columns; cells of percentages that a small scale leaves out stay blank.
    percents = sorted(verdicts["percent"].unique())

    panels = facets(verdicts, 7.2, row="table", col="side")
    for (table, side), axis in panels.axes_dict.items():
        part = only(verdicts, table=table, side=side)
        cells = part.pivot(index=["mechanism", "classifier"], columns="percent")
        quantiles = -ndtri(cells["p"].reindex(columns=percents))
        quantiles.index = [" ".join(row) for row in quantiles.index]
        heat_map(axis, quantiles, cmap="PuOr", vmin=-3.5, vmax=3.5)
        significant = cells["verdict"].reindex(columns=percents).abs() == 1
        y, x = np.nonzero(significant)
        axis.plot(x + 0.5, y + 0.5, "o", markersize=3.5, color="black")
        axis.hlines([5, 10], 0, quantiles.shape[1], color="black", linewidth=0.8)
    panels.set_axis_labels(_FLIPPED, "")

    levels = [0.999, 0.99, 0.5, 0.01, 0.001]
    bar = panels.figure.colorbar(
        axis.collections[0],
        ax=panels.axes,
        shrink=0.6,
        ticks=-ndtri(levels),
        label="p-value that the rank by bias class area is too high",
    )
    bar.ax.set_yticklabels(levels)
    return panels.figure


def _neither(table, p_value, verdict):
    """P-values to three digits, 0.5 where no rank changed: p is then 1 on both sides, and the cell leans to none."""
    unchanged = (table[p_value] > 0.9995) & (table[verdict] != -1)
    return table[p_value].mask(unchanged, 0.5).clip(5e-4, 1 - 5e-4)


def p_values(compared_cells):
    """The cells from 10% on: printed against reproduced p-values, on an axis that spreads both ends."""
    import seaborn as sns

    sizes = compared_cells["table"].value_counts()
    titles = {name: f"Table {name}: {sizes[name]} cells" for name in sorted(sizes.index)}
    table = compared_cells.assign(
        printed_p=_neither(compared_cells, "p_printed", "printed"),
        ours_p=_neither(compared_cells, "p_over", "verdict"),
    )
    table = named(table, table=titles, classifier=CLASSIFIERS)
    panels = facets(table, 4.5, col="table", hue="classifier", **_SHAPES)
    panels.map(sns.scatterplot, "printed_p", "ours_p", s=16, linewidth=0)
    ticks = [0.001, _LEVEL, 0.1, 0.5, 0.9, 1 - _LEVEL, 0.999]
    ends = (3e-4, 1 - 3e-4)
    for axis in panels.axes.flat:
        axis.plot(
            ends,
            ends,
            color=PALETTE["line"],
            linewidth=0.8,
            label="equal p-values",
        )
        axis.axhspan(ends[0], _LEVEL, color=PALETTE["shade"], zorder=-1)
        axis.axvspan(ends[0], _LEVEL, color=PALETTE["shade"], zorder=-1)
        axis.set(
            xscale="logit",
            yscale="logit",
            xlim=ends,
            ylim=ends,
            box_aspect=1,
        )
        axis.set_xticks(ticks, ticks)
        axis.set_yticks(ticks, ticks)
        axis.minorticks_off()
        axis.grid(visible=False)
    panels.set_axis_labels("p-value, printed", "p-value, reproduced")
    sets = counted(compared_cells["sets"], "data sets", PAPER_SETS)
    return shared_legend(panels.figure, title=sets)


def aupr_definitions(shifts):
    """By how many ranks each classifier looks too good under each definition of AUC-PR: mean over sets and interval."""
    from scipy.stats import t

    by = ["definition", "mechanism", "classifier"]
    means = shifts.groupby(by)["shift"].agg(["mean", "sem", "count"]).reset_index()
    means["half"] = t.ppf(0.975, np.maximum(means["count"] - 1, 1)) * means["sem"]
    lane = means["classifier"].map(list(CLASSIFIERS).index) - 2
    means["place"] = means["definition"].map(list(DEFINITIONS).index) + 0.15 * lane
    means = named(means, mechanism=MECHANISMS, classifier=CLASSIFIERS)

    panels = facets(means, 4.6, col="mechanism", hue="classifier", **_SHAPES)
    panels.map(_intervals, "mean", "place", "half")
    for axis in panels.axes.flat:
        axis.axvline(0, color=PALETTE["line"], linewidth=0.8)
    labels = [label.replace(", ", ",\n") for label in DEFINITIONS.values()]
    panels.set(
        ylim=(len(labels) - 0.5, -0.5),
        yticks=range(len(labels)),
        yticklabels=labels,
    )
    panels.set_axis_labels("rank, true $-$ bias class", "")
    sets = counted([shifts["dataset"].nunique()], "data sets", PAPER_SETS)
    return shared_legend(panels.figure, title=sets, ncols=5)


def _intervals(x, y, half, **options):
    plt.errorbar(
        x,
        y,
        xerr=half,
        linestyle="",
        markersize=3.5,
        elinewidth=0.8,
        **options,
    )


def _sizes(sizes, kind, label):
    """A panel for each classifier and area, a line for each mechanism: bands are 95% intervals over data sets."""
    models = {(_SVM if name == "svm" else name): title for name, title in CLASSIFIERS.items()}
    table = named(
        only(sizes, kind=kind),
        metric=METRICS,
        model=models,
        mechanism=MECHANISMS,
    )
    table = table.assign(percent=100 * table["fraction"]).sort_values("percent", kind="stable")
    panels = facets(
        table,
        4.4,
        row="metric",
        col="model",
        hue="mechanism",
        palette=colors(MECHANISMS),
        sharey="row",
    )
    panels.map(
        plt.fill_between,
        "percent",
        "lower",
        "upper",
        alpha=0.15,
        linewidth=0,
    )
    panels.map_dataframe(lines, x="percent", y="mean", marker="o", markersize=3)
    for axis in panels.axes.flat:
        axis.axhline(0, color=PALETTE["line"], linewidth=0.8)
    panels.set(xticks=[0, 50, 100])
    panels.set_axis_labels("", label)
    panels.axes[-1, 2].set_xlabel(_FLIPPED)
    sets = counted(table["sets"], "data sets", PAPER_SETS)
    return shared_legend(panels.figure, title=sets)


def bias_size(sizes):
    """Bias class minus true class area."""
    return _sizes(sizes, "uncorrected", "bias class $-$ true class")


def corrections(sizes):
    """Recovered minus true class area."""
    return _sizes(sizes, "corrected", "recovered $-$ true class")


def figure1a(study):
    """Areas of the case study by the share of positives known."""
    table = study.melt(["mechanism", "metric", "known"], list(_CASE), "kind", "area")
    table = named(table, mechanism=MECHANISMS, metric=METRICS, kind=_CASE)
    table = table.assign(percent=100 * table["known"]).sort_values("percent", kind="stable")
    panels = facets(table, 3.7, col="mechanism")
    panels.map_dataframe(
        lines,
        x="percent",
        y="area",
        hue="kind",
        palette=[PALETTE["observed"], PALETTE["truth"]],
        style="metric",
        marker="o",
    )
    panels.set_axis_labels("share of positives known (%)", "area")
    panels.set(ylim=(0, 1))
    return shared_legend(panels.figure, ncols=4)


def figure1b(histogram):
    """Counts in ranges of the probability, on a logarithmic axis: most examples are near 0, and very few above 0.5."""
    import seaborn as sns

    ranges = [f"{low:g} to {high:g}" for low, high in pairwise(_EDGES)]
    # Bins begin at multiples of a fiftieth, which are not exact.
    edges = np.array(_EDGES) - 1e-9
    of_range = pd.cut(histogram["probability"], edges, right=False, labels=ranges)
    table = named(
        histogram.assign(range=of_range),
        mechanism=MECHANISMS,
        group=_CLASSES,
    )
    panels = facets(table, 3.8, col="mechanism")
    panels.map_dataframe(
        sns.barplot,
        x="count",
        y="range",
        hue="group",
        palette=_CLASS_COLORS,
        hue_order=list(_CLASS_COLORS),
        estimator="sum",
        errorbar=None,
        saturation=1,
        linewidth=0,
    )
    for axis in panels.axes.flat:
        for bars in axis.containers:
            axis.bar_label(bars, fmt="{:,.0f}", fontsize=SMALL, padding=2)
        axis.axhline(
            len(ranges) - 1.5,
            color=PALETTE["line"],
            linestyle="--",
            linewidth=0.8,
        )
        axis.set(xscale="log", xlim=(0.5, 3e5), xticks=[1, 100, 10_000])
        axis.xaxis.set_major_formatter("{x:,g}")
        axis.minorticks_off()
        axis.grid(visible=False, axis="y")
    axis.set_ylim(-0.5, len(ranges) - 0.5)
    panels.set_axis_labels("examples", "predicted probability")
    return shared_legend(panels.figure)
