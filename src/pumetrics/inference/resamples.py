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
from pumetrics.inference.options import check_enough, check_threshold, check_uncertainty, known_priors
from pumetrics.inference.plan import PriorEstimates, plan_priors, selected_priors
from pumetrics.inference.selection import check_propensity, check_selection
from pumetrics.metrics import find_metric
from pumetrics.priors.calibration import alpha_of_scale, scale_of_alpha

__all__ = ["Resamples", "resample"]

_MOST_RESAMPLES = 1_000_000  # 200 are usual
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
    propensity=None,
    estimates=None,
):
    """Score a sample and its resamples, see :func:`pumetrics.inference.corrected_interval`.

    Parameters
    ----------
    estimates : list of PriorEstimates, optional
        What the scores of each model say of the priors, if it is there already.

    Returns
    -------
    Resamples
    """
    known = known_priors(alpha, beta, noisy)
    design = design_of(s, sample_weight=sample_weight, cluster=cluster, fold=fold, propensity=propensity)
    populations = {find_metric(name).population_of(population) for name in metrics}
    check_propensity(propensity, selection, clean=beta == 1 and not noisy, populations=populations)
    uncertainty = check_uncertainty(uncertainty, alpha=alpha, beta=beta, noisy=noisy, design=design)
    threshold = check_threshold(threshold, *scores)
    selection = check_selection(selection, clean=beta == 1 and not noisy)
    n_bootstrap = check_count(n_bootstrap, "n_bootstrap", most=_MOST_RESAMPLES)
    tops = [(entry.top, entry.population_of(population)) for entry in map(find_metric, metrics) if entry.top]
    drawer = _drawer(s, scores, design, threshold=threshold, tops=tops)
    rows, rng = check_random_state(random_state).spawn(2)
    priors = {"beta": beta, "method": method, "noisy": noisy, "rng": rng}
    best = _separating_best(drawer.full)
    if estimates is None:
        estimated = PriorEstimates(for_priors(drawer.full[best]), calibration=calibration, **priors)
    else:
        estimated = estimates[best]
    plan = plan_priors(estimated, known, uncertainty, selection=selection, confidence=confidence)
    drawn = plan.calibrated.draw(n_bootstrap, rng) if plan.is_drawn else None
    options = {"threshold": threshold, "selection": selection, "population": population}
    values, used = [_scored(metrics, drawer.full, plan.pairs, **options)], [plan.pairs]
    shift = values[0] - _scored(metrics, drawer.counts, plan.pairs, **options)
    kept = []
    for number in range(n_bootstrap):
        counts, pairs = drawer.draw(rows), plan.pairs
        if drawn is not None:
            pairs = [tuple(map(float, drawn[number]))]
        elif plan.anew:
            pairs = [selected_priors(for_priors(counts[best]), selection=selection, **priors)]
            if not 0 <= pairs[0][0] < pairs[0][1] <= 1:  # also drops NaN
                continue
        values.append(_scored(metrics, counts, pairs, **options) + shift)
        used.append(pairs)
        kept.append(number)
    check_enough(len(kept), n_bootstrap)
    centers = None
    if drawn is not None:
        centers = _centers(metrics, drawer.counts, drawn[kept], **options) + shift[None, :, 0]
        centers = np.moveaxis(_clipped(metrics, centers), -1, 0)
    by_metric = np.moveaxis(_clipped(metrics, np.array(values)), -1, 0)
    if noisy and uncertainty != "sampling":
        uncertainty += "_noise"
    settings = (threshold, uncertainty, selection, plan.confidence)
    return Resamples(by_metric, centers, np.array(used), plan.spans, *settings)


def _separating_best(samples):
    """Number of the model that separates labeled from unlabeled examples best: the priors are estimated from it."""
    return int(np.argmax([np.trapezoid(each.tpr_pu, each.fpr_pu) for each in map(for_priors, samples)]))


def _drawer(s, scores, design, **options):
    if design is None:
        return Drawer(s, scores, **options)
    check_same_index(s=s, **{f"y_score {i}": score for i, score in enumerate(scores)})
    s, scores = check_observed(s), [check_scores(score) for score in scores]
    for score in scores:
        check_same_length(s=s, y_score=score)
    return DesignDrawer(s, scores, design, **options)


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
