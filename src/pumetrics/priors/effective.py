"""Samples whose rows do not count alike, as counts that estimators of the priors take."""

import numpy as np

from pumetrics._validation import check_observed
from pumetrics._weights import check_weights, effective_size
from pumetrics.counts import Counts, count_scores

__all__ = ["effective_counts", "resized"]


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
