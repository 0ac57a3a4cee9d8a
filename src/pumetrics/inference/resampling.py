"""Corrected scores from counts: what every resample needs."""

import numpy as np

from pumetrics.metrics import AREAS, MEASURES, METRICS, measures_of

__all__ = ["SCORED", "scores_of"]

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
