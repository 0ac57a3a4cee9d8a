"""Probabilities of being positive, which differ from probabilities of being labeled.

The labeled are a random sample of the positives, up to label noise, and the unlabeled the population one acts upon.
With densities l and u of a score among them, an unlabeled example with this score is positive with probability

    P(y=1 | score) = alpha ((1 - alpha) l / u - (1 - beta)) / (beta - alpha),

which is alpha l / u without label noise. All of it can be counted, so predicted probabilities can be checked, and made
from any score, without known negatives.
"""

import numpy as np

from pumetrics._validation import (
    check_count,
    check_fraction,
    check_priors,
    check_random_state,
    check_range,
    check_sample,
    check_scores,
)
from pumetrics.counts import count_scores

__all__ = ["positive_probability", "pu_brier_score", "pu_calibration_error", "reliability_curve"]

_DRAWS = 2000
_LEAST = 1e-200  # share of unlabeled examples that counts as none: ratios stay finite, as alpha may be 0
STRATEGIES = ("quantile", "uniform")


def positive_probability(s, y_score, *, alpha, beta=1.0, at=None):
    """Estimate the probability that an unlabeled example is positive, given its score.

    It never falls as the score rises: the ratio of both densities is estimated by isotonic regression of the
    label on the score, which needs no bins.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Out-of-sample scores, higher means more positive; any numbers, not only probabilities.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    at : array-like of shape (n_points,), optional
        Scores to give probabilities for, such as those of new examples; `y_score` by default. Between scores of the
        sample probabilities are interpolated, beyond them those at the ends hold.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_points,)
        In [0, 1]; over the unlabeled examples their mean is about `alpha`.

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, or alpha >= beta.

    References
    ----------
    Elkan & Noto (2008), "Learning classifiers from only positive and unlabeled data", Eq. 5, for two separate samples;
    Zadrozny & Elkan (2002) for isotonic regression.

    Examples
    --------
    >>> s, y_score = [1, 1, 1, 0, 0, 0, 0, 0, 0], [9, 8, 2, 9, 8, 2, 1, 2, 1]
    >>> positive_probability(s, y_score, alpha=0.4).round(2)[:4].tolist()
    [0.8, 0.8, 0.4, 0.8]
    """
    from scipy.optimize import isotonic_regression

    counts = count_scores(s, y_score)
    alpha, beta = check_priors(alpha, beta)
    points = check_scores(y_score if at is None else at, "at")
    labeled, both = (np.diff(count)[::-1] for count in (counts.labeled, counts.predicted))
    share = np.interp(points, counts.thresholds[:0:-1], isotonic_regression(labeled / both, weights=both).x)
    ratio = share / np.maximum(1 - share, _LEAST) * (counts.n_unlabeled / counts.n_labeled)
    return np.clip(_positive(ratio, alpha, beta), 0, 1)


def reliability_curve(s, y_prob, *, alpha, beta=1.0, n_bins=10, strategy="quantile", confidence=0.95, random_state=0):
    """Compute a reliability curve: predicted probabilities and corrected shares of positives.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_prob : array-like of shape (n_samples,)
        Predicted probabilities of being positive, in [0, 1].
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    n_bins : int, default=10
        At least 1. Bins without unlabeled examples are left out, equal limits merged.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins with about equally many unlabeled examples, or of equal width.
    confidence : float, default=0.95
        Nominal coverage of the sampling bands, in (0, 1), for each bin separately.
    random_state : int, numpy.random.Generator, RandomState or None, default=0
        Seed of the draws for the bands.

    Returns
    -------
    pandas.DataFrame
        A row per bin: ``low``, ``high`` (limits of the bin), ``predicted`` (mean prediction for its unlabeled
        examples), ``positive`` (corrected share of positives among these, in [0, 1]), ``lower``, ``upper`` (its
        band), ``n_labeled`` and ``n_unlabeled``. Calibrated predictions have ``predicted`` within the band.

    Raises
    ------
    ValueError
        On invalid labels, predictions outside [0, 1], alpha >= beta, or invalid options.

    Notes
    -----
    Bands are quantiles of the ratio of both shares, each drawn from its Jeffreys distribution.

    References
    ----------
    Elkan & Noto (2008); Brown, Cai & DasGupta (2001), "Interval estimation for a binomial proportion".

    Examples
    --------
    >>> s, y_prob = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.9, 0.9, 0.9, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1]
    >>> curve = reliability_curve(s, y_prob, alpha=0.4, n_bins=2, strategy="uniform")
    >>> curve[["predicted", "positive"]].round(2).values.tolist()
    [[0.1, 0.15], [0.9, 0.9]]
    """
    import pandas as pd

    s, y_prob = _checked_probabilities(s, y_prob)
    alpha, beta = check_priors(alpha, beta)
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    rng = check_random_state(random_state)
    edges = _edges(y_prob[s == 0], check_count(n_bins, "n_bins"), strategy)
    place = np.clip(np.searchsorted(edges, y_prob, side="right") - 1, 0, len(edges) - 2)
    labeled, unlabeled = (np.bincount(place[s == kind], minlength=len(edges) - 1) for kind in (1, 0))
    kept = unlabeled > 0
    totals = np.bincount(place[s == 0], weights=y_prob[s == 0], minlength=len(edges) - 1)
    drawn = [
        rng.beta(count[kept] + 0.5, count.sum() - count[kept] + 0.5, size=(_DRAWS, kept.sum()))
        for count in (labeled, unlabeled)
    ]
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    share = _positive(labeled[kept] / labeled.sum() / (unlabeled[kept] / unlabeled.sum()), alpha, beta)
    lower, upper = np.quantile(_positive(drawn[0] / drawn[1], alpha, beta), tails, axis=0)
    clipped = {"positive": share, "lower": np.minimum(lower, share), "upper": np.maximum(upper, share)}
    return pd.DataFrame(
        {
            "low": edges[:-1][kept], "high": edges[1:][kept], "predicted": totals[kept] / unlabeled[kept],
            **{name: np.clip(values, 0, 1) for name, values in clipped.items()},
            "n_labeled": labeled[kept], "n_unlabeled": unlabeled[kept],
        }
    )  # fmt: skip


def pu_brier_score(s, y_prob, *, alpha, beta=1.0):
    """Compute the mean squared error of predicted probabilities against the true class; lower is better.

    Parameters
    ----------
    s, y_prob, alpha, beta
        See :func:`reliability_curve`.

    Returns
    -------
    float
        Not clipped: an unbiased estimate, which may leave [0, 1] in small samples.

    Raises
    ------
    ValueError
        On invalid labels, predictions outside [0, 1], or alpha >= beta.

    Notes
    -----
    Of predictions q it is E[q^2] - 2 alpha E[q | y=1] + alpha, where the first mean is counted among the unlabeled and
    the second recovered from the means of the labeled and of the unlabeled.

    References
    ----------
    Brier (1950), "Verification of forecasts expressed in terms of probability".

    Examples
    --------
    >>> round(pu_brier_score([1, 1, 0, 0, 0, 0], [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], alpha=0.25), 12)
    0.0
    """
    s, y_prob = _checked_probabilities(s, y_prob)
    alpha, beta = check_priors(alpha, beta)
    labeled, unlabeled = y_prob[s == 1].mean(), y_prob[s == 0].mean()
    positive = ((1 - alpha) * labeled - (1 - beta) * unlabeled) / (beta - alpha)
    return float(np.mean(y_prob[s == 0] ** 2) - 2 * alpha * positive + alpha)


def pu_calibration_error(s, y_prob, *, alpha, beta=1.0, n_bins=10, strategy="quantile"):
    """Compute the expected calibration error: mean distance of predicted and corrected shares of positives.

    Parameters
    ----------
    s, y_prob, alpha, beta, n_bins, strategy
        See :func:`reliability_curve`.

    Returns
    -------
    float
        In [0, 1]. Sampling error only adds to it: calibrated predictions have a value above 0 in small samples.

    Raises
    ------
    ValueError
        As :func:`reliability_curve`.

    References
    ----------
    Naeini, Cooper & Hauskrecht (2015), "Obtaining well calibrated probabilities using Bayesian binning".

    Examples
    --------
    >>> s, y_prob = [1, 1, 0, 0, 0, 0], [0.9, 0.9, 0.9, 0.1, 0.1, 0.1]
    >>> round(pu_calibration_error(s, y_prob, alpha=0.25, n_bins=2, strategy="uniform"), 12)
    0.1
    """
    curve = reliability_curve(s, y_prob, alpha=alpha, beta=beta, n_bins=n_bins, strategy=strategy)
    return float(np.average(np.abs(curve["predicted"] - curve["positive"]), weights=curve["n_unlabeled"]))


def _positive(ratio, alpha, beta):
    """Share of positives where labeled examples are so many times as dense as unlabeled ones; not clipped."""
    return alpha * ((1 - alpha) * ratio - (1 - beta)) / (beta - alpha)


def _edges(y_prob, n_bins, strategy):
    if strategy not in STRATEGIES:
        raise ValueError(f'strategy must be "quantile" or "uniform", got {strategy!r}')
    if strategy == "uniform":
        return np.linspace(0, 1, n_bins + 1)
    inner = np.quantile(y_prob, np.linspace(0, 1, n_bins + 1)[1:-1])
    return np.unique(np.concatenate([[0.0], inner, [1.0]]))


def _checked_probabilities(s, y_prob):
    s, y_prob = check_sample(s, y_prob, name="y_prob")
    return s, np.clip(check_range(y_prob, "y_prob", 0.0, 1.0), 0.0, 1.0)
