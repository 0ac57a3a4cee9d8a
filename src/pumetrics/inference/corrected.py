"""Intervals of corrected scores: the range of alpha combined with the sampling error of resamples."""

from functools import partial
from typing import NamedTuple

import numpy as np

from pumetrics.inference.designs import design_of
from pumetrics.inference.drawn import DrawnRates, percentiles, spread_levels
from pumetrics.inference.paired import PairedRates
from pumetrics.inference.prior_plan import PriorEstimates, plan_priors
from pumetrics.inference.request import LEAST, ask_of, check_accounted, labels_of
from pumetrics.inference.sample import Sample, is_best, optimism_of, scores_of
from pumetrics.metrics import find_metric
from pumetrics.priors.calibration import alpha_of_scale, scale_of_alpha
from pumetrics.priors.estimate import priors_from_counts
from pumetrics.priors.upper_bound import MOST_SHARE
from pumetrics.rates import usable
from pumetrics.validation import check_random_state, check_threshold

__all__ = [
    "Corrected",
    "Difference",
    "Interval",
    "Intervals",
    "UsedPriors",
    "corrected",
    "corrected_intervals",
    "over_alpha",
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


class Difference(NamedTuple):
    """The corrected score of a first model minus that of a second one on the same examples."""

    estimate: float
    """First minus second."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""
    probability: float
    """Share of the resamples in which the first model scores higher; a tie counts half. NaN without resamples."""


class UsedPriors(NamedTuple):
    """The priors behind corrected scores, and what intervals account for."""

    alpha: float
    """Share of positives among the unlabeled that estimates are based on."""
    beta: float
    """Share of positives among the labeled that estimates are based on."""
    alpha_interval: tuple[float, float]
    """Range of alpha: as given, calibrated, guaranteed, or of the resamples."""
    beta_interval: tuple[float, float]
    """Range of beta: calibrated, guaranteed, or of the resamples."""
    n_resamples: int
    """Resamples used: those in which the priors could be estimated."""
    uncertainty: str
    """What intervals account for: "known" (sampling error, alpha given), "range" (the same over a given range of
    alpha), "calibrated" or "guaranteed" (the same over the uncertainty of alpha), "calibrated_noise" or
    "guaranteed_noise" (over that of alpha and beta), or "sampling"."""


class Intervals(dict):
    """Intervals by metric.

    Attributes
    ----------
    priors : UsedPriors
        Behind all of them.
    drawn : DrawnRates
        What they are made of, for bands of curves.
    """

    def __init__(self, intervals, priors, drawn):
        super().__init__(intervals)
        self.priors = priors
        self.drawn = drawn


class Corrected(NamedTuple):
    """Corrected scores of the models of a sample, by metric, and the priors behind all of them."""

    priors: UsedPriors
    models: list
    """Of each model a dict of str to Interval."""
    differences: dict
    """Of two models, of type Difference; otherwise empty."""
    drawn: list
    """Of each model its DrawnRates; empty without resamples."""


def corrected_intervals(
    metrics,
    s,
    y_score,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    pi=None,
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
    rho : float, optional
        Label frequency, the share of all positives that are labeled, in (0, 1]: an alternative to alpha.
    pi : float or (float, float), optional
        Share of positives among all examples, labeled or not, in [0, 1] and at least the share that the labeled
        positives have in them; or a range for it. An alternative to alpha and rho.
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
        Table of :func:`pumetrics_workflow.calibration.fit_table`, for data sets of one kind; by default the package's.
        If `noisy`, one that was fitted with `noisy`.
    confidence : float
        In (0, 1).
    n_bootstrap : int
        Number of resamples, at least 1; 200 is common.
    threshold : float, optional
        Scores at or above it are predicted positive. By default measures are reported at their maximum, in every
        resample at its own threshold, like ``max_<measure>``; precision and recall need a threshold. Other metrics do
        not depend on it.
    population : {"all", "unlabeled"}, default="all"
        Population of metrics that depend on the prevalence: all examples, or only the unlabeled ones.
    random_state : int, numpy.random.Generator or None
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0. A row is drawn with its weight.
    cluster : array-like of shape (n_samples,), optional
        Groups of dependent rows, such as the user of each transaction. Clusters are resampled instead of rows, so
        labeled and unlabeled rows of a cluster stay together, and the numbers of both vary.

    Returns
    -------
    Intervals
        By metric, with the priors behind them.

    Raises
    ------
    ValueError
        On invalid labels, scores or options, alpha >= beta, priors that are both given and to be estimated, priors that
        cannot be estimated, constant scores from which they are to be, or fewer than 10 labeled or unlabeled examples.

    Notes
    -----
    Ends are percentiles of the resampled scores. A maximum over thresholds is optimistic, and in a resample even more
    so; its percentiles are therefore reflected about the estimate, the lower end by the score at the threshold that is
    best in the resample. The interval always contains the estimate and, if alpha is not given, the interval at alpha 0,
    which no scores exclude. Where all resamples are clipped to one end of the range, it is the whole range.
    Estimators of the priors use at most ten thousand evenly spaced quantiles of either sample, and resamples use at
    most some thousand groups of neighboring scores. With weights or clusters, estimation and calibration of alpha use
    the effective sample size. The estimate is at the center of the calibrated range of alpha; an estimate by another
    `method` is moved to the end of the range if it lies outside.

    At a threshold, and of tops, both rates are drawn from exact binomial distributions; with weights or clusters, of as
    many trials as give the rate its variance there. A maximum reaches down to that of its own threshold, and an area as
    far as one more labeled example at either end of the ranking would move it. Coverage of all of them is in
    docs/mathematics.md, for rows without weights and clusters. The repair of a curve raises its area, and that of a
    resample even more. So the lower end of an area is at most that of areas without a part, 1 - (beta - alpha), of what
    the repair adds; a difference of two areas has the outer ends of both kinds.

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
    design = design_of(s, sample_weight=sample_weight, cluster=cluster, y_score=y_score)
    sample = Sample(s, [y_score], design)
    labels = labels_of(
        sample,
        alpha=alpha,
        beta=beta,
        rho=rho,
        pi=pi,
        method=method,
        noisy=noisy,
        uncertainty=uncertainty,
        calibration=calibration,
    )
    check_accounted(labels)
    if sample.n_drawn < LEAST:
        raise ValueError(
            f"resamples of {sample.n_drawn:g} labeled or unlabeled examples or clusters (effectively, with weights) do "
            f"not show how far scores vary: {LEAST} of each are needed"
        )
    ask = ask_of(
        metrics,
        threshold=check_threshold(threshold, y_score),
        population=population,
        confidence=confidence,
        n_bootstrap=n_bootstrap,
        random_state=random_state,
    )
    found = corrected(sample, labels, ask)
    return Intervals(found.models[0], found.priors, found.drawn[0])


def corrected(sample, labels, ask, estimates=None):
    """Corrected scores with intervals from resamples.

    Parameters
    ----------
    sample : Sample
        Of one model or two.
    labels : Labels
    ask : Ask
    estimates : PriorEstimates, optional
        What the scores of the model that separates best say of the priors, if it is there already.

    Returns
    -------
    Corrected
    """
    rows, rng, rates = check_random_state(ask.random_state).spawn(3)
    if estimates is None:
        estimates = PriorEstimates(sample.counts[separating_best(sample)], labels, rng)
    plan = plan_priors(estimates, labels, confidence=ask.confidence)
    values, centers, optimism, pairs = _resampled(sample, labels, ask, plan, rows, rng)
    levels = spread_levels(len(pairs) - 1, rates)
    drawn = [DrawnRates(model, pairs, ask, plan.confidence, levels) for model in sample.full]

    models = [{} for _ in drawn]
    differences = {}
    paired = PairedRates(sample, pairs, ask, plan.confidence, drawn)
    for place, name in enumerate(ask.metrics):
        entry = find_metric(name)
        plain = np.clip(values[1:, :, :, place] - optimism[..., place], *entry.range)
        for model, found in enumerate(models):
            scores = values[:, model, :, place]
            if is_best(entry, ask.threshold):
                mirrors = scores[0] if centers is None else centers[:, model, :, place]
                ends = _reflected(scores, mirrors, optimism[:, model, :, place], plan.confidence)
            else:
                ends = percentiles(scores[1:], plan.confidence)
            ends = np.minimum(ends[0], scores[0]), np.maximum(ends[1], scores[0])
            ends = drawn[model].widened(entry, *ends, scores[0, 0])
            if entry.kind == "area":
                lowest, _ = percentiles(plain[:, model], plan.confidence)
                ends = np.minimum(ends[0], lowest), ends[1]
            found[name] = _interval(scores, np.clip(ends, *entry.range), entry.range)

        if len(models) == 2:  # the optimism of two maxima cancels
            gaps = values[:, 0, :, place] - values[:, 1, :, place]
            own = gaps[:1] if centers is None else centers[:, 0, :, place] - centers[:, 1, :, place]
            leads = gaps[1:, 0]
            won = np.mean(leads > 0) + np.mean(leads == 0) / 2
            low, high = entry.range
            ends = paired.ends(entry, gaps, own)
            if entry.kind == "area":
                lowest, highest = percentiles(plain[:, 0] - plain[:, 1], plan.confidence)
                ends = np.minimum(ends[0], lowest), np.maximum(ends[1], highest)
            interval = _interval(gaps, ends, (low - high, high - low))
            differences[name] = Difference(*interval, float(won))

    spans = [
        percentiles(pairs[1:, 0, kind], ask.confidence) if span is None else span
        for kind, span in enumerate(plan.spans)
    ]
    priors = _used(plan, spans, len(pairs) - 1, labels)
    return Corrected(priors, models, differences, drawn)


def over_alpha(sample, labels, ask, estimates):
    """The same without resamples: the least and the largest score over alpha in the place of intervals."""
    plan = plan_priors(estimates, labels, confidence=ask.confidence, resampled=False)
    alpha, beta = plan.estimate
    alphas = [alpha]
    if plan.spans[0] is not None and np.ptp(plan.spans[0]) > 0:
        inner = np.linspace(*plan.spans[0], _ALPHAS)
        alphas += [min(float(each), MOST_SHARE * beta) for each in inner]

    pairs = [(each, beta) for each in alphas]
    values = _clipped(ask.metrics, _scored(ask, sample.tops_of, sample.full, pairs))
    models = [
        {
            name: Interval(float(each[0]), float(each.min()), float(each.max()))
            for name, each in zip(ask.metrics, scores.T, strict=True)
        }
        for scores in values
    ]
    differences = {}
    if len(values) == 2:
        for name, gaps in zip(ask.metrics, (values[0] - values[1]).T, strict=True):
            ends = float(gaps.min()), float(gaps.max())
            differences[name] = Difference(float(gaps[0]), *ends, np.nan)
    return Corrected(_used(plan, plan.spans, 0, labels), models, differences, [])


_ALPHAS = 9  # of a range, at which scores are taken where there are no resamples
_CURVE = 15  # alphas at which the sample itself is corrected, to be interpolated


def _used(plan, spans, n_resamples, labels):
    """The priors of a plan with their ranges; a range of which nothing is known is the estimate."""
    alpha, beta = map(float, plan.estimate)
    ranges = [
        (value, value) if span is None else tuple(map(float, span))
        for value, span in zip((alpha, beta), spans, strict=True)
    ]
    return UsedPriors(alpha, beta, *ranges, n_resamples, labels.accounts_for)


def _interval(scores, ends, possible):
    """The first score, and the outermost of the ends at several pairs of priors.

    Where all resamples are clipped to one end of the range, they say nothing: all that is possible is the interval.
    """
    lower = float(np.min(ends[0]))
    upper = float(np.max(ends[1]))
    if lower == upper and np.isfinite(possible).all():
        lower, upper = possible
    return Interval(float(scores[0, 0]), lower, upper)


def _resampled(sample, labels, ask, plan, rows, rng):
    """Scores of a sample and of its resamples, of the sample at their priors, optimism, and the pairs of priors.

    Axes of the scores are the sample and its resamples, models, pairs of priors (the estimate first), and metrics; of
    the second they are the same without the sample, or it is None where priors are the same in all resamples or
    re-estimated. So are those of the third, the optimism of maxima.
    """
    tops = [(entry.top, ask.population) for entry in map(find_metric, ask.metrics) if entry.top]
    merged = sample.merged(threshold=ask.threshold, tops=tops)
    scored = partial(_scored, ask, sample.tops_of)
    given = [plan.estimate, *plan.others]
    if labels.uncertainty == "range":
        given = _with_extremes(ask, scored, merged.full, given)
    drawn = None
    if plan.drawn:
        drawn = plan.calibrated.draw(ask.n_bootstrap, rng)

    best = separating_best(sample)
    values = [scored(sample.full, given)]
    shift = values[0] - scored(merged.full, given)
    used = [given]
    optimism = []
    kept = []
    for number in range(ask.n_bootstrap):
        counts = merged.draw(rows)
        pairs = given
        if drawn is not None:
            alpha, beta = map(float, drawn[number])
            pairs = [(alpha, beta), (0.0, beta)]
        elif plan.again:
            pairs = [
                priors_from_counts(
                    counts[best].effective,
                    beta=labels.beta,
                    method=labels.method,
                    noisy=labels.noisy,
                    rng=rng,
                )
            ]
            if not usable(*pairs[0]):
                continue
        found = [_scored_in_part(ask, sample.tops_of, merged.full, counts, each) for each in pairs]
        scores, lost = np.array(found).transpose(1, 2, 0, 3)
        values.append(scores + shift)
        optimism.append(lost)
        used.append(pairs)
        kept.append(number)

    if 2 * len(kept) < ask.n_bootstrap:
        raise ValueError(
            f"the priors could be estimated in {len(kept)} of {ask.n_bootstrap} resamples only: give alpha, or another "
            "method"
        )
    centers = None
    if drawn is not None:
        columns = np.array(used)[1:].swapaxes(0, 1)
        centers = [_centers(scored, merged.full, column) for column in columns]
        centers = _clipped(ask.metrics, np.stack(centers, axis=2) + shift)
    values = _clipped(ask.metrics, np.array(values))
    return values, centers, np.array(optimism), np.array(used)


def _reflected(scores, mirrors, optimism, confidence):
    """Ends of a maximum at each pair of priors: resamples are mirrored, since in them it is even more optimistic.

    Parameters
    ----------
    scores : ndarray of shape (1 + n_resamples, n_pairs)
    mirrors : ndarray of shape (n_pairs,) or (n_resamples, n_pairs)
        Scores of the sample, at the priors of each resample where these differ.
    optimism : ndarray of shape (n_resamples, n_pairs)
        From :func:`pumetrics.inference.sample.optimism_of`. The lower end is that of the score at the best threshold of
        the sample, which is not that of the population.
    confidence : float
    """
    resamples = 2 * mirrors - scores[1:]
    lower, _ = percentiles(resamples - optimism, confidence)
    _, upper = percentiles(resamples, confidence)
    return lower, upper


def separating_best(sample):
    """Number of the model that separates labeled from unlabeled examples best: the priors are estimated from it."""
    return int(np.argmax([np.trapezoid(each.tpr_pu, each.fpr_pu) for each in sample.counts]))


def _scored(ask, tops_of, models, pairs):
    """Scores of shape (n_models, n_pairs, n_metrics), not clipped."""
    score = partial(scores_of, ask.metrics, sizes=tops_of, **ask.where)
    return np.array(
        [[score(each.counts, alpha=low, beta=high) for low, high in pairs] for each in models]
    )


_FINE = 41  # alphas of a range among which the extreme scores are looked for
_EVERY = 5  # which of them are always taken


def _scored_in_part(ask, tops_of, models, resampled, pair):
    """Scores of a resample and optimism at one pair of priors, each of shape (n_models, n_metrics)."""
    alpha, beta = pair
    priors = {"alpha": alpha, "beta": beta}
    scores = []
    lost = []
    for own, drawn in zip(models, resampled, strict=True):
        values = scores_of(ask.metrics, drawn.counts, sizes=tops_of, **priors, **ask.where)
        scores.append(values)
        lost.append(
            optimism_of(ask.metrics, own.counts, drawn.counts, values, **priors, **ask.where)
        )
    return scores, lost


def _with_extremes(ask, scored, models, pairs):
    """Middle and ends of a range of alpha, and where a score, or the difference of two models, is least or largest.

    The best accuracy is largest at both ends and least between them, as a maximum of functions linear in alpha.
    """
    (middle, beta), (low, _), (high, _) = pairs
    alphas = np.linspace(low, high, _FINE)
    values = _clipped(ask.metrics, scored(models, [(float(alpha), beta) for alpha in alphas]))
    values = np.concatenate([values, values[:1] - values[1:]])
    extremes = [values.argmin(axis=1), values.argmax(axis=1), np.arange(0, _FINE, _EVERY)]
    places = np.unique(np.concatenate(list(map(np.ravel, extremes))))
    inner = [float(alphas[place]) for place in places]
    return [*pairs, *((each, beta) for each in inner if each not in (low, middle, high))]


def _centers(scored, samples, pairs):
    """Scores of the sample at many pairs, shape (n_pairs, n_models, n_metrics); interpolated if beta is the same."""
    if np.ptp(pairs, axis=0).max() == 0:
        same = scored(samples, [tuple(map(float, pairs[0]))]).swapaxes(0, 1)
        return np.repeat(same, len(pairs), axis=0)
    if np.ptp(pairs[:, 1]) > 0:
        return scored(samples, [tuple(map(float, pair)) for pair in pairs]).swapaxes(0, 1)

    places = scale_of_alpha(pairs[:, 0])
    beta = float(pairs[0, 1])
    grid = np.linspace(places.min(), places.max(), _CURVE)
    values = scored(samples, [(float(alpha_of_scale(place)), beta) for place in grid])
    interpolated = np.apply_along_axis(partial(np.interp, places, grid), 1, values)
    return interpolated.swapaxes(0, 1)


def _clipped(metrics, values):
    low, high = np.transpose([find_metric(name).range for name in metrics])
    return np.clip(values, low, high)
