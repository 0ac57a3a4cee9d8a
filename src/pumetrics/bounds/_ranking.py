"""A ranking with labels, cut at every rank: the counts all bounds are made of."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction, check_labels, check_same_length, check_scores

__all__ = ["Ranking", "latent_positives", "rank_examples"]


class Ranking(NamedTuple):
    """Counts of a ranking, highest score first; position ``r - 1`` speaks of the ``r`` examples at the top."""

    labels: np.ndarray
    """Labels in rank order, int8 of shape (n,)."""
    positives: np.ndarray
    """Labeled positives at the top, int64 of shape (n,)."""
    unlabeled: np.ndarray
    """Unlabeled examples at the top, int64 of shape (n,)."""
    negatives: np.ndarray
    """Labeled negatives at the top, int64 of shape (n,)."""
    ends: np.ndarray
    """Positions where a cut is possible: the last example of every group of equal scores."""

    @property
    def size(self):
        """Number of examples."""
        return len(self.labels)

    def flipped(self):
        """Return the ranking read from its bottom with positive and negative swapped."""
        starts = np.r_[0, self.ends[:-1] + 1]
        return _count(-self.labels[::-1], self.size - 1 - starts[::-1])


def rank_examples(s, y_score, *, need=(0, 1)):
    """Sort examples by score, highest first, equal scores in the order given.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher is more positive.
    need : tuple of int
        Labels that must occur.

    Returns
    -------
    Ranking

    Raises
    ------
    ValueError
        If lengths differ, a label is not -1, 0 or 1, a needed label is missing, or a score is not finite.
    """
    s = check_labels(s, allowed=(-1, 0, 1), need=need)
    y_score = check_scores(y_score)
    check_same_length(s=s, y_score=y_score)
    order = np.argsort(-y_score, kind="stable")
    ordered = y_score[order]
    ends = np.r_[np.flatnonzero(ordered[1:] != ordered[:-1]), len(s) - 1]
    return _count(s[order], ends)


def latent_positives(alpha, n_unlabeled):
    """Whole number of positives among the unlabeled, floor(alpha |U|).

    The small addend makes k/|U| give exactly k: in floating point .29 times 100 is just below 29.
    """
    return int(np.floor(check_fraction(alpha, "alpha") * n_unlabeled + 1e-9))


def _count(labels, ends):
    return Ranking(labels, *(np.cumsum(labels == value, dtype=np.int64) for value in (1, 0, -1)), ends)
