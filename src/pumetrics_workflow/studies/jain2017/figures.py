"""The figures of Jain, White & Radivojac (2017)."""

import matplotlib.pyplot as plt

from pumetrics.plotting import COLORS, boxes
from pumetrics_workflow.studies.jain2017 import BINS, METRICS

__all__ = ["figures"]

_ORDER = {"roc_auc": ["PU", "IR", "DR", "IE", "DE"], "average_precision": ["PU", "IR", "IE"]}
_LABELS = {
    "PU": "PU: uncorrected",
    "IR": "IR: indirect, real priors",
    "DR": "DR: direct, real priors",
    "IE": "IE: indirect, AlphaMax",
    "DE": "DE: direct, AlphaMax",
}
# Without repair indirect recovery is direct recovery; Figure 2 shows the envelope.
_REPAIRS = {
    "envelope": COLORS["IR"],
    "none": COLORS["DR"],
    "hull": COLORS["DE"],
    "monotone": COLORS["CE+"],
    "pu_precision": COLORS["IE"],
}


def figures(tables):
    """Return the figures by name."""
    drawn = {"figure1": _figure1(tables["figure1"])}
    if len(tables["figure2"]):
        drawn["figure2"] = _figure2(tables["figure2"])
        drawn["repairs"] = _repairs(tables["medians"])
    if len(tables["example_curves"]):
        drawn["example_curves"] = _curves(tables["example_curves"])
    return drawn


def _figure1(points):
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


def _figure2(table):
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
            axis.set(title=f"{title} {what}", xlabel=label)
        row[0].set_ylabel("estimate $-$ truth")
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLORS[name]) for name in _LABELS]
    figure.legend(handles, _LABELS.values(), loc="outside lower center", ncols=3)
    return figure


def _repairs(medians):
    import seaborn as sns

    part = medians[(medians["truth_kind"] == "same_scores") & (medians["method"] == "IR")]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.1))
    for axis, (metric, title) in zip(axes, METRICS.items(), strict=True):
        shown = part[part["metric"] == metric]
        sns.lineplot(
            shown, x="beta", y="error_median", hue="repair", style="repair", markers=True, palette=_REPAIRS, ax=axis
        )
        axis.axhline(0, color="#888888", linewidth=0.8, zorder=0)
        axis.set(title=title, xlabel="true $\\beta$", ylabel="median error", xticks=sorted(shown["beta"].unique()))
        handles, labels = axis.get_legend_handles_labels()
        axis.legend().remove()
        axis.invert_xaxis()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), title="repair of the recovered curve")
    return figure


def _curves(curves):
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
            axis.set(title=dataset, xlabel=x, ylabel=y, xlim=(0, 1), ylim=(0, 1.02))
    axes[0, 0].legend(loc="lower right")
    return figure
