"""Scores without negatives, from the label frequency: estimates and their variance.

The label frequency `rho` is the share of all positives that are labeled. If labels are missing completely at random,
the labeled positives show the recall, and `rho` scales them up to the number of true positives.

Functions on labels take `s` and `y_pred`; functions on counts take arrays of any shape that broadcast, so that many
samples, classifiers and label frequencies are scored at once.

References
----------
Tabatabaei, Klein & Hoogendoorn (2020), Estimating the F1 Score for Learning from Positive and Unlabeled Examples.
Lee & Liu (2003), Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression.
"""

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.validation import check_fraction, check_labels, check_same_index, check_same_length

__all__ = [
    "alpha_from_pi",
    "alpha_from_rho",
    "estimated_f1_score",
    "estimated_f1_std",
    "f1_from_counts",
    "labeled_counts",
    "lee_liu_from_counts",
    "lee_liu_score",
    "rho_from_alpha",
]

_TOO_MANY = 2**21  # examples: the product of three such counts is more than an int64 holds


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
    labeled_hits, n_labeled, predicted_positives, n : int
        Labeled positives predicted positive (S1), labeled positives (S), examples predicted positive, whatever their
        label (M1), and examples (M).

    Raises
    ------
    ValueError
        If there is no labeled or no unlabeled example, a value is not allowed, or the lengths differ.

    Examples
    --------
    >>> labeled_counts([1, 1, 0, 0, 0], [1, 0, 1, 0, 0])
    (1, 2, 2, 5)
    """
    check_same_index(s=s, y_pred=y_pred)
    s = check_labels(s, allowed=(-1, 0, 1))
    y_pred = check_labels(y_pred, "y_pred", need=())
    check_same_length(s=s, y_pred=y_pred)
    labeled = s == 1
    return int(y_pred[labeled].sum()), int(labeled.sum()), int((y_pred == 1).sum()), s.size


def lee_liu_score(s, y_pred):
    """Lee and Liu's score: squared recall over the share of positive predictions. Higher is better.

    It grows with precision times recall and needs no label frequency, but it is no F1: it ranges from 0 to the inverse
    of the share of labeled examples, and its expectation to about the inverse of the share of positives.

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
    return float(lee_liu_from_counts(*labeled_counts(s, y_pred)))


def estimated_f1_score(s, y_pred, *, rho):
    """F1 without negatives: 2 S1 / (rho M1 + S).

    Parameters
    ----------
    s, y_pred : array-like of shape (n_samples,)
        As in :func:`lee_liu_score`.
    rho : float
        Label frequency: share of all positives that are labeled, in (0, 1].

    Returns
    -------
    float
        At least 0; unbiased if labels are missing completely at random and `rho` is the realized share.

    Raises
    ------
    ValueError
        As :func:`labeled_counts`, and if `rho` is not in (0, 1].

    References
    ----------
    Tabatabaei et al. (2020), Section 4.1.

    Examples
    --------
    >>> estimated_f1_score([1, 1, 0, 0, 0], [1, 0, 1, 0, 0], rho=0.5)
    0.6666666666666666
    """
    *counts, _ = labeled_counts(s, y_pred)
    return float(f1_from_counts(*counts, rho=check_fraction(rho, "rho")))


def f1_from_counts(labeled_hits, n_labeled, predicted_positives, *, rho):
    """F1 without negatives from counts, for many samples, classifiers and label frequencies at once.

    Parameters
    ----------
    labeled_hits, n_labeled, predicted_positives : array-like of int
        S1, S and M1; any shapes that broadcast.
    rho : array-like of float
        Label frequencies above 0. A wrong one may exceed 1.

    Returns
    -------
    float64 or ndarray of float64

    Raises
    ------
    ValueError
        If `rho` is not above 0, or `n_labeled` is 0 somewhere.

    Examples
    --------
    >>> f1_from_counts([1, 2], 2, [2, 3], rho=0.5).round(3)
    array([0.667, 1.143])
    """
    rho = np.asarray(rho, dtype=np.float64)
    if not (rho > 0).all():
        raise ValueError(f"rho must be above 0, got {rho[~(rho > 0)].flat[0]}")
    _check_some_labeled(n_labeled)
    counts = labeled_hits, n_labeled, predicted_positives
    # of int8 twice may overflow
    hits, labeled, predicted = (np.asarray(count, dtype=np.float64) for count in counts)
    return 2 * hits / (rho * predicted + labeled)


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
    counts = [
        np.asarray(each, dtype=np.int64)
        for each in (labeled_hits, n_labeled, predicted_positives, n)
    ]
    hits, labeled, predicted, n = counts
    if max(count.max(initial=0) for count in counts) >= _TOO_MANY:
        hits = hits.astype(np.float64)
        labeled = labeled.astype(np.float64)
    # Else one division of exact integers: equal scores stay equal, which rankings depend on.
    return np.where(predicted > 0, hits**2 * n / (labeled**2 * np.maximum(predicted, 1)), 0.0)


def estimated_f1_std(n_positive, n_labeled, true_positives, predicted_positives):
    """Standard deviation of the estimated F1 over all ways to label `n_labeled` of the positives.

    Which positives are labeled is the only chance there is: the number of labeled true positives is hypergeometric.

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
    Tabatabaei et al. (2020), Section 4.1.

    Examples
    --------
    >>> round(estimated_f1_std(50, 15, 15, 18), 4)
    0.1471
    """
    positive, labeled, true, predicted = counts = [
        np.asarray(count, dtype=np.int64)
        for count in (n_positive, n_labeled, true_positives, predicted_positives)
    ]
    for wrong, rule in (
        (labeled < 1, "n_labeled must be at least 1"),
        (labeled > positive, "n_labeled must not exceed n_positive"),
        ((true < 0) | (true > positive), "true_positives must lie between 0 and n_positive"),
        (predicted < true, "predicted_positives must not be below true_positives"),
    ):
        if np.any(wrong):
            wrong, *counts = np.broadcast_arrays(wrong, *counts)
            names = ("n_positive", "n_labeled", "true_positives", "predicted_positives")
            got = (f"{name}={count[wrong][0]}" for name, count in zip(names, counts, strict=True))
            raise ValueError(f"{rule}, got {', '.join(got)}")
    # A float from the first mean on: the product of four counts outgrows an integer.
    hits = labeled * true / positive
    variance = hits * (1 - true / positive) * (positive - labeled) / np.maximum(positive - 1, 1)
    slope = 2 / (labeled / positive * predicted + labeled)
    std = np.sqrt(variance * slope**2)
    return float(std) if std.ndim == 0 else std


def alpha_from_rho(rho, n_labeled, n_unlabeled, *, beta=1.0):
    """Share of positives among the unlabeled, from the share of all positives that are labeled.

    Parameters
    ----------
    rho : float
        Label frequency, in (0, 1].
    n_labeled, n_unlabeled : int
    beta : float
        Share of positives among the labeled.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `rho` or `beta` is out of range, or `rho` so small that no unlabeled example would be negative.

    Examples
    --------
    >>> alpha_from_rho(0.4, 200, 1000)
    0.3
    """
    _check_sizes(n_labeled, n_unlabeled)
    rho = check_fraction(rho, "rho")
    beta = check_fraction(beta, "beta")
    least = n_labeled * beta / (n_labeled * beta + n_unlabeled)
    if rho <= least:
        raise ArgumentError(
            "rho",
            f"must exceed {least:.4g}, got {rho}: else none of the {n_unlabeled} unlabeled examples would be negative",
        )
    return n_labeled * beta * (1 - rho) / (rho * n_unlabeled)


def alpha_from_pi(pi, n_labeled, n_unlabeled, *, beta=1.0):
    """Share of positives among the unlabeled, from the share among all rows.

    Parameters
    ----------
    pi : float
        Share of positives among labeled and unlabeled examples together, in [0, 1].
    n_labeled, n_unlabeled : int
    beta : float
        Share of positives among the labeled.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `pi` or `beta` is out of range, or no share of positives among the unlabeled gives this one among all.

    Examples
    --------
    >>> alpha_from_pi(0.5, 200, 800)
    0.375
    """
    _check_sizes(n_labeled, n_unlabeled)
    pi = check_fraction(pi, "pi")
    beta = check_fraction(beta, "beta")
    total = n_labeled + n_unlabeled
    least = n_labeled * beta / total
    most = (n_labeled * beta + n_unlabeled) / total
    if not least <= pi <= most:
        raise ArgumentError(
            "pi",
            f"must lie in [{least:.4g}, {most:.4g}], got {pi}: labeled positives alone are {least:.4g} of all rows; "
            "if it is the share among the unlabeled, give it as alpha",
        )
    return min(max((pi * total - n_labeled * beta) / n_unlabeled, 0.0), 1.0)


def rho_from_alpha(alpha, n_labeled, n_unlabeled, *, beta=1.0):
    """Share of all positives that are labeled, from the share of positives among the unlabeled.

    Parameters
    ----------
    alpha : float
        Share of positives among the unlabeled, in [0, 1].
    n_labeled, n_unlabeled : int
    beta : float
        Share of positives among the labeled, in (0, 1].

    Returns
    -------
    float
        In (0, 1].

    Raises
    ------
    ValueError
        If a share is out of range.

    Examples
    --------
    >>> rho_from_alpha(0.3, 200, 1000)
    0.4
    """
    _check_sizes(n_labeled, n_unlabeled)
    alpha = check_fraction(alpha, "alpha")
    beta = check_fraction(beta, "beta")
    labeled = n_labeled * beta
    if not labeled:
        raise ArgumentError(
            "beta",
            "must be larger than 0: labeled examples without positives have no label frequency",
        )
    return labeled / (labeled + n_unlabeled * alpha)


def _check_sizes(n_labeled, n_unlabeled):
    for name, size in (("n_labeled", n_labeled), ("n_unlabeled", n_unlabeled)):
        if not size > 0:
            raise ArgumentError(name, f"must be larger than 0, got {size}")


def _check_some_labeled(n_labeled):
    if not (np.asarray(n_labeled) >= 1).all():
        raise ValueError(
            "n_labeled must be at least 1 everywhere: without labeled positives nothing can be estimated"
        )
