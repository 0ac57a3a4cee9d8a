"""Rankings of the study: drawn from two normals, or laid out share by share."""

from typing import NamedTuple

import numpy as np

__all__ = ["SimulatedRanking", "laid_out", "two_normals"]


class SimulatedRanking(NamedTuple):
    """A ranking with observed and true classes, highest score first (sorting what is sorted costs next to nothing)."""

    s: np.ndarray
    """Observed label: 1 labeled positive, 0 unlabeled, -1 labeled negative."""
    y: np.ndarray
    """True class, 0 or 1."""
    score: np.ndarray
    """Score, higher is more positive."""


def two_normals(rng, *, n_labeled, n_unlabeled, alpha, separation):
    """Ranking whose scores are unit normals, those of positives `separation` higher.

    The labeled positives are drawn from the same normal as the hidden ones, so any of all positives is as likely to
    be labeled as any other.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_labeled, n_unlabeled : int
    alpha : float
        Share of positives among the unlabeled.
    separation : float
        The area under the true ROC curve is Phi(separation / sqrt(2)).

    Returns
    -------
    SimulatedRanking
    """
    hidden = round(alpha * n_unlabeled)
    s, y = np.zeros((2, n_labeled + n_unlabeled), dtype=np.int8)
    s[:n_labeled] = 1
    y[: n_labeled + hidden] = 1
    score = rng.standard_normal(len(y)) + separation * y
    order = np.argsort(-score)
    return SimulatedRanking(s[order], y[order], score[order])


def laid_out(blocks, *, n_labeled, n_unlabeled):
    """Ranking in which given shares of the labeled positives spread evenly over given stretches of the unlabeled.

    Parameters
    ----------
    blocks : list of (share, start, stop)
        A share of the labeled positives and the stretch of the unlabeled, as shares from the top, over which they
        spread. A stretch without length is a block of labeled positives with no unlabeled example among them.
    n_labeled, n_unlabeled : int

    Returns
    -------
    s : ndarray of shape (n_labeled + n_unlabeled,)
        Observed labels, highest rank first.
    score : ndarray
        Strictly falling scores.
    """
    shares, starts, stops = np.array(blocks, dtype=float).T
    places = np.concatenate([[0], np.cumsum(shares)])
    wanted = (np.arange(n_labeled) + 0.5) / n_labeled
    block = np.clip(np.searchsorted(places, wanted, side="right") - 1, 0, len(blocks) - 1)
    part = (wanted - places[block]) / shares[block]
    labeled = starts[block] + part * (stops - starts)[block]
    unlabeled = (np.arange(n_unlabeled) + 0.5) / n_unlabeled
    s = np.concatenate([np.ones(n_labeled, dtype=np.int8), np.zeros(n_unlabeled, dtype=np.int8)])
    s = s[np.argsort(np.concatenate([labeled, unlabeled]), kind="stable")]
    return s, -np.arange(len(s), dtype=float)
