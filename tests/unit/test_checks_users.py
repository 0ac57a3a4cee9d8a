"""Checked rows where users meet them: one metric, several, the assessment, the comparison."""

import dataclasses
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from samples import answer_of, checkable, covers, options_of, truth_of
from scipy.stats import binom

from pumetrics import assess, compare_scores, plan_checks
from pumetrics.checks import checked_difference, checked_interval, plan_comparison

S, SCORE, Y = checkable(3, n=1500, alpha=0.1)
PLAN = plan_checks(S, SCORE, budget=120, metric="f1", threshold=1.0, random_state=1)
CHECKS = PLAN.filled(Y[PLAN.rows])
QUICK = {"n_bootstrap": 0, "alpha": 0.1}
ROWS = np.random.default_rng(1).choice(np.flatnonzero(S == 0), 300, replace=False)
RANDOM = pd.DataFrame({"row": ROWS, "verdict": Y[ROWS]})


ASK = {"checks": CHECKS, **QUICK}


@pytest.mark.parametrize("metric", ["alpha", "recall", "roc_auc", "precision_at_50"])
def test_every_way_to_ask_gives_the_same_interval(metric):
    wanted = checked_interval(metric, S, SCORE, CHECKS, **options_of(metric))
    found = assess(S, SCORE, at=50 if "_at_" in metric else (), **ASK)
    assert found.checked[metric] == wanted
    assert found.threshold == PLAN.threshold


def test_an_assessment_by_checked_rows_carries_the_one_by_labels_alone():
    without = assess(S, SCORE, threshold=1.0, **QUICK)
    found = assess(S, SCORE, **ASK)
    assert dataclasses.replace(found.scar, priors=None) == dataclasses.replace(without, priors=None)
    assert {score.metric for score in found.scores} == found.checked.keys() - {"alpha"}
    for score in found.scores:
        answer = found.checked[score.metric]
        assert (score.corrected, score.interval) == (answer.estimate, (answer.lower, answer.upper))
    assert {"alpha", "accuracy", "f1", "mcc", "precision", "recall"} < found.checked.keys()
    for metric, answer in found.checked.items():
        truth = Y[S == 0].mean() if metric == "alpha" else truth_of(metric, Y, SCORE)
        assert answer.lower <= truth <= answer.upper
    assert found.as_dict()["checked"]["f1"]["lower"] == found.checked["f1"].lower
    guaranteed = assess(S, SCORE, uncertainty="guaranteed", **ASK)
    assert guaranteed.checked["recall"].guaranteed


@pytest.mark.parametrize("labels", [S, None], ids=["labels", "no labels"])
def test_with_clusters_checked_rows_tell_of_the_rows_that_are_there(labels):
    known = {"n_bootstrap": 0} if labels is None else QUICK
    cluster = np.arange(len(S)) // 3
    grouped = assess(labels, SCORE, checks=RANDOM, plan="random", cluster=cluster, **known)
    for name in ("alpha", "roc_auc"):
        alone = checked_interval(name, labels, SCORE, RANDOM, plan="random", about="file")
        assert grouped.checked[name] == alone
    assert {each.about for each in grouped.checked.values()} == {"file"}


def test_rows_of_a_queue_are_no_random_sample():
    queue = np.argsort(-SCORE)[:80]
    some = np.random.default_rng(0).choice(queue, 40, replace=False)
    table = pd.DataFrame({"row": some, "verdict": Y[some]})
    with pytest.raises(ValueError, match="of these 40 rows 40 score as high as half of the unlab"):
        checked_interval("alpha", None, SCORE, table, plan="random")
    with pytest.raises(ValueError, match="of these 40 rows 0 score as high"):
        checked_interval("alpha", None, -SCORE, table, plan="random")


def test_a_plan_for_specificity_answers_what_an_assessment_holds():
    plan = plan_checks(S, SCORE, budget=60, metric="specificity", threshold=1.0, random_state=0)
    found = assess(S, SCORE, checks=plan.filled(Y[plan.rows]), **QUICK)
    assert "precision" in found.checked
    assert "specificity" not in found.checked


@pytest.mark.slow
def test_labels_that_can_be_wrong_are_checked_too():
    s = np.where(np.arange(len(S)) % 50 == 7, 1, S)
    plan = plan_checks(s, SCORE, budget=150, metric="f1", threshold=1.0, noisy=True, random_state=0)
    beta = assess(s, SCORE, checks=plan.filled(Y[plan.rows]), **QUICK).checked["beta"]
    assert beta.lower <= Y[s == 1].mean() <= beta.upper
    blank = np.where(s[plan.rows] == 1, np.nan, Y[plan.rows])
    found = assess(s, SCORE, checks=plan.filled(blank), **QUICK)
    assert np.isnan(found.checked["beta"].estimate)
    assert found.beta == np.mean(found.beta_interval)


@pytest.mark.parametrize("labels", [S, None], ids=["labels", "no labels"])
def test_the_metric_that_rows_were_drawn_for_is_shown_unless_others_are_named(labels):
    plan = plan_checks(labels, SCORE, budget=60, metric="precision_at_50", random_state=0)
    options = {"checks": plan.filled(Y[plan.rows]), "n_bootstrap": 0}
    assert list(assess(labels, SCORE, **options).checked)[-1] == "precision_at_50"
    named = assess(labels, SCORE, **options, metrics=["roc_auc"]).checked
    assert named.keys() == {"alpha", "roc_auc"}


def test_a_comparison_shows_the_checked_difference():
    second = SCORE + np.random.default_rng(0).normal(size=len(S))
    plan = plan_comparison(S, SCORE, second, k=200, budget=60, random_state=0)
    checks = plan.filled(Y[plan.rows])
    options = {"metrics": ["roc_auc"], "n_bootstrap": 10, "alpha": 0.1}
    found = compare_scores(S, SCORE, second, checks=checks, **options)
    assert found.checked == checked_difference(S, SCORE, second, checks)
    assert found.as_dict()["checked"]["lower"] == found.checked.lower


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_top_of_a_ranking_is_that_of_the_population(population):
    """The precision among the first 100 is that of all rows, or of the unlabeled ones alone."""
    everyone = pd.DataFrame({"row": np.flatnonzero(S == 0), "verdict": Y[S == 0]})
    options = {"checks": everyone, "plan": "random", "population": population, "at": 100, **QUICK}
    found = assess(S, SCORE, metrics=["precision_at_100"], **options).checked["precision_at_100"]
    among = np.flatnonzero((population == "all") >= S)
    top = among[np.argsort(-SCORE[among])[:100]]
    assert found.estimate == pytest.approx(Y[top].mean())


def fraud(seed, n=4000, k=200):
    """Labels, classes and scores of a file of which a team has checked the k top cases."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.05).astype(int)
    score = rng.normal(2 * y)
    s = y * (rng.random(n) < 0.3)
    unlabeled = np.flatnonzero(s == 0)
    return s, y, score, unlabeled[np.argsort(-score[unlabeled])][:k]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["top", "plan"])
def test_a_top_that_a_team_has_checked_is_covered(kind):
    def case(seed):
        s, y, score, top = fraud(seed)
        truth = y[np.argsort(-score)[:300]].mean()
        if kind == "plan":
            plan = plan_checks(s, score, budget=100, metric="precision_at_300", random_state=seed)
            return answer_of(plan, "precision_at_300", y), truth
        checks = pd.DataFrame({"row": top, "verdict": y[top]})
        return checked_interval("precision_at_300", s, score, checks, plan="top"), truth

    assert covers(case, runs=40) >= binom.ppf(0.025, 40, 0.95)


@pytest.mark.parametrize("kind", ["random", "top"])
def test_verified_negatives_are_refused_with_the_call_that_gives_the_right_number(kind):
    verified = np.random.default_rng(0).random(len(S)) < 0.5 if kind == "random" else SCORE >= 0.5
    s = np.where(verified, np.where(Y == 1, 1, -1), 0)
    with pytest.raises(ValueError, match=r"assess\(.*checks=s") as error:
        assess(s, SCORE, **QUICK)
    call = next(each for each in re.findall(r"assess\(.*?'\)", str(error.value)) if kind in each)
    asked = partial(assess, threshold=1.0, n_bootstrap=0)
    found = eval(call, {"assess": asked, "np": np, "s": s, "y_score": SCORE})
    answer = found.checked["precision"]
    assert answer.lower - 1e-9 <= truth_of("precision", Y, SCORE) <= answer.upper + 1e-9
    assert answer.upper - answer.lower < (0.16 if kind == "random" else 1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "specificity", "mcc", "f1", "roc_auc"])
def test_labels_may_be_none_where_rows_are_checked(metric):
    options = {"plan": "random", **options_of(metric)}
    found = checked_interval(metric, None, SCORE, RANDOM, **options)
    assert found == checked_interval(metric, 0 * S, SCORE, RANDOM, **options)
    assert found.lower <= truth_of(metric, Y, SCORE) <= found.upper


FIRST = pd.DataFrame({"row": np.argsort(-SCORE)[:50], "verdict": 1})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: assess(S, 2 * SCORE, **ASK), "scores have changed since the plan"),
        (
            lambda: assess(None, SCORE, checks=RANDOM, plan="random", alpha=0.1),
            "alpha=0.1 and checks contradict: no row is labeled",
        ),
        (lambda: checked_interval("alpha", None, SCORE, FIRST, plan="random"), "the 'top'"),
    ],
)
def test_what_contradicts_checks_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
def test_claims_at_all_budgets_of_a_plan_hold_together():
    """A user looks at five budgets, and stops when the interval leaves out a number near the truth."""

    def case(seed):
        s, score, y = checkable(seed, n=800, alpha=0.1)
        truth = truth_of("precision", y, score)
        limit = truth + np.random.default_rng(seed).uniform(-0.1, 0.1)
        plan = plan_checks(
            s, score, budget=40, metric="precision", threshold=1.0, random_state=seed
        )
        for place, budget in enumerate((40, 60, 80, 110, 150), 1):
            plan = plan.extend(budget)
            answer = answer_of(plan, "precision", y)
            assert (answer.look, answer.n_open) == (place, 0)
            if not answer.lower <= limit <= answer.upper:
                break
        return answer, truth

    assert covers(case, runs=20) >= binom.ppf(0.05, 20, 0.95)


def test_a_later_look_has_a_wider_interval():
    plan = PLAN.extend(150).extend(180)
    late = answer_of(plan, "precision", Y)
    single = dataclasses.replace(plan, budgets=(180,))
    once = answer_of(single, "precision", Y)
    assert (late.look, late.confidence) == (3, 0.95)
    assert late.lower < once.lower <= once.upper < late.upper
    assert plan.extend(180) is plan


@pytest.mark.slow
@pytest.mark.parametrize("labels", [S, None], ids=["labels", "no labels"])
@pytest.mark.parametrize("threshold", [np.inf, -np.inf, 100.0])
def test_a_threshold_at_which_all_rows_are_alike_leaves_the_other_answers(labels, threshold):
    known = {"n_bootstrap": 0} if labels is None else QUICK
    found = assess(labels, SCORE, threshold=threshold, checks=RANDOM, plan="random", **known)
    for name in ("alpha", "roc_auc"):
        wanted = checked_interval(name, labels, SCORE, RANDOM, plan="random")
        assert found.checked[name][1:4] == pytest.approx(wanted[1:4])
    assert "precision" not in found.checked
    assert ("recall" in found.checked) == np.isfinite(threshold)


@pytest.mark.slow
@pytest.mark.parametrize(("population", "threshold"), [("all", 50.0), ("unlabeled", 1.0)])
def test_precision_is_answered_where_a_row_of_the_population_is_flagged(population, threshold):
    """Of all rows even if it is a labeled one."""
    score = SCORE + 100 * (np.arange(len(S)) == np.argmax(S))
    options = {"checks": RANDOM, "plan": "random", "population": population, **QUICK}
    assert "precision" in assess(S, score, threshold=threshold, **options).checked


# Rows that a pandas index names


@pytest.mark.slow
def test_rows_of_an_index_are_named_by_its_labels_or_by_no_one():
    """Rows in another order than their labels, as after sorting or splitting."""
    order = np.random.default_rng(3).permutation(len(S))
    s, score = (pd.Series(each, index=order) for each in (S, SCORE))
    by_label = RANDOM.assign(row=order[RANDOM["row"]])
    named = by_label.set_index("row")
    ask = {"threshold": 1.0, "plan": "random"}
    wanted = checked_interval("f1", S, SCORE, RANDOM, **ask)
    assert checked_interval("f1", s, score, named, **ask) == wanted
    for labels in (s, None):
        found = assess(labels, score, checks=named, n_bootstrap=0, **ask).checked["f1"]
        assert found == checked_interval("f1", labels, score, named, **ask)
        for call in (
            lambda labels=labels: assess(labels, score, checks=by_label, **ask),
            lambda labels=labels: checked_interval("f1", labels, score, by_label, **ask),
        ):
            with pytest.raises(ValueError, match=r"set_index\('row'\).*to_numpy"):
                call()
    with pytest.raises(ValueError, match="not in the index of the scores"):
        checked_interval("f1", s, score, named.rename(index=lambda each: each + len(S)), **ask)


@pytest.mark.parametrize("budget", [60, None])
def test_a_plan_takes_a_series_of_its_own_rows_in_their_order_only(budget):
    order = np.random.default_rng(3).permutation(len(S))
    y, s, score = (pd.Series(each, index=order) for each in (Y, 0 * S, SCORE))
    budget = budget or len(S)
    for index in (None, order):
        truth = y.set_axis(index) if index is not None else pd.Series(Y)
        scores = [each if index is not None else each.to_numpy() for each in (s, score)]
        plan = plan_checks(*scores, budget=budget, metric="alpha", random_state=0)
        wanted = plan.filled(Y[plan.rows]).table
        assert plan.filled(truth.iloc[plan.rows]).table.equals(wanted)
        for other in (truth.iloc[np.sort(plan.rows)], truth.iloc[plan.rows][::-1]):
            with pytest.raises(ValueError, match=r"y\.iloc\[plan\.rows\]"):
                plan.filled(other)
    if budget < len(S):
        plan.filled(pd.Series(Y[plan.rows]))  # as read from a file
    else:
        with pytest.raises(ValueError, match=r"y\.iloc\[plan\.rows\]"):
            plan.filled(pd.Series(Y))


# Two annotators


@pytest.mark.slow
def test_rows_on_which_two_annotators_differ_count_both_ways():
    n_differ = 12
    again = RANDOM.head(80).copy()
    again.loc[: n_differ - 1, "verdict"] = 1 - again.loc[: n_differ - 1, "verdict"]
    both = pd.concat([RANDOM, again, RANDOM.tail(5).assign(verdict="")])
    unsure = RANDOM.astype({"verdict": object})
    unsure.loc[: n_differ - 1, "verdict"] = "?"
    ask = {"threshold": 1.0, "plan": "random"}
    found = checked_interval("f1", S, SCORE, both, **ask)
    wanted = checked_interval("f1", S, SCORE, unsure, **ask)
    assert (found.n_twice, found.n_differing) == (80, n_differ)
    assert found._replace(n_twice=0, n_differing=0) == wanted
    assert found.upper - found.lower > 0
    shown = assess(S, SCORE, checks=both, n_bootstrap=0, alpha=0.1, **ask).assumption
    assert "80 have two verdicts or more, which agree on 85% of them" in shown

    planned = CHECKS.table
    twice = pd.concat([planned, planned.head(10)])
    same = checked_interval("f1", S, SCORE, twice, plan=PLAN)
    assert same._replace(n_twice=0) == checked_interval("f1", S, SCORE, CHECKS)
