"""The figures of Tabatabaei et al. (2020)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pumetrics_workflow.studies.drawing import (
    PALETTE,
    WIDTH,
    counted,
    facets,
    lines,
    named,
    shared_legend,
)
from pumetrics_workflow.studies.queries import only
from pumetrics_workflow.studies.tabatabaei2020 import (
    METHODS,
    NAMES,
    SOURCES,
)

__all__ = ["figure1", "figure2", "figure3", "figure4", "figure5"]

_COLORS = {
    "estimated_f1": PALETTE["f1_from_rho"],
    "lee_liu": PALETTE["lee_liu"],
}
_DASHES = {
    "estimated_f1": "-",
    "lee_liu": "--",
}  # since the curves of both scores can coincide
_MARKS = {"estimated_f1": "x", "lee_liu": "+"}  # printed numbers
_LETTERS = {"a": "generated", "b": "iris"}
_MODELS = {
    "forest": "random forest (the paper's)",
    "logistic": "logistic regression",
}
_FORMULAS = {
    "elkan_noto": ("Elkan and Noto's mean", PALETTE["third"], "-", 3),
    "corrected": ("corrected formula", PALETTE["first"], "--", 1),
    "published": ("published formula", PALETTE["second"], "-", 1),
}
_PRINTED_LL = (
    4.77,
    5.16,
)  # Figure 5b: the LL score in the results published with the paper
_RHO = r"label frequency $\rho$"


def figure1(points, random_lines):
    """A generated set with its labels, and random lines."""
    import seaborn as sns

    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 3.7))
    names = {1: "positive", 0: "negative"}
    shown = named(points, y=names)
    sns.scatterplot(
        shown,
        x="x1",
        y="x2",
        hue="y",
        palette=PALETTE,
        s=16,
        linewidth=0,
        ax=left,
    )
    rings = only(points, label="labeled")
    left.scatter(
        rings["x1"],
        rings["x2"],
        s=75,
        facecolor="none",
        edgecolor="k",
        label="labeled",
    )
    left.axline((0, 0.2), slope=1, linestyle="--", color=PALETTE["line"])
    for line in random_lines.itertuples():
        right.axline(
            (0, line.intercept),
            slope=line.slope,
            color=PALETTE["first"],
            linewidth=0.6,
        )

    left.set_title("a generated set")
    right.set_title(f"{len(random_lines)} of the random lines")
    for axis in (left, right):
        axis.set(
            xlabel="$x_1$",
            ylabel="$x_2$",
            xlim=(0, 1),
            ylim=(0, 1),
            aspect="equal",
        )
    return shared_legend(figure)


def figure2(table):
    """Error of the estimated label frequency, a row per model and a column per set; of two formulas the mean alone."""
    estimates = ["mean", "min", "max", "low", "high"]
    table = named(table, dataset=SOURCES, model=_MODELS)
    table[estimates] = table[estimates].sub(table["rho"], axis=0)
    panels = facets(table, 5.8, row="model", col="dataset", sharey="row")
    panels.refline(y=0, color=PALETTE["line"], linestyle="-", linewidth=0.8)
    color = PALETTE["second"]
    for (model, dataset), axis in panels.axes_dict.items():
        part = only(table, model=model, dataset=dataset)
        for name, (label, shade, dash, width) in _FORMULAS.items():
            mean = only(part, method=name)
            axis.plot(
                mean["rho"],
                mean["mean"],
                dash,
                color=shade,
                linewidth=width,
                label=label,
            )
        # The last of them is the published one.
        label = "10 to 90%, published formula"
        axis.fill_between(
            mean["rho"],
            mean["low"],
            mean["high"],
            color=color,
            alpha=0.2,
            linewidth=0,
            label=label,
        )
        axis.plot(
            mean["rho"],
            mean[["min", "max"]],
            ":",
            color=color,
            linewidth=0.9,
            label="least and greatest, published formula",
        )
    panels.set(xlim=(0, 1))
    panels.set_axis_labels(r"true $\rho$", r"estimated $-$ true $\rho$")
    return shared_legend(panels.figure, ncols=2)


def figure3(table, points, published):
    """Estimated F1 of one classifier by label frequency: simulated, and from the exact law."""
    printed = published.set_index("id")["published"]
    titles = _counted(table)
    panels = facets(named(table, dataset=titles), 3.6, col="dataset")
    color = PALETTE["corrected"]
    label = "exact mean ± standard deviation"
    panels.map(
        plt.fill_between,
        "rho",
        "exact_low",
        "exact_high",
        color=color,
        alpha=0.22,
        label=label,
    )
    panels.map_dataframe(lines, x="rho", y="truth", color=color, label="exact mean")
    for name, axis in zip(titles, panels.axes.flat, strict=True):
        part = only(table, dataset=name)
        if len(points):  # a reference holds no draws
            draws = only(points, dataset=name)
            axis.plot(
                draws["rho"],
                draws["estimate"],
                ",",
                color=PALETTE["negative"],
                zorder=0,
            )
        axis.errorbar(
            part["rho"],
            part["mean"],
            part["std"],
            color=PALETTE["line"],
            fmt=".",
            markersize=3,
            elinewidth=0.5,
            label="simulated mean ± standard deviation",
        )
        f1 = printed[f"figure3_{NAMES[name]}_f1"]
        label = "F1 of the classifier, printed"
        axis.plot(
            1,
            f1,
            "x",
            color=PALETTE["printed"],
            label=label,
            clip_on=False,
            zorder=5,
        )
    panels.set(xlim=(0, 1.01), ylim=(0, 1.6))
    panels.set_axis_labels(_RHO, "estimated F1")
    return shared_legend(panels.figure)


def figure4(table, published):
    """Inversions by label frequency, a panel per set."""
    pattern = r"^figure4(?P<panel>[ab])_(?P<method>estimated_f1|lee_liu)_(?P<at>.+)$"
    printed = _printed(published, pattern)
    printed["dataset"] = printed["panel"].map(_LETTERS)
    titles = _counted(table)
    rows = -(-len(titles) // 2)
    shown = named(table, dataset=titles)
    panels = facets(shown, 0.8 + 2.4 * rows, col="dataset", col_wrap=2, sharey=False)
    for name, axis in zip(titles, panels.axes, strict=True):
        for method, label in METHODS.items():
            of_method = only(table, dataset=name, method=method)
            gray = only(of_method, variant="lines not turned round")
            axis.plot(
                gray["rho"],
                gray["median"],
                _DASHES[method],
                color=PALETTE["negative"],
                label=f"{label}, lines never flipped",
            )
            part = only(of_method, variant="as published")
            color = _COLORS[method]
            axis.fill_between(
                part["rho"],
                part["low"],
                part["high"],
                color=color,
                alpha=0.15,
            )
            axis.plot(
                part["rho"],
                part["median"],
                _DASHES[method],
                color=color,
                label=label,
            )
            read_off = only(printed, dataset=NAMES.get(name), method=method)
            axis.plot(
                read_off["at"],
                read_off["published"],
                _MARKS[method],
                color=PALETTE["printed"],
                label=f"{label}, read off the paper's curve",
            )
    panels.set(xlim=(0, 1), ylim=(0, None))
    panels.set_axis_labels(_RHO, "inversions (%)")
    return shared_legend(panels.figure, ncols=2)


def figure5(table, published, tries):
    """Inversions by the factor by which the label frequency is wrong; of Iris in draws as small as the paper's."""
    method = np.where(tries["factor"].isna(), "lee_liu", "estimated_f1")
    few = tries.assign(method=method, low=tries["lower"], high=tries["upper"])
    table = pd.concat([table[~table["dataset"].isin(few["dataset"])], few])
    printed = _printed(published, r"^figure5_iris_mean_(?P<at>.+)$")
    titles = _counted(table)
    ours = named(only(table, method="estimated_f1"), dataset=titles)
    panels = facets(ours, 3.4, col="dataset", sharey=False)
    color = _COLORS["estimated_f1"]
    panels.map_dataframe(
        lines,
        x="factor",
        y="mean",
        marker="o",
        color=color,
        label="estimated F1",
    )
    panels.map(plt.fill_between, "factor", "low", "high", color=color, alpha=0.15)
    for name, axis in zip(titles, panels.axes.flat, strict=True):
        other = only(table, dataset=name, method="lee_liu").iloc[0]
        color = _COLORS["lee_liu"]
        axis.axhline(other["mean"], color=color, linestyle="--", label="LL score")
        axis.axhspan(other["low"], other["high"], color=color, alpha=0.1, linewidth=0)
        if NAMES.get(name) == "iris":
            color = PALETTE["printed"]
            label = "estimated F1, printed (one of three runs)"
            axis.plot(
                printed["at"],
                printed["published"],
                "x",
                color=color,
                label=label,
            )
            axis.axhspan(
                *_PRINTED_LL,
                facecolor="none",
                edgecolor=color,
                hatch="////",
                linewidth=0,
                label="LL score, printed (range)",
            )
        axis.set_xscale("log", base=2)
        axis.set_xticks([0.5, 0.75, 1, 1.25, 1.5, 2])
        axis.xaxis.set_major_formatter("{x:g}")
        axis.minorticks_off()
    panels.set(ylim=(0, None))
    panels.set_axis_labels(
        r"factor by which $\rho$ is wrong",
        r"inversions (%), mean over $\rho$",
    )
    return shared_legend(panels.figure, ncols=2)


def _printed(published, pattern):
    """Numbers of a printed curve: the groups of a pattern of ids, the last of them as the place on the axis."""
    found = published["id"].str.extract(pattern).dropna()
    return found.astype({"at": float}).join(published["published"])


def _counted(table):
    """Titles of panels by data set, with the number of draws behind each point."""
    return {
        name: f"{title}, {counted(only(table, dataset=name)['draws'])}"
        for name, title in SOURCES.items()
        if name in set(table["dataset"])
    }
