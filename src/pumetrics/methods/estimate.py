"""Estimates of a metric with bounds and caveats, from labels and scores, by any method."""

from dataclasses import replace

import numpy as np

from pumetrics._validation import check_random_state, check_scores
from pumetrics.bounds import score_bounds
from pumetrics.checks import checked_interval
from pumetrics.inference.answers import corrections, thresholds_of
from pumetrics.inference.designs import scores_of_sample
from pumetrics.inference.plan import PriorEstimates, check_estimable, stream_of_priors
from pumetrics.inference.request import LEAST, ask_of, check_threshold, labels_of
from pumetrics.inference.sample import Sample
from pumetrics.inference.selection import reweighted
from pumetrics.inference.types import ACCOUNTS_FOR
from pumetrics.label_frequency import rho_from_alpha
from pumetrics.methods.registry import available_methods, find_method
from pumetrics.methods.sample import Answer, Given, ScoredSample
from pumetrics.metrics import AREAS, MEASURES, clipped, find_metric
from pumetrics.priors import available_priors
from pumetrics.tops import check_population

__all__ = ["Answer", "estimate_score"]


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
        Population of metrics that depend on the class mix and of the top of the ranking: the unlabeled examples, or all
        examples. By default, average precision refers to the unlabeled examples, all other metrics to all. Uncorrected
        metrics always refer to all.
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
        ways = {"method": (method, "auto"), "alpha": (alpha, None), "beta": (beta, 1.0), "rho": (rho, None)}
        ways |= {"prior": (prior, "consensus"), "selection": (selection, 1.0)}
        for name, (value, default) in ways.items():
            if value != default:
                raise ValueError(
                    f"{name}={value!r} and checks contradict: the estimate rests on checked rows alone; omit one of "
                    "them"
                )
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
    if method == "auto" or entry.uncertainty or (confidence is not None and not entry.band):
        resampled = entry.uncertainty or confidence is not None
        return _assessed(name, sample, labels, ask if resampled else replace(ask, n_bootstrap=0), estimates)
    return _by_method(name, sample, y_score, labels, replace(ask, n_bootstrap=0), estimates, rho)


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
    plain = "indirect" if find_metric(metric).kind == "area" else "direct"
    name = plain if method == "auto" else method
    entry = find_method(name)
    if "truth" in entry.needs:
        raise ValueError(f"{name} is a control that needs the true class: it is available in studies only")
    if "pool" in entry.needs:
        raise ValueError(f"{name} is a control that picks from a pool of models: it is available in studies only")
    if find_metric(metric).name not in entry.metrics:
        others = ", ".join(available_methods(metric))
        raise ValueError(f"{name} estimates {', '.join(entry.metrics)}, got metric {metric!r}: use one of {others}")
    if selection != 1 and name not in ("direct", "indirect"):
        raise ValueError(f"{name} assumes that labels are a random sample, got selection={selection}: use {plain}")
    return name, entry


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


def _source(labels):
    """Where alpha comes from, as docs/choosing.md writes it."""
    if labels.alpha is not None:
        return "given" if labels.source == "given" else "rho"
    return labels.method if labels.noisy or labels.beta < 1 else f"{labels.method}{_CLEAN}"


def _assessed(name, sample, labels, ask, estimates):
    """The answer that an assessment gives."""
    (metric,), entry = ask.metrics, find_method(name)
    if not entry.uncertainty and ask.n_bootstrap and name != ("indirect" if metric in AREAS else "direct"):
        same = "indirect" if metric in AREAS else "direct"
        raise ValueError(
            f"{name} does not give an interval of {metric}: omit confidence, or use {same} or one of the bounds"
        )
    found = corrections(sample, labels, ask, estimates)
    value, interval = found.shown(metric)
    raw = scores_of_sample(
        ask.metrics, sample.full[0], selection=labels.selection, alpha=found.alpha, beta=found.beta, **ask.where
    )
    notes = [*_assumed(entry, labels), *_estimated(labels, found.alpha, found.beta), *_clipping(metric, raw[0])]
    notes += _population(metric, find_metric(metric).population_of(ask.population))
    if interval is not None:
        notes.append(f"{ask.confidence:.0%} bootstrap interval from {found.n_resamples} resamples")
        notes.append(ACCOUNTS_FOR[found.uncertainty])
    elif labels.alpha is None:
        notes.append(_LEFT_OUT)
    notes += _not_identified(metric, found)
    threshold = thresholds_of(ask, sample, found)[metric]
    ends, used = interval or (None, None), (found.alpha, found.beta)
    return Answer(value, *ends, threshold, *used, name, _source(labels), tuple(notes), found.identified(metric))


def _by_method(name, sample, y_score, labels, ask, estimates, rho):
    """The answer of a method by its own formula, with priors as they are given or estimated."""
    (metric,), entry, kind = ask.metrics, find_method(name), find_metric(ask.metrics[0]).kind
    scored = ScoredSample(
        sample.s, y_score, threshold=np.inf if ask.threshold is None else ask.threshold, population=ask.population
    )
    rng = check_random_state(ask.random_state).spawn(3)[2]
    given, source, notes = Given(confidence=ask.confidence, rng=rng), "none", []
    if {"alpha", "rho"} & set(entry.needs):
        source, (alpha, beta) = _source(labels), _priors(labels, estimates)
        notes = _estimated(labels, alpha, beta)
        if "rho" in entry.needs:
            rho = rho_from_alpha(alpha, *sample.sizes, beta=beta) if rho is None else float(rho)
            given = given._replace(rho=rho, **({} if source == "rho" else {"alpha": alpha, "beta": beta}))
        else:
            given = given._replace(alpha=alpha, beta=beta)
    among = find_metric(metric).population_of(ask.population)
    scored.counts = reweighted(scored.counts, labels.selection, alpha=given.alpha, population=among)
    (estimate,) = entry.answer(scored, given, [metric])
    if entry.band and kind == "maximum" and not np.isnan(estimate.lower):
        # In a study the bounds of the threshold that the method chose; here those of the maximum itself.
        options = {"alpha": given.alpha, "band": entry.band, "confidence": ask.confidence, "population": ask.population}
        low, high = score_bounds([metric], None, scored.counts, ranking=scored.ranking, **options)[metric]
        estimate = estimate._replace(lower=low, upper=high)
    if np.isnan(estimate.value):
        raise ValueError(f"{name} gives no estimate at alpha={given.alpha}: the unlabeled would have only one class")
    value = estimate.value if entry.ranks_only else float(clipped(metric, estimate.value))
    notes = [*_assumed(entry, labels), *notes, *([_LEFT_OUT] if source not in ("none", "given", "rho") else [])]
    if entry.ranks_only:
        notes.append(f"this number ranks models but does not estimate {find_metric(metric).label}")
    else:
        notes += _clipping(metric, estimate.value)
        notes += _population(metric, "all" if name == "uncorrected" else among)
    ends = (None, None) if np.isnan(estimate.lower) else (float(estimate.lower), float(estimate.upper))
    threshold = None if kind == "area" else scored.threshold_at(kind, estimate.at)
    used = [None if np.isnan(part) else float(part) for part in given[:2]]
    answer = Answer(float(value), *ends, threshold, *used, name, source, tuple(notes))
    if source == "none" or entry.ranks_only:
        return answer
    found = corrections(sample, labels, ask, estimates)
    if found.identified(metric):
        return answer
    ends = (None, None) if labels.alpha is None else ends  # which are for one alpha
    notes += _not_identified(metric, found)
    return answer._replace(estimate=np.nan, lower=ends[0], upper=ends[1], identified=False, notes=tuple(notes))


def _priors(labels, estimates):
    """Alpha and beta, given or estimated."""
    if labels.alpha is not None:
        ((alpha, beta),) = labels.pairs
        return alpha, beta
    pair = estimates.selected(labels.selection).pair
    check_estimable([pair])
    return pair


_LEFT_OUT = "the error of the estimated priors is not included"


def _assumed(entry, labels):
    """What the number assumes of the labels."""
    if labels.selection == 1:
        return [f"assumes {entry.assumes}"]
    return [
        f"assumes the positive with the highest score being labeled {labels.selection:g} times as often as the one "
        "with the lowest"
    ]


def _estimated(labels, alpha, beta):
    """The priors, if they were estimated."""
    if labels.alpha is not None:
        return []
    pair = f"alpha = {alpha:.3g}" + (f" and beta = {beta:.3g} were" if labels.noisy else " was")
    return [f"{pair} estimated from the scores ({_source(labels)})"]


def _clipping(metric, value):
    """What a clipped number says of the priors, and what a maximum leaves out."""
    notes = []
    if clipped(metric, value) != value:
        notes.append(f"clipped from {value:.4g}: the priors do not fit the scores, or the sample is small")
    if find_metric(metric).kind == "maximum":
        notes.append("a maximum over thresholds is optimistic, because the threshold was chosen on the same examples")
    return notes


def _population(metric, population):
    if find_metric(metric).population == "any":
        return []
    examples = "all examples, labeled and unlabeled" if population == "all" else "the unlabeled examples"
    return [f"the population is {examples}"]


def _not_identified(metric, found):
    """Why the scores do not identify a metric; nothing if they do."""
    if found.identified(metric):
        return []
    if found.few:
        why = f"at least {LEAST} labeled and {LEAST} unlabeled examples are needed"
    elif found.blind:
        why = "labeled examples do not score higher than unlabeled ones"
    else:
        ranges = {"alpha": found.alpha_interval, find_metric(metric).label: found.range_of(metric)}
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
