"""The figures of Jain, White & Radivojac (2017)."""

import matplotlib.pyplot as plt

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import COLUMN, boxes, counted, grid, key, shared_legend
from pumetrics_workflow.studies.jain2017 import BINS, METRICS
from pumetrics_workflow.studies.queries import only

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
    "monotone": ("monotone rates", "^:", COLORS["CE+"], {}),
    "none": ("none", "x-.", COLORS["DR"], {}),
    "pu_precision": (
        "none, from the observed precision",
        "o",
        COLORS["IE"],
        {"fillstyle": "none", "markersize": 9},
    ),
}
_CURVES = {
    "roc_curve": ("false positive rate", "true positive rate"),
    "precision_recall_curve": ("recall", "precision"),
}


def figure1(points):
    """ROC curves of eight examples by observed and by true labels."""
    figure, axis = plt.subplots(figsize=(COLUMN, 3.3))
    lines = {
        "uncorrected": ("observed labels: 0.8", "PU"),
        "supervised": ("true labels: 0.9375", "true"),
    }
    for method, (label, color) in lines.items():
        part = only(points, method=method)
        axis.plot(
            part["fpr"],
            part["tpr"],
            marker="o",
            markersize=3,
            color=COLORS[color],
            label=label,
            clip_on=False,
        )
    axis.set(
        xlabel="false positive rate",
        ylabel="true positive rate",
        xlim=(0, 1),
        ylim=(0, 1),
        aspect="equal",
    )
    axis.legend(loc="lower right", title="area under the curve")
    return figure


def figure2(table):
    """Errors by beta and by the error of the priors, a row per area."""
    betas = sorted(only(table, axis="beta")["group"].unique(), key=float, reverse=True)
    columns = {"beta": {beta: beta for beta in betas}, "gap": _BIN_LABELS}
    titles = [
        f"{area} {what}"
        for area in METRICS.values()
        for what in ("by noise", "by error of the priors")
    ]
    labels = ["true $\\beta$", r"error of $\hat\beta - \hat\alpha$"]
    figure, axes = grid(2, 2, 5.6, y="estimate $-$ truth", titles=titles)
    for row, metric in zip(axes, METRICS, strict=True):
        for axis, (name, places), label in zip(row, columns.items(), labels, strict=True):
            part = only(table, axis=name, metric=metric)
            shown = {place: text for place, text in places.items() if place in set(part["group"])}
            boxes(axis, part, x="group", hue="method", places=shown, order=_ORDER[metric])
            axis.set_xlabel(label)
    return shared_legend(figure, {label: key(COLORS[name]) for name, label in _LABELS.items()})


def repairs(medians):
    """Median error by beta, a line per repair."""
    figure, axes = grid(1, 2, 3.1, titles=list(METRICS.values()))
    for axis, metric in zip(axes[0], METRICS, strict=True):
        shown = only(medians, truth_kind="same_scores", method="IR", metric=metric)
        for repair, (label, style, color, options) in _REPAIRS.items():
            line = only(shown, repair=repair).sort_values("beta")
            if len(line):
                axis.plot(
                    line["beta"], line["error_median"], style, color=color, label=label, **options
                )
        axis.axhline(0, color="#888888", linewidth=0.8, zorder=0)
        label = f"median error, {counted(shown['runs'])}"
        axis.set(
            xlabel="true $\\beta$",
            ylabel=label,
            xticks=sorted(shown["beta"].unique()),
        )
        axis.invert_xaxis()
    return shared_legend(figure, title="repair of the recovered curve", title_fontsize=8)


def example_curves(curves):
    """Curves of two data sets: uncorrected, recovered, true."""
    sets = list(curves["dataset"].unique())
    figure, axes = grid(len(sets), 2, 3.1 * len(sets))
    for row, dataset in zip(axes, sets, strict=True):
        for axis, (metric, (x, y)) in zip(row, _CURVES.items(), strict=True):
            for prior, label, color in (("none", "uncorrected", "PU"), ("true", "recovered", "IR")):
                one = only(curves, dataset=dataset, metric=metric, prior=prior)
                axis.plot(one["threshold"], one["estimate"], color=COLORS[color], label=label)
            axis.plot(
                one["threshold"],
                one["truth"],
                "--",
                color=COLORS["true"],
                label="true",
                linewidth=1,
            )
            axis.set(
                title=dataset.replace("_", " "), xlabel=x, ylabel=y, xlim=(0, 1), ylim=(0, 1.02)
            )
    return shared_legend(figure)
