"""How far alpha is known: an upper bound that is a theorem, and an interval calibrated on data with known alpha."""

from typing import NamedTuple

from pumetrics.counts import count_scores
from pumetrics.priors.calibration import calibrated_priors
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.validation import check_fraction

__all__ = [
    "WIDEST",
    "AlphaInterval",
    "alpha_interval",
    "check_telling",
    "identifies",
]

WIDEST = 0.5
"""Width of an interval at or above which a number is not identified."""

_LARGEST_RATIO = 10.0
_NEGLIGIBLE = 0.01


def identifies(low, high, *, unbounded=False):
    """Whether an interval is narrow enough for its number to count as identified: the one rule for all numbers.

    Less than 0.5 wide and, unless it reaches below 0 or ends below 0.01, known to within a factor of ten; of a number
    without a largest value, such as a lift, the factor alone.

    Parameters
    ----------
    low, high : float
        Ends of the interval.
    unbounded : bool
        Whether the number has no largest value.

    Returns
    -------
    bool

    Examples
    --------
    >>> identifies(0.15, 0.69), identifies(0.002, 0.062), identifies(0.2, 0.5), identifies(0.0, 0.008)
    (False, False, True, True)
    """
    near = high <= _LARGEST_RATIO * low
    if unbounded:
        return bool(near)
    ratio_says_little = low < 0 or high <= _NEGLIGIBLE
    return bool(high - low < WIDEST and (near or ratio_says_little))


class AlphaInterval(NamedTuple):
    """Range of alpha, the share of positives among the unlabeled."""

    lower: float
    """Lower end: always 0, since with any scores of the unlabeled all of them may be negative."""
    upper: float
    """Upper end, in [0, 1]."""
    confidence: float
    """Nominal coverage."""
    kind: str
    """"calibrated" or "guaranteed"."""
    bound: float
    """Guaranteed upper bound at this confidence, to show next to any estimate. The upper end of a calibrated interval
    is limited by the bound at half of the error instead, so it can be slightly above this one."""

    @property
    def identified(self):
        """Whether the scores bound alpha: whether the upper end is below 0.5. There is no lower end to be known."""
        return bool(self.upper < WIDEST)


def alpha_interval(s, y_score, *, confidence=0.95, kind="calibrated"):
    """Range of the share of positives among the unlabeled, when labels are clean and at random.

    Scores bound alpha from above only: whatever the scores of the unlabeled are, all of them may be negative. So both
    intervals start at 0. The upper end of the calibrated one is empirical: it has nominal coverage on data sets like
    those that it was calibrated on.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Out-of-sample scores, higher means more positive.
    confidence : float, default=0.95
        Nominal coverage, in (0, 1). The calibration reaches 0.95.
    kind : {"calibrated", "guaranteed"}, default="calibrated"
        * ``"guaranteed"``: from 0 to the exact upper bound of :func:`pumetrics.priors.upper_bound.largest_alpha`. Needs
          clean labels at random, and nothing else.
        * ``"calibrated"``: above the consensus of estimators as far as it was too low on samples with known alpha that
          separate labeled from unlabeled as well, with the sampling error of alpha itself, and never above the
          guaranteed bound, which takes half of the level.

    Returns
    -------
    AlphaInterval
        Begins with ``lower`` and ``upper``.

    Raises
    ------
    ValueError
        On invalid labels or scores, constant scores, a confidence out of range, or an unknown `kind`.

    References
    ----------
    Blanchard, Lee & Scott (2010), "Semi-supervised novelty detection", JMLR 11, for why there is no lower bound;
    Romano, Patterson & Candes (2019), "Conformalized quantile regression", for the calibration.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([3.0, 3.0, 0.0], [200, 300, 700]))
    >>> lower, upper, *_ = alpha_interval(s, y_score, kind="guaranteed")
    >>> lower, round(upper, 2)
    (0.0, 0.33)
    >>> lower, upper, *_ = alpha_interval(s, y_score, confidence=0.8)
    >>> lower, 0.3 < upper < 0.33
    (0.0, True)
    """
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    if kind not in ("calibrated", "guaranteed"):
        raise ValueError(f"kind must be one of 'calibrated', 'guaranteed', got {kind!r}")
    counts = count_scores(s, y_score)
    check_telling(counts)
    bound = largest_alpha(counts, confidence=confidence)
    ends = (0.0, bound)
    if kind == "calibrated":
        ends, _ = calibrated_priors(counts).intervals(confidence)
    return AlphaInterval(*ends, confidence, kind, bound)


def check_telling(counts):
    """Raise ValueError if all scores are equal."""
    if len(counts.thresholds) < 3:
        raise ValueError(
            f"all scores are {counts.thresholds[-1]:g}: constant scores contain no information about alpha; use the "
            "scores of a classifier that separates labeled from unlabeled examples, or give alpha"
        )
