"""Figures that show a construction or a grid of intervals: Figures 1, 4 and 6 to 8, Tables 1 and 2."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.drawing import PRINTED, SMALL, key, shared_legend

__all__ = ["figure1", "figure4", "figure6_8", "table1", "table2"]

FIRST, SECOND, THIRD = COLORS["CR"], COLORS["PU"], COLORS["CE+"]
GREY = "#aaaaaa"


def figure1(table):
    """Rank CDF of the two sets of the printed ranking."""
    figure, axis = plt.subplots(figsize=(4.6, 2.8))
    for name, color in (("P1", FIRST), ("P2", SECOND)):
        part = table[table["set"] == name]
        axis.step(
            np.r_[0, part["rank"]], np.r_[0, part["value"]], where="post", color=color, label=f"${name[0]}_{name[1]}$"
        )
    axis.set_xticks(range(1, 10), [f"{rank}\n{name}" for rank, name in enumerate("BEDGHAFCI", start=1)])
    axis.set(xlabel="rank", ylabel="rank CDF", xlim=(0, 9.3), ylim=(0, 1.03))
    axis.legend(loc="lower right")
    return figure


def figure4(curves, areas, published):
    """Two models whose order flips by clipping, their areas by alpha, and a pair without clipping."""
    figure, axes = plt.subplots(2, 2, figsize=(6.8, 6.6))
    axes = axes.ravel()
    labelings = sorted(curves["labeling"].unique())
    for axis, labeling in zip(axes[:2], (labelings[0], labelings[-1]), strict=True):
        for model, color in (("model 1", FIRST), ("model 2", SECOND)):
            part = curves[(curves["model"] == model) & (curves["labeling"] == labeling)]
            alpha = float(labeling.removeprefix("alpha_hat="))
            area = areas[(areas["model"] == model) & np.isclose(areas["alpha_hat"], alpha)]["roc_auc"].iloc[0]
            axis.plot(part["threshold"], part["estimate"], color=color, label=f"{model}: {area:.1f}%")
        axis.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=":")
        axis.set(xlabel="false positive rate", ylabel="true positive rate", title=f"$\\hat\\alpha$ = {alpha:g}")
        axis.legend(loc="lower right")
    for model, color in (("model 1", FIRST), ("model 2", SECOND)):
        part = areas[areas["model"] == model]
        axes[2].plot(part["alpha_hat"], part["roc_auc"], "o-", color=color, markersize=3, label=model)
        label = f"{model}, without clipping"
        axes[2].plot(part["alpha_hat"], part["roc_auc_unclipped"], "--", color=color, linewidth=1, label=label)
    axes[2].plot(*_printed_areas(published), "x", color=PRINTED, markersize=6, label="printed in the paper")
    axes[2].set(xlabel="$\\hat\\alpha$", ylabel="AUROC (%)", title="models 1 and 2 are clipped")
    styles = {"roc_auc": ("o-", "AUROC"), "best_f1": ("s-.", "best F1"), "average_precision": ("^:", "AUC-PR")}
    for model, color in (("model 3", THIRD), ("model 4", COLORS["DE"])):
        part = areas[areas["model"] == model]
        for metric, (line, name) in styles.items():
            label = f"{model}, {name}"
            axes[3].plot(part["alpha_hat"], part[metric], line, color=color, markersize=3, linewidth=1.2, label=label)
    axes[3].set(xlabel="$\\hat\\alpha$", ylabel="value (%)", title="models 3 and 4 are never clipped", ylim=(0, 85))
    for axis, columns in zip(axes[2:], (1, 2), strict=True):
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=columns, fontsize=SMALL)
    return figure


def _printed_areas(published):
    """Estimated alphas and AUROC (%) of both models, as printed."""
    ids = published["id"].str.extract(r"^figure4_model\d_(.+)$")[0]
    chosen = published[ids.notna()]
    return ids.dropna().astype(float), chosen["published"]


def figure6_8(table):
    """The lemmas: TPR and FPR of two sets, of their union, and FPR by the number of positives."""
    figure, axes = plt.subplots(2, 2, figsize=(6.8, 5.2))
    axes = axes.ravel()
    colors = {"P1": FIRST, "P2": SECOND, "P1 and P2": THIRD}
    names = {"P1": "$P_1$", "P2": "$P_2$", "P1 and P2": "$P_1 \\cup P_2$"}
    panels = (("lemma1", "tpr", "Lemma 1: TPR"), ("lemma1", "fpr", "Lemma 1: FPR"))
    for axis, (lemma, metric, title) in zip(axes, (*panels, ("lemma2", "tpr", "Lemma 2: rank CDF")), strict=False):
        part = table[(table["dataset"] == lemma) & (table["metric"] == metric)]
        for name, group in part.groupby("set"):
            axis.step(group["rank"], group["value"], where="post", color=colors[name], label=names[name])
        axis.set(xlabel="rank", title=title, ylim=(-0.02, 1.05), xticks=range(0, 13, 2))
        axis.legend(loc="lower right")
    for (name, group), color in zip(table[table["dataset"] == "lemma4"].groupby("set"), (FIRST, SECOND), strict=True):
        axes[3].plot(group["rank"], group["value"], color=color, label=name)
    axes[3].axhline(0.5, color=GREY, linewidth=0.8, linestyle="--")
    axes[3].set(xlabel="number of positives", title="Lemma 4: FPR where TPR is 1/2", ylim=(0, 1))
    axes[3].legend(loc="lower left")
    return figure


def table1(table):
    """Bounds from known positives."""
    return _known_examples(table, tightest=False)


def table2(table):
    """Bounds from known positives or negatives, whichever are tighter."""
    return _known_examples(table, tightest=True)


def _known_examples(table, *, tightest):
    """Bounds in a grid of shares of known positives (rows) and negatives (columns), three estimates in each cell."""
    table = table[table["band"] == "bootstrap"]
    rows, columns = sorted(table["positives"].unique()), sorted(table["negatives"].unique())
    truth = table["truth"].mean() * 100
    size = 1.3 * len(columns) + 0.7, 1.05 * len(rows) + 1.1
    figure, axes = plt.subplots(len(rows), len(columns), figsize=size, sharex=True, sharey=True, squeeze=False)
    for line, positives in zip(axes, rows, strict=True):
        for axis, negatives in zip(line, columns, strict=True):
            cell = table[(table["positives"] == positives) & (table["negatives"] == negatives)]
            _cell(axis, cell, tightest=tightest)
            axis.axhline(truth, color=COLORS["true"], linewidth=0.7, zorder=1)
            axis.set(xlim=(-0.6, 2.6), xticks=range(3), xticklabels=["$-$", "=", "+"])
        line[0].set_ylabel(f"{positives:.0%}")
    for axis, negatives in zip(axes[0], columns, strict=True):
        axis.set_title(f"{negatives:.0%}")
    axes[-1, len(columns) // 2].set_xlabel("estimate of $\\alpha$: 20% too small ($-$), exact (=), 20% too large (+)")
    figure.supylabel("AUROC (%), rows by share of known positives", fontsize=9)
    figure.suptitle("columns by share of known negatives", fontsize=9)
    shown = {"bounds from known positives": key(FIRST, linestyle="-", linewidth=3)}
    if tightest:
        shown["bounds from known negatives"] = key(SECOND, linestyle="-", linewidth=3, marker="s", markersize=5)
    shared_legend(figure, shown | {"true area": key(COLORS["true"], linestyle="-", linewidth=0.7)})
    return figure


def _cell(axis, cell, *, tightest):
    """Interval of each estimate; from known positives, or from the side that most repeats found tighter."""
    for place, factor in enumerate(sorted(cell["factor"].unique())):
        bounds = cell[cell["factor"] == factor].set_index("known")[["lower", "upper"]] * 100
        side = _tighter(bounds) if tightest else "positives"
        color = SECOND if side == "negatives" else FIRST
        axis.vlines(place, *bounds.loc[side], color=color, linewidth=3)
        if side == "negatives":
            axis.plot(place, bounds.loc[side].mean(), "s", color=color, markersize=4.5)


def _tighter(bounds):
    """Side whose mean bounds lie closest to the mean of the tighter ones."""
    if "tightest" not in bounds.index:
        return "positives"
    return bounds.sub(bounds.loc["tightest"]).abs().sum(axis=1).loc[["positives", "negatives"]].idxmin()
