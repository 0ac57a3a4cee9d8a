"""Variance of the estimates: exact moments over the choice of labels.

Which positives are labeled is the only chance there is. Under random labeling the number of labeled true positives is
hypergeometric, so mean and variance are exact; an uncertain label frequency comes in as a second, independent chance.
"""

from typing import NamedTuple

import numpy as np

__all__ = [
    "Moments",
    "estimated_f1_std",
    "estimated_fbeta_moments",
    "estimated_precision_moments",
    "estimated_recall_moments",
]


class Moments(NamedTuple):
    """Mean and variance of an estimate over the choice of labels, and its bias."""

    mean: float
    variance: float
    bias: float


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
    rho_hat : None or array-like
        None: the true label frequency S / P is known. Otherwise an estimate that is independent of which positives are
        labeled: samples of it.

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
    rho_hat : None or array-like
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
    values = np.atleast_1d(np.asarray(rho_hat, dtype=np.float64))
    if not (values > 0).all() or not np.isfinite(values).all():
        raise ValueError(f"rho_hat must be above 0 and finite, got {values[~((values > 0) & np.isfinite(values))][0]}")
    return values, np.full(values.shape, 1 / values.size)


def _ratio_moments(hits, factor, weights, truth):
    """Moments of hits times an independent factor, whose values are on the last axis."""
    first, second = (factor * weights).sum(axis=-1), (factor**2 * weights).sum(axis=-1)
    spread = np.maximum(second - first**2, 0.0)
    return _as_moments(hits.mean * first, hits.variance * second + hits.mean**2 * spread, truth)


def _as_moments(mean, variance, truth):
    return Moments(mean, variance, mean - truth)
