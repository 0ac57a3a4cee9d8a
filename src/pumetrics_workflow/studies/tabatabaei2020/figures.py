"""The figures of Tabatabaei et al. (2020)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import PRINTED, SMALL, key, shared_legend
from pumetrics_workflow.studies.tabatabaei2020 import METHODS, SOURCES

__all__ = ["figure1", "figure2", "figure3", "figure4", "figure5"]

_COLORS = {"estimated_f1": COLORS["f1_from_rho"], "lee_liu": COLORS["lee_liu"]}
_GREY = "#8a8a8a"
_LINES = {"estimated_f1": "-", "lee_liu": "--"}  # dashed, since the curves of both scores can coincide
_MARKS = {"estimated_f1": "x", "lee_liu": "+"}  # printed numbers
_READ_OFF = {"color": PRINTED, "linestyle": "", "markersize": 5, "markeredgewidth": 1.1}
_FORMULAS = {
    "elkan_noto": ("Elkan and Noto's mean", COLORS["CR"]),
    "published": ("published formula", COLORS["PU"]),
    "corrected": ("corrected formula", COLORS["CE+"]),
}
_PRINTED_LL = (4.77, 5.16)  # Figure 5b: range of the LL score in the results published with the paper
_RHO = "label frequency $\\rho$"


def figure1(points, lines):
    """A generated set with its labels, and random lines."""
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.7), sharex=True, sharey=True)
    for y, color, label in ((1, COLORS["PU"], "positive"), (0, COLORS["CR"], "negative")):
        part = points[points["y"] == y]
        axes[0].plot(part["x1"], part["x2"], "o", color=color, markersize=4, alpha=0.75, label=label)
    labeled = points[points["label"] == "labeled"]
    ring = {"markersize": 9, "markerfacecolor": "none", "markeredgecolor": "#444444", "linestyle": ""}
    axes[0].plot(labeled["x1"], labeled["x2"], "o", **ring, label="labeled")
    ends = np.array([0.0, 1.0])
    axes[0].plot(ends, ends + 0.2, "--", color="#222222", linewidth=1)
    for line in lines.itertuples():
        axes[1].plot(ends, line.slope * ends + line.intercept, color=COLORS["CR"], linewidth=0.8, alpha=0.7)
    axes[0].set(xlim=(0, 1), ylim=(0, 1), xlabel="$x_1$", ylabel="$x_2$", title="a generated set")
    axes[1].set(xlabel="$x_1$", title=f"{len(lines)} of the random lines")
    for axis in axes:
        axis.set_aspect("equal")
    shared_legend(figure)
    return figure


def figure2(table):
    """Estimated label frequencies, a row per set and model, a column per formula."""
    names = _in_order(table["dataset"])
    figure, axes = plt.subplots(
        2 * len(names), 3, figsize=(6.8, 0.8 + 3.6 * len(names)), sharex=True, sharey=True, squeeze=False
    )
    for axis, (title, _) in zip(axes[0], _FORMULAS.values(), strict=True):
        axis.set_title(title)
    lines = [(name, model) for name in names for model in ("logistic", "forest")]
    for row, (name, model) in zip(axes, lines, strict=True):
        for axis, formula in zip(row, _FORMULAS, strict=True):
            part = table[(table["dataset"] == name) & (table["model"] == model) & (table["method"] == formula)]
            color = _FORMULAS[formula][1]
            axis.plot([0, 1], [0, 1], color=_GREY, linewidth=0.8, zorder=0)
            axis.fill_between(part["rho"], part["low"], part["high"], color=color, alpha=0.25, linewidth=0)
            axis.plot(part["rho"], part["min"], ":", part["rho"], part["max"], ":", color=color, linewidth=0.7)
            axis.plot(part["rho"], part["mean"], color=color, linewidth=1.4)
            axis.set(xlim=(0, 1), ylim=(0, 1.1))
        row[0].set_ylabel(f"{SOURCES.get(name, name)}\n{model}: estimated $\\rho$", fontsize=SMALL)
    for axis in axes[-1]:
        axis.set_xlabel("true $\\rho$")
    return figure


def figure3(table, points, published):
    """Estimated F1 of one classifier by label frequency."""
    if not len(points):  # a reference holds no draws
        points = pd.DataFrame(columns=["dataset", "rho", "estimate"], dtype=float)
    printed = published.set_index("id")["published"]
    names = _in_order(table["dataset"])
    figure, axes = plt.subplots(1, len(names), figsize=(0.6 + 3.4 * len(names), 3.6), squeeze=False, sharey=True)
    for axis, name in zip(axes[0], names, strict=True):
        part, cloud = table[table["dataset"] == name], points[points["dataset"] == name]
        axis.plot(cloud["rho"], cloud["estimate"], "o", color="#555555", markersize=1.6, alpha=0.12, rasterized=True)
        axis.plot(part["rho"], part["mean"], "_", color=COLORS["CR"], markersize=5)
        axis.plot(part["rho"], part["truth"], ":", color=COLORS["CR"], linewidth=1.2)
        for low, high in (
            (part["mean"] - part["std"], part["exact_low"]),
            (part["mean"] + part["std"], part["exact_high"]),
        ):
            axis.plot(part["rho"], low, "_", color=COLORS["PU"], markersize=5)
            axis.plot(part["rho"], high, ":", color=COLORS["PU"], linewidth=1.2)
        axis.plot(1, printed[f"figure3_{name.split('_')[0]}_f1"], marker="x", clip_on=False, zorder=5, **_READ_OFF)
        axis.set(title=SOURCES.get(name, name), xlabel=_RHO, xlim=(0, 1.01), ylim=(-0.3, 1.6))
    axes[0, 0].set_ylabel("estimated F1")
    shown = {"a draw of labels": key("#555555", marker="o", markersize=3)} if len(points) else {}
    for what, color in (("mean", COLORS["CR"]), ("$\\pm$ standard deviation", COLORS["PU"])):
        shown |= {f"{what}, simulated": key(color, marker="_"), f"{what}, exact": key(color, linestyle=":")}
    shared_legend(figure, shown | {"F1 of the classifier, printed": key(**_READ_OFF, marker="x")})
    return figure


def _printed(published, pattern):
    """Numbers of a printed curve: the groups of a pattern of ids, the last of them as the place on the axis."""
    found = published["id"].str.extract(pattern).dropna()
    *names, at = (found[column] for column in found)
    return pd.DataFrame({**{f"name{n}": name for n, name in enumerate(names)}, "at": at.astype(float)}).join(published)


def figure4(table, published):
    """Inversions by label frequency, a panel per set."""
    printed = _printed(published, r"^figure4([ab])_(estimated_f1|lee_liu)_(.+)$")
    panels = {"generated": "a", "iris": "b", "iris_bundled": "b"}
    names = _in_order(table["dataset"])
    columns = min(2, len(names))
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(0.5 + 3.4 * columns, 0.8 + 2.4 * rows), squeeze=False, sharex=True
    )
    for axis, name in zip(axes.flat, names, strict=False):
        part = table[table["dataset"] == name]
        other = part[part["variant"] == "lines not turned round"]
        for method, line in _LINES.items():
            grey = other[other["method"] == method]
            axis.plot(grey["rho"], grey["median"], line, color=_GREY, linewidth=1)
            band = part[(part["variant"] == "as published") & (part["method"] == method)]
            axis.fill_between(band["rho"], band["low"], band["high"], color=_COLORS[method], alpha=0.15, linewidth=0)
            axis.plot(band["rho"], band["median"], line, color=_COLORS[method], linewidth=1.5)
            read_off = printed[(printed["name0"] == panels.get(name)) & (printed["name1"] == method)]
            axis.plot(read_off["at"], read_off["published"], marker=_MARKS[method], **_READ_OFF)
        axis.set(title=SOURCES.get(name, name), xlim=(0, 1))
        axis.set_ylim(bottom=0)
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    for axis in axes[:, 0]:
        axis.set_ylabel("inversions (%)")
    for axis in axes.flat[max(0, len(names) - columns) : len(names)]:
        axis.set_xlabel(_RHO)
        axis.tick_params(labelbottom=True)
    shown = {name: key(_COLORS[method], linestyle=_LINES[method]) for method, name in METHODS.items()}
    for method, name in METHODS.items():
        shown[f"{name}, lines never flipped"] = key(_GREY, linestyle=_LINES[method])
    for method, name in METHODS.items():
        shown[f"{name}, read off the paper's curve"] = key(**_READ_OFF, marker=_MARKS[method])
    shared_legend(figure, shown, ncols=2)
    return figure


def figure5(table, published):
    """Inversions by the factor by which the label frequency is wrong."""
    printed = _printed(published, r"^figure5_iris_mean_(.+)$")
    names = _in_order(table["dataset"])
    figure, axes = plt.subplots(1, len(names), figsize=(0.6 + 3.4 * len(names), 3.4), squeeze=False)
    for axis, name in zip(axes[0], names, strict=True):
        part = table[table["dataset"] == name]
        estimated, other = part[part["method"] == "estimated_f1"], part[part["method"] == "lee_liu"].iloc[0]
        color = _COLORS["estimated_f1"]
        axis.fill_between(
            estimated["factor"], estimated["low"], estimated["high"], color=color, alpha=0.15, linewidth=0
        )
        axis.plot(
            estimated["factor"], estimated["mean"], "o-", color=color, linewidth=1.5, markersize=4, label="estimated F1"
        )
        if name.startswith("iris"):
            label = "estimated F1, printed (one of three runs)"
            axis.plot(printed["at"], printed["published"], marker=_MARKS["estimated_f1"], label=label, **_READ_OFF)
            label = "LL score, printed (range)"
            axis.axhspan(*_PRINTED_LL, facecolor="none", edgecolor=PRINTED, hatch="////", linewidth=0, label=label)
        axis.axhspan(other["low"], other["high"], color=_COLORS["lee_liu"], alpha=0.1, linewidth=0)
        axis.axhline(other["mean"], color=_COLORS["lee_liu"], linewidth=1.5, label="LL score")
        axis.set_xscale("log", base=2)
        axis.set_xticks([0.5, 0.75, 1, 1.25, 1.5, 2], labels=["0.5", "0.75", "1", "1.25", "1.5", "2"])
        axis.minorticks_off()
        axis.set(title=SOURCES.get(name, name), xlabel="factor by which $\\rho$ is wrong")
        axis.set_ylim(bottom=0)
    axes[0, 0].set_ylabel("inversions (%), mean over $\\rho$")
    shared_legend(figure, ncols=2)
    return figure


def _in_order(names):
    """Data sets in the order of the captions, unknown ones last."""
    known = list(SOURCES)
    return sorted(set(names), key=lambda name: (known.index(name) if name in known else len(known), name))
