"""Estimates of a metric with bounds and caveats, from labels and scores, by any method."""

from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pumetrics._arguments import ContradictionError
from pumetrics._validation import check_random_state, check_scores
from pumetrics.bounds import score_bounds
from pumetrics.checks import checked_interval
from pumetrics.inference.answers import corrections, thresholds_of
from pumetrics.inference.request import (
    ACCOUNTS_FOR,
    LEAST,
    PriorEstimates,
    ask_of,
    check_estimable,
    check_threshold,
    labels_of,
    stream_of_priors,
)
from pumetrics.inference.sample import Sample, scores_of_sample
from pumetrics.inference.selection import reweighted
from pumetrics.methods.registry import available_methods, find_method
from pumetrics.metrics import MEASURES, clipped, find_metric
from pumetrics.priors import available_priors
from pumetrics.tops import check_population

__all__ = ["Answer", "estimate_score"]


class Answer(NamedTuple):
    """Estimate of a metric by a method, with what it is based on."""

    estimate: float
    """Clipped to the range of the metric; of a method that ranks only, a number to order models by. NaN where it is not
    identified."""
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
    """Name in ``METHODS``; "checks" of checked rows."""
    prior: str
    """Where alpha comes from: "given", "rho", "none", or the estimator, with "_clean" where labels are right."""
    notes: tuple[str, ...]
    """What the number assumes and leaves out, one sentence each."""
    identified: bool = True
    """Whether the scores identify it, as :func:`pumetrics.assessment.assess` says; True of methods that correct
    nothing, or rank only."""


def estimate_score(
    metric,
    s,
    y_score,
    *,
    method="auto",
    alpha=None,
    beta=1.0,
    rho=None,
    prior="consensus",
    threshold=None,
    selection=1.0,
    confidence=None,
    random_state=None,
    population=None,
    checks=None,
    label_odds=np.inf,
):
    """Estimate a metric against the true class from labeled and unlabeled examples, by any method.

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
    method : str, default="auto"
        An entry of ``METHODS``, such as one that the study head_to_head recommends (docs/choosing.md). "auto" gives the
        same result as :func:`pumetrics.assessment.assess`: "indirect" for areas and "direct" for all other metrics; if
        alpha is not given, it is the center of its calibrated range.
    alpha : float, optional
        Share of positives among the unlabeled. By default it is computed from `rho` or estimated from the scores.
    beta : float or None, default=1.0
        Share of positives among the labeled; None estimates it as well. The row ``direct, consensus`` of
        docs/choosing.md is ``method="direct", prior="consensus", beta=None``.
    rho : float, optional
        Label frequency, the share of all positives that are labeled: an alternative to alpha.
    prior : str, default="consensus"
        Estimator of the priors, see :func:`pumetrics.priors.available_priors`. The suffix "_clean" means that the
        labels are right, like ``beta=1``.
    threshold : float, optional
        Predict positive for scores >= threshold. Without a threshold, measures of predictions are reported at their
        maximum; precision and recall need a threshold.
    selection : float, default=1.0
        Assumed strength of selection: how many times as often the positive with the highest score is labeled as the one
        with the lowest (log-linear in the rank); 1 for labels at random. It cannot be estimated; vary it. Other values
        need "direct" or "indirect".
    confidence : float, optional
        Coverage of bounds, 0.95 by default. With "direct" or "indirect", it requests an interval by
        :func:`pumetrics.inference.corrected_interval`, which accounts for the uncertainty of an estimated alpha.
    random_state : int, numpy.random.Generator or None
        For random estimators, methods and intervals.
    population : {"unlabeled", "all"}, optional
        Population of metrics that depend on the class mix and of the top of the ranking: all examples, the default, or
        the unlabeled examples. Uncorrected metrics always refer to all.
    checks : DataFrame, optional
        Rows that an expert has checked, as ``plan.filled`` of :func:`pumetrics.checks.plan_checks` returns them. The
        estimate then rests on these rows alone; `metric` may also be "alpha", see
        :func:`pumetrics.checks.checked_interval`.
    label_odds : float, default=inf
        With `checks`: largest factor by which the odds of being labeled differ between both sides of the threshold.
        Infinity makes no assumption about the labels; 1 is SCAR.

    Returns
    -------
    Answer

    Raises
    ------
    ValueError
        On invalid labels, scores, priors or options; if the method does not estimate the metric, needs inputs that only
        a study has, or does not provide a requested interval; or if the priors cannot be estimated.

    References
    ----------
    Each method's own, see ``METHODS``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> s = np.repeat([1, 0], [200, 1000])
    >>> y_score = rng.normal(np.repeat([2.0, 2.0, 0.0], [200, 300, 700]))
    >>> answer = estimate_score("roc_auc", s, y_score, alpha=0.3)
    >>> round(answer.estimate, 2), answer.method
    (0.94, 'indirect')
    >>> answer = estimate_score("max_f1", s, y_score, method="bounds_bootstrap", prior="consensus_clean")
    >>> answer.lower <= answer.estimate <= answer.upper, answer.prior
    (True, 'consensus_clean')
    """
    if checks is not None:
        apart = {"method": method, "alpha": alpha, "beta": beta, "rho": rho, "prior": prior, "selection": selection}
        for name, value in apart.items():
            if value != _WITH_CHECKS[name]:
                why = "the estimate rests on checked rows alone; omit one of them"
                raise ContradictionError([(name, value), ("checks", True)], why)
        options = {"threshold": threshold, "label_odds": label_odds, "population": population}
        level = 0.95 if confidence is None else confidence
        return _checked_answer(checked_interval(metric, s, y_score, checks, confidence=level, **options))
    metric, threshold = _metric_at(metric, threshold)
    ask = ask_of(
        [metric], threshold=check_threshold(threshold, y_score), population=population and check_population(population),
        confidence=0.95 if confidence is None else confidence, random_state=random_state,
    )  # fmt: skip
    name, entry = _able(method, metric, selection)
    _check_priors(entry, name, alpha, beta, rho, prior)
    sample = Sample(s, [y_score])
    labels = labels_of(
        sample, alpha=alpha, beta=1.0 if beta is None else beta, rho=rho, method=prior.removesuffix(_CLEAN),
        noisy=beta is None, uncertainty=entry.uncertainty or None, selection=selection,
    )  # fmt: skip
    estimates = PriorEstimates(sample.counts[0], labels, stream_of_priors(random_state))
    resampled = bool(entry.uncertainty) or (confidence is not None and not entry.band)
    if resampled and not entry.uncertainty and name != _plain(metric):
        raise ValueError(
            f"{name} does not give an interval of {metric}: omit confidence, or use {_plain(metric)} or one of the "
            "bounds"
        )
    ask = ask if resampled else replace(ask, n_bootstrap=0)
    if method == "auto" or resampled:
        return _assessed(name, sample, labels, ask, estimates)
    return _by_method(name, sample, labels, ask, estimates)


def _metric_at(metric, threshold):
    """The entry of METRICS, and the threshold as a float or None."""
    entry = find_metric(metric).numbered()
    if threshold is None:
        if entry.kind == "threshold" and metric not in MEASURES:
            raise ValueError(f"{metric} needs a threshold: without a fixed threshold, it has no meaningful maximum")
        return (f"max_{metric}" if entry.kind == "threshold" else metric), None
    if entry.kind != "threshold":
        what = "finds its own threshold" if entry.kind == "maximum" else "does not depend on a threshold"
        raise ValueError(f"{metric} {what}, got threshold={threshold!r}: omit it")
    (number,) = check_scores([threshold], "threshold")
    return metric, float(number)


def _able(method, metric, selection):
    """Name and entry of a method that users may call for a metric, with "auto" resolved."""
    name = _plain(metric) if method == "auto" else method
    entry = find_method(name)
    if "truth" in entry.needs:
        raise ValueError(f"{name} is a control that needs the true class: it is available in studies only")
    if "pool" in entry.needs:
        raise ValueError(f"{name} is a control that picks from a pool of models: it is available in studies only")
    if find_metric(metric).name not in entry.metrics:
        others = ", ".join(available_methods(metric))
        raise ValueError(f"{name} estimates {', '.join(entry.metrics)}, got metric {metric!r}: use one of {others}")
    if selection != 1 and name not in ("direct", "indirect"):
        raise ValueError(
            f"{name} assumes that labels are a random sample, got selection={selection}: use {_plain(metric)}"
        )
    return name, entry


def _plain(metric):
    """The method that "auto" means."""
    return "indirect" if find_metric(metric).kind == "area" else "direct"


def _check_priors(entry, name, alpha, beta, rho, prior):
    """Raise ValueError on priors that contradict each other or the method."""
    known = alpha is not None or rho is not None
    if np.ndim(alpha):
        raise ValueError(f"alpha must be a number, got {alpha!r}: for a range, use assess or corrected_interval")
    if beta is None and known:
        raise ValueError("beta=None estimates alpha and beta together: omit alpha and rho, or give beta")
    if not isinstance(prior, str) or prior.removesuffix(_CLEAN) not in available_priors():
        raise ValueError(f"prior must be one of {', '.join(available_priors())}, got {prior!r}")
    if prior.endswith(_CLEAN) and beta != 1:
        raise ValueError(f"prior={prior!r} assumes no label noise, so beta must be 1, got {beta}")
    if {"alpha", "rho"} & set(entry.needs) and "beta" not in entry.needs and beta != 1:
        raise ValueError(f"{name} assumes no label noise, so beta must be 1, got {beta}: use direct or indirect")
    if known and entry.uncertainty not in ("", "sampling"):
        raise ValueError(
            f"{name} is for an unknown alpha, but alpha or rho is given: omit it, or use interval_sampling"
        )


_CLEAN = "_clean"
_WITH_CHECKS = {"method": "auto", "alpha": None, "beta": 1.0, "rho": None, "prior": "consensus", "selection": 1.0}


def _source(labels):
    """Where alpha comes from, as docs/choosing.md writes it."""
    if labels.alpha is not None:
        return "given" if labels.source == "given" else "rho"
    return labels.method if labels.noisy or labels.beta < 1 else f"{labels.method}{_CLEAN}"


def _assessed(name, sample, labels, ask, estimates):
    """The answer that an assessment gives."""
    (metric,), found = ask.metrics, corrections(sample, labels, ask, estimates)
    score = found.scores[metric]
    options = {"selection": labels.selection, "alpha": found.alpha, "beta": found.beta, **ask.where}
    raw = scores_of_sample(ask.metrics, sample.full[0], **options)[0]
    notes = _notes(name, metric, labels, (found.alpha, found.beta), raw, ask.population)
    if score.interval is not None:
        notes.append(f"{ask.confidence:.0%} bootstrap interval from {found.n_resamples} resamples")
        notes.append(ACCOUNTS_FOR[found.uncertainty])
    elif labels.alpha is None:
        notes.append(_LEFT_OUT)
    notes += _not_identified(metric, found)
    threshold, used = thresholds_of(ask, sample, found)[metric], (found.alpha, found.beta)
    ends = score.interval or (None, None)
    return Answer(score.corrected, *ends, threshold, *used, name, _source(labels), tuple(notes), score.identified)


def _by_method(name, sample, labels, ask, estimates):
    """The answer of a method by its own formula, with priors as they are given or estimated."""
    (metric,), entry, kind = ask.metrics, find_method(name), find_metric(ask.metrics[0]).kind
    source, used, known = "none", None, labels
    if {"alpha", "rho"} & set(entry.needs):
        source, used = _source(labels), _priors(labels, estimates)
        known = replace(labels, alpha=used[0], beta=used[1])
    among, shown = find_metric(metric).population_of(ask.population), copy(sample)
    counts = reweighted(sample.counts[0], labels.selection, alpha=known.alpha, population=among)
    shown.full = [sample.full[0]._replace(pooled=counts)]
    rng, threshold = (
        check_random_state(ask.random_state).spawn(3)[2],
        np.inf if ask.threshold is None else ask.threshold,
    )
    (estimate,) = entry.answer(shown, known, replace(ask, random_state=rng, threshold=threshold))
    if np.isnan(estimate.value):
        raise ValueError(f"{name} gives no estimate at alpha={known.alpha}: the unlabeled would have only one class")
    ends = (estimate.lower, estimate.upper)
    if entry.band and kind == "maximum":
        # In a study the bounds of the threshold that the method chose; here those of the maximum itself.
        options = {"alpha": known.alpha, "band": entry.band, "confidence": ask.confidence, "population": ask.population}
        ends = score_bounds([metric], sample.s, sample.scores[0], **options)[metric]
    value, identified = estimate.value, True
    notes = _notes(name, metric, labels, used, value, ask.population)
    if source != "none" and labels.alpha is None:
        notes.append(_LEFT_OUT)
    if not entry.ranks_only:
        value = clipped(metric, value)
    if source != "none" and not entry.ranks_only:
        found = corrections(sample, labels, ask, estimates)
        identified = found.scores[metric].identified
        value = value if identified else np.nan
        notes += _not_identified(metric, found)
    if np.isnan(ends[0]) or not (identified or labels.alpha is not None):
        ends = (None, None)  # those of an estimated alpha are for that alpha alone
    threshold = {"area": None, "threshold": ask.threshold}.get(kind, float(sample.counts[0].thresholds[estimate.at]))
    if used is None or ("rho" in entry.needs and labels.rho is not None):
        used = None, None  # the method used neither
    return Answer(float(value), *ends, threshold, *used, name, source, tuple(notes), identified)


def _priors(labels, estimates):
    """Alpha and beta, given or estimated."""
    if labels.alpha is not None:
        ((alpha, beta),) = labels.pairs
        return alpha, beta
    pair = estimates.selected(labels.selection).pair
    check_estimable([pair])
    return pair


_LEFT_OUT = "the error of the estimated priors is not included"


def _notes(name, metric, labels, used, value, population):
    """What a number assumes, which estimated priors it uses, whether it is clipped, and what it is about."""
    entry, kind = find_method(name), find_metric(metric)
    notes = [f"assumes {entry.assumes}"]
    if labels.selection != 1:
        notes = [
            f"assumes the positive with the highest score being labeled {labels.selection:g} times as often as the "
            "one with the lowest"
        ]
    if used and labels.alpha is None:
        pair = f"alpha = {used[0]:.3g}" + (f" and beta = {used[1]:.3g} were" if labels.noisy else " was")
        notes.append(f"{pair} estimated from the scores ({_source(labels)})")
    if entry.ranks_only:
        return [*notes, f"this number ranks models but does not estimate {kind.label}"]
    if clipped(metric, value) != value:
        notes.append(f"clipped from {value:.4g}: the priors do not fit the scores, or the sample is small")
    if kind.kind == "maximum":
        notes.append("a maximum over thresholds is optimistic, because the threshold was chosen on the same examples")
    if kind.population != "any":
        everyone = name == "uncorrected" or kind.population_of(population) == "all"
        examples = "all examples, labeled and unlabeled" if everyone else "the unlabeled examples"
        notes.append(f"the population is {examples}")
    return notes


def _not_identified(metric, found):
    """Why the scores do not identify a metric; nothing if they do."""
    if found.scores[metric].identified:
        return []
    if found.few:
        why = f"at least {LEAST} labeled and {LEAST} unlabeled examples are needed"
    elif found.blind:
        why = "labeled examples do not score higher than unlabeled ones"
    else:
        ranges = {"alpha": found.alpha_interval, find_metric(metric).label: found.ranges[metric]}
        lies = [f"{name} lies between {span[0]:.3g} and {span[1]:.3g}" for name, span in ranges.items() if span]
        why = f"{' and '.join(lies)}; give alpha" if found.alpha_interval else f"{lies[0]}; label more examples"
    return [f"{find_metric(metric).label} is not identified by these scores: {why}"]


def _checked_answer(found):
    """The answer of checked rows."""
    labels = {
        float("inf"): "nothing about how labels were assigned",
        1.0: "labels at random (SCAR), which no test can confirm",
    }
    within = f"odds of being labeled that differ at most by a factor of {found.label_odds:g} across the threshold"
    notes = (
        f"assumes {labels.get(found.label_odds, within)}",
        f"from {found.n_checked} checked rows, {found.n_positive} of them positive, {found.n_unsure} not sure",
        "the estimate refers to these rows: sampling error of other rows is not included",
    )
    known = not np.isnan(found.estimate)
    return Answer(found.estimate, found.lower, found.upper, found.threshold, None, None, "checks", "none", notes, known)
