"""Priors from counts of labeled and unlabeled examples, also of samples whose rows do not count alike."""

import numpy as np

from pumetrics._validation import check_observed
from pumetrics._weights import check_weights, effective_size
from pumetrics.counts import Counts, count_scores
from pumetrics.priors._types import priors_of
from pumetrics.priors.estimate import estimate_shares

__all__ = ["effective_counts", "has_order", "pair_of", "priors_from_counts", "resized", "samples_of"]

# Estimators of priors see at most this many evenly spaced quantiles of either sample: what they cannot tell from ten
# thousand scores is a matter of their assumptions, not of more scores.
_MOST_SCORES = 10_000


def priors_from_counts(counts, *, beta=1.0, method="consensus", noisy=False, rng=None):
    """Priors (alpha, beta) from one model's scores; NaN where there is no estimate.

    Parameters
    ----------
    counts : Counts
    beta : float
        Share of positives among the labeled: known unless `noisy`, and alpha is then beta times the share of the
        labeled distribution found among the unlabeled.
    method : str
        One of :func:`~pumetrics.priors.available_priors`.
    noisy : bool
        Whether beta is estimated as well.
    rng : int, numpy.random.Generator or None
        For estimators that draw.

    Returns
    -------
    alpha, beta : float

    Raises
    ------
    ValueError
        If `method` is unknown.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> rng = np.random.default_rng(0)
    >>> s, y_score = np.repeat([1, 0], [200, 1000]), rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> alpha, beta = priors_from_counts(count_scores(s, y_score))
    >>> 0.2 < alpha < 0.4, beta
    (True, 1.0)
    """
    if not has_order(counts):
        return np.nan, np.nan
    return pair_of(estimate_shares(*samples_of(counts), method=method, noisy=noisy, random_state=rng), beta)


def has_order(counts):
    """Whether some examples score higher than others."""
    return np.count_nonzero(np.diff(counts.predicted)) > 1


def pair_of(shares, beta):
    """Alpha and beta from shares found in both directions, or from one if beta is known."""
    values = [share.value for share in shares]
    return priors_of(values) if len(values) == 2 else (values[0] * beta, beta)


def samples_of(counts):
    """Labeled and unlabeled scores behind counts, descending; of many only evenly spaced ones.

    Parameters
    ----------
    counts : Counts

    Returns
    -------
    labeled, unlabeled : ndarray
    """
    return tuple(_spread(counts.thresholds, count) for count in (counts.labeled, counts.unlabeled))


def _spread(thresholds, count):
    size = int(count[-1])
    places = np.arange(size)
    if size > _MOST_SCORES:
        places = ((np.arange(_MOST_SCORES) + 0.5) * size / _MOST_SCORES).astype(np.int64)
    return thresholds[np.searchsorted(count, places, side="right")]


def effective_counts(s, y_score, sample_weight=None):
    """Compute counts of a weighted sample, scaled to its effective sample size.

    Estimators of the priors, and the calibration of their errors, count examples. They see the weighted distribution
    of the scores, with Kish's effective number of labeled and of unlabeled examples.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    sample_weight : array-like of shape (n,), optional
        Weights, at least 0; multiplying all of them by a number changes nothing.

    Returns
    -------
    Counts
        int64; those of the sample itself if all weights are equal.

    Raises
    ------
    ValueError
        As :func:`pumetrics.counts.count_scores`.

    Examples
    --------
    >>> counts = effective_counts([1, 1, 0, 0, 0], [5.0, 3.0, 4.0, 2.0, 1.0], [1, 1, 4, 1, 1])
    >>> counts.labeled, counts.unlabeled
    (array([0, 1, 1, 2, 2, 2]), array([0, 0, 1, 1, 2, 2]))
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    if sample_weight is None:
        return counts
    s = check_observed(s)
    weights = check_weights(sample_weight, s)
    return resized(counts, *(effective_size(weights[s == kind]) for kind in (1, 0)))


def resized(counts, n_labeled, n_unlabeled):
    """Whole counts with the same shares at every threshold, of samples of other sizes.

    Parameters
    ----------
    counts : Counts
    n_labeled, n_unlabeled : float
        At least 1; rounded.

    Returns
    -------
    Counts
        int64.
    """
    sizes = (round(n_labeled), round(n_unlabeled))
    shares = (counts.tpr_pu, counts.fpr_pu)
    whole = (np.rint(share * size).astype(np.int64) for share, size in zip(shares, sizes, strict=True))
    return Counts(counts.thresholds, *whole)
