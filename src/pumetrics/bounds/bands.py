"""Confidence bands on the rank CDF of the positives hidden among the unlabeled, and whether they fit the data."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pumetrics.counts import count_ranks
from pumetrics.validation import check_fraction

__all__ = [
    "Band",
    "ClippedShare",
    "at_top",
    "band_of",
    "clipped_share",
    "latent_positives",
    "max_feasible_alpha",
    "rank_cdf_band",
    "surrogates",
]


_METHODS = ("auto", "hypergeometric", "dkw", "bootstrap")
_SOLVED = ("auto", "hypergeometric")  # bands that alpha itself determines
_JOINT_BY_NATURE = {"hypergeometric": True, "dkw": True, "bootstrap": False}


class Band(NamedTuple):
    """Bounds on a rank CDF, one value per rank 1 ... n, highest score first, each in [0, 1]."""

    lower: np.ndarray
    """Lower bound T_lb(r), shape (n,)."""
    upper: np.ndarray
    """Upper bound T_ub(r), shape (n,)."""


class ClippedShare(NamedTuple):
    """Share of ranks at which the lower and the upper table could not hold what the band asks for.

    Only ranks at which a cut is possible count: of equal scores the last.
    """

    lower: float
    upper: float


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


def band_of(ranking, band, confidence, alpha=None, simultaneous=None):
    """A band that is given, checked, or the one of a method, by default the hypergeometric; see :func:`rank_cdf_band`.

    `ranking` is a :class:`~pumetrics.counts.RankCounts`.
    """
    if not (band is None or isinstance(band, str)):
        return _check_band(band, ranking.size)
    method = band or "hypergeometric"
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
        raise ValueError(
            f"the band {method!r} holds {kind} only, got simultaneous={joint}: use 'hypergeometric'"
        )
    n_labeled = ranking.n_labeled
    if method == "hypergeometric":
        n_latent = latent_positives(alpha, ranking.n_unlabeled)
        lower = np.zeros(n_labeled + 1)
        upper = np.ones(n_labeled + 1)
        if n_latent:  # with no positive hidden, any share will do
            from pumetrics.bounds.hypergeometric import positives_at_top

            ends = positives_at_top(n_labeled, n_labeled + n_latent, confidence, joint)
            lower, upper = ((each - np.arange(n_labeled + 1)) / n_latent for each in ends)
    elif method == "dkw":
        share = np.arange(n_labeled + 1) / n_labeled
        half_width = np.sqrt(np.log(2 / (1 - confidence)) / (2 * n_labeled))
        lower = np.clip(share - half_width, 0, 1)
        upper = np.clip(share + half_width, 0, 1)
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
            raise ValueError(
                f"band.{name} must hold one value per rank, shape ({n},), got shape {side.shape}"
            )
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


@lru_cache(maxsize=2)  # the models of a pool have as many labeled examples
def _bootstrap(n_labeled, confidence):
    from scipy.stats import binom

    tail = (1 - confidence) / 2
    share = np.arange(n_labeled + 1) / n_labeled
    return tuple(binom.ppf(q, n_labeled, share) / n_labeled for q in (tail, 1 - tail))


def surrogates(ranking, n_latent, theta):
    """Hidden positives that the top r can and must hold: Eq. 11, where both corner cases are one clip."""
    head = ranking.unlabeled
    tail = head[-1] - head
    return np.maximum(np.minimum(head, theta), n_latent - tail)


def at_top(band, n_latent):
    """Fewest and most hidden positives at the top by a band; 0.07 times 100 is 7 in spite of floating point."""
    fewest, most = (np.round(side * n_latent, 9) for side in band)
    return np.floor(fewest).astype(np.int64), np.ceil(most).astype(np.int64)


def clipped_share(s, y_score, *, alpha, band=None, confidence=0.95):
    """Compute the share of ranks with too few unlabeled examples for the hidden positives that the band requires.

    A small share at the very top and bottom is normal for an upper bound. A clipped lower bound shows that alpha is too
    high for this ranking, or that the labeled positives are not a random sample. The ranking of two models by their
    recovered AUROC, without a repair of the curve, can change with alpha only where it is clipped.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled positive, 0 unlabeled, -1 labeled negative.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    alpha : float
        Share of positives among the unlabeled, in [0, 1].
    band : Band or str, optional
        Bounds on the rank CDF of the hidden positives, or a method's name; by default hypergeometric.
    confidence : float, default=0.95
        Coverage of a band computed here, in (0, 1).

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
    band = band_of(ranking, band, confidence, alpha)
    n_latent = latent_positives(alpha, ranking.n_unlabeled)
    shares = []
    for theta in at_top(band, n_latent):
        clipped = surrogates(ranking, n_latent, theta) != theta
        shares.append(float(np.mean(clipped[ranking.ends])))
    return ClippedShare(*shares)


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
    depends_on_alpha = band is None or (isinstance(band, str) and band in _SOLVED)
    if not depends_on_alpha:
        return _feasible(ranking, band_of(ranking, band, confidence))
    n_unlabeled = ranking.n_unlabeled
    fits = 0
    refused = n_unlabeled + 1
    while refused - fits > 1:  # the more are hidden, the narrower the band and the less it allows
        hidden = (fits + refused) // 2
        most = _feasible(ranking, band_of(ranking, None, confidence, hidden / n_unlabeled))
        if hidden <= most * n_unlabeled + 1e-9:
            fits = hidden
        else:
            refused = hidden
    return fits / n_unlabeled


def _feasible(ranking, band):
    head = ranking.unlabeled[ranking.ends]
    n_unlabeled = ranking.n_unlabeled
    there = np.concatenate([head, n_unlabeled - head])
    wanted = np.concatenate([band.lower[ranking.ends], 1 - band.upper[ranking.ends]]) * n_unlabeled
    some = wanted > 0
    return float(np.min(there[some] / wanted[some], initial=1.0))
