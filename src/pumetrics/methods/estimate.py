"""Estimates of a metric by a named method, with given priors or those of a named estimator."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pumetrics.bounds import score_bounds
from pumetrics.inference.prior_plan import PriorEstimates, check_estimable, stream_of_priors
from pumetrics.inference.request import ACCOUNTS_FOR, ask_of, check_metrics, labels_of
from pumetrics.inference.sample import Sample
from pumetrics.methods.registry import available_methods, find_method
from pumetrics.metrics import clipped, find_metric
from pumetrics.priors import available_priors
from pumetrics.validation import check_random_state, check_scores, check_threshold

__all__ = ["Answer", "estimate_score"]


class Answer(NamedTuple):
    """Estimate of a metric by a method, with what it is based on."""

    estimate: float
    """Clipped to the range of the metric; of a method that ranks only, a number to order models by."""
    lower: float | None
    """Lower end of the bounds or of the interval; None if there is none."""
    upper: float | None
    """Upper end; None if there is none."""
    threshold: float | None
    """Predict positive for scores >= threshold: where a measure of predictions is taken; None for areas."""
    alpha: float | None
    """Share of positives among the unlabeled that the method used; None if it used none."""
    beta: float | None
    """Share of positives among the labeled that the method used; None if it used none."""
    method: str
    """Name in ``METHODS``."""
    prior: str
    """Where alpha comes from: "given", "rho", "pi", "none", or the estimator, with "_clean" where labels are right."""
    notes: tuple[str, ...]
    """What the number assumes and leaves out, one sentence each."""


def estimate_score(
    metric,
    s,
    y_score,
    *,
    method,
    alpha=None,
    beta=1.0,
    rho=None,
    pi=None,
    prior="consensus",
    threshold=None,
    confidence=0.95,
    random_state=None,
    population="all",
):
    """Estimate a metric against the true class by a named method, with given priors or those of a named estimator.

    For "how good is this model", with an interval and what the scores leave open, see
    :func:`pumetrics.assessment.assess`.

    Parameters
    ----------
    metric : str
        An entry of ``METRICS``: "roc_auc", "average_precision", "accuracy",
        "balanced_accuracy", "f1", "mcc", or the maximum of one of the last four over all thresholds, such as "max_f1";
        "precision" or "recall" at a threshold; or precision, recall or lift of the examples that score highest, by
        number or share, such as "precision_at_100", "recall_at_1%" and "lift_at_5%".
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n,)
        Out-of-sample scores, higher means more positive.
    method : str
        An entry of ``METHODS``, such as one that the study head_to_head recommends (docs/choosing.md).
    alpha : float, optional
        Share of positives among the unlabeled. By default it is computed from `rho` or `pi` or estimated.
    beta : float or None, default=1.0
        Share of positives among the labeled; None estimates it as well. The row ``direct, consensus`` of
        docs/choosing.md is ``method="direct", prior="consensus", beta=None``.
    rho : float, optional
        Label frequency, the share of all positives that are labeled, in (0, 1]: an alternative to alpha.
    pi : float, optional
        Share of positives among all examples, labeled or not, in [0, 1] and at least the share that the
        labeled positives have in them: an alternative to alpha and rho.
    prior : str, default="consensus"
        Estimator of the priors, see :func:`pumetrics.priors.available_priors`. The suffix "_clean" means that the
        labels are right, like ``beta=1``.
    threshold : float, optional
        Predict positive for scores >= threshold. Without a threshold, measures of predictions are reported at their
        maximum; precision and recall need a threshold.
    confidence : float, default=0.95
        Coverage of the bounds or the interval of a method that has one.
    random_state : int, numpy.random.Generator or None
        For random estimators, methods and intervals.
    population : {"unlabeled", "all"}, default="all"
        Population of metrics that depend on the prevalence and of the top of the ranking: all examples, or the
        unlabeled examples. Uncorrected metrics and F1 from the label frequency always refer to all.

    Returns
    -------
    Answer

    Raises
    ------
    ValueError
        On invalid labels, scores, priors or options; if the method does not estimate the metric; or if the priors
        cannot be estimated.

    References
    ----------
    Each method's own, see ``METHODS``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> round(estimate_score("roc_auc", s, y_score, method="indirect", alpha=0.3).estimate, 2)
    0.94
    >>> answer = estimate_score("max_f1", s, y_score, method="bounds_bootstrap", prior="consensus_clean")
    >>> answer.lower <= answer.estimate <= answer.upper, answer.prior
    (True, 'consensus_clean')
    """
    metric, threshold = _metric_at(metric, threshold)
    ask = ask_of(
        [metric],
        threshold=check_threshold(threshold, y_score),
        population=population,
        confidence=confidence,
        random_state=random_state,
    )
    entry = _able(method, metric)
    shares = {"alpha": alpha, "rho": rho, "pi": pi}
    given = {name: value for name, value in shares.items() if value is not None}
    _check_priors(entry, method, given, beta, prior)
    sample = Sample(s, [y_score])
    labels = labels_of(
        sample,
        alpha=alpha,
        beta=1.0 if beta is None else beta,
        rho=rho,
        pi=pi,
        method=prior.removesuffix(_CLEAN),
        noisy=beta is None,
        uncertainty=None if given else entry.uncertainty or None,
    )
    used = None
    known = labels
    if {"alpha", "rho"} & {*entry.needs}:
        estimates = PriorEstimates(sample.counts[0], labels, stream_of_priors(random_state))
        used = estimates.pair if labels.pairs is None else labels.pairs[0]
        check_estimable(used)
        known = replace(labels, alpha=used[0], beta=used[1])
    (estimate,) = _answers(entry, sample, known, ask)
    if np.isnan(estimate.value):
        raise ValueError(
            f"{method} gives no estimate at alpha={known.alpha}: the unlabeled would have only one class"
        )
    notes = _notes(method, ask, labels, used, estimate.value)
    ends = (estimate.lower, estimate.upper)
    kind = find_metric(metric).kind
    if entry.band and kind == "maximum":
        # In a study the bounds of the threshold that the method chose; here those of the maximum itself.
        options = {
            "alpha": known.alpha,
            "band": entry.band,
            "confidence": confidence,
            "population": ask.population,
        }
        ends = score_bounds([metric], sample.s, sample.scores[0], **options)[metric]
    if np.isnan(ends[0]):
        ends = None, None
    threshold = {"area": None, "threshold": ask.threshold}.get(
        kind, float(sample.counts[0].thresholds[estimate.at])
    )
    if used is None or ("rho" in entry.needs and rho is not None):
        used = estimate.priors  # none if the method used neither
    value = float(estimate.value if entry.ranks_only else clipped(metric, estimate.value))
    source = "none"
    if {"alpha", "rho"} & {*entry.needs} or entry.uncertainty:
        source = "given" if "alpha" in given else next(iter(given), None) or _source(labels)
    return Answer(value, *ends, threshold, *used, method, source, tuple(notes))


def _answers(entry, sample, labels, ask):
    """Estimates of a method; without a threshold, of measures that need none."""
    rng = check_random_state(ask.random_state)
    if not entry.uncertainty:
        rng = rng.spawn(3)[2]
    threshold = np.inf if ask.threshold is None else ask.threshold
    return entry.answer(sample, labels, replace(ask, random_state=rng, threshold=threshold))


def _metric_at(metric, threshold):
    """The entry of METRICS, and the threshold as a float or None."""
    entry = find_metric(metric).numbered()
    if threshold is None:
        check_metrics([metric])
        return (f"max_{metric}" if entry.kind == "threshold" else metric), None
    if entry.kind != "threshold":
        what = (
            "finds its own threshold"
            if entry.kind == "maximum"
            else "does not depend on a threshold"
        )
        raise ValueError(f"{metric} {what}, got threshold={threshold!r}: omit it")
    (number,) = check_scores([threshold], "threshold")
    return metric, float(number)


def _able(method, metric):
    """Entry of a method that users may call for a metric."""
    entry = find_method(method)
    if find_metric(metric).name not in entry.metrics:
        others = ", ".join(available_methods(metric))
        raise ValueError(
            f"{method} estimates {', '.join(entry.metrics)}, got metric {metric!r}: use one of {others}"
        )
    return entry


def _check_priors(entry, method, given, beta, prior):
    """Raise ValueError on priors that contradict each other or the method."""
    for name, share in given.items():
        if np.ndim(share):
            raise ValueError(f"{name} must be a number, got {share!r}: for a range, use assess")
    if beta is None and given:
        raise ValueError(
            "beta=None estimates alpha and beta together: omit alpha, rho and pi, or give beta"
        )
    if not isinstance(prior, str) or prior.removesuffix(_CLEAN) not in available_priors():
        raise ValueError(f"prior must be one of {', '.join(available_priors())}, got {prior!r}")
    if prior.endswith(_CLEAN) and beta != 1:
        raise ValueError(f"prior={prior!r} assumes no label noise, so beta must be 1, got {beta}")
    if {"alpha", "rho"} & set(entry.needs) and "beta" not in entry.needs and beta != 1:
        raise ValueError(
            f"{method} assumes no label noise, so beta must be 1, got {beta}: use direct or indirect"
        )
    if given and entry.uncertainty not in ("", "sampling"):
        raise ValueError(
            f"{method} is for an unknown alpha, but alpha, rho or pi is given: omit it, or use interval_sampling"
        )


_CLEAN = "_clean"
_ABOUT_ALL = ("uncorrected", "f1_from_rho")  # examples, whatever the population


def _source(labels):
    """Where an estimated alpha comes from, as docs/choosing.md writes it."""
    return labels.method if labels.noisy or labels.beta < 1 else f"{labels.method}{_CLEAN}"


def _notes(method, ask, labels, used, value):
    """What a number assumes, which estimated priors it uses, whether it is clipped, and what it is about."""
    (metric,) = ask.metrics
    entry = find_method(method)
    kind = find_metric(metric)
    notes = [f"assumes {entry.assumes}"]
    if used and labels.alpha is None:
        pair = f"alpha = {used[0]:.3g} was"
        if labels.noisy:
            pair = f"alpha = {used[0]:.3g} and beta = {used[1]:.3g} were"
        notes.append(
            f"{pair} estimated from the scores ({_source(labels)}); the error of this estimate is left out"
        )
    if entry.ranks_only:
        return [*notes, f"this number ranks models but does not estimate {kind.label}"]
    if entry.uncertainty:
        notes.append(ACCOUNTS_FOR[labels.accounts_for])
    if clipped(metric, value) != value:
        notes.append(
            f"clipped from {value:.4g}: the priors do not fit the scores, or the sample is small"
        )
    if kind.kind == "maximum":
        notes.append(
            "a maximum over thresholds is optimistic, because the threshold was chosen on the same examples"
        )
    if kind.population != "any":
        everyone = method in _ABOUT_ALL or ask.population == "all"
        notes.append(
            f"the population is {'all examples, labeled and unlabeled' if everyone else 'the unlabeled examples'}"
        )
    return notes
