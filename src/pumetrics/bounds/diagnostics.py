"""Whether bounds fit the data: sensitivity to alpha, tables that were clipped, and the largest feasible alpha."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction
from pumetrics.bounds.bands import band_of, latent_positives
from pumetrics.bounds.tables import at_top, resolved, surrogates
from pumetrics.counts import count_ranks

__all__ = [
    "ClippedShare",
    "TableDerivatives",
    "TableSensitivity",
    "clipped_share",
    "max_feasible_alpha",
    "sensitivity_to_alpha",
]


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
    band = resolved(ranking, band, confidence, alpha)
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
    band = resolved(ranking, band, confidence, alpha)
    n_latent = latent_positives(alpha, int(ranking.unlabeled[-1]))
    clipped = (surrogates(ranking, n_latent, theta) != theta for theta in at_top(band, n_latent))
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
        return _feasible(ranking, resolved(ranking, band, confidence, None))
    alpha = 1.0
    for _ in range(3):
        # The more are hidden, the narrower the band and the less is feasible. So every second step stays above.
        for _ in range(2):
            alpha = _feasible(ranking, band_of(ranking, "hypergeometric", confidence, alpha=alpha))
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
