"""AUROC and AUPR of many labelings at once: one sort of the scores serves every set of labels judged by it."""

from typing import NamedTuple

import numpy as np

__all__ = ["RankingScores", "ranking_scores"]


class RankingScores(NamedTuple):
    """Areas under the ROC and the precision-recall curve, NaN where a class is missing."""

    auroc: np.ndarray
    aupr: np.ndarray


def ranking_scores(scores, *labels):
    """AUROC and AUPR of every row of scores, judged by one or several sets of labels.

    Equal to scikit-learn's ``roc_auc_score`` and ``average_precision_score`` row by row, ties included, at a
    fraction of the cost: all rows are sorted in one call, and one order serves all sets of labels.

    Parameters
    ----------
    scores : array_like of shape (n_rankings, n) or (n,)
        Finite; higher is more positive. A ranking is one labeling's out-of-sample scores.
    *labels : array_like of shape (n_rankings, n) or (n,)
        0 and 1; a set of shape (n,) judges every ranking. Rider et al. judge each ranking twice, by the labels it
        was trained on ("bias class") and by the true ones ("true class").

    Returns
    -------
    RankingScores or tuple of RankingScores
        One for each set of labels; both fields have shape (n_rankings,), or () for scores of shape (n,). Both are NaN
        where a row of labels holds one class only: such an area is not defined, and must be counted, not averaged.

    Raises
    ------
    ValueError
        If shapes do not fit, a score is not finite, or a label is neither 0 nor 1.

    Notes
    -----
    Within a group of equal scores nobody can cut, so every positive of a group takes the precision at the group's
    end, and counts as outranking half of the negatives of its own group.

    References
    ----------
    Rider, Johnson, Davis, Hoens & Chawla (2013), Section 5.1.

    Examples
    --------
    >>> auroc, aupr = ranking_scores([[0.1, 0.4, 0.35, 0.8]], [0, 0, 1, 1])
    >>> float(auroc[0]), round(float(aupr[0]), 4)
    (0.75, 0.8333)
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim not in (1, 2) or not table.size:
        raise ValueError(f"scores must have shape (n_rankings, n) or (n,) and not be empty, got shape {table.shape}")
    if not labels:
        raise ValueError("no labels given: pass at least one set of 0 and 1 to judge the scores by")
    single, table = table.ndim == 1, np.atleast_2d(table)
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"scores must be finite, got {table[row, column]} in ranking {row} at position {column}")
    order = np.argsort(-table, axis=1)
    ranked = np.take_along_axis(table, order, axis=1)
    last = np.ones(ranked.shape, dtype=bool)  # of its group of equal scores
    np.not_equal(ranked[:, 1:], ranked[:, :-1], out=last[:, :-1])
    ends = _group_ends(last)
    answers = [_areas(_checked(given, table.shape, number), order, last, ends) for number, given in enumerate(labels)]
    if single:
        answers = [RankingScores(auroc[0], aupr[0]) for auroc, aupr in answers]
    return answers[0] if len(answers) == 1 else tuple(answers)


def _checked(labels, shape, number):
    """Return labels as float64 of the scores' shape, or raise ValueError."""
    labels = np.asarray(labels)
    if labels.ndim not in (1, 2) or labels.shape[-1] != shape[1] or (labels.ndim == 2 and labels.shape[0] != shape[0]):
        raise ValueError(f"labels {number} must have shape {shape} or {shape[1:]} as the scores, got {labels.shape}")
    bad = (labels != 0) & (labels != 1)
    if bad.any():
        raise ValueError(f"labels {number} must hold only 0 and 1, got {labels[bad][0]}")
    return np.broadcast_to(labels, shape)


def _group_ends(last):
    """Position of the last member of each position's group, or None without ties."""
    if last.all():
        return None
    n = last.shape[1]
    ends = np.where(last, np.arange(n), n)
    return np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]


def _areas(labels, order, last, ends):
    """AUROC and AUPR from the order of the scores and the groups of ties."""
    hit = np.take_along_axis(labels, order, axis=1).astype(np.float64)
    true_positives = hit.cumsum(axis=1)
    ranks = np.arange(1, hit.shape[1] + 1, dtype=np.float64)
    positives, outranked = true_positives[:, -1], None
    if ends is None:
        precision, outranked = true_positives / ranks, ranks - true_positives
    else:
        tp_end = np.take_along_axis(true_positives, ends, axis=1)
        fp_end = ends + 1 - tp_end
        # Before a group stand the false positives up to the end of the group before it.
        fp_start = np.zeros_like(fp_end)
        fp_start[:, 1:] = np.maximum.accumulate(np.where(last, fp_end, 0.0), axis=1)[:, :-1]
        precision, outranked = tp_end / (ends + 1), (fp_start + fp_end) / 2
    negatives = hit.shape[1] - positives
    defined = (positives > 0) & (negatives > 0)
    some = np.where(defined, positives, np.nan)
    above = (hit * outranked).sum(axis=1)
    return RankingScores(1 - above / (some * negatives), (hit * precision).sum(axis=1) / some)
