"""Samples whose true class is known, and methods that only a study has: the truth, random numbers, the first model."""

from functools import cached_property

import numpy as np

from pumetrics import methods
from pumetrics.counts import count_scores
from pumetrics.inference.sample import Sample
from pumetrics.methods.answers import Estimate, place_of, values_of
from pumetrics.methods.registry import Method
from pumetrics.metrics import METRICS, SUMMARIES, find_metric
from pumetrics.validation import check_labels

__all__ = ["CONTROLS", "METHODS", "KnownSample", "truth_of"]


class KnownSample(Sample):
    """A sample of one model, with the true class.

    Parameters
    ----------
    s, y_score, y : array-like of shape (n,)
        1 labeled and 0 unlabeled; out-of-sample scores; true class, 0 and 1.
    first : bool, default=False
        Whether this is the first model of a pool.
    """

    def __init__(self, s, y_score, y, *, first=False):
        super().__init__(s, [y_score])
        self.y = check_labels(y, "y")
        self.first = first

    @cached_property
    def truth(self):
        """Counts of the true class in the place of the observed labels."""
        return count_scores(self.y, self.scores[0])

    @cached_property
    def true_priors(self):
        """Shares of positives among the unlabeled and among the labeled."""
        return tuple(float(self.y[self.s == kind].mean()) for kind in (0, 1))

    @cached_property
    def fixed(self):
        """Index of the threshold that predicts as many examples positive as there are positives."""
        return int(np.argmin(np.abs(self.counts[0].predicted - self.truth.n_labeled)))

    @property
    def threshold(self):
        """The threshold at :attr:`fixed`."""
        return float(self.counts[0].thresholds[self.fixed])


def truth_of(metric, sample, at, *, population="all"):
    """True value of a metric.

    Parameters
    ----------
    metric : str
    sample : KnownSample
    at : int
        Index of the threshold; without effect on areas and tops.
    population : {"all", "unlabeled"}, default="all"
        What areas are about; other metrics are always about all examples.

    Returns
    -------
    float
    """
    truth = sample.truth
    if find_metric(metric).kind == "area" and population == "unlabeled":
        positive = truth.tpr_pu
        alpha, _ = sample.true_priors
        precision = alpha * positive[1:] / (alpha * positive[1:] + (1 - alpha) * truth.fpr_pu[1:])
        return float(np.sum(np.diff(positive) * precision))
    values = values_of(metric, truth, population="all", repair="none")
    return float(values[at] if np.ndim(values) else values)


def oracle(sample, labels, ask):
    """The truth itself, also at the best threshold."""
    for metric in ask.metrics:
        values = values_of(metric, sample.truth, population="all", repair="none")
        at = place_of(sample, ask, metric, values)
        yield Estimate(metric, truth_of(metric, sample, at, population=ask.population), at)


def random(sample, labels, ask):
    """Random numbers."""
    for metric, value in zip(ask.metrics, ask.random_state.random(len(ask.metrics)), strict=True):
        yield Estimate(metric, float(value), sample.fixed)


def first_model(sample, labels, ask):
    """Always the first model of the pool."""
    for metric in ask.metrics:
        yield Estimate(metric, float(sample.first), sample.fixed)


_NOTHING = "nothing; it uses no information"

CONTROLS = {
    "oracle": Method(oracle, "oracle", ("truth",), "nothing: it uses the true class", METRICS),
    "random": Method(random, "random numbers", (), _NOTHING, SUMMARIES, ranks_only=True),
    "first_model": Method(
        first_model, "always the same model", ("pool",), _NOTHING, SUMMARIES, ranks_only=True
    ),
}
"""Methods that the others are compared with, by name; one that needs the pool selects a model, but ranks no others."""
METHODS = {**CONTROLS, **methods.METHODS}
"""All methods of the studies by name, in the order of tables."""
