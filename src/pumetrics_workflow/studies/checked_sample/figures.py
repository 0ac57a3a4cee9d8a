"""The figures of the study of checked samples."""

import matplotlib.pyplot as plt

from pumetrics_workflow.studies.checked_sample import WAYS
from pumetrics_workflow.studies.drawing import (
    PALETTE,
    WIDTH,
    counted,
    dots,
    facets,
    lines,
    named,
    shared_legend,
)

__all__ = ["coverage", "width"]

_WAYS = {name: name for name in WAYS.values()}
_METRICS = {
    "alpha": r"$\alpha$",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "roc_auc": "AUC",
}
_LABELS = {
    "random": "labels at random",
    "fourfold": "high scores preferred",
    "subgroup": "a subgroup has no label",
    "noise": "10% wrong labels",
    "none": "no labels",
}
_COLORS = {
    "labels at random": PALETTE["bcar"],
    "high scores preferred": PALETTE["preferred"],
    "a subgroup has no label": PALETTE["bar"],
    "10% wrong labels": PALETTE["wrong"],
    "no labels": PALETTE["unlabeled"],
}
_LINES = [PALETTE[name] for name in ("first", "second", "third", "fourth", "many")]


def coverage(table):
    """A row of dots per method and kind of labels, against the nominal level."""
    table = named(table, method=_WAYS, labels=_LABELS)
    figure, axis = plt.subplots(figsize=(WIDTH, 1.2 + 0.5 * table["method"].nunique()))
    axis.axvline(0.95, color=PALETTE["line"], label="nominal level")
    required = "least coverage that the study requires"
    axis.axvline(0.88, color=PALETTE["line"], linestyle=":", label=required)
    dots(
        table,
        x="coverage",
        y="method",
        hue="labels",
        palette=_COLORS,
        alpha=0.6,
    )
    axis.set_xlabel(f"coverage, {counted(table['intervals'], 'intervals per dot')}")
    return shared_legend(figure)


def width(table):
    """A panel per metric, a line per method, and a dashed one without checked rows."""
    table = named(table, metric=_METRICS)
    checked = named(table[table["checks"] > 0], method=_WAYS)
    without = table[table["checks"] == 0].set_index("metric")
    checks = sorted(checked["checks"].unique())
    panels = facets(checked, 4.6, col="metric", col_wrap=3, sharey=False)
    panels.map_dataframe(
        lines,
        x="checks",
        y="width",
        hue="method",
        style="method",
        palette=_LINES[: checked["method"].nunique()],
        markers=True,
        dashes=False,
    )
    for metric, axis in panels.axes_dict.items():
        if metric in without.index:
            line = without.loc[metric]
            axis.axhline(
                line["width"],
                color=PALETTE["line"],
                linestyle="--",
                label=line["method"],
            )
        axis.set(ylim=(0, None), xscale="log")
        axis.set_xticks(checks, checks)
        axis.minorticks_off()

    panels.set_axis_labels("checked rows", "mean width")
    runs = counted(checked["intervals"], "intervals")
    return shared_legend(panels.figure, title=runs, loc=(0.71, 0.08), ncols=1)
