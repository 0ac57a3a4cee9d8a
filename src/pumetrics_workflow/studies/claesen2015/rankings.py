"""Rankings of the study, drawn from two normals or laid out share by share, and their bands."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from pumetrics.bounds import rank_cdf_band
from pumetrics.bounds.hypergeometric import path_probability

__all__ = [
    "BANDS",
    "FLIPS",
    "UPPER_FLIPS",
    "SimulatedRanking",
    "band_coverage",
    "band_of",
    "exact_coverage",
    "laid_out",
    "two_normals",
]

BANDS = {
    "bootstrap": {"method": "bootstrap"},
    "dkw": {"method": "dkw"},
    "hypergeometric:pointwise": {"method": "hypergeometric", "simultaneous": False},
    "hypergeometric": {"method": "hypergeometric", "simultaneous": True},
}
"""Arguments of rank_cdf_band by band; the method of its bounds is called ``bounds_<band>``."""

# Figure 4 prints four areas, and neither the rankings nor the edge of the bounds. These blocks (share of the labeled
# positives, stretch of the unlabeled) give three of the areas by the rank CDF itself. Clipping lifts the area of model
# 1, by 0.0033 (a fourth of its labeled positives are below all unlabeled examples), and lowers that of model 2 by
# 0.0105 (two fifths of its labeled positives are above all). At an area of 0.725 the gain is at most 0.0042, so the
# area of model 1 is 0.13 points below the printed 75.5%.
FLIPS = {
    "model 1": [(0.7545, 0, 0.077), (0.2455, 1, 1)],
    "model 2": [(0.42, 0, 0), (0.58, 0, 0.925)],
    # Nowhere clipped up to alpha = 0.1: labeled positives are at most ten times as dense as the unlabeled.
    "model 3": [(0.3, 0, 0.031), (0.7, 0.031, 1)],
    "model 4": [(0.6, 0, 0.2), (0.4, 0.2, 1)],
}

# These give all four areas by the upper edge of the paper's bootstrap bounds.
UPPER_FLIPS = {
    "model 1": [(0.9504, 0, 0.5), (0.0496, 0.5, 1)],
    "model 2": [(0.55, 0, 0), (0.45, 0.191, 1)],
}


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
    order = np.argsort(-score, kind="stable")
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


def band_of(name, s, score, *, alpha):
    """95% band of a ranking by its name in :data:`BANDS`."""
    return rank_cdf_band(s, score, alpha=alpha, confidence=0.95, **BANDS[name])


def exact_coverage(name, n_labeled, n_unlabeled, alpha):
    """Probability that a band holds everywhere, and at each number of labeled positives above a rank."""
    # Any ranking shows a band's n_labeled + 1 values; this one shows them in its last ranks.
    s = np.r_[np.zeros(n_unlabeled, dtype=np.int8), np.ones(n_labeled, dtype=np.int8)]
    band = band_of(name, s, -np.arange(len(s)), alpha=alpha)
    return band_coverage(
        n_labeled, round(alpha * n_unlabeled), *(side[n_unlabeled - 1 :] for side in band)
    )


def band_coverage(n_labeled, n_latent, lower, upper):
    """Exact coverage of any band that is a function of the labeled positives seen, under random labeling.

    Parameters
    ----------
    n_labeled, n_latent : int
        Labeled and hidden positives, at least 1 each.
    lower, upper : array-like of shape (n_labeled + 1,)
        Rising bounds on the share of hidden positives at the top, if 0 ... n_labeled labeled ones are there.

    Returns
    -------
    everywhere : float
        Probability that the band holds at all ranks.
    pointwise : ndarray of shape (n_labeled + n_latent - 1,)
        Probability that it holds at a rank with 1, 2, ... positives above it; with none or all above, the band
        is always right or always wrong.

    Examples
    --------
    >>> everywhere, pointwise = band_coverage(1, 2, [0, 0.5], [0.5, 1])
    >>> round(everywhere, 9), pointwise.round(9).tolist()
    (0.333333333, [0.666666667, 0.666666667])
    """
    total = n_labeled + n_latent
    seen = np.arange(n_labeled + 1)
    positions = np.arange(total + 1)
    fewest = np.ceil(np.round(np.multiply(lower, n_latent), 9)) + seen
    most = np.floor(np.round(np.multiply(upper, n_latent), 9)) + seen
    # The labeled counts for which the band still holds, by the number of positives above the rank.
    low = np.searchsorted(most, positions, side="left")
    high = np.searchsorted(fewest, positions, side="right") - 1
    log_factorials = gammaln(positions + 1.0)
    pointwise = _interval_masses(n_labeled, low, high, log_factorials)[1:-1]
    everywhere = 0.0 if (low > high).any() else path_probability(n_labeled, low, high)
    return everywhere, pointwise


def _interval_masses(n_labeled, low, high, log_factorials):
    """P(low[j] <= X_j <= high[j]) for each j by itself."""
    total = len(low) - 1
    lf = log_factorials
    whole = lf[total] - lf[n_labeled] - lf[total - n_labeled]
    masses = np.zeros(total + 1)
    for j in range(total + 1):
        rest = total - j
        x = np.arange(max(low[j], n_labeled - rest, 0), min(high[j], j, n_labeled) + 1)
        head = lf[j] - lf[x] - lf[j - x]
        tail = lf[rest] - lf[n_labeled - x] - lf[rest - n_labeled + x]
        masses[j] = np.exp(head + tail - whole).sum()
    return masses
