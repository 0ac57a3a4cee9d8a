"""Weights of examples: what they may be, and how many equally weighted examples they are worth."""

import numpy as np

from pumetrics._validation import LARGEST, SMALLEST, check_magnitude, check_same_length, check_scores

__all__ = ["check_weights", "effective_size"]


def check_weights(sample_weight, s, *, name="sample_weight"):
    """Return weights as a float64 array, or raise ValueError.

    Parameters
    ----------
    sample_weight : array-like of shape (n,)
        Weights, finite and at least 0, of which labeled and unlabeled examples each hold some above 0.
    s : ndarray of shape (n,)
        Checked labels, 0 and 1.
    name : str
        What to call the weights.

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
    weights = check_scores(sample_weight, name)
    check_same_length(s=s, **{name: weights})
    below = np.flatnonzero(weights < 0)
    if below.size:
        raise ValueError(
            f"{name} must be at least 0, got {weights[below[0]]:g} at position {below[0]} ({below.size} such values): "
            "a weight says how many examples a row stands for"
        )
    position = check_magnitude(weights)
    if position is not None:
        raise ValueError(
            f"{name} must have its largest value between {SMALLEST:g} and {LARGEST:g}, got {weights[position]:g} at "
            f"position {position}: rescale the weights"
        )
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        if not weights[s == value].any():
            raise ValueError(f"{name} is 0 for every {kind} example: give at least one of them a weight above 0")
    return weights


def effective_size(weights):
    """Number of equally weighted examples that weighted ones are worth, (sum w)^2 / sum w^2.

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
