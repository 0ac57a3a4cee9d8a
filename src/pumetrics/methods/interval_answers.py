"""Answers with an interval from resamples: of the methods that are such intervals, and of the corrections."""

from pumetrics.inference import corrected_interval
from pumetrics.inference.selection import reweighted
from pumetrics.inference.types import ACCOUNTS_FOR, informative
from pumetrics.label_frequency import alpha_from_rho
from pumetrics.methods.registry import find_method
from pumetrics.methods.resampled import intervals_of, place_of
from pumetrics.methods.sample import ScoredSample
from pumetrics.methods.types import Answer, Given
from pumetrics.metrics import find_metric

__all__ = ["LEFT_OUT", "interval_answer", "with_interval"]

LEFT_OUT = "the error of the estimated priors is left out"


def interval_answer(metric, name, request, sample, *, confidence, random_state):
    """Answer of a method that is an interval; see :func:`pumetrics.methods.estimate_score`.

    Parameters
    ----------
    metric, name : str
        Entries of ``METRICS`` and ``METHODS``.
    request : Request
    sample : ScoredSample
        With the threshold at which measures of predictions are taken.
    confidence : float
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    Answer

    Raises
    ------
    ValueError
        If alpha is known to a method for an unknown one, or cannot be estimated.
    """
    entry = find_method(name)
    if request.known and entry.uncertainty != "sampling":
        raise ValueError(
            f"{name} is for an alpha that is not known, and alpha or rho is given: leave it out, or use "
            "interval_sampling"
        )
    given = Given(confidence=confidence, estimator=request.estimator)
    if request.known:
        alpha = request.alpha
        if alpha is None:
            alpha = alpha_from_rho(request.rho, sample.counts.n_labeled, sample.counts.n_unlabeled, beta=request.beta)
        given, prior = given._replace(alpha=alpha, beta=request.beta), "given" if request.rho is None else "rho"
    else:
        prior = request.estimator + ("_clean" if request.beta == 1 else "")
        given = given._replace(beta=float("nan") if request.beta is None else request.beta)
    options = {"uncertainty": entry.uncertainty, "random_state": random_state, "population": sample.population}
    interval = intervals_of(sample, given, [metric], **options)[metric]
    notes = [f"assumes {entry.assumes}"]
    if prior not in ("given", "rho"):
        notes.append(f"alpha = {interval.alpha:.3g} was estimated from the scores ({prior})")
    notes.append(_held(metric, interval))
    return Answer(
        interval.estimate, interval.lower, interval.upper, _threshold(sample, metric, interval), interval.alpha,
        interval.beta, name, prior, tuple(notes),
    )  # fmt: skip


def _threshold(sample, metric, interval):
    """The threshold that the estimate of an interval belongs to; None for areas."""
    return None if find_metric(metric).kind == "area" else float(sample.thresholds[place_of(sample, metric, interval)])


def with_interval(answer, metric, request, sample, threshold, confidence, random_state, selection):
    """The answer with a bootstrap interval, where the bootstrap computes what the method computes."""
    entry = find_metric(metric)
    same = "indirect" if entry.kind == "area" else "direct"
    if answer.method != same:
        raise ValueError(
            f"{answer.method} gives no interval of {metric}: leave confidence out, or use {same} or one of the bounds"
        )
    known = {"alpha": answer.alpha, "beta": answer.beta}
    estimated = {"beta": 1.0 if request.beta is None else request.beta, "method": request.estimator}
    interval = corrected_interval(
        metric, sample.s, sample.score, threshold=threshold, confidence=confidence,
        random_state=random_state, selection=selection, population=sample.population,
        **(known if request.known else {**estimated, "noisy": request.beta is None}),
    )  # fmt: skip
    shown = ScoredSample(sample.s, sample.score, threshold=threshold, population=sample.population)
    whom = entry.population_of(sample.population)
    shown.counts = reweighted(shown.counts, selection, alpha=interval.alpha, population=whom)
    notes = [each for each in answer.notes if each != LEFT_OUT]
    return answer._replace(
        estimate=interval.estimate, lower=interval.lower, upper=interval.upper, alpha=interval.alpha,
        beta=interval.beta, threshold=_threshold(shown, metric, interval), notes=(*notes, _held(metric, interval)),
    )  # fmt: skip


def _held(metric, interval):
    """What an interval accounts for, in a sentence or two."""
    note = f"{interval.confidence:.0%} bootstrap interval from {interval.n_resamples} resamples. "
    note += ACCOUNTS_FOR[interval.uncertainty]
    return (
        note
        if informative(metric, (interval.lower, interval.upper))
        else f"{note} {find_metric(metric).label} is not identified by these scores"
    )
