"""Controls: methods that know the truth, and methods that use no information."""

from pumetrics.methods.points import at_threshold
from pumetrics.methods.types import Estimate
from pumetrics.metrics import METRICS

__all__ = ["first_model", "oracle", "random"]


def oracle(view, given, metrics):
    """The truth itself, also at the best threshold."""
    sample = view.sample
    for metric in metrics:
        entry = METRICS[metric]
        if entry.kind == "area":
            yield Estimate(metric, sample.truth(metric))
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
