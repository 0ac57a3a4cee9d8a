"""AUROC and AUPR of many labelings at once: one sort of the scores serves every set of labels."""

from typing import NamedTuple

import numpy as np

__all__ = ["RankingScores", "rank_rows", "ranking_scores", "recovered_ranking_scores"]


class RankingScores(NamedTuple):
    """Areas under the ROC and the precision-recall curve, NaN where a class is missing."""

    auroc: np.ndarray
    aupr: np.ndarray


class RankedRows(NamedTuple):
    """Many rankings of the same examples, each row sorted by descending score."""

    order: np.ndarray
    """Columns in rank order, int64 of shape (n_rankings, n)."""
    last: np.ndarray
    """Whether a position is the last of its group of tied scores, bool of shape (n_rankings, n)."""
    ends: np.ndarray | None
    """Position of the last member of each position's group, int64 of shape (n_rankings, n); None without ties."""

    def sort(self, labels):
        """Return labels of shape (n_rankings, n) in the order of each ranking."""
        return np.take_along_axis(np.broadcast_to(labels, self.order.shape), self.order, axis=1)


def ranking_scores(scores, *labels):
    """AUROC and AUPR of every row of scores for one or several sets of labels.

    Equal to scikit-learn's ``roc_auc_score`` and ``average_precision_score`` row by row, ties included, at a
    fraction of the cost: all rows are sorted in one call, and one order serves all sets of labels.

    Parameters
    ----------
    scores : array_like of shape (n_rankings, n) or (n,)
        Finite; higher means more positive. A ranking is one labeling's out-of-sample scores.
    *labels : array_like of shape (n_rankings, n) or (n,)
        0 and 1; a set of shape (n,) applies to every ranking. Rider et al. evaluate each ranking twice, on the labels
        it was trained on ("bias class") and on the true ones ("true class").

    Returns
    -------
    RankingScores or tuple of RankingScores
        One for each set of labels; both fields have shape (n_rankings,), or () for scores of shape (n,). Both are NaN
        where a row of labels holds one class only: such an area is not defined, and must be counted, not averaged.

    Raises
    ------
    ValueError
        If a score is not finite.

    Notes
    -----
    No threshold separates tied scores, so every positive of a group takes the precision at the group's
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
    ranked = rank_rows(scores)
    answers = [_areas(given, ranked) for given in labels]
    if np.ndim(scores) == 1:
        answers = [RankingScores(auroc[0], aupr[0]) for auroc, aupr in answers]
    return answers[0] if len(answers) == 1 else tuple(answers)


def recovered_ranking_scores(scores, s, *, alpha):
    """AUROC and AUPR behind those measured against positive and unlabeled examples, for many rankings at once.

    Right if the labeled positives are a random sample of all positives; under other mechanisms it shows what the
    assumption costs. The area under the ROC curve is recovered from the area ("direct"); precision is multiplied by
    the ratio of all positives to labeled ones at every threshold and clipped at 1, recall stays as it is.

    Parameters
    ----------
    scores : array_like of shape (n_rankings, n)
        Finite; higher means more positive.
    s : array_like of shape (n_rankings, n) or (n,)
        1 labeled positive, 0 unlabeled.
    alpha : float or array_like of shape (n_rankings,)
        Share of positives among the unlabeled, in [0, 1).

    Returns
    -------
    RankingScores
        Of shape (n_rankings,); AUPR refers to all examples. The AUROC is not clipped. NaN where a class is missing.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 3 and 4 at beta = 1; Ramola, Jain & Radivojac (2019) for the whole sample.

    Examples
    --------
    >>> auroc, aupr = recovered_ranking_scores([[6, 4, 5, 3, 2, 1]], [1, 1, 0, 0, 0, 0], alpha=0.25)
    >>> float(auroc[0]), float(aupr[0])
    (1.0, 1.0)
    """
    ranked = rank_rows(scores)
    labeled = np.mean(s, axis=-1)
    prior = labeled + (1 - labeled) * alpha
    lift = prior / np.where(labeled > 0, labeled, 1)
    auroc, aupr = _areas(s, ranked, lift=np.broadcast_to(lift, len(ranked.order)))
    return RankingScores((auroc - alpha / 2) / (1 - alpha), aupr)


def _areas(labels, ranked, lift=None):
    """AUROC and AUPR from the order of the scores and the groups of ties; `lift` multiplies precision, up to 1."""
    last = ranked.last
    ends = ranked.ends
    hit = ranked.sort(labels).astype(np.float64)
    true_positives = hit.cumsum(axis=1)
    ranks = np.arange(1, hit.shape[1] + 1, dtype=np.float64)
    positives = true_positives[:, -1]
    if ends is None:
        precision = true_positives / ranks
        outranked = ranks - true_positives
    else:
        tp_end = np.take_along_axis(true_positives, ends, axis=1)
        fp_end = ends + 1 - tp_end
        # False positives above a group: those up to the end of the group before it.
        fp_start = np.zeros_like(fp_end)
        fp_start[:, 1:] = np.maximum.accumulate(np.where(last, fp_end, 0.0), axis=1)[:, :-1]
        precision = tp_end / (ends + 1)
        outranked = (fp_start + fp_end) / 2
    if lift is not None:
        precision = np.minimum(precision * lift[:, None], 1.0)
    negatives = hit.shape[1] - positives
    defined = (positives > 0) & (negatives > 0)
    some = np.where(defined, positives, np.nan)
    above = (hit * outranked).sum(axis=1)
    return RankingScores(1 - above / (some * negatives), (hit * precision).sum(axis=1) / some)


def rank_rows(scores):
    """Sort many rankings of the same examples in one call.

    Parameters
    ----------
    scores : array-like of shape (n_rankings, n) or (n,)
        Finite; higher means more positive.

    Returns
    -------
    RankedRows
        A ranking of shape (n,) is one row.

    Raises
    ------
    ValueError
        If a score is not finite.

    Examples
    --------
    >>> rows = rank_rows([[0.1, 0.9], [0.5, 0.5]])
    >>> rows.order[0], rows.last[1], rows.ends[1]
    (array([1, 0]), array([False,  True]), array([1, 1]))
    """
    table = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"scores must be finite, got {table[row, column]} in ranking {row} at position {column}"
        )
    order = np.argsort(-table, axis=1)
    ranked = np.take_along_axis(table, order, axis=1)
    last = np.ones(ranked.shape, dtype=bool)
    np.not_equal(ranked[:, 1:], ranked[:, :-1], out=last[:, :-1])
    if last.all():
        return RankedRows(order, last, None)
    ends = np.where(last, np.arange(last.shape[1]), last.shape[1])
    return RankedRows(order, last, np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1])
