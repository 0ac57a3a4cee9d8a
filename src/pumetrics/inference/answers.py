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
    "Corrections", "Score", "bounds_alpha", "corrections", "corrections_of", "informative", "scores_of_request",
    "thresholds_of",
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
    counted = sample.design is None or sample.design.counts_rows
    states = {
        "alpha_bound": estimates.largest((1 + ask.confidence) / 2) if labels.clean and counted else None,
        "blind": labels.alpha is None and (few or not estimates.separates),
        "few": few,
    }
    if not few and ask.n_bootstrap >= LEAST:
        return corrections_of(intervals_of(sample, labels, ask, [estimates]), **states)
    plan = plan_priors(estimates, labels, confidence=ask.confidence, resampled=False)
    found = _scores_over(ask, sample.full[0], plan, labels.selection)
    scores, over = {name: (each[0], None) for name, each in found.items()}, {name: found[name][1] for name in found}
    spans, settings = map(_range, plan.spans), (labels.accounts_for, labels.selection, 0)
    return Corrections(scores, *plan.pair, *spans, *settings, over_alpha=over, **states)


def corrections_of(intervals, **states):
    """Corrections from the intervals of one model, by metric."""
    first = next(iter(intervals.values()))
    scores = {name: (each.estimate, (each.lower, each.upper)) for name, each in intervals.items()}
    spans, settings = map(_range, first[6:8]), (first.uncertainty, first.selection, first.n_resamples)
    return Corrections(scores, first.alpha, first.beta, *spans, *settings, **states)


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
    options = {"alpha": 0.0, "beta": 1.0, "threshold": ask.threshold, "population": "all"}
    before = dict(zip(ask.metrics, scores_of_sample(ask.metrics, sample.full[0], **options), strict=True))
    for name in before:  # none of the unlabeled is positive
        before[name] = float(before[name]) if ask.population == "all" or not _of_population(name) else np.nan
    places, bounds, (counts,) = thresholds_of(ask, sample, found), {}, sample.counts
    if sample.design is None and found.clean and found.selection == 1:
        ranking, options = count_ranks(None, counts), {"alpha": bounds_alpha(found, counts.n_unlabeled)}
        options["confidence"] = ask.confidence
        options |= {"band": band_for(ranking, **options), "ranking": ranking, **ask.where}
        bounds = score_bounds(ask.metrics, None, counts, **options)
    return tuple(
        Score(
            metric=name, uncorrected=before[name], corrected=found.shown(name)[0], interval=found.shown(name)[1],
            bounds=bounds.get(name), assumes=_assumptions(name, sample, found), identified=found.identified(name),
            selected=tuple((other.selection, *other.shown(name)) for other in others), threshold=places[name],
            population=ask.population if found.selection != 1 or _of_population(name) else None,
        )
        for name in ask.metrics
    )  # fmt: skip


def _of_population(name):
    """Whether a metric depends on the class mix."""
    return find_metric(name).population != "any"


def _assumptions(name, sample, found):
    grounds = "SCAR" if found.selection == 1 else f"selection {found.selection:g}"
    grounds = "propensity" if sample.design is not None and sample.design.propensity is not None else grounds
    grounds += ", alpha" if found.clean else ", alpha, beta"
    grounds += ", class mix" if _of_population(name) else ""
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
