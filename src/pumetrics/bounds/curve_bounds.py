"""ROC and precision-recall curves between two bounds, and the areas under them."""

from typing import NamedTuple

import numpy as np

from pumetrics.bounds.tables import contingency_bounds, needed_labels, tables_at, unclipped_tables
from pumetrics.counts import count_ranks, count_scores

__all__ = [
    "CurveBounds",
    "PrecisionRecallCurve",
    "RocCurve",
    "pr_bounds",
    "roc_bounds",
]


class RocCurve(NamedTuple):
    """Points of a ROC curve, from (0, 0) to (1, 1)."""

    fpr: np.ndarray
    """False positive rates, shape (n_cuts + 1,)."""
    tpr: np.ndarray
    """True positive rates, shape (n_cuts + 1,)."""


class PrecisionRecallCurve(NamedTuple):
    """Points of a precision-recall curve, from recall 0 to recall 1."""

    recall: np.ndarray
    """Recalls, shape (n_cuts + 1,)."""
    precision: np.ndarray
    """Precisions, shape (n_cuts + 1,)."""


class CurveBounds(NamedTuple):
    """A lower and an upper curve, point by point at the same cuts, and the areas under them."""

    lower: RocCurve | PrecisionRecallCurve
    """The lower curve."""
    upper: RocCurve | PrecisionRecallCurve
    """The upper curve."""
    auc: tuple[float, float]
    """Lower and upper bound of the area: AUROC, or average precision."""

    def at(self, x):
        """Bounds on the true curve at given values of the horizontal axis.

        A point of the upper curve lies above and left of the true point of the same cut, but from cut to cut
        the upper curve may step back; this reads its outline, and likewise that of the lower curve.

        Parameters
        ----------
        x : float or array-like of shape (n_points,)
            False positive rates for ROC bounds, recalls above 0 for precision-recall bounds, in [0, 1].

        Returns
        -------
        lower, upper : ndarray
            Bounds on the true positive rate, or on the precision.

        Raises
        ------
        ValueError
            If a value of `x` lies outside [0, 1].
        """
        x = np.asarray(x, dtype=np.float64)
        if not ((x >= 0) & (x <= 1)).all():
            raise ValueError(f"x must lie in [0, 1], got {x}")
        if isinstance(self.lower, RocCurve):
            left = np.minimum.accumulate(self.upper.fpr[::-1])[::-1]
            right = np.maximum.accumulate(self.lower.fpr)
            return _read(right, self.lower.tpr, x, "left"), _read(left, self.upper.tpr, x, "right")
        # At least where the cut that surely reaches this recall is the first to do so; at most at the best that may.
        recall, precision = self.lower
        after = np.clip(np.searchsorted(recall, x, side="left"), 1, len(recall) - 1)
        best = np.maximum.accumulate(self.upper.precision[::-1])[::-1]
        place = np.clip(
            np.searchsorted(self.upper.recall, x - 1e-12, side="left"), 0, len(best) - 1
        )
        return x * precision[after] / recall[after], best[place]


def roc_bounds(s, y_score, *, alpha, band=None, known="positives", confidence=0.95):
    """Compute bounds on the ROC curve from positive and unlabeled examples.

    If the rank CDF of the hidden positives is within the band, the true curve is between both curves, and the true area
    between both areas. The only assumption is that the labeled positives are a random sample of all positives.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive. Curves cut only between groups of equal scores.
    alpha : float or (float, float)
        Share of positives among the unlabeled in [0, 1), or an interval for it. An interval gives the outer envelope
        of its ends at every cut: the upper end helps where a ranking is better than random and hurts where it is worse.
    band, known, confidence
        As in :func:`contingency_bounds`.

    Returns
    -------
    CurveBounds
        ``lower`` and ``upper``, each (fpr, tpr) from (0, 0) to (1, 1), and ``auc``, a pair.

    Raises
    ------
    ValueError
        If labels, scores, alpha or the band are unusable, or if alpha leaves no negative.

    Notes
    -----
    The curves are the tables of the cuts, unchanged. A known positive can move the upper curve up *and* left, so FPR
    need not rise from point to point; the area is the trapezoid rule along the points, which stays a valid bound.
    By a band without width, the ranks of the labeled positives themselves, and without clipped tables it is
    (A - alpha/2) / (1 - alpha), where A is the area against the observed labels: alpha alone cannot change the order of
    models. The sides of a wider band can.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Sections 5 and 6.1, Lemma 4.

    Examples
    --------
    >>> from pumetrics.bounds import Band, roc_bounds
    >>> bounds = roc_bounds([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], alpha=0.5,
    ...                     band=Band([0, 0, 0.2, 0.5, 0.5, 1], [0.5, 0.6, 0.8, 1, 1, 1]))
    >>> bounds.auc
    (0.375, 1.0)
    """
    return _bounds(roc_between, s, y_score, alpha, band, known, confidence)


def roc_between(ranking, tables, alpha):
    """ROC curves between the unclipped tables of the cuts for every end of alpha."""
    curves = _roc_curves(ranking, tables, alpha)
    # An envelope whose FPR runs backwards can have a smaller area than a curve inside it, so the ends count as well.
    families = [curves]
    if len(tables) > 1:
        families += [_roc_curves(ranking, [pair], alpha) for pair in tables]
    areas = [[float(np.trapezoid(curve.tpr, curve.fpr)) for curve in family] for family in families]
    lowest, highest = zip(*areas, strict=True)
    return CurveBounds(*curves, (min(lowest), max(highest)))


def _roc_curves(ranking, tables, alpha):
    """Lower and upper curve from the tables of one alpha, or their envelope from those of the ends of an interval."""
    n_positives = _class_sizes(tables, 0, alpha)
    n_negatives = _class_sizes(tables, 1, alpha)
    curves = []
    for side in (0, 1):
        _, fpr = _outer(ranking, tables, side, 1, n_negatives, upward=side == 0)
        _, tpr = _outer(ranking, tables, side, 0, n_positives, upward=side == 1)
        curves.append(RocCurve(np.append(0.0, fpr), np.append(0.0, tpr)))
    return curves


def pr_bounds(s, y_score, *, alpha, band=None, known="positives", confidence=0.95):
    """Lower and upper bound on the precision-recall curve behind positive and unlabeled examples.

    Precision is over the whole sample: the share of positives, labeled or hidden, among the top r.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive. Curves cut only between groups of equal scores.
    alpha : float or (float, float)
        Share of positives among the unlabeled in [0, 1], or an interval for it, of which the outer envelope is taken.
    band, known, confidence
        As in :func:`contingency_bounds`.

    Returns
    -------
    CurveBounds
        ``lower`` and ``upper``, each (recall, precision); recall 0 takes the precision of the first cut. ``auc`` bounds
        the average precision.

    Raises
    ------
    ValueError
        If labels, scores, alpha or the band are unusable.

    Notes
    -----
    Average precision is a sum of precision steps, and a table that jumps by many hidden positives at once would
    gain from the jump. So hidden positives are counted one by one: the lower area takes them as if each stood alone at
    its cut, the upper as if all of a group of equal scores were positive. Both are then bounds on the average
    precision of the true labels, and equal it if nothing is hidden.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 5. Davis & Goadrich (2006), Theorem 3.2.

    Examples
    --------
    >>> from pumetrics.bounds import Band, pr_bounds
    >>> bounds = pr_bounds([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], alpha=0.5,
    ...                    band=Band([0, 0, 0.2, 0.5, 0.5, 1], [0.5, 0.6, 0.8, 1, 1, 1]))
    >>> [round(area, 3) for area in bounds.auc]
    [0.729, 1.0]
    """
    return _bounds(pr_between, s, y_score, alpha, band, known, confidence)


def pr_between(ranking, tables, alpha):
    """Precision-recall curves between the unclipped tables of the cuts for every alpha."""
    n_positives = _class_sizes(tables, 0, alpha)
    curves = []
    areas = []
    for side in (0, 1):
        true_positives, recall = _outer(ranking, tables, side, 0, n_positives, upward=side == 1)
        # Within an interval, the share found may be least at one end and the number found at the other.
        precision = (true_positives if side else recall * min(n_positives)) / ranking.heads
        curves.append(_from_no_recall(recall, precision))
        areas.append(
            _average_precision(ranking, true_positives, recall, n_positives, upper=bool(side))
        )
    return CurveBounds(*curves, tuple(areas))


def _bounds(between, s, y_score, alpha, band, known, confidence):
    ranking = count_ranks(s, y_score, need=needed_labels(known))
    tables = unclipped_tables(ranking, alpha, band, known, confidence)
    return between(ranking, at_cuts(ranking, tables), alpha)


def at_cuts(ranking, pairs):
    """Rows of tables per rank at which a cut is possible."""
    if len(ranking.ends) == ranking.size:
        return pairs
    return [[table[ranking.ends] for table in pair] for pair in pairs]


def _class_sizes(tables, column, alpha):
    """Positives (column 0) or negatives (column 1) of the whole sample, for every alpha."""
    sizes = [int(lower[-1, [column, column + 2]].sum()) for lower, _ in tables]
    if not min(sizes):
        kind, other = ("positive", "larger") if column == 0 else ("negative", "smaller")
        raise ValueError(
            f"alpha={alpha} leaves no {kind} example, so the rate is undefined: give a {other} alpha, or use "
            "contingency_bounds or metric_bounds"
        )
    return sizes


def _outer(ranking, tables, side, column, sizes, *, upward):
    """Outermost number and rate of a class at the top, at every cut and for all class sizes.

    A band holds whole numbers, so the rate that it asks for need not move one way with alpha, and clipping (Eq. 11) can
    reverse it. So the outermost rate itself is clipped, to what any class size allows.
    """
    known = (ranking.labeled, ranking.labeled_negatives)[column][ranking.ends]
    head = ranking.unlabeled[ranking.ends]
    below = known[-1] - known
    tail = head[-1] - head
    small = min(sizes)
    large = max(sizes)
    outermost = np.max if upward else np.min

    wanted = np.array([pair[side][:, column] for pair in tables])
    sizes = np.array(sizes)[:, None]  # a row for each alpha
    least = np.maximum(known, sizes - below - tail)
    most = np.minimum(known + head, sizes - below)
    counts = np.maximum(np.minimum(wanted, most), least)
    if len(sizes) == 1:
        return counts[0], counts[0] / small

    count = outermost(counts, axis=0)
    rate = outermost(wanted / sizes, axis=0)
    if upward:
        floor = np.max(least / sizes, axis=0)
        ceiling = np.minimum((known + head) / small, (large - below) / large)
    else:
        floor = np.maximum(known / large, (small - below - tail) / small)
        ceiling = np.min(most / sizes, axis=0)
    return count, np.clip(rate, floor, ceiling)


def _average_precision(ranking, true_positives, recall, n_positives, *, upper):
    """Average precision that no labels between the bounds can undercut (or exceed, if `upper`).

    With t of n positives up to a cut r and d new ones, average precision is half the sum of
    (t_new^2 - t_old^2) / (n r), which grows with t / n at every cut, and of d^2 / (n r). Of d, the labeled part L is
    known. The hidden part h gives L^2 + h at least and L^2 + (2 L + size) h at most, where size counts the unlabeled
    of the group.
    """
    ranks = ranking.heads.astype(np.float64)
    labeled = np.diff(ranking.labeled[ranking.ends], prepend=0)
    weight = 1 / ranks
    # a weight that never rises, so that putting a hidden positive further up can only add
    if upper:
        size = np.diff(ranking.unlabeled[ranking.ends], prepend=0)
        weight = np.where(size > 0, (2 * labeled + size) / ranks, 0)
        weight = np.maximum.accumulate(weight[::-1])[::-1]
    outer = max if upper else min
    squares = np.diff(true_positives * recall, prepend=0) / ranks
    area = (squares + np.diff(recall, prepend=0) * weight).sum() / 2
    known_part = (labeled**2 / ranks - labeled * weight).sum() / 2
    return min(float(area + outer(known_part / n for n in n_positives)), 1.0)


def _read(x_points, y_points, x, side):
    """Height of a monotone curve, at a vertical step its lowest ("left") or highest ("right") point."""
    after = np.clip(np.searchsorted(x_points, x, side=side), 1, len(x_points) - 1)
    width = x_points[after] - x_points[after - 1]
    part = np.divide(
        x - x_points[after - 1], width, out=np.full_like(x, side == "right"), where=width > 0
    )
    part = np.clip(part, 0, 1)
    return y_points[after - 1] + part * (y_points[after] - y_points[after - 1])


def _from_no_recall(recall, precision):
    """The curve with its point of recall 0 in front, which has the precision of the first cut."""
    return PrecisionRecallCurve(np.append(0.0, recall), np.append(precision[0], precision))


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
        raise ValueError(
            f"alpha={alpha} leaves no positive among the {counts.n_unlabeled} unlabeled examples"
        )
    some = counts.unlabeled > 0
    curves = []
    for positives in hidden:
        precision = positives[some] / counts.unlabeled[some]
        recall = positives[some] / positives[-1]
        curves.append(_from_no_recall(recall, precision))
    return CurveBounds(*curves, unlabeled_areas(*hidden, counts.unlabeled))


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
    group = np.diff(head, prepend=0) / head
    largest = np.maximum.accumulate(group[::-1])[::-1]
    areas = []
    for hidden, each in ((fewest[some], 1 / head), (most[some], largest)):
        area = np.sum(np.diff(hidden**2, prepend=0.0) / head)
        area += np.sum(np.diff(hidden, prepend=0.0) * each)
        areas.append(float(min(area / (2 * hidden[-1]), 1.0)))
    return tuple(areas)
