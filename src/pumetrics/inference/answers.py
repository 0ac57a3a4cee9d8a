"""The answers of one sample to a request: corrected scores with their intervals, bounds, thresholds and priors."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pumetrics.bounds.scores import band_for, score_bounds
from pumetrics.counts import count_ranks
from pumetrics.inference.corrected import Interval, intervals_of
from pumetrics.inference.request import FEW, LEAST, plan_priors
from pumetrics.inference.sample import scores_of_sample
from pumetrics.inference.selection import reweighted
from pumetrics.metrics import clipped, find_metric, rates_at
from pumetrics.priors.interval import identifies
from pumetrics.priors.upper_bound import MOST_SHARE, largest_alpha

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
    """Corrected scores of one model, for one strength of selection, and the priors behind them."""

    scores: dict
    """Of type :class:`Score`, by metric."""
    ranges: dict
    """Ends of the interval by metric; without resamples, the range of the score over that of alpha."""
    blind: bool
    """Whether alpha is unknown, and examples are fewer than an interval needs, or labeled ones score no higher than
    unlabeled ones: nothing is identified."""
    few: bool
    """Whether examples are fewer than an interval needs: no score is identified, even if alpha is given."""
    alpha: float
    beta: float
    alpha_interval: tuple | None
    beta_interval: tuple | None
    alpha_bound: float | None
    """Guaranteed upper bound for alpha at half of the level; None with noisy labels."""
    alpha_identified: bool
    """Whether alpha is given, or identified by the scores."""
    uncertainty: str
    selection: float
    n_resamples: int


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
    blind = labels.alpha is None and (few or not estimates.separates)
    counted = sample.design is None or sample.design.counts_rows
    clean = labels.beta == 1 and not labels.noisy
    most = largest_alpha(estimates.counts, confidence=(1 + ask.confidence) / 2) if clean and counted else None
    resampled = not few and ask.n_bootstrap >= LEAST
    found = intervals_of(sample, labels, ask, [estimates]) if resampled else _over_alpha(sample, labels, ask, estimates)
    return corrections_of(found, blind=blind, few=few, alpha_bound=most)


def corrections_of(intervals, *, blind, few, alpha_bound=None):
    """Corrections from the intervals of one model, by metric."""
    first, scores, ranges = next(iter(intervals.values())), {}, {}
    for name, each in intervals.items():
        ranges[name] = ends = each.lower, each.upper
        identified = not (blind or few) and informative(name, ends)
        value, interval = each.estimate if identified else np.nan, ends if each.n_resamples else None
        scores[name] = Score(name, np.nan, value, interval, None, "", identified)
    spans = first.alpha_interval, first.beta_interval
    spans = [None if span is None or span[0] == span[1] else span for span in spans]
    estimated = first.uncertainty.startswith(("calibrated", "guaranteed")) and spans[0] is not None
    known = not blind and (not estimated or identifies(*spans[0]))
    settings = (first.uncertainty, first.selection, first.n_resamples)
    return Corrections(scores, ranges, blind, few, first.alpha, first.beta, *spans, alpha_bound, known, *settings)


_ALPHAS = 9  # of a range, at which scores are taken where there are no resamples


def _over_alpha(sample, labels, ask, estimates):
    """Scores by metric without resamples: the least and the largest over alpha in the place of intervals."""
    plan = plan_priors(estimates, labels, confidence=ask.confidence, resampled=False)
    (alpha, beta), span = plan.pair, plan.spans[0]
    inner = () if span is None or span[0] == span[1] else np.linspace(*span, _ALPHAS)
    options = {"selection": labels.selection, "beta": beta, **ask.where}
    alphas = [alpha, *(min(float(each), MOST_SHARE * beta) for each in inner)]
    values = np.array([scores_of_sample(ask.metrics, sample.full[0], alpha=each, **options) for each in alphas])
    settings = (ask.confidence, alpha, beta, *plan.spans, 0, labels.accounts_for, labels.selection)
    columns = ((name, clipped(name, column)) for name, column in zip(ask.metrics, values.T, strict=True))
    return {name: Interval(*map(float, (each[0], each.min(), each.max())), *settings) for name, each in columns}


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
    if sample.design is None and found.selection == 1 and _clean(found):
        ranking, options = count_ranks(None, counts), {"alpha": bounds_alpha(found, counts.n_unlabeled)}
        options["confidence"] = ask.confidence
        options |= {"band": band_for(ranking, **options), "ranking": ranking, **ask.where}
        bounds = score_bounds(ask.metrics, None, counts, **options)
    scores = []
    for name, score in found.scores.items():
        selected = ((other.selection, other.scores[name].corrected, other.scores[name].interval) for other in others)
        population = ask.population if found.selection != 1 or _of_population(name) else None
        scores.append(
            replace(
                score, uncorrected=before[name], bounds=bounds.get(name), assumes=_assumptions(name, sample, found),
                selected=tuple(selected), threshold=places[name], population=population,
            )
        )  # fmt: skip
    return tuple(scores)


def _clean(found):
    """Whether labels are taken to be right."""
    return found.beta == 1 and not found.uncertainty.endswith("noise")


def _of_population(name):
    """Whether a metric depends on the class mix."""
    return find_metric(name).population != "any"


def _assumptions(name, sample, found):
    grounds = "SCAR" if found.selection == 1 else f"selection {found.selection:g}"
    grounds = "propensity" if sample.design is not None and sample.design.propensity is not None else grounds
    grounds += ", alpha" if _clean(found) else ", alpha, beta"
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
