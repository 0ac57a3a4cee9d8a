"""Corrected scores of one sample with their intervals, the priors behind them, and what its design means for both."""

from typing import NamedTuple

import numpy as np

from pumetrics._weights import effective_size
from pumetrics.inference.corrected import intervals_of
from pumetrics.inference.plan import plan_priors, scores_over
from pumetrics.inference.request import LEAST
from pumetrics.inference.types import informative
from pumetrics.priors.interval import identifies

__all__ = [
    "LEAST", "Corrections", "bounds_alpha", "corrections", "design_facts", "impossible", "no_bounds", "notes_of",
]  # fmt: skip

_WORTH = 0.9  # effective share of the rows from which on the output does not mention it
_FEW_CLUSTERS = 50


def design_facts(sample):
    """The design of a sample in numbers, for JSON: None without one.

    Parameters
    ----------
    sample : Sample

    Returns
    -------
    dict or None
        ``weighted``, numbers of ``clusters`` and ``folds`` or None, whether there are propensities, and the effective
        numbers of labeled and unlabeled examples.
    """
    design, counts = sample.design, sample.counts[0]
    if design is None:
        return None
    return {
        "weighted": design.weights is not None,
        "clusters": None if design.clusters is None else len(np.unique(design.clusters)),
        "folds": None if design.folds is None else len(np.unique(design.folds)),
        "propensity": design.propensity is not None,
        "effective_labeled": counts.n_labeled,
        "effective_unlabeled": counts.n_unlabeled,
    }


def no_bounds(design):
    """A line on why there are no bounds; none without a design."""
    if design is None:
        return ()
    reason = "rank the rows of different folds together" if design.counts_rows else "count independent rows"
    if design.propensity is not None:
        reason = "assume that the labeled rows are a random sample"
    return (f"there are no bounds: they {reason}",)


def impossible(sample, alpha):
    """A warning if propensities would have some positives labeled more often than always, even with so high an alpha.

    Parameters
    ----------
    sample : Sample
    alpha : float
        The largest that is held possible.

    Returns
    -------
    tuple of str
    """
    design, s = sample.design, sample.s
    if design is None or design.propensity is None:
        return ()
    weights = np.ones(len(s)) if design.weights is None else design.weights
    labeled, unlabeled = (weights * (s == kind) for kind in (1, 0))
    rho = labeled.sum() / (labeled.sum() + alpha * unlabeled.sum())
    stand_for = labeled / design.propensity
    most = labeled.sum() / stand_for.sum()
    error = np.sqrt(max(1 / effective_size(stand_for) - 1 / effective_size(labeled), 0))  # relative, of the sum
    if rho <= most * (1 + 2 * error):
        return ()
    return (
        f"these propensities are impossible with alpha={alpha:.3g}: {rho:.0%} of the positives would be labeled, but "
        f"these propensities allow at most {most:.0%}",
    )


def notes_of(sample):
    """Yield lines on how many independent examples the rows count as."""
    design, counts = sample.design, sample.counts[0]
    if design is None:
        return
    n_labeled, n_unlabeled = sample.n_rows
    effective = counts.n_labeled, counts.n_unlabeled
    if effective[0] < _WORTH * n_labeled or effective[1] < _WORTH * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters, "propensities": design.propensity}
        causes = [name for name, each in kinds.items() if each is not None]
        yield (
            f"the {n_labeled:,} labeled and {n_unlabeled:,} unlabeled rows have effective sample sizes of "
            f"{effective[0]:,} and {effective[1]:,} because of {' and '.join(causes)}; the range of alpha and the "
            "warnings below use these sizes"
        )
    for n, kind in zip(sample.n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            effect = "intervals are then too narrow" if n >= LEAST else f"there is no interval, which needs {LEAST}"
            yield f"{kind} rows come from {n} clusters only: {effect}"


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
    few: bool = False
    """Whether examples are fewer than an interval needs: no score is identified, even if alpha is given."""
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
        return not (self.blind or self.few) and (interval is None or informative(metric, interval))

    def shown(self, metric):
        """The corrected score, NaN where it is not identified, and its interval."""
        value, interval = self.scores[metric]
        return value if self.identified(metric) else np.nan, interval


def corrections(sample, labels, ask, estimates):
    """Corrected scores for every strength of selection.

    Parameters
    ----------
    sample : Sample
        Of one model.
    labels : list of Labels
        One for each strength.
    ask : Ask
        With 0 resamples for no intervals.
    estimates : PriorEstimates
        What the counts of the sample say of the priors.

    Returns
    -------
    list of Corrections
    """
    few = sample.n_drawn < LEAST
    corrected = _without_intervals if few or ask.n_bootstrap < LEAST else _with_intervals
    first, counted = labels[0], sample.design is None or sample.design.counts_rows
    bound = estimates.largest((1 + ask.confidence) / 2) if first.clean and counted else None
    blind = first.alpha is None and (few or not estimates.separates)
    results = [corrected(sample, each, ask, estimates) for each in labels]
    return [each._replace(alpha_bound=bound, blind=blind, few=few) for each in results]


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


def _with_intervals(sample, labels, ask, estimates):
    intervals = intervals_of(sample, labels, ask, [estimates])
    any_one = next(iter(intervals.values()))
    ranges = [_range(span) for span in (any_one.alpha_interval, any_one.beta_interval)]
    scores = {name: (each.estimate, (each.lower, each.upper)) for name, each in intervals.items()}
    settings = (any_one.uncertainty, any_one.selection, any_one.n_resamples)
    return Corrections(scores, any_one.alpha, any_one.beta, *ranges, *settings)


def _without_intervals(sample, labels, ask, estimates):
    plan = plan_priors(estimates, labels, confidence=ask.confidence, resampled=False)
    found = scores_over(ask, sample.full[0], plan, selection=labels.selection)
    scores, over = {name: (each[0], None) for name, each in found.items()}, {name: found[name][1] for name in found}
    spans = [_range(span) for span in plan.spans]
    return Corrections(scores, *plan.pair, *spans, labels.accounts_for, labels.selection, 0, over_alpha=over)


def _range(span):
    """A range, None if there is none or its ends are the same."""
    return None if span is None or span[0] == span[1] else span
