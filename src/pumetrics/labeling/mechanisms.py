"""Labels of positives selected completely at random, or with a probability that depends on a feature or score.

Each mechanism first draws all its randomness (a permutation, or one uniform number per example), then builds the labels
from it without any more. The same seed therefore gives nested labelings: an example that is labeled at a small share
is labeled at a larger one.

``random_state`` is a seed, a SeedSequence, a Generator, a RandomState, or None.
"""

import numpy as np

from pumetrics._validation import (
    check_count,
    check_fraction,
    check_labels,
    check_random_state,
    check_same_length,
    check_scores,
)

__all__ = ["partial_labels", "sar", "sar_propensity", "scar"]


def scar(y, *, n_labeled=None, label_frequency=None, random_state=None):
    """Labels of positives selected completely at random, all other examples unlabeled.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    n_labeled : int, optional
        Exactly this many positives are labeled. Give either this or `label_frequency`.
    label_frequency : float, optional
        Each positive is labeled with this chance in [0, 1], independently of all others, so the number of labeled
        positives varies. For a fixed share see :func:`partial_labels`.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    ndarray of shape (n_samples,)
        `s`: 1 labeled positive, 0 unlabeled.

    Raises
    ------
    ValueError
        If `y` has no positive, both or none of the two sizes are given, or the size is out of range.

    References
    ----------
    Elkan & Noto (2008); Claesen et al. (2015), Section 2.

    Examples
    --------
    >>> scar([1, 1, 0, 1, 0], n_labeled=3)
    array([1, 1, 0, 1, 0], dtype=int8)
    """
    y = check_labels(y, "y", need=(1,))
    if (n_labeled is None) == (label_frequency is None):
        raise ValueError(
            f"give exactly one of n_labeled and label_frequency, got n_labeled={n_labeled} "
            f"and label_frequency={label_frequency}"
        )
    positives = np.flatnonzero(y == 1)
    rng = check_random_state(random_state)
    if n_labeled is not None:
        n_labeled = check_count(n_labeled, "n_labeled")
        if n_labeled > len(positives):
            raise ValueError(f"n_labeled must be at most {len(positives)}, the number of positives, got {n_labeled}")
        chosen = rng.permutation(positives)[:n_labeled]
    else:
        chosen = positives[rng.random(len(positives)) < check_fraction(label_frequency, "label_frequency")]
    return _labels(len(y), chosen)


def partial_labels(y, *, rho, rho_negative=0.0, random_state=None):
    """Labels of an exact share of the positives and, optionally, of the negatives.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    rho : float
        Label frequency in [0, 1]: round(rho P) of the P positives are labeled positive.
    rho_negative : float, default=0.0
        Share in [0, 1] of the N negatives that are labeled negative, round(rho_negative N) of them.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    ndarray of shape (n_samples,)
        `s`: 1 labeled positive, 0 unlabeled, -1 labeled negative.

    Raises
    ------
    ValueError
        If `y` has no positive, or a share is out of range.

    References
    ----------
    Tabatabaei, Klein & Hoogendoorn (2020), Section 5.1.

    Examples
    --------
    >>> s = partial_labels([1, 1, 1, 1, 0, 0], rho=0.5, rho_negative=1.0, random_state=0)
    >>> (s == 1).sum(), (s == -1).sum()
    (np.int64(2), np.int64(2))
    """
    y = check_labels(y, "y", need=(1,))
    rho, rho_negative = check_fraction(rho, "rho"), check_fraction(rho_negative, "rho_negative")
    rng = check_random_state(random_state)
    positives, negatives = rng.permutation(np.flatnonzero(y == 1)), rng.permutation(np.flatnonzero(y == 0))
    s = _labels(len(y), positives[: round(rho * len(positives))])
    s[negatives[: round(rho_negative * len(negatives))]] = -1
    return s


def sar_propensity(y, score, *, label_frequency, strength):
    """Probability of each example to be labeled, depending on a feature or score.

    The log odds of a positive grow linearly in its rank by `score`, over `strength` from the lowest to the highest,
    and average to `label_frequency`. Negatives are never labeled.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    score : array-like of shape (n_samples,)
        What the chance depends on; only its ranks among the positives matter, ties share their mean rank.
    label_frequency : float
        Mean chance of the positives, in (0, 1).
    strength : float
        Log odds of the highest-ranked positive minus those of the lowest; 0 is labeling completely at random,
        negative prefers low scores.

    Returns
    -------
    ndarray of shape (n_samples,)
        Propensities in [0, 1], 0 for negatives.

    Raises
    ------
    ValueError
        If `y` has no positive, lengths differ, or a value is out of range or not finite.

    References
    ----------
    Bekker, Robberechts & Davis (2019), labeling selected at random.

    Examples
    --------
    >>> sar_propensity([1, 1, 1, 0], [0.1, 0.2, 0.3, 0.4], label_frequency=0.5, strength=2.0).round(3)
    array([0.269, 0.5  , 0.731, 0.   ])
    """
    y, score = check_labels(y, "y", need=(1,)), check_scores(score, "score")
    check_same_length(y=y, score=score)
    frequency = check_fraction(label_frequency, "label_frequency", inclusive=False)
    if not np.isfinite(strength):
        raise ValueError(f"strength must be a finite number, got {strength}")
    values = score[y == 1]
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count + 1) / 2)[group]  # mean rank of each group of ties, from 0
    tilt = strength * (rank / max(len(values) - 1, 1) - 0.5)
    low, high = -abs(strength) - 50.0, abs(strength) + 50.0
    for _ in range(100):  # bisection: the mean chance increases with the shift
        shift = (low + high) / 2
        chance = np.exp(-np.logaddexp(0.0, -shift - tilt))  # the logistic function, safe from overflow
        low, high = (low, shift) if chance.mean() > frequency else (shift, high)
    propensity = np.zeros(len(y))
    propensity[y == 1] = chance
    return propensity


def sar(y, score, *, label_frequency, strength, random_state=None):
    """Labels of positives selected at random with a probability that depends on a feature or score.

    Parameters
    ----------
    y, score, label_frequency, strength
        See :func:`sar_propensity`.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    ndarray of shape (n_samples,)
        `s`: 1 labeled positive, 0 unlabeled.

    Raises
    ------
    ValueError
        As :func:`sar_propensity`.

    Examples
    --------
    >>> sar([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], label_frequency=0.999999, strength=0.0, random_state=0)
    array([1, 0, 1, 0], dtype=int8)
    """
    propensity = sar_propensity(y, score, label_frequency=label_frequency, strength=strength)
    chances = check_random_state(random_state).random(len(propensity))
    return (chances < propensity).astype(np.int8)


def _labels(n_samples, positions):
    s = np.zeros(n_samples, dtype=np.int8)
    s[positions] = 1
    return s
