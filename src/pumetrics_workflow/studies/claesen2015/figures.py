"""The figures of Claesen, Davis, De Smet & De Moor (2015)."""

import matplotlib.pyplot as plt
import numpy as np

from pumetrics.plotting import COLORS
from pumetrics_workflow.studies.claesen2015 import BAND_LABELS
from pumetrics_workflow.studies.drawing import (
    COLUMN,
    PRINTED,
    SMALL,
    WIDTH,
    counted,
    dots,
    grid,
    key,
    shared_legend,
)
from pumetrics_workflow.studies.queries import only

__all__ = [
    "coverage",
    "figure1",
    "figure2",
    "figure3",
    "figure4",
    "figure5",
    "figure6_8",
    "table1",
    "table2",
]

FIRST, SECOND, THIRD = COLORS["CR"], COLORS["PU"], COLORS["CE+"]
GRAY = "#aaaaaa"
_RATES = "false positive rate", "true positive rate"
PANELS = {
    "rank_cdf": ("share of the ranking", "share of hidden positives"),
    "roc_curve": _RATES,
    "pr_curve": ("recall", "precision"),
}
_GUESSES = "alpha 20% too small", "exact", "20% too large"
_ESTIMATED = COLORS["lower"], COLORS["CR"], COLORS["upper"]
_TRUE_AREA = {"true area": key(COLORS["true"], linestyle="-", linewidth=0.7)}
SCORES = {
    "claesen_covertype_scores": "Covertype, published scores",
    "covertype_subset": "Covertype, bagging SVM",
}


def figure2(table):
    """Bounds on the AUROC by the number of known positives, a panel per band."""
    names = [name for name in ("bootstrap", "hypergeometric") if name in set(table["band"])]
    repeats = counted(table["repeats"], "rankings")
    labels = {
        "x": f"known positives ({repeats})",
        "y": "AUROC",
        "titles": [BAND_LABELS[name] for name in names],
    }
    figure, axes = grid(1, len(names), 3.0, sharey=True, **labels)
    for axis, name in zip(axes[0], names, strict=True):
        part = only(table, band=name).sort_values("n_labeled")
        for side in ("lower", "upper"):
            color = COLORS[side]
            axis.fill_between(
                part["n_labeled"],
                part[f"{side}_q025"],
                part[f"{side}_q975"],
                color=color,
                alpha=0.35,
            )
            axis.plot(
                part["n_labeled"],
                part[side],
                "o-",
                color=color,
                markersize=3,
                label=f"{side} bound",
            )
        axis.plot(
            part["n_labeled"], part["truth"], color=COLORS["true"], linewidth=1, label="true area"
        )
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter("{x:g}")
    axes[0, -1].legend(loc="lower right")
    return figure


def figure3(table):
    """Bounds on one ROC curve, a panel per estimated alpha."""
    labelings = sorted(table["labeling"].unique())
    titles = [f"$\\hat\\alpha$ = {labeling.removeprefix('alpha_hat=')}" for labeling in labelings]
    rows = -(-len(labelings) // 3)
    labels = {"x": _RATES[0], "y": _RATES[1], "titles": titles}
    figure, axes = grid(rows, 3, 0.6 + 2.4 * rows, sharex=True, sharey=True, **labels)
    opacities = {"hypergeometric": 0.3, "bootstrap": 0.75}
    for axis, labeling in zip(axes.flat, labelings, strict=False):
        for name, opacity in opacities.items():
            part = only(table, method=name, labeling=labeling)
            style = {
                "color": FIRST,
                "alpha": opacity,
                "linewidth": 0.8,
            }  # an edge, as without alpha there is no width
            axis.fill_between(part["threshold"], part["lower"], part["upper"], **style)
        axis.plot(part["threshold"], part["truth"], color=COLORS["true"], linewidth=1.2)
        axis.plot([0, 1], [0, 1], color=GRAY, linewidth=0.8, linestyle=":")
        axis.set(xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
    shown = {BAND_LABELS[name]: key(FIRST, alpha=opacities[name]) for name in reversed(opacities)}
    shown["true curve"] = key(COLORS["true"], linestyle="-")
    return shared_legend(figure, shown)


def figure5(table):
    """Rank CDF, ROC and precision-recall curves with their bounds, a row per set and band."""
    rows = [
        (name, band)
        for name in sorted(table["dataset"].unique())
        for band in ("bootstrap", "hypergeometric")
    ]
    x = [label for label, _ in PANELS.values()]
    figure, axes = grid(len(rows), 3, 1.0 + 2.1 * len(rows), x=x, sharex=True, sharey=True)
    for line, (name, band) in zip(axes, rows, strict=True):
        for axis, (metric, (_, y)) in zip(line, PANELS.items(), strict=True):
            _bounded(axis, only(table, dataset=name, method=band, metric=metric))
            axis.set(ylabel=y, xlim=(0, 1), ylim=(0, 1.02))
        line[1].set_title(f"{SCORES.get(name, name)}: {BAND_LABELS[band]}")
    shown = {
        "true curve": key(COLORS["true"], linestyle="-"),
        r"$\hat\alpha = 0$": key(COLORS["PU"], linestyle="--"),
        r"$\hat\alpha = \alpha$": key(FIRST, alpha=0.55),
        r"$\hat\alpha = \alpha \pm 20\%$": key(FIRST, alpha=0.22),
    }
    return shared_legend(figure, shown, ncols=4)


def _bounded(axis, table):
    """Draw the bounds of one curve at each estimate of alpha, and the curve."""
    for prior, opacity in (("interval", 0.22), ("true", 0.55)):
        part = only(table, prior=prior)
        axis.fill_between(
            part["threshold"], part["lower"], part["upper"], color=FIRST, alpha=opacity, linewidth=0
        )
    naive = only(table, prior="none")
    axis.plot(naive["threshold"], naive["upper"], "--", color=COLORS["PU"], linewidth=1)
    axis.plot(part["threshold"], part["truth"], color=COLORS["true"], linewidth=1.1)


def coverage(table):
    """Coverage by band and number of labeled positives: at all ranks, at a rank (mean, worst), of the AUROC."""
    simulated = f"AUROC, {counted(table['repeats'])}"
    panels = {"everywhere_exact": "all ranks", "rank_mean_exact": "one rank", "roc_auc": simulated}
    sizes, alphas = sorted(table["n_labeled"].unique()), sorted(table["alpha"].unique())
    bands = {name: label for name, label in BAND_LABELS.items() if name in set(table["band"])}
    styles = dict(zip(sizes, zip((SECOND, GRAY, FIRST), "osD", strict=True), strict=False))
    labels = {"x": "coverage", "titles": list(panels.values())}
    figure, axes = grid(len(alphas), 3, 0.9 + 1.5 * len(alphas), sharex=True, sharey=True, **labels)
    for line, alpha in zip(axes, alphas, strict=True):
        for axis, column in zip(line, panels, strict=True):
            axis.axvline(0.95, color="#555555", linewidth=0.8, linestyle="--")
            part = only(table, alpha=alpha)
            common = {"y": "band", "rows": bands, "hue": "n_labeled"}
            dots(axis, part, x=column, styles=styles, **common)
            if column == "rank_mean_exact":
                worst = {size: (color, "|") for size, (color, _) in styles.items()}
                dots(
                    axis,
                    part,
                    x="rank_worst_exact",
                    styles=worst,
                    markersize=6,
                    markeredgewidth=1.4,
                    **common,
                )
            axis.set_xlim(-0.03, 1.03)
        line[0].set_ylabel(f"$\\alpha$ = {alpha:g}")
    shown = {
        f"{size:g} labeled": key(color, marker=marker) for size, (color, marker) in styles.items()
    }
    shown["one rank: mean of all ranks (dot), worst rank (bar)"] = key("#555555", marker="|")
    return shared_legend(figure, shown, ncols=4)


def figure1(table):
    """Rank CDF of the two sets of the printed ranking."""
    figure, axis = plt.subplots(figsize=(COLUMN, 2.4))
    for name, color in (("P1", FIRST), ("P2", SECOND)):
        part, label = only(table, set=name), f"${name[0]}_{name[1]}$"
        axis.step(
            np.r_[0, part["rank"]], np.r_[0, part["value"]], where="post", color=color, label=label
        )
    axis.set_xticks(
        range(1, 10), [f"{rank}\n{name}" for rank, name in enumerate("BEDGHAFCI", start=1)]
    )
    axis.set(xlabel="rank", ylabel="rank CDF", xlim=(0, 9.3), ylim=(0, 1.03))
    axis.legend(loc="lower right")
    return figure


def figure4(curves, areas, published):
    """Two models whose order flips by clipping, their areas by alpha, and a pair without clipping."""
    figure, axes = plt.subplots(2, 2, figsize=(WIDTH, 6.6))
    axes = axes.ravel()
    labelings = sorted(curves["labeling"].unique())
    clipped = {"model 1": FIRST, "model 2": SECOND}
    for axis, labeling in zip(axes[:2], (labelings[0], labelings[-1]), strict=True):
        alpha = float(labeling.removeprefix("alpha_hat="))
        for model, color in clipped.items():
            part = only(curves, model=model, labeling=labeling)
            of_model = only(areas, model=model)
            area = of_model[np.isclose(of_model["alpha_hat"], alpha)]["roc_auc"].iloc[0]
            axis.plot(
                part["threshold"], part["estimate"], color=color, label=f"{model}: {area:.1f}%"
            )
        axis.plot([0, 1], [0, 1], color=GRAY, linewidth=0.8, linestyle=":")
        axis.set(xlabel=_RATES[0], ylabel=_RATES[1], title=f"$\\hat\\alpha$ = {alpha:g}")
        axis.legend(loc="lower right")
    for model, color in clipped.items():
        part = only(areas, model=model)
        axes[2].plot(
            part["alpha_hat"], part["roc_auc"], "o-", color=color, markersize=3, label=model
        )
        label = f"{model}, without clipping"
        axes[2].plot(
            part["alpha_hat"],
            part["roc_auc_unclipped"],
            "--",
            color=color,
            linewidth=1,
            label=label,
        )
    axes[2].plot(
        *_printed_areas(published), "x", color=PRINTED, markersize=6, label="printed in the paper"
    )
    axes[2].set(xlabel="$\\hat\\alpha$", ylabel="AUROC (%)", title="models 1 and 2 are clipped")
    styles = {
        "roc_auc": ("o-", "AUROC"),
        "best_f1": ("s-.", "best F1"),
        "average_precision": ("^:", "AUC-PR"),
    }
    for model, color in (("model 3", THIRD), ("model 4", COLORS["DE"])):
        part = only(areas, model=model)
        for metric, (line, name) in styles.items():
            label = f"{model}, {name}"
            axes[3].plot(
                part["alpha_hat"],
                part[metric],
                line,
                color=color,
                markersize=3,
                linewidth=1.2,
                label=label,
            )
    axes[3].set(
        xlabel="$\\hat\\alpha$",
        ylabel="value (%)",
        title="models 3 and 4 are never clipped",
        ylim=(0, 85),
    )
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
    figure, axes = plt.subplots(2, 2, figsize=(WIDTH, 5.2))
    axes = axes.ravel()
    colors = {"P1": FIRST, "P2": SECOND, "P1 and P2": THIRD}
    names = {"P1": "$P_1$", "P2": "$P_2$", "P1 and P2": "$P_1 \\cup P_2$"}
    panels = (("lemma1", "tpr", "Lemma 1: TPR"), ("lemma1", "fpr", "Lemma 1: FPR"))
    for axis, (lemma, metric, title) in zip(
        axes, (*panels, ("lemma2", "tpr", "Lemma 2: rank CDF")), strict=False
    ):
        for name, group in only(table, dataset=lemma, metric=metric).groupby("set"):
            axis.step(
                group["rank"], group["value"], where="post", color=colors[name], label=names[name]
            )
        axis.set(xlabel="rank", title=title, ylim=(-0.02, 1.05), xticks=range(0, 13, 2))
        axis.legend(loc="lower right")
    for (name, group), color in zip(
        only(table, dataset="lemma4").groupby("set"), (FIRST, SECOND), strict=True
    ):
        axes[3].plot(group["rank"], group["value"], color=color, label=name)
    axes[3].axhline(0.5, color=GRAY, linewidth=0.8, linestyle="--")
    axes[3].set(xlabel="number of positives", title="Lemma 4: FPR where TPR is 1/2", ylim=(0, 1))
    axes[3].legend(loc="lower left")
    return figure


def table1(table):
    """Bounds from known positives by their share, the estimate of alpha, and the share of known negatives."""
    table = only(table, band="bootstrap", known="positives")
    shares, negatives, factors = (
        sorted(table[name].unique()) for name in ("positives", "negatives", "factor")
    )
    figure, axis = plt.subplots(figsize=(WIDTH, 3.6))
    for place, factor in enumerate(factors):
        for number, share in enumerate(negatives):
            part = only(table, factor=factor, negatives=share).sort_values("positives")
            x = (
                part["positives"].map(shares.index)
                + 0.3 * (place - 1)
                + 0.045 * (number - (len(negatives) - 1) / 2)
            )
            axis.vlines(
                x, 100 * part["lower"], 100 * part["upper"], color=_ESTIMATED[place], linewidth=2
            )
    _finish(axis, shares, table)
    known = f"bars of a group: {', '.join(f'{share:.0%}' for share in negatives)} of the negatives are known"
    axis.set(
        xlabel=f"known positives ({known})",
        ylabel=f"AUROC (%), {counted(table['repeats'], 'rankings')}",
    )
    shown = {
        name: key(color, linestyle="-", linewidth=3)
        for name, color in zip(_GUESSES, _ESTIMATED, strict=True)
    }
    return shared_legend(figure, shown | _TRUE_AREA, ncols=4)


def table2(table):
    """Bounds from known positives or negatives, whichever are tighter, a panel per share of known negatives."""
    table = only(table, band="bootstrap")
    shares, negatives = (sorted(table[name].unique()) for name in ("positives", "negatives"))
    y = f"AUROC (%), {counted(table['repeats'], 'rankings')}"
    labels = {"x": "known positives", "titles": [f"{share:.0%}" for share in negatives], "y": y}
    figure, axes = grid(1, len(negatives), 3.6, sharex=True, sharey=True, **labels)
    for axis, share in zip(axes[0], negatives, strict=True):
        for (positives, factor), cell in only(table, negatives=share).groupby(
            ["positives", "factor"]
        ):
            bounds = 100 * cell.set_index("known")[["lower", "upper"]]
            side = _tighter(bounds)
            x = shares.index(positives) + 0.27 * np.sign(factor - 1)
            style = {"color": SECOND if side == "negatives" else FIRST, "linewidth": 2.2}
            axis.vlines(x, *bounds.loc[side], **style)
            if side == "negatives":
                axis.plot(x, bounds.loc[side].mean(), "s", color=SECOND, markersize=3.5)
        _finish(axis, shares, table)
        axis.tick_params(axis="x", labelsize=SMALL, rotation=90)
    figure.suptitle("known negatives", fontsize=9)
    shown = {"from known positives": key(FIRST, linestyle="-", linewidth=3)}
    shown["from known negatives"] = key(
        SECOND, linestyle="-", linewidth=3, marker="s", markersize=5
    )
    shown |= _TRUE_AREA
    shown["bars of a group: alpha 20% too small, exact, 20% too large"] = key("white", linestyle="")
    return shared_legend(figure, shown, ncols=3)


def _finish(axis, shares, table):
    """The true area, and a tick for each share of known positives."""
    axis.axhline(100 * table["truth"].mean(), color=COLORS["true"], linewidth=0.7, zorder=1)
    axis.set_xticks(range(len(shares)), [f"{share:.0%}" for share in shares])
    axis.grid(visible=False, axis="x")


def _tighter(bounds):
    """Side whose mean bounds lie closest to the mean of the tighter ones."""
    if "tightest" not in bounds.index:
        return "positives"
    return (
        bounds.sub(bounds.loc["tightest"])
        .abs()
        .sum(axis=1)
        .loc[["positives", "negatives"]]
        .idxmin()
    )
