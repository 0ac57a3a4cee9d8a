"""Controls: methods that know the truth, and methods that use no information."""

import numpy as np

from pumetrics.methods.points import at_threshold
from pumetrics.methods.types import Estimate
from pumetrics.metrics import find_metric

__all__ = ["first_model", "oracle", "random"]


def oracle(view, given, metrics):
    """The truth itself, also at the best threshold."""
    sample = view.sample
    for metric in metrics:
        entry = find_metric(metric)
        if entry.kind == "area":
            yield Estimate(metric, sample.truth(metric))
        elif entry.kind == "top":
            yield Estimate(metric, sample.truth(metric), int(np.ceil(sample.place(metric, population="all"))))
        else:
            yield at_threshold(sample, metric, sample.true_measures[entry.measure])


def random(view, given, metrics):
    """Random numbers."""
    for metric, value in zip(metrics, view.rng.random(len(metrics)), strict=True):
        yield Estimate(metric, float(value), view.sample.at)


def first_model(view, given, metrics):
    """Always the first model of the pool."""
    for metric in metrics:
        yield Estimate(metric, float(view.first), view.sample.at)
