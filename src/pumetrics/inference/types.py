"""Intervals and differences."""

from typing import NamedTuple

from pumetrics.metrics import find_metric
from pumetrics.priors.interval import identifies

__all__ = ["ACCOUNTS_FOR", "Difference", "Interval", "informative"]

ACCOUNTS_FOR = {
    "known": "Intervals account for sampling error; alpha is taken as given.",
    "range": "Intervals account for sampling error at every alpha of the given range.",
    "calibrated": (
        "Intervals account for sampling error and the uncertainty of alpha, calibrated on data sets with known alpha; "
        "coverage may be lower on different data."
    ),
    "guaranteed": (
        "Intervals account for sampling error and every alpha up to the guaranteed bound, for any distribution of "
        "scores."
    ),
    "calibrated_noise": (
        "Intervals account for sampling error and the uncertainty of alpha and beta. The errors of both estimates "
        "were learned from data sets with known label noise: this is empirical, not a theorem, and coverage may be "
        "lower on different data. Wrong labels are assumed to affect negatives at random."
    ),
    "guaranteed_noise": (
        "Intervals account for sampling error and every alpha and beta that guaranteed bounds allow, for any "
        "distribution of scores. Wrong labels are assumed to affect negatives at random."
    ),
    "sampling": (
        "Intervals account for sampling error only, not for the error of the estimated priors: expect less than "
        "nominal coverage."
    ),
    "checked": "Intervals account for the rows that were not checked; they refer to the rows of this file.",
}
"""What intervals account for, by their ``uncertainty``."""


def informative(metric, interval):
    """Whether an interval of a metric identifies it, see :func:`pumetrics.priors.interval.identifies`.

    Examples
    --------
    >>> informative("roc_auc", (0.2, 0.9)), informative("lift_at_1%", (3.0, 8.0))
    (False, True)
    """
    return identifies(*interval, unbounded=find_metric(metric).range[1] == float("inf"))


class Interval(NamedTuple):
    """A corrected score and its interval."""

    estimate: float
    """The corrected score, clipped to its range."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""
    confidence: float
    """Nominal coverage."""
    alpha: float
    """Share of positives among the unlabeled that `estimate` is based on."""
    beta: float
    """Share of positives among the labeled that `estimate` is based on."""
    alpha_interval: tuple[float, float]
    """Range of alpha: as given, calibrated, guaranteed, or of the resamples."""
    beta_interval: tuple[float, float]
    """Range of beta: calibrated, guaranteed, or of the resamples."""
    n_resamples: int
    """Resamples used: those in which the priors could be estimated."""
    uncertainty: str = "sampling"
    """What the interval accounts for: "known" (sampling error, alpha given), "range" (the same over a given range of
    alpha), "calibrated" or "guaranteed" (the same over the uncertainty of alpha), "calibrated_noise" or
    "guaranteed_noise" (over that of alpha and beta), "sampling", or "checked" (checked rows: what is not known of the
    others among these rows)."""
    selection: float = 1.0
    """How many times as often the positive with the highest score is assumed to be labeled as that with the lowest."""

    @property
    def identified(self):
        """Whether the interval of a metric with a largest value identifies it, see :func:`informative`."""
        return identifies(self.lower, self.upper)


class Difference(NamedTuple):
    """Corrected scores of two models on the same examples, and their difference."""

    first: Interval
    """The first model."""
    second: Interval
    """The second model."""
    difference: Interval
    """First minus second."""
    probability: float
    """Share of the resamples in which the first model scores higher; a tie counts half."""
