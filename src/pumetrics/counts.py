"""The counting core: scores sorted once; labeled, unlabeled and, where known, true counts at or above each threshold.

A threshold t predicts positive for scores >= t; tied scores share one threshold. Every curve, score, bound and prior
that looks at thresholds starts from one of these counts:

====================== ================================================================ ======================
:func:`count_scores`   labels and scores of one sample, at every distinct score         :class:`Counts`
:func:`count_ranks`    labels and scores, at every rank, with labeled negatives         :class:`RankCounts`
:func:`place_samples`  scores of two samples, to be counted again and again             :class:`Places`
====================== ================================================================ ======================

Many rankings of the same examples at once: :func:`pumetrics_workflow.ranking.rank_rows`.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics.validation import (
    check_labels,
    check_same_index,
    check_same_length,
    check_sample,
    check_scores,
)
from pumetrics.weights import check_weights

__all__ = [
    "Counts",
    "Places",
    "RankCounts",
    "RankedScores",
    "count_ranks",
    "count_scores",
    "place_samples",
    "rank_scores",
]


class RankedScores(NamedTuple):
    """Examples in descending order of their scores."""

    order: np.ndarray
    """Rows of the examples, int64 of shape (n,)."""
    scores: np.ndarray
    """Their scores, float64 of shape (n,)."""
    ends: np.ndarray
    """Position of the last example of each group of tied scores, int64 of shape (n_distinct,)."""

    @property
    def thresholds(self):
        """Infinity, then the distinct scores in descending order, float64 of shape (n_distinct + 1,)."""
        return np.append(np.inf, self.scores[self.ends])

    @property
    def places(self):
        """Index of each example's score among ``thresholds``, in the order the examples were given, int64 (n,)."""
        first = np.ones(len(self.order), dtype=bool)
        np.not_equal(self.scores[1:], self.scores[:-1], out=first[1:])
        places = np.empty(len(self.order), dtype=np.int64)
        places[self.order] = np.cumsum(first)
        return places


class RankCounts(NamedTuple):
    """Labels in rank order, highest score first; position ``r - 1`` counts the ``r`` examples at the top."""

    labels: np.ndarray
    """1 labeled positive, 0 unlabeled, -1 labeled negative, int8 of shape (n,)."""
    labeled: np.ndarray
    """Labeled positives at the top, int64 of shape (n,)."""
    unlabeled: np.ndarray
    """Unlabeled examples at the top, int64 of shape (n,)."""
    labeled_negatives: np.ndarray
    """Labeled negatives at the top, int64 of shape (n,)."""
    ends: np.ndarray
    """Positions where a cut is possible: the last example of each group of tied scores."""

    @property
    def size(self):
        """Number of examples."""
        return len(self.labels)

    @property
    def n_labeled(self):
        """Number of labeled positives."""
        return int(self.labeled[-1])

    @property
    def n_unlabeled(self):
        """Number of unlabeled examples."""
        return int(self.unlabeled[-1])

    @property
    def heads(self):
        """Number of examples at or above each possible cut, int64 of shape (n_cuts,)."""
        return (self.labeled + self.unlabeled + self.labeled_negatives)[self.ends]

    def flipped(self):
        """Return the ranking read from its bottom with positive and negative swapped."""
        starts = np.append(0, self.ends[:-1] + 1)
        return _ranks_of(-self.labels[::-1], self.size - 1 - starts[::-1])


def rank_scores(y_score, *, stable=False):
    """Sort examples by score, highest first, and find the groups of tied scores.

    Parameters
    ----------
    y_score : ndarray of shape (n,)
        Finite scores, higher means more positive; not checked.
    stable : bool, default=False
        Whether tied examples keep the order given. Counts at thresholds do not depend on it, counts at every rank do.

    Returns
    -------
    RankedScores

    Examples
    --------
    >>> ranked = rank_scores(np.array([0.5, 0.9, 0.5]), stable=True)
    >>> ranked.order, ranked.ends, ranked.thresholds
    (array([1, 0, 2]), array([0, 2]), array([inf, 0.9, 0.5]))
    """
    order = np.argsort(-y_score, kind="stable") if stable else np.argsort(y_score)[::-1]
    scores = y_score[order]
    return RankedScores(
        order, scores, np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)
    )


def _ranks_of(labels, ends):
    """Counts of labels in rank order, with the positions where a cut is possible."""
    return RankCounts(
        labels, *(np.cumsum(labels == value, dtype=np.int64) for value in (1, 0, -1)), ends
    )


class _Fields(NamedTuple):
    thresholds: np.ndarray
    """Infinity, then the distinct scores in descending order, float64 of shape (m,)."""
    labeled: np.ndarray
    """Labeled examples (s = 1), int64 of shape (m,), from 0 to their number."""
    unlabeled: np.ndarray
    """Unlabeled examples (s = 0), int64 of shape (m,), from 0 to their number."""


class Counts(_Fields):
    """Examples at or above each of m thresholds; of weighted examples sums of weights, which are float64."""

    @property
    def n_labeled(self):
        """Number of labeled examples, or the sum of their weights."""
        return _total(self.labeled)

    @property
    def n_unlabeled(self):
        """Number of unlabeled examples, or the sum of their weights."""
        return _total(self.unlabeled)

    @property
    def n(self):
        """Number of examples, labeled and unlabeled."""
        return self.n_labeled + self.n_unlabeled

    @cached_property
    def c(self):
        """Labeled share of the examples."""
        return self.n_labeled / self.n

    @cached_property
    def tpr_pu(self):
        """Shares of the labeled examples at or above each threshold, float64 of shape (m,), read-only."""
        return _shares(self.labeled)

    @cached_property
    def fpr_pu(self):
        """Shares of the unlabeled examples at or above each threshold, float64 of shape (m,), read-only."""
        return _shares(self.unlabeled)

    def kept(self, name, key, compute):
        """Return the cached result of `compute` for this name and key, or compute it.

        Areas and measures of one sample begin with the same rates and the same curve.

        Parameters
        ----------
        name : str
        key : hashable
        compute : callable
            Without arguments; returns a tuple of arrays, which are made read-only.

        Returns
        -------
        tuple of ndarray
        """
        last = vars(self).get(name)
        if last is None or last[0] != key:
            last = vars(self)[name] = key, compute()
            for each in last[1]:
                if isinstance(each, np.ndarray):
                    each.flags.writeable = False
        return last[1]

    @property
    def predicted(self):
        """Examples predicted positive at each threshold, int64 of shape (m,)."""
        return self.labeled + self.unlabeled

    def at(self, threshold):
        """Index of the threshold that predicts the same examples positive.

        Parameters
        ----------
        threshold : float or array-like
            Any number, infinities included.

        Returns
        -------
        int or ndarray of int
            Position in ``thresholds``; 0 if no score reaches `threshold`.

        Raises
        ------
        ValueError
            If a threshold is no number.

        Examples
        --------
        >>> counts = count_scores([1, 0, 1], [0.9, 0.5, 0.1])
        >>> int(counts.at(0.6)), int(counts.at(0.5)), int(counts.at(2))
        (1, 2, 0)
        """
        # small or unsigned integers wrap when negated
        threshold = np.asarray(threshold, dtype=np.float64)
        if np.isnan(threshold).any():
            raise ValueError("threshold must be a number, got nan")
        return np.searchsorted(-self.thresholds, -threshold, side="right") - 1


def _total(count):
    """The last count, as an int where it is a whole number."""
    total = count[-1].item()
    return int(total) if total == int(total) else total


def _shares(count):
    """Each count as a share of the last."""
    shares = count / count[-1]
    shares.flags.writeable = False
    return shares


class Places(NamedTuple):
    """Thresholds, and the threshold of each example: resamples are counted without sorting again."""

    thresholds: np.ndarray
    """Infinity, then the distinct scores in descending order, float64 of shape (m,)."""
    labeled: np.ndarray
    """Index of the threshold of each labeled example, int64 of shape (n_labeled,), in the order given."""
    unlabeled: np.ndarray
    """The same of each unlabeled example, int64 of shape (n_unlabeled,)."""

    def counts(self, labeled_rows=None, unlabeled_rows=None):
        """Count all examples, or those of a resample.

        Parameters
        ----------
        labeled_rows, unlabeled_rows : ndarray of int, optional
            Rows of either sample, with repetitions; all by default.

        Returns
        -------
        Counts
            At the thresholds of the whole sample, even if a resample does not contain these scores.
        """
        places = (self.labeled, self.unlabeled)
        if labeled_rows is not None:
            places = (self.labeled[labeled_rows], self.unlabeled[unlabeled_rows])

        m = len(self.thresholds)
        counts = [np.cumsum(np.bincount(place, minlength=m)) for place in places]
        return Counts(self.thresholds, *counts)


def count_scores(s, y_score, *, sample_weight=None):
    """Count labeled and unlabeled examples at or above each distinct score.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled; both must occur.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    sample_weight : array-like of shape (n,), optional
        Number of examples that each row represents, at least 0: a weight of 2 is equivalent to repeating the row, a
        weight of 0 to omitting it. Counts are then float64.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        If a label is not 0 or 1, one of them is missing, a score is not finite, a weight is negative, or lengths
        differ.

    Examples
    --------
    >>> counts = count_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> counts.thresholds, counts.labeled, counts.unlabeled
    (array([inf, 0.9, 0.5, 0.1]), array([0, 1, 2, 2]), array([0, 0, 1, 2]))
    >>> counts.c, counts.tpr_pu
    (0.5, array([0. , 0.5, 1. , 1. ]))
    """
    check_same_index(s=s, y_score=y_score, sample_weight=sample_weight)
    s, y_score = check_sample(s, y_score)
    if sample_weight is not None:
        return _weighted(s, y_score, check_weights(sample_weight, s))
    ranked = rank_scores(y_score)
    labeled = np.append(0, np.cumsum(s[ranked.order], dtype=np.int64)[ranked.ends])
    return Counts(ranked.thresholds, labeled, np.append(0, ranked.ends + 1) - labeled)


def _weighted(s, y_score, weights):
    """Counts of weighted examples; a row of weight 0 makes no threshold."""
    there = weights > 0
    ranked = rank_scores(y_score[there])
    weights = weights[there][ranked.order]
    labeled = s[there][ranked.order] == 1
    # Summed apart, not subtracted, so that neither falls by rounding.
    sums = (np.cumsum(np.where(part, weights, 0.0)) for part in (labeled, ~labeled))
    return Counts(ranked.thresholds, *(np.append(0.0, part[ranked.ends]) for part in sums))


def count_ranks(s, y_score, *, need=(0, 1)):
    """Count labels among the top 1, 2, ..., n examples, tied scores in the order given.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative. None if `y_score` holds counts.
    y_score : array-like of shape (n,) or RankCounts
        Scores, higher means more positive. Counts at ranks are returned as they are, so that a ranking that is bounded
        several times is sorted once.
    need : tuple of int
        Labels that must occur.

    Returns
    -------
    RankCounts

    Raises
    ------
    ValueError
        If lengths differ, a label is not -1, 0 or 1, a needed label is missing, or a score is not finite.

    Examples
    --------
    >>> counts = count_ranks([1, 0, -1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> counts.labeled, counts.unlabeled, counts.labeled_negatives, counts.ends
    (array([1, 1, 1, 1]), array([0, 1, 1, 2]), array([0, 0, 1, 1]), array([0, 2, 3]))
    """
    if isinstance(y_score, RankCounts):
        if s is not None:
            raise ValueError("s must be None, because y_score contains counts, which have no rows")
        check_labels(y_score.labels, "y_score", allowed=(-1, 0, 1), need=need)
        return y_score
    check_same_index(s=s, y_score=y_score)
    s = check_labels(s, allowed=(-1, 0, 1), need=need)
    y_score = check_scores(y_score)
    check_same_length(s=s, y_score=y_score)
    ranked = rank_scores(y_score, stable=True)
    return _ranks_of(s[ranked.order], ranked.ends)


def place_samples(labeled_scores, unlabeled_scores):
    """Sort two samples once, so that any number of resamples can be counted; see :class:`Places`.

    Parameters
    ----------
    labeled_scores, unlabeled_scores : ndarray of shape (n_labeled,) and (n_unlabeled,)
        Finite scores, neither sample empty; not checked.

    Returns
    -------
    Places

    Examples
    --------
    >>> places = place_samples(np.array([0.9, 0.5]), np.array([0.5, 0.1]))
    >>> places.labeled, places.unlabeled
    (array([1, 2]), array([2, 3]))
    >>> places.counts(np.array([0, 0]), np.array([1, 1])).labeled
    array([0, 2, 2, 2])
    """
    ranked = rank_scores(np.concatenate([labeled_scores, unlabeled_scores]))
    places = ranked.places
    first = len(labeled_scores)
    return Places(ranked.thresholds, places[:first], places[first:])
