"""Corrected scores of one sample with their intervals, and the priors behind them."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_alphas, check_count, check_priors, check_random_state
from pumetrics.assessment._design import view_of
from pumetrics.inference import corrected_intervals
from pumetrics.inference.designs import scores_of_sample
from pumetrics.inference.noise import noisy_plan
from pumetrics.inference.options import check_uncertainty
from pumetrics.inference.resamples import alpha_range, selected_priors
from pumetrics.inference.selection import reweighted
from pumetrics.inference.types import informative
from pumetrics.metrics import clipped
from pumetrics.priors.calibration import tells
from pumetrics.priors.upper_bound import largest_alpha

__all__ = ["LEAST", "Corrections", "bounds_alpha", "corrections"]

LEAST = 10
"""Resamples, labeled examples and unlabeled examples below which there is no interval."""


class Corrections(NamedTuple):
    """Corrected scores with their intervals, for one strength of selection, and the priors behind them."""

    scores: dict
    """Pairs of the corrected score and its interval or None, by metric."""
    alpha: float
    beta: float
    alpha_interval: tuple | None
    beta_interval: tuple | None
    alpha_bound: float | None
    """Guaranteed upper bound for alpha at half of the level; None with noisy labels."""
    uncertainty: str
    selection: float
    n_resamples: int
    blind: bool
    """Whether alpha is unknown and labeled examples score no higher than unlabeled ones: nothing is identified."""

    @property
    def alpha_identified(self):
        """Whether alpha is given, or identified by the scores to within a factor of ten."""
        if not self.uncertainty.startswith(("calibrated", "guaranteed")) or self.alpha_interval is None:
            return not self.blind
        low, high = self.alpha_interval
        return not self.blind and (high <= 10 * low or high <= 0.01)

    def identified(self, metric):
        """Whether the interval of a metric is narrow enough to be informative."""
        interval = self.scores[metric][1]
        return not self.blind and (interval is None or informative(metric, interval))


def corrections(metrics, s, y_score, selections, *, n_bootstrap, confidence, design=None, **options):
    """Corrected scores for every strength of selection.

    Parameters
    ----------
    metrics : list of str
    s, y_score : ndarray of shape (n_samples,)
    selections : list of float
    n_bootstrap : int
        0 for no intervals.
    confidence : float
    design : Design, optional
        Weights, clusters and folds.
    **options
        As for :func:`pumetrics.inference.corrected_interval`.

    Returns
    -------
    list of Corrections
    """
    view = view_of(s, y_score, design)
    counts = view.counts
    clean = options["beta"] == 1 and not options["noisy"]
    bound = (
        largest_alpha(counts, confidence=(1 + confidence) / 2)
        if clean and (design is None or design.counts_rows)
        else None
    )
    separation = np.trapezoid(counts.tpr_pu, counts.fpr_pu)
    blind = options["alpha"] is None and not bool(tells(counts.n_labeled, counts.n_unlabeled, separation))
    if n_bootstrap:
        check_count(n_bootstrap, "n_bootstrap")
    enough = min(n_bootstrap, counts.n_labeled, counts.n_unlabeled) >= LEAST
    options |= {"confidence": confidence}
    if enough:
        options |= {"n_bootstrap": n_bootstrap, **(design.options() if design else {})}
        results = [_with_intervals(metrics, s, y_score, bound, selection=each, **options) for each in selections]
    else:
        results = [
            _without_intervals(metrics, view, bound, design=design, selection=each, **options) for each in selections
        ]
    return [each._replace(blind=blind) for each in results]


def bounds_alpha(result, n_unlabeled):
    """Alpha, or its range, for which bounds are computed: of a range only what hides at least one positive."""
    if result.alpha_interval is None:
        return result.alpha
    low, high = result.alpha_interval
    return max(low, min(1 / n_unlabeled, high)), high


def _with_intervals(metrics, s, y_score, bound, **options):
    intervals = corrected_intervals(metrics, s, y_score, **options)
    any_one = next(iter(intervals.values()))
    ranges = [None if low == high else (low, high) for low, high in (any_one.alpha_interval, any_one.beta_interval)]
    scores = {name: (each.estimate, (each.lower, each.upper)) for name, each in intervals.items()}
    settings = (any_one.uncertainty, any_one.selection, any_one.n_resamples, False)
    return Corrections(scores, any_one.alpha, any_one.beta, *ranges, bound, *settings)


def _without_intervals(
    metrics, view, bound, *, alpha, selection, uncertainty, design, threshold, population, **options
):
    labels = {"alpha": alpha, "beta": options["beta"], "noisy": options["noisy"], "design": design}
    uncertainty = check_uncertainty(uncertainty, **labels)
    pair, spans = _priors(view.counts, alpha, uncertainty, selection, **options)
    if options["noisy"] and uncertainty != "sampling":
        uncertainty += "_noise"
    priors = {"selection": selection, "alpha": pair[0], "beta": pair[1]}
    values = scores_of_sample(metrics, view.sample, threshold=threshold, population=population, **priors)
    scores = {name: (float(clipped(name, value)), None) for name, value in zip(metrics, values, strict=True)}
    return Corrections(scores, *pair, *spans, bound, uncertainty, selection, 0, False)


def _priors(counts, alpha, uncertainty, selection, *, beta, method, noisy, confidence, random_state):
    """Priors, given or estimated, and the ranges of alpha and beta, None where there is none."""
    if alpha is not None:
        ends = check_alphas(alpha)
        return check_priors(np.mean(ends), beta), (tuple(ends) if len(ends) == 2 else None, None)
    rng = check_random_state(random_state)
    pair = selected_priors(counts, selection=selection, beta=beta, method=method, noisy=noisy, rng=rng)
    if uncertainty == "sampling":
        if np.isnan(pair[0]):
            raise ValueError(
                "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha"
            )
        return check_priors(*pair), (None, None)
    if noisy:
        plan = noisy_plan(counts, uncertainty, pair, confidence)
        return plan.pairs[len(plan.pairs) // 2], plan.spans
    (low, high), _ = alpha_range(reweighted(counts, selection, alpha=min(pair[0], 0.99)), uncertainty, confidence)
    return check_priors(min(max(pair[0], low), high, 0.995), beta), ((low, high), None)
