"""The figures of Ramola, Jain & Radivojac (2019)."""

import matplotlib.pyplot as plt

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.boxes import box_statistics, boxes
from pumetrics_workflow.studies.drawing import PRINTED, dots, key, shared_legend
from pumetrics_workflow.studies.ramola2019 import MEASURES, METHODS

__all__ = ["figure1", "figure2", "per_dataset", "priors"]

_LABELS = {
    "PU": "PU: uncorrected",
    "CR": "CR: real priors",
    "CE": "CE: AlphaMax",
    "CE+": "CE+: AlphaMax, repaired",
}


def figure1(curves, maxima, published):
    """Four measures of a threshold, by true and by observed labels."""
    figure, axes = plt.subplots(2, 2, figsize=(6.2, 4.6), sharex=True)
    styles = {"truth": ("true", "true", "-"), "estimate": ("observed", "PU", "--")}
    printed = published.set_index("id")["published"]
    for axis, (measure, title) in zip(axes.flat, MEASURES.items(), strict=True):
        part = curves[curves["measure"] == measure]
        for against, (column, color, line) in styles.items():
            axis.plot(part["tau"], part[column], line, color=COLORS[color], linewidth=1.4)
            best = maxima[(maxima["measure"] == measure) & (maxima["against"] == against)].iloc[0]
            axis.plot(best["tau"], best["maximum"], "o", color=COLORS[color], markersize=4, clip_on=False)
        for kind in ("true", "pu"):
            place, height = printed[f"figure1_{measure}_{kind}_tau"], printed[f"figure1_{measure}_{kind}"]
            axis.plot(place, height, "x", color=PRINTED, markersize=6, clip_on=False, zorder=5)
        axis.set(title=title, xlim=(-5, 5))
    for axis in axes[1]:
        axis.set_xlabel("threshold $\\tau$")
    shown = {
        "against the true class": key(COLORS["true"], linestyle="-"),
        "against the observed labels (PU)": key(COLORS["PU"], linestyle="--"),
        "maximum printed in the paper": key(PRINTED, marker="x"),
    }
    shared_legend(figure, shown)
    return figure


def figure2(table):
    """Errors by beta, a panel per measure."""
    order = [name for name in METHODS.values() if name in set(table["method"])]
    places = sorted(table["beta"].unique(), reverse=True)
    figure, axes = plt.subplots(2, 2, figsize=(7.2, 5.6), sharex=True)
    for axis, (measure, title) in zip(axes.flat, MEASURES.items(), strict=True):
        boxes(axis, table[table["measure"] == measure], x="beta", hue="method", places=places, order=order)
        axis.set(title=title, ylabel="estimate $-$ truth")
        axis.set_xticklabels([f"{beta:g}" for beta in places])
    for axis in axes[1]:
        axis.set_xlabel("true $\\beta$")
    shared_legend(figure, {_LABELS[name]: key(COLORS[name]) for name in order}, ncols=4)
    return figure


def per_dataset(table):
    """Rows of dots per data set, a panel per measure."""
    order = [name for name in METHODS.values() if name in set(table["method"])]
    rows = {name: name.replace("_", " ") for name in sorted(table["dataset"].unique())}
    figure, axes = plt.subplots(1, len(MEASURES), figsize=(7.4, 1.4 + 0.4 * len(rows)), sharey=True, squeeze=False)
    for axis, (measure, title) in zip(axes[0], MEASURES.items(), strict=True):
        part = table[table["measure"] == measure]
        styles = {name: COLORS[name] for name in order}
        dots(axis, part, x="error_median", y="dataset", rows=rows, hue="method", styles=styles, alpha=0.8)
        axis.axvline(0, color="#888888", linewidth=0.8, zorder=1)
        axis.set(title=title.replace(" ", "\n"), xlabel="median error")
        axis.locator_params(axis="x", nbins=4)
    shared_legend(figure, {_LABELS[name]: key(COLORS[name], marker="o") for name in order}, ncols=4)
    return figure


def priors(table):
    """Errors of alpha and beta by true beta."""
    order = [name for name in ("CE", "CE+") if name in set(table["method"])]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.3))
    places = sorted(table["beta_nominal"].unique(), reverse=True)
    for axis, name in zip(axes, ("alpha", "beta"), strict=True):
        part = box_statistics(table, ["beta_nominal", "method"], f"{name}_error_median")
        boxes(axis, part, x="beta_nominal", hue="method", places=places, order=order)
        axis.set(xlabel="true $\\beta$", ylabel=f"median error of $\\hat\\{name}$ per data set")
        axis.set_xticklabels([f"{beta:g}" for beta in places])
    shared_legend(figure, {_LABELS[name]: key(COLORS[name]) for name in order}, ncols=4)
    return figure
