"""How sure a corrected score is: a bootstrap of labeled and unlabeled examples that estimates the priors each time."""

from operator import index
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction, check_priors
from pumetrics.bounds._curves import alphas_of
from pumetrics.counts import place_scores
from pumetrics.inference.resampling import METRICS, estimated_priors, scores_of
from pumetrics.metrics import MEASURES

__all__ = [
    "Difference",
    "Interval",
    "check_metrics",
    "check_threshold",
    "corrected_differences",
    "corrected_interval",
    "corrected_intervals",
    "known_priors",
]


class Interval(NamedTuple):
    """A corrected score and how sure it is."""

    estimate: float
    """The corrected score, clipped to its range."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""
    confidence: float
    """What the interval is meant to hold."""
    alpha: float
    """Share of positives among the unlabeled that `estimate` rests on."""
    beta: float
    """Share of positives among the labeled that `estimate` rests on."""
    alpha_interval: tuple[float, float]
    """Range of alpha in the resamples, or the range given."""
    beta_interval: tuple[float, float]
    """Range of beta in the resamples."""
    n_resamples: int
    """Resamples used: those in which the priors could be estimated."""


class Difference(NamedTuple):
    """Two models' corrected scores on the same examples, and how sure their order is."""

    first: Interval
    """The first model."""
    second: Interval
    """The second model."""
    difference: Interval
    """First minus second."""
    probability: float
    """Share of the resamples in which the first model scores higher; a tie counts half."""


def corrected_interval(
    metric,
    s,
    y_score,
    *,
    alpha=None,
    beta=1.0,
    method="consensus",
    noisy=False,
    confidence=0.95,
    n_bootstrap=200,
    threshold=None,
    random_state=None,
):
    """Confidence interval of a score against the true class, from labeled and unlabeled examples.

    Labeled and unlabeled examples are drawn again, each from their own, and everything is done anew with each
    resample: priors, correction, choice of the best threshold. So the interval holds what chance does to all of
    them. It holds neither the bias of the estimator of the priors nor a violation of its assumptions: compare
    methods, or give a range of alpha.

    Parameters
    ----------
    metric : {"roc_auc", "average_precision", "accuracy", "balanced_accuracy", "f1", "mcc"}
        The two areas with the options their functions in :mod:`pumetrics.metrics` have by default.
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher is more positive. Where alpha is estimated they must be out of sample.
    alpha : float or (float, float), optional
        Share of positives among the unlabeled. A range gives an interval that holds at its ends and its middle, and an
        estimate at the middle. By default alpha is estimated from the scores, anew in every resample.
    beta : float
        Share of positives among the labeled, in (0, 1].
    method : str
        Estimator of the priors, see :func:`pumetrics.priors.available_priors`; without effect if alpha is given.
    noisy : bool
        Whether beta is to be estimated as well.
    confidence : float
        In (0, 1).
    n_bootstrap : int
        Number of resamples, at least 1; 200 is usual.
    threshold : float, optional
        Whoever scores at least as much is predicted positive. By default the last four metrics are taken at their
        maximum, in every resample at its own. The areas know no threshold.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    Interval

    Raises
    ------
    ValueError
        On bad labels, scores or options, alpha >= beta, priors that are both given and to be estimated, or priors that
        cannot be estimated.

    Notes
    -----
    Ends are percentiles of the resampled scores. A maximum over thresholds is optimistic, in a resample once more, so
    its percentiles are reflected about the estimate, which takes that back. The interval always holds the estimate.
    Estimators of the priors see at most ten thousand evenly spaced quantiles of either sample.

    Measured on Gaussian scores with alpha known, in 300 samples each: 95% intervals at a threshold held the truth in 92
    to 94%, areas and maxima in 89 to 92% with 100 labeled and 1,000 unlabeled, and in 91 to 94% with 500 and 2,000.

    References
    ----------
    Davison & Hinkley (1997), "Bootstrap Methods and their Application", Section 5.2, percentile and basic intervals;
    Jain, White & Radivojac (2017); Ramola, Jain & Radivojac (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> found = corrected_interval("roc_auc", s, y_score, alpha=0.3, random_state=0)
    >>> round(found.estimate, 2), round(found.lower, 2), round(found.upper, 2)
    (0.94, 0.91, 0.97)
    """
    options = {
        "alpha": alpha,
        "beta": beta,
        "method": method,
        "noisy": noisy,
        "confidence": confidence,
        "n_bootstrap": n_bootstrap,
        "threshold": threshold,
        "random_state": random_state,
    }
    return corrected_intervals([metric], s, y_score, **options)[metric]


def corrected_intervals(metrics, s, y_score, *, confidence=0.95, **options):
    """Confidence intervals of several scores at once, which share the resamples and the priors found in them.

    Parameters
    ----------
    metrics : list of str
        See :func:`corrected_interval`.
    s, y_score, confidence, **options
        See :func:`corrected_interval`.

    Returns
    -------
    dict of str to Interval
        Each equal to what :func:`corrected_interval` gives with the same `random_state`.

    Raises
    ------
    ValueError
        As :func:`corrected_interval`.
    """
    metrics = check_metrics(metrics)
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    resamples = _resample(metrics, s, [y_score], **options)
    return {
        name: _interval(resamples, name, resamples.by_metric[i][:, 0], confidence) for i, name in enumerate(metrics)
    }


def corrected_differences(metrics, s, first_score, second_score, *, confidence=0.95, **options):
    """Which of two models is better against the true class, and how sure that is, from the same resampled examples.

    Parameters
    ----------
    metrics : list of str
        See :func:`corrected_interval`.
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    first_score, second_score : array-like of shape (n_samples,)
        Scores of both models for the same examples.
    confidence, **options
        See :func:`corrected_interval`. There is one population, so both models are corrected with the same priors:
        where they are estimated, with the mean of what both models' scores say.

    Returns
    -------
    dict of str to Difference

    Raises
    ------
    ValueError
        As :func:`corrected_interval`.
    """
    metrics = check_metrics(metrics)
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    resamples = _resample(metrics, s, [first_score, second_score], **options)
    found = {}
    for name, values in zip(metrics, resamples.by_metric, strict=True):
        gap = values[:, 0] - values[:, 1]
        middle = gap[1:, gap.shape[1] // 2]
        found[name] = Difference(
            _interval(resamples, name, values[:, 0], confidence),
            _interval(resamples, name, values[:, 1], confidence),
            _interval(resamples, name, gap, confidence, of_difference=True),
            float(np.mean(middle > 0) + np.mean(middle == 0) / 2),
        )
    return found


class _Resamples(NamedTuple):
    """What every resample says; the first row of each array is the sample itself."""

    by_metric: np.ndarray
    """Scores, shape (n_metrics, 1 + n_resamples, n_models, n_alphas), clipped to their range."""
    priors: np.ndarray
    """Pairs (alpha, beta), shape (1 + n_resamples, n_alphas, 2)."""
    threshold: float | None
    """Where predictions were made; None if every resample chose its best threshold."""


def _resample(
    metrics,
    s,
    scores,
    *,
    alpha=None,
    beta=1.0,
    method="consensus",
    noisy=False,
    n_bootstrap=200,
    threshold=None,
    random_state=None,
):
    rankings = [place_scores(s, y_score) for y_score in scores]
    known = known_priors(alpha, beta, noisy)
    threshold = check_threshold(threshold)
    rows, own = np.random.default_rng(random_state).spawn(2)
    sizes = len(rankings[0].labeled), len(rankings[0].unlabeled)
    found, priors = [], []
    for number in range(1 + _check_count(n_bootstrap)):
        drawn = [rows.integers(size, size=size) for size in sizes] if number else ()
        counts = [ranking.counts(*drawn) for ranking in rankings]
        pairs = known or [estimated_priors(counts, beta=beta, method=method, noisy=noisy, rng=own)]
        if not all(0 <= low < high <= 1 for low, high in pairs):  # also catches NaN
            _check_estimable(number)
            continue
        found.append(
            [
                [scores_of(metrics, count, alpha=low, beta=high, threshold=threshold) for low, high in pairs]
                for count in counts
            ]
        )
        priors.append(pairs)
    _check_enough(len(found) - 1, n_bootstrap)
    low, high = np.transpose([MEASURES.get(name, (0.0, 1.0)) for name in metrics])
    return _Resamples(np.moveaxis(np.clip(found, low, high), -1, 0), np.array(priors), threshold)


def _interval(resamples, metric, values, confidence, *, of_difference=False):
    """Interval of scores of shape (1 + n_resamples, n_alphas) that holds for every alpha."""
    chosen = metric in MEASURES and resamples.threshold is None
    low, high = (-np.inf, np.inf) if of_difference else MEASURES.get(metric, (0.0, 1.0))
    ends = [_ends(column[1:], column[0], confidence, reflected=chosen) for column in values.T]
    lower, upper = max(min(end[0] for end in ends), low), min(max(end[1] for end in ends), high)
    middle = values.shape[1] // 2
    priors, tails = resamples.priors, [(1 - confidence) / 2, (1 + confidence) / 2]
    given = priors.shape[1] > 1
    ranges = [
        (float(part.min()), float(part.max())) if given else tuple(map(float, np.quantile(part[1:], tails)))
        for part in (priors[..., 0], priors[..., 1])
    ]
    pair = map(float, priors[0, middle])
    return Interval(float(values[0, middle]), float(lower), float(upper), confidence, *pair, *ranges, len(values) - 1)


def _ends(values, estimate, confidence, *, reflected):
    """Percentiles of `values`, or their mirror images on the other side of `estimate`; never beyond `estimate`."""
    lower, upper = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    if reflected:
        lower, upper = 2 * estimate - upper, 2 * estimate - lower
    return min(lower, estimate), max(upper, estimate)


def known_priors(alpha, beta, noisy):
    """Pairs (alpha, beta) to correct with, or None where they are to be estimated."""
    if noisy and (alpha is not None or beta != 1):
        raise ValueError(
            f"noisy=True estimates alpha and beta, but alpha={alpha} and beta={beta} are given: leave them out, or "
            "set noisy=False"
        )
    if alpha is None:
        if not check_fraction(beta, "beta"):
            raise ValueError(
                "beta must be larger than 0: nothing can be recovered from labeled examples without positives"
            )
        return None
    ends = alphas_of(alpha)
    values = ends if len(ends) == 1 else [ends[0], (ends[0] + ends[1]) / 2, ends[1]]
    return [check_priors(value, beta) for value in values]


def check_metrics(metrics):
    """Return `metrics` as a list, or raise ValueError unless all of them have intervals."""
    if isinstance(metrics, str) or not metrics:
        raise ValueError(f"metrics must be a list of names out of {', '.join(METRICS)}, got {metrics!r}")
    for name in metrics:
        if name not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {name!r}")
    return list(metrics)


def _check_count(n_bootstrap):
    try:
        count = index(n_bootstrap)
    except TypeError:
        raise ValueError(f"n_bootstrap must be a whole number, got {n_bootstrap!r}") from None
    if count < 1:
        raise ValueError(f"n_bootstrap must be at least 1, got {count}")
    return count


def check_threshold(threshold):
    """Return `threshold` as a float or None, or raise ValueError."""
    if threshold is None:
        return None
    try:
        number = float(threshold)
    except (TypeError, ValueError):
        raise ValueError(f"threshold must be a number, got {threshold!r}") from None
    if np.isnan(number):
        raise ValueError("threshold must be a number, got nan")
    return number


def _check_estimable(number):
    if number == 0:
        raise ValueError(
            "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha, or use "
            "scores of a model that tells them apart"
        )


def _check_enough(n_used, n_bootstrap):
    if 2 * n_used < n_bootstrap:
        raise ValueError(
            f"the priors could be estimated in {n_used} of {n_bootstrap} resamples only: give alpha, or another method"
        )
