"""Recall, precision, F-measures and the LL score from labeled positives and the label frequency.

Functions on labels take `s` and `y_pred`; functions on counts take arrays of any shape that broadcast, so that many
samples, classifiers and label frequencies are scored at once.
"""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction, check_labels, check_predictions, check_same_index, check_same_length

__all__ = [
    "LabeledCounts",
    "estimated_f1_score",
    "estimated_fbeta_score",
    "estimated_precision_score",
    "estimated_recall_score",
    "fbeta_from_counts",
    "labeled_counts",
    "lee_liu_from_counts",
    "lee_liu_score",
]


_TOO_MANY = 2**21  # examples: the product of three such counts is more than an int64 holds


class LabeledCounts(NamedTuple):
    """Counts of a sample and its predictions from which the estimates are computed."""

    labeled_hits: int
    """Labeled positives predicted positive (S1)."""
    n_labeled: int
    """Labeled positives (S)."""
    predicted_positives: int
    """Examples predicted positive, whatever their label (M1)."""
    n: int
    """Examples (M)."""


def labeled_counts(s, y_pred):
    """Count what the estimates need.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed labels: 1 labeled positive, 0 unlabeled. Known negatives (-1) count as part of the sample.
    y_pred : array-like of shape (n_samples,)
        Predicted classes, 0 or 1.

    Returns
    -------
    LabeledCounts

    Raises
    ------
    ValueError
        If there is no labeled or no unlabeled example, a value is not allowed, or the lengths differ.

    Examples
    --------
    >>> labeled_counts([1, 1, 0, 0, 0], [1, 0, 1, 0, 0])
    LabeledCounts(labeled_hits=1, n_labeled=2, predicted_positives=2, n=5)
    """
    check_same_index(s=s, y_pred=y_pred)
    s = check_labels(s, allowed=(-1, 0, 1), need=(0, 1))
    y_pred = check_predictions(y_pred)
    check_same_length(s=s, y_pred=y_pred)
    labeled = s == 1
    return LabeledCounts(int(y_pred[labeled].sum()), int(labeled.sum()), int((y_pred == 1).sum()), s.size)


def lee_liu_score(s, y_pred):
    """Lee and Liu's score: squared recall over the share of positive predictions. Higher is better.

    It grows with precision times recall and needs no label frequency, but it is no F1: it ranges from 0 to the inverse
    of the share of positives.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed labels: 1 labeled positive, 0 unlabeled.
    y_pred : array-like of shape (n_samples,)
        Predicted classes, 0 or 1.

    Returns
    -------
    float
        At least 0; 0 if nothing is predicted positive.

    Raises
    ------
    ValueError
        As :func:`labeled_counts`.

    References
    ----------
    Lee & Liu (2003); Tabatabaei et al. (2020), Section 3.2.

    Examples
    --------
    >>> lee_liu_score([1, 1, 0, 0, 0], [1, 0, 1, 0, 0])
    0.625
    """
    counts = labeled_counts(s, y_pred)
    return float(lee_liu_from_counts(*counts))


def estimated_recall_score(s, y_pred):
    """Recall of the labeled positives, which is unbiased for the recall of all positives.

    Parameters
    ----------
    s, y_pred : array-like of shape (n_samples,)
        As in :func:`lee_liu_score`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As :func:`labeled_counts`.

    References
    ----------
    Tabatabaei et al. (2020), Section 3.2.

    Examples
    --------
    >>> estimated_recall_score([1, 1, 0, 0, 0], [1, 0, 1, 0, 0])
    0.5
    """
    counts = labeled_counts(s, y_pred)
    return counts.labeled_hits / counts.n_labeled


def estimated_precision_score(s, y_pred, *, rho):
    """Precision, from the labeled positives scaled up by the label frequency.

    Parameters
    ----------
    s, y_pred : array-like of shape (n_samples,)
        As in :func:`lee_liu_score`.
    rho : float
        Label frequency: share of all positives that are labeled, in (0, 1].

    Returns
    -------
    float
        At least 0; above 1 if chance labeled more hits than `rho` allows, or if `rho` is too small. 0 if nothing is
        predicted positive.

    Raises
    ------
    ValueError
        As :func:`labeled_counts`, and if `rho` is not in (0, 1].

    References
    ----------
    Tabatabaei et al. (2020), Section 4.1.

    Examples
    --------
    >>> estimated_precision_score([1, 1, 0, 0, 0], [1, 0, 1, 0, 0], rho=0.5)
    1.0
    """
    counts, rho = labeled_counts(s, y_pred), check_rho(rho)
    return counts.labeled_hits / (rho * counts.predicted_positives) if counts.predicted_positives else 0.0


def estimated_fbeta_score(s, y_pred, *, rho, recall_weight=1.0):
    """F-measure without negatives, with a weight on recall.

    Parameters
    ----------
    s, y_pred : array-like of shape (n_samples,)
        As in :func:`lee_liu_score`.
    rho : float
        Label frequency, in (0, 1].
    recall_weight : float
        How much more recall counts than precision (the "beta" of F-beta, which here would be confused with the share
        of positives among the labeled); above 0.

    Returns
    -------
    float
        At least 0.

    Raises
    ------
    ValueError
        As :func:`estimated_precision_score`, and if `recall_weight` is not above 0.

    References
    ----------
    Tabatabaei et al. (2020), Sections 4.1 and 7.

    Examples
    --------
    >>> estimated_fbeta_score([1, 1, 0, 0, 0], [1, 0, 1, 0, 0], rho=0.5, recall_weight=2.0)
    0.5555555555555556
    """
    counts, rho = labeled_counts(s, y_pred), check_rho(rho)
    return float(fbeta_from_counts(*counts[:3], rho=rho, recall_weight=recall_weight))


def estimated_f1_score(s, y_pred, *, rho):
    """F1 without negatives: 2 S1 / (rho M1 + S).

    Parameters
    ----------
    s, y_pred : array-like of shape (n_samples,)
        As in :func:`lee_liu_score`.
    rho : float
        Label frequency, in (0, 1].

    Returns
    -------
    float
        At least 0; unbiased if labels are missing completely at random and `rho` is the realised share.

    Raises
    ------
    ValueError
        As :func:`estimated_precision_score`.

    References
    ----------
    Tabatabaei et al. (2020), Section 4.1.

    Examples
    --------
    >>> estimated_f1_score([1, 1, 0, 0, 0], [1, 0, 1, 0, 0], rho=0.5)
    0.6666666666666666
    """
    return estimated_fbeta_score(s, y_pred, rho=rho)


def fbeta_from_counts(labeled_hits, n_labeled, predicted_positives, *, rho, recall_weight=1.0):
    """F-measure from counts, for many samples, classifiers and label frequencies at once.

    Parameters
    ----------
    labeled_hits, n_labeled, predicted_positives : array-like of int
        S1, S and M1; any shapes that broadcast.
    rho : array-like of float
        Label frequencies above 0. A wrong one may exceed 1.
    recall_weight : float
        As in :func:`estimated_fbeta_score`.

    Returns
    -------
    float64 or ndarray of float64

    Raises
    ------
    ValueError
        If `rho` or `recall_weight` is not above 0, or `n_labeled` is 0 somewhere.

    Examples
    --------
    >>> fbeta_from_counts([1, 2], 2, [2, 3], rho=0.5).round(3)
    array([0.667, 1.143])
    """
    rho, weight = np.asarray(rho, dtype=np.float64), np.float64(recall_weight) ** 2
    if not (rho > 0).all():
        raise ValueError(f"rho must be above 0, got {rho[~(rho > 0)].flat[0]}")
    if not recall_weight > 0:
        raise ValueError(f"recall_weight must be above 0, got {recall_weight}")
    _check_some_labeled(n_labeled)
    return (1 + weight) * np.asarray(labeled_hits) / (rho * predicted_positives + weight * np.asarray(n_labeled))


def lee_liu_from_counts(labeled_hits, n_labeled, predicted_positives, n):
    """Lee and Liu's score from counts; 0 where nothing is predicted positive.

    Parameters
    ----------
    labeled_hits, n_labeled, predicted_positives, n : array-like of int
        S1, S, M1 and M; any shapes that broadcast.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ValueError
        If `n_labeled` is 0 somewhere.

    Examples
    --------
    >>> lee_liu_from_counts([1, 0], 2, [2, 0], 5)
    array([0.625, 0.   ])
    """
    _check_some_labeled(n_labeled)
    hits, labeled = np.asarray(labeled_hits, dtype=np.int64), np.asarray(n_labeled, dtype=np.int64)
    predicted, n = np.asarray(predicted_positives, dtype=np.int64), np.asarray(n, dtype=np.int64)
    if max(count.max(initial=0) for count in (hits, labeled, predicted, n)) >= _TOO_MANY:
        hits, labeled = hits.astype(np.float64), labeled.astype(np.float64)
    # Else one division of exact integers: equal scores stay equal, which rankings depend on.
    return np.where(predicted > 0, hits**2 * n / (labeled**2 * np.maximum(predicted, 1)), 0.0)


def check_rho(rho, name="rho"):
    rho = check_fraction(rho, name)
    if rho == 0:
        raise ValueError(f"{name} must lie in (0, 1], got 0.0: without labeled positives nothing can be estimated")
    return rho


def _check_some_labeled(n_labeled):
    if not (np.asarray(n_labeled) >= 1).all():
        raise ValueError("n_labeled must be at least 1 everywhere: without labeled positives nothing can be estimated")
