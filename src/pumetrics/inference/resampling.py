"""Corrected scores from counts: what every resample needs."""

import numpy as np

from pumetrics.metrics import AREAS, MEASURES, METRICS, measures_of

__all__ = ["SCORED", "scores_of"]

SCORED = (*AREAS, *MEASURES)  # measures are taken at a threshold, or at their maximum


def scores_of(metrics, counts, *, alpha, beta, threshold=None, population="unlabeled"):
    """Corrected scores, not clipped, in the order of `metrics`: areas as :mod:`pumetrics.metrics` computes them.

    Measures are taken at `threshold`, or at their maximum; ``max_<measure>`` is always the maximum. Average precision
    speaks of `population`.
    """
    asked = {METRICS[name].measure for name in metrics} - {""}
    anywhere = threshold is None or any(METRICS[name].kind == "maximum" for name in metrics)
    at = slice(None) if anywhere else counts.at(threshold)
    measures = measures_of(counts, alpha=alpha, beta=beta, at=at) if asked else {}
    here = counts.at(threshold) if anywhere and threshold is not None else None
    values = []
    for name in metrics:
        entry = METRICS[name]
        if entry.kind == "area":
            values.append(entry.formula(counts, alpha=alpha, beta=beta, population=population))
        elif entry.kind == "threshold" and here is not None:
            values.append(measures[entry.measure][here])
        else:
            values.append(np.max(measures[entry.measure]))
    return np.array(values, dtype=np.float64)
