"""Claesen's bounds as a method: every metric at both contingency tables of a band, the midpoint as the estimate."""

import numpy as np

from pumetrics.bounds import contingency_bounds, pr_bounds, rank_cdf_band, roc_bounds
from pumetrics.recovery import recover_measures
from pumetrics_workflow.studies.head_to_head.ranked import AREAS, MEASURES, METRICS

__all__ = ["PRIORS", "band_answers", "lower_answers"]

CONFIDENCE = 0.95
# The bounds take all labels for right, so beta is 1 and only these alphas are tried.
PRIORS = ("true", "consensus_clean")


def band_answers(view, band):
    """Yield (metric, prior, midpoint, threshold index, lower, upper) for every metric.

    A `max_` metric is taken where the midpoint is highest.

    Parameters
    ----------
    view : View
    band : {"hypergeometric", "dkw", "bootstrap"}
    """
    ranked = view.ranked
    for prior in filter(view.priors.__contains__, PRIORS):
        found = _bounded(view, band, prior)
        for metric in METRICS:
            if found is None:
                yield metric, prior, np.nan, ranked.fixed, np.nan, np.nan
            elif metric in AREAS:
                low, high = found[metric]
                yield metric, prior, (low + high) / 2, 0, low, high
            else:
                low, high = found[metric.removeprefix("max_")]
                middle = (low + high) / 2
                at = int(np.argmax(middle)) if metric.startswith("max_") else ranked.fixed
                yield metric, prior, float(middle[at]), at, float(low[at]), float(high[at])


def lower_answers(view, band):
    """Yield the same with the lower bound as the number to order by, a `max_` metric where that is highest."""
    for prior in filter(view.priors.__contains__, PRIORS):
        found = _bounded(view, band, prior)
        for metric in METRICS:
            if found is None:
                yield metric, prior, np.nan, view.ranked.fixed
            elif metric in AREAS:
                yield metric, prior, found[metric][0], 0
            else:
                low, _ = found[metric.removeprefix("max_")]
                at = int(np.argmax(low)) if metric.startswith("max_") else view.ranked.fixed
                yield metric, prior, float(low[at]), at


def _bounded(view, band, prior):
    """Lower and upper value of every area and, per threshold, of every measure; None without a usable prior."""
    if (band, prior) not in view.memory:
        view.memory[band, prior] = _bounds_of(view.ranked, band, view.priors[prior][0])
    return view.memory[band, prior]


def _bounds_of(ranked, band, alpha):
    unlabeled = int(ranked.unlabeled[-1])
    if not 0 <= alpha < 1 or int(alpha * unlabeled + 1e-9) >= unlabeled:
        return None
    s, score = ranked.s, ranked.score
    drawn = rank_cdf_band(s, score, confidence=CONFIDENCE, method=band, alpha=alpha)
    options = {"alpha": alpha, "band": drawn}
    tables = contingency_bounds(s, score, **options)
    lower, upper = (_measures(table[ranked.predicted[1:] - 1]) for table in tables)
    found = {name: (np.fmin(lower[name], upper[name]), np.fmax(lower[name], upper[name])) for name in MEASURES}
    found["roc_auc"] = roc_bounds(s, score, **options).auc
    found["average_precision"] = pr_bounds(s, score, **options).auc
    return found


def _measures(table):
    """The four measures of contingency tables, with "nobody is positive" before them."""
    tp, fp, fn, tn = np.concatenate([[[0, 0, *(table[-1, :2] + table[-1, 2:])]], table]).T.astype(float)
    positive, negative = tp + fn, fp + tn
    c = float(positive[0] / (positive[0] + negative[0]))
    return recover_measures(tp / positive, fp / negative, alpha=0.0, beta=1.0, c=c)
