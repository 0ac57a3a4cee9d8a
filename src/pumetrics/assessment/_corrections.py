"""Corrected scores of one sample with their intervals, and the priors behind them."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_count
from pumetrics.assessment._design import LEAST
from pumetrics.inference import corrected_intervals
from pumetrics.inference.designs import scores_of_sample
from pumetrics.inference.plan import check_uncertainty, known_priors, plan_priors
from pumetrics.inference.types import informative
from pumetrics.metrics import clipped
from pumetrics.priors.interval import identifies
from pumetrics.priors.noise import MOST_SHARE

__all__ = ["LEAST", "Corrections", "bounds_alpha", "corrections"]


class Corrections(NamedTuple):
    """Corrected scores with their intervals, for one strength of selection, and the priors behind them."""

    scores: dict
    """Pairs of the corrected score and its interval or None, by metric."""
    alpha: float
    beta: float
    alpha_interval: tuple | None
    beta_interval: tuple | None
    uncertainty: str
    selection: float
    n_resamples: int
    alpha_bound: float | None = None
    """Guaranteed upper bound for alpha at half of the level; None with noisy labels."""
    blind: bool = False
    """Whether alpha is unknown, and examples are fewer than an interval needs, or labeled ones score no higher than
    unlabeled ones: nothing is identified."""
    over_alpha: dict | None = None
    """Ranges of the scores over that of alpha, by metric, where there are no intervals."""

    @property
    def alpha_identified(self):
        """Whether alpha is given, or identified by the scores."""
        if not self.uncertainty.startswith(("calibrated", "guaranteed")) or self.alpha_interval is None:
            return not self.blind
        return not self.blind and identifies(*self.alpha_interval)

    def identified(self, metric):
        """Whether the interval of a metric, or at least its range over alpha, is narrow enough to identify it."""
        interval = self.scores[metric][1] or (self.over_alpha or {}).get(metric)
        return not self.blind and (interval is None or informative(metric, interval))

    def shown(self, metric):
        """The corrected score, NaN where it is not identified, and its interval."""
        value, interval = self.scores[metric]
        return value if self.identified(metric) else np.nan, interval


def corrections(metrics, s, y_score, view, estimates, selections, *, n_bootstrap, confidence, design=None, **options):
    """Corrected scores for every strength of selection.

    Parameters
    ----------
    metrics : list of str
    s, y_score : ndarray of shape (n_samples,)
    view : View
        Of this sample.
    estimates : PriorEstimates
        What the counts of `view` say of the priors.
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
    if n_bootstrap:
        check_count(n_bootstrap, "n_bootstrap")
    options |= {"confidence": confidence}
    if min(n_bootstrap, view.n_drawn) >= LEAST:
        options |= {"n_bootstrap": n_bootstrap, "estimates": [estimates], **(design.options() if design else {})}
        results = [_with_intervals(metrics, s, y_score, selection=each, **options) for each in selections]
    else:
        results = [
            _without_intervals(metrics, view, estimates, design=design, selection=each, **options)
            for each in selections
        ]
    clean = options["beta"] == 1 and not options["noisy"]
    counted = clean and (design is None or design.counts_rows)
    bound = estimates.largest((1 + confidence) / 2) if counted else None
    told = view.n_drawn >= LEAST and estimates.separates
    blind = options["alpha"] is None and not told
    return [each._replace(alpha_bound=bound, blind=blind) for each in results]


def bounds_alpha(result, n_unlabeled):
    """Alpha, or its range, for which bounds are computed: with a negative, and a hidden positive if it allows one.

    Where less than one is expected there may be none or one.
    """
    low, high = result.alpha_interval or (result.alpha, result.alpha)
    one, most = 1 / n_unlabeled, 1 - 1 / n_unlabeled
    if high < one:
        return 0.0, min(one, most)
    if result.alpha_interval is None:
        return result.alpha
    high = min(high, most)
    return min(max(low, one), high), high


def _with_intervals(metrics, s, y_score, **options):
    intervals = corrected_intervals(metrics, s, y_score, **options)
    any_one = next(iter(intervals.values()))
    ranges = [_range(span) for span in (any_one.alpha_interval, any_one.beta_interval)]
    scores = {name: (each.estimate, (each.lower, each.upper)) for name, each in intervals.items()}
    settings = (any_one.uncertainty, any_one.selection, any_one.n_resamples)
    return Corrections(scores, any_one.alpha, any_one.beta, *ranges, *settings)


def _without_intervals(
    metrics, view, estimates, *, alpha, beta, noisy, uncertainty, selection, confidence, design, **options
):
    labels = {"alpha": alpha, "beta": beta, "noisy": noisy}
    uncertainty = check_uncertainty(uncertainty, design=design, **labels)
    settings = {"selection": selection, "confidence": confidence, "resampled": False}
    plan = plan_priors(estimates, known_priors(**labels), uncertainty, **settings)
    where = {name: options[name] for name in ("threshold", "population")}
    (low, high), spans = plan.pair, [_range(span) for span in plan.spans]
    alphas = [low, *(min(end, MOST_SHARE * high) for end in spans[0] or ())]
    where |= {"selection": selection, "beta": high}
    values = np.array([scores_of_sample(metrics, view.sample, alpha=each, **where) for each in alphas])
    values = {name: clipped(name, column) for name, column in zip(metrics, values.T, strict=True)}
    scores = {name: (float(column[0]), None) for name, column in values.items()}
    over = {name: (float(column.min()), float(column.max())) for name, column in values.items()}
    uncertainty += "_noise" if noisy and uncertainty != "sampling" else ""
    return Corrections(scores, low, high, *spans, uncertainty, selection, 0, over_alpha=over)


def _range(span):
    """A range, None if there is none or its ends are the same."""
    return None if span is None or span[0] == span[1] else span
