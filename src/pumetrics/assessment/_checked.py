"""Checked rows in an assessment: estimates whichever positives were labeled, and what the labels alone say."""

from contextlib import suppress
from dataclasses import replace

import numpy as np

from pumetrics.arguments import ArgumentError, ContradictionError
from pumetrics.assessment._assessment import Assessment
from pumetrics.assessment._words import label, span
from pumetrics.cautions import Caution
from pumetrics.checks import CheckPlan, UncheckedPartError, checked_interval
from pumetrics.inference.answers import Score, informative
from pumetrics.metrics import find_metric
from pumetrics.priors.interval import identifies
from pumetrics.validation import as_array

__all__ = [
    "answers_of",
    "check_alike",
    "check_none_given",
    "contradiction",
    "of_checks_alone",
    "with_checks",
    "with_plan",
]

_RARE = 0.05
_OF_PLANS_ALONE = ("alpha", "beta", "specificity")  # no metrics of an assessment
_MEASURES = ("precision", "recall", "f1", "accuracy", "balanced_accuracy", "mcc")


def _can_be_checked(metric, ask, s, y_score):
    """Whether checked rows answer a metric, see :func:`pumetrics.checks.plan_checks`."""
    entry = find_metric(metric)
    if entry.kind == "area":
        return True
    if entry.kind == "maximum":
        return False  # at no threshold in particular
    if ask.threshold is not None and not np.isfinite(ask.threshold):
        return False  # no row is predicted positive
    if entry.kind == "threshold" and ask.threshold is None:
        return False
    if metric == "precision":
        ranked = as_array(y_score)
        if ask.population == "unlabeled":
            ranked = ranked[as_array(s) == 0]
        return bool((ranked >= ask.threshold).any())
    return entry.measure in _MEASURES


def check_alike(checks, plan, sample_weight):
    """Raise ValueError on a plan without checks, and on checks with weights.

    Clusters are fine: rows are drawn to be checked one by one, and the answer is about the rows there are.
    """
    if checks is None and plan is not None:
        raise ArgumentError(
            "plan", "says how rows were chosen, and no checked rows are given: add checks"
        )
    if checks is not None and sample_weight is not None:
        why = "checked rows all have the same weight; omit one of them"
        raise ContradictionError([("checks", True), ("sample_weight", True)], why)


def with_plan(metrics, plan):
    """Metrics, and the one that the rows were allotted for if it is not among them."""
    if not isinstance(plan, CheckPlan) or plan.metric in (*metrics, *_OF_PLANS_ALONE):
        return metrics
    return [*metrics, plan.metric]


def answers_of(ask, s, y_score, checks, *, plan, guaranteed, clustered=False):
    """Answers of checked rows by metric, those of alpha first, and of beta if labeled rows were checked.

    Parameters
    ----------
    ask : Ask
    s, y_score, checks, plan, guaranteed
        As for :func:`pumetrics.checks.checked_interval`.
    clustered : bool
        Whether rows belong together: then no interval is about new rows, which would vary by cluster.

    Returns
    -------
    dict of str to CheckedInterval
        Metrics that checks do not answer are left out.

    Raises
    ------
    ValueError
        As :func:`pumetrics.checks.checked_interval`.
    """
    answers = {}
    shares = ["alpha", "beta"] if getattr(plan, "noisy", False) else ["alpha"]
    for name in (*shares, *ask.metrics):
        threshold = None
        if name not in shares:
            if not _can_be_checked(name, ask, s, y_score):
                continue
            if guaranteed and name == "average_precision":
                continue
            threshold = ask.threshold if find_metric(name).kind == "threshold" else None
        elif ask.threshold is not None and np.isfinite(ask.threshold):
            threshold = ask.threshold
        with suppress(UncheckedPartError):
            answers[name] = checked_interval(
                name,
                s,
                y_score,
                checks,
                plan=plan,
                threshold=threshold,
                confidence=ask.confidence,
                population=ask.population,
                guaranteed=guaranteed,
                about="file" if clustered else None,
            )
    return answers


def with_checks(scar, answers, notes, *, plan):
    """The assessment by checked rows, which carries the one by labels alone.

    Parameters
    ----------
    scar : Assessment
        By labels alone.
    answers : dict of str to CheckedInterval
        From :func:`answers_of`.
    notes : tuple of Caution
        Warnings on the rows.
    plan : CheckPlan, "top" or "random"
        How rows were chosen.

    Returns
    -------
    Assessment
        Its scores, alpha and beta are those of `answers`; metrics that the checked rows do not
        tell are in `scar` only.
    """
    scores = tuple(
        _score(each.metric, answers[each.metric], each.population, each.threshold, each.uncorrected)
        for each in scar.scores
        if each.metric in answers
    )
    notes += _notes_of(
        answers, [each.metric for each in scar.scores], scar.threshold, are_labeled=True
    )
    if plan == "random":
        notes += _positives_apart(answers["alpha"], scar)
    contradicted = contradiction(scar, scores)
    if contradicted:
        notes = (contradicted, *notes)
    priors = _priors_of(answers)
    if "beta" in answers:
        beta = answers["beta"]
        priors |= {"beta": _middle(beta), "beta_interval": (beta.lower, beta.upper)}
    return replace(scar, **priors, scores=scores, scar=scar, warnings=notes)


def check_none_given(**given):
    """Raise ValueError if something describes labels, which checks without a labeled row do not need."""
    for name, value in given.items():
        if value is not None:
            raise ContradictionError(
                [(name, value), ("checks", True)], "no row is labeled, and checks need no priors"
            )


def of_checks_alone(ask, answers, n_rows):
    """The assessment of so many rows of which none is labeled, from what :func:`answers_of` finds."""
    scores = []
    for name in ask.metrics:
        if name in answers:
            population = None if find_metric(name).population == "any" else ask.population
            scores.append(_score(name, answers[name], population, answers[name].threshold))
    return Assessment(
        n_labeled=0,
        n_unlabeled=n_rows,
        beta=1.0,
        beta_interval=None,
        priors=None,
        confidence=ask.confidence,
        threshold=ask.threshold,
        population=ask.population,
        scores=tuple(scores),
        warnings=_notes_of(answers, ask.metrics, ask.threshold, are_labeled=False),
        **_priors_of(answers),
    )


def _priors_of(answers):
    """What checked rows say of alpha, and that they say it."""
    alpha = answers["alpha"]
    return {
        "alpha": _middle(alpha),
        "alpha_interval": (alpha.lower, alpha.upper),
        "alpha_identified": identifies(alpha.lower, alpha.upper) and not np.isnan(alpha.estimate),
        "alpha_bound": None,
        "source": "from checked rows",
        "uncertainty": "checked",
        "n_resamples": 0,
        "drawn": None,
        "checked": answers,
    }


def _middle(answer):
    """The estimate, or the middle of its interval if there is none."""
    return (answer.lower + answer.upper) / 2 if np.isnan(answer.estimate) else answer.estimate


def _notes_of(answers, metrics, threshold, *, are_labeled):
    """Warnings on metrics without an answer, and on rows of the plan without a verdict."""
    left_out = {"no_threshold": [], "unanswered": []}
    for name in metrics:
        if name not in answers:
            lacks = threshold is None and find_metric(name).kind == "threshold"
            left_out["no_threshold" if lacks else "unanswered"].append(find_metric(name).short)

    notes = ()
    for code, names in left_out.items():
        if names:
            these = "it is" if len(names) == 1 else "these are"
            shown = f"; {these} shown only under the assumption that labels are random"
            notes += (Caution(code, names=", ".join(names), shown=shown if are_labeled else ""),)
    if answers["alpha"].n_open:
        notes += (Caution("open_rows", n=answers["alpha"].n_open),)
    return notes


def _positives_apart(alpha, scar):
    """A warning if a random sample has no positive, and there are labels that may be its positives, as a tuple.

    If they are, labels and checked rows are one sample, of which so many rows are all negative by chance only.
    """
    n_negative = alpha.n_checked - alpha.n_unsure
    share = scar.n_labeled / (scar.n_labeled + n_negative)
    is_rare = (1 - share) ** n_negative < _RARE
    is_possible = share <= (scar.alpha_bound or 1)
    if alpha.n_positive == 0 and is_rare and is_possible:
        return (Caution("positives_apart", n=n_negative, labeled=scar.n_labeled),)
    return ()


def _score(metric, answer, population, threshold, uncorrected=np.nan):
    """A score by checked rows."""
    interval = (answer.lower, answer.upper)
    identified = informative(metric, interval)
    return Score(
        metric=metric,
        uncorrected=uncorrected,
        corrected=answer.estimate if identified else np.nan,
        interval=interval,
        assumes="checked rows",
        identified=identified,
        threshold=threshold,
        population=population,
    )


def contradiction(scar, scores):
    """A warning on the first metric of which intervals by labels alone and by checked rows have nothing in common.

    Parameters
    ----------
    scar : Assessment
        By labels alone.
    scores : tuple of Score
        By checked rows.

    Returns
    -------
    Caution or None
    """
    alone = {each.metric: each.interval for each in scar.scores}
    for score in scores:
        interval = alone[score.metric]
        lower, upper = score.interval
        if interval and (interval[0] > upper or interval[1] < lower):
            values = {"checked": span(score.interval), "alone": span(interval)}
            return Caution("contradicted", name=label(score.metric, scar.threshold), **values)
    return None
