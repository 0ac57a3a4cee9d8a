"""Inversions of rankings, and tests that compare methods."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_same_length, check_scores

__all__ = ["SignedRank", "inversion_rate", "inversions", "sign_test", "signed_rank_test"]

# Up to this many models all pairs are compared at once, which needs no compiled code. Counting by merging is twice as
# fast at 100 models, six times at 300.
_PAIRWISE_LIMIT = 64
# Bytes of the largest temporary of the pairwise comparison: it fits into the cache of one core.
_BLOCK_BYTES = 1 << 19


def inversions(truth, estimate):
    """Count the pairs of models that the estimate ranks in the wrong order.

    A pair counts if it is strictly discordant: one model is truly better, and the other has the higher estimate. Pairs
    tied in either do not count.

    Parameters
    ----------
    truth, estimate : array-like of shape (..., n_models)
        True and estimated scores, any finite numbers. Leading axes are batches (data sets, label frequencies) and
        broadcast against each other.

    Returns
    -------
    int or ndarray of int64
        Between 0 and n_models (n_models - 1) / 2; an array of the batch's shape if the input has more than one axis.

    Raises
    ------
    ValueError
        If the numbers of models differ, there is none, or a score is NaN or infinite.

    Notes
    -----
    Batches of few models are compared pair by pair; longer rankings take O(n log n).

    References
    ----------
    Tabatabaei, Klein & Hoogendoorn (2020), Section 5.2.

    Examples
    --------
    >>> inversions([0.2, 0.5, 0.9], [0.3, 0.1, 0.8])
    1
    >>> inversions([0.2, 0.5, 0.9], [[0.2, 0.5, 0.9], [0.9, 0.5, 0.2], [0.4, 0.4, 0.4]])
    array([0, 3, 0])
    """
    truth, estimate = _check_rankings(truth, estimate)
    if truth.shape[-1] <= _PAIRWISE_LIMIT:
        count = _inversions_by_pairs(truth, estimate)
    else:
        count = _inversions_by_merging(truth, estimate)
    return int(count) if count.ndim == 0 else count


def inversion_rate(truth, estimate):
    """Compute the share of all pairs of models that the estimate ranks in the wrong order.

    Parameters
    ----------
    truth, estimate : array-like of shape (..., n_models)
        As in :func:`inversions`; at least two models.

    Returns
    -------
    float or ndarray of float64
        Inversions divided by n_models (n_models - 1) / 2, in [0, 1].

    Raises
    ------
    ValueError
        As :func:`inversions`, and if there are fewer than two models.

    References
    ----------
    Tabatabaei, Klein & Hoogendoorn (2020), Section 5.2.

    Examples
    --------
    >>> inversion_rate([1, 2, 3, 4], [2, 1, 4, 3])
    0.3333333333333333
    """
    n_models = np.shape(truth)[-1] if np.ndim(truth) else 0
    if n_models < 2:
        raise ValueError(f"inversion_rate needs at least 2 models to compare, got {n_models}")
    return inversions(truth, estimate) / (n_models * (n_models - 1) / 2)


def _check_rankings(truth, estimate):
    """Return both as broadcast float64 arrays of at least one axis, the last one the models."""
    arrays = []
    for name, given in (("truth", truth), ("estimate", estimate)):
        array = np.asarray(given, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] == 0:
            raise ValueError(f"{name} must hold at least one model's score, got shape {array.shape}")
        bad = ~np.isfinite(array)
        if bad.any():
            raise ValueError(f"{name} must be finite, got {array[bad][0]} at position {np.argwhere(bad)[0].tolist()}")
        arrays.append(array)
    if arrays[0].shape[-1] != arrays[1].shape[-1]:
        raise ValueError(f"truth has {arrays[0].shape[-1]} models, estimate has {arrays[1].shape[-1]}")
    return np.broadcast_arrays(*arrays)


def _inversions_by_pairs(truth, estimate):
    """Compare all pairs of each batch, a few batches at a time so that the comparison stays in the cache."""
    shape, n_models = truth.shape[:-1], truth.shape[-1]
    truth, estimate = truth.reshape(-1, n_models), estimate.reshape(-1, n_models)
    count = np.empty(len(truth), dtype=np.int64)
    step = max(1, _BLOCK_BYTES // n_models**2)
    for start in range(0, len(truth), step):
        t, e = truth[start : start + step], estimate[start : start + step]
        wrong = t[:, :, None] > t[:, None, :]
        wrong &= e[:, :, None] < e[:, None, :]
        count[start : start + step] = np.count_nonzero(wrong.reshape(len(t), -1), axis=1)
    return count.reshape(shape)


def _inversions_by_merging(truth, estimate):
    """Count them while sorting the estimates of each batch from the order of the truth."""
    from pumetrics.inference._merging import count  # numba takes long to import

    shape, n_models = truth.shape[:-1], truth.shape[-1]
    rows = (np.ascontiguousarray(each.reshape(-1, n_models), dtype=np.float64) for each in (truth, estimate))
    return count(*rows).reshape(shape)


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
    statistic is moved by 1/2 toward its mean. R itself does this if there are zeros, ties or 50 pairs.

    Parameters
    ----------
    x : array-like of shape (n,)
        First measurements, or the differences if `y` is None.
    y : array-like of shape (n,), optional
        Second measurements, in the order of `x`.
    alternative : {"two-sided", "greater", "less"}
        "greater" tests whether `x` tends to be larger than `y`.
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
    from scipy.stats import rankdata, wilcoxon

    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative must be 'two-sided', 'greater' or 'less', got {alternative!r}")
    difference = check_scores(x, "x")
    if y is not None:
        second = check_scores(y, "y")
        check_same_length(x=difference, y=second)
        difference = difference - second
    difference = difference[difference != 0]
    if not difference.size:
        return SignedRank(0.0, 1.0, 0)
    statistic = float(rankdata(np.abs(difference))[difference > 0].sum())
    tested = wilcoxon(difference, correction=correct, alternative=alternative, method="approx")
    return SignedRank(statistic, float(tested.pvalue), difference.size)


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
