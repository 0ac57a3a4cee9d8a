"""Estimates and intervals of a metric from rows that an expert has checked."""

from typing import NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.checks.new_rows import MEASURES, NewRows, area_of_new_rows, share_by_score
from pumetrics.checks.plans import CheckPlan, opened
from pumetrics.checks.region import Region, exact_ends, extreme, slacks_of
from pumetrics.checks.strata import Pair, Strata, ask
from pumetrics.checks.verdicts import UNSURE, by_position, check_rows, verdicts_of
from pumetrics.metrics import AREAS
from pumetrics.validation import (
    check_choice,
    check_fraction,
    check_same_index,
    check_same_length,
    check_threshold,
)

__all__ = ["CheckedInterval", "UncheckedPartError", "checked_difference", "checked_interval"]

# Checked rows of a part of a stratum: fewer where labeled rows take some of the budget.
_LEAST = 10
_LEAST_IF_NOISY = 6


class UncheckedPartError(ValueError):
    """No row was checked in a part of the ranking that a metric depends on."""


class CheckedInterval(NamedTuple):
    """A metric and its interval from checked rows."""

    metric: str
    """Name of the metric."""
    estimate: float
    """Estimate from the share of positives in each stratum; NaN if a relevant stratum has no checked row, or if rows of
    one class only were found, for the area under the ROC curve."""
    lower: float
    """Lower end of the interval."""
    upper: float
    """Upper end of the interval."""
    confidence: float
    """Nominal coverage."""
    guaranteed: bool
    """Whether coverage is exact for any sample size."""
    n_checked: int
    """Number of rows with a verdict, including unsure ones."""
    n_positive: int
    """Number of rows found to be positive."""
    n_unsure: int
    """Number of unsure rows, which are counted both ways."""
    threshold: float | None
    """Predict positive for scores >= threshold; None for areas and other numbers without a threshold."""
    look: int = 1
    """Number of the current budget of the plan, from 1: at the j-th budget the interval uses 1/j of the error, so that
    claims at all budgets hold together nearly as often as one claim (docs/checked_sample.md)."""
    n_open: int = 0
    """Number of rows of that budget without a verdict; a claim is valid if there are none."""
    n_twice: int = 0
    """Number of rows with more than one verdict."""
    n_differing: int = 0
    """Number of those on which the verdicts differ, which are counted as unsure."""
    about: str = "file"
    """Rows that the interval is about: those of the file, or "new" rows of the same kind."""


def checked_interval(
    metric,
    s,
    y_score,
    checks,
    *,
    plan=None,
    threshold=None,
    confidence=0.95,
    guaranteed=False,
    population="all",
    about=None,
):
    """Compute an interval of a metric from rows that an expert has checked.

    Parameters
    ----------
    metric : str
        As in :func:`plan_checks`; it can differ from the metric of the plan.
    s, y_score : array-like of shape (n,)
        Observed label (1 labeled positive, 0 unlabeled; None if no row is labeled) and scores, as given to the plan.
    checks : FilledPlan, DataFrame or array-like of shape (n,)
        As ``plan.filled`` returns it; a table with columns row (position) and verdict (1, 0, "?" or blank), or, for
        scores with an index, a table whose index has its labels; or a verdict for every row: 1 positive, -1 negative, 0
        not checked.
    plan : CheckPlan, "top" or "random", optional
        How the rows of a table were chosen: by a plan, all of the first k unlabeled rows, or a simple random sample of
        these.
    threshold : float, optional
        Predict positive for scores >= threshold; by default that of the plan.
    confidence : float, default=0.95
        Nominal coverage, in (0, 1), of the first budget of a plan, and about that of claims at all of its budgets
        together: the j-th interval is one of 1 - (1 - confidence) / j.
    guaranteed : bool, default=False
        Exact hypergeometric ends of every stratum that matters, at the worst corner: coverage is at least nominal for
        any sample size, and the interval is wide. Not available for average precision.
    population : {"all", "unlabeled"}, default="all"
        Population of the metric. Average precision of the unlabeled refers to their rows alone.
    about : {"file", "new"}, optional
        Rows that the interval is about: these rows, or new rows of the same kind. By default new rows for a random
        sample, where the metric allows it, and these rows otherwise.

    Returns
    -------
    CheckedInterval

    Raises
    ------
    ValueError
        If labels, scores, checks or options are unusable, or scores have changed since the plan.

    Notes
    -----
    The interval is the range of the metric over all numbers of positives in the strata whose profile likelihood is near
    its maximum. How near, at 95%: within 2.1 (half the quantile of chi-squared is 1.92), and within 2.1 + 1.4 / (1 + e)
    if one stratum decides in which e of the rarer class were found, such as none. So enumerated coverage is at least
    94% from 4 checked rows of a stratum on, see docs/checked_sample.md. The interval refers to these rows: sampling
    error of other rows is not included. Of a random sample, alpha and measures at a threshold are for new rows of the
    same kind: likelihoods are binomial, and the share of flagged rows is that of a binomial sample too, of all rows of
    the file; the share of labeled rows is taken as fixed. Alpha of new rows is also computed with strata by score, and
    the narrower interval is given. For the area under the ROC curve, rows of the rarer class of
    a stratum that were not drawn are assumed to rank like those found, and the variance of that mean rank widens the
    interval, as for independent errors; if all rows or none were found positive it is 0 to 1. For average precision,
    strata are divided
    further, down to ten checked rows each (six if labeled rows are checked too), and positives can be anywhere in their
    stratum. For both areas the likelihood is within 2.3. Unsure verdicts count both ways.

    References
    ----------
    Cochran (1977), Sections 3.5 and 5; Venzon & Moolgavkar (1988), "A method for computing profile-likelihood-based
    confidence intervals", Applied Statistics 37.

    Examples
    --------
    >>> from pumetrics.checks import plan_checks
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> s, y_score = y & (rng.random(2000) < 0.3), y + rng.normal(size=2000)
    >>> plan = plan_checks(s, y_score, budget=150, metric="precision", threshold=1.0, random_state=1)
    >>> answer = checked_interval("precision", s, y_score, plan.filled(y[plan.rows]))
    >>> bool(answer.lower < y[y_score >= 1].mean() < answer.upper)
    True
    """
    check_same_index(s=s, y_score=y_score, checks=checks)
    labels, scores = check_rows(s, y_score)
    checks, plan = opened(checks, plan)
    threshold = check_threshold(threshold, y_score)
    is_planned = isinstance(plan, CheckPlan)
    noisy = is_planned and plan.noisy
    is_top = "_at_" in str(metric)
    if is_planned:
        plan.check_data(labels, scores)
        if threshold is None and not is_top:
            threshold = plan.threshold
    question = ask(metric, labels, scores, threshold=threshold, population=population, noisy=noisy)
    if guaranteed and question.measure == "average_precision":
        raise ArgumentError(
            "guaranteed", "is not available for average_precision: use the default, or roc_auc"
        )
    if about is not None:
        check_choice(about, "about", ("file", "new"))
    level = check_fraction(confidence, "confidence", inclusive=False)
    verdicts = verdicts_of(by_position(checks, plan, s, y_score), labels, scores, plan)

    may_be_new = plan == "random" and about != "file"
    if may_be_new and question.measure in MEASURES and not is_top:
        answer = _answer_for_new_rows(metric, question, labels, verdicts, level, bool(guaranteed))
        if metric != "alpha" or guaranteed:
            return answer
        return _narrower(answer, scores, scores[labels == 0], verdicts)
    is_unlabeled = population == "unlabeled" or not labels.any()
    if may_be_new and metric == "roc_auc" and is_unlabeled and not guaranteed:
        return _area_for_new_rows(question, scores, verdicts, level)
    if about == "new":
        raise ArgumentError(
            "about",
            f"must be omitted or 'file', got 'new': there is no interval of {metric} for new rows from these checks; "
            "it needs a random sample (plan='random') and a metric other than tops and average precision",
        )
    if not is_planned:
        cuts = _cuts(plan, question, scores[verdicts.rows])
        strata = Strata(labels, scores, question, cuts, noisy=False)
    elif plan.answers(metric, threshold, population):
        strata = plan.strata  # which has ranked the scores already
    else:
        labeled_cuts = plan.strata.labeled_cuts
        strata = Strata(labels, scores, question, plan.cuts, noisy=noisy, labeled_cuts=labeled_cuts)
    return _answer_of(metric, strata, verdicts, level, bool(guaranteed))


def checked_difference(s, first, second, checks, *, plan=None, confidence=0.95, guaranteed=False):
    """Compute an interval of the difference in precision, first minus second, of two lists of equal length.

    At equal length, the list with more positives is better by precision, recall and F1.

    Parameters
    ----------
    s, first, second : array-like of shape (n,)
        As given to :func:`plan_comparison`.
    checks : DataFrame
        As for :func:`checked_interval`.
    plan : CheckPlan, optional
        From :func:`plan_comparison`.
    confidence, guaranteed
        As in :func:`checked_interval`.

    Returns
    -------
    CheckedInterval
        Of the difference, in [-1, 1].

    Raises
    ------
    ValueError
        If labels, scores or checks are unusable, scores have changed since the plan, or the plan is not for two models.
    """
    check_same_index(s=s, first=first, second=second, checks=checks)
    labels, one, other = check_rows(s, first, second)
    checks, plan = opened(checks, plan)
    if not (isinstance(plan, CheckPlan) and isinstance(plan.strata, Pair)):
        raise ValueError("two models need checks of a plan from plan_comparison: give it as plan=")
    check_same_length(s=labels, plan=plan.strata.data[0])
    plan.check_data(labels, one, other)
    verdicts = verdicts_of(checks, labels, one, plan)
    level = check_fraction(confidence, "confidence", inclusive=False)
    return _answer_of("difference", plan.strata, verdicts, level, bool(guaranteed))


def _cuts(plan, question, scores):
    """Where to cut the unlabeled without a plan: at the last checked score, or for areas between random rows."""
    if plan == "top":
        return scores.min(), np.nextafter(scores.min(), np.inf)
    if question.measure not in AREAS:
        return ()
    ordered = np.sort(scores)[::-1]
    return [ordered[rows - 1] for rows in 4 * 2 ** np.arange(20) if rows + 4 <= len(ordered)]


def _answer_of(metric, strata, verdicts, nominal, guaranteed):
    """Interval over all ways to settle what could not be said, at the look at the plan that the verdicts allow."""
    confidence = 1 - (1 - nominal) / verdicts.look
    rows, values, *_ = verdicts
    if strata.question.measure == "average_precision":
        strata = strata.split(rows, _LEAST_IF_NOISY if strata.noisy else _LEAST)

    sure = values != UNSURE
    truth = strata.truth(rows[sure], values[sure])
    at = strata.measure(truth)
    region = _region(strata, truth, confidence)
    estimate = _estimate(strata, at, region)

    ways = [0]  # which changes no sure verdict
    if not sure.all():
        up = at(region.point)[1][strata.of[rows]] > 0
        ways = [0, 1, up, ~up]  # all negative, all positive, as they move the metric most
    ends = []
    for way in ways:
        truth = strata.truth(rows, np.where(sure, values, way))
        ends += _ends(strata, truth, confidence, guaranteed)
    answer = _made(metric, strata.question, verdicts, estimate, ends, nominal, guaranteed)
    return answer._replace(look=verdicts.look, n_open=verdicts.n_open)


def _answer_for_new_rows(metric, question, labels, verdicts, confidence, guaranteed):
    """Interval of a random sample for new rows, over all ways to settle what could not be said."""
    rows = verdicts.rows
    sure = verdicts.values != UNSURE
    flagged = None
    if metric != "alpha" and question.flagged is not None:
        flagged = question.flagged > 0
    kind = NewRows(question.measure, flagged, labels, question.population)
    estimate = kind.estimate(*kind.samples(rows[sure], verdicts.values[sure]))

    ways = [0]
    if not sure.all():
        ways = [0, 1]
        if flagged is not None:
            ways += [flagged[rows], ~flagged[rows]]
    ends = []
    for way in ways:
        found = kind.samples(rows, np.where(sure, verdicts.values, way))
        if guaranteed:
            ends += kind.guaranteed_ends(*found, confidence)
        else:
            ends += kind.ends(*found, *slacks_of(confidence))
    answer = _made(metric, question, verdicts, estimate, ends, confidence, guaranteed)
    return answer._replace(about="new")


def _narrower(answer, scores, unlabeled, verdicts):
    """The share of positives in new rows by what the scores say of the rows that were not drawn, if that says more."""
    sure = verdicts.values != UNSURE
    drawn = scores[verdicts.rows]
    slacks = slacks_of(answer.confidence)
    found = share_by_score(verdicts.values[sure], drawn[sure], unlabeled, *slacks)
    ends = [found]
    if not sure.all():
        values = [np.where(sure, verdicts.values, way) for way in (0, 1)]
        ends = [share_by_score(each, drawn, unlabeled, *slacks) for each in values]
    if found is None or None in ends:
        return answer
    lower = min(low for _, low, _ in ends)
    upper = max(high for _, _, high in ends)
    if upper - lower >= answer.upper - answer.lower:
        return answer
    return answer._replace(estimate=found[0], lower=lower, upper=upper)


def _area_for_new_rows(question, scores, verdicts, confidence):
    """Interval of the area under the ROC curve of a random sample, over ways to settle what could not be said."""
    sure = verdicts.values != UNSURE
    scores = scores[verdicts.rows]
    estimate, ends = area_of_new_rows(verdicts.values[sure], scores[sure], confidence)
    is_high = scores >= np.median(scores)
    for way in [] if sure.all() else [0, 1, is_high, ~is_high]:
        y = np.where(sure, verdicts.values, way)
        ends += area_of_new_rows(y, scores, confidence)[1]
    answer = _made("roc_auc", question, verdicts, estimate, ends, confidence, False)
    return answer._replace(about="new")


def _made(metric, question, verdicts, estimate, ends, confidence, guaranteed):
    """The answer with its numbers in the range of the metric."""
    numbers = np.clip([estimate, min(ends), max(ends)], question.least, 1.0).tolist()
    return CheckedInterval(
        metric,
        *numbers,
        confidence=confidence,
        guaranteed=guaranteed,
        n_checked=len(verdicts.rows),
        n_positive=int((verdicts.values == 1).sum()),
        n_unsure=int((verdicts.values == UNSURE).sum()),
        threshold=question.threshold,
        n_twice=verdicts.n_twice,
        n_differing=verdicts.n_differing,
    )


def _region(strata, truth, confidence):
    """What the checked rows leave possible."""
    return strata.region(strata.count(truth >= 0), strata.count(truth == 1), confidence)


def _estimate(strata, at, region):
    """The metric at the sample's shares of positives; NaN if a relevant stratum has no checked row, or no value."""
    value, gradient = at(region.point)
    is_unknown = ((region.drawn == 0) & (gradient != 0)).any()
    if is_unknown or strata.lacks_class(region.point):
        return float("nan")
    return float(value)


def _ends(strata, truth, confidence, guaranteed):
    """Lower and upper end of the interval for settled verdicts."""
    at = strata.measure(truth)
    region = _region(strata, truth, confidence)
    if strata.lacks_class(region.point):
        return [0.0, 1.0]
    if guaranteed:
        return [_guaranteed_end(strata, truth, region, sign, confidence) for sign in (-1, 1)]
    blank = region.drawn == 0
    if not blank.any():
        return strata.ends(region, at)
    if strata.question.measure == "average_precision" and (strata.inside[blank] > 0).any():
        raise UncheckedPartError(
            "average_precision needs a checked row in every part of the ranking: select rows with plan_checks "
            "(pumetrics audit)"
        )
    sides = [strata.measure(truth, np.where(blank, sign, 0)) for sign in (-1, 1)]
    return strata.ends(region, at, sides)


def _guaranteed_end(strata, truth, region, sign, confidence):
    """An end by an exact interval for each stratum that matters, at their worst corner."""
    at = strata.measure(truth, np.full(len(region.sizes), sign))
    low = region.found.copy()
    high = region.sizes - (region.drawn - region.found)
    slopes = [at(k)[1] for k in (region.point, (low + high) / 2)]  # at the estimate all may be 0
    is_open = low < high
    matters = np.flatnonzero(is_open & np.any(slopes, axis=0))
    for h in matters:
        counts = (int(each[h]) for each in (region.sizes, region.drawn, region.found))
        low[h], high[h] = exact_ends(*counts, confidence ** (1 / len(matters)))
    corners = (np.where(corner, high, low) for corner in np.ndindex(*[2] * len(low)))
    best = max(sign * at(k)[0] for k in corners)
    return sign * max(best, sign * extreme(at, Region.box(low, high), sign))
