"""Contingency tables with the greatest lower and least upper bound of the false positive rate, at every rank.

They rest on a confidence band on the rank CDF of the positives hidden among the unlabeled.
"""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from pumetrics._validation import check_alphas, check_fraction
from pumetrics.counts import count_ranks

__all__ = [
    "TABLE_METRICS",
    "Band",
    "ClippedShare",
    "ContingencyBounds",
    "Room",
    "TableDerivatives",
    "TableSensitivity",
    "alphas_within",
    "between",
    "clipped_share",
    "contingency_bounds",
    "latent_positives",
    "max_feasible_alpha",
    "metric_bounds",
    "needed_labels",
    "rank_cdf_band",
    "sensitivity_to_alpha",
    "side_of",
    "tables_at",
    "tables_of",
]

_METHODS = ("auto", "hypergeometric", "dkw", "bootstrap")
_JOINT_BY_NATURE = {"hypergeometric": True, "dkw": True, "bootstrap": False}


class Band(NamedTuple):
    """Bounds on a rank CDF, one value per rank 1 ... n, highest score first, each in [0, 1]."""

    lower: np.ndarray
    """Lower bound T_lb(r), shape (n,)."""
    upper: np.ndarray
    """Upper bound T_ub(r), shape (n,)."""


def rank_cdf_band(s, y_score, *, confidence=0.95, method="auto", alpha=None, simultaneous=None):
    """Compute a confidence band on the share of the hidden positives among the top r, for every rank r.

    The band assumes that the labeled positives are a random sample of all positives. Labeled and hidden positives then
    have the same rank distribution.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative (ignored by the band).
    y_score : array-like of shape (n,)
        Scores, higher means more positive. No threshold separates tied scores: read the band at the last of them.
    confidence : float, default=0.95
        Coverage, in (0, 1).
    method : {"auto", "hypergeometric", "dkw", "bootstrap"}, default="auto"
        * ``"hypergeometric"``: exact for finite samples; it accounts for drawing the labeled positives without
          replacement and for the finite number of hidden positives. Needs `alpha`.
        * ``"dkw"``: Dvoretzky, Kiefer and Wolfowitz with Massart's constant, sqrt(ln(2 / level) / (2 n_labeled))
          on either side, simultaneously at all ranks. It covers the distribution both samples come from, so it is too
          narrow when few positives are hidden.
        * ``"bootstrap"``: as in the paper, rank by rank. A resampled count is binomial, so the band is its quantiles,
          the limit of infinitely many resamples. It ignores that the hidden positives are a sample, and
          has no width above the first and below the last labeled positive.
        * ``"auto"``: hypergeometric if `alpha` is given, else dkw.
    alpha : float, optional
        Share of positives among the unlabeled, in [0, 1].
    simultaneous : bool, optional
        Whether the confidence holds simultaneously at all ranks. By default True for hypergeometric and dkw, False for
        bootstrap; only hypergeometric offers both.

    Returns
    -------
    Band
        Arrays ``lower`` and ``upper`` of shape (n,).

    Raises
    ------
    ValueError
        If labels or scores are unusable, the method is unknown, cannot be (non-)simultaneous, or lacks `alpha`.

    Notes
    -----
    The exact band inverts tests: a number of positives at the top is rejected if the probability of so few, or so many,
    labeled ones there is at most half the level. For a simultaneous band, the level of the single test is lowered until
    the labeled positives, a random subset of all, stay inside at all ranks with the nominal probability. That
    probability is computed exactly, which takes about a tenth of a second for tens of thousands of positives, and is
    cached. Its cost grows with the number of positives times the root of the labeled.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 4.2 and Eq. 14. Massart (1990), Annals of Probability 18(3).

    Examples
    --------
    >>> band = rank_cdf_band([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], method="dkw", confidence=0.5)
    >>> band.lower.round(2).tolist()
    [0.0, 0.0, 0.0, 0.41, 0.41, 0.41]
    >>> band.upper.tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    return _band_of(count_ranks(s, y_score), method, confidence, alpha, simultaneous)


def _band_of(ranking, method, confidence, alpha=None, simultaneous=None):
    """Band of a :class:`~pumetrics.counts.RankCounts`; see :func:`rank_cdf_band`."""
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, _METHODS))}, got {method!r}")
    if method == "auto":
        method = "dkw" if alpha is None else "hypergeometric"
    if method == "hypergeometric" and alpha is None:
        raise ValueError(
            "the hypergeometric band needs alpha, the share of positives among the unlabeled: give alpha, or use "
            "method='dkw', which does not need it"
        )
    joint = _JOINT_BY_NATURE[method] if simultaneous is None else bool(simultaneous)
    if method != "hypergeometric" and joint != _JOINT_BY_NATURE[method]:
        kind = "at all ranks together" if _JOINT_BY_NATURE[method] else "rank by rank"
        raise ValueError(f"the band {method!r} holds {kind} only, got simultaneous={joint}: use 'hypergeometric'")
    n_labeled = int(ranking.labeled[-1])
    if method == "hypergeometric":
        n_latent = latent_positives(alpha, int(ranking.unlabeled[-1]))
        lower, upper = _hypergeometric(n_labeled, n_latent, confidence, joint)
    elif method == "dkw":
        share = np.arange(n_labeled + 1) / n_labeled
        half_width = np.sqrt(np.log(2 / (1 - confidence)) / (2 * n_labeled))
        lower, upper = np.clip(share - half_width, 0, 1), np.clip(share + half_width, 0, 1)
    else:
        lower, upper = _bootstrap(n_labeled, confidence)
    # The band changes only at labeled positives: n_labeled + 1 values serve all ranks.
    return Band(lower[ranking.labeled], upper[ranking.labeled])


def latent_positives(alpha, n_unlabeled):
    """Whole number of positives among the unlabeled, floor(alpha |U|).

    The small addend makes k/|U| give exactly k: in floating point 0.29 times 100 is just below 29.
    """
    return int(np.floor(check_fraction(alpha, "alpha") * n_unlabeled + 1e-9))


def _check_band(band, n):
    """Return `band` as two float arrays of `n` values, or raise ValueError saying what is wrong with it."""
    try:
        lower, upper = (np.asarray(side, dtype=np.float64) for side in band)
    except (TypeError, ValueError):
        raise ValueError(
            f"band must be a Band(lower, upper) or one of {', '.join(map(repr, _METHODS))}, got {band!r}"
        ) from None
    for name, side in (("lower", lower), ("upper", upper)):
        if side.shape != (n,):
            raise ValueError(f"band.{name} must hold one value per rank, shape ({n},), got shape {side.shape}")
        outside = ~((side >= 0) & (side <= 1))  # also catches NaN
        if outside.any():
            rank = np.flatnonzero(outside)[0]
            raise ValueError(f"band.{name} must lie in [0, 1], got {side[rank]} at rank {rank + 1}")
    if (lower > upper).any():
        rank = np.flatnonzero(lower > upper)[0]
        raise ValueError(
            f"band.lower must not exceed band.upper, got {lower[rank]} and {upper[rank]} at rank {rank + 1}"
        )
    return Band(lower, upper)


def _hypergeometric(n_labeled, n_latent, confidence, simultaneous):
    """Bounds on the hidden share for 0 ... n_labeled labeled positives at the top."""
    if not n_latent:  # no positive is hidden, so any share will do
        return np.zeros(n_labeled + 1), np.ones(n_labeled + 1)
    from pumetrics.bounds.hypergeometric import positives_at_top

    fewest, most = positives_at_top(n_labeled, n_labeled + n_latent, confidence, simultaneous)
    seen = np.arange(n_labeled + 1)
    return (fewest - seen) / n_latent, (most - seen) / n_latent


@lru_cache(maxsize=2)  # the models of a pool have as many labeled examples
def _bootstrap(n_labeled, confidence):
    tail = (1 - confidence) / 2
    share = np.arange(n_labeled + 1) / n_labeled
    return tuple(_binomial_quantiles(q, n_labeled, share) / n_labeled for q in (tail, 1 - tail))


def _binomial_quantiles(q, n, p):
    """Smallest counts whose binomial distribution function reaches `q` (inverted-CDF quantiles).

    A normal start with a skewness term is rarely off by more than one, and two or three evaluations of the
    distribution function make it exact: four times faster than its general inverse.
    """
    from scipy.special import bdtr, ndtri

    counts = n * p  # right where p is 0 or 1, and there is nothing to search
    inside = (p > 0) & (p < 1)
    p, z = p[inside], ndtri(q)
    start = n * p + z * np.sqrt(n * p * (1 - p)) + (z * z - 1) * (1 - 2 * p) / 6 - 0.5
    x = np.maximum(np.minimum(np.ceil(start), n), 0.0)
    while (low := bdtr(x, n, p) < q).any():
        x += low
    while (high := (x > 0) & (bdtr(np.maximum(x - 1, 0), n, p) >= q)).any():
        x -= high
    counts[inside] = x
    return counts


_KNOWN = ("positives", "negatives", "tightest")


_EDGES = 9  # alphas of a range whose tables are computed
_PARTS = (1 / 3, 2 / 3, 1.0)  # of the way from one of them to the next
_MORE_POSITIVES = np.array([1.0, -1.0, -1.0, 1.0])  # one more true positive is one less of fp and fn


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
    return tables_of(ranking, alpha, band, side_of(ranking, [alpha], band, known, confidence), confidence)


def needed_labels(known):
    """Return the labels that must occur for bounds based on `known` examples, or raise ValueError."""
    if known not in _KNOWN:
        raise ValueError(f"known must be one of {', '.join(map(repr, _KNOWN))}, got {known!r}")
    return {"positives": (0, 1), "negatives": (-1, 0), "tightest": (-1, 0, 1)}[known]


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
    shares = np.clip(np.array([fewest, most]) / n_unlabeled, 0.5 / n_unlabeled, 1 - 0.5 / n_unlabeled)
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
        moved = np.maximum(np.minimum(table[:, 0], most), least) - table[:, 0]
        return np.maximum(table + np.multiply.outer(_MORE_POSITIVES, moved).T, 0.0)  # rounding may leave a hair below 0

    def turns(self, start, end):
        """Parts of the way from one table to another, in [0, 1], at which clipping begins or ends."""
        found, step = start[:, 0], end[:, 0] - start[:, 0]
        missed, left = start[:, 2] - self.below, end[:, 2] - start[:, 2]
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
            yield [room.fitted(start + way * (end - start)) for way, (start, end) in zip(ways, sides, strict=True)]


def side_of(ranking, alphas, band, known, confidence):
    """Return whose ranks to use; of both sides, the one that leaves less between its tables over all `alphas`.

    The width hardly depends on the ranks of the labeled examples, so choosing by it costs no confidence. One
    side serves a whole interval for alpha, or the bounds at its ends would not hold in between.
    """
    if known != "tightest":
        return known
    if not (band is None or isinstance(band, str)):
        raise ValueError("known='tightest' needs a band for either side: give the name of a method instead of a Band")

    def width(side):
        pairs = [tables_of(ranking, alpha, band, side, confidence) for alpha in alphas]
        return sum(int((upper - lower)[ranking.ends, 0].sum()) for lower, upper in pairs)

    return min(("positives", "negatives"), key=width)


def tables_of(ranking, alpha, band, known, confidence, *, clipped=True):
    """Tables of a :class:`~pumetrics.counts.RankCounts`; see :func:`contingency_bounds`.

    Without clipping they hold the counts of the band, even if these are impossible.
    """
    alpha = check_fraction(alpha, "alpha")
    n_unlabeled = int(ranking.unlabeled[-1])
    n_latent = latent_positives(alpha, n_unlabeled)
    if known == "positives":
        return _bound(ranking, n_latent, band, confidence, clipped)
    flipped = ranking.flipped()
    hidden = n_unlabeled - n_latent  # not a product with 1 - alpha: both views must hide the same examples
    return ContingencyBounds(*map(_flip_back, _bound(flipped, hidden, band, confidence, clipped)))


def _surrogates(ranking, n_latent, theta):
    """Hidden positives that the top r can and must hold: Eq. 11, where both corner cases are one clip."""
    head = ranking.unlabeled
    tail = head[-1] - head
    return np.maximum(np.minimum(head, theta), n_latent - tail)


def _resolved(ranking, band, confidence, alpha):
    """The band that is given, checked, or the one of a method, by default the hypergeometric one."""
    if band is None or isinstance(band, str):
        return _band_of(ranking, band or "hypergeometric", confidence, alpha=alpha)
    return _check_band(band, ranking.size)


def _at_top(band, n_latent):
    """Fewest and most hidden positives at the top by a band; 0.07 times 100 is 7 in spite of floating point."""
    fewest, most = (np.round(side * n_latent, 9) for side in band)
    return np.floor(fewest).astype(np.int64), np.ceil(most).astype(np.int64)


def _bound(ranking, n_latent, band, confidence, clipped):
    band = _resolved(ranking, band, confidence, n_latent / int(ranking.unlabeled[-1]))
    wanted = _at_top(band, n_latent)
    if clipped:
        wanted = [_surrogates(ranking, n_latent, theta) for theta in wanted]
    return ContingencyBounds(*(_table(ranking, n_latent, theta) for theta in wanted))


def _table(ranking, n_latent, hidden_at_top):
    """Eq. 12 plus the part of the labeled examples."""
    table = np.empty((ranking.size, 4), dtype=np.int64, order="F")  # filled, and mostly read, column by column
    n_negative = ranking.labeled_negatives[-1] + ranking.unlabeled[-1] - n_latent
    table[:, 0] = ranking.labeled + hidden_at_top
    table[:, 1] = ranking.labeled_negatives + ranking.unlabeled - hidden_at_top
    table[:, 2] = ranking.labeled[-1] + n_latent - table[:, 0]
    table[:, 3] = n_negative - table[:, 1]
    return table


def _flip_back(table):
    """Table of the flipped ranking as one of the ranking: the top r are what the bottom n - r leave over."""
    whole = np.concatenate([_none_predicted(table), table[:-1]])[::-1]
    return np.ascontiguousarray(whole[:, ::-1])  # tn, fn, fp, tp of the flipped are tp, fp, fn, tn


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


def _ratio(part, whole):
    """Share, 0 where it is undefined, as scikit-learn has it."""
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


def _mcc(tp, fp, fn, tn):
    return _ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn)))


TABLE_METRICS = {
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    "balanced_accuracy": lambda tp, fp, fn, tn: (_ratio(tp, tp + fn) + _ratio(tn, tn + fp)) / 2,
    "f1": lambda tp, fp, fn, tn: _ratio(2 * tp, 2 * tp + fp + fn),
    "mcc": _mcc,
    "precision": lambda tp, fp, fn, tn: _ratio(tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: _ratio(tp, tp + fn),
    "lift": lambda tp, fp, fn, tn: _ratio(_ratio(tp, tp + fp), _ratio(tp + fn, tp + fp + fn + tn)),
    "specificity": lambda tp, fp, fn, tn: _ratio(tn, tn + fp),
}
"""Functions of tp, fp, fn, tn by name."""


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
    if not callable(metric) and metric not in TABLE_METRICS:
        raise ValueError(
            f"metric must be a function of tp, fp, fn, tn or one of {', '.join(TABLE_METRICS)}, got {metric!r}"
        )
    function = metric if callable(metric) else TABLE_METRICS[metric]
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
        table = lower + moved[:, None] * _MORE_POSITIVES
        value = np.asarray(function(*table.T), dtype=np.float64)
        low, high = np.fmin(low, value), np.fmax(high, value)
    return low, high


class TableDerivatives(NamedTuple):
    """Derivatives with respect to alpha, one value per rank 1 ... n each."""

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray
    tpr: np.ndarray
    fpr: np.ndarray
    precision: np.ndarray


class TableSensitivity(NamedTuple):
    """Derivatives of the lower and of the upper tables."""

    lower: TableDerivatives
    upper: TableDerivatives


class ClippedShare(NamedTuple):
    """Share of ranks at which the lower and the upper table could not hold what the band asks for.

    Only ranks at which a cut is possible count: of equal scores the last.
    """

    lower: float
    upper: float


def sensitivity_to_alpha(s, y_score, *, alpha, band=None, confidence=0.95):
    """Derivatives of the tables and their rates with respect to alpha, for the unlabeled part and a fixed band.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    alpha : float
        Share of positives among the unlabeled, in (0, 1).
    band : Band or str, optional
        Bounds on the rank CDF of the hidden positives, or a method's name; by default hypergeometric.
    confidence : float, default=0.95
        Coverage of a band computed here, in (0, 1).

    Returns
    -------
    TableSensitivity
        ``lower`` and ``upper``, each with tp, fp, fn, tn (examples per unit of alpha), tpr, fpr and precision (NaN
        where no unlabeled example is called positive), arrays of shape (n,).

    Raises
    ------
    ValueError
        If labels, scores, alpha or the band are unusable.

    Notes
    -----
    Without rounding and clipping, d TPR = 0, d FPR = (|head(U, r)| / |U| - T(r)) / (1 - alpha)^2 and d precision =
    T(r) |U| / |head(U, r)|. The paper's Eqs. 15 and 20 print the second one |U| times too large. Where tables are
    clipped the paper takes all derivatives as 0; but a table that holds as many hidden positives as it can still
    gains false negatives with alpha. These are the exact derivatives there, too.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Appendix B, Eqs. 19-21.

    Examples
    --------
    >>> from pumetrics.bounds import Band, sensitivity_to_alpha
    >>> band = Band([0, 0.2, 0.4, 0.7, 1, 1], [0.2, 0.6, 0.8, 1, 1, 1])
    >>> sensitivity_to_alpha([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], alpha=0.5, band=band).lower.fpr.round(2).tolist()
    [0.0, 0.2, 0.4, -0.8, -1.0, 0.0]
    """
    alpha = check_fraction(alpha, "alpha", inclusive=False)
    ranking = count_ranks(s, y_score)
    n_unlabeled = int(ranking.unlabeled[-1])
    band = _resolved(ranking, band, confidence, alpha)
    return TableSensitivity(*(_derivatives(ranking.unlabeled, n_unlabeled, alpha, side) for side in band))


def clipped_share(s, y_score, *, alpha, band=None, confidence=0.95):
    """Compute the share of ranks with too few unlabeled examples for the hidden positives that the band requires.

    A small share at the very top and bottom is normal for an upper bound. A clipped lower bound shows that alpha is too
    high for this ranking, or that the labeled positives are not a random sample. Only with clipping can the ranking of
    two models by AUROC change with alpha.

    Parameters
    ----------
    s, y_score, alpha, band, confidence
        As in :func:`sensitivity_to_alpha`, but alpha may be 0 or 1.

    Returns
    -------
    ClippedShare
        ``lower`` and ``upper``, each in [0, 1].

    Raises
    ------
    ValueError
        If labels, scores, alpha or the band are unusable.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Eq. 11 and its corner cases.

    Examples
    --------
    >>> from pumetrics.bounds import Band, clipped_share
    >>> T = [0.5, 0.5, 0.5, 1, 1, 1]
    >>> clipped_share([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], alpha=0.5, band=Band(T, T)).lower.__round__(3)
    0.167
    """
    alpha = check_fraction(alpha, "alpha")
    ranking = count_ranks(s, y_score)
    band = _resolved(ranking, band, confidence, alpha)
    n_latent = latent_positives(alpha, int(ranking.unlabeled[-1]))
    clipped = (_surrogates(ranking, n_latent, theta) != theta for theta in _at_top(band, n_latent))
    return ClippedShare(*(float(np.mean(each[ranking.ends])) for each in clipped))


def max_feasible_alpha(s, y_score, *, band=None, confidence=0.95):
    """Compute the largest alpha for which hidden positives can respect the band.

    This is an upper bound on alpha without a model of the scores.

    Among the top r there are at least T_lb(r) alpha |U| hidden positives, and at most as many as there are unlabeled
    examples; likewise below r.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    band : Band or str, optional
        Bounds on the rank CDF of the hidden positives, or a method's name; by default hypergeometric, which depends on
        alpha itself and is solved for.
    confidence : float, default=0.95
        Coverage of a band computed here, in (0, 1). If it holds at all ranks together, so does the bound.

    Returns
    -------
    float
        In [0, 1]; 1 means that there is no restriction.

    Raises
    ------
    ValueError
        If labels, scores or the band are unusable.

    Examples
    --------
    >>> from pumetrics.bounds import Band, max_feasible_alpha
    >>> T = [0.4, 0.4, 0.4, 0.8, 0.8, 1]
    >>> max_feasible_alpha([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], band=Band([0, *T[1:]], [1, *T[1:]]))
    0.625
    """
    ranking = count_ranks(s, y_score)
    if not (band is None or (isinstance(band, str) and band in ("auto", "hypergeometric"))):
        return _feasible(ranking, _resolved(ranking, band, confidence, None))
    alpha = 1.0
    for _ in range(3):
        # The more are hidden, the narrower the band and the less is feasible. So every second step stays above.
        for _ in range(2):
            alpha = _feasible(ranking, _band_of(ranking, "hypergeometric", confidence, alpha=alpha))
    return alpha


def _feasible(ranking, band):
    head, n_unlabeled = ranking.unlabeled[ranking.ends], ranking.unlabeled[-1]
    room = np.concatenate([head, n_unlabeled - head])
    wanted = np.concatenate([band.lower[ranking.ends], 1 - band.upper[ranking.ends]]) * n_unlabeled
    return float(np.min(room[wanted > 0] / wanted[wanted > 0], initial=1.0))


def _derivatives(head, n_unlabeled, alpha, share):
    """Derivatives at one side of the band; three regimes: neither part full, full top, full bottom."""
    n_latent = alpha * n_unlabeled
    tail = n_unlabeled - head
    full_top, full_bottom = head < share * n_latent, tail < (1 - share) * n_latent
    tp = np.select([full_bottom, full_top], [n_latent - tail, head], share * n_latent)
    d_tp = np.select([full_bottom, full_top], [1.0, 0.0], share) * n_unlabeled
    fp = head - tp
    d_tpr = (d_tp - tp / alpha) / n_latent
    d_fpr = (-d_tp + fp / (1 - alpha)) / (n_unlabeled - n_latent)
    d_precision = np.divide(d_tp, head, out=np.full(len(head), np.nan), where=head > 0)
    return TableDerivatives(d_tp, -d_tp, n_unlabeled - d_tp, d_tp - n_unlabeled, d_tpr, d_fpr, d_precision)
