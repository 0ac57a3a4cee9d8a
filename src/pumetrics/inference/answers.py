"""The answers of one sample to a request: corrected scores with their intervals, bounds, thresholds and priors."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pumetrics.bounds.scores import band_for, score_bounds
from pumetrics.counts import count_ranks
from pumetrics.inference.corrected import intervals_of
from pumetrics.inference.request import FEW, LEAST, plan_priors
from pumetrics.inference.sample import scores_of_sample
from pumetrics.inference.selection import reweighted
from pumetrics.metrics import clipped, find_metric, rates_at
from pumetrics.priors.interval import identifies
from pumetrics.priors.upper_bound import MOST_SHARE

__all__ = [
    "Corrections", "Score", "bounds_alpha", "corrections", "informative", "scores_of_request", "thresholds_of",
]  # fmt: skip


def informative(metric, interval):
    """Whether an interval of a metric identifies it, see :func:`pumetrics.priors.interval.identifies`.

    Examples
    --------
    >>> informative("roc_auc", (0.2, 0.9)), informative("lift_at_1%", (3.0, 8.0))
    (False, True)
    """
    return identifies(*interval, unbounded=find_metric(metric).range[1] == float("inf"))


@dataclass(frozen=True)
class Score:
    """Results for one metric of an assessment.

    Attributes
    ----------
    metric : str
    uncorrected : float
        Computed with labeled examples as positives and unlabeled examples as negatives.
    corrected : float
        Estimate against the true class; NaN if it is not identified.
    interval : tuple of (float, float) or None
        Interval that accounts for sampling error and for the uncertainty of alpha; None if no interval was requested.
        Its coverage holds whether or not the score is identified.
    bounds : tuple of (float, float) or None
        Limits of the true score given alpha; None with noisy labels, for which there are no bounds.
    assumes : str
        Assumptions of the estimate; with fewer than 50 labeled examples these include "50 or more labeled", because
        intervals of fewer are too narrow.
    identified : bool
        Whether the interval is narrow enough to identify the score, see :func:`pumetrics.priors.interval.identifies`;
        False with fewer than ten labeled or unlabeled examples or clusters, for which there is no interval.
    threshold : float or None
        Threshold of the predictions: the given one, the best one, or the score at which the top of the ranking ends.
        None for areas; infinity if it is best to predict no positives.
    population : {"all", "unlabeled"} or None
        Population of the metric: all examples, or only the unlabeled ones. None if the metric is the same for both,
        because it does not depend on the class mix and labels are random. With "unlabeled", `uncorrected` is NaN,
        because all unlabeled examples count as negatives there.
    selected : tuple of (float, float, (float, float) or None)
        Strengths of a selection by score, each with the corrected score and its interval; see
        :func:`pumetrics.inference.selection.reweighted`.
    """

    metric: str
    uncorrected: float
    corrected: float
    interval: tuple[float, float] | None
    bounds: tuple[float, float] | None
    assumes: str
    identified: bool = True
    selected: tuple = ()
    threshold: float | None = None
    population: str | None = None


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
    def clean(self):
        """Whether labels are taken to be right."""
        return self.beta == 1 and not self.uncertainty.endswith("noise")

    @property
    def alpha_identified(self):
        """Whether alpha is given, or identified by the scores."""
        if not self.uncertainty.startswith(("calibrated", "guaranteed")) or self.alpha_interval is None:
            return not self.blind
        return not self.blind and identifies(*self.alpha_interval)

    def range_of(self, metric):
        """The interval of a metric, or its range over alpha; None if alpha is given and there are no resamples."""
        return self.scores[metric][1] or (self.over_alpha or {}).get(metric)

    def identified(self, metric):
        """Whether the range of a metric is narrow enough to identify it."""
        span = self.range_of(metric)
        return not (self.blind or self.few) and (span is None or informative(metric, span))

    def shown(self, metric):
        """The corrected score, NaN where it is not identified, and its interval."""
        value, interval = self.scores[metric]
        return value if self.identified(metric) else np.nan, interval


def corrections(sample, labels, ask, estimates):
    """Corrected scores of one model, with intervals where these can be computed.

    Parameters
    ----------
    sample : Sample
        Of one model.
    labels : Labels
    ask : Ask
        With 0 resamples for no intervals.
    estimates : PriorEstimates
        What the counts of the sample say of the priors.

    Returns
    -------
    Corrections
    """
    few = sample.n_drawn < LEAST
    corrected = _without_intervals if few or ask.n_bootstrap < LEAST else _with_intervals
    counted = sample.design is None or sample.design.counts_rows
    bound = estimates.largest((1 + ask.confidence) / 2) if labels.clean and counted else None
    blind = labels.alpha is None and (few or not estimates.separates)
    return corrected(sample, labels, ask, estimates)._replace(alpha_bound=bound, blind=blind, few=few)


def _with_intervals(sample, labels, ask, estimates):
    intervals = intervals_of(sample, labels, ask, [estimates])
    any_one = next(iter(intervals.values()))
    ranges = [_range(span) for span in (any_one.alpha_interval, any_one.beta_interval)]
    scores = {name: (each.estimate, (each.lower, each.upper)) for name, each in intervals.items()}
    settings = (any_one.uncertainty, any_one.selection, any_one.n_resamples)
    return Corrections(scores, any_one.alpha, any_one.beta, *ranges, *settings)


def _without_intervals(sample, labels, ask, estimates):
    plan = plan_priors(estimates, labels, confidence=ask.confidence, resampled=False)
    found = _scores_over(ask, sample.full[0], plan, labels.selection)
    scores, over = {name: (each[0], None) for name, each in found.items()}, {name: found[name][1] for name in found}
    spans = [_range(span) for span in plan.spans]
    return Corrections(scores, *plan.pair, *spans, labels.accounts_for, labels.selection, 0, over_alpha=over)


_ALPHAS = 9  # of a range, at which scores are taken where there are no resamples


def _scores_over(ask, sample, plan, selection):
    """Scores by metric, corrected with the pair of a plan, and the least and the largest over its range of alpha."""
    (alpha, beta), span = plan.pair, plan.spans[0]
    options = {"selection": selection, **ask.where}
    inner = () if span is None or span[0] == span[1] else np.linspace(*span, _ALPHAS)
    alphas = [alpha, *(min(float(each), MOST_SHARE * beta) for each in inner)]
    values = np.array([scores_of_sample(ask.metrics, sample, alpha=each, beta=beta, **options) for each in alphas])
    columns = {name: clipped(name, column) for name, column in zip(ask.metrics, values.T, strict=True)}
    return {name: (float(each[0]), (float(each.min()), float(each.max()))) for name, each in columns.items()}


def _range(span):
    """A range, None if there is none or its ends are the same."""
    return None if span is None or span[0] == span[1] else span


def scores_of_request(sample, ask, found, others=()):
    """Every metric that was requested, with what belongs to it.

    Parameters
    ----------
    sample : Sample
        Of one model.
    ask : Ask
    found : Corrections
    others : sequence of Corrections
        Under selections of other strengths.

    Returns
    -------
    tuple of Score
    """
    before, places, bounds = _uncorrected(ask, sample.full[0]), thresholds_of(ask, sample, found), {}
    if sample.design is None:
        bounds = bounds_of(ask, sample.counts[0], found)
    return tuple(
        Score(
            metric=name, uncorrected=before[name], corrected=found.shown(name)[0], interval=found.shown(name)[1],
            bounds=bounds.get(name), assumes=_assumptions(name, sample, found), identified=found.identified(name),
            selected=tuple((other.selection, *other.shown(name)) for other in others), threshold=places[name],
            population=ask.population if found.selection != 1 or find_metric(name).population != "any" else None,
        )
        for name in ask.metrics
    )  # fmt: skip


def _uncorrected(ask, sample):
    """Scores against the observed labels; NaN where they would be about the unlabeled, none of which is positive."""
    values = scores_of_sample(ask.metrics, sample, alpha=0.0, beta=1.0, threshold=ask.threshold, population="all")
    return {
        name: float(value) if ask.population == "all" or find_metric(name).population == "any" else np.nan
        for name, value in zip(ask.metrics, values, strict=True)
    }


def _assumptions(name, sample, found):
    grounds = "SCAR" if found.selection == 1 else f"selection {found.selection:g}"
    grounds = "propensity" if sample.design is not None and sample.design.propensity is not None else grounds
    grounds += ", alpha" if found.clean else ", alpha, beta"
    grounds += "" if find_metric(name).population == "any" else ", class mix"
    few = found.n_resamples and sample.counts[0].n_labeled < FEW
    return f"{grounds}, {FEW} or more labeled" if few else grounds


def thresholds_of(ask, sample, found):
    """Thresholds at which corrected metrics are taken: given, the best one, or that of the last example of a top.

    Parameters
    ----------
    ask : Ask
    sample : Sample
        Of one model.
    found : Corrections

    Returns
    -------
    dict of str to float or None
        None for areas, and of folds, each of which has its own; infinity where it is best to predict no positives.
    """
    (full,) = sample.full
    if len(full.folds) > 1:
        return {name: ask.threshold if find_metric(name).kind == "threshold" else None for name in ask.metrics}
    counts, thresholds = full.folds[0], {}
    for name in ask.metrics:
        entry = find_metric(name)
        if entry.kind == "area" or (entry.kind == "threshold" and ask.threshold is not None):
            thresholds[name] = None if entry.kind == "area" else ask.threshold
            continue
        population = entry.population_of(ask.population)
        shown = reweighted(counts, found.selection, alpha=found.alpha, population=population)
        if entry.kind == "top":
            place = entry.place(shown, population=ask.population)
        else:
            rates = rates_at(shown, alpha=found.alpha, beta=found.beta, population=population)
            place = np.argmax(entry.formula(rates))
        thresholds[name] = float(counts.thresholds[int(np.ceil(place))])
    return thresholds


def bounds_of(ask, counts, found):
    """Bounds by metric; none with noisy or selected labels.

    Parameters
    ----------
    ask : Ask
    counts : Counts
    found : Corrections

    Returns
    -------
    dict of str to (float, float)
    """
    if not found.clean or found.selection != 1:
        return {}
    ranking = count_ranks(None, counts)
    options = {"alpha": bounds_alpha(found, counts.n_unlabeled), "confidence": ask.confidence}
    band = band_for(ranking, **options)
    return score_bounds(ask.metrics, None, counts, band=band, ranking=ranking, **options, **ask.where)


def bounds_alpha(found, n_unlabeled):
    """Alpha, or its range, for which bounds are computed: with a negative, and a hidden positive if it allows one.

    Where less than one is expected there may be none or one.
    """
    low, high = found.alpha_interval or (found.alpha, found.alpha)
    one, most = 1 / n_unlabeled, 1 - 1 / n_unlabeled
    if high < one:
        return 0.0, min(one, most)
    if found.alpha_interval is None:
        return found.alpha
    high = min(high, most)
    return min(max(low, one), high), high
