"""Whether one method is better than another: the tests the papers use, in the variants they used."""

import math
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction, check_random_state, check_same_length, check_scores

__all__ = ["SignedRank", "bootstrap_interval", "sign_test", "signed_rank_test"]


class SignedRank(NamedTuple):
    """Result of the signed-rank test."""

    statistic: float
    """Sum of the ranks of the positive differences (R's V)."""
    p_value: float
    n: int
    """Pairs that differ."""


def signed_rank_test(x, y=None, *, alternative="two-sided", correct=True):
    """Wilcoxon's signed-rank test by the normal approximation, as R's ``wilcox.test(..., exact = FALSE)`` computes it.

    Pairs without a difference are dropped, tied differences share their mean rank and reduce the variance, and the
    statistic is moved by 1/2 towards its mean. R itself takes this way whenever there are zeros, ties or 50 pairs.

    Parameters
    ----------
    x : array-like of shape (n,)
        First measurements, or the differences if `y` is None.
    y : array-like of shape (n,), optional
        Second measurements, in the order of `x`.
    alternative : {"two-sided", "greater", "less"}
        "greater" asks whether `x` tends to be larger than `y`.
    correct : bool
        Apply the continuity correction.

    Returns
    -------
    SignedRank
        ``(statistic, p_value, n)``. Without any difference the p-value is 1.

    Raises
    ------
    ValueError
        If lengths differ, a value is NaN or infinite, or `alternative` is unknown.

    References
    ----------
    Wilcoxon (1945). Used by Rider et al. (2013), Table 2, and Tabatabaei et al. (2020), Section 6.2.

    Examples
    --------
    >>> signed_rank_test([1, 0, 0], alternative="greater")
    SignedRank(statistic=1.0, p_value=0.5, n=1)
    >>> round(signed_rank_test([-1, 0, 0], alternative="greater").p_value, 3)
    0.977
    """
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative must be 'two-sided', 'greater' or 'less', got {alternative!r}")
    difference = check_scores(x, "x")
    if y is not None:
        second = check_scores(y, "y")
        check_same_length(x=difference, y=second)
        difference = difference - second
    difference = difference[difference != 0]
    n = difference.size
    ranks, tied = _mean_ranks(np.abs(difference))
    statistic = float(ranks[difference > 0].sum())
    variance = n * (n + 1) * (2 * n + 1) / 24 - (tied**3 - tied).sum() / 48
    if variance == 0:
        return SignedRank(statistic, 1.0, n)
    excess, spread = statistic - n * (n + 1) / 4, math.sqrt(variance)
    if alternative == "two-sided":
        z = (excess - correct * math.copysign(0.5, excess) * (excess != 0)) / spread
        return SignedRank(statistic, min(1.0, 2 * min(_normal_cdf(z), _normal_cdf(-z))), n)
    sign = 1 if alternative == "greater" else -1
    return SignedRank(statistic, _normal_cdf(-(sign * excess - correct * 0.5) / spread), n)


def sign_test(wins, n, *, alternative="greater"):
    """P-value of :func:`scipy.stats.binomtest`: does one method win more often than a fair coin?

    Parameters
    ----------
    wins : int
        Comparisons won, between 0 and `n`.
    n : int
        Comparisons made; leave ties out.
    alternative : {"greater", "less", "two-sided"}

    Returns
    -------
    float
        The p-value.

    Raises
    ------
    ValueError
        If `wins` does not lie between 0 and `n`, or `alternative` is unknown.

    References
    ----------
    Jain, White & Radivojac (2017), Section 5: 26 and 31 wins of 36.

    Examples
    --------
    >>> f"{sign_test(26, 36):.1e}", f"{sign_test(31, 36):.1e}"
    ('5.7e-03', '6.5e-06')
    """
    from scipy.stats import binomtest

    return float(binomtest(wins, n, alternative=alternative).pvalue)


def bootstrap_interval(values, statistic=np.mean, *, confidence=0.95, n_resamples=2000, random_state=None):
    """Percentile bootstrap interval of a statistic.

    Parameters
    ----------
    values : array-like of shape (n,)
        Independent observations.
    statistic : callable
        Takes an array and an ``axis``, as :func:`numpy.mean` and :func:`numpy.median` do.
    confidence : float
        In (0, 1).
    n_resamples : int
        At least 1.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    tuple of float
        Lower and upper end.

    Raises
    ------
    ValueError
        If `values` is empty or not finite, or a number is out of range.

    References
    ----------
    Efron & Tibshirani (1993), Chapter 13.

    Examples
    --------
    >>> bootstrap_interval([1.0, 1.0, 1.0])
    (1.0, 1.0)
    """
    values = check_scores(values, "values")
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1, got {n_resamples}")
    draws = check_random_state(random_state).integers(values.size, size=(int(n_resamples), values.size))
    tail = (1 - confidence) / 2
    low, high = np.quantile(statistic(values[draws], axis=1), [tail, 1 - tail])
    return float(low), float(high)


def _mean_ranks(values):
    """Return ranks from 1, ties sharing their mean, and the size of every group of equal values."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(sizes) - (sizes - 1) / 2)[group], sizes


def _normal_cdf(z):
    return math.erfc(-z / math.sqrt(2)) / 2
