"""Corrected scores from counts, and priors from the scores behind them: what every resample needs."""

import numpy as np

from pumetrics.curves import precision_recall, repaired
from pumetrics.metrics import MEASURES
from pumetrics.priors.estimate import estimate_shares
from pumetrics.priors.samples import samples_of
from pumetrics.priors.two_component import priors_of
from pumetrics.recovery import recover_measures, recover_rates

__all__ = ["METRICS", "estimated_priors", "samples_of", "scores_of"]

METRICS = ("roc_auc", "average_precision", *MEASURES)


def scores_of(metrics, counts, *, alpha, beta, threshold=None, population="unlabeled"):
    """Corrected scores, not clipped, in the order of `metrics`: areas as :mod:`pumetrics.metrics` computes them.

    The other measures are taken at `threshold`, or at their maximum. Average precision speaks of `population`.
    """
    scores = {}
    if "roc_auc" in metrics:
        tpr, fpr = recover_rates(counts.tpr_pu, counts.fpr_pu, alpha=alpha, beta=beta)
        fpr, tpr, _ = repaired(fpr, tpr, counts.thresholds, "envelope")
        scores["roc_auc"] = np.trapezoid(tpr, fpr)
    if "average_precision" in metrics:
        options = {"alpha": alpha, "beta": beta, "population": population, "repair": "envelope"}
        precision, recall = precision_recall(counts, **options)
        scores["average_precision"] = np.sum(np.diff(recall) * precision[1:])
    if not MEASURES.keys().isdisjoint(metrics):
        at = slice(None) if threshold is None else counts.at(threshold)
        measures = recover_measures(counts.tpr_pu[at], counts.fpr_pu[at], alpha=alpha, beta=beta, c=counts.c)
        scores |= {name: np.max(values) for name, values in measures.items()}
    return np.array([scores[name] for name in metrics], dtype=np.float64)


def estimated_priors(counts, *, beta, method, noisy, rng):
    """Priors (alpha, beta) from the counts of a model; NaN where there is no estimate.

    Unless `noisy`, beta is known, and the labeled share found among the unlabeled is alpha / beta.
    """
    if np.count_nonzero(np.diff(counts.predicted)) < 2:
        return np.nan, np.nan  # a resample of equal scores
    shares = estimate_shares(*samples_of(counts), method=method, noisy=noisy, random_state=rng)
    values = [float(share.value) for share in shares]
    return priors_of(values) if noisy else (values[0] * beta, beta)
