"""The figures of the study of class priors."""

import matplotlib.pyplot as plt

from pumetrics_workflow.studies.class_priors import DEFAULT
from pumetrics_workflow.studies.drawing import (
    PALETTE,
    WIDTH,
    box_plot,
    counted,
    dots,
    estimator_label,
    facets,
    lines,
    named,
    shared_legend,
)
from pumetrics_workflow.studies.queries import only

__all__ = ["error_by_alpha", "error_by_method", "real_data"]

_METRICS = {"alpha": r"$\alpha$", "beta": r"$\beta$"}


def error_by_alpha(table):
    """A panel per method against all others in gray: fifteen lines in one panel would be indistinguishable."""
    means = table.groupby(["method", "alpha"], as_index=False)["absolute_error"].mean()
    others = means.pivot(index="alpha", columns="method", values="absolute_error")
    means = named(means, method=_from_best(means, "absolute_error"))
    means["default"] = means["method"] == estimator_label(DEFAULT)

    rows = -(-means["method"].nunique() // 5)
    panels = facets(means, 0.6 + 1.5 * rows, col="method", col_wrap=5)
    for axis in panels.axes.flat:
        axis.plot(others, color=PALETTE["negative"], linewidth=0.5)
        axis.title.set_fontsize(8.5)
    palette = {False: PALETTE["corrected"], True: PALETTE["CE+"]}
    panels.map_dataframe(
        lines,
        x="alpha",
        y="absolute_error",
        hue="default",
        palette=palette,
        marker="o",
        legend=False,
    )
    panels.set(
        xlim=(0, 1),
        xticks=[0, 0.5, 1],
        ylim=(0, None),
        xlabel="",
        ylabel="",
    )
    panels.figure.supxlabel(rf"true $\alpha$, {counted(table['runs'])}", fontsize=9)
    panels.figure.supylabel(r"mean absolute error of $\alpha$", fontsize=9)
    return panels.figure


def error_by_method(table):
    """Rows of dots per method, one for each number of labeled examples."""
    order = _from_best(only(table, metric="alpha"), "absolute_error")
    sizes = {n: f"{n:g} labeled examples" for n in sorted(table["n"].unique())}
    table = named(table, n=sizes, method=order, metric=_METRICS)
    panels = facets(table, 1 + 0.28 * len(order), col="metric", sharex=False)
    panels.map_dataframe(
        dots,
        x="absolute_error",
        y="method",
        hue="n",
        palette=[PALETTE["few"], PALETTE["many"]][: len(sizes)],
    )
    panels.set(xlim=(0, None))
    panels.set_axis_labels(f"mean absolute error, {counted(table['runs'])}", "")
    return shared_legend(panels.figure)


def real_data(table):
    """A box and a row of dots per method; neighbors are shifted, and the axis is linear up to 0.02 only."""
    table = only(table, scores="logistic regression")
    means = table.groupby(["method", "dataset"], as_index=False)["bias"].mean()
    order = _from_best(means.assign(bias=means["bias"].abs()), "bias")
    means = named(means.sort_values("bias", kind="stable"), method=order)
    methods = means.groupby("method", observed=True)
    means["lane"] = methods.cumcount() % 3

    figure, axis = plt.subplots(figsize=(WIDTH, 0.8 + 0.32 * len(order)))
    axis.axvline(0, color=PALETTE["line"], linewidth=1, zorder=1)
    box_plot(
        means,
        x="bias",
        y="method",
        whis=0,
        color="#c9dcec",
        linecolor="black",
        boxprops={"edgecolor": "none"},
        showcaps=False,
        showfliers=False,
    )
    palette = dict.fromkeys(range(3), PALETTE["corrected"])
    dots(
        means,
        x="bias",
        y="method",
        hue="lane",
        palette=palette,
        legend=False,
        alpha=0.7,
    )

    axis.set_xscale("symlog", linthresh=0.02)
    axis.set_xticks([-0.2, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2, 0.5])
    axis.xaxis.set_major_formatter("{x:g}")
    axis.minorticks_off()
    axis.set_xlabel(rf"mean error of $\alpha$ per data set, {counted(methods.size(), 'sets')}")
    return figure


def _from_best(table, column):
    """Labels of the methods, from the smallest mean of a column on."""
    order = table.groupby("method")[column].mean().sort_values(kind="stable").index
    return {name: estimator_label(name) for name in order}
