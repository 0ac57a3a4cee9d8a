"""Counts of a stream of scores of any length, in constant memory.

Batches pass twice. The first time their distinct scores are counted, and some of either sample are set aside, at
regular intervals. If the distinct scores are too many to keep, those set aside give the thresholds, and the second
time the examples at or above each are counted. So every count is exact; only the order of examples between two
thresholds is lost.
"""

import numpy as np

from pumetrics.counts import Counts

__all__ = ["area_error", "count_batches"]

MOST_DISTINCT = 1 << 20
"""Distinct scores that are all kept."""

_THRESHOLDS = 1 << 14  # from each sample, if not all are kept
_SET_ASIDE = 1 << 19  # scores of each sample, at most


def count_batches(batches, *, threshold=None, most_distinct=MOST_DISTINCT, n_thresholds=_THRESHOLDS):
    """Count labeled and unlabeled examples of a stream at or above each of its scores, or of well-spread ones.

    Parameters
    ----------
    batches : callable
        Without arguments; each call returns an iterator over the same batches, pairs of labeled and unlabeled
        scores, each a float64 array of finite numbers; both occur. It is called once or twice.
    threshold : float, optional
        Threshold of predictions, which is always kept.
    most_distinct : int
        Number of distinct scores up to which every score is a threshold.
    n_thresholds : int
        Number of thresholds from the quantiles of each sample otherwise.

    Returns
    -------
    counts : Counts
    exact : bool
        Whether every distinct score is a threshold.

    Notes
    -----
    The area between two neighboring thresholds is at most half of the rectangle that they span, so grouping moves the
    area by at most half the sum of the products of the labeled and unlabeled shares of the groups. With evenly
    spread thresholds that is about 1 / (2 n_thresholds).

    Examples
    --------
    >>> parts = [(np.array([0.9]), np.array([0.5, 0.1])), (np.array([0.5]), np.array([0.1]))]
    >>> counts, exact = count_batches(lambda: iter(parts))
    >>> counts.thresholds, counts.labeled, counts.unlabeled, exact
    (array([inf, 0.9, 0.5, 0.1]), array([0, 1, 2, 2]), array([0, 0, 1, 3]), True)
    """
    distinct, aside = _Distinct(most_distinct), (_Aside(), _Aside())
    for scores in batches():
        distinct.add(scores)
        for kept, part in zip(aside, scores, strict=True):
            kept.add(part)
    distinct.merge()
    if distinct.parts is not None:
        ((values, sizes),) = distinct.parts
        return _counts(values, np.cumsum(sizes[:, ::-1], axis=1)[:, ::-1]), True
    grid = _spread(aside, threshold, n_thresholds)
    above = np.zeros((2, len(grid)), dtype=np.int64)
    for scores in batches():
        for row, part in zip(above, scores, strict=True):
            row += len(part) - np.searchsorted(np.sort(part), grid)
    return _counts(grid, above), False


def _counts(values, above):
    """Counts of labeled and unlabeled scores at or above each of the values, which ascend."""
    return Counts(np.append(np.inf, values[::-1]), *np.concatenate([[[0], [0]], above[:, ::-1]], axis=1))


def area_error(counts):
    """Largest error of the area under the uncorrected ROC curve because examples between two thresholds are tied."""
    return float(np.sum(np.diff(counts.tpr_pu) * np.diff(counts.fpr_pu)) / 2)


class _Distinct:
    """Parts of distinct scores, ascending, and how often each occurs in either sample; None if there are too many."""

    def __init__(self, most):
        self.parts, self._most = [], most

    def add(self, scores):
        """Take the scores of a batch."""
        if self.parts is None:
            return
        values, places = np.unique(np.concatenate(scores), return_inverse=True)
        samples = places[: len(scores[0])], places[len(scores[0]) :]
        self.parts.append((values, np.array([np.bincount(each, minlength=len(values)) for each in samples])))
        if sum(len(each) for each, _ in self.parts) > 2 * self._most:
            self.merge()

    def merge(self):
        """Join all parts to one."""
        if self.parts is None:
            return
        values, places = np.unique(np.concatenate([each for each, _ in self.parts]), return_inverse=True)
        sizes = np.concatenate([each for _, each in self.parts], axis=1)
        sizes = np.array([np.bincount(places, weights=each, minlength=len(values)) for each in sizes], dtype=np.int64)
        self.parts = [(values, sizes)] if len(values) <= self._most else None


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
