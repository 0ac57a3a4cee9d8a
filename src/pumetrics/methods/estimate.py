"""Estimates of a metric with bounds and caveats, from labels and scores, by any method."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction, check_priors, check_random_state, check_scores
from pumetrics.bounds import score_bounds
from pumetrics.inference.corrected import intervals_of
from pumetrics.inference.plan import PriorEstimates, plan_priors, scores_over
from pumetrics.inference.request import LEAST, Labels, ask_of, check_threshold, check_uncertainty, labels_of
from pumetrics.inference.sample import Sample
from pumetrics.inference.selection import check_selection, reweighted
from pumetrics.inference.types import ACCOUNTS_FOR, informative
from pumetrics.label_frequency import alpha_from_rho, rho_from_alpha
from pumetrics.methods.answers import place_of
from pumetrics.methods.registry import available_methods, find_method
from pumetrics.methods.sample import Answer, Given, ScoredSample, View
from pumetrics.metrics import MEASURES, clipped, find_metric
from pumetrics.priors import available_priors

__all__ = ["Answer", "Request", "estimate_score", "resolve"]


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
        given = {name: value for name, (value, default) in ways.items() if value != default}
        options = {"label_odds": label_odds, "threshold": threshold, "confidence": confidence}
        return _checked_answer(metric, s, y_score, checks, **options, population=population, given=given)
    metric, threshold = _asked(metric, threshold)
    threshold = check_threshold(threshold, y_score)
    request = Request(alpha, beta, rho, prior).checked()
    sample = ScoredSample(s, y_score, threshold=np.inf if threshold is None else threshold, population=population)
    selection = check_selection(selection, clean=request.beta == 1)
    name = _chosen(method, metric, selection)
    entry = _able(name, metric)
    level = 0.95 if confidence is None else check_fraction(confidence, "confidence", inclusive=False)
    if entry.uncertainty:
        return _interval_answer(metric, name, request, sample, threshold, confidence=level, random_state=random_state)
    prior_rng, rng = check_random_state(random_state).spawn(2)
    estimates = request.estimates(sample.counts, prior_rng)
    options = {"selection": selection, "centered": method == "auto"}
    given, source, notes = resolve(request, entry, estimates, level, **options)
    whom = find_metric(metric).population_of(population)
    sample.counts = reweighted(sample.counts, selection, alpha=given.alpha, population=whom)
    (estimate,) = entry.answer(View(sample, rng), given, [metric])
    if entry.band and find_metric(metric).kind == "maximum" and not np.isnan(estimate.lower):
        # In a study the bounds of the threshold that the method chose; here those of the maximum itself.
        options = {"alpha": given.alpha, "band": entry.band, "confidence": level, "population": population}
        low, high = score_bounds([metric], None, sample.counts, ranking=sample.ranking, **options)[metric]
        estimate = estimate._replace(lower=low, upper=high)
    if np.isnan(estimate.value):
        raise ValueError(f"{name} gives no estimate at alpha={given.alpha}: the unlabeled would have only one class")
    answer = _answer(metric, name, entry, estimate, sample, given, source, notes, selection)
    if confidence is None or not np.isnan(estimate.lower):
        if source == "none" or entry.ranks_only:
            return answer
        where = {"selection": selection, "threshold": threshold, "population": population}
        return _marked(answer, metric, estimates, request, level, **where)
    options = {"selection": selection, "confidence": level, "random_state": random_state}
    return _with_interval(answer, metric, request, sample, threshold, **options)


def _chosen(method, metric, selection):
    """Name of the method, with "auto" resolved; ValueError if the method does not support the request."""
    plain = "indirect" if find_metric(metric).kind == "area" else "direct"
    if selection != 1 and method not in ("auto", "direct", "indirect"):
        raise ValueError(f"{method} assumes that labels are a random sample, got selection={selection:g}: use {plain}")
    return plain if method == "auto" else method


def _asked(metric, threshold):
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


def _able(name, metric):
    """Entry of a method that users may call for a metric."""
    entry = find_method(name)
    if "truth" in entry.needs:
        raise ValueError(f"{name} is a control that needs the true class: it is available in studies only")
    if "pool" in entry.needs:
        raise ValueError(f"{name} is a control that picks from a pool of models: it is available in studies only")
    if find_metric(metric).name not in entry.metrics:
        others = ", ".join(available_methods(metric))
        raise ValueError(f"{name} estimates {', '.join(entry.metrics)}, got metric {metric!r}: use one of {others}")
    return entry


def _answer(metric, name, entry, estimate, sample, given, source, notes, selection):
    """The public form of an estimate, with what it assumes and leaves out."""
    kind = find_metric(metric).kind
    value = estimate.value if entry.ranks_only else float(clipped(metric, estimate.value))
    grounds = entry.assumes
    if selection != 1:
        grounds = (
            f"the positive with the highest score being labeled {selection:g} times as often as the one with the lowest"
        )
    notes = [f"assumes {grounds}", *notes]
    if source not in ("none", "given", "rho"):
        notes.append(_LEFT_OUT)
    if value != estimate.value:
        notes.append(f"clipped from {estimate.value:.4g}: the priors do not fit the scores, or the sample is small")
    if entry.ranks_only:
        notes.append(f"this number ranks models but does not estimate {find_metric(metric).label}")
    elif kind == "maximum":
        notes.append("a maximum over thresholds is optimistic, because the threshold was chosen on the same examples")
    if find_metric(metric).population != "any" and not entry.ranks_only:
        whole = name == "uncorrected" or find_metric(metric).population_of(sample.population) == "all"
        notes.append(
            f"the population is {'all examples, labeled and unlabeled' if whole else 'the unlabeled examples'}"
        )
    bounds = (None, None) if np.isnan(estimate.lower) else (float(estimate.lower), float(estimate.upper))
    threshold = None if kind == "area" else sample.threshold_at(kind, estimate.at)
    used = [None if np.isnan(part) else float(part) for part in given[:2]]
    return Answer(float(value), *bounds, threshold, *used, name, source, tuple(notes))


_CLEAN = "_clean"


class Request(NamedTuple):
    """The priors that a user gave or requested; see :func:`pumetrics.methods.estimate_score`."""

    alpha: float | None = None
    beta: float | None = 1.0
    rho: float | None = None
    prior: str = "consensus"

    @property
    def known(self):
        """Whether alpha is known, or follows from the label frequency."""
        return self.alpha is not None or self.rho is not None

    @property
    def estimator(self):
        """Name of the estimator, without the suffix of clean labels."""
        return self.prior.removesuffix(_CLEAN)

    @property
    def source(self):
        """Where alpha comes from, as docs/choosing.md writes it."""
        if self.known:
            return "given" if self.rho is None else "rho"
        return self.estimator if self.beta is None or self.beta < 1 else f"{self.estimator}{_CLEAN}"

    def estimates(self, counts, rng):
        """Estimates from counts of the unknown priors, computed on demand."""
        labels = {"beta": 1.0 if self.beta is None else self.beta, "noisy": self.beta is None}
        uncertainty = check_uncertainty(None, alpha=None, **labels)
        return PriorEstimates(counts, Labels(method=self.estimator, uncertainty=uncertainty, **labels), rng)

    def checked(self):
        """Return the request, or raise ValueError if its parts contradict each other."""
        if self.alpha is not None and self.rho is not None:
            raise ValueError(f"rho={self.rho} determines alpha: omit alpha={self.alpha}")
        if self.beta is not None and not check_fraction(self.beta, "beta"):
            raise ValueError("beta must lie in (0, 1], got 0: labeled examples without positives carry no information")
        if self.beta is None and self.known:
            raise ValueError("beta=None estimates alpha and beta together: omit alpha and rho, or give beta")
        if not isinstance(self.prior, str) or self.estimator not in available_priors():
            raise ValueError(f"prior must be one of {', '.join(available_priors())}, got {self.prior!r}")
        if self.prior.endswith(_CLEAN) and self.beta != 1:
            raise ValueError(f"prior={self.prior!r} assumes no label noise, so beta must be 1, got {self.beta}")
        return self


def resolve(request, entry, estimates, confidence, *, selection=1.0, centered=False):
    """Priors for a method.

    Parameters
    ----------
    request : Request
    entry : Method
    estimates : PriorEstimates
    confidence : float
    selection : float
        Strength of a selection of labels by score, see :mod:`pumetrics.inference.selection`.
    centered : bool
        Whether estimates are those at the center of their calibrated ranges.

    Returns
    -------
    given : Given
    source : str
        "none", "given", "rho", or the name of the estimator as docs/choosing.md writes it.
    notes : tuple of str

    Raises
    ------
    ValueError
        If the priors are out of range, contradict the method, or cannot be estimated.
    """
    if not {"alpha", "rho"} & set(entry.needs):
        return Given(confidence=confidence), "none", ()
    if "beta" not in entry.needs and request.beta != 1:
        raise ValueError(
            f"{entry.label} assumes no label noise, so beta must be 1, got {request.beta}: use direct or indirect"
        )
    sizes = estimates.counts.n_labeled, estimates.counts.n_unlabeled
    if "rho" in entry.needs and request.rho is not None:
        alpha_from_rho(request.rho, *sizes)  # checks it
        return Given(rho=float(request.rho), confidence=confidence), "rho", ()
    alpha, beta, source, notes = _alpha(request, estimates, sizes, selection, centered and confidence)
    alpha, beta = check_priors(alpha, beta)
    rho = rho_from_alpha(alpha, *sizes, beta=beta) if "rho" in entry.needs else np.nan
    return Given(alpha, beta, rho, confidence), source, notes


def _alpha(request, estimates, sizes, selection, level):
    """Alpha and beta with their source, and notes; with a level at the center of their calibrated ranges."""
    source, noisy = request.source, request.beta is None
    if request.alpha is not None:
        return request.alpha, request.beta, source, ()
    if request.rho is not None:
        return alpha_from_rho(request.rho, *sizes, beta=request.beta), request.beta, source, ()
    alpha, beta = estimates.selected(selection).pair
    if not 0 <= alpha < beta <= 1:  # also catches NaN
        raise ValueError(
            "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha, or use "
            "scores of a model that separates them"
        )
    if level:
        alpha, beta = _plan(estimates, selection, level).pair
    pair = f"alpha = {alpha:.3g}" + (f" and beta = {beta:.3g} were" if noisy else " was")
    return alpha, beta, source, (f"{pair} estimated from the scores ({source})",)


def _plan(estimates, selection, confidence):
    """Priors at the center of their ranges, and these, as assess has them without resamples."""
    labels = replace(estimates.labels, selection=selection)
    return plan_priors(estimates, labels, confidence=confidence, resampled=False)


_LEFT_OUT = "the error of the estimated priors is not included"


def _marked(answer, metric, estimates, request, confidence, *, selection, **where):
    """The answer without its number where the scores do not identify it: the rule of assess without resamples."""
    name, why, counts = find_metric(metric).label, "", estimates.counts
    if min(counts.n_labeled, counts.n_unlabeled) < LEAST:
        why = f"at least {LEAST} labeled and {LEAST} unlabeled examples are needed"
    elif not request.known:
        why = "labeled examples do not score higher than unlabeled ones"
        if estimates.separates:
            plan = _plan(estimates, selection, confidence)
            ends = scores_over(ask_of([metric], **where), counts, plan, selection=selection)[metric][1]
            words = "alpha lies between {:.3g} and {:.3g}, and {} between {:.3g} and {:.3g}; give alpha"
            why = "" if informative(metric, ends) else words.format(*plan.spans[0], name, *ends)
    if not why:
        return answer
    bounds = (answer.lower, answer.upper) if request.known else (None, None)  # which are for one alpha
    notes = (*answer.notes, f"{name} is not identified by these scores: {why}")
    return answer._replace(estimate=float("nan"), lower=bounds[0], upper=bounds[1], identified=False, notes=notes)


def _interval_answer(metric, name, request, sample, threshold, **options):
    """Answer of a method that is an interval; see :func:`pumetrics.methods.estimate_score`."""
    entry = find_method(name)
    if request.known and entry.uncertainty != "sampling":
        raise ValueError(
            f"{name} is for an unknown alpha, but alpha or rho is given: omit it, or use interval_sampling"
        )
    interval = _interval(metric, request, sample, threshold, uncertainty=entry.uncertainty, **options)
    prior = request.source
    notes = [f"assumes {entry.assumes}"]
    if not request.known:
        notes.append(f"alpha = {interval.alpha:.3g} was estimated from the scores ({prior})")
    answer = Answer(np.nan, None, None, None, None, None, name, prior, tuple(notes))
    return _held_by(answer, metric, interval, sample)


def _interval(metric, request, sample, threshold, *, confidence, random_state, selection=1.0, uncertainty=None):
    """The interval of a metric that an assessment and :func:`pumetrics.inference.corrected_interval` give."""
    rows = Sample(sample.s, [sample.score])
    said = {"alpha": request.alpha, "rho": request.rho, "method": request.estimator, "uncertainty": uncertainty}
    beta = {"beta": 1.0 if request.beta is None else request.beta, "noisy": request.beta is None}
    labels = labels_of(rows, selection=selection, **said, **beta)
    options = {"population": sample.population, "confidence": confidence, "random_state": random_state}
    return intervals_of(rows, labels, ask_of([metric], threshold=threshold, **options))[metric]


def _with_interval(answer, metric, request, sample, threshold, *, selection, **options):
    """The answer with a bootstrap interval, where the bootstrap computes what the method computes."""
    same = "indirect" if find_metric(metric).kind == "area" else "direct"
    if answer.method != same:
        raise ValueError(
            f"{answer.method} does not give an interval of {metric}: omit confidence, or use {same} or one of the "
            "bounds"
        )
    interval = _interval(metric, request, sample, threshold, selection=selection, **options)
    shown = ScoredSample(sample.s, sample.score, threshold=threshold, population=sample.population)
    whom = find_metric(metric).population_of(sample.population)
    shown.counts = reweighted(shown.counts, selection, alpha=interval.alpha, population=whom)
    return _held_by(answer, metric, interval, shown)


def _held_by(answer, metric, interval, sample):
    """The answer with an interval, its estimate and priors; without the estimate where that is not identified."""
    kind, few = find_metric(metric).kind, min(sample.counts.n_labeled, sample.counts.n_unlabeled) < LEAST
    known = not few and informative(metric, interval[1:3])
    threshold = None if kind == "area" else sample.threshold_at(kind, place_of(sample, metric, interval))
    notes = [each for each in answer.notes if each != _LEFT_OUT]
    return answer._replace(
        estimate=interval.estimate if known else np.nan, lower=interval.lower, upper=interval.upper,
        threshold=threshold, alpha=interval.alpha, beta=interval.beta, identified=known,
        notes=(*notes, _held(metric, interval)),
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


def _checked_answer(metric, s, y_score, checks, *, label_odds, threshold, confidence, population, given):
    """The answer of :func:`pumetrics.checks.checked_interval`."""
    from pumetrics.checks import checked_interval

    if given:
        name, value = next(iter(given.items()))
        raise ValueError(
            f"{name}={value!r} and checks contradict: the estimate rests on checked rows alone; omit one of them"
        )
    level = 0.95 if confidence is None else confidence
    options = {"threshold": threshold, "label_odds": label_odds, "confidence": level, "population": population}
    found = checked_interval(metric, s, y_score, checks, **options)
    labels = {
        float("inf"): "nothing about how labels were assigned",
        1.0: "labels at random (SCAR), which no test can confirm",
    }
    within = f"odds of being labeled that differ at most by a factor of {label_odds:g} across the threshold"
    notes = (
        f"assumes {labels.get(found.label_odds, within)}",
        f"from {found.n_checked} checked rows, {found.n_positive} of them positive, {found.n_unsure} not sure",
        "the estimate refers to these rows: sampling error of other rows is not included",
    )
    known = not np.isnan(found.estimate)
    return Answer(found.estimate, found.lower, found.upper, found.threshold, None, None, "checks", "none", notes, known)
