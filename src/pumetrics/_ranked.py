"""Examples in descending order of their scores: groups of tied scores, and labels counted at every rank."""

from typing import NamedTuple

import numpy as np

__all__ = ["RankCounts", "RankedScores", "rank_scores", "ranks_of"]


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

    def above(self, chosen):
        """Count the examples of a set at or above each threshold.

        Parameters
        ----------
        chosen : ndarray of shape (n,)
            0 and 1, or bool, in the order of the ranking.

        Returns
        -------
        ndarray of shape (n_distinct + 1,)
            int64, first 0.
        """
        return np.append(0, np.cumsum(chosen, dtype=np.int64)[self.ends])

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
    def heads(self):
        """Number of examples at or above each possible cut, int64 of shape (n_cuts,)."""
        return (self.labeled + self.unlabeled + self.labeled_negatives)[self.ends]

    def flipped(self):
        """Return the ranking read from its bottom with positive and negative swapped."""
        starts = np.append(0, self.ends[:-1] + 1)
        return ranks_of(-self.labels[::-1], self.size - 1 - starts[::-1])


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
    return RankedScores(order, scores, np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1))


def ranks_of(labels, ends):
    """Counts of labels in rank order, with the positions where a cut is possible."""
    return RankCounts(labels, *(np.cumsum(labels == value, dtype=np.int64) for value in (1, 0, -1)), ends)
