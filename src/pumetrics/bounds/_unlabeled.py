"""Precision-recall curves of the unlabeled examples between two bounds, and tables at thresholds."""

import numpy as np

from pumetrics.bounds.curve_bounds import CurveBounds, PrecisionRecallCurve
from pumetrics.bounds.tables import contingency_bounds
from pumetrics.counts import count_scores

__all__ = ["tables_at", "unlabeled_areas", "unlabeled_precision_bounds"]


def unlabeled_precision_bounds(s, y_score, *, alpha, confidence=0.95, band=None):
    """Compute bounds on the precision-recall curve of the unlabeled examples and on its area.

    :func:`pumetrics.bounds.pr_bounds` refers to the whole sample; here the labeled examples only determine the band and
    are left out of the curve.

    Parameters
    ----------
    s, y_score, alpha, confidence, band
        As in :func:`pumetrics.bounds.contingency_bounds`.

    Returns
    -------
    CurveBounds

    Raises
    ------
    ValueError
        If alpha leaves no positive among the unlabeled.
    """
    counts = count_scores(s, y_score)
    tables = contingency_bounds(s, y_score, alpha=alpha, band=band, confidence=confidence)
    hidden = [tables_at(counts, table)[:, 0] - counts.labeled for table in tables]
    if not hidden[0][-1]:
        raise ValueError(f"alpha={alpha} leaves no positive among the {counts.n_unlabeled} unlabeled examples")
    some = counts.unlabeled > 0
    curves = []
    for positives in hidden:
        precision, recall = positives[some] / counts.unlabeled[some], positives[some] / positives[-1]
        curves.append(PrecisionRecallCurve(np.append(0.0, recall), np.append(precision[0], precision)))
    return CurveBounds(*curves, unlabeled_areas(*hidden, counts.unlabeled))


def tables_at(counts, table):
    """Rows of a table per rank that belong to thresholds.

    Parameters
    ----------
    counts : Counts
    table : ndarray of shape (n, 4)
        tp, fp, fn, tn when the top 1, 2, ..., n are predicted positive, or at each distinct score.

    Returns
    -------
    ndarray of shape (n_thresholds, 4)
        float64; first at infinity, where no example is predicted positive, then at each distinct score.
    """
    last = table[-1]
    none_predicted = [[0, 0, last[0] + last[2], last[1] + last[3]]]
    rows = table if len(table) == len(counts.thresholds) - 1 else table[counts.predicted[1:] - 1]
    return np.concatenate([none_predicted, rows]).astype(np.float64)


def unlabeled_areas(fewest, most, unlabeled):
    """Average precision of the unlabeled that no hidden positives between two counts per threshold can leave.

    With d of n hidden positives among u unlabeled at a threshold and h up to it, average precision is half the sum of
    (change of h^2 + d^2) / (n u). As 1 / u never rises, the first part grows with h everywhere. The second is at
    least d / (n u), and at most d times the size of the group of equal scores, over n u. An alpha that leaves less than
    one hidden positive says nothing: 0 and 1.
    """
    if not most[-1]:
        return 0.0, 1.0
    some = unlabeled > 0
    head = unlabeled[some]
    largest = np.maximum.accumulate((np.diff(head, prepend=0) / head)[::-1])[::-1]
    areas = []
    for hidden, each in ((fewest[some], 1 / head), (most[some], largest)):
        area = np.sum(np.diff(hidden**2, prepend=0.0) / head) + np.sum(np.diff(hidden, prepend=0.0) * each)
        areas.append(float(min(area / (2 * hidden[-1]), 1.0)))
    return tuple(areas)
