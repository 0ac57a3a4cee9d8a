"""What checked rows are usually analyzed by: normal intervals, of strata (Wald) and prediction-powered (PPI++)."""

import numpy as np
from scipy.stats import norm, rankdata

__all__ = ["METRICS", "metric_of", "ppi", "true_value", "wald"]

METRICS = ("alpha", "precision", "recall", "f1", "roc_auc")


def metric_of(metric, totals, rows, base):
    """A metric as a function of two totals, and its gradient.

    Parameters
    ----------
    metric : {"alpha", "precision", "recall", "f1", "roc_auc"}
    totals : ndarray of shape (2,)
        Sum of the weights of the positives (1 of rows that the metric counts, for the area the rank), and positives.
    rows, base : float
        Rows, and rows that the metric counts: unlabeled ones, or those predicted positive.

    Returns
    -------
    value : float
    gradient : ndarray of shape (2,)

    References
    ----------
    Mann & Whitney (1947) for the area: the sum of the positives' ranks.
    """
    total, p = totals
    if metric in ("alpha", "precision"):
        return total / base, np.array([1 / base, 0.0])
    if p <= 0 or p >= rows:  # no positive, or no negative, to estimate it from
        return 0.0, np.zeros(2)
    if metric == "recall":
        return total / p, np.array([1 / p, -total / p**2])
    if metric == "f1":
        return 2 * total / (base + p), np.array([2, -2 * total / (base + p)]) / (base + p)
    area = (total / p - (p + 1) / 2) / (rows - p)
    return area, np.array([1 / p, area - total / p**2 - 0.5]) / (rows - p)


def _weights(metric, sample):
    """Weights of the rows in both totals, shape (n, 2), and the rows that the metric counts."""
    if metric == "roc_auc":
        first = rankdata(sample.score)
    else:
        first = (sample.s == 0 if metric == "alpha" else sample.score >= sample.threshold).astype(
            np.float64
        )
    return np.column_stack([first, np.ones(len(first))]), first.sum()


def true_value(metric, sample):
    """The metric by the true classes, of all rows; alpha of the unlabeled."""
    weights, base = _weights(metric, sample)
    return metric_of(metric, sample.y @ weights, len(sample.y), base)[0]


def wald(metric, sample, rows, strata, *, confidence=0.95):
    """Normal interval from a stratified sample without replacement.

    Parameters
    ----------
    metric : str
    sample : Scored
    rows : ndarray of shape (n_checked,)
        Rows of known class, some of every stratum; a stratum of which all rows are known adds no error.
    strata : ndarray of shape (n,)
        Stratum of each row.
    confidence : float

    Returns
    -------
    lower, upper : float
        In [0, 1].

    References
    ----------
    Cochran (1977), "Sampling Techniques", Eqs. 5.1 and 5.12; the delta method for ratios, Section 6.
    """
    weights, base = _weights(metric, sample)
    totals = np.zeros(2)
    covariance = np.zeros((2, 2))
    for h in np.unique(strata):
        values = (sample.y[:, None] * weights)[rows[strata[rows] == h]]
        size = np.count_nonzero(strata == h)
        drawn = len(values)
        totals += size * values.mean(axis=0)
        if drawn > 1:
            covariance += size**2 * (1 - drawn / size) / drawn * np.cov(values.T)
    return _interval(metric, totals, covariance, len(sample.y), base, confidence)


def ppi(
    metric,
    sample,
    rows,
    pool,
    predictions,
    *,
    confidence=0.95,
):
    """Prediction-powered interval from a random sample, with the power tuned for each total.

    Parameters
    ----------
    metric : str
    sample : Scored
    rows : ndarray of shape (n_checked,)
        A random sample of the pool.
    pool : ndarray of shape (n,)
        Which rows it was drawn from; the classes of the others are known.
    predictions : ndarray of shape (n,)
        Larger for rows that are more likely to be positive; their scale is without effect.
    confidence : float

    Returns
    -------
    lower, upper : float
        In [0, 1].

    References
    ----------
    Angelopoulos, Duchi & Zrnic (2023), "PPI++: efficient prediction-powered inference": a mean with
    power tuning, here of two totals with the delta method.
    """
    weights, base = _weights(metric, sample)
    classes = sample.y[:, None] * weights
    guesses = predictions[:, None] * weights
    checked = classes[rows]
    size = np.count_nonzero(pool)
    drawn = len(rows)
    tuned = np.zeros_like(guesses)
    for j in range(2):
        both = np.cov(checked[:, j], guesses[rows, j])
        if both[1, 1] > 0:
            tuned[:, j] = guesses[:, j] * both[0, 1] / both[1, 1] / (1 + drawn / size)
    totals = size * (tuned[pool].mean(axis=0) + (checked - tuned[rows]).mean(axis=0)) + classes[
        ~pool
    ].sum(axis=0)
    covariance = size**2 * (
        np.cov((checked - tuned[rows]).T) / drawn + np.cov(tuned[pool].T) / size
    )
    return _interval(metric, totals, covariance, len(sample.y), base, confidence)


def _interval(
    metric,
    totals,
    covariance,
    rows,
    base,
    confidence,
):
    """Estimate and standard error by the delta method, as an interval in [0, 1]."""
    value, gradient = metric_of(metric, totals, rows, base)
    reach = norm.ppf((1 + confidence) / 2) * np.sqrt(max(gradient @ covariance @ gradient, 0.0))
    return tuple(np.clip([value - reach, value + reach], 0.0, 1.0).tolist())
