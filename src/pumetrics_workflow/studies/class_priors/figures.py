"""The figures of the study of class priors."""

import matplotlib.pyplot as plt

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.class_priors import DEFAULT

__all__ = ["figures"]


def figures(tables):
    """Return the figures by name."""
    drawn = {"error_by_alpha": _by_alpha(tables["by_alpha"]), "error_by_method": _by_method(tables["by_size"])}
    if len(tables["real_by_dataset"]):
        drawn["real_data"] = _real(tables["real_by_dataset"])
    return drawn


def _by_alpha(table):
    """A panel per method against all others in grey: fifteen lines in one panel would be indistinguishable."""
    means = table.groupby(["method", "alpha"])["absolute_error"].mean().unstack("method")
    methods = list(means.mean().sort_values().index)
    columns = 5
    rows = -(-len(methods) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(7.4, 0.6 + 1.5 * rows), sharex=True, sharey=True, squeeze=False)
    for axis, method in zip(axes.flat, methods, strict=False):
        axis.plot(means, color="#d0d0d0", linewidth=0.7)
        color = COLORS["CE+"] if method == DEFAULT else COLORS["CR"]
        axis.plot(means[method].dropna(), "o-", color=color, markersize=3)
        axis.set(title=method, xlim=(0, 1), xticks=[0, 0.5, 1], ylim=(0, None), xlabel="", ylabel="")
    for axis in list(axes.flat)[len(methods) :]:
        axis.set_axis_off()
    figure.supxlabel(r"true $\alpha$", fontsize=9)
    figure.supylabel(r"mean absolute error of $\alpha$", fontsize=9)
    return figure


def _by_method(table):
    import seaborn as sns

    figure, axes = plt.subplots(1, 2, figsize=(7.4, 0.8 + 0.26 * table["method"].nunique()), sharey=True)
    order = table[table["metric"] == "alpha"].groupby("method")["absolute_error"].mean().sort_values().index
    for axis, metric in zip(axes, ("alpha", "beta"), strict=True):
        part = table[table["metric"] == metric].assign(n=lambda table: table["n"].astype(int).astype(str))
        sns.stripplot(
            part, y="method", x="absolute_error", hue="n", order=order, ax=axis, size=5, jitter=False,
            palette=[COLORS["CR"], COLORS["PU"]][: part["n"].nunique()],
        )  # fmt: skip
        axis.set(xlabel=rf"mean absolute error of $\{metric}$", ylabel="", xlim=(0, None))
        axis.grid(axis="y")
        axis.locator_params(axis="x", nbins=5)
        handles, labels = axis.get_legend_handles_labels()
        axis.legend().remove()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, title="labeled examples")
    return figure


def _real(table):
    import seaborn as sns

    table = table[table["scores"] == "logistic regression"]
    means = table.groupby(["method", "dataset"])[["bias"]].mean().reset_index()
    order = means.groupby("method")["bias"].apply(lambda bias: bias.abs().mean()).sort_values().index
    figure, axis = plt.subplots(figsize=(7, 0.8 + 0.32 * len(order)))
    axis.axvline(0, color="#444444", linewidth=1, zorder=1)
    sns.stripplot(means, y="method", x="bias", order=order, ax=axis, size=4, alpha=0.7, color=COLORS["CR"], jitter=0.2)
    axis.set(xlabel=r"mean error of $\alpha$ per data set", ylabel="")
    return figure
