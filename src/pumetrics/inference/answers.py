"""The answers of a sample to a request: each metric once, with its interval, threshold and assumptions."""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

import numpy as np

from pumetrics.equality import ComparedByValue
from pumetrics.inference.corrected import corrected, over_alpha
from pumetrics.inference.request import LEAST
from pumetrics.inference.sample import scores_of
from pumetrics.metrics import find_metric, rates_at
from pumetrics.priors.interval import identifies

__all__ = ["Score", "answered", "informative", "scores_of_model", "shortest_threshold"]


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
        because it does not depend on the prevalence and labels are random. With "unlabeled", `uncorrected` is NaN,
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


def answered(sample, labels, ask, estimates):
    """Corrected scores of one model or two, with intervals where there are enough examples and resamples.

    Parameters
    ----------
    sample : Sample
    labels : Labels
    ask : Ask
        With 0 resamples for no intervals.
    estimates : PriorEstimates
        What the model that separates best says of the priors.

    Returns
    -------
    Corrected
    """
    if sample.n_drawn < LEAST or ask.n_bootstrap < LEAST:
        return over_alpha(sample, labels, ask, estimates)
    return corrected(sample, labels, ask, estimates)


def scores_of_model(sample, ask, found, *, model, unknown):
    """Every metric of a model that was requested.

    Parameters
    ----------
    sample : Sample
    ask : Ask
    found : Corrected
    model : int
        Number of the model in the sample.
    unknown : bool
        Whether no score is identified, whatever its interval.

    Returns
    -------
    tuple of Score
    """
    counts = sample.full[model].counts
    before = scores_of(
        ask.metrics,
        counts,
        alpha=0.0,
        beta=1.0,
        threshold=ask.threshold,
        sizes=sample.tops_of,
    )
    scores = []
    for (name, interval), uncorrected in zip(found.models[model].items(), before, strict=True):
        ends = (interval.lower, interval.upper)
        identified = not unknown and informative(name, ends)
        population = ask.population if find_metric(name).population != "any" else None
        # Among the unlabeled alone, all of them would count as negatives.
        comparable = population != "unlabeled"
        score = Score(
            metric=name,
            uncorrected=float(uncorrected) if comparable else np.nan,
            corrected=interval.estimate if identified else np.nan,
            interval=ends if found.priors.n_resamples else None,
            assumes=_assumptions(name, found.priors),
            identified=identified,
            threshold=_threshold_of(name, ask, counts, found.priors),
            population=population,
        )
        scores.append(score)
    return tuple(scores)


def _assumptions(name, priors):
    entry = find_metric(name)
    assumed = ["SCAR"]
    noisy = priors.beta < 1 or priors.uncertainty.endswith("noise")
    if noisy:
        assumed += ["alpha", "beta"]
    elif entry.measure not in ("recall", "lift"):  # which need the unlabeled only to undo noise
        assumed.append("alpha")
    if entry.population != "any":
        assumed.append("prevalence")
    return ", ".join(assumed)


def _threshold_of(name, ask, counts, priors):
    """Threshold at which a corrected metric is taken: given, the best one, or that of the last example of a top.

    None for areas; infinity where it is best to predict no positives.
    """
    entry = find_metric(name)
    if entry.kind == "area":
        return None
    if entry.kind == "threshold" and ask.threshold is not None:
        return ask.threshold

    if entry.kind == "top":
        place = entry.place(counts, population=ask.population)
    else:
        rates = rates_at(counts, alpha=priors.alpha, beta=priors.beta, population=ask.population)
        place = np.argmax(entry.formula(rates))
    return shortest_threshold(counts.thresholds, int(np.ceil(place)))


def shortest_threshold(thresholds, place):
    """The shortest decimal that predicts the same as a threshold: at most it, and above the next one.

    Also in the precision of scores that look as if they had less than double, see :func:`check_threshold`.
    """
    threshold = float(thresholds[place])
    if threshold == 0 or not np.isfinite(threshold):
        return threshold

    below = float(thresholds[place + 1]) if place + 1 < len(thresholds) else -np.inf
    exact = Decimal(threshold)
    with np.errstate(over="ignore"):
        kinds = [
            kind
            for kind in (float, np.float32, np.float16)
            if (thresholds.astype(kind) == thresholds).all()
        ]
        for digits in range(3, 17):
            last = Decimal(1).scaleb(exact.adjusted() - digits + 1)
            rounded = float(exact.quantize(last, ROUND_FLOOR))
            if below < min(float(kind(rounded)) for kind in kinds):
                return rounded
    return threshold
