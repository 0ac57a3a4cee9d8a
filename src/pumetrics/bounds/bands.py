"""Confidence bands on the rank CDF of the positives hidden among the unlabeled."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction
from pumetrics.counts import count_ranks

__all__ = ["Band", "band_of", "check_band", "latent_positives", "rank_cdf_band"]


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
    return band_of(count_ranks(s, y_score), method, confidence, alpha, simultaneous)


def band_of(ranking, method, confidence, alpha=None, simultaneous=None):
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


def check_band(band, n):
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
