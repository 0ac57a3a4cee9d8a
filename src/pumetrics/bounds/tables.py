"""Contingency tables with the greatest lower and least upper bound of the false positive rate, at every rank.

They rest on a confidence band on the rank CDF of the positives hidden among the unlabeled.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from pumetrics.bounds.bands import at_top, band_of, latent_positives, surrogates
from pumetrics.counts import count_ranks
from pumetrics.rates import ratio
from pumetrics.validation import check_alphas, check_choice, check_fraction

__all__ = [
    "TABLE_METRICS",
    "ContingencyBounds",
    "Room",
    "alphas_within",
    "between",
    "contingency_bounds",
    "metric_bounds",
    "needed_labels",
    "side_of",
    "tables_at",
    "tables_of",
    "unclipped_tables",
]


_KNOWN = {
    "positives": (0, 1),
    "negatives": (-1, 0),
    "tightest": (-1, 0, 1),
}  # labels needed


_EDGES = 9  # alphas of a range whose tables are computed
_PARTS = (1 / 3, 2 / 3, 1.0)  # of the way from one of them to the next
# one more true positive is one less of fp and fn
_MORE_POSITIVES = np.array([1.0, -1.0, -1.0, 1.0])


class ContingencyBounds(NamedTuple):
    """Two contingency tables per rank; columns are tp, fp, fn, tn."""

    lower: np.ndarray
    """Tables of the lower ROC bound (least upper bound of FPR), int64 of shape (n, 4)."""
    upper: np.ndarray
    """Tables of the upper ROC bound (greatest lower bound of FPR), int64 of shape (n, 4)."""


def contingency_bounds(s, y_score, *, alpha, band=None, known="positives", confidence=0.95):
    """Bounds on the contingency table of every cut of a ranking with labeled and unlabeled examples.

    Labeled examples count as what they are. Of the floor(alpha |U|) positives hidden among the unlabeled, the band
    limits the number at the top r from below and above. No set of surrogate positives that respects the band
    gives a tighter false positive rate.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive. There is a table for every rank, but only the last of a group of equal
        scores is a cut that can be made. Also what ``pumetrics.counts.count_ranks`` returned, with None as `s`:
        several bounds then sort once.
    alpha : float
        Share of positives among the unlabeled, in [0, 1].
    band : Band or str, optional
        Bounds on the rank CDF of the hidden positives, or the name of a method of :func:`rank_cdf_band`. By default
        the exact hypergeometric band, at all ranks together.
    known : {"positives", "negatives", "tightest"}, default="positives"
        Whose ranks the hidden examples are compared with. ``"negatives"`` flips the labels: the labeled negatives
        give the band of the hidden negatives, read from the bottom of the ranking; a given `band` must then be
        that of ``rank_cdf_band(-s, -y_score)``. ``"tightest"`` takes whichever of both leaves less between its
        tables; labels of both kinds must be there, and `band` cannot be a Band.
    confidence : float, default=0.95
        Coverage of a band computed here, in (0, 1).

    Returns
    -------
    ContingencyBounds
        Integer arrays ``lower`` and ``upper`` of shape (n, 4): tp, fp, fn, tn when the top 1, 2, ..., n are called
        positive.

    Raises
    ------
    ValueError
        If labels, scores, alpha or the band are unusable.

    Notes
    -----
    With k hidden positives, theta = ceil(T_ub(r) k) of them (floor(T_lb(r) k) for the lower table) are put at the
    top r, as far as they fit: max(min(|head(U, r)|, theta), k - |tail(U, r)|). The product is rounded to nine
    digits first, so that 0.07 times 100 stays 7.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Theorem 1, Lemma 3, Eqs. 8-13 and Appendix C.

    Examples
    --------
    >>> from pumetrics.bounds import Band, contingency_bounds
    >>> tables = contingency_bounds([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], alpha=0.5,
    ...                             band=Band([0, 0, 0.2, 0.5, 0.5, 1], [0.5, 0.6, 0.8, 1, 1, 1]))
    >>> tables.lower[3].tolist(), tables.upper[3].tolist()
    ([3, 1, 1, 1], [4, 0, 0, 2])
    """
    ranking = count_ranks(s, y_score, need=needed_labels(known))
    side = side_of(ranking, [alpha], band, known, confidence)
    return tables_of(ranking, alpha, band, side, confidence)


def needed_labels(known):
    """Return the labels that must occur for bounds based on `known` examples, or raise ValueError."""
    if known not in _KNOWN:
        raise ValueError(f"known must be one of {', '.join(map(repr, _KNOWN))}, got {known!r}")
    return _KNOWN[known]


def alphas_within(ends, n_unlabeled):
    """Alphas whose tables represent a whole range: every number of hidden positives if these are few, else some.

    Evenly spaced in log odds, as tables change by about the same factor from one to the next.

    Parameters
    ----------
    ends : sequence of float
        One alpha, or the ends of a range.
    n_unlabeled : int

    Returns
    -------
    list of float
        Ascending; `ends` itself for one alpha.
    """
    if len(ends) == 1:
        return list(ends)
    fewest, most = (latent_positives(end, n_unlabeled) for end in ends)
    if most - fewest < _EDGES:
        return [hidden / n_unlabeled for hidden in range(fewest, most + 1)]
    shares = np.clip(
        np.array([fewest, most]) / n_unlabeled, 0.5 / n_unlabeled, 1 - 0.5 / n_unlabeled
    )
    inner = expit(np.linspace(*logit(shares), _EDGES))[1:-1]
    hidden = np.unique(np.clip(np.round(inner * n_unlabeled), fewest + 1, most - 1))
    return [fewest / n_unlabeled, *(hidden / n_unlabeled), most / n_unlabeled]


class Room(NamedTuple):
    """How many positives fit at the top of a ranking, at each of some cuts; float64 arrays of one shape."""

    known: np.ndarray
    """Labeled positives above the cut."""
    below: np.ndarray
    """Labeled positives below it."""
    head: np.ndarray
    """Unlabeled examples above it."""
    tail: np.ndarray
    """Unlabeled examples below it."""

    def fitted(self, table):
        """The table with its true positives clipped to the possible range (Eq. 11)."""
        positive = table[:, 0] + table[:, 2]
        least = np.maximum(self.known, positive - self.below - self.tail)
        most = np.minimum(self.known + self.head, positive - self.below)
        wanted = table[:, 0]
        moved = np.maximum(np.minimum(wanted, most), least) - wanted
        # rounding may leave a hair below 0
        return np.maximum(table + np.multiply.outer(_MORE_POSITIVES, moved).T, 0.0)

    def turns(self, start, end):
        """Parts of the way from one table to another, in [0, 1], at which clipping begins or ends.

        Over the way, the true positives that the band asks for and the four limits of `fitted` are straight lines, so
        the fitted number (*) bends where the wanted one (.) crosses a limit, at most once for each of the four:

            true positives
            |                              . wanted
            |                          .
            |                      * * * * * * known + head: all unlabeled examples above the cut are positive
            |                  *
            |              *
            | * * * * *                        known: none of them is
            |     .
            | . wanted
            +---------------------------------- way, 0 to 1

        The other two limits hold where the examples below the cut are full of positives or empty of hidden ones: the
        missed positives, which change by `left`, reach the labeled below plus `tail`, or the labeled below alone.
        """
        found = start[:, 0]
        step = end[:, 0] - start[:, 0]
        missed = start[:, 2] - self.below
        left = end[:, 2] - start[:, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = (
                (self.known - found) / step,
                (self.known + self.head - found) / step,
                -missed / left,
                (self.tail - missed) / left,
            )
        return [np.clip(np.nan_to_num(way), 0, 1)[:, None] for way in ways]


def between(tables, room):
    """Lower and upper tables over a range of alpha: those given, and what lies on the way from one to the next.

    The number of positives at the top that the band asks for is nearly linear in the number hidden, so the way misses
    it by less than one positive. Measures such as F1 may have their extremes far from the ends of a range, and where
    clipping begins or ends.

    Parameters
    ----------
    tables : list of (ndarray, ndarray)
        Lower and upper tables at ascending alphas, see :func:`alphas_within`, not clipped, shape (n_cuts, 4).
    room : Room
        At the same cuts.

    Yields
    ------
    list of ndarray
        Lower and upper table, float64.
    """
    yield [room.fitted(table) for table in tables[0]]
    for pair in pairwise(tables):
        sides = list(zip(*pair, strict=True))
        (start, end), _ = sides
        if (end - start)[0, [0, 2]].sum() <= 1:  # no whole number of positives lies between
            yield [room.fitted(end) for _, end in sides]
            continue
        for part in _PARTS:
            yield [room.fitted(start + part * (end - start)) for start, end in sides]
        for ways in zip(*(room.turns(*side) for side in sides), strict=True):
            yield [
                room.fitted(start + way * (end - start))
                for way, (start, end) in zip(ways, sides, strict=True)
            ]


def side_of(ranking, alphas, band, known, confidence):
    """Return whose ranks to use; of both sides, the one that leaves less between its tables over all `alphas`.

    The width hardly depends on the ranks of the labeled examples, so choosing by it costs no confidence. One
    side serves a whole interval for alpha, or the bounds at its ends would not hold in between.
    """
    if known != "tightest":
        return known
    if not (band is None or isinstance(band, str)):
        raise ValueError(
            "known='tightest' needs a band for either side: give the name of a method instead of a Band"
        )

    def width(side):
        pairs = [tables_of(ranking, alpha, band, side, confidence) for alpha in alphas]
        return sum(int((upper - lower)[ranking.ends, 0].sum()) for lower, upper in pairs)

    return min(("positives", "negatives"), key=width)


def tables_of(ranking, alpha, band, known, confidence, *, clipped=True):
    """Tables of a :class:`~pumetrics.counts.RankCounts`; see :func:`contingency_bounds`.

    Without clipping they hold the counts of the band, even if these are impossible.
    """
    alpha = check_fraction(alpha, "alpha")
    n_unlabeled = ranking.n_unlabeled
    n_latent = latent_positives(alpha, n_unlabeled)
    if known == "positives":
        return _bound(ranking, n_latent, band, confidence, clipped)
    flipped = ranking.flipped()
    # not a product with 1 - alpha: both views must hide the same examples
    hidden = n_unlabeled - n_latent
    # The top r are what the bottom n - r leave over; tn, fn, fp, tp of the flipped are tp, fp, fn, tn.
    tables = _bound(flipped, hidden, band, confidence, clipped)
    wholes = (np.concatenate([_none_predicted(table), table[:-1]]) for table in tables)
    return ContingencyBounds(*(np.ascontiguousarray(whole[::-1, ::-1]) for whole in wholes))


def unclipped_tables(ranking, alpha, band, known, confidence):
    """Unclipped tables of a ranking for alpha, or for numbers of hidden positives in its range."""
    ends = check_alphas(alpha)
    side = side_of(ranking, ends, band, known, confidence)
    alphas = alphas_within(ends, ranking.n_unlabeled)
    return [tables_of(ranking, each, band, side, confidence, clipped=False) for each in alphas]


def _bound(ranking, n_latent, band, confidence, clipped):
    band = band_of(ranking, band, confidence, n_latent / ranking.n_unlabeled)
    wanted = at_top(band, n_latent)
    if clipped:
        wanted = [surrogates(ranking, n_latent, theta) for theta in wanted]
    return ContingencyBounds(*(_table(ranking, n_latent, theta) for theta in wanted))


def _table(ranking, n_latent, hidden_at_top):
    """Eq. 12 plus the part of the labeled examples."""
    # filled, and mostly read, column by column
    table = np.empty((ranking.size, 4), dtype=np.int64, order="F")
    n_negative = ranking.labeled_negatives[-1] + ranking.n_unlabeled - n_latent
    tp = ranking.labeled + hidden_at_top
    fp = ranking.labeled_negatives + ranking.unlabeled - hidden_at_top
    table[:, 0] = tp
    table[:, 1] = fp
    table[:, 2] = ranking.n_labeled + n_latent - tp
    table[:, 3] = n_negative - fp
    return table


def _none_predicted(table):
    tp, fp, fn, tn = table[-1]
    return np.array([[0, 0, tp + fn, fp + tn]])


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
    rows = table if len(table) == len(counts.thresholds) - 1 else table[counts.predicted[1:] - 1]
    return np.concatenate([_none_predicted(table), rows]).astype(np.float64)


def _mcc(tp, fp, fn, tn):
    of_positives = np.sqrt((tp + fp) * (tp + fn))
    of_negatives = np.sqrt((tn + fp) * (tn + fn))
    return ratio(tp * tn - fp * fn, of_positives * of_negatives)


TABLE_METRICS = {
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    "balanced_accuracy": lambda tp, fp, fn, tn: (ratio(tp, tp + fn) + ratio(tn, tn + fp)) / 2,
    "f1": lambda tp, fp, fn, tn: ratio(2 * tp, 2 * tp + fp + fn),
    "mcc": _mcc,
    "precision": lambda tp, fp, fn, tn: ratio(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: ratio(tp, tp + fn),
    "lift": lambda tp, fp, fn, tn: ratio(ratio(tp, tp + fp), ratio(tp + fn, tp + fp + fn + tn)),
    "specificity": lambda tp, fp, fn, tn: ratio(tn, tn + fp),
}
"""Functions of tp, fp, fn, tn by name."""


def metric_bounds(s, y_score, *, metric, alpha, band=None, known="positives", confidence=0.95):
    """Compute bounds on a metric if the top 1, 2, ..., n are predicted positive.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive. Cuts are possible only after the last of a group of equal scores.
    metric : str
        One of accuracy, balanced_accuracy, f1, mcc, precision, recall, lift, specificity. At a given rank and given
        class sizes each rises with the true positives, so its values at both tables are its bounds.
    alpha : float or (float, float)
        Share of positives among the unlabeled in [0, 1], or an interval for it; the bounds are then the extremes over
        the interval, because most metrics are not monotone in alpha. If it holds more than nine numbers of hidden
        positives, some are interpolated, which can miss a bound by one positive.
    band, known, confidence
        As in :func:`contingency_bounds`.

    Returns
    -------
    lower, upper : ndarray of shape (n,)
        Bounds per rank.

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
    check_choice(metric, "metric", TABLE_METRICS)
    ranking = count_ranks(s, y_score, need=needed_labels(known))
    tables = unclipped_tables(ranking, alpha, band, known, confidence)
    known = ranking.labeled
    head = ranking.unlabeled
    room = Room(known, known[-1] - known, head, head[-1] - head)
    pairs = between(tables, room)
    values = [TABLE_METRICS[metric](*table.T) for pair in pairs for table in pair]
    return np.min(values, axis=0), np.max(values, axis=0)
