"""What the paper draws by hand, exactly: rank CDFs (Figure 1), lemmas (Figures 6 to 8), orders that flip (Figure 4)."""

import numpy as np

from pumetrics.bounds import Band, clipped_share, metric_bounds, pr_bounds, roc_bounds
from pumetrics.recovery import recover_auc
from pumetrics_workflow.ranking import ranking_scores
from pumetrics_workflow.studies.claesen2015.rankings import laid_out
from pumetrics_workflow.studies.claesen2015.rows import record, statistic

__all__ = ["FLIPS", "exact", "figure4"]

# Figure 1: the ranking and the two sets of positives, as printed.
RANKING = "BEDGHAFCI"
SETS = {"P1": "BDAC", "P2": "EGF"}

# Figure 4 prints four areas and no ranking. These blocks (share of the labeled positives, stretch of the unlabeled)
# give the areas. Clipping lifts the area of model 1, by 0.0033 (a fourth of its labeled positives are below all
# unlabeled examples), and lowers that of model 2 by 0.0105 (two fifths of its labeled positives are above all). At an
# area of 0.725 the gain is at most 0.0042, so the area of model 1 is 0.13 points below the printed 75.5%.
FLIPS = {
    "model 1": [(0.7545, 0, 0.077), (0.2455, 1, 1)],
    "model 2": [(0.42, 0, 0), (0.58, 0, 0.925)],
    # Nowhere clipped up to alpha = 0.1: labeled positives are at most ten times as dense as the unlabeled.
    "model 3": [(0.3, 0, 0.031), (0.7, 0.031, 1)],
    "model 4": [(0.6, 0, 0.2), (0.4, 0.2, 1)],
}


def exact(repeat, seed, data):
    """Figure 1 and the lemmas; nothing is random."""
    order = {name: rank for rank, name in enumerate(RANKING, start=1)}
    rows = [
        statistic(dataset="figure1", labeling=name, statistic="rank_cdf", at=ranks, value=_tpr(positives, ranks))
        for name, members in SETS.items()
        for ranks, positives in [(np.arange(1, 10), [order[member] for member in members])]
    ]
    ranks = np.arange(13)
    sets = {"P1": [1, 2, 4, 7], "P2": [3, 5, 9, 12]}
    for name, positives in sets.items():  # Lemma 1, two sets of one size
        rows += _rates("lemma1", name, positives, ranks)
    for name, positives in {**sets, "P1 and P2": sets["P1"] + sets["P2"]}.items():  # Lemma 2
        rows += _rates("lemma2", name, positives, ranks)
    sizes = np.arange(1, 71)  # Lemma 4: FPR at one TPR, one rank of 100, by the number of positives
    for kind, rank in (("better than random", 35), ("worse than random", 60)):
        false_positives = rank - 0.5 * sizes
        fpr = np.where(
            (false_positives >= 0) & (false_positives <= 100 - sizes), false_positives / (100 - sizes), np.nan
        )
        rows.append(statistic(dataset="lemma4", labeling=kind, statistic="fpr", at=sizes, value=fpr))
    return rows


def figure4(repeat, seed, data, *, n_labeled, n_unlabeled, alphas):
    """Areas, best F1 and clipped share of four models by the estimated alpha, from the tables of the plain rank CDF."""
    rows = []
    for model, blocks in FLIPS.items():
        s, score = laid_out(blocks, n_labeled=n_labeled, n_unlabeled=n_unlabeled)
        share = np.cumsum(s) / n_labeled
        plain = Band(share, share)
        area = ranking_scores(score, s).auroc
        for alpha in alphas:
            common = {"dataset": "figure4", "model": model, "labeling": f"alpha_hat={alpha:g}", "prior": "assumed"}
            roc, pr = (bound(s, score, alpha=alpha, band=plain) for bound in (roc_bounds, pr_bounds))
            f1 = [values.max() for values in metric_bounds(s, score, metric="f1", alpha=alpha, band=plain)]
            low, high = np.transpose([roc.auc, pr.auc, f1])
            names = ["roc_auc", "average_precision", "max_f1"]
            rows.append(statistic(statistic="middle_of_bounds", metric=names, value=(low + high) / 2, **common))
            rows.append(record(method="direct", metric="roc_auc", estimate=recover_auc(area, alpha=alpha), **common))
            clipped = clipped_share(s, score, alpha=alpha, band=plain).lower
            rows.append(statistic(statistic="clipped_share", value=clipped, **common))
            shown = np.linspace(0, len(s), 401).astype(int)
            rows.append(statistic(statistic="roc_curve", at=roc.lower.fpr[shown], value=roc.lower.tpr[shown], **common))
    return rows


def _tpr(positives, ranks):
    return (np.asarray(positives)[:, None] <= ranks).mean(axis=0)


def _rates(lemma, name, positives, ranks):
    """TPR (the rank CDF) and FPR of a set in a ranking of twelve."""
    tpr = _tpr(positives, ranks)
    fpr = (ranks - tpr * len(positives)) / (12 - len(positives))
    common = {"dataset": lemma, "labeling": name, "at": ranks}
    return [statistic(statistic="tpr", value=tpr, **common), statistic(statistic="fpr", value=fpr, **common)]
