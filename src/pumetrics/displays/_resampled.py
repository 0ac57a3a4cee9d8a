"""Bootstrap bands of curves: labeled and unlabeled examples drawn again, every alpha of the range in turn."""

import numpy as np

from pumetrics._validation import check_alphas, check_count, check_fraction, check_random_state
from pumetrics.counts import Counts

__all__ = ["Draws", "alphas_of", "band_of", "draw"]

_MOST_THRESHOLDS = 1200
_ALPHAS = 3  # of a range: both ends and the middle


class Draws:
    """Counts of resamples at thresholds about evenly spaced along the curve.

    Parameters
    ----------
    counts : Counts
        Of the sample, at few thresholds.
    labeled, unlabeled : ndarray of shape (n_resamples, n_thresholds)
    """

    def __init__(self, counts, labeled, unlabeled):
        self.counts, self.labeled, self.unlabeled = counts, labeled, unlabeled

    def __iter__(self):
        for labeled, unlabeled in zip(self.labeled, self.unlabeled, strict=True):
            yield Counts(self.counts.thresholds, labeled, unlabeled)


def alphas_of(alpha, alpha_range):
    """Alphas at which a band has to hold: the one that is known, or the ends and the middle of a range."""
    if alpha_range is None:
        return [alpha]
    ends = check_alphas(alpha_range)
    return [alpha] if len(ends) == 1 else [float(each) for each in np.linspace(*ends, _ALPHAS)]


def draw(counts, n_bootstrap, random_state):
    """Draw labeled and unlabeled examples again, each from their own.

    Counts of a resample at fixed thresholds are multinomial, so no example needs to be touched.

    Parameters
    ----------
    counts : Counts
    n_bootstrap : int
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    Draws
    """
    n_bootstrap, rng = check_count(n_bootstrap, "n_bootstrap"), check_random_state(random_state)
    few = _fewer(counts)
    resampled = []
    for total in (few.labeled, few.unlabeled):
        steps = np.diff(total, prepend=0)
        resampled.append(np.cumsum(rng.multinomial(total[-1], steps / total[-1], size=n_bootstrap), axis=1))
    return Draws(few, *resampled)


def band_of(draws, curve, alphas, confidence):
    """Pointwise interval of a curve over resamples, outermost over the alphas.

    Parameters
    ----------
    draws : Draws
    curve : callable
        ``curve(counts, alpha)`` gives an array of one shape.
    alphas : list of float
    confidence : float

    Returns
    -------
    lower, upper : ndarray
    """
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    ends = [np.nanquantile([curve(counts, alpha) for counts in draws], tails, axis=0) for alpha in alphas]
    return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)


def _fewer(counts):
    """Keep counts at thresholds about evenly spaced along the curve, first and last among them."""
    m = len(counts.thresholds)
    if m <= _MOST_THRESHOLDS:
        return Counts(counts.thresholds, counts.labeled, counts.unlabeled)
    along = counts.tpr_pu + counts.fpr_pu
    kept = np.unique(np.append(np.searchsorted(along, np.linspace(0, 2, _MOST_THRESHOLDS)), [0, m - 1]))
    kept = kept[kept < m]
    return Counts(counts.thresholds[kept], counts.labeled[kept], counts.unlabeled[kept])
