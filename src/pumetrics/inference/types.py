"""What intervals are made of."""

from typing import NamedTuple

__all__ = ["CANNOT", "HOLDS", "Difference", "Interval"]

CANNOT = 0.6
"""Width, as a share of [0, 1], from which an interval says nothing."""

HOLDS = {
    "known": "Intervals hold sampling error; alpha is taken as given.",
    "range": "Intervals hold sampling error at every alpha of the given range.",
    "calibrated": (
        "Intervals hold sampling error and what the scores leave open about alpha, measured on data sets with known "
        "alpha; data unlike those may fall outside more often."
    ),
    "guaranteed": (
        "Intervals hold sampling error and every alpha up to the guaranteed bound, whatever the distribution of scores."
    ),
    "sampling": (
        "Intervals hold chance alone, not the error of the estimated priors: expect them to miss the truth more often "
        "than they say."
    ),
}
"""What intervals hold, by their ``uncertainty``."""


class Interval(NamedTuple):
    """A corrected score and how sure it is."""

    estimate: float
    """The corrected score, clipped to its range."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""
    confidence: float
    """Nominal coverage."""
    alpha: float
    """Share of positives among the unlabeled that `estimate` rests on."""
    beta: float
    """Share of positives among the labeled that `estimate` rests on."""
    alpha_interval: tuple[float, float]
    """Range of alpha: as given, calibrated, guaranteed, or of the resamples."""
    beta_interval: tuple[float, float]
    """Range of beta in the resamples."""
    n_resamples: int
    """Resamples used: those in which the priors could be estimated."""
    uncertainty: str = "sampling"
    """What the interval holds: "known" (sampling error, alpha given), "range" (the same over a given range of alpha),
    "calibrated" or "guaranteed" (the same over what the scores tell of alpha), or "sampling" (chance alone)."""
    selection: float = 1.0
    """How many times as often the positive that scores highest is taken to be labeled as the one that scores lowest."""

    @property
    def told(self):
        """Whether the interval is narrow enough to say anything: less than .6 wide."""
        return self.upper - self.lower < CANNOT


class Difference(NamedTuple):
    """Two models' corrected scores on the same examples, and how sure their order is."""

    first: Interval
    """The first model."""
    second: Interval
    """The second model."""
    difference: Interval
    """First minus second."""
    probability: float
    """Share of the resamples in which the first model scores higher; a tie counts half."""
