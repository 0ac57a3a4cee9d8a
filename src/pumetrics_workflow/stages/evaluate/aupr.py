"""AUPR by the definitions in use: three ways to join the points of the curve, for either class."""

import numpy as np

from pumetrics.ranking import rank_rows

__all__ = ["DEFINITIONS", "aupr_scores"]

DEFINITIONS = {
    "step": "average precision",
    "trapezoid": "trapezoid",
    "davis_goadrich": "Davis-Goadrich",
    "negative_step": "average precision, negative class",
    "negative_trapezoid": "trapezoid, negative class",
    "negative_davis_goadrich": "Davis-Goadrich, negative class",
}


def aupr_scores(scores, *labels):
    """AUPR of every row of scores by each definition, for one or several sets of labels.

    Parameters
    ----------
    scores : ndarray of shape (n_rankings, n)
        Finite; higher means more positive.
    *labels : ndarray of shape (n_rankings, n) or (n,)
        0 and 1.

    Returns
    -------
    list of dict
        One for each set of labels; by definition an ndarray of shape (n_rankings,), NaN where a class is missing.

    Notes
    -----
    Between two points the step rule takes the precision of the second one (average precision), the trapezoid joins both
    by a straight line, and Davis & Goadrich (2006) by the image of the straight line between both points of the ROC
    curve, integrated exactly. The first point holds from recall 0 on. Areas of the negative class are those of the
    swapped labels and the reversed ranking.

    Examples
    --------
    >>> areas = aupr_scores(np.array([[4, 3, 2, 1]]), np.array([1, 0, 1, 0]))[0]
    >>> {name: round(float(area[0]), 3) for name, area in areas.items() if "negative" not in name}
    {'step': 0.833, 'trapezoid': 0.792, 'davis_goadrich': 0.797}
    """
    ranked = rank_rows(scores)
    first = np.ones_like(ranked.last)
    first[:, 1:] = ranked.last[:, :-1]
    found = []
    for given in labels:
        hit = ranked.sort(np.broadcast_to(given, ranked.order.shape)).astype(np.float64)
        areas = _areas(hit, ranked.last)
        negative = _areas(1 - hit[:, ::-1], first[:, ::-1])
        found.append({**areas, **{f"negative_{name}": area for name, area in negative.items()}})
    return found


def _areas(hit, last):
    """Areas from the labels in rank order and the ends of the groups of tied scores."""
    tp, n = hit.cumsum(axis=1), np.arange(1, hit.shape[1] + 1, dtype=np.float64)
    tp_before, n_before = (_before(np.where(last, count, 0)) for count in (tp, n))
    gained = np.where(last, tp - tp_before, 0)
    precision = tp / n
    before = np.where(n_before > 0, tp_before / np.maximum(n_before, 1), precision)
    segments = {
        "step": gained * precision,
        "trapezoid": gained * (before + precision) / 2,
        "davis_goadrich": _interpolated(gained, tp_before, n_before, n, precision),
    }
    positives = tp[:, -1]
    some = np.where((positives > 0) & (positives < hit.shape[1]), positives, np.nan)
    return {name: area.sum(axis=1) / some for name, area in segments.items()}


def _before(counts):
    """Return the count at the end of the group before each position's."""
    before = np.zeros_like(counts)
    before[:, 1:] = np.maximum.accumulate(counts, axis=1)[:, :-1]
    return before


def _interpolated(gained, tp_before, n_before, n, precision):
    """Integral of (tp + x) / (n + k x) over the gained positives, where k examples are added for each of them."""
    k = np.where(gained > 0, (n - n_before) / np.maximum(gained, 1), 1)
    inner = gained / k + (tp_before - n_before / k) / k * np.log(n / np.maximum(n_before, 1))
    return np.where(n_before > 0, np.where(gained > 0, inner, 0), gained * precision)
