"""The figures of Claesen, Davis, De Smet & De Moor (2015)."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.claesen2015 import BAND_LABELS
from pumetrics_workflow.studies.claesen2015.diagrams import figure1, figure4, figure6_8, table1, table2
from pumetrics_workflow.studies.drawing import key, shared_legend

__all__ = ["coverage", "figure1", "figure2", "figure3", "figure4", "figure5", "figure6_8", "table1", "table2"]

BAND_COLORS = {
    "bootstrap": COLORS["bounds_bootstrap"],
    "dkw": COLORS["bounds_dkw"],
    "hypergeometric_pointwise": COLORS["DR"],
    "hypergeometric": COLORS["bounds_hypergeometric"],
}
BLUE = COLORS["CR"]


def figure2(table):
    """Bounds on the AUROC by the number of known positives, a panel per band."""
    names = [name for name in ("bootstrap", "hypergeometric") if name in set(table["band"])]
    figure, axes = plt.subplots(1, len(names), figsize=(3.6 * len(names), 3.0), sharey=True, squeeze=False)
    for axis, name in zip(axes[0], names, strict=True):
        part = table[table["band"] == name].sort_values("n_labeled")
        for side in ("lower", "upper"):
            color = COLORS[side]
            axis.fill_between(part["n_labeled"], part[f"{side}_q025"], part[f"{side}_q975"], color=color, alpha=0.35)
            axis.plot(part["n_labeled"], part[side], "o-", color=color, markersize=3, label=f"{side} bound")
        axis.plot(part["n_labeled"], part["truth"], color=COLORS["true"], linewidth=1, label="true area")
        axis.set(xscale="log", xlabel="known positives", title=BAND_LABELS[name])
        axis.xaxis.set_major_formatter("{x:g}")
    axes[0, 0].set_ylabel("AUROC")
    axes[0, -1].legend(loc="lower right")
    return figure


def figure3(table):
    """Bounds on one ROC curve by the estimated alpha, a panel per band."""
    names = list(table["method"].unique())
    figure, axes = plt.subplots(1, len(names), figsize=(3.6 * len(names), 4.0), sharey=True, squeeze=False)
    labelings = sorted(table["labeling"].unique())
    shades = plt.get_cmap("viridis")(np.linspace(0.05, 0.9, len(labelings)))
    for axis, name in zip(axes[0], names, strict=True):
        for labeling, color in zip(labelings, shades, strict=True):
            part = table[(table["method"] == name) & (table["labeling"] == labeling)]
            alpha = labeling.removeprefix("alpha_hat=")
            axis.fill_between(part["threshold"], part["lower"], part["upper"], color=color, alpha=0.3, linewidth=0)
            for side, label in (("lower", None), ("upper", f"$\\hat\\alpha$ = {alpha}")):
                axis.plot(part["threshold"], part[side], color=color, linewidth=0.8, label=label)
        axis.plot(part["threshold"], part["truth"], color=COLORS["true"], linewidth=1.2, label="true curve")
        axis.plot([0, 1], [0, 1], color="#aaaaaa", linewidth=0.8, linestyle=":")
        axis.set(xlabel="false positive rate", title=BAND_LABELS[name], xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
    axes[0, 0].set_ylabel("true positive rate")
    axes[0, -1].legend(loc="lower right")
    return figure


PANELS = {
    "rank_cdf": ("share of the ranking", "share of hidden positives"),
    "roc_curve": ("false positive rate", "true positive rate"),
    "pr_curve": ("recall", "precision"),
}


SCORES = {"claesen_covertype_scores": "Covertype, published scores", "covertype_subset": "Covertype, bagging SVM"}


def figure5(table):
    """Rank CDF, ROC and precision-recall curves with their bounds, a row per set and band."""
    rows = [(name, band) for name in sorted(table["dataset"].unique()) for band in ("bootstrap", "hypergeometric")]
    shape = {"figsize": (7.2, 1.0 + 2.1 * len(rows)), "sharex": True, "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(len(rows), 3, **shape)
    for line, (name, band) in zip(axes, rows, strict=True):
        part = table[(table["dataset"] == name) & (table["method"] == band)]
        for axis, (metric, (_, y)) in zip(line, PANELS.items(), strict=True):
            _bounded(axis, part[part["metric"] == metric])
            axis.set(ylabel=y, xlim=(0, 1), ylim=(0, 1.02))
        line[1].set_title(f"{SCORES.get(name, name)}: {BAND_LABELS[band]}")
    for axis, (x, _) in zip(axes[-1], PANELS.values(), strict=True):
        axis.set_xlabel(x)
    shown = {
        "true curve": key(COLORS["true"], linestyle="-"),
        r"$\hat\alpha = 0$": key(COLORS["PU"], linestyle="--"),
        r"$\hat\alpha = \alpha$": key(BLUE, alpha=0.55),
        r"$\hat\alpha = \alpha \pm 20\%$": key(BLUE, alpha=0.22),
    }
    shared_legend(figure, shown, ncols=4)
    return figure


def _bounded(axis, table):
    """Draw the bounds of one curve at each estimate of alpha, and the curve."""
    for prior, opacity in (("interval", 0.22), ("true", 0.55)):
        part = table[table["prior"] == prior]
        axis.fill_between(part["threshold"], part["lower"], part["upper"], color=BLUE, alpha=opacity, linewidth=0)
    naive = table[table["prior"] == "none"]
    axis.plot(naive["threshold"], naive["upper"], "--", color=COLORS["PU"], linewidth=1)
    truth = table[table["prior"] == "true"]
    axis.plot(truth["threshold"], truth["truth"], color=COLORS["true"], linewidth=1.1)


def coverage(table):
    """Coverage by number of labeled positives: at all ranks, at a rank (mean, worst), of the AUROC."""
    panels = [("everywhere_exact", "all ranks"), ("rank_mean_exact", "one rank"), ("roc_auc", "AUROC")]
    sizes, alphas = sorted(table["n_labeled"].unique()), sorted(table["alpha"].unique())
    shape = {"figsize": (7.2, 0.6 + 1.8 * len(alphas)), "sharex": True, "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(len(alphas), 3, **shape)
    place = {size: number for number, size in enumerate(sizes)}
    for line, alpha in zip(axes, alphas, strict=True):
        for axis, (column, title) in zip(line, panels, strict=True):
            axis.axhline(0.95, color="#555555", linewidth=0.8, linestyle="--")
            for number, (name, color) in enumerate(BAND_COLORS.items()):
                part = table[(table["band"] == name) & (table["alpha"] == alpha)]
                x = part["n_labeled"].map(place) + (number - 1.5) * 0.17
                axis.vlines(x, 0, part[column], color=color, linewidth=1, alpha=0.4)
                axis.plot(x, part[column], "o", color=color, markersize=4.5)
                if column == "rank_mean_exact":
                    axis.plot(x, part["rank_worst_exact"], "_", color=color, markersize=8, markeredgewidth=1.5)
            if alpha == alphas[0]:
                axis.set_title(title)
            axis.set(ylim=(0, 1.03), xlim=(-0.5, len(sizes) - 0.5))
            axis.set_xticks(range(len(sizes)), [f"{size:g}" for size in sizes])
        line[0].set_ylabel(f"$\\alpha$ = {alpha:g}\ncoverage")
    for axis in axes[-1]:
        axis.set_xlabel("labeled positives")
    shown = {BAND_LABELS[name]: key(color, marker="o") for name, color in BAND_COLORS.items()}
    shown["one rank: the mean of all ranks"] = key("#555555", marker="o")
    shown["one rank: the worst rank"] = key("#555555", marker="_")
    shared_legend(figure, shown)
    return figure
