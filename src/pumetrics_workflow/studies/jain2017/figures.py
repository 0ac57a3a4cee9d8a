"""The figures of Jain, White & Radivojac (2017)."""

import matplotlib.pyplot as plt
import pandas as pd

from pumetrics_workflow.studies.drawing import (
    COLUMN,
    PALETTE,
    boxes,
    colors,
    counted,
    facets,
    lines,
    named,
    shared_legend,
)
from pumetrics_workflow.studies.jain2017 import BINS, METRICS, PAPER_SETS
from pumetrics_workflow.studies.queries import only

__all__ = ["example_curves", "figure1", "figure2", "repairs"]

_LABELS = {
    "PU": "PU: uncorrected",
    "IR": "IR: indirect, real priors",
    "DR": "DR: direct, real priors",
    "IE": "IE: indirect, AlphaMax",
    "DE": "DE: direct, AlphaMax",
}
_COLORS = colors(_LABELS)
_AXES = {
    "beta": r"true $\beta$",
    "gap": r"error of $\hat\beta - \hat\alpha$",
}
_BIN_LABELS = dict(zip(BINS, ["below 0.1", "0.1 to 0.2", "above 0.2"], strict=True))
# Figure 2 shows the envelope. Two ways without repair coincide for AUC-PR: circles are open, around crosses.
_REPAIRS = {
    "envelope": ("envelope", "o-", PALETTE["IR"], 5),
    "hull": ("convex hull", "s--", PALETTE["second"], 5),
    "monotone": ("monotone rates", "^:", PALETTE["third"], 5),
    "none": ("none", "x-.", PALETTE["DR"], 5),
    "pu_precision": (
        "none, from the observed precision",
        "o",
        PALETTE["first"],
        9,
    ),
}
_CURVES = {
    "roc_curve": ("false positive rate", "true positive rate"),
    "precision_recall_curve": ("recall", "precision"),
}
_KINDS = {"none": "uncorrected", "true": "recovered", "truth": "true"}
_AREAS = {
    "uncorrected": "observed labels: 0.8",
    "supervised": "true labels: 0.9375",
}


def figure1(points):
    """ROC curves of eight examples by observed and by true labels."""
    figure, axis = plt.subplots(figsize=(COLUMN, 3.3))
    lines(
        named(points, method=_AREAS),
        x="fpr",
        y="tpr",
        hue="method",
        palette=[PALETTE["observed"], PALETTE["truth"]],
        marker="o",
        markersize=3,
        clip_on=False,
    )
    axis.set(xlabel="false positive rate", ylabel="true positive rate")
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axis.legend(loc="lower right", title="area under the curve")
    return figure


def figure2(table, by_dataset):
    """Errors by beta and by the error of the priors, a row per area."""
    betas = sorted(only(table, axis="beta")["group"].unique(), key=float, reverse=True)
    groups = {beta: beta for beta in betas} | _BIN_LABELS
    table = named(table, axis=_AXES, metric=METRICS, method=_LABELS, group=groups)
    panels = facets(table, 5.6, row="metric", col="axis", sharex=False, sharey="row")
    for (metric, by), axis in panels.axes_dict.items():
        part = only(table, metric=metric, axis=by)
        part["group"] = part["group"].cat.remove_unused_categories()
        boxes(axis, part, x="group", hue="method", palette=_COLORS)
        axis.set(title="", xlabel=by)
    panels.set_ylabels("estimate $-$ truth")
    sets = counted([by_dataset["dataset"].nunique()], "data sets", PAPER_SETS)
    return shared_legend(panels.figure, title=sets)


def repairs(medians):
    """Median error by beta, a line per repair."""
    shown = only(medians, truth_kind="same_scores", method="IR", repair=_REPAIRS)
    shown = named(shown, metric=METRICS).sort_values("beta", kind="stable")
    panels = facets(shown, 3.1, col="metric", sharey=False)
    panels.refline(y=0, color=PALETTE["line"], linestyle="-", linewidth=0.8)
    for metric, axis in panels.axes_dict.items():
        for repair, (label, style, color, size) in _REPAIRS.items():
            line = only(shown, metric=metric, repair=repair)
            if len(line):
                axis.plot(
                    line["beta"],
                    line["error_median"],
                    style,
                    color=color,
                    label=label,
                    markersize=size,
                    markerfacecolor=color if size < 9 else "none",
                )
    axis.set_xticks(shown["beta"].unique())
    axis.invert_xaxis()
    panels.set_axis_labels(r"true $\beta$", f"median error, {counted(shown['runs'])}")
    return shared_legend(panels.figure, title="repair of the recovered curve")


def example_curves(curves):
    """Curves of two data sets: uncorrected, recovered, true."""
    truth = only(curves, prior="true")
    truth = truth.assign(prior="truth", estimate=truth["truth"])
    curves = named(pd.concat([curves, truth]), prior=_KINDS)
    curves["dataset"] = curves["dataset"].str.replace("_", " ")
    panels = facets(
        curves,
        3.1 * curves["dataset"].nunique(),
        row="dataset",
        col="metric",
        col_order=list(_CURVES),
        sharex=False,
        sharey=False,
    )
    panels.map_dataframe(
        lines,
        x="threshold",
        y="estimate",
        hue="prior",
        style="prior",
        palette=[
            PALETTE["observed"],
            PALETTE["corrected"],
            PALETTE["truth"],
        ],
    )
    for (_, metric), axis in panels.axes_dict.items():
        x, y = _CURVES[metric]
        axis.set(
            title="",
            xlabel=x,
            ylabel=y,
            xlim=(0, 1),
            ylim=(0, 1.02),
        )
    return shared_legend(panels.figure)
