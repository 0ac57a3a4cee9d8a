"""Checked rows in an assessment: estimates by assumption, and which rows to check if scores do not suffice."""

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pumetrics._arguments import GOALS, check_together
from pumetrics.assessment._warnings import Caution
from pumetrics.assessment._words import label, span
from pumetrics.checks import CheckPlan, UncheckedPartError, checked_interval, plan_checks
from pumetrics.counts import Counts, count_scores
from pumetrics.inference.answers import informative
from pumetrics.inference.designs import ARGUMENTS
from pumetrics.metrics import find_metric
from pumetrics.priors.interval import identifies
from pumetrics.priors.upper_bound import largest_alpha

__all__ = [
    "NextStep",
    "answers_of",
    "budget_of",
    "can_be_checked",
    "check_alike",
    "contradiction",
    "next_step",
    "step_of",
    "with_checks",
    "with_plan",
]

_MEASURES = ("precision", "recall", "f1")
_WITHIN = 0.1


def can_be_checked(metric, threshold):
    """Whether checked rows answer a metric, see :func:`pumetrics.checks.plan_checks`."""
    entry = find_metric(metric)
    if entry.kind == "area":
        return True
    if threshold is not None and not np.isfinite(threshold):
        return False  # where no row is predicted positive
    return (entry.measure or metric) in _MEASURES and (entry.kind == "top" or threshold is not None)


def check_alike(checks, design, goal=None):
    """Raise ValueError on checks with weights, folds, propensities or a goal; clusters change nothing that checks say.

    Rows are drawn to be checked one by one, and the answer is about the rows there are, whatever belongs together.
    """
    goal = {name: value for name, value in (goal or {}).items() if name in GOALS}
    check_together(checks=checks, **goal, **dict(zip(ARGUMENTS, design or (), strict=False)))


def with_plan(metrics, plan):
    """Metrics, and the one that the rows were allotted for if it is not among them."""
    named = not isinstance(plan, CheckPlan) or plan.metric in (*metrics, "alpha", "beta", "difference")
    return metrics if named else [*metrics, plan.metric]


def answers_of(ask, s, y_score, checks, *, plan, guaranteed):
    """Answers of checked rows by metric, those of alpha first, and of beta if labeled rows were checked.

    Parameters
    ----------
    ask : Ask
    s, y_score : ndarray of shape (n,)
    checks, plan, guaranteed
        As for :func:`pumetrics.checks.checked_interval`.

    Returns
    -------
    dict of str to CheckedInterval
        Metrics that checks do not answer are left out.

    Raises
    ------
    ValueError
        If there are only counts, or as :func:`pumetrics.checks.checked_interval`.
    """
    if isinstance(y_score, Counts):
        raise ValueError("checks refer to single rows, but only counts are given: give the labels and scores")
    answers, options = {}, {"plan": plan, "confidence": ask.confidence, "population": ask.population}
    for name in ("alpha", *(["beta"] if getattr(plan, "noisy", False) else []), *ask.metrics):
        share = name in ("alpha", "beta")
        if not share and (
            not can_be_checked(name, ask.threshold) or (guaranteed and find_metric(name).name == "average_precision")
        ):
            continue
        cut = ask.threshold if share or find_metric(name).kind == "threshold" else None
        with suppress(UncheckedPartError):
            answers[name] = checked_interval(name, s, y_score, checks, threshold=cut, guaranteed=guaranteed, **options)
    return answers


def with_checks(scar, answers, notes):
    """The assessment by checked rows, which carries the one by labels alone.

    Parameters
    ----------
    scar : Assessment
        By labels alone.
    answers : dict of str to CheckedInterval
        From :func:`answers_of`.
    notes : tuple of str
        Warnings on the rows.

    Returns
    -------
    Assessment
        Its scores, alpha and beta are those of `answers`; metrics that the checked rows do not
        tell are in `scar` only.
    """
    scores = tuple(_checked_score(each, answers[each.metric]) for each in scar.scores if each.metric in answers)
    left_out = [each.metric for each in scar.scores if each.metric not in answers]
    if left_out:
        names = ", ".join(find_metric(name).short for name in left_out)
        notes += (Caution("unanswered", names=names),)
    contradicted = contradiction(scar, scores)
    alpha, beta = answers["alpha"], answers.get("beta")
    if alpha.n_open:
        notes += (Caution("open_rows", n=alpha.n_open),)
    known = identifies(alpha.lower, alpha.upper)
    return replace(
        scar,
        alpha=(alpha.lower + alpha.upper) / 2 if np.isnan(alpha.estimate) else alpha.estimate,
        alpha_interval=(alpha.lower, alpha.upper), alpha_identified=known, alpha_bound=None,
        beta=scar.beta if beta is None else beta.estimate,
        beta_interval=scar.beta_interval if beta is None else (beta.lower, beta.upper),
        source="by checked rows", uncertainty="checked", n_resamples=0, selection=1.0, estimates=None,
        scores=scores, checked=answers, scar=scar, warnings=((contradicted,) if contradicted else ()) + notes,
    )  # fmt: skip


def _checked_score(score, answer):
    """A score by checked rows in the place of one by labels alone."""
    interval = (answer.lower, answer.upper)
    identified = informative(score.metric, interval)
    value = answer.estimate if identified else np.nan
    options = {"corrected": value, "interval": interval, "bounds": None, "assumes": "checked rows", "selected": ()}
    return replace(score, **options, identified=identified)


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
        interval, (lower, upper) = alone[score.metric], score.interval
        if interval and (interval[0] > upper or interval[1] < lower):
            values = {"checked": span(score.interval), "alone": span(interval)}
            return Caution("contradicted", name=label(score.metric, scar.threshold), **values)
    return None


class NextStep(NamedTuple):
    """Rows to check if scores do not identify a metric."""

    metric: str
    threshold: float | None
    budget: int
    """Number of checked rows needed."""
    within: float
    """Half the expected width of the interval: 0.1."""


def next_step(assessment, s, y_score, *, first=()):
    """What to have checked, or None if all is identified, or rows do not count alike.

    Parameters
    ----------
    assessment : Assessment
    s, y_score : ndarray of shape (n,)
        1 labeled, 0 unlabeled; labeled negatives do not count.
    first : collection of str
        Metrics that matter most.

    Returns
    -------
    NextStep or None
        For the first metric that is not identified; for alpha if checks do not answer it. None if no rows can be drawn.
    """
    if assessment.checked or assessment.design or isinstance(y_score, Counts) or s is None:
        return None
    open_ = [score for score in assessment.scores if not score.identified]
    if not open_ and assessment.alpha_identified:
        return None
    open_ = open_ or [score for score in assessment.scores if find_metric(score.metric).population != "any"]
    answered = [score for score in open_ if can_be_checked(score.metric, score.threshold)]
    kept = s != -1
    question = ("alpha",)
    if answered:
        # Average precision takes the most rows.
        chosen = min(answered, key=lambda score: (score.metric not in first, score.metric == "average_precision"))
        threshold = chosen.threshold if find_metric(chosen.metric).kind == "threshold" else None
        question = chosen.metric, threshold, assessment.population
    try:
        return step_of(question[0], s[kept], y_score[kept], *question[1:])
    except ValueError:  # too few rows to draw from, or none is predicted positive
        return None


def step_of(metric, s, y_score, threshold=None, population=None):
    """Checked rows that would give +-0.1, from what a plan expects, by the square root law in between and beyond.

    Parameters
    ----------
    metric, s, y_score, threshold, population
        See :func:`pumetrics.checks.plan_checks`. Alpha, which may be far below 0.1, is to be known within a quarter of
        the largest that the scores allow.

    Returns
    -------
    NextStep
        Its budget is a multiple of ten, at most the unlabeled rows.
    """
    most, within = int(np.count_nonzero(s == 0)), _WITHIN
    if metric == "alpha":
        within = min(within, largest_alpha(count_scores(s, y_score), confidence=0.975) / 4)
    options = {"metric": metric, "threshold": threshold, "population": population}
    plan = plan_checks(s, y_score, budget=min(50, most), random_state=0, **options)
    return NextStep(metric, threshold, min(budget_of(plan, within), most), within)


def budget_of(plan, within=_WITHIN):
    """Checked rows that would give +-`within`, a multiple of ten."""
    budgets, widths = (np.array(each, dtype=float) for each in zip(*plan.expected.items(), strict=True))
    roots, widths, goal = 1 / np.sqrt(budgets), np.minimum.accumulate(widths), 2 * within
    root = np.interp(goal, widths[::-1], roots[::-1]) if widths[-1] < goal else roots[-1] * goal / widths[-1]
    return int(np.ceil(0.1 / root**2)) * 10
