"""Priors from counts of labeled and unlabeled examples."""

import numpy as np

from pumetrics.priors.estimate import estimate_shares
from pumetrics.priors.two_component import priors_of

__all__ = ["has_order", "pair_of", "priors_from_counts", "samples_of"]

# Estimators of priors see at most this many evenly spaced quantiles of either sample: what they cannot tell from ten
# thousand scores is a matter of their assumptions, not of more scores.
_MOST_SCORES = 10_000


def priors_from_counts(counts, *, beta=1.0, method="consensus", noisy=False, rng=None):
    """Priors (alpha, beta) from one model's scores; NaN where there is no estimate.

    Parameters
    ----------
    counts : Counts
    beta : float
        Share of positives among the labeled: known unless `noisy`, and alpha is then beta times the share of the
        labeled distribution found among the unlabeled.
    method : str
        One of :func:`~pumetrics.priors.available_priors`.
    noisy : bool
        Whether beta is estimated as well.
    rng : int, numpy.random.Generator or None
        For estimators that draw.

    Returns
    -------
    alpha, beta : float

    Raises
    ------
    ValueError
        If `method` is unknown.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> rng = np.random.default_rng(0)
    >>> s, y_score = np.repeat([1, 0], [200, 1000]), rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> alpha, beta = priors_from_counts(count_scores(s, y_score))
    >>> 0.2 < alpha < 0.4, beta
    (True, 1.0)
    """
    if not has_order(counts):
        return np.nan, np.nan
    return pair_of(estimate_shares(*samples_of(counts), method=method, noisy=noisy, random_state=rng), beta)


def has_order(counts):
    """Whether some examples score higher than others."""
    return np.count_nonzero(np.diff(counts.predicted)) > 1


def pair_of(shares, beta):
    """Alpha and beta from shares found in both directions, or from one if beta is known."""
    values = [share.value for share in shares]
    return priors_of(values) if len(values) == 2 else (values[0] * beta, beta)


def samples_of(counts):
    """Labeled and unlabeled scores behind counts, descending; of many only evenly spaced ones.

    Parameters
    ----------
    counts : Counts

    Returns
    -------
    labeled, unlabeled : ndarray
    """
    return tuple(_spread(counts.thresholds, count) for count in (counts.labeled, counts.unlabeled))


def _spread(thresholds, count):
    size = int(count[-1])
    places = np.arange(size)
    if size > _MOST_SCORES:
        places = ((np.arange(_MOST_SCORES) + 0.5) * size / _MOST_SCORES).astype(np.int64)
    return thresholds[np.searchsorted(count, places, side="right")]
