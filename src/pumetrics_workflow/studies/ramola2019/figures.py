"""The figures of Ramola, Jain & Radivojac (2019)."""

import matplotlib.pyplot as plt
import seaborn as sns

from pumetrics.plotting import COLORS, boxes
from pumetrics_workflow.studies.ramola2019 import MEASURES, METHODS

__all__ = ["figures"]

_LABELS = {
    "PU": "PU: uncorrected",
    "CR": "CR: real priors",
    "CE": "CE: AlphaMax",
    "CE+": "CE+: AlphaMax repaired",
}


def figures(tables):
    """Return the figures by name."""
    drawn = {"figure1": _figure1(tables["figure1"], tables["figure1_maxima"])}
    if len(tables["errors"]):
        drawn["figure2"] = _figure2(tables["errors"])
        drawn["per_dataset"] = _per_dataset(tables["by_dataset"])
        drawn["priors"] = _priors(tables["prior_errors"])
    return drawn


def _figure1(curves, maxima):
    figure, axes = plt.subplots(2, 2, figsize=(6.2, 4.6), sharex=True)
    styles = {"truth": ("true", "true", "-"), "estimate": ("observed", "PU", "--")}
    for axis, (measure, title) in zip(axes.flat, MEASURES.items(), strict=True):
        part = curves[curves["measure"] == measure]
        for against, (column, color, line) in styles.items():
            axis.plot(part["tau"], part[column], line, color=COLORS[color], linewidth=1.4)
            best = maxima[(maxima["measure"] == measure) & (maxima["against"] == against)].iloc[0]
            axis.plot(best["tau"], best["maximum"], "o", color=COLORS[color], markersize=4, clip_on=False)
        axis.set(title=title, xlim=(-5, 5))
    for axis in axes[1]:
        axis.set_xlabel("threshold $\\tau$")
    handles = [plt.Line2D([], [], color=COLORS[color], linestyle=line) for _, color, line in styles.values()]
    labels = ["against the true class", "against observed labels (PU)"]
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _figure2(errors):
    order = [name for name in METHODS.values() if name in set(errors["method"])]
    figure, axes = plt.subplots(2, 2, figsize=(7.2, 5.6), sharex=True)
    for axis, (measure, title) in zip(axes.flat, MEASURES.items(), strict=True):
        part = errors[errors["measure"] == measure].assign(beta=lambda part: part["beta"].map("{:g}".format))
        part = part.sort_values("beta", ascending=False, kind="stable")
        boxes(axis, part, x="beta", y="error", hue="method", order=order)
        axis.set(title=title, xlabel="true $\\beta$", ylabel="estimate $-$ truth")
        axis.legend().remove()
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLORS[name]) for name in order]
    figure.legend(handles, [_LABELS[name] for name in order], loc="outside lower center", ncols=len(order))
    return figure


def _per_dataset(table):
    order = [name for name in METHODS.values() if name in set(table["method"])]
    count = table["dataset"].nunique()
    figure, axes = plt.subplots(1, len(MEASURES), figsize=(7.4, 1.4 + 0.36 * count), sharey=True, squeeze=False)
    for axis, (measure, title) in zip(axes[0], MEASURES.items(), strict=True):
        part = table[table["measure"] == measure]
        sns.stripplot(
            part,
            x="error_median",
            y="dataset",
            hue="method",
            hue_order=order,
            palette=COLORS,
            ax=axis,
            size=4,
            alpha=0.8,
            dodge=True,
            jitter=False,
            legend=False,
        )
        axis.axvline(0, color="#888888", linewidth=0.8, zorder=0)
        axis.set(title=title.replace(" ", "\n"), xlabel="median error", ylabel="")
        axis.locator_params(axis="x", nbins=4)
    handles = [plt.Line2D([], [], marker="o", linestyle="", color=COLORS[name]) for name in order]
    figure.legend(handles, [_LABELS[name] for name in order], loc="outside lower center", ncols=len(order))
    return figure


def _priors(table):
    order = [name for name in ("CE", "CE+") if name in set(table["method"])]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.3))
    part = table.assign(beta_nominal=table["beta_nominal"].map("{:g}".format))
    part = part.sort_values("beta_nominal", ascending=False, kind="stable")
    for axis, name in zip(axes, ("alpha", "beta"), strict=True):
        boxes(axis, part, x="beta_nominal", y=f"{name}_error_median", hue="method", order=order)
        axis.set(xlabel="true $\\beta$", ylabel=f"median error of $\\hat\\{name}$ per data set")
        axis.legend().remove()
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLORS[name]) for name in order]
    figure.legend(handles, [_LABELS[name] for name in order], loc="outside lower center", ncols=len(order))
    return figure
