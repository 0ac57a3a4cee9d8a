"""Variance of the estimates: exact moments over the choice of labels, and an interval for F1.

Which positives are labeled is the only chance there is. Under random labeling the number of labeled true positives is
hypergeometric, so mean and variance are exact; an uncertain label frequency comes in as a second, independent chance.
"""

from bisect import bisect_left
from math import ceil
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction
from pumetrics.label_frequency.scores import check_rho, fbeta_from_counts, labeled_counts

__all__ = [
    "Moments",
    "RhoDistribution",
    "estimated_f1_interval",
    "estimated_f1_std",
    "estimated_fbeta_moments",
    "estimated_precision_moments",
    "estimated_recall_moments",
    "rho_from_moments",
]


class Moments(NamedTuple):
    """Mean and variance of an estimate over the choice of labels, and its bias."""

    mean: float
    variance: float
    bias: float


class RhoDistribution(NamedTuple):
    """Distribution of an estimate of the label frequency: its values and their probabilities."""

    values: np.ndarray
    weights: np.ndarray


def estimated_recall_moments(n_positive, n_labeled, true_positives):
    """Mean and variance of the estimated recall over all ways to label `n_labeled` of the positives.

    Parameters
    ----------
    n_positive, n_labeled, true_positives : array-like of int
        P, S and P1, with 1 <= S <= P and 0 <= P1 <= P; any shapes that broadcast.

    Returns
    -------
    Moments
        The bias is 0.

    Raises
    ------
    ValueError
        If a count is out of its range.

    References
    ----------
    Tabatabaei et al. (2020), Section 4.1.

    Examples
    --------
    >>> float(estimated_recall_moments(50, 15, 20).mean)
    0.4
    """
    hits, positive, labeled = _hits_moments(n_positive, n_labeled, true_positives)
    recall = np.asarray(true_positives) / positive
    return _as_moments(hits.mean / labeled, hits.variance / labeled**2, recall)


def estimated_precision_moments(n_positive, n_labeled, true_positives, predicted_positives, *, rho_hat=None):
    """Mean, variance and bias of the estimated precision, with a known or an uncertain label frequency.

    Parameters
    ----------
    n_positive, n_labeled, true_positives, predicted_positives : array-like of int
        P, S, P1 and M1, with 1 <= S <= P and P1 <= M1; any shapes that broadcast.
    rho_hat : None, array-like or RhoDistribution
        None: the true label frequency S / P is known. Otherwise an estimate that is independent of which positives are
        labeled: samples of it, or a distribution such as :func:`rho_from_moments` makes.

    Returns
    -------
    Moments
        The bias is 0 if `rho_hat` is None, and positive if the mean of `rho_hat` is S / P (Jensen's inequality).

    Raises
    ------
    ValueError
        If a count is out of its range or `rho_hat` is not above 0.

    References
    ----------
    Tabatabaei et al. (2020), Sections 4.1 and 4.3.

    Examples
    --------
    >>> known = estimated_precision_moments(50, 15, 20, 40)
    >>> wrong = estimated_precision_moments(50, 15, 20, 40, rho_hat=[0.2, 0.4])
    >>> float(known.mean), round(float(wrong.mean), 4), round(float(wrong.bias), 4)
    (0.5, 0.5625, 0.0625)
    """
    hits, positive, labeled = _hits_moments(n_positive, n_labeled, true_positives, predicted_positives)
    predicted = np.maximum(predicted_positives, 1)  # without positive predictions there are no hits either
    precision = np.asarray(true_positives) / predicted
    values, weights = _rho_nodes(rho_hat, labeled / positive)
    return _ratio_moments(hits, 1 / (values * predicted[..., None]), weights, precision)


def estimated_fbeta_moments(
    n_positive, n_labeled, true_positives, predicted_positives, *, recall_weight=1.0, rho_hat=None
):
    """Mean, variance and bias of the estimated F-measure, with a known or an uncertain label frequency.

    Parameters
    ----------
    n_positive, n_labeled, true_positives, predicted_positives : array-like of int
        As in :func:`estimated_precision_moments`.
    recall_weight : float
        As in :func:`estimated_fbeta_score`; 1 is F1.
    rho_hat : None, array-like or RhoDistribution
        As in :func:`estimated_precision_moments`.

    Returns
    -------
    Moments
        The bias is 0 if `rho_hat` is None, and positive if the mean of `rho_hat` is S / P (Jensen's inequality).

    Raises
    ------
    ValueError
        If a count is out of its range, or `rho_hat` or `recall_weight` is not above 0.

    References
    ----------
    Tabatabaei et al. (2020), Sections 4.1 and 4.3.

    Examples
    --------
    >>> known = estimated_fbeta_moments(50, 15, 15, 18)
    >>> round(float(known.mean), 6), round(float(known.variance) ** 0.5, 4)
    (0.441176, 0.1471)
    """
    hits, positive, labeled = _hits_moments(n_positive, n_labeled, true_positives, predicted_positives)
    if not recall_weight > 0:
        raise ValueError(f"recall_weight must be above 0, got {recall_weight}")
    weight = recall_weight**2
    truth = (1 + weight) * np.asarray(true_positives) / (np.asarray(predicted_positives) + weight * positive)
    values, weights = _rho_nodes(rho_hat, labeled / positive)
    factor = (1 + weight) / (values * np.asarray(predicted_positives)[..., None] + weight * labeled[..., None])
    return _ratio_moments(hits, factor, weights, truth)


def estimated_f1_std(n_positive, n_labeled, true_positives, predicted_positives):
    """Standard deviation of the estimated F1 over all ways to label `n_labeled` of the positives.

    Parameters
    ----------
    n_positive, n_labeled, true_positives, predicted_positives : array-like of int
        P, S, P1 and M1, with 1 <= S <= P and P1 <= M1; any shapes that broadcast.

    Returns
    -------
    float or ndarray of float64

    Raises
    ------
    ValueError
        If a count is out of its range.

    References
    ----------
    Tabatabaei et al. (2020), Section 4.1: the labeled true positives are hypergeometric.

    Examples
    --------
    >>> round(estimated_f1_std(50, 15, 15, 18), 4)
    0.1471
    """
    std = np.sqrt(estimated_fbeta_moments(n_positive, n_labeled, true_positives, predicted_positives).variance)
    return float(std) if std.ndim == 0 else std


def rho_from_moments(mean, std, *, skewness=0.0):
    """Distribution of an estimated label frequency of which only the first moments are known.

    It has two values, the only two-valued one with these three moments; so means of smooth functions of it are right up
    to third order, whatever the true shape.

    Parameters
    ----------
    mean : float
        In (0, 1].
    std : float
        At least 0.
    skewness : float

    Returns
    -------
    RhoDistribution

    Raises
    ------
    ValueError
        If a number is out of range, or the moments put weight on frequencies of 0 or below.

    Examples
    --------
    >>> rho_from_moments(0.3, 0.1).values.round(3)
    array([0.2, 0.4])
    """
    mean = check_rho(mean, "mean")
    if not (std >= 0 and np.isfinite(std)):
        raise ValueError(f"std must be at least 0, got {std}")
    half = skewness / 2
    root = np.sqrt(1 + half**2)
    values = mean + std * np.array([half - root, half + root])
    if values.min() <= 0:
        raise ValueError(
            f"mean={mean}, std={std} and skewness={skewness} put weight on label frequencies of 0 or below "
            f"(down to {values.min():.3g}): pass samples of the estimate instead"
        )
    return RhoDistribution(values, np.array([1 + half / root, 1 - half / root]) / 2)


def estimated_f1_interval(s, y_pred, *, rho, confidence=0.95, method="hypergeometric"):
    """Interval for the F1 of the sample, given that labels are missing completely at random.

    Parameters
    ----------
    s, y_pred : array-like of shape (n_samples,)
        As in :func:`lee_liu_score`.
    rho : float or tuple of float
        Label frequency in (0, 1], or its lower and upper end: then the hull of the intervals between them.
    confidence : float
        In (0, 1).
    method : {"hypergeometric", "normal"}
        "hypergeometric" inverts the law of the labeled hits and covers at least as often as it says; "normal" is the
        estimate plus and minus a multiple of its estimated standard deviation.

    Returns
    -------
    tuple of float
        Lower and upper end, in [0, 1].

    Raises
    ------
    ValueError
        As :func:`estimated_f1_score`, and if `confidence` or `method` is not allowed.

    References
    ----------
    Tabatabaei et al. (2020), Section 4.1, for the law; the inversion is Clopper and Pearson's.

    Examples
    --------
    >>> s = [1] * 15 + [0] * 135
    >>> y_pred = [1] * 9 + [0] * 6 + [1] * 31 + [0] * 104
    >>> tuple(round(end, 3) for end in estimated_f1_interval(s, y_pred, rho=0.3))
    (0.422, 0.889)
    """
    counts = labeled_counts(s, y_pred)
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    lowest, highest = (check_rho(rho),) * 2 if np.ndim(rho) == 0 else sorted(check_rho(end) for end in rho)
    makers = {"hypergeometric": _exact_interval, "normal": _normal_interval}
    if method not in makers:
        raise ValueError(f"method must be 'hypergeometric' or 'normal', got {method!r}")
    first, last = (min(max(counts.n_labeled, round(counts.n_labeled / rho)), counts.n) for rho in (highest, lowest))
    return makers[method](counts, first, last, (1 - confidence) / 2)


def _exact_interval(counts, first, last, tail):
    """Lowest and highest F1 over the kept true positives, for all numbers of positives from `first` to `last`.

    What is kept grows with the positives. So a range of them is passed over once neither the fewest kept at its
    beginning with the positives of its end, nor the most kept at its end with those of its beginning, widens the hull.
    """

    def f1(true, positive):
        return 2 * true / (counts.predicted_positives + positive)

    kept = {positive: _kept(counts, positive, tail) for positive in (first, last)}
    low, high = (pick(f1(ends[i], p) for p, ends in kept.items()) for i, pick in ((0, min), (1, max)))
    ranges = [(first, last)]
    while ranges:
        start, stop = ranges.pop()
        if stop - start > 1 and (f1(kept[start][0], stop) < low or f1(kept[stop][1], start) > high):
            middle = (start + stop) // 2
            kept[middle] = _kept(counts, middle, tail)
            low, high = min(low, f1(kept[middle][0], middle)), max(high, f1(kept[middle][1], middle))
            ranges += [(start, middle), (middle, stop)]
    return low, high


def _kept(counts, positive, tail):
    """Fewest and most true positives under which the labeled hits are not in either tail."""
    from scipy.stats import hypergeom

    hits, labeled, predicted, n = counts
    # What was seen, and the sizes of the two classes, bound the true positives before any chance does.
    lowest = max(hits, predicted - (n - positive))
    candidates = range(lowest, max(lowest, min(predicted, positive - labeled + hits)) + 1)
    # More true positives make more labeled hits likely, so both ends are found by bisection.
    first = bisect_left(candidates, True, key=lambda true: hypergeom.sf(hits - 1, positive, true, labeled) > tail)
    stop = bisect_left(candidates, True, key=lambda true: hypergeom.cdf(hits, positive, true, labeled) <= tail)
    if first < stop:
        return candidates[first], candidates[stop - 1]
    nearest = ceil(hits * positive / labeled - 0.5)  # rho contradicts the counts: the nearest possible number
    return (min(max(nearest, candidates[0]), candidates[-1]),) * 2


def _normal_interval(counts, first, last, tail):
    """The same hull of the estimates plus and minus a multiple of their standard deviations."""
    from statistics import NormalDist

    hits, labeled, predicted, _ = counts
    positive = np.arange(first, last + 1)
    true_positives = np.minimum(np.rint(hits * positive / labeled).astype(np.int64), np.minimum(predicted, positive))
    half = -NormalDist().inv_cdf(tail) * estimated_f1_std(positive, labeled, true_positives, predicted)
    estimate = fbeta_from_counts(hits, labeled, predicted, rho=labeled / positive)
    return float(np.clip(estimate - half, 0, 1).min()), float(np.clip(estimate + half, 0, 1).max())


def _hits_moments(n_positive, n_labeled, true_positives, predicted_positives=None):
    """Hypergeometric mean and variance of the labeled hits, and the first two counts as arrays."""
    positive, labeled, true = (np.asarray(count, dtype=np.int64) for count in (n_positive, n_labeled, true_positives))
    _check_ranges(positive, labeled, true, predicted_positives)
    mean = labeled * true / positive
    # A float from here on: the product of four counts outgrows an integer.
    variance = mean * (1 - true / positive) * (positive - labeled) / np.maximum(positive - 1, 1)
    return Moments(mean, variance, 0.0), positive, labeled


def _check_ranges(positive, labeled, true, predicted):
    """Raise ValueError, naming the first set of counts that cannot be."""
    predicted = true if predicted is None else np.asarray(predicted)
    for wrong, rule in (
        (labeled < 1, "n_labeled must be at least 1"),
        (labeled > positive, "n_labeled must not exceed n_positive"),
        ((true < 0) | (true > positive), "true_positives must lie between 0 and n_positive"),
        (predicted < true, "predicted_positives must not be below true_positives"),
    ):
        if np.any(wrong):
            counts = np.broadcast_arrays(wrong, positive, labeled, true, predicted)
            first = [int(count[counts[0]][0]) for count in counts[1:]]
            names = ("n_positive", "n_labeled", "true_positives", "predicted_positives")
            got = ", ".join(f"{name}={value}" for name, value in zip(names, first, strict=True))
            raise ValueError(f"{rule}, got {got}")


def _rho_nodes(rho_hat, rho):
    """Values and weights of the label frequency that is used, values with a new last axis."""
    if rho_hat is None:
        return np.asarray(rho)[..., None], np.ones(1)
    values, weights = rho_hat if isinstance(rho_hat, RhoDistribution) else (rho_hat, None)
    values = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if not (values > 0).all() or not np.isfinite(values).all():
        raise ValueError(f"rho_hat must be above 0 and finite, got {values[~((values > 0) & np.isfinite(values))][0]}")
    return values, np.full(values.shape, 1 / values.size) if weights is None else np.asarray(weights)


def _ratio_moments(hits, factor, weights, truth):
    """Moments of hits times an independent factor, whose values stand on the last axis."""
    first, second = (factor * weights).sum(axis=-1), (factor**2 * weights).sum(axis=-1)
    spread = np.maximum(second - first**2, 0.0)
    return _as_moments(hits.mean * first, hits.variance * second + hits.mean**2 * spread, truth)


def _as_moments(mean, variance, truth):
    return Moments(mean, variance, mean - truth)
