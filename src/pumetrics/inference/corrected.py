"""Intervals of corrected scores: the range of alpha combined with the sampling error of resamples."""

from functools import partial
from typing import NamedTuple

import numpy as np

from pumetrics._arguments import ContradictionError
from pumetrics._validation import check_random_state
from pumetrics.inference.designs import ARGUMENTS, design_of
from pumetrics.inference.request import PriorEstimates, ask_of, check_threshold, labels_of, plan_priors, selected_priors
from pumetrics.inference.sample import Sample, scores_of_sample
from pumetrics.metrics import find_metric
from pumetrics.priors.calibration import alpha_of_scale, scale_of_alpha
from pumetrics.priors.interval import identifies

__all__ = [
    "Difference", "Interval", "corrected_differences", "corrected_interval", "corrected_intervals", "differences_of",
    "intervals_of", "separating_best",
]  # fmt: skip


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
    selection: float = 1.0
    """How many times as often the positive with the highest score is assumed to be labeled as that with the lowest."""

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


def corrected_interval(
    metric,
    s,
    y_score,
    *,
    alpha=None,
    beta=1.0,
    method="consensus",
    noisy=False,
    uncertainty=None,
    calibration=None,
    selection=1.0,
    confidence=0.95,
    n_bootstrap=200,
    threshold=None,
    population=None,
    random_state=None,
    sample_weight=None,
    cluster=None,
    fold=None,
    propensity=None,
    checks=None,
    label_odds=np.inf,
):
    """Compute a confidence interval of a score against the true class, from labeled and unlabeled examples.

    Labeled and unlabeled examples are resampled separately, and the correction and the choice of the best threshold are
    repeated for each resample; this gives the sampling error. If alpha is not given, each resample is corrected with a
    different alpha from the range that the scores allow (:func:`pumetrics.priors.alpha_interval`). The interval assumes
    labels at random, or a `selection` of the given strength.

    Parameters
    ----------
    metric : str
        An entry of ``METRICS``: "roc_auc", "average_precision" (both with the options their functions in
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
        Share of positives among the labeled, in (0, 1].
    method : str
        Estimator of the priors, see :func:`pumetrics.priors.available_priors`; without effect if alpha is given.
    noisy : bool
        Whether beta is to be estimated as well.
    uncertainty : {"calibrated", "guaranteed", "sampling"}, optional
        What the interval accounts for if priors are not given:

        * ``"calibrated"``, the default unless `beta` is below 1: alphas, and betas if `noisy`, from their calibrated
          distribution. With label noise the calibration is empirical, not a theorem.
        * ``"guaranteed"``: all alphas up to the guaranteed upper bound; half of the level each for bound and sampling.
          If `noisy`, all pairs that :func:`pumetrics.priors.upper_bound.largest_shares` allows.
        * ``"sampling"``, the default with a `beta` below 1: alpha is re-estimated in each resample. This accounts for
          chance alone, not for the bias of the estimator, so the interval is much too narrow if the bias is large.
    calibration : dict, optional
        Table of :func:`pumetrics.priors.calibration.fit_table`, for data sets of one kind; by default the package's. If
        `noisy`, one that was fitted with `noisy`.
    selection : float, default=1.0
        How many times as often the positive that scores highest is labeled as the one that scores lowest (log-linear
        in the rank); 1 for labels at random. It cannot be estimated; vary it.
    confidence : float
        In (0, 1).
    n_bootstrap : int
        Number of resamples, at least 1; 200 is common.
    threshold : float, optional
        Scores at or above it are predicted positive. By default measures are reported at their maximum, in every
        resample at its own threshold, like ``max_<measure>``; precision and recall need a threshold. Other metrics do
        not depend on it.
    population : {"all", "unlabeled"}, optional
        Population of metrics that depend on the class mix: all examples, the default, or only the unlabeled ones.
    random_state : int, numpy.random.Generator or None
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0. A row is drawn with its weight.
    cluster : array-like of shape (n_samples,), optional
        Groups of dependent rows, such as the user of each transaction. Clusters are resampled instead of rows, so
        labeled and unlabeled rows of a cluster stay together, and the numbers of both vary.
    fold : array-like of shape (n_samples,), optional
        Fold of a cross-validation whose model scored the row. Scores are compared within folds only: every result is
        the mean over folds, weighted by the sum of their weights; one alpha, estimated from the ranks within folds,
        corrects all of them. The top of a ranking is taken in every fold: 20 examples of each fold, not of all. Without
        a `threshold` every fold predicts the same share of its rows positive, the one that is best on average.
        Resamples keep the size of every fold, unless clusters are drawn.
    propensity : array-like of shape (n_samples,), optional
        Probability, up to a factor, that a positive like this row is labeled; values of unlabeled rows are not used.
        Labeled rows then represent all positives with the weight 1 / propensity, see
        :func:`pumetrics.inference.selection.exchanged`. Needs right labels and ``population="all"``.
    checks, label_odds
        Rows that an expert has checked, and the assumption about the labels: see
        :func:`pumetrics.checks.checked_interval`. The interval then rests on these rows alone, without resampling.

    Returns
    -------
    Interval

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

    On Gaussian scores with known alpha, in 300 samples each, 95% intervals at a threshold contained the true value in
    92 to 94%; those of areas and maxima contained it in 89 to 92% with 100 labeled and 1,000 unlabeled examples, and in
    91 to 94% with 500 and 2,000.

    References
    ----------
    Davison & Hinkley (1997), "Bootstrap Methods and their Application", Section 5.2, percentile and basic intervals;
    Jain, White & Radivojac (2017); Ramola, Jain & Radivojac (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> interval = corrected_interval("roc_auc", s, y_score, alpha=0.3, random_state=0)
    >>> round(interval.estimate, 2), round(interval.lower, 2), round(interval.upper, 2)
    (0.94, 0.91, 0.97)
    """
    options = {
        "alpha": alpha,
        "beta": beta,
        "method": method,
        "noisy": noisy,
        "uncertainty": uncertainty,
        "calibration": calibration,
        "selection": selection,
        "confidence": confidence,
        "n_bootstrap": n_bootstrap,
        "threshold": threshold,
        "population": population,
        "random_state": random_state,
        "sample_weight": sample_weight,
        "cluster": cluster,
        "fold": fold,
        "propensity": propensity,
    }
    if checks is not None:
        options = {name: options[name] for name in _OF_CHECKS if options[name] is not None}
    checked = {"checks": checks, "label_odds": label_odds}
    return corrected_intervals([metric], s, y_score, **options, **checked)[metric]


_OF_CHECKS = ("threshold", "population", "confidence", "alpha", "sample_weight", "cluster", "fold", "propensity")


def corrected_intervals(metrics, s, y_score, *, confidence=0.95, checks=None, label_odds=np.inf, **options):
    """Compute confidence intervals of several scores from the same resamples and priors.

    Parameters
    ----------
    metrics : list of str
        See :func:`corrected_interval`.
    s, y_score, confidence, checks, label_odds, **options
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
    if checks is not None:
        return _checked(metrics, s, y_score, checks, label_odds=label_odds, confidence=confidence, **options)
    return intervals_of(*_request(metrics, s, [y_score], confidence=confidence, **options))


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


_SAYS = ("alpha", "beta", "method", "noisy", "uncertainty", "selection", "calibration")


def _request(metrics, s, scores, *, population=None, threshold=None, **options):
    """Sample, labels and the request, from the arguments of :func:`corrected_interval`."""
    sample = Sample(s, scores, design_of(s, **{name: options.pop(name, None) for name in ARGUMENTS}))
    said = {name: options.pop(name) for name in _SAYS if name in options}
    ask = ask_of(metrics, population=population, threshold=check_threshold(threshold, *scores), **options)
    populations = {find_metric(name).population_of(population) for name in ask.metrics}
    return sample, labels_of(sample, populations=populations, **said), ask


def _checked(metrics, s, y_score, checks, *, threshold=None, population=None, **options):
    """Intervals from checked rows, with what these say of alpha."""
    from pumetrics.checks import CheckPlan, checked_interval

    other = next((name for name in options if name not in ("label_odds", "confidence")), None)
    if other:
        why = "the interval rests on checked rows alone; omit one of them"
        raise ContradictionError([(other, options[other]), ("checks", True)], why)
    where = {"threshold": threshold, "population": population, **options}
    level, plan = options["confidence"], CheckPlan.of(checks)
    names = ["alpha", "beta"] if plan and plan.noisy else ["alpha"]
    shares = [checked_interval(name, s, y_score, checks, confidence=level) for name in names]
    found = {name: checked_interval(name, s, y_score, checks, **where) for name in metrics}
    (alpha, *ends), (beta, *others) = (*(each[1:4] for each in shares), (1.0, 1.0, 1.0))[:2]
    shared = (level, alpha, beta, tuple(ends), tuple(others), 0, "checked")
    return {name: Interval(each.estimate, each.lower, each.upper, *shared) for name, each in found.items()}


def corrected_differences(metrics, s, first_score, second_score, *, confidence=0.95, **options):
    """Compute intervals of the differences of two models against the true class, from the same resampled examples.

    Parameters
    ----------
    metrics : list of str
        See :func:`corrected_interval`.
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    first_score, second_score : array-like of shape (n_samples,)
        Scores of both models for the same examples.
    confidence, **options
        See :func:`corrected_interval`. Both models are corrected with the same priors, because they are applied to the
        same population; if priors are not given, they are estimated from the model that separates labeled from
        unlabeled examples best.

    Returns
    -------
    dict of str to Difference

    Raises
    ------
    ValueError
        As :func:`corrected_interval`.
    """
    return differences_of(*_request(metrics, s, [first_score, second_score], confidence=confidence, **options))


def differences_of(sample, labels, ask, estimates=None):
    """Differences of the scores of a sample of two models, by metric; see :func:`intervals_of`."""
    return {
        name: Difference(*found, float(np.mean(gaps > 0) + np.mean(gaps == 0) / 2))
        for name, found, gaps in _resampled(sample, labels, ask, estimates)
    }


_CURVE = 15  # alphas at which the sample itself is corrected, to be interpolated


def _resampled(sample, labels, ask, estimates):
    """Yield a metric, the intervals of each model and of the first minus the second, and resamples of the latter."""
    best, streams = separating_best(sample), check_random_state(ask.random_state).spawn(2)
    estimated = PriorEstimates(sample.counts[best], labels, streams[1]) if estimates is None else estimates[best]
    plan = plan_priors(estimated, labels, confidence=ask.confidence)
    values, centers, pairs = _scores(sample, labels, ask, plan, streams)
    middle, tails = pairs.shape[1] // 2, [(1 - ask.confidence) / 2, (1 + ask.confidence) / 2]
    spans = [
        tuple(map(float, np.quantile(pairs[1:, :, i], tails) if span is None else span))
        for i, span in enumerate(plan.spans)
    ]
    settings = (ask.confidence, *map(float, plan.pair), *spans, len(pairs) - 1, labels.accounts_for, labels.selection)
    for place, name in enumerate(ask.metrics):
        entry, found = find_metric(name), []
        sides = [(values[:, model, :, place], entry.range) for model in range(len(sample.full))]
        around = [None] * 3 if centers is None else [*centers[:, :, place].T]
        if len(sides) == 2:
            sides.append((sides[0][0] - sides[1][0], (-np.inf, np.inf)))
            around.append(None if centers is None else around[0] - around[1])
        for (of_side, (low, high)), center in zip(sides, around, strict=False):
            reflected = entry.kind == "maximum" or (entry.kind == "threshold" and ask.threshold is None)
            if center is not None:
                centered = 2 * center - of_side[1:, 0] if reflected else of_side[1:, 0]
                ends = [_ends(centered, of_side[0, 0], plan.confidence, reflected=False)]
            else:
                ends = [_ends(column[1:], column[0], plan.confidence, reflected=reflected) for column in of_side.T]
            lower, upper = max(min(end[0] for end in ends), low), min(max(end[1] for end in ends), high)
            found.append(Interval(float(of_side[0, middle]), float(lower), float(upper), *settings))
        yield name, found, sides[-1][0][1:, middle]


def _scores(sample, labels, ask, plan, streams):
    """Scores of a sample and of its resamples, the same at the sample's alphas, and the pairs of priors.

    Scores are of shape (1 + n_resamples, n_models, n_alphas, n_metrics), the first those of the sample itself, and of
    shape (n_resamples, n_models, n_metrics), or None where alpha is the same in all resamples or re-estimated.
    """
    tops = [(entry.top, entry.population_of(ask.population)) for entry in map(find_metric, ask.metrics) if entry.top]
    merged = sample.merged(threshold=ask.threshold, tops=tops)
    given, (rows, rng), drawn, best = plan.pairs, streams, None, separating_best(sample)
    if plan.calibrated is not None and len(given) == 1:
        drawn = plan.calibrated.draw(ask.n_bootstrap, rng)
    scored = partial(_scored, ask, labels.selection)
    if labels.uncertainty == "range":
        given = _with_extremes(ask, scored, merged.full, given)
    values, used, kept = [scored(sample.full, given)], [given], []
    shift = values[0] - scored(merged.full, given)
    for number in range(ask.n_bootstrap):
        counts, pairs = merged.draw(rows), given
        if drawn is not None:
            pairs = [tuple(map(float, drawn[number]))]
        elif plan.again:
            pairs = [selected_priors(counts[best].pooled, labels, rng)]
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
        centers = _clipped(ask.metrics, _centers(scored, merged.full, drawn[kept]) + shift[None, :, 0])
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


def _scored(ask, selection, samples, pairs):
    """Scores of shape (n_models, n_alphas, n_metrics), not clipped."""
    score = partial(scores_of_sample, ask.metrics, selection=selection, **ask.where)
    return np.array([[[*score(each, alpha=low, beta=high)] for low, high in pairs] for each in samples])


_FINE, _EVERY = 41, 5  # alphas of a range among which the extreme scores are looked for; which of them are always taken


def _with_extremes(ask, scored, samples, pairs):
    """Ends and middle of a range of alpha, and where a score, or the difference of two models, is least or largest.

    The best accuracy is largest at both ends and least between them, as a maximum of functions linear in alpha.
    """
    (low, beta), middle, (high, _) = pairs
    alphas = np.linspace(low, high, _FINE)
    values = _clipped(ask.metrics, scored(samples, [(float(alpha), beta) for alpha in alphas]))
    values = np.concatenate([values, values[:1] - values[1:]])
    places = np.unique([*values.argmin(axis=1).flat, *values.argmax(axis=1).flat, *range(0, _FINE, _EVERY)])
    found = [
        pairs[0],
        *((float(alphas[i]), beta) for i in places if alphas[i] not in (low, middle[0], high)),
        pairs[-1],
    ]
    found.insert((len(found) + 1) // 2, middle)
    return found


def _centers(scored, samples, pairs):
    """Scores of the sample at many pairs, shape (n_pairs, n_models, n_metrics); interpolated if beta is the same."""
    if np.ptp(pairs[:, 1]) > 0:
        return scored(samples, [tuple(map(float, pair)) for pair in pairs]).swapaxes(0, 1)
    places, beta = scale_of_alpha(pairs[:, 0]), float(pairs[0, 1])
    grid = np.linspace(places.min(), places.max(), _CURVE)
    values = scored(samples, [(float(alpha_of_scale(place)), beta) for place in grid])
    return np.array(
        [[np.interp(places, grid, values[i, :, j]) for j in range(values.shape[2])] for i in range(values.shape[0])]
    ).transpose(2, 0, 1)


def _clipped(metrics, values):
    low, high = np.transpose([find_metric(name).range for name in metrics])
    return np.clip(values, low, high)
