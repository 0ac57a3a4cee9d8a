"""Intervals of corrected scores: the range of alpha combined with the sampling error of resamples."""

from functools import partial
from typing import NamedTuple

import numpy as np

from pumetrics.inference.designs import design_of
from pumetrics.inference.drawn import DrawnRates, spread_levels
from pumetrics.inference.request import (
    PriorEstimates,
    ask_of,
    check_accounted,
    labels_of,
    plan_priors,
)
from pumetrics.inference.sample import Sample, scores_of
from pumetrics.metrics import find_metric
from pumetrics.priors.calibration import alpha_of_scale, scale_of_alpha
from pumetrics.priors.estimate import priors_from_counts
from pumetrics.priors.interval import identifies
from pumetrics.validation import check_random_state, check_threshold

__all__ = [
    "Difference",
    "Interval",
    "corrected_intervals",
    "differences_of",
    "intervals_of",
    "separating_best",
]


class Interval(NamedTuple):
    """A corrected score and its interval."""

    estimate: float
    """The corrected score, clipped to its range."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""
    confidence: float
    """Nominal coverage."""
    alpha: float
    """Share of positives among the unlabeled that `estimate` is based on."""
    beta: float
    """Share of positives among the labeled that `estimate` is based on."""
    alpha_interval: tuple[float, float]
    """Range of alpha: as given, calibrated, guaranteed, or of the resamples."""
    beta_interval: tuple[float, float]
    """Range of beta: calibrated, guaranteed, or of the resamples."""
    n_resamples: int
    """Resamples used: those in which the priors could be estimated."""
    uncertainty: str = "sampling"
    """What the interval accounts for: "known" (sampling error, alpha given), "range" (the same over a given range of
    alpha), "calibrated" or "guaranteed" (the same over the uncertainty of alpha), "calibrated_noise" or
    "guaranteed_noise" (over that of alpha and beta), "sampling", or "checked" (checked rows: what is not known of the
    others among these rows)."""

    @property
    def identified(self):
        """Whether the interval of a metric with a largest value identifies it, see :func:`informative`."""
        return identifies(self.lower, self.upper)


class Difference(NamedTuple):
    """Corrected scores of two models on the same examples, and their difference."""

    first: Interval
    """The first model."""
    second: Interval
    """The second model."""
    difference: Interval
    """First minus second."""
    probability: float
    """Share of the resamples in which the first model scores higher; a tie counts half."""


def corrected_intervals(
    metrics,
    s,
    y_score,
    *,
    alpha=None,
    beta=1.0,
    method="consensus",
    noisy=False,
    uncertainty=None,
    calibration=None,
    confidence=0.95,
    n_bootstrap=200,
    threshold=None,
    population="all",
    random_state=None,
    sample_weight=None,
    cluster=None,
):
    """Compute confidence intervals of scores against the true class, from labeled and unlabeled examples.

    Labeled and unlabeled examples are resampled separately, and the correction and the choice of the best threshold are
    repeated for each resample; this gives the sampling error. If alpha is not given, each resample is corrected with a
    different alpha from the range that the scores allow (:func:`pumetrics.priors.alpha_interval`). The intervals assume
    labels at random.

    Parameters
    ----------
    metrics : list of str
        Entries of ``METRICS``: "roc_auc", "average_precision" (both with the options their functions in
        :mod:`pumetrics.metrics` have by default), a measure such as "f1" or "precision", the maximum of one such as
        "max_f1", or a measure of the top of the ranking such as "precision_at_100", "recall_at_1%" or "lift_at_5%".
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive. If alpha is estimated, they must be out of sample.
    alpha : float or (float, float), optional
        Share of positives among the unlabeled. A range gives an interval that holds at every alpha in the range, and an
        estimate at its middle. By default alpha is estimated from the scores.
    beta : float
        Share of positives among the labeled, in (0, 1]; below 1 only with a given alpha.
    method : str
        Estimator of the priors, see :func:`pumetrics.priors.available_priors`; without effect if alpha is given.
    noisy : bool
        Whether beta is to be estimated as well.
    uncertainty : {"calibrated", "guaranteed"}, optional
        What the intervals account for if priors are not given:

        * ``"calibrated"``, the default: alphas, and betas if `noisy`, from their calibrated distribution. With label
          noise the calibration is empirical, not a theorem.
        * ``"guaranteed"``: all alphas up to the guaranteed upper bound; half of the level each for bound and sampling.
          If `noisy`, all pairs that :func:`pumetrics.priors.upper_bound.largest_shares` allows.
    calibration : dict, optional
        Table of :func:`pumetrics.priors.calibration.fit_table`, for data sets of one kind; by default the package's. If
        `noisy`, one that was fitted with `noisy`.
    confidence : float
        In (0, 1).
    n_bootstrap : int
        Number of resamples, at least 1; 200 is common.
    threshold : float, optional
        Scores at or above it are predicted positive. By default measures are reported at their maximum, in every
        resample at its own threshold, like ``max_<measure>``; precision and recall need a threshold. Other metrics do
        not depend on it.
    population : {"all", "unlabeled"}, default="all"
        Population of metrics that depend on the class mix: all examples, or only the unlabeled ones.
    random_state : int, numpy.random.Generator or None
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0. A row is drawn with its weight.
    cluster : array-like of shape (n_samples,), optional
        Groups of dependent rows, such as the user of each transaction. Clusters are resampled instead of rows, so
        labeled and unlabeled rows of a cluster stay together, and the numbers of both vary.

    Returns
    -------
    dict of str to Interval

    Raises
    ------
    ValueError
        On invalid labels, scores or options, alpha >= beta, priors that are both given and to be estimated, priors that
        cannot be estimated, or constant scores.

    Notes
    -----
    Ends are percentiles of the resampled scores. A maximum over thresholds is optimistic, and in a resample even more
    so; its percentiles are therefore reflected about the estimate. The interval always contains the estimate.
    Estimators of the priors use at most ten thousand evenly spaced quantiles of either sample, and resamples use at
    most some thousand groups of neighboring scores. With weights or clusters, estimation and calibration of alpha use
    the effective sample size. The estimate is at the center of the calibrated range of alpha; an estimate by another
    `method` is moved to the end of the range if it lies outside.

    At a threshold, and of tops, both rates are drawn from exact binomial distributions; with weights or clusters, of as
    many trials as give the rate its variance there. A maximum reaches down to that of its own threshold, and an area as
    far as one more labeled example at either end of the ranking would move it. Coverage of all of them is in
    docs/mathematics.md, for rows without weights and clusters.

    References
    ----------
    Davison & Hinkley (1997), "Bootstrap Methods and their Application", Section 5.2, percentile and basic intervals;
    Jain, White & Radivojac (2017); Ramola, Jain & Radivojac (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> interval = corrected_intervals(["roc_auc"], s, y_score, alpha=0.3, random_state=0)["roc_auc"]
    >>> round(interval.estimate, 2), round(interval.lower, 2), round(interval.upper, 2)
    (0.94, 0.91, 0.97)
    """
    sample = Sample(
        s, [y_score], design_of(s, sample_weight=sample_weight, cluster=cluster, y_score=y_score)
    )
    labels = labels_of(
        sample,
        alpha=alpha,
        beta=beta,
        method=method,
        noisy=noisy,
        uncertainty=uncertainty,
        calibration=calibration,
    )
    check_accounted(labels)
    ask = ask_of(
        metrics,
        threshold=check_threshold(threshold, y_score),
        population=population,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
    )
    return intervals_of(sample, labels, ask)


def intervals_of(sample, labels, ask, estimates=None):
    """Intervals of the scores of a sample of one model, by metric.

    Parameters
    ----------
    sample : Sample
    labels : Labels
    ask : Ask
    estimates : list of PriorEstimates, optional
        What the scores of each model say of the priors, if it is there already.

    Returns
    -------
    dict of str to Interval
    """
    return {name: found[0] for name, found, _ in _resampled(sample, labels, ask, estimates)}


def differences_of(sample, labels, ask, estimates=None):
    """Differences of the scores of a sample of two models, by metric; see :func:`intervals_of`."""
    return {
        name: Difference(*found, float(np.mean(gaps > 0) + np.mean(gaps == 0) / 2))
        for name, found, gaps in _resampled(sample, labels, ask, estimates)
    }


_CURVE = 15  # alphas at which the sample itself is corrected, to be interpolated


def _resampled(sample, labels, ask, estimates):
    """Yield a metric, the intervals of each model and of the first minus the second, and resamples of the latter."""
    best, (rows, rng, rates) = (
        separating_best(sample),
        check_random_state(ask.random_state).spawn(3),
    )
    estimated = (
        PriorEstimates(sample.counts[best], labels, rng) if estimates is None else estimates[best]
    )
    plan = plan_priors(estimated, labels, confidence=ask.confidence)
    values, centers, pairs = _scores(sample, labels, ask, plan, rows, rng)
    tails = [(1 - ask.confidence) / 2, (1 + ask.confidence) / 2]
    spans = [
        tuple(map(float, np.quantile(pairs[1:, 0, i], tails) if span is None else span))
        for i, span in enumerate(plan.spans)
    ]
    settings = (
        ask.confidence,
        *map(float, plan.estimate),
        *spans,
        len(pairs) - 1,
        labels.accounts_for,
    )
    levels = spread_levels(len(pairs) - 1, rates)
    drawn = [DrawnRates(model, pairs, ask, plan.confidence, levels) for model in sample.full]
    for place, name in enumerate(ask.metrics):
        entry, found = find_metric(name), []
        is_best = entry.kind == "maximum" or (entry.kind == "threshold" and ask.threshold is None)
        sides = [(values[:, model, :, place], entry.range) for model in range(len(sample.full))]
        around = [None] * len(sides) if centers is None else [*centers[:, :, place].T]
        if len(sides) == 2:
            sides.append((sides[0][0] - sides[1][0], (-np.inf, np.inf)))
            around.append(None if centers is None else around[0] - around[1])
        for side, ((by_alpha, (low, high)), center) in enumerate(zip(sides, around, strict=True)):
            here, resamples = by_alpha[0], by_alpha[1:]
            reflected = is_best and side < len(
                sample.full
            )  # in a difference the optimism of two maxima cancels
            if center is None:
                columns = zip(resamples.T, here, strict=True)
                ends = [_ends(*column, plan.confidence, reflected=reflected) for column in columns]
            else:
                shifted = 2 * center - resamples[:, 0] if reflected else resamples[:, 0]
                ends = [_ends(shifted, here[0], plan.confidence, reflected=False)]
            if side < len(sample.full):
                ends = drawn[side].widened(entry, ends, here[0])
            lower, upper = (
                max(min(end[0] for end in ends), low),
                min(max(end[1] for end in ends), high),
            )
            found.append(Interval(float(here[0]), float(lower), float(upper), *settings))
        yield name, found, sides[-1][0][1:, 0]


def _scores(sample, labels, ask, plan, rows, rng):
    """Scores of a sample and of its resamples, the same at the sample's alphas, and the pairs of priors.

    Axes of the scores are the sample and its resamples, models, pairs of priors (the estimate first), and metrics; of
    the second they are resamples, models and metrics, or it is None where alpha is the same in all resamples or
    re-estimated.
    """
    tops = [(entry.top, ask.population) for entry in map(find_metric, ask.metrics) if entry.top]
    merged = sample.merged(threshold=ask.threshold, tops=tops)
    given, drawn, best = [plan.estimate, *plan.others], None, separating_best(sample)
    if plan.calibrated is not None and not plan.others:
        drawn = plan.calibrated.draw(ask.n_bootstrap, rng)
    scored = partial(_scored, ask, sample.tops_of)
    if labels.uncertainty == "range":
        given = _with_extremes(ask, scored, merged.full, given)
    values, used, kept = [scored(sample.full, given)], [given], []
    shift = values[0] - scored(merged.full, given)
    for number in range(ask.n_bootstrap):
        counts, pairs = merged.draw(rows), given
        if drawn is not None:
            pairs = [tuple(map(float, drawn[number]))]
        elif plan.again:
            options = {
                "beta": labels.beta,
                "method": labels.method,
                "noisy": labels.noisy,
                "rng": rng,
            }
            pairs = [priors_from_counts(counts[best].effective, **options)]
            if not 0 <= pairs[0][0] < pairs[0][1] <= 1:  # also drops NaN
                continue
        values.append(scored(counts, pairs) + shift)
        used.append(pairs)
        kept.append(number)
    if 2 * len(kept) < ask.n_bootstrap:
        raise ValueError(
            f"the priors could be estimated in {len(kept)} of {ask.n_bootstrap} resamples only: give alpha, or another "
            "method"
        )
    values, centers = _clipped(ask.metrics, np.array(values)), None
    if drawn is not None:
        centers = _clipped(
            ask.metrics, _centers(scored, merged.full, drawn[kept]) + shift[None, :, 0]
        )
    return values, centers, np.array(used)


def _ends(values, estimate, confidence, *, reflected):
    """Percentiles of `values`, or their mirror images on the other side of `estimate`; never beyond `estimate`."""
    lower, upper = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    if reflected:
        lower, upper = 2 * estimate - upper, 2 * estimate - lower
    return min(lower, estimate), max(upper, estimate)


def separating_best(sample):
    """Number of the model that separates labeled from unlabeled examples best: the priors are estimated from it."""
    return int(np.argmax([np.trapezoid(each.tpr_pu, each.fpr_pu) for each in sample.counts]))


def _scored(ask, tops_of, models, pairs):
    """Scores of shape (n_models, n_pairs, n_metrics), not clipped."""
    score = partial(scores_of, ask.metrics, sizes=tops_of, **ask.where)
    return np.array(
        [[score(each.counts, alpha=low, beta=high) for low, high in pairs] for each in models]
    )


_FINE, _EVERY = (
    41,
    5,
)  # alphas of a range among which the extreme scores are looked for; which of them are always taken


def _with_extremes(ask, scored, models, pairs):
    """Middle and ends of a range of alpha, and where a score, or the difference of two models, is least or largest.

    The best accuracy is largest at both ends and least between them, as a maximum of functions linear in alpha.
    """
    (middle, beta), (low, _), (high, _) = pairs
    alphas = np.linspace(low, high, _FINE)
    values = _clipped(ask.metrics, scored(models, [(float(alpha), beta) for alpha in alphas]))
    values = np.concatenate([values, values[:1] - values[1:]])
    places = np.unique(
        [*values.argmin(axis=1).flat, *values.argmax(axis=1).flat, *range(0, _FINE, _EVERY)]
    )
    return [
        *pairs,
        *((float(alphas[i]), beta) for i in places if alphas[i] not in (low, middle, high)),
    ]


def _centers(scored, samples, pairs):
    """Scores of the sample at many pairs, shape (n_pairs, n_models, n_metrics); interpolated if beta is the same."""
    if np.ptp(pairs[:, 1]) > 0:
        return scored(samples, [tuple(map(float, pair)) for pair in pairs]).swapaxes(0, 1)
    places, beta = scale_of_alpha(pairs[:, 0]), float(pairs[0, 1])
    grid = np.linspace(places.min(), places.max(), _CURVE)
    values = scored(samples, [(float(alpha_of_scale(place)), beta) for place in grid])
    return np.array(
        [
            [np.interp(places, grid, values[i, :, j]) for j in range(values.shape[2])]
            for i in range(values.shape[0])
        ]
    ).transpose(2, 0, 1)


def _clipped(metrics, values):
    low, high = np.transpose([find_metric(name).range for name in metrics])
    return np.clip(values, low, high)
