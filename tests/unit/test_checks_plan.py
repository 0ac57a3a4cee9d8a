"""Plans of rows to check: drawn blind, continued alike, read as written; two models; what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples import CHECKED, answer_of, checkable, options_of
from scipy.stats import binom

from pumetrics.checks import (
    CheckPlan,
    checked_difference,
    checked_interval,
    plan_checks,
    plan_comparison,
)

# Two models


def difference_of(plan, y):
    return checked_difference(*plan.strata.data, plan.filled(y[plan.rows]))


def test_two_lists_differ_by_the_rows_that_one_of_them_holds():
    s, first, y = checkable(10)
    second = np.random.default_rng(1).normal(y * 0.5)
    lists = [set(np.argsort(-score)[:100]) for score in (first, second)]
    differing = {row for row in lists[0] ^ lists[1] if not s[row]}
    plan = plan_comparison(s, first, second, k=100, budget=40, random_state=0)
    assert set(plan.rows) <= differing
    full = plan.extend(len(differing))
    truth = (y[list(lists[0])].sum() - y[list(lists[1])].sum()) / 100
    np.testing.assert_allclose(difference_of(full, y)[1:4], truth)
    part = difference_of(plan, y)
    assert part.lower < truth < part.upper
    swapped = plan_comparison(s, second, first, k=100, budget=len(differing), random_state=0)
    assert difference_of(swapped, y).estimate == pytest.approx(-truth)
    again = CheckPlan.from_dict(json.loads(json.dumps(plan.as_dict())), s, first, second)
    assert difference_of(again, y) == part


# The plan


@settings(max_examples=15)
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(24, 300), min_size=1, max_size=4).map(sorted),
    st.sampled_from(CHECKED),
)
def test_a_larger_budget_continues_the_draw(seed, budgets, metric):
    s, score, _ = checkable(seed, n=300, ties=True)
    plan = plan_checks(
        s, score, budget=budgets[0], metric=metric, random_state=seed, **options_of(metric)
    )
    for budget in budgets[1:]:
        longer = plan.extend(budget)
        assert (longer.rows[: len(plan.rows)] == plan.rows).all()
        plan = longer
    assert len(set(plan.rows)) == len(plan.rows) == budgets[-1]
    assert not s[plan.rows].any()
    strata = plan.strata
    assert (strata.count(plan.rows) >= np.minimum(strata.sizes, 4))[~strata.labeled].all()


@pytest.mark.parametrize("noisy", [False, True])
def test_a_plan_is_read_as_it_was_written_and_continued_alike(noisy):
    s, score, y = checkable(11)
    metric = "roc_auc" if noisy else "f1"
    options = {"noisy": noisy, "random_state": 3, **options_of(metric)}
    plan = plan_checks(s, score, budget=50, metric=metric, **options).extend(70)
    again = CheckPlan.from_dict(json.loads(json.dumps(plan.as_dict())), s.tolist(), score.tolist())
    assert again.as_dict() == plan.as_dict()
    assert (again.extend(120).rows == plan.extend(120).rows).all()
    assert again.expected == plan.expected
    assert answer_of(again, metric, y) == answer_of(plan, metric, y)


def test_a_table_to_fill_in_is_blind():
    s, score, _ = checkable(12)
    table = plan_checks(s, score, budget=200, metric="f1", threshold=1.0, random_state=3).to_frame()
    assert table.columns.tolist() == ["row", "verdict"]
    assert table["verdict"].isna().all()
    first, last = np.split(score[table["row"]], 2)  # rows are in random order
    assert abs(first.mean() - last.mean()) < 3 * np.std(score) / np.sqrt(50)


@pytest.mark.parametrize("metric", CHECKED)
def test_more_checks_are_expected_to_give_a_narrower_interval(metric):
    s, score, _ = checkable(13, n=3000)
    plan = plan_checks(s, score, budget=50, metric=metric, random_state=3, **options_of(metric))
    assert list(plan.expected) == [50, 100, 200, 400]
    assert 1 >= plan.expected[50] > plan.expected[400] >= 0


@pytest.mark.parametrize("metric", CHECKED)
def test_without_labels_only_a_width_that_rare_positives_cannot_exceed_is_promised(metric):
    s, score, y = checkable(13, n=3000, alpha=0.03)
    plan = plan_checks(0 * s, score, budget=50, metric=metric, random_state=3, **options_of(metric))
    found = answer_of(plan, metric, y)
    assert plan.expected.get(50, 2.0) >= found.upper - found.lower


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["f1", "difference"])
def test_four_of_five_files_stay_within_the_width_that_a_budget_promises(metric):
    within, runs = 0, 20
    for seed in range(runs):
        s, score, y = checkable(seed, n=2000, alpha=0.05, kind=("random", "by score")[seed % 2])
        if metric == "difference":
            other = score + np.random.default_rng(seed).normal(size=len(s))
            plan = plan_comparison(s, score, other, k=150, budget=50, random_state=seed)
            answer = difference_of(plan, y)
        else:
            plan = plan_checks(s, score, budget=50, metric=metric, threshold=1.5, random_state=seed)
            answer = answer_of(plan, metric, y)
        within += answer.upper - answer.lower <= plan.expected[50]
    assert within >= binom.ppf(0.05, runs, 0.8)


# Bad input

S, SCORE, Y = checkable(20, n=200)
PLAN = plan_checks(S, SCORE, budget=40, metric="f1", threshold=1.0, random_state=0)
FULL = PLAN.filled(Y[PLAN.rows])
TOP = np.flatnonzero(S == 0)[np.argsort(-SCORE[S == 0])][:30]


def plan(**changes):
    return plan_checks(S, SCORE, **{"budget": 40, "metric": "f1", "threshold": 1.0, **changes})


def interval(metric="f1", checks=FULL, plan=PLAN, **changes):
    return checked_interval(metric, S, SCORE, checks, plan=plan, **changes)


OTHER = -SCORE
TWO = plan_comparison(S, SCORE, OTHER, k=30, budget=20, random_state=0)


def table(rows=TOP, verdict=0):
    return pd.DataFrame({"row": rows, "verdict": verdict})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: PLAN.filled([*Y[PLAN.rows[:-1]], "maybe"]),
            r"verdict must be 1 .* got 'maybe' for row \d+",
        ),
        (lambda: PLAN.filled([1]), "as many as the 40 rows of the plan, got 1"),
        (
            lambda: interval(checks=table([0], 1), plan=PLAN),
            "row 0, which is not in the plan .1 such rows.",
        ),
        (
            lambda: interval(checks=table([999]), plan=PLAN),
            r"rows of the scores, 0 to 239, got row .*999",
        ),
        (lambda: interval(checks=PLAN.to_frame()), "no verdict: fill in 1, 0 or"),
        (
            lambda: interval(checks=table(), plan=None, threshold=1.0),
            "plan must say how rows were chosen: .* got None",
        ),
        (
            lambda: interval(checks=table([0]), plan="random", threshold=1.0),
            "got row 0, which is labeled",
        ),
        (
            lambda: interval(checks=table(TOP[1:]), plan="top", threshold=1.0),
            f"row {TOP[0]} was not and scores",
        ),
        (
            lambda: interval("average_precision", table(), "top"),
            "needs a checked row in every part",
        ),
        (
            lambda: interval("average_precision", guaranteed=True),
            "not available for average_precision",
        ),
        (
            lambda: checked_interval("f1", S, SCORE + 1, FULL, plan=PLAN),
            "scores have changed since the plan",
        ),
        (
            lambda: CheckPlan.from_dict({**PLAN.as_dict(), "rows": [1, 2]}, S, SCORE),
            "the plan was edited since",
        ),
        (
            lambda: CheckPlan.from_dict(PLAN.as_dict(), S, SCORE, SCORE),
            "about one model: give its scores alone",
        ),
        (
            lambda: checked_interval("precision", S, SCORE, TWO.filled(Y[TWO.rows]), threshold=1.0),
            "about two models",
        ),
        (lambda: PLAN.extend(30), "budget must be a whole number, at least 40, got 30"),
        (lambda: plan(budget=3), "budget must be at least 20, 4 rows of each of 5 strata, got 3"),
        (
            lambda: plan(metric="precision_at_20"),
            "threshold must be omitted, got 1.0: precision_at_20 has its own",
        ),
        (lambda: plan_comparison(S, SCORE, SCORE, k=30, budget=20), "list the same unlabeled rows"),
        (
            lambda: plan_comparison(S, np.round(SCORE), -SCORE, k=30, budget=20),
            "rows of first tied at",
        ),
        (
            lambda: checked_difference(S, SCORE, -SCORE, FULL, plan=PLAN),
            "a plan from plan_comparison",
        ),
    ],
)
def test_bad_input_is_named_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.integers(1, 5),
    st.sampled_from(CHECKED[:-2]),
    st.floats(-1, 1),
    st.booleans(),
)
def test_any_small_sample_has_an_answer(seed, n, n_labeled, metric, threshold, guaranteed):
    rng = np.random.default_rng(seed)
    s = np.repeat([1, 0], [n_labeled, n])
    score = rng.normal(size=n + n_labeled).round(1)
    y = np.maximum(s, rng.integers(0, 2, len(s)))
    assume((score >= threshold).any())
    guaranteed &= metric != "average_precision"
    options = {"metric": metric, "threshold": threshold, "random_state": seed}
    plan = plan_checks(s, score, budget=min(n, 24), **options)
    answer = answer_of(plan, metric, y, guaranteed=guaranteed)
    assert (-1 if metric == "mcc" else 0) <= answer.lower <= answer.upper <= 1
    # positives of areas that were not drawn can be anywhere
    if metric not in ("roc_auc", "average_precision"):
        assert answer.lower - 1e-9 <= answer.estimate <= answer.upper + 1e-9
