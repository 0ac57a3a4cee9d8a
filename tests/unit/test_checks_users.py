"""Checked rows where users meet them: one metric, several, the assessment, the comparison."""

import dataclasses
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from samples import checkable, truth_of
from scipy.stats import binom

from pumetrics import assess, compare_scores, plan_checks
from pumetrics.checks import checked_difference, checked_interval, plan_comparison

S, SCORE, Y = checkable(3, n=1500, alpha=0.1)
PLAN = plan_checks(S, SCORE, budget=120, metric="f1", threshold=1.0, random_state=1)
CHECKS = PLAN.filled(Y[PLAN.rows])
QUICK = {"n_bootstrap": 0, "alpha": 0.1}


@pytest.mark.parametrize(
    "metric", ["alpha", "precision", "recall", "f1", "roc_auc", "precision_at_50"]
)
def test_every_way_to_ask_gives_the_same_interval(metric):
    options = {"threshold": 1.0} if metric in ("alpha", "precision", "recall", "f1") else {}
    wanted = checked_interval(metric, S, SCORE, CHECKS, plan=PLAN, **options)
    at = {"at": 50} if "_at_" in metric else {}
    found = assess(S, SCORE, checks=CHECKS, plan=PLAN, **QUICK, **at)
    assert found.checked[metric] == wanted
    assert found.threshold == 1.0, "by default that of the plan"


def test_an_assessment_by_checked_rows_carries_the_one_by_labels_alone():
    without = assess(S, SCORE, threshold=1.0, **QUICK)
    found = assess(S, SCORE, checks=CHECKS, plan=PLAN, **QUICK)
    assert dataclasses.replace(found.scar, priors=None) == dataclasses.replace(without, priors=None)
    assert {score.metric for score in found.scores} == found.checked.keys() - {"alpha"}
    for score in found.scores:
        answer = found.checked[score.metric]
        assert (score.corrected, score.interval) == (answer.estimate, (answer.lower, answer.upper))
    assert {
        "alpha",
        "accuracy",
        "balanced_accuracy",
        "f1",
        "mcc",
        "precision",
        "recall",
    } < found.checked.keys()
    for metric, answer in found.checked.items():
        truth = Y[S == 0].mean() if metric == "alpha" else truth_of(metric, Y, SCORE)
        assert answer.lower <= truth <= answer.upper
    assert found.as_dict()["checked"]["f1"]["lower"] == found.checked["f1"].lower
    guaranteed = assess(
        S, SCORE, checks=CHECKS, plan=PLAN, uncertainty="guaranteed", **QUICK
    ).checked["recall"]
    assert guaranteed.guaranteed


def test_checked_rows_count_alike_and_clusters_change_nothing_that_they_say():
    plain = assess(S, SCORE, checks=CHECKS, plan=PLAN, **QUICK)
    for cluster in (np.arange(len(S)) // 3, np.arange(len(S)) % 7):
        assert (
            assess(S, SCORE, checks=CHECKS, plan=PLAN, cluster=cluster, **QUICK).checked
            == plain.checked
        )
    pair = plan_comparison(S, SCORE, -SCORE, k=60, budget=40, random_state=0)
    filled = pair.filled(Y[pair.rows])
    with pytest.raises(ValueError, match=r"^checks and sample_weight contradict"):
        compare_scores(
            S,
            SCORE,
            -SCORE,
            checks=filled,
            plan=pair,
            sample_weight=np.arange(len(S)) % 2 + 1,
            **QUICK,
        )


def test_wrong_labels_are_checked_too():
    s = np.where(np.arange(len(S)) % 50 == 7, 1, S)
    plan = plan_checks(s, SCORE, budget=150, metric="f1", threshold=1.0, noisy=True, random_state=0)
    found = assess(s, SCORE, checks=plan.filled(Y[plan.rows]), plan=plan, **QUICK)
    beta = found.checked["beta"]
    assert beta.lower <= Y[s == 1].mean() <= beta.upper


@pytest.mark.parametrize("labels", [S, None], ids=["labels", "no labels"])
def test_the_metric_that_rows_were_drawn_for_is_shown_unless_others_are_named(labels):
    plan = plan_checks(labels, SCORE, budget=60, metric="precision_at_50", random_state=0)
    options = {"checks": plan.filled(Y[plan.rows]), "plan": plan, "n_bootstrap": 0}
    assert list(assess(labels, SCORE, **options).checked)[-1] == "precision_at_50"
    assert list(assess(labels, SCORE, **options, metrics=["roc_auc"]).checked) == [
        "alpha",
        "roc_auc",
    ]


def test_a_comparison_shows_the_checked_difference():
    second = SCORE + np.random.default_rng(0).normal(size=len(S))
    plan = plan_comparison(S, SCORE, second, k=200, budget=60, random_state=0)
    checks = plan.filled(Y[plan.rows])
    found = compare_scores(
        S, SCORE, second, checks=checks, plan=plan, metrics=["roc_auc"], n_bootstrap=10, alpha=0.1
    )
    assert found.checked == checked_difference(S, SCORE, second, checks, plan=plan)
    assert found.as_dict()["checked"]["lower"] == found.checked.lower


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: assess(S, 2 * SCORE, checks=CHECKS, plan=PLAN, **QUICK),
            "scores have changed since the plan",
        ),
    ],
)
def test_what_contradicts_checks_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def fraud(seed, n=4000, k=200):
    """Labels, classes and scores of a file of which a team has checked the k top cases."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.05).astype(int)
    score = rng.normal(2 * y)
    s = y * (rng.random(n) < 0.3)
    unlabeled = np.flatnonzero(s == 0)
    return s, y, score, unlabeled[np.argsort(-score[unlabeled])][:k]


def test_the_top_that_a_team_has_checked_is_told_as_such():
    """Fed back as 1 and -1 it is refused; as checks, with the plan for some more rows, the truth is covered."""
    held = {"top": 0, "plan": 0}
    for seed in range(50):
        s, y, score, top = fraud(seed)
        fed_back = s.copy()
        fed_back[top] = np.where(y[top] == 1, 1, -1)
        with pytest.raises(ValueError, match="plan='top'"):
            assess(fed_back, score, n_bootstrap=0)
        verdicts = pd.DataFrame({"row": top, "verdict": y[top]})
        plan = plan_checks(s, score, budget=100, metric="precision_at_300", random_state=seed)
        truth = y[np.argsort(-score)[:300]].mean()
        for chosen, checks in (("top", verdicts), (plan, plan.filled(y[plan.rows]))):
            answer = checked_interval("precision_at_300", s, score, checks, plan=chosen)
            held["top" if chosen == "top" else "plan"] += answer.lower <= truth <= answer.upper
    assert min(held.values()) >= binom.ppf(0.025, 50, 0.95), held


@pytest.mark.parametrize("kind", ["random", "top"])
def test_verified_negatives_are_refused_with_the_call_that_gives_the_right_number(kind):
    verified = np.random.default_rng(0).random(len(S)) < 0.5 if kind == "random" else SCORE >= 0.5
    s = np.where(verified, np.where(Y == 1, 1, -1), 0)
    with pytest.raises(ValueError, match=r"plan='random'\); if all of the first k") as error:
        assess(s, SCORE, **QUICK)
    call = next(each for each in re.findall(r"assess\(.*?'\)", str(error.value)) if kind in each)
    named = {
        "assess": partial(assess, threshold=1.0, n_bootstrap=0),
        "np": np,
        "s": s,
        "y_score": SCORE,
    }
    found = eval(call, named)
    answer = found.checked["precision"]
    assert answer.lower - 1e-9 <= truth_of("precision", Y, SCORE) <= answer.upper + 1e-9
    assert answer.upper - answer.lower < (0.15 if kind == "random" else 1e-9)


def test_labels_may_be_none_where_rows_are_checked():
    rows = np.random.default_rng(1).choice(len(Y), 300, replace=False)
    table = pd.DataFrame({"row": rows, "verdict": Y[rows]})
    for metric in ("accuracy", "balanced_accuracy", "specificity", "mcc", "f1", "roc_auc"):
        options = {} if metric == "roc_auc" else {"threshold": 1.0}
        found = [
            checked_interval(metric, s, SCORE, table, plan="random", **options)
            for s in (None, np.zeros(len(Y), dtype=int))
        ]
        assert found[0] == found[1]
        assert found[0].lower <= truth_of(metric, Y, SCORE) <= found[0].upper
    for metric in ("roc_auc", "alpha"):
        assert (
            checked_interval(metric, None, SCORE, table, plan="random", threshold=1.0).threshold
            is None
        )
    plan = plan_checks(None, SCORE, budget=100, metric="accuracy", threshold=1.0, random_state=1)
    answer = assess(None, SCORE, checks=plan.filled(Y[plan.rows]), plan=plan).checked["accuracy"]
    assert answer.lower <= truth_of("accuracy", Y, SCORE) <= answer.upper
    with pytest.raises(ValueError, match=r"alpha=0.1 and checks contradict: no row is labeled"):
        assess(None, SCORE, checks=table, plan="random", alpha=0.1)
    first = np.argsort(-SCORE)[:50]
    with pytest.raises(
        ValueError, match="these are the first 50 by score: say that they are the 'top'"
    ):
        checked_interval(
            "alpha", None, SCORE, pd.DataFrame({"row": first, "verdict": 1}), plan="random"
        )


def test_claims_at_all_budgets_of_a_plan_hold_together():
    """One looks at five budgets, and stops when the interval leaves out a number near the truth."""
    held, runs, budgets = 0, 20, (40, 60, 80, 110, 150)
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        s, score, y = checkable(seed, n=800, alpha=0.1)
        truth, plan = truth_of("precision", y, score), None
        limit = truth + rng.uniform(-0.1, 0.1)
        for place, budget in enumerate(budgets, 1):
            options = {
                "budget": budget,
                "metric": "precision",
                "threshold": 1.0,
                "random_state": seed,
            }
            plan = plan.extend(budget) if plan else plan_checks(s, score, **options)
            answer = checked_interval("precision", s, score, plan.filled(y[plan.rows]), plan=plan)
            assert (answer.look, answer.n_open) == (place, 0)
            if not answer.lower <= limit <= answer.upper:
                break
        held += answer.lower <= truth <= answer.upper
    assert held >= binom.ppf(0.05, runs, 0.95)
    once = plan_checks(s, score, **{**options, "budget": 150})
    wide = checked_interval("precision", s, score, plan.filled(y[plan.rows]), plan=plan)
    assert wide.look == 5
    assert wide.confidence == 0.95
    single = dataclasses.replace(plan, budgets=(150,))
    narrow = checked_interval("precision", s, score, single.filled(y[plan.rows]), plan=single)
    assert wide.lower < narrow.lower <= narrow.upper < wide.upper
    assert once.extend(150) is once


def test_clusters_change_nothing_that_checks_say_without_labels():
    plan = plan_checks(None, SCORE, budget=60, metric="precision", threshold=1.0, random_state=0)
    filled, cluster = plan.filled(Y[plan.rows]), np.arange(len(SCORE)) // 3
    assert assess(None, SCORE, checks=filled, cluster=cluster) == assess(None, SCORE, checks=filled)
    for labels in (None, S):
        with pytest.raises(ValueError, match=r"^checks and sample_weight contradict"):
            assess(labels, SCORE, checks=filled, sample_weight=np.ones(len(SCORE)))


@pytest.mark.parametrize("labels", [S, None], ids=["labels", "no labels"])
@pytest.mark.parametrize("threshold", [np.inf, -np.inf, 100.0])
def test_a_threshold_at_which_all_rows_are_alike_leaves_the_other_answers(labels, threshold):
    table = pd.DataFrame({"row": np.flatnonzero(S == 0)[:300], "verdict": Y[S == 0][:300]})
    known = {"n_bootstrap": 0} if labels is None else QUICK
    found = assess(labels, SCORE, threshold=threshold, checks=table, plan="random", **known)
    for name in ("alpha", "roc_auc"):
        wanted = checked_interval(name, labels, SCORE, table, plan="random")
        assert found.checked[name][1:4] == pytest.approx(wanted[1:4])
    assert "precision" not in found.checked
    assert ("recall" in found.checked) == np.isfinite(threshold)


def test_beta_is_the_middle_of_its_range_while_no_labeled_row_has_a_verdict():
    plan = plan_checks(S, SCORE, budget=60, metric="f1", threshold=1.0, noisy=True, random_state=0)
    blank = np.where(S[plan.rows] == 1, np.nan, Y[plan.rows])
    found = assess(S, SCORE, checks=plan.filled(blank), **QUICK)
    assert np.isnan(found.checked["beta"].estimate)
    assert found.beta == np.mean(found.beta_interval)
