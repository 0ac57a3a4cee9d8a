"""Corrected scores of resamples, and the priors each is corrected with."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import (
    check_count,
    check_observed,
    check_random_state,
    check_same_index,
    check_same_length,
    check_scores,
)
from pumetrics.inference._groups import Drawer
from pumetrics.inference.designs import DesignDrawer, design_of, for_priors, scores_of_sample
from pumetrics.inference.noise import noisy_plan
from pumetrics.inference.options import (
    check_enough,
    check_estimable,
    check_threshold,
    check_uncertainty,
    known_priors,
)
from pumetrics.inference.selection import check_selection, reweighted
from pumetrics.metrics import find_metric
from pumetrics.priors.calibration import LEVELS, alpha_of_scale, scale_of_alpha
from pumetrics.priors.from_counts import priors_from_counts
from pumetrics.priors.interval import calibrated_alpha, check_telling
from pumetrics.priors.upper_bound import largest_alpha

__all__ = ["Resamples", "alpha_range", "resample", "selected_priors"]

_MOST_RESAMPLES = 1_000_000  # 200 are usual
_MOST_ALPHA = 0.995  # beyond, corrections divide by next to nothing, and every score is possible
_STEPS = 7  # alphas at which an interval over a range is taken
_CURVE = 15  # alphas at which the sample itself is corrected, to be interpolated


class Resamples(NamedTuple):
    """What every resample says; the first row of each array is the sample itself."""

    by_metric: np.ndarray
    """Scores, shape (n_metrics, 1 + n_resamples, n_models, n_alphas), clipped to their range."""
    centers: np.ndarray | None
    """Scores of the sample at the alpha of each resample, (n_metrics, n_resamples, n_models); None if alpha is the
    same in all, or estimated anew."""
    priors: np.ndarray
    """Pairs (alpha, beta), shape (1 + n_resamples, n_alphas, 2)."""
    spans: tuple
    """Ranges of alpha and of beta, each None where that of the resamples is meant."""
    threshold: float | None
    """Where predictions were made; None if every resample chose its best threshold."""
    uncertainty: str
    selection: float
    confidence: float
    """Of the sampling error: more than was asked for where a guaranteed range of alpha takes its part."""


class _Alphas(NamedTuple):
    """Priors of the sample and of its resamples: the same pairs in all, one pair each, or estimated anew."""

    pairs: list
    drawn: np.ndarray | None = None
    spans: tuple = (None, None)
    anew: bool = False
    confidence: float = 0.95


def resample(
    metrics,
    s,
    scores,
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
):
    """Score a sample and its resamples, see :func:`pumetrics.inference.corrected_interval`.

    Returns
    -------
    Resamples
    """
    known = known_priors(alpha, beta, noisy)
    design = design_of(s, sample_weight=sample_weight, cluster=cluster, fold=fold)
    uncertainty = check_uncertainty(uncertainty, alpha=alpha, beta=beta, noisy=noisy, design=design)
    threshold, selection = check_threshold(threshold), check_selection(selection, clean=beta == 1 and not noisy)
    n_bootstrap = check_count(n_bootstrap, "n_bootstrap", most=_MOST_RESAMPLES)
    tops = [(entry.top, entry.population_of(population)) for entry in map(find_metric, metrics) if entry.top]
    drawer = _drawer(s, scores, design, threshold=threshold, tops=tops)
    rows, rng = check_random_state(random_state).spawn(2)
    estimate = _Estimator(drawer.full, beta=beta, method=method, noisy=noisy, selection=selection, rng=rng)
    plan = _plan(known, (uncertainty, calibration), estimate, drawer, confidence, n_bootstrap, rng)
    options = {"threshold": threshold, "selection": selection, "population": population}
    values, priors = [_scored(metrics, drawer.full, plan.pairs, **options)], [plan.pairs]
    shift = values[0] - _scored(metrics, drawer.counts, plan.pairs, **options)
    kept = []
    for number in range(n_bootstrap):
        counts = drawer.draw(rows)
        pairs = _pairs(plan, number, counts, estimate)
        if pairs is None:
            continue
        values.append(_scored(metrics, counts, pairs, **options) + shift)
        priors.append(pairs)
        kept.append(number)
    check_enough(len(kept), n_bootstrap)
    centers = None
    if plan.drawn is not None:
        centers = _centers(metrics, drawer.counts, plan.drawn[kept], **options) + shift[None, :, 0]
        centers = np.moveaxis(_clipped(metrics, centers), -1, 0)
    by_metric = np.moveaxis(_clipped(metrics, np.array(values)), -1, 0)
    if noisy and uncertainty != "sampling":
        uncertainty += "_noise"
    settings = (threshold, uncertainty, selection, plan.confidence)
    return Resamples(by_metric, centers, np.array(priors), plan.spans, *settings)


def _drawer(s, scores, design, **options):
    if design is None:
        return Drawer(s, scores, **options)
    check_same_index(s=s, **{f"y_score {i}": score for i, score in enumerate(scores)})
    s, scores = check_observed(s), [check_scores(score) for score in scores]
    for score in scores:
        check_same_length(s=s, y_score=score)
    return DesignDrawer(s, scores, design, **options)


def alpha_range(counts, kind, confidence, calibration=None):
    """Range of alpha from the scores of one model, and its quantiles if these are to be drawn from.

    Parameters
    ----------
    counts : Counts
    kind : {"calibrated", "guaranteed"}
    confidence : float
    calibration : dict, optional
        The table of the package by default.

    Returns
    -------
    ends : (float, float)
    quantile : callable or None
    """
    check_telling(counts)
    if kind == "guaranteed":
        return (0.0, largest_alpha(counts, confidence=confidence)), None
    calibrated = calibrated_alpha(counts, calibration)
    return calibrated.interval(confidence), calibrated.quantile if confidence <= max(LEVELS) + 1e-12 else None


def selected_priors(counts, *, selection, **options):
    """Priors (alpha, beta) estimated from counts, for labels selected by score with an assumed strength."""
    alpha, beta = priors_from_counts(counts, **options)
    if selection == 1 or not alpha < 1:
        return alpha, beta
    for _ in range(3):  # the reweighted counts depend on alpha
        alpha, beta = priors_from_counts(reweighted(counts, selection, alpha=min(alpha, _MOST_ALPHA)), **options)
    return alpha, beta


class _Estimator:
    """Estimates priors from the model that tells labeled from unlabeled best, the same one in all resamples."""

    def __init__(self, full, *, selection, **options):
        areas = [np.trapezoid(counts.tpr_pu, counts.fpr_pu) for counts in map(for_priors, full)]
        self.teller = int(np.argmax(areas))
        self.selection, self.noisy, self.options = selection, options["noisy"], options

    def __call__(self, counts):
        return selected_priors(for_priors(counts[self.teller]), selection=self.selection, **self.options)


def _plan(known, kind, estimate, drawer, confidence, n_bootstrap, rng):
    """Which alphas the sample and its resamples are corrected with."""
    uncertainty, calibration = kind
    if known is not None:
        return _Alphas(known, spans=((known[0][0], known[-1][0]), None), confidence=confidence)
    alpha, beta = estimate(drawer.full)
    if uncertainty == "sampling":
        check_estimable([(alpha, beta)])
        return _Alphas([(alpha, beta)], anew=True, confidence=confidence)
    counts = for_priors(drawer.full[estimate.teller])
    check_telling(counts)
    if estimate.noisy:
        plan = noisy_plan(counts, uncertainty, (alpha, beta), confidence, calibration)
        drawn = None if plan.draw is None else plan.draw(n_bootstrap, rng)
        return _Alphas(plan.pairs, drawn, plan.spans, confidence=plan.confidence)
    if estimate.selection != 1:
        counts = reweighted(counts, estimate.selection, alpha=min(alpha, _MOST_ALPHA))
    # A guaranteed range and the sampling error may each fail with half of the level.
    share = (1 + confidence) / 2 if uncertainty == "guaranteed" else confidence
    ends, quantile = alpha_range(counts, uncertainty, share, calibration)
    low, high = (min(end, _MOST_ALPHA) for end in ends)
    alpha = min(max(alpha, low), high)
    if quantile is not None:
        # Stratified: the alphas are the quantiles of their distribution, in random order.
        drawn = np.minimum(quantile((rng.permutation(n_bootstrap) + 0.5) / n_bootstrap), _MOST_ALPHA)
        drawn = np.column_stack([drawn, np.ones(n_bootstrap)])
        return _Alphas([(alpha, 1.0)], drawn, ((low, high), None), confidence=confidence)
    values = np.linspace(low, high, _STEPS)
    values[_STEPS // 2] = alpha
    return _Alphas([(float(value), 1.0) for value in values], spans=((low, high), None), confidence=share)


def _pairs(plan, number, counts, estimate):
    """Priors of one resample, None where they cannot be estimated."""
    if plan.drawn is not None:
        return [tuple(map(float, plan.drawn[number]))]
    if not plan.anew:
        return plan.pairs
    low, high = estimate(counts)
    return [(low, high)] if 0 <= low < high <= 1 else None  # also drops NaN


def _scored(metrics, counts, pairs, *, selection, **options):
    """Scores of shape (n_models, n_alphas, n_metrics), not clipped."""
    return np.array(
        [
            [
                scores_of_sample(metrics, each, selection=selection, alpha=low, beta=high, **options)
                for low, high in pairs
            ]
            for each in counts
        ]
    )


def _centers(metrics, counts, pairs, **options):
    """Scores of the sample at many pairs, shape (n_pairs, n_models, n_metrics); interpolated if beta is the same."""
    if np.ptp(pairs[:, 1]) > 0:
        return _scored(metrics, counts, [tuple(map(float, pair)) for pair in pairs], **options).swapaxes(0, 1)
    places, beta = scale_of_alpha(pairs[:, 0]), float(pairs[0, 1])
    grid = np.linspace(places.min(), places.max(), _CURVE)
    values = _scored(metrics, counts, [(float(alpha_of_scale(place)), beta) for place in grid], **options)
    return np.array(
        [[np.interp(places, grid, values[i, :, j]) for j in range(values.shape[2])] for i in range(values.shape[0])]
    ).transpose(2, 0, 1)


def _clipped(metrics, values):
    low, high = np.transpose([find_metric(name).range for name in metrics])
    return np.clip(values, low, high)
