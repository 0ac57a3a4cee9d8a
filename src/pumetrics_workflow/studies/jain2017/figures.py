"""The figures of Jain, White & Radivojac (2017)."""

import matplotlib.pyplot as plt

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.boxes import boxes
from pumetrics_workflow.studies.drawing import key, shared_legend
from pumetrics_workflow.studies.jain2017 import BINS, METRICS

__all__ = ["example_curves", "figure1", "figure2", "repairs"]

_ORDER = {"roc_auc": ["PU", "IR", "DR", "IE", "DE"], "average_precision": ["PU", "IR", "IE"]}
_LABELS = {
    "PU": "PU: uncorrected",
    "IR": "IR: indirect, real priors",
    "DR": "DR: direct, real priors",
    "IE": "IE: indirect, AlphaMax",
    "DE": "DE: direct, AlphaMax",
}
_BIN_LABELS = dict(zip(BINS, ["below 0.1", "0.1 to 0.2", "above 0.2"], strict=True))
# Without repair indirect recovery is direct recovery; Figure 2 shows the envelope. Two ways without repair coincide
# for AUC-PR: one is a line of crosses, the other open circles around them.
_REPAIRS = {
    "envelope": ("envelope", "o-", COLORS["IR"], {}),
    "hull": ("convex hull", "s--", COLORS["DE"], {}),
    "monotone": ("monotone precision", "^:", COLORS["CE+"], {}),
    "none": ("none", "x-.", COLORS["DR"], {}),
    "pu_precision": ("none, from the observed precision", "o", COLORS["IE"], {"fillstyle": "none", "markersize": 9}),
}


def figure1(points):
    """ROC curves of eight examples by observed and by true labels."""
    figure, axis = plt.subplots(figsize=(3.4, 3.3))
    for method, label, color in (
        ("uncorrected", "observed labels: 0.8", "PU"),
        ("supervised", "true labels: 0.9375", "true"),
    ):
        part = points[points["method"] == method]
        axis.plot(part["fpr"], part["tpr"], marker="o", markersize=3, color=COLORS[color], label=label, clip_on=False)
    axis.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axis.legend(loc="lower right", title="area under the curve")
    return figure


def figure2(table):
    """Errors by beta and by the error of the priors, a row per area."""
    figure, axes = plt.subplots(2, 2, figsize=(7.2, 5.6))
    betas = sorted(table.loc[table["axis"] == "beta", "group"].unique(), key=float, reverse=True)
    columns = {
        "beta": (betas, "by noise", "true $\\beta$"),
        "gap": (list(BINS), "by error of the priors", r"error of $\hat\beta - \hat\alpha$"),
    }
    for row, (metric, title) in zip(axes, METRICS.items(), strict=True):
        for axis, (name, (places, what, label)) in zip(row, columns.items(), strict=True):
            part = table[(table["axis"] == name) & (table["metric"] == metric)]
            places = [place for place in places if place in set(part["group"])]
            boxes(axis, part, x="group", hue="method", places=places, order=_ORDER[metric])
            axis.set_xticks(axis.get_xticks(), [_BIN_LABELS.get(place, place) for place in places])
            axis.set(title=f"{title} {what}", xlabel=label)
        row[0].set_ylabel("estimate $-$ truth")
    shared_legend(figure, {label: key(COLORS[name]) for name, label in _LABELS.items()})
    return figure


def repairs(medians):
    """Median error by beta, a line per repair."""
    part = medians[(medians["truth_kind"] == "same_scores") & (medians["method"] == "IR")]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.1))
    for axis, (metric, title) in zip(axes, METRICS.items(), strict=True):
        shown = part[part["metric"] == metric]
        for repair, (label, style, color, options) in _REPAIRS.items():
            line = shown[shown["repair"] == repair].sort_values("beta")
            if len(line):
                axis.plot(line["beta"], line["error_median"], style, color=color, label=label, **options)
        axis.axhline(0, color="#888888", linewidth=0.8, zorder=0)
        axis.set(title=title, xlabel="true $\\beta$", ylabel="median error", xticks=sorted(shown["beta"].unique()))
        axis.invert_xaxis()
    shared_legend(figure, title="repair of the recovered curve", title_fontsize=8)
    return figure


def example_curves(curves):
    """Curves of two data sets: uncorrected, recovered, true."""
    names = {
        "roc_curve": ("false positive rate", "true positive rate"),
        "precision_recall_curve": ("recall", "precision"),
    }
    sets = list(curves["dataset"].unique())
    figure, axes = plt.subplots(len(sets), 2, figsize=(7, 3.1 * len(sets)), squeeze=False)
    for row, dataset in zip(axes, sets, strict=True):
        for axis, (metric, (x, y)) in zip(row, names.items(), strict=True):
            part = curves[(curves["dataset"] == dataset) & (curves["metric"] == metric)]
            for prior, label, color in (("none", "uncorrected", "PU"), ("true", "recovered", "IR")):
                one = part[part["prior"] == prior]
                axis.plot(one["threshold"], one["estimate"], color=COLORS[color], label=label)
            axis.plot(one["threshold"], one["truth"], "--", color=COLORS["true"], label="true", linewidth=1)
            axis.set(title=dataset.replace("_", " "), xlabel=x, ylabel=y, xlim=(0, 1), ylim=(0, 1.02))
    shared_legend(figure)
    return figure
