"""Counts of more examples than fit in memory: exact while scores are few, else at thresholds spread over both samples.

Batches pass twice. The first time their distinct scores are counted, and some of either sample are set aside, at
regular intervals. If the distinct scores are too many to keep, those set aside give the thresholds, and the second
time the examples at or above each are counted. So every count is exact; what is lost is where examples stand between
two thresholds.
"""

from typing import NamedTuple

import numpy as np

from pumetrics.counts import Counts

__all__ = ["MOST_DISTINCT", "Streamed", "count_batches"]

MOST_DISTINCT = 1 << 20
"""Distinct scores that are all kept."""

_THRESHOLDS = 1 << 14  # from each sample, if not all are kept
_SET_ASIDE = 1 << 19  # scores of each sample, at most


class Streamed(NamedTuple):
    """Counts of a stream of examples, and how fine they are."""

    counts: Counts
    """Labeled and unlabeled examples at or above each threshold."""
    exact: bool
    """Whether every distinct score is a threshold."""
    area_error: float
    """Most that grouping can change the area under the uncorrected ROC curve; 0 if exact."""


def count_batches(batches, *, threshold=None, most_distinct=MOST_DISTINCT, n_thresholds=_THRESHOLDS):
    """Count labeled and unlabeled examples of a stream at or above each of its scores, or of well-spread ones.

    Parameters
    ----------
    batches : callable
        Without arguments; each call returns an iterator over the same batches, pairs of labeled and unlabeled
        scores, each a float64 array of finite numbers. It is called once or twice.
    threshold : float, optional
        A threshold to keep in any case: predictions are made there.
    most_distinct : int
        Distinct scores up to which all of them are thresholds.
    n_thresholds : int
        Otherwise thresholds from the quantiles of either sample.

    Returns
    -------
    Streamed

    Raises
    ------
    ValueError
        If there is no example of one kind.

    Notes
    -----
    The area between two neighboring thresholds is at most half of the rectangle that they span, so grouping moves the
    area by at most half the sum of the products of the labeled and unlabeled shares of the groups. With evenly
    spread thresholds that is about 1 / (2 n_thresholds).

    Examples
    --------
    >>> parts = [(np.array([0.9]), np.array([0.5, 0.1])), (np.array([0.5]), np.array([0.1]))]
    >>> streamed = count_batches(lambda: iter(parts))
    >>> streamed.counts.thresholds, streamed.counts.labeled, streamed.counts.unlabeled, streamed.exact
    (array([inf, 0.9, 0.5, 0.1]), array([0, 1, 2, 2]), array([0, 0, 1, 3]), True)
    """
    distinct, aside = _Distinct(most_distinct), (_Aside(), _Aside())
    for scores in batches():
        distinct.add(scores)
        for kept, part in zip(aside, scores, strict=True):
            kept.add(part)
    distinct.merge()
    for kept, kind in zip(aside, ("labeled", "unlabeled"), strict=True):
        if not kept.n_seen:
            raise ValueError(f"there are no {kind} examples")
    if distinct.values is not None:
        return Streamed(_counts(distinct.values, distinct.sizes), True, 0.0)
    grid = _spread(aside, threshold, n_thresholds)
    above = np.zeros((2, len(grid)), dtype=np.int64)
    for scores in batches():
        for row, part in zip(above, scores, strict=True):
            row += len(part) - np.searchsorted(np.sort(part), grid)
    counts = Counts(np.append(np.inf, grid[::-1]), *np.concatenate([[[0], [0]], above[:, ::-1]], axis=1))
    return Streamed(counts, False, area_error(counts))


def area_error(counts):
    """Most that the area under the uncorrected ROC curve can change if examples between thresholds were told apart."""
    return float(np.sum(np.diff(counts.tpr_pu) * np.diff(counts.fpr_pu)) / 2)


class _Distinct:
    """Distinct scores, ascending, and how often each occurs in either sample; None once there are too many."""

    def __init__(self, most):
        self.values, self.sizes = np.zeros(0), np.zeros((2, 0), dtype=np.int64)
        self._most, self._waiting = most, []

    def add(self, scores):
        """Take the scores of a batch."""
        if self.values is None:
            return
        values, places = np.unique(np.concatenate(scores), return_inverse=True)
        parts = places[: len(scores[0])], places[len(scores[0]) :]
        self._waiting.append((values, np.array([np.bincount(part, minlength=len(values)) for part in parts])))
        if sum(len(each) for each, _ in self._waiting) > self._most:
            self.merge()

    def merge(self):
        """Join what waits with what is there."""
        if self.values is None:
            return
        values = np.concatenate([self.values, *(each for each, _ in self._waiting)])
        sizes = np.concatenate([self.sizes, *(each for _, each in self._waiting)], axis=1)
        self._waiting = []
        self.values, places = np.unique(values, return_inverse=True)
        self.sizes = np.zeros((2, len(self.values)), dtype=np.int64)
        np.add.at(self.sizes, (slice(None), places), sizes)
        if len(self.values) > self._most:
            self.values = self.sizes = None


class _Aside:
    """Every so many scores of a stream, from the first, so that a limited number is kept however many come."""

    def __init__(self):
        self.n_seen, self.lowest, self.highest = 0, np.inf, -np.inf
        self._kept, self._step = [], 1

    def add(self, scores):
        """Take the next scores."""
        if not len(scores):
            return
        self.lowest, self.highest = min(self.lowest, scores.min()), max(self.highest, scores.max())
        self._kept.append(scores[-self.n_seen % self._step :: self._step].copy())
        self.n_seen += len(scores)
        while sum(map(len, self._kept)) > _SET_ASIDE:
            self._kept = [np.concatenate(self._kept)[::2].copy()]
            self._step *= 2

    def quantiles(self, n):
        """At most n evenly spaced scores of those kept."""
        scores = np.sort(np.concatenate(self._kept))
        if len(scores) <= n:
            return scores
        return scores[((np.arange(n) + 0.5) * len(scores) / n).astype(np.int64)]


def _spread(aside, threshold, n_thresholds):
    """Thresholds, ascending: quantiles of both samples, the ends of all scores, and one to keep."""
    lowest, highest = min(kept.lowest for kept in aside), max(kept.highest for kept in aside)
    extra = [] if threshold is None or not lowest <= threshold <= highest else [threshold]
    return np.unique(np.concatenate([*(kept.quantiles(n_thresholds) for kept in aside), [lowest, highest], extra]))


def _counts(values, sizes):
    """Counts of distinct scores, given in ascending order."""
    above = np.cumsum(sizes[:, ::-1], axis=1)
    labeled, unlabeled = np.concatenate([np.zeros((2, 1), dtype=np.int64), above], axis=1)
    return Counts(np.append(np.inf, values[::-1]), labeled, unlabeled)
