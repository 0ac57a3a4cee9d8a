"""Parts on rankings of two normals: Figures 2 and 3, and Tables 1 and 2."""

import numpy as np

from pumetrics.bounds import roc_bounds
from pumetrics.recovery import recover_auc
from pumetrics_workflow.ranking import ranking_scores
from pumetrics_workflow.seeding import rng_for
from pumetrics_workflow.studies.claesen2015.rankings import two_normals
from pumetrics_workflow.studies.claesen2015.rows import BANDS, area_rows, band_of, curve_rows, record, statistic

__all__ = ["figure2", "figure3", "known_examples"]

STUDY = "claesen2015"


def figure2(repeat, seed, data, *, n_labeled, n_unlabeled, alpha, separation):
    """Bounds on the AUROC by the number of known positives, for every band, and the area recovered directly."""
    rows = []
    for size in n_labeled:
        rng = rng_for(seed, STUDY, "figure2", size, repeat)
        s, y, score = two_normals(rng, n_labeled=size, n_unlabeled=n_unlabeled, alpha=alpha, separation=separation)
        truth, observed = (areas.auroc for areas in ranking_scores(score, y, s))
        common = {"labeling": f"n_labeled={size}", "repeat": repeat, "metric": "roc_auc", "truth": truth}
        rows.append(record(method="direct", estimate=recover_auc(observed, alpha=alpha), **common))
        for name in BANDS:
            low, high = roc_bounds(s, score, alpha=alpha, band=band_of(name, s, score, alpha=alpha)).auc
            rows.append(record(method=f"bounds_{name}", lower=low, upper=high, **common))
    return rows


def figure3(repeat, seed, data, *, n_labeled, n_unlabeled, alpha, separation, alphas):
    """Bounds on the ROC curve of one ranking by the estimated alpha."""
    rng = rng_for(seed, STUDY, "figure3", repeat)
    s, y, score = two_normals(rng, n_labeled=n_labeled, n_unlabeled=n_unlabeled, alpha=alpha, separation=separation)
    truth = ranking_scores(score, y)
    rows = []
    for guess in alphas:
        common = {"dataset": "figure3", "labeling": f"alpha_hat={guess:g}", "repeat": repeat, "prior": "assumed"}
        for name in ("bootstrap", "hypergeometric"):
            band = band_of(name, s, score, alpha=guess)
            options = {"alpha": guess, "band": band, "method": f"bounds_{name}", **common}
            rows.append(area_rows(s, score, truth, **options))
            rows += curve_rows(s, y, score, **options)[:3]  # the ROC curve
    return rows


def known_examples(repeat, seed, data, *, n_positive, n_negative, positives, negatives, factors, separation):
    """Tables 1 and 2: bounds on the AUROC by the shares of known positives and negatives and an estimate of alpha.

    One ranking per repeat serves all cells; a larger share of known examples contains the smaller one.
    """
    rng = rng_for(seed, STUDY, "known_examples", repeat)
    y = np.arange(n_positive + n_negative) < n_positive
    score = rng.standard_normal(len(y)) + separation * y
    drawn = rng.permutation(n_positive), n_positive + rng.permutation(n_negative)
    truth = ranking_scores(score, y).auroc
    rows = []
    for share_positive in positives:
        for share_negative in negatives:
            s = np.zeros(len(y), dtype=np.int8)
            s[drawn[0][: round(share_positive * n_positive)]] = 1
            s[drawn[1][: round(share_negative * n_negative)]] = -1
            alpha = y[s == 0].mean()
            for factor in factors:
                labeling = f"positives={share_positive:g},negatives={share_negative:g},factor={factor:g}"
                guess = min(factor * alpha, 1 - 1 / len(y))
                common = {"labeling": labeling, "repeat": repeat, "prior": "assumed"}
                rows.append(statistic(statistic="alpha", value=guess, **common))
                rows += _either_side(s, score, guess, {**common, "metric": "roc_auc", "truth": truth})
    return rows


def _either_side(s, score, alpha, common):
    """Bounds from known positives, from known negatives, and the tighter of both."""
    rows = []
    for band in ("bootstrap", "hypergeometric"):
        sides = ("positives", "negatives", "tightest") if (s == -1).any() else ("positives",)
        for known in sides:
            low, high = roc_bounds(s, score, alpha=alpha, band=band, known=known).auc
            rows.append(record(method=f"bounds_{band}:{known}", lower=low, upper=high, **common))
    return rows
