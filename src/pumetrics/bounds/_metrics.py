"""Bounds on any metric of the contingency table."""

import numpy as np

from pumetrics._validation import check_alphas
from pumetrics.bounds.tables import Room, alphas_within, between, needed_labels, side_of, tables_of
from pumetrics.counts import count_ranks

__all__ = ["TABLE_METRICS", "metric_bounds"]


def metric_bounds(s, y_score, *, metric, alpha, band=None, known="positives", confidence=0.95, monotone=True):
    """Compute bounds on a metric if the top 1, 2, ..., n are predicted positive.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive. Cuts are possible only after the last of a group of equal scores.
    metric : str or callable
        One of accuracy, balanced_accuracy, f1, mcc, precision, recall, lift, specificity, or a function
        ``metric(tp, fp, fn, tn)`` of four float arrays that returns one array.
    alpha : float or (float, float)
        Share of positives among the unlabeled in [0, 1], or an interval for it; the bounds then hold for every alpha in
        the interval, because most metrics are not monotone in alpha.
    band, known, confidence
        As in :func:`contingency_bounds`.
    monotone : bool, default=True
        Whether the metric only rises, or only falls, with tp at a given rank and class sizes, as all metrics named
        above do; then its values at both tables are its bounds. If False, every table in between is tried, at a cost
        that grows with the width of the band.

    Returns
    -------
    lower, upper : ndarray of shape (n,)
        Bounds per rank; NaN where the metric is NaN for every table.

    Raises
    ------
    ValueError
        If labels, scores, alpha or the band are unusable, or the metric is unknown.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 5: any metric based on contingency tables.

    Examples
    --------
    >>> from pumetrics.bounds import Band, metric_bounds
    >>> lower, upper = metric_bounds([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], metric="accuracy", alpha=0.5,
    ...                              band=Band([0, 0, 0.2, 0.5, 0.5, 1], [0.5, 0.6, 0.8, 1, 1, 1]))
    >>> lower[3].round(3).item(), upper[3].item()
    (0.667, 1.0)
    """
    function = _resolve(metric)
    ranking = count_ranks(s, y_score, need=needed_labels(known))
    values, ends = [], check_alphas(alpha)
    side = side_of(ranking, ends, band, known, confidence)
    alphas = alphas_within(ends, int(ranking.unlabeled[-1]))
    tables = [tables_of(ranking, each, band, side, confidence, clipped=False) for each in alphas]
    known, head = ranking.labeled, ranking.unlabeled
    for lower, upper in between(tables, Room(known, known[-1] - known, head, head[-1] - head)):
        steps = [0, np.inf] if monotone else range(int((upper[:, 0] - lower[:, 0]).max()) + 1)
        values += [_outermost(function, lower, upper, steps)]
    low, high = zip(*values, strict=True)
    return np.fmin.reduce(low), np.fmax.reduce(high)


def _outermost(function, lower, upper, steps):
    """Least and greatest value of a metric over the tables `steps` hidden positives above the lower ones."""
    low = np.full(len(lower), np.nan)
    high = low.copy()
    for step in steps:
        moved = np.minimum(step, upper[:, 0] - lower[:, 0])  # one more true positive is one less of fp and fn
        table = lower + moved[:, None] * np.array([1.0, -1.0, -1.0, 1.0])
        value = np.asarray(function(*table.T), dtype=np.float64)
        low, high = np.fmin(low, value), np.fmax(high, value)
    return low, high


def _resolve(metric):
    if callable(metric):
        return metric
    if metric not in TABLE_METRICS:
        raise ValueError(
            f"metric must be a function of tp, fp, fn, tn or one of {', '.join(TABLE_METRICS)}, got {metric!r}"
        )
    return TABLE_METRICS[metric]


def _ratio(part, whole):
    """Share, 0 where it is undefined, as scikit-learn has it."""
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


def _accuracy(tp, fp, fn, tn):
    return (tp + tn) / (tp + fp + fn + tn)


def _balanced_accuracy(tp, fp, fn, tn):
    return (_ratio(tp, tp + fn) + _ratio(tn, tn + fp)) / 2


def _f1(tp, fp, fn, tn):
    return _ratio(2 * tp, 2 * tp + fp + fn)


def _mcc(tp, fp, fn, tn):
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn)))


TABLE_METRICS = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "f1": _f1,
    "mcc": _mcc,
    "precision": lambda tp, fp, fn, tn: _ratio(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: _ratio(tp, tp + fn),
    "lift": lambda tp, fp, fn, tn: _ratio(_ratio(tp, tp + fp), _ratio(tp + fn, tp + fp + fn + tn)),
    "specificity": lambda tp, fp, fn, tn: _ratio(tn, tn + fp),
}
