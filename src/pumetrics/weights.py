"""Weights and clusters of examples: checks and effective sample sizes."""

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.validation import (
    LARGEST,
    SMALLEST,
    check_magnitude,
    check_same_length,
    check_scores,
)

__all__ = ["check_weights", "design_effect", "effective_size"]

_LEVELS = 20  # of the distribution of scores, at which the design effect is averaged


def check_weights(sample_weight, s):
    """Return weights as a float64 array, or raise ValueError.

    Parameters
    ----------
    sample_weight : array-like of shape (n,)
        Weights, finite and at least 0, of which labeled and unlabeled examples each hold some above 0.
    s : ndarray of shape (n,)
        Checked labels, 0 and 1.

    Returns
    -------
    ndarray of shape (n,)

    Raises
    ------
    ValueError
        If a weight is negative, not finite, or too large to compute with, lengths differ, or all weights of a kind of
        examples are 0.

    Examples
    --------
    >>> check_weights([1, 0, 2.5], np.array([1, 0, 0]))
    array([1. , 0. , 2.5])
    """
    name = "sample_weight"
    weights = check_scores(sample_weight, name)
    check_same_length(s=s, sample_weight=weights)
    below = np.flatnonzero(weights < 0)
    if below.size:
        raise ArgumentError(
            name,
            f"must be at least 0, got {weights[below[0]]:g} at position {below[0]} ({below.size} such values): "
            "a weight is the number of examples that a row represents",
        )
    position = check_magnitude(weights)
    if position is not None:
        raise ArgumentError(
            name,
            f"must have its largest value between {SMALLEST:g} and {LARGEST:g}, got {weights[position]:g} at "
            f"position {position}: rescale the weights",
        )
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        if not weights[s == value].any():
            raise ArgumentError(
                name, f"is 0 for every {kind} example: give at least one of them a weight above 0"
            )
    return weights


def effective_size(weights):
    """Compute Kish's effective sample size of weighted examples, (sum w)^2 / sum w^2.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        At least 0, not all 0.

    Returns
    -------
    float
        From 1 to n.

    References
    ----------
    Kish (1965), "Survey Sampling", Section 11.7.

    Examples
    --------
    >>> effective_size(np.array([2.0, 2.0, 2.0])), effective_size(np.array([4.0, 1.0, 1.0]))
    (3.0, 2.0)
    """
    relative = weights / weights.max()
    return float(relative.sum() ** 2 / np.sum(relative**2))


def design_effect(weights, clusters, scores):
    """Compute the ratio of the variance of the distribution of scores to that of independent rows.

    At some levels of the distribution the variance of its value, with clusters drawn, is divided by that with rows
    drawn. Few clusters show their effect badly, so of the excess of the worst case, in which all rows of a cluster are
    alike, a part is added: one over the square of the effective number of clusters.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Above 0.
    clusters : ndarray of shape (n,)
        Numbers that name the cluster of each row.
    scores : ndarray of shape (n,)

    Returns
    -------
    float
        From 1, as where every row is a cluster, to the largest possible: m where each cluster holds m copies of a row.

    References
    ----------
    Kish (1965), "Survey Sampling", Section 5.4, for the ratio of variances; Binder (1983), "On the variances of
    asymptotically normal estimators from complex surveys", for the residuals of a ratio.

    Examples
    --------
    >>> scores = np.array([1.0, 2.0, 3.0, 4.0])
    >>> design_effect(np.ones(4), np.arange(4), scores), design_effect(np.ones(8), np.arange(8) // 2, scores.repeat(2))
    (1.0, 2.0)
    """
    clusters = np.unique(clusters, return_inverse=True)[1]
    relative = weights / weights.max()
    totals = np.bincount(clusters, relative)
    worst = np.sum(totals**2) / np.sum(relative**2)
    places = np.unique(scores, return_inverse=True)[1]
    share = np.cumsum(np.bincount(places, relative)) / relative.sum()
    cuts = np.unique(np.searchsorted(share, np.arange(1, _LEVELS) / _LEVELS - 1e-9))
    ratios = []
    for cut in cuts[cuts < len(share) - 1]:
        residuals = relative * ((places <= cut) - share[cut])
        ratios.append(np.sum(np.bincount(clusters, residuals) ** 2) / np.sum(residuals**2))
    ratio = np.mean(ratios) if ratios else worst
    ratio += (worst - ratio) / effective_size(totals) ** 2
    return float(np.clip(ratio, 1.0, max(worst, 1.0)))
