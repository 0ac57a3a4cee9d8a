"""The one function for users: an estimate of a metric with bounds and caveats, from labels and scores."""

import numpy as np

from pumetrics._validation import check_fraction, check_random_state, check_scores
from pumetrics.inference.options import check_threshold
from pumetrics.inference.selection import check_selection, reweighted
from pumetrics.methods._checked import checked_answer
from pumetrics.methods.defaults import LARGEST_EXACT, choose
from pumetrics.methods.interval_answers import LEFT_OUT, interval_answer, with_interval
from pumetrics.methods.priors import Request, resolve
from pumetrics.methods.registry import available_methods, find_method
from pumetrics.methods.sample import ScoredSample
from pumetrics.methods.types import Answer, View
from pumetrics.metrics import MEASURES, clipped, find_metric

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
    """Estimate a score against the true class, from labeled and unlabeled examples, by any method.

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
        Out-of-sample scores, higher is more positive.
    method : str, default="auto"
        An entry of ``METHODS``. "auto" takes what the study head_to_head recommends, the simplest within one
        standard error of the best (docs/choosing.md); where its exact band would be slow, above 50,000 positives, the
        DKW band.
    alpha : float, optional
        Share of positives among the unlabeled. By default it follows from `rho`, or is estimated from the scores.
    beta : float or None, default=1.0
        Share of positives among the labeled; None estimates it as well. What docs/choosing.md calls
        ``direct, consensus`` is ``method="direct", prior="consensus", beta=None``.
    rho : float, optional
        Label frequency, the share of all positives that are labeled: another way to give alpha.
    prior : str, default="consensus"
        Estimator of the priors, see :func:`pumetrics.priors.available_priors`. The suffix "_clean" says that the labels
        are right, which is what ``beta=1`` says too.
    threshold : float, optional
        Predict positive for scores >= threshold. Without one, measures of predictions are taken at their maximum;
        precision and recall need one.
    selection : float, default=1.0
        How many times as often the positive that scores highest is labeled as the one that scores lowest (log-linear in
        the rank); 1 for labels at random. It cannot be estimated: vary it. Other values need "direct" or "indirect".
    confidence : float, optional
        Coverage of bounds, .95 by default. Given with "direct" or "indirect" it asks for an interval as
        :func:`pumetrics.inference.corrected_interval` gives it, which accounts for the uncertainty of an alpha
        that is not given; "auto" then takes one of the two.
    random_state : int, numpy.random.Generator or None
        For estimators, methods and intervals that draw.
    population : {"unlabeled", "all"}, optional
        What a metric that depends on the class mix is about, and who is ranked for the top of the ranking: the
        unlabeled, or labeled and unlabeled together. By default average precision is about the unlabeled, all others
        about all. Uncorrected ones are always about all.
    checks : DataFrame, optional
        Rows that an expert has checked, as ``plan.filled`` of :func:`pumetrics.checks.plan_checks` returns them. They
        alone then give the answer, of "alpha" too, see :func:`pumetrics.checks.checked_interval`.
    label_odds : float, default=inf
        With `checks`: how many times the odds of being labeled may differ between both sides of the threshold.
        Infinity makes no assumption on the labels, 1 is SCAR.

    Returns
    -------
    Answer

    Raises
    ------
    ValueError
        On bad labels, scores, priors or options; if the method does not answer the metric, needs what only a study
        has, or gives no interval where one is asked for; or if the priors cannot be estimated.

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
    (0.94, 'direct')
    >>> answer = estimate_score("max_f1", s, y_score, method="bounds_bootstrap", prior="consensus_clean")
    >>> answer.lower <= answer.estimate <= answer.upper, answer.prior
    (True, 'consensus_clean')
    """
    if checks is not None:
        ways = {"method": (method, "auto"), "alpha": (alpha, None), "beta": (beta, 1.0), "rho": (rho, None)}
        ways |= {"prior": (prior, "consensus"), "selection": (selection, 1.0)}
        given = {name: value for name, (value, default) in ways.items() if value != default}
        options = {"label_odds": label_odds, "threshold": threshold, "confidence": confidence}
        return checked_answer(metric, s, y_score, checks, **options, population=population, given=given)
    metric, threshold = _asked(metric, threshold)
    threshold = check_threshold(threshold, y_score)
    request = Request(alpha, beta, rho, prior).checked()
    sample = ScoredSample(s, y_score, threshold=np.inf if threshold is None else threshold, population=population)
    selection = check_selection(selection, clean=request.beta == 1)
    name = _chosen(method, metric, request, selection, confidence)
    entry = _able(name, metric)
    level = 0.95 if confidence is None else check_fraction(confidence, "confidence", inclusive=False)
    if entry.uncertainty:
        return interval_answer(metric, name, request, sample, confidence=level, random_state=random_state)
    prior_rng, rng = check_random_state(random_state).spawn(2)
    given, source, notes = resolve(request, entry, sample.counts, level, prior_rng, selection=selection)
    whom = find_metric(metric).population_of(population)
    sample.counts = reweighted(sample.counts, selection, alpha=given.alpha, population=whom)
    if method == "auto" and (slow := _too_large(name, sample.counts, given.alpha)):
        name, notes = "bounds_dkw", (*notes, slow)
        entry = find_method(name)
    (estimate,) = entry.answer(View(sample, rng), given, [metric])
    if np.isnan(estimate.value):
        raise ValueError(f"{name} has no answer at alpha={given.alpha}: it leaves one class among the unlabeled")
    answer = _answer(metric, name, entry, estimate, sample, given, source, notes, selection)
    if confidence is None or not np.isnan(estimate.lower):
        return answer
    return with_interval(answer, metric, request, sample, threshold, level, random_state, selection)


def _chosen(method, metric, request, selection, confidence):
    """Name of the method: what "auto" stands for, and only what can do what is asked."""
    plain = "indirect" if find_metric(metric).kind == "area" else "direct"
    if selection != 1 and method not in ("auto", "direct", "indirect"):
        raise ValueError(f"{method} takes labels for a random sample, got selection={selection:g}: use {plain}")
    if method != "auto":
        return method
    if selection != 1 or (confidence is not None and not request.known):
        return plain
    best = choose(metric, known=request.known, clean=request.beta == 1)
    return plain if confidence is not None and best in ("direct", "indirect") else best


def _asked(metric, threshold):
    """The entry of METRICS, and the threshold as a float or None."""
    entry = find_metric(metric).numbered()
    if threshold is None:
        if entry.kind == "threshold" and metric not in MEASURES:
            raise ValueError(f"{metric} needs a threshold: moving the threshold makes it as large as one likes")
        return (f"max_{metric}" if entry.kind == "threshold" else metric), None
    if entry.kind != "threshold":
        what = "looks for its own threshold" if entry.kind == "maximum" else "depends on no threshold"
        raise ValueError(f"{metric} {what}, got threshold={threshold!r}: leave it out")
    (number,) = check_scores([threshold], "threshold")
    return metric, float(number)


def _able(name, metric):
    """Entry of a method that users may call for a metric."""
    entry = find_method(name)
    if "truth" in entry.needs:
        raise ValueError(f"{name} is a control that needs the true class: it answers in studies only")
    if "pool" in entry.needs:
        raise ValueError(f"{name} is a control that picks from a pool of models: it answers in studies only")
    if find_metric(metric).name not in entry.metrics:
        others = ", ".join(available_methods(metric))
        raise ValueError(f"{name} answers {', '.join(entry.metrics)}, got metric {metric!r}: use one of {others}")
    return entry


def _too_large(name, counts, alpha):
    """Why the exact band is replaced by another one, or None."""
    positives = counts.n_labeled + int(alpha * counts.n_unlabeled) if name == "bounds_hypergeometric" else 0
    if positives <= LARGEST_EXACT:
        return None
    return (
        f"with {positives:,} positives the exact band is slow: the DKW band was taken; "
        'method="bounds_hypergeometric" waits for the exact one'
    )


def _answer(metric, name, entry, estimate, sample, given, source, notes, selection):
    """The public form of an estimate, with what it assumes and leaves out."""
    kind = find_metric(metric).kind
    value = estimate.value if entry.ranks_only else float(clipped(metric, estimate.value))
    grounds = entry.assumes
    if selection != 1:
        grounds = (
            f"labels that prefer the positive that scores highest {selection:g} to 1 over the one that scores lowest"
        )
    notes = [f"assumes {grounds}", *notes]
    if source not in ("none", "given", "rho"):
        notes.append(LEFT_OUT)
    if value != estimate.value:
        notes.append(f"clipped from {estimate.value:.4g}: the priors do not fit the scores, or the sample is small")
    if entry.ranks_only:
        notes.append(f"a number to order models by, no estimate of {find_metric(metric).label}")
    elif kind == "maximum":
        notes.append("a maximum over thresholds is optimistic: it is taken where chance helped most")
    if find_metric(metric).population != "any" and not entry.ranks_only:
        whole = name == "uncorrected" or find_metric(metric).population_of(sample.population) == "all"
        notes.append(f"about {'labeled and unlabeled examples together' if whole else 'the unlabeled examples'}")
    bounds = (None, None) if np.isnan(estimate.lower) else (float(estimate.lower), float(estimate.upper))
    threshold = None if kind == "area" else float(sample.thresholds[estimate.at])
    used = [None if np.isnan(part) else float(part) for part in given[:2]]
    return Answer(float(value), *bounds, threshold, *used, name, source, tuple(notes))
