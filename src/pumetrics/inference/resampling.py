"""Corrected scores from counts, and priors from the scores behind them: what every resample needs."""

import numpy as np

from pumetrics.metrics import AREAS, MEASURES, METRICS, measures_of
from pumetrics.priors.from_counts import priors_from_counts

__all__ = ["SCORED", "estimated_priors", "scores_of"]

SCORED = (*AREAS, *MEASURES)  # measures are taken at a threshold, or at their maximum


def scores_of(metrics, counts, *, alpha, beta, threshold=None, population="unlabeled"):
    """Corrected scores, not clipped, in the order of `metrics`: areas as :mod:`pumetrics.metrics` computes them.

    The other measures are taken at `threshold`, or at their maximum. Average precision speaks of `population`.
    """
    measures = {}
    if not MEASURES.keys().isdisjoint(metrics):
        at = slice(None) if threshold is None else counts.at(threshold)
        measures = measures_of(counts, alpha=alpha, beta=beta, at=at)
    values = [
        np.max(measures[name])
        if name in measures
        else METRICS[name].formula(counts, alpha=alpha, beta=beta, population=population)
        for name in metrics
    ]
    return np.array(values, dtype=np.float64)


def estimated_priors(counts, *, beta, method, noisy, rng):
    """Priors (alpha, beta) from the counts of one or several models, in the mean; NaN where there is no estimate.

    Unless `noisy`, beta is known, and the labeled share found among the unlabeled is alpha / beta.
    """
    options = {"beta": beta, "method": method, "noisy": noisy, "rng": rng}
    alpha, beta = np.mean([priors_from_counts(each, **options) for each in counts], axis=0)
    return float(alpha), float(beta)
