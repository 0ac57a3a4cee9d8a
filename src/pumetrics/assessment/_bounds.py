"""Bounds of the reported scores and curves: what holds whatever the distributions, given alpha and random labels."""

import numpy as np

from pumetrics.bounds import (
    Band,
    CurveBounds,
    PrecisionRecallCurve,
    contingency_bounds,
    roc_bounds,
)
from pumetrics.bounds._curves import alphas_of
from pumetrics.bounds._metrics import TABLE_METRICS
from pumetrics.counts import count_ranks, count_scores

__all__ = ["band_for", "score_bounds", "unlabeled_precision_bounds"]

_EXACT = 50_000  # positives up to which the exact band takes about a second


def band_for(s, y_score, *, alpha, confidence=0.95):
    """Band on the rank CDF of the hidden positives, or None where the exact one is cheap enough to be computed.

    Of many positives both samples, labeled and hidden, get a Dvoretzky-Kiefer-Wolfowitz band of half the level; their
    half-widths add up.
    """
    n_labeled = np.count_nonzero(np.asarray(s) == 1)
    n_hidden = int(alphas_of(alpha)[0] * (len(s) - n_labeled))
    if not n_hidden or n_labeled + n_hidden <= _EXACT:
        return None
    return _wide_band(s, y_score, n_labeled, n_hidden, confidence)


def _wide_band(s, y_score, n_labeled, n_hidden, confidence):
    """Band of which both samples, labeled and hidden, take half of the level."""
    width = np.sqrt(np.log(4 / (1 - confidence)) / 2) * (n_labeled**-0.5 + n_hidden**-0.5)
    share = count_ranks(s, y_score).labeled / n_labeled
    return Band(np.clip(share - width, 0, 1), np.clip(share + width, 0, 1))


def score_bounds(metrics, s, y_score, *, alpha, confidence=0.95, threshold=None, band=None):
    """Bounds on scores against the true class.

    Parameters
    ----------
    metrics : list of str
        "roc_auc", "average_precision" (among the unlabeled), "accuracy", "balanced_accuracy", "f1", "mcc".
    s, y_score : array-like of shape (n_samples,)
        1 labeled, 0 unlabeled; scores, higher is more positive.
    alpha : float or (float, float)
        Share of positives among the unlabeled, or a range for it, of whose ends the outermost bounds are taken.
    confidence : float
        With which the bounds hold, at all thresholds together, in (0, 1).
    threshold : float, optional
        Scores at or above it are predicted positive; by default the maximum over all thresholds is bounded.
    band : Band, optional
        From :func:`band_for`.

    Returns
    -------
    dict of str to (float, float)

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 5.
    """
    counts = count_scores(s, y_score)
    at = slice(None) if threshold is None else counts.at(threshold)
    pairs = {name: [] for name in metrics}
    for end in alphas_of(alpha):
        tables = contingency_bounds(s, y_score, alpha=end, band=band, confidence=confidence)
        lower, upper = (_at_thresholds(table, counts) for table in tables)
        for name in pairs.keys() & TABLE_METRICS:
            values = [TABLE_METRICS[name](*table.T)[at] for table in (lower, upper)]
            pairs[name].append([np.max(np.minimum(*values)), np.max(np.maximum(*values))])
        if "average_precision" in pairs:
            hidden = [table[:, 0] - counts.labeled for table in (lower, upper)]
            pairs["average_precision"].append(_unlabeled_areas(*hidden, counts.unlabeled))
    if "roc_auc" in pairs:
        pairs["roc_auc"].append(roc_bounds(s, y_score, alpha=alpha, band=band, confidence=confidence).auc)
    return {name: (float(np.min(ends)), float(np.max(ends))) for name, ends in pairs.items()}


def unlabeled_precision_bounds(s, y_score, *, alpha, confidence=0.95, band=None):
    """Lower and upper bound on the precision-recall curve of the unlabeled examples, and on its area.

    :func:`pumetrics.bounds.pr_bounds` speaks of the whole sample; here the labeled examples are left out after they
    have shown where the hidden positives stand.

    Parameters
    ----------
    s, y_score, alpha, confidence, band
        As in :func:`score_bounds`; alpha is one number.

    Returns
    -------
    CurveBounds

    Raises
    ------
    ValueError
        If alpha leaves no positive among the unlabeled.
    """
    counts = count_scores(s, y_score)
    unlabeled = counts.unlabeled
    tables = contingency_bounds(s, y_score, alpha=alpha, band=band, confidence=confidence)
    hidden = [_at_thresholds(table, counts)[:, 0] - counts.labeled for table in tables]
    if not hidden[0][-1]:
        raise ValueError(f"alpha={alpha} leaves no positive among the {unlabeled[-1]} unlabeled examples")
    some = unlabeled > 0
    curves = []
    for found in hidden:
        precision, recall = found[some] / unlabeled[some], found[some] / found[-1]
        curves.append(PrecisionRecallCurve(np.append(0.0, recall), np.append(precision[0], precision)))
    return CurveBounds(*curves, _unlabeled_areas(*hidden, unlabeled))


def _at_thresholds(table, counts):
    """Rows of a table per rank at infinity, where no example is predicted positive, and at each distinct score."""
    last = table[-1]
    nobody = [[0, 0, last[0] + last[2], last[1] + last[3]]]
    return np.concatenate([nobody, table[counts.predicted[1:] - 1]]).astype(np.float64)


def _unlabeled_areas(fewest, most, unlabeled):
    """Average precision of the unlabeled that no hidden positives between two counts per threshold can leave.

    With d of n hidden positives among u unlabeled at a threshold and h up to it, average precision is half the sum of
    (change of h^2 + d^2) / (n u). As 1 / u never rises, the first part grows with h everywhere. The second is at
    least d / (n u), and at most d times the size of the group of equal scores, over n u.
    """
    if not most[-1]:
        return 0.0, 0.0
    some = unlabeled > 0
    head = unlabeled[some]
    largest = np.maximum.accumulate((np.diff(head, prepend=0) / head)[::-1])[::-1]
    areas = []
    for found, own in ((fewest[some], 1 / head), (most[some], largest)):
        area = np.sum(np.diff(found**2, prepend=0.0) / head) + np.sum(np.diff(found, prepend=0.0) * own)
        areas.append(float(min(area / (2 * found[-1]), 1.0)))
    return tuple(areas)
