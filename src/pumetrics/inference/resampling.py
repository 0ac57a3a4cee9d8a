"""Corrected scores from counts: what every resample needs."""

from dataclasses import replace

import numpy as np

from pumetrics.inference.selection import reweighted
from pumetrics.metrics import AREAS, MEASURES, find_metric, rates_at

__all__ = ["SCORED", "scores_of"]

SCORED = (*AREAS, *MEASURES)  # measures are taken at a threshold, or at their maximum


def scores_of(metrics, counts, *, alpha, beta, selection=1.0, threshold=None, population=None, sizes=None):
    """Corrected scores, not clipped, in the order of `metrics`: areas as :mod:`pumetrics.metrics` computes them.

    Measures are taken at `threshold`, or at their maximum; ``max_<measure>`` is always the maximum, and those of the
    top of a ranking are taken where it ends. All speak of `population`, or each of its default. `sizes` are the numbers
    of examples, by population, of the sample that was drawn again: of a resample the top is the same share.
    """
    rates, seen = {}, {}
    values = []
    for name in metrics:
        entry = find_metric(name)
        whom = entry.population_of(population)
        if entry.top and sizes:
            entry = replace(entry, top=entry.top.as_share(sizes[whom]))
        if whom not in seen:
            seen[whom] = reweighted(counts, selection, alpha=alpha, population=whom)
        if entry.kind == "area":
            values.append(entry.formula(seen[whom], alpha=alpha, beta=beta, population=whom))
            continue
        key = whom, entry.top, entry.kind == "maximum"
        if key not in rates:
            at = entry.place(seen[whom], threshold=threshold, population=population)
            rates[key] = rates_at(seen[whom], alpha=alpha, beta=beta, at=at, population=whom)
        values.append(np.max(entry.formula(rates[key])))
    return np.array(values, dtype=np.float64)
