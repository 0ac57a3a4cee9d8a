"""The figures of the study of class priors."""

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.class_priors import DEFAULT
from pumetrics_workflow.studies.drawing import (
    counted,
    dots,
    estimator_label,
    grid,
    key,
    shared_legend,
)
from pumetrics_workflow.studies.queries import only

__all__ = ["error_by_alpha", "error_by_method", "real_data"]


def error_by_alpha(table):
    """A panel per method against all others in gray: fifteen lines in one panel would be indistinguishable."""
    means = table.groupby(["method", "alpha"])["absolute_error"].mean().unstack("method")
    methods = list(means.mean().sort_values().index)
    columns = 5
    rows = -(-len(methods) // columns)
    titles = [estimator_label(method) for method in methods]
    figure, axes = grid(rows, columns, 0.6 + 1.5 * rows, titles=titles, sharex=True, sharey=True)
    for axis, method in zip(axes.flat, methods, strict=False):
        axis.plot(means, color="#d0d0d0", linewidth=0.7)
        color = COLORS["CE+"] if method == DEFAULT else COLORS["CR"]
        axis.plot(means[method].dropna(), "o-", color=color, markersize=3)
        axis.set(xlim=(0, 1), xticks=[0, 0.5, 1], ylim=(0, None))
        axis.title.set_fontsize(8.5)
    figure.supxlabel(rf"true $\alpha$, {counted(table['runs'])}", fontsize=9)
    figure.supylabel(r"mean absolute error of $\alpha$", fontsize=9)
    return figure


def error_by_method(table):
    """Rows of dots per method, one for each number of labeled examples."""
    order = (
        only(table, metric="alpha").groupby("method")["absolute_error"].mean().sort_values().index
    )
    rows = {name: estimator_label(name) for name in order}
    styles = dict(zip(sorted(table["n"].unique()), (COLORS["CR"], COLORS["PU"]), strict=False))
    runs = counted(table["runs"])
    labels = [rf"mean absolute error of $\{metric}$, {runs}" for metric in ("alpha", "beta")]
    figure, axes = grid(1, 2, 1 + 0.28 * len(rows), x=labels, sharey=True)
    for axis, metric in zip(axes[0], ("alpha", "beta"), strict=True):
        part = only(table, metric=metric)
        dots(axis, part, x="absolute_error", y="method", rows=rows, hue="n", styles=styles)
        axis.set_xlim(0, None)
        axis.locator_params(axis="x", nbins=5)
    return shared_legend(
        figure, {f"{n:g} labeled examples": key(color, marker="o") for n, color in styles.items()}
    )


def real_data(table):
    """A box and a row of dots per method; neighbors are shifted, and the axis is linear up to 0.02 only."""
    means = (
        only(table, scores="logistic regression")
        .groupby(["method", "dataset"])[["bias"]]
        .mean()
        .reset_index()
        .sort_values("bias")
    )
    means["lane"] = means.groupby("method").cumcount() % 3
    order = (
        means.groupby("method")["bias"].apply(lambda bias: bias.abs().mean()).sort_values().index
    )
    rows = {name: estimator_label(name) for name in order}
    sets = counted(means.groupby("method").size(), "sets")
    figure, ((axis,),) = grid(
        1, 1, 0.8 + 0.32 * len(rows), x=rf"mean error of $\alpha$ per data set, {sets}"
    )
    axis.axvline(0, color="#444444", linewidth=1, zorder=1)
    box = {"whis": 0, "showfliers": False, "showcaps": False, "widths": 0.8, "manage_ticks": False}
    box |= {"patch_artist": True, "boxprops": {"facecolor": "#c9dcec", "edgecolor": "none"}}
    parts = [only(means, method=name)["bias"] for name in rows]
    axis.boxplot(
        parts,
        positions=range(len(rows)),
        orientation="horizontal",
        medianprops={"color": "black"},
        **box,
    )
    styles = dict.fromkeys(range(3), COLORS["CR"])
    dots(axis, means, x="bias", y="method", rows=rows, hue="lane", styles=styles, alpha=0.7)
    axis.set_xscale("symlog", linthresh=0.02)
    ticks = [-0.2, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2, 0.5]
    axis.set_xticks(ticks, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks])
    axis.minorticks_off()
    return figure
