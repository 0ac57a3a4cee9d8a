"""The answers of one sample to a request: corrected scores with their intervals, bounds, thresholds and priors."""

from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from typing import NamedTuple

import numpy as np

from pumetrics.equality import ComparedByValue
from pumetrics.inference.corrected import Interval, intervals_of
from pumetrics.inference.request import LEAST, plan_priors
from pumetrics.inference.sample import scores_of
from pumetrics.metrics import clipped, find_metric, rates_at
from pumetrics.priors.interval import identifies
from pumetrics.priors.upper_bound import MOST_SHARE, largest_alpha

__all__ = [
    "Corrections",
    "Score",
    "corrections",
    "corrections_of",
    "informative",
    "over_alpha",
    "scores_of_request",
]


def informative(metric, interval):
    """Whether an interval of a metric identifies it, see :func:`pumetrics.priors.interval.identifies`.

    Examples
    --------
    >>> informative("roc_auc", (0.2, 0.9)), informative("lift_at_1%", (3.0, 8.0))
    (False, True)
    """
    return identifies(*interval, unbounded=find_metric(metric).range[1] == float("inf"))


@dataclass(frozen=True, eq=False)
class Score(ComparedByValue):
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
    assumes : str
        Assumptions of the estimate.
    identified : bool
        Whether the interval is narrow enough to identify the score, see :func:`pumetrics.priors.interval.identifies`;
        False with fewer than ten labeled or unlabeled examples or clusters, for which there is no interval.
    threshold : float or None
        Threshold of the predictions: the given one, the best one, or the score at which the top of the ranking ends,
        these as the shortest decimal that predicts the same. None for areas; infinity if it is best to predict no
        positives.
    population : {"all", "unlabeled"} or None
        Population of the metric: all examples, or only the unlabeled ones. None if the metric is the same for both,
        because it does not depend on the class mix and labels are random. With "unlabeled", `uncorrected` is NaN,
        because all unlabeled examples count as negatives there.
    """

    metric: str
    uncorrected: float
    corrected: float
    interval: tuple[float, float] | None
    assumes: str
    identified: bool = True
    threshold: float | None = None
    population: str | None = None


class Corrections(NamedTuple):
    """Corrected scores of one model, and the priors behind them."""

    scores: dict
    """Of type :class:`Score`, by metric."""
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
    """Guaranteed upper bound for alpha at half of the level; None with weights, clusters, noisy labels or beta < 1."""
    alpha_identified: bool
    """Whether alpha is given, or identified by the scores."""
    uncertainty: str
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
    exact = sample.design is None and labels.beta == 1 and not labels.noisy
    most = largest_alpha(estimates.counts, confidence=(1 + ask.confidence) / 2) if exact else None
    resampled = not few and ask.n_bootstrap >= LEAST
    found = (
        intervals_of(sample, labels, ask, [estimates])
        if resampled
        else over_alpha(sample, labels, ask, estimates)
    )
    return corrections_of(found, blind=blind, few=few, alpha_bound=most)


def corrections_of(intervals, *, blind, few, alpha_bound=None):
    """Corrections from the intervals of one model, by metric."""
    first, scores = next(iter(intervals.values())), {}
    for name, each in intervals.items():
        ends = each.lower, each.upper
        identified = not (blind or few) and informative(name, ends)
        value, interval = (
            each.estimate if identified else np.nan,
            ends if each.n_resamples else None,
        )
        scores[name] = Score(name, np.nan, value, interval, "", identified)
    spans = first.alpha_interval, first.beta_interval
    spans = [None if span is None or span[0] == span[1] else span for span in spans]
    estimated = first.uncertainty.startswith(("calibrated", "guaranteed")) and spans[0] is not None
    known = not blind and (not estimated or identifies(*spans[0]))
    settings = alpha_bound, known, first.uncertainty, first.n_resamples
    return Corrections(scores, blind, few, first.alpha, first.beta, *spans, *settings)


_ALPHAS = 9  # of a range, at which scores are taken where there are no resamples


def over_alpha(sample, labels, ask, estimates, *, model=0):
    """Scores by metric without resamples: the least and the largest over alpha in the place of intervals."""
    plan = plan_priors(estimates, labels, confidence=ask.confidence, resampled=False)
    (alpha, beta), span = plan.estimate, plan.spans[0]
    inner = () if span is None or span[0] == span[1] else np.linspace(*span, _ALPHAS)
    alphas, options = (
        [alpha, *(min(float(each), MOST_SHARE * beta) for each in inner)],
        {"beta": beta, **ask.where},
    )
    options["sizes"] = sample.tops_of
    values = np.array(
        [
            scores_of(ask.metrics, sample.full[model].counts, alpha=each, **options)
            for each in alphas
        ]
    )
    settings = (ask.confidence, alpha, beta, *plan.spans, 0, labels.accounts_for)
    columns = (
        (name, clipped(name, column)) for name, column in zip(ask.metrics, values.T, strict=True)
    )
    return {
        name: Interval(*map(float, (each[0], each.min(), each.max())), *settings)
        for name, each in columns
    }


def scores_of_request(sample, ask, found):
    """Every metric that was requested, with what belongs to it.

    Parameters
    ----------
    sample : Sample
        Of one model.
    ask : Ask
    found : Corrections

    Returns
    -------
    tuple of Score
    """
    (counts,), options = (
        [each.counts for each in sample.full],
        {"threshold": ask.threshold, "population": "all"},
    )
    options["sizes"] = sample.tops_of
    before = dict(
        zip(
            ask.metrics, scores_of(ask.metrics, counts, alpha=0.0, beta=1.0, **options), strict=True
        )
    )
    scores = []
    for name, score in found.scores.items():
        population = ask.population if _of_population(name) else None
        same = population != "unlabeled"  # else all of the unlabeled would count as negatives
        scores.append(
            replace(
                score,
                uncorrected=float(before[name]) if same else np.nan,
                assumes=_assumptions(name, found),
                threshold=_threshold_of(name, ask, counts, found),
                population=population,
            )
        )
    return tuple(scores)


def _of_population(name):
    """Whether a metric depends on the class mix."""
    return find_metric(name).population != "any"


def _assumptions(name, found):
    noisy = found.beta < 1 or found.uncertainty.endswith("noise")
    labeled_alone = find_metric(name).measure in (
        "recall",
        "lift",
    )  # which need the unlabeled only to undo noise
    grounds = "SCAR, alpha, beta" if noisy else "SCAR" if labeled_alone else "SCAR, alpha"
    return f"{grounds}, class mix" if _of_population(name) else grounds


def _threshold_of(name, ask, counts, found):
    """Threshold at which a corrected metric is taken: given, the best one, or that of the last example of a top.

    None for areas; infinity where it is best to predict no positives.
    """
    entry = find_metric(name)
    if entry.kind == "area" or (entry.kind == "threshold" and ask.threshold is not None):
        return None if entry.kind == "area" else ask.threshold
    if entry.kind == "top":
        place = entry.place(counts, population=ask.population)
    else:
        rates = rates_at(counts, alpha=found.alpha, beta=found.beta, population=ask.population)
        place = np.argmax(entry.formula(rates))
    return _short(counts.thresholds, int(np.ceil(place)))


def _short(thresholds, place):
    """The shortest decimal that predicts the same as a threshold: at most it, and above the next one.

    Also in the precision of scores that look as if they had less than double, see :func:`check_threshold`.
    """
    threshold = float(thresholds[place])
    below = float(thresholds[place + 1]) if place + 1 < len(thresholds) else -np.inf
    if np.isfinite(threshold) and threshold:
        exact, largest = Decimal(threshold), Decimal(threshold).adjusted()
        with np.errstate(over="ignore"):
            kinds = [
                kind
                for kind in (float, np.float32, np.float16)
                if (thresholds.astype(kind) == thresholds).all()
            ]
            for digits in range(3, 17):
                rounded = float(
                    exact.quantize(Decimal(1).scaleb(largest - digits + 1), ROUND_FLOOR)
                )
                if below < min(float(kind(rounded)) for kind in kinds):
                    return rounded
    return threshold
