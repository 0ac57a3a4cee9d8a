"""The figures of Claesen, Davis, De Smet & De Moor (2015)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pumetrics_workflow.studies.claesen2015 import BAND_LABELS
from pumetrics_workflow.studies.drawing import (
    COLUMN,
    PALETTE,
    SMALL,
    WIDTH,
    counted,
    dots,
    facets,
    labeled,
    lines,
    named,
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

_BANDS = {name: BAND_LABELS[name] for name in ("bootstrap", "hypergeometric")}
_RATES = ("false positive rate", "true positive rate")
_CURVES = {
    "rank_cdf": ("share of the ranking", "share of hidden positives"),
    "roc_curve": _RATES,
    "pr_curve": ("recall", "precision"),
}
_SCORES = {
    "claesen_covertype_scores": "published scores",
    "covertype_subset": "bagging SVM",
}
_PRIORS = {
    "interval": (r"$\hat\alpha = \alpha \pm 20\%$", 0.22),
    "true": (r"$\hat\alpha = \alpha$", 0.55),
}
_COLUMNS = {
    "everywhere_exact": "all ranks",
    "rank_mean_exact": "one rank,\nmean of ranks",
    "rank_worst_exact": "one rank,\nworst rank",
    "roc_auc": "AUC",
}
_COLORS = {
    **dict.fromkeys(("P1", "model 1", "better than random"), PALETTE["first"]),
    **dict.fromkeys(("P2", "model 2"), PALETTE["second"]),
    **dict.fromkeys(("P1 and P2", "model 3"), PALETTE["third"]),
    **dict.fromkeys(("worse than random", "model 4"), PALETTE["fourth"]),
}
_SIDES = {
    "from known positives": PALETTE["corrected"],
    "from known negatives": PALETTE["second"],
}
_LEMMAS = {
    "lemma1 tpr": "Lemma 1: TPR",
    "lemma1 fpr": "Lemma 1: FPR",
    "lemma2 tpr": "Lemma 2: rank CDF",
    "lemma4 fpr": "Lemma 4: FPR where TPR is 1/2",
}


def figure1(table):
    """Rank CDF of the two sets of the printed ranking."""
    sets = ("P1", "P2")
    start = pd.DataFrame({"set": sets, "rank": 0, "value": 0.0})
    table = pd.concat([start, only(table, set=sets)])
    figure, axis = plt.subplots(figsize=(COLUMN, 2.4))
    lines(
        table,
        x="rank",
        y="value",
        hue="set",
        palette=_COLORS,
        drawstyle="steps-post",
    )
    axis.set_xticks(
        range(1, 10),
        [f"{place}\n{name}" for place, name in enumerate("BEDGHAFCI", 1)],
    )
    axis.set(xlabel="rank", ylabel="rank CDF", xlim=(0, 9.3), ylim=(0, 1.03))
    axis.legend(loc="lower right")
    return figure


def figure2(table):
    """Bounds on the AUC by the number of known positives, a panel per band."""
    panels = facets(named(table, band=_BANDS), 3.2, col="band")
    for side in ("lower", "upper"):
        color = PALETTE[side]
        ends = (f"{side}_q025", f"{side}_q975")
        label = f"{side} bound"
        panels.map(
            plt.fill_between,
            "n_labeled",
            *ends,
            alpha=0.35,
            color=color,
            label=label,
        )
        panels.map_dataframe(lines, x="n_labeled", y=side, marker="o", color=color)
    truth = PALETTE["truth"]
    panels.map_dataframe(lines, x="n_labeled", y="truth", color=truth, label="true area")
    panels.set(xscale="log")
    panels.axes[0, 0].xaxis.set_major_formatter("{x:g}")
    panels.set_axis_labels(
        f"known positives ({counted(table['repeats'], 'rankings')})",
        "AUC",
    )
    return shared_legend(panels.figure)


def figure3(table):
    """Bounds on one ROC curve, a row per band and a column per estimated alpha."""
    alphas = {
        labeling: rf"$\hat\alpha$ = {labeling.removeprefix('alpha_hat=')}"
        for labeling in sorted(table["labeling"].unique())
    }
    table = named(only(table, method=_BANDS), labeling=alphas)
    panels = facets(table, 3.9, row="method", col="labeling")
    panels.map(
        plt.fill_between,
        "threshold",
        "lower",
        "upper",
        color=PALETTE["corrected"],
        alpha=0.5,
        linewidth=0.8,  # as without alpha there is no width
        label="bounds",
    )
    truth = PALETTE["truth"]
    panels.map_dataframe(lines, x="threshold", y="truth", color=truth, label="true curve")
    for axis in panels.axes.flat:
        axis.axline(
            (0, 0),
            slope=1,
            color=PALETTE["line"],
            linewidth=0.8,
            linestyle=":",
        )
    panels.set(xlim=(0, 1), ylim=(0, 1.01), xticks=[0, 1], yticks=[0, 0.5, 1])
    panels.set_axis_labels("", _RATES[1])
    panels.axes[-1, len(alphas) // 2].set_xlabel(_RATES[0])
    return shared_legend(panels.figure)


def figure4(curves, areas, published):
    """Two models whose order flips by clipping, their areas by alpha, and a pair without clipping."""
    figure, (upper, (clipped, unclipped)) = plt.subplots(2, 2, figsize=(WIDTH, 6.6))
    curves = only(curves, model=("model 1", "model 2"))
    alphas = curves["labeling"].str.removeprefix("alpha_hat=").astype(float)
    for axis, alpha in zip(upper, (alphas.min(), alphas.max()), strict=True):
        of_alpha = areas[np.isclose(areas["alpha_hat"], alpha)].set_index("model")["roc_auc"]
        part = curves[alphas == alpha]
        lines(
            part,
            x="threshold",
            y="estimate",
            hue="model",
            palette=_COLORS,
            ax=axis,
        )
        marks = labeled(axis)
        axis.legend(
            marks.values(),
            [f"{model}: {of_alpha[model]:.1f}%" for model in marks],
        )
        axis.axline(
            (0, 0),
            slope=1,
            color=PALETTE["line"],
            linewidth=0.8,
            linestyle=":",
        )
        axis.set(
            xlabel=_RATES[0],
            ylabel=_RATES[1],
            title=rf"$\hat\alpha$ = {alpha:g}",
        )

    ids = published["id"].str.extract(r"^figure4_model\d_(.+)$")[0]
    printed = published.assign(alpha=ids.astype(float)).dropna(subset="alpha")
    color = PALETTE["printed"]
    label = "printed in the paper"
    clipped.plot(
        printed["alpha"],
        printed["published"],
        "x",
        color=color,
        label=label,
        zorder=5,
    )
    _by_alpha(
        clipped,
        only(areas, model=("model 1", "model 2")),
        {"roc_auc": "AUC", "roc_auc_unclipped": "without clipping"},
    )
    clipped.set(ylabel="AUC (%)", title="models 1 and 2 are clipped")
    _by_alpha(
        unclipped,
        only(areas, model=("model 3", "model 4")),
        {
            "roc_auc": "AUC",
            "best_f1": "best F1",
            "average_precision": "AUC-PR",
        },
    )
    unclipped.set(
        ylabel="value (%)",
        title="models 3 and 4 are never clipped",
        ylim=(0, 85),
    )
    return figure


def _by_alpha(axis, areas, kinds):
    """Lines by the estimated alpha, a color per model and a dash per kind of area."""
    table = areas.melt(["model", "alpha_hat"], list(kinds), "kind", "value")
    lines(
        named(table, kind=kinds),
        x="alpha_hat",
        y="value",
        hue="model",
        palette=_COLORS,
        style="kind",
        markers=True,
        ax=axis,
    )
    marks = labeled(axis)
    axis.legend(
        marks.values(),
        marks,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.25),
        ncols=2,
        fontsize=SMALL,
    )
    axis.set_xlabel(r"$\hat\alpha$")


def figure5(table):
    """Rank CDF, ROC and precision-recall curves with their bounds, a row per set and band."""
    table = table.assign(row=table["dataset"].replace(_SCORES) + ",\n" + table["method"])
    rows = table["row"].nunique()
    panels = facets(
        table,
        1.0 + 1.9 * rows,
        row="row",
        col="metric",
        col_order=list(_CURVES),
        sharex=False,
        sharey=False,
    )
    for (row, metric), axis in panels.axes_dict.items():
        part = only(table, row=row, metric=metric)
        for prior, (label, alpha) in _PRIORS.items():
            of_prior = only(part, prior=prior)
            axis.fill_between(
                of_prior["threshold"],
                of_prior["lower"],
                of_prior["upper"],
                color=PALETTE["corrected"],
                alpha=alpha,
                linewidth=0,
                label=label,
            )
        axis.plot(
            of_prior["threshold"],
            of_prior["truth"],
            color=PALETTE["truth"],
            label="true curve",
        )
        naive = only(part, prior="none")
        axis.plot(
            naive["threshold"],
            naive["upper"],
            "--",
            color=PALETTE["observed"],
            label=r"$\hat\alpha = 0$",
        )
        x, y = _CURVES[metric]
        axis.set(
            title="",
            xlabel=x,
            ylabel=y,
            xlim=(0, 1),
            ylim=(0, 1.02),
        )
    return shared_legend(panels.figure, ncols=4)


def figure6_8(table):
    """The lemmas: TPR and FPR of two sets, of their union, and FPR by the number of positives."""
    table = table.assign(panel=table["dataset"] + " " + table["metric"])
    table = named(table, panel=_LEMMAS)
    panels = facets(table, 5.8, col="panel", col_wrap=2, sharex=False)
    panels.map_dataframe(
        lines,
        x="rank",
        y="value",
        hue="set",
        palette=_COLORS,
        drawstyle="steps-post",
    )
    panels.set_axis_labels("rank", "")
    panels.axes[-1].set_xlabel("number of positives")
    panels.axes[-1].axhline(0.5, color=PALETTE["line"], linewidth=0.8, linestyle="--")
    for axis in panels.axes:
        axis.legend()
    return panels.figure


def coverage(table):
    """Coverage by band and number of labeled positives: at all ranks, at a rank (mean, worst), of the AUC."""
    rows = table["alpha"].nunique()
    sizes = {size: f"{size:g} labeled" for size in sorted(table["n_labeled"].unique())}
    shades = [PALETTE["few"], PALETTE["some"], PALETTE["many"]]
    simulated = counted(table["repeats"], "rankings for AUC")
    table = table.melt(["n_labeled", "alpha", "band"], list(_COLUMNS), "at", "coverage")
    table = named(table, n_labeled=sizes, band=BAND_LABELS, at=_COLUMNS)
    table["alpha"] = [rf"$\alpha$ = {alpha:g}" for alpha in table["alpha"]]

    panels = facets(table, 1.2 + 1.5 * rows, row="alpha", col="at")
    panels.refline(x=0.95, color=PALETTE["line"], linewidth=0.8)
    panels.map_dataframe(
        dots, x="coverage", y="band", hue="n_labeled", palette=shades[: len(sizes)]
    )
    panels.set_axis_labels("coverage", "")
    panels.set(xlim=(-0.08, 1.08), xticks=[0, 0.5, 1])
    return shared_legend(panels.figure, title=simulated)


def table1(table):
    """Bounds from known positives by their share, the estimate of alpha, and the share of known negatives."""
    return _bars(only(table, band="bootstrap", known="positives"))


def table2(table):
    """Bounds from known positives or negatives, whichever are tighter, in the same places."""
    keys = ["positives", "negatives", "factor"]
    table = only(table, band="bootstrap").set_index(keys)
    tightest = only(table, known="tightest")[["lower", "upper"]]
    # Means of the tighter bounds; their side is the one whose own means are next to them.
    sides = only(table, known=("positives", "negatives"))
    apart = sides[["lower", "upper"]].sub(tightest).abs().sum(axis=1)
    sides = sides.assign(apart=apart).sort_values(["apart", "known"], ascending=[True, False])
    return _bars(sides[~sides.index.duplicated()].reset_index())


def _bars(table):
    """Bars from the lower to the upper bound: groups by known positives, in each a group per estimate of alpha."""
    shares = sorted(table["positives"].unique())
    negatives = sorted(table["negatives"].unique())
    place = table["positives"].map(shares.index) + 1.6 * (table["factor"] - 1)
    place += 0.045 * (table["negatives"].map(negatives.index) - (len(negatives) - 1) / 2)
    table = table.assign(place=place, side="from known " + table["known"])
    figure, axis = plt.subplots(figsize=(WIDTH, 3.8))
    for side, color in _SIDES.items():
        part = only(table, side=side)
        if len(part):
            low = 100 * part["lower"]
            high = 100 * part["upper"]
            axis.vlines(part["place"], low, high, color=color, linewidth=2, label=side)
    truth = 100 * table["truth"].mean()
    axis.axhline(truth, color=PALETTE["truth"], linewidth=0.7, zorder=1, label="true area")

    ticks = {}
    for group, share in enumerate(shares):
        ticks |= {
            group - 0.32: "−20%",
            group: f"exact\n{share:.0%}",
            group + 0.32: "+20%",
        }
    axis.set_xticks(list(ticks), ticks.values(), fontsize=SMALL)
    axis.grid(visible=False, axis="x")
    bars = ", ".join(f"{share:.0%}" for share in negatives)
    axis.set(
        xlabel=f"error of alpha, and share of known positives\n(bars: {bars} of the negatives known)",
        ylabel=f"AUC (%), {counted(table['repeats'], 'rankings')}",
    )
    return shared_legend(figure)
