"""Comparison of two models at equal list length: only rows that exactly one of them lists need to be checked."""

import numpy as np

from pumetrics._validation import check_fraction, check_same_length, check_sample
from pumetrics.checks._interval import answer_of
from pumetrics.checks._plan import CheckPlan, seed_of
from pumetrics.checks._strata import Pair
from pumetrics.checks._verdicts import verdicts_of
from pumetrics.metrics import metric_at

__all__ = ["checked_difference", "plan_comparison"]


def plan_comparison(s, first, second, *, k, budget, random_state=None, population="all"):
    """Select rows to check to find out which of two lists of k rows contains more positives.

    Rows on both lists or on neither do not affect the difference, so none of them is selected.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled positive, 0 unlabeled.
    first, second : array-like of shape (n,)
        Scores of two models for the same rows, higher means more positive.
    k : int, float or str
        Length of the lists: a number such as 100, or a share such as 0.01 or "1%", rounded to a whole number.
    budget : int
        Number of rows to check: at least four of each model that the other model does not list.
    random_state : int, Generator or None
        Of the draw.
    population : {"all", "unlabeled"}, default="all"
        Whether labeled rows can be on the lists.

    Returns
    -------
    CheckPlan
        Its ``filled`` table is what :func:`checked_difference` reads.

    Raises
    ------
    ValueError
        On invalid labels, scores or options, if a list ends within tied scores, if both lists are equal, or if `budget`
        is too small or too large.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> s, first, second = y & (rng.random(2000) < 0.3), y + rng.normal(size=2000), rng.normal(size=2000)
    >>> plan = plan_comparison(s, first, second, k=200, budget=60, random_state=0)
    >>> difference = checked_difference(s, first, second, plan.filled(y[plan.rows]))
    >>> bool(difference.lower > 0)
    True
    """
    labels, one, other = check_sample(s, first, second)
    metric = metric_at("precision_at_k", k)
    sample = Pair(labels, one, other, metric, population)
    strata = sample.strata
    weights = np.where((strata.flagged != 0) & ~strata.labeled, strata.sizes / len(labels), -1.0)
    if (weights < 0).all():
        raise ValueError(f"first and second list the same unlabeled rows at k={k}: no check can distinguish them")
    guess = np.full(len(weights), 0.5)
    return CheckPlan(metric, seed_of(random_state), tuple(weights.tolist()), guess, sample).extend(budget)


def checked_difference(s, first, second, checks, *, confidence=0.95, guaranteed=False, plan=None):
    """Compute an interval of the difference in precision, first minus second, of two lists of equal length.

    At equal length, the list with more positives is better by precision, recall and F1.

    Parameters
    ----------
    s, first, second : array-like of shape (n,)
        As given to :func:`plan_comparison`.
    checks : DataFrame
        Columns row and verdict, as ``plan.filled`` returns it.
    confidence, guaranteed, plan
        As in :func:`checked_interval`.

    Returns
    -------
    CheckedInterval
        Of the difference, in [-1, 1].

    Raises
    ------
    ValueError
        If labels, scores or checks are unusable, scores have changed since the plan, or no plan is given.
    """
    labels, one, other = check_sample(s, first, second)
    plan = CheckPlan.of(checks) if plan is None else plan
    if not (isinstance(plan, CheckPlan) and isinstance(plan.sample, Pair)):
        raise ValueError("two models need checks of a plan from plan_comparison: give it as plan=")
    check_same_length(s=labels, plan=plan.sample.data[0])
    plan.check_data(labels, one, other)
    verdicts = verdicts_of(checks, labels, one, plan=plan)
    level = check_fraction(confidence, "confidence", inclusive=False)
    return answer_of("difference", plan.sample, verdicts, np.inf, level, bool(guaranteed))
