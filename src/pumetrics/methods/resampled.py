"""Corrected scores with intervals from resamples, as methods: alpha calibrated, bounded, or estimated in each."""

import numpy as np

from pumetrics.inference import corrected_intervals
from pumetrics.methods.types import Estimate
from pumetrics.metrics import find_metric

__all__ = ["interval_with", "intervals_of", "place_of"]


def interval_with(uncertainty):
    """Return the method whose interval accounts for an alpha that is not given in one of three ways.

    Parameters
    ----------
    uncertainty : {"calibrated", "guaranteed", "sampling"}
        See :func:`pumetrics.inference.corrected_interval`.
    """

    def interval(view, given, metrics):
        """Corrected scores with the ends of their intervals."""
        sample = view.sample
        found = intervals_of(sample, given, metrics, uncertainty=uncertainty, random_state=view.rng)
        for metric, each in found.items():
            yield Estimate(metric, each.estimate, place_of(sample, metric, each), each.lower, each.upper)

    return interval


def intervals_of(sample, given, metrics, *, uncertainty, random_state, **options):
    """Intervals of one sample, by metric.

    Parameters
    ----------
    sample : ScoredSample
        Whatever its population, average precision refers to the unlabeled examples unless the options say otherwise.
    given : Given
        With alpha, if it is known, its confidence, and the estimator otherwise. A beta that is NaN is estimated too.
    metrics : sequence of str
    uncertainty : {"calibrated", "guaranteed", "sampling"}
        Without effect if alpha is known.
    random_state : numpy.random.Generator
    **options
        More of :func:`pumetrics.inference.corrected_interval`.

    Returns
    -------
    dict of str to Interval

    Raises
    ------
    ValueError
        If the priors cannot be estimated.
    """
    options |= {"confidence": given.confidence, "n_bootstrap": given.n_resamples, "random_state": random_state}
    if np.isfinite(given.alpha):
        options |= {"alpha": given.alpha, "beta": given.beta}
    elif np.isfinite(given.beta):
        options |= {"beta": given.beta, "method": given.estimator, "uncertainty": uncertainty}
    else:
        options |= {"noisy": True, "method": given.estimator, "uncertainty": uncertainty}
    threshold = (
        float(sample.thresholds[sample.at]) if any(find_metric(name).kind == "threshold" for name in metrics) else None
    )
    return corrected_intervals(list(metrics), sample.s, sample.score, threshold=threshold, **options)


def place_of(sample, metric, interval):
    """Index of the threshold that an estimate belongs to; 0 for areas."""
    entry = find_metric(metric)
    if entry.kind == "top":
        return int(np.ceil(sample.place(metric)))
    if entry.kind == "maximum":
        whom = entry.population_of(sample.population)
        return int(np.argmax(sample.measures(interval.alpha, interval.beta, population=whom)[entry.measure]))
    return sample.at if entry.kind == "threshold" else 0
