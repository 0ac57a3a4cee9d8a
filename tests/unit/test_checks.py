"""Checked rows: which to draw, and what their verdicts say of a metric."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from samples import CHECKED, checkable, gaussian, options_of, truth_of
from scipy.special import gammaln
from scipy.stats import binom, hypergeom

from benchmarks.coverage_of_checks import planned, random_rows
from pumetrics.checks import CheckPlan, checked_interval, plan_checks
from pumetrics.checks._region import Region, exact_ends, slacks_of
from pumetrics.checks._strata import Strata, ask

SLACK, EDGE = slacks_of(0.95)
SLACK_OF_AREAS, _ = slacks_of(0.95, area=True)


# What the intervals are


def log_likelihood(k, sizes, drawn, found):
    """Of whole numbers K of positives: sum of ln C(K, x) C(N - K, n - x)."""

    def log_choose(n, r):
        return gammaln(n + 1.0) - gammaln(r + 1.0) - gammaln(n - r + 1.0)

    return (log_choose(k, found) + log_choose(sizes - k, drawn - found)).sum(axis=-1)


def small_case(seed, n, n_labeled, budget, done):
    """A few rows above and below a threshold of 0, some of them checked."""
    rng = np.random.default_rng(seed)
    y = np.append(np.ones(n_labeled, dtype=int), rng.integers(0, 2, n))
    s, score = np.repeat([1, 0], [n_labeled, n]), rng.normal(y - 0.5)
    plan = plan_checks(s, score, budget=16, metric="f1", threshold=0.0, random_state=0)
    return s, y, score, plan.extend(budget), done


@st.composite
def small_checks(draw):
    seed, n, n_labeled = (
        draw(st.integers(0, 2**32)),
        draw(st.integers(16, 26)),
        draw(st.integers(1, 5)),
    )
    case = s, _, score, *_ = small_case(
        seed, n, n_labeled, draw(st.integers(16, n)), draw(st.integers(5, 16))
    )
    assume((score[s == 0] >= 0).any() and (score[s == 0] < 0).any())
    return case


def all_possible(s, score, plan, rows, verdicts):
    """Unlabeled positives above and below the threshold for all K, and the log likelihood of each K."""
    strata = plan.strata
    hidden = np.flatnonzero(~strata.labeled)
    sizes, drawn, found = (strata.count(x)[hidden] for x in (s == 0, rows, rows[verdicts == 1]))
    ranges = [range(x, size - (n - x) + 1) for size, n, x in zip(sizes, drawn, found, strict=True)]
    k = np.array(list(itertools.product(*ranges)))
    above = np.array([score[strata.of == h].min() >= 0 for h in hidden])
    return (
        k,
        k[:, above].sum(axis=1),
        k[:, ~above].sum(axis=1),
        log_likelihood(k, sizes, drawn, found),
    )


@settings(max_examples=20)
@given(small_checks(), st.sampled_from(CHECKED[:8]))
def test_the_interval_is_the_range_over_all_numbers_of_positives(case, metric):
    s, y, score, plan, done = case
    rows = plan.rows[:done]
    table = pd.DataFrame({"row": rows, "verdict": y[rows]})
    answer = checked_interval(metric, s, score, table, threshold=0.0, plan=plan)
    _, above, below, logs = all_possible(s, score, plan, rows, y[rows])
    labeled = int(s[score >= 0].sum()), int(s[score < 0].sum())
    tp, positives, flagged = above + labeled[0], above + below + sum(labeled), (score >= 0).sum()
    values = values_of(metric, above + below, tp, positives, flagged, len(s), (s == 0).sum())
    inner, outer = (
        values[(logs >= logs.max() - slack) & np.isfinite(values)]
        for slack in (SLACK, SLACK + EDGE)
    )
    # Part of a row may be taken, so that the ends lie up to the effect of one row outside.
    held = positives[logs >= logs.max() - SLACK - EDGE]
    rarer = max(min(held.min(), len(s) - held.max()), 1)
    one = {
        "alpha": 1 / (s == 0).sum(),
        "precision": 1 / flagged,
        "accuracy": 2 / len(s),
        "recall": 2 / held.min(),
        "f1": 2 / held.min(),
        "mcc": 4 / rarer,
    }.get(metric, 2 / rarer)
    assert outer.min() - one <= answer.lower <= inner.min() + 1e-9
    assert inner.max() - 1e-9 <= answer.upper <= outer.max() + one


def values_of(metric, hidden, tp, p, m, n, unlabeled):
    """The metric of the four cells with the margins n, m predicted positive, and p positive."""
    tn = n - m - p + tp
    with np.errstate(invalid="ignore", divide="ignore"):
        values = {
            "alpha": hidden / unlabeled,
            "precision": tp / m,
            "recall": tp / p,
            "f1": 2 * tp / (m + p),
            "accuracy": (tp + tn) / n,
            "balanced_accuracy": (tp / p + tn / (n - p)) / 2,
            "specificity": tn / (n - p),
            "mcc": (tp * tn - (m - tp) * (p - tp)) / np.sqrt(float(m) * (n - m) * p * (n - p)),
        }[metric]
    return values


@pytest.mark.parametrize("checks", [50, 100])
@pytest.mark.parametrize(
    ("confidence", "least"), [(0.95, 0.94), (1 - 0.05 / 2, 0.97), (1 - 0.05 / 5, 0.988)]
)
def test_enumerated_coverage_of_random_rows_is_nominal_at_every_look(checks, confidence, least):
    assert random_rows(checks, confidence).least() >= least


@pytest.mark.parametrize("metric", ["alpha", "precision", "recall"])
def test_enumerated_coverage_is_nominal_where_one_stratum_has_few_positives_or_few_negatives(
    metric,
):
    """Nothing or everything checked above the threshold is positive, or all hidden positives score low."""
    design = planned(metric, 50)
    flagged = np.flatnonzero(design.hidden & (design.flagged > 0))
    strata, others = (
        (flagged, (0, 1)) if metric == "precision" else (np.flatnonzero(design.hidden)[-1:], (0,))
    )
    assert design.least(strata, others) >= 0.94


def test_nothing_found_leaves_as_many_positives_as_are_found_with_a_chance_of_three_percent():
    """100 of 4,000 rows: the upper end is where none is found with a chance near the tail of an exact interval."""
    _, upper = random_rows(100).interval((0, 200))
    assert 0.025 <= hypergeom.pmf(0, 4000, int(upper * 4000), 100) <= 0.035


@pytest.mark.parametrize("shift", [0.8, 2.0])
def test_a_random_sample_of_rare_positives_may_hold_none(shift):
    """Few rows are labeled, so the scores allow many positives; that is no reason to refuse the sample."""
    believed = 0
    for seed in range(40):
        s, score, y = checkable(seed, n=3000, alpha=0.005, n_labeled=28, shift=shift)
        rows = np.random.default_rng(seed).choice(np.flatnonzero(s == 0), 100, replace=False)
        if not y[rows].any():
            answer = checked_interval(
                "alpha", s, score, pd.DataFrame({"row": rows, "verdict": 0}), plan="random"
            )
            assert answer.lower <= y[s == 0].mean() <= answer.upper
            believed += 1
    assert believed > 10


@settings(max_examples=15)
@given(small_checks(), st.sampled_from(["roc_auc", "average_precision"]))
@example(
    small_case(561, 24, 5, 16, 11), "average_precision"
)  # of which each end has extremes apart
@example(small_case(595, 24, 5, 16, 11), "average_precision")
def test_the_interval_of_an_area_reaches_over_all_numbers_of_positives(case, metric):
    s, y, score, plan, done = case
    rows, strata = (
        plan.rows[:done],
        plan_checks(s, score, budget=16, metric="f1", threshold=0.0, random_state=0).strata,
    )
    assume((strata.count(rows)[~strata.labeled] > 0).all())
    table = pd.DataFrame({"row": rows, "verdict": y[rows]})
    answer = checked_interval(metric, s, score, table, threshold=0.0, plan=plan, population="all")
    k, _, _, logs = all_possible(s, score, plan, rows, y[rows])
    strata.question = strata.question._replace(measure=metric)
    at, known = strata.measure(strata.truth(rows, y[rows])), strata.sizes[strata.labeled]
    values = [at(np.append(each, known))[0] for each in k[logs >= logs.max() - SLACK_OF_AREAS]]
    near = (
        1e-6 if metric == "roc_auc" else 1e-3
    )  # steps along tangents may end a hair before the extreme
    assert answer.lower <= max(min(values), 0) + near
    assert answer.upper >= min(max(values), 1) - near


@settings(max_examples=30)
@given(st.integers(2, 40), st.data(), st.sampled_from([0.8, 0.95]))
def test_exact_ends_hold_at_least_as_often_as_they_say_for_any_number_of_positives(
    size, data, confidence
):
    drawn, k = data.draw(st.integers(1, size)), data.draw(st.integers(0, size))
    found = np.arange(max(0, drawn - (size - k)), min(drawn, k) + 1)
    held = [
        low <= k <= high
        for low, high in (exact_ends(size, drawn, int(x), confidence) for x in found)
    ]
    assert hypergeom.pmf(found, size, k, drawn)[held].sum() >= confidence - 1e-9


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_the_farthest_point_of_a_region_is_that_of_all_whole_numbers_but_for_one_row(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, 3)
    drawn = rng.integers(0, sizes + 1)
    found = rng.integers(0, drawn + 1)
    weights = rng.normal(size=3)
    k = np.array(
        list(
            itertools.product(
                *(range(x, n - d + x + 1) for n, d, x in zip(sizes, drawn, found, strict=True))
            )
        )
    )
    logs = log_likelihood(k, sizes, drawn, found)
    best = (k[logs >= logs.max() - SLACK] @ weights).max()
    reached = Region(sizes, drawn, found, SLACK).farthest(weights) @ weights
    assert best - 1e-9 <= reached <= best + np.abs(weights).max()


@pytest.mark.parametrize("population", ["all", "unlabeled"])
@pytest.mark.parametrize(
    "metric", [*CHECKED, "precision_at_5%", "recall_at_1%", "precision_at_0.1%"]
)
def test_everything_checked_is_the_truth(metric, population):
    """Of all rows and of the unlabeled; the last row of a share that is no whole number belongs to the top in part."""
    s, score, y = checkable(1, ties="_at_" not in metric, n=763)
    asked = {"metric": metric, "population": population}
    plan = plan_checks(
        s, score, budget=(s == 0).sum(), random_state=0, **asked, **options_of(metric)
    )
    assert sorted(plan.rows) == np.flatnonzero(s == 0).tolist()
    answer = checked_interval(
        metric, s, score, plan.filled(y[plan.rows]), population=population, plan=plan
    )
    rows = s <= (population == "all")
    truth = y[s == 0].mean() if metric == "alpha" else truth_of(metric, y[rows], score[rows])
    np.testing.assert_allclose([answer.estimate, answer.lower, answer.upper], truth, atol=1e-9)


@pytest.mark.parametrize("metric", ["alpha", "beta", "precision", "f1", "roc_auc"])
def test_everything_checked_is_the_truth_of_wrong_labels(metric):
    s, score, y = checkable(2)
    y = np.where(np.arange(len(s)) < 7, 0, y)
    plan = plan_checks(
        s, score, budget=len(s), metric=metric, noisy=True, random_state=0, **options_of(metric)
    )
    answer = checked_interval(metric, s, score, plan.filled(y[plan.rows]), plan=plan)
    shares = {"alpha": y[s == 0].mean(), "beta": y[s == 1].mean()}
    truth = shares[metric] if metric in shares else truth_of(metric, y, score)
    np.testing.assert_allclose([answer.estimate, answer.lower, answer.upper], truth, atol=1e-9)


@pytest.mark.parametrize("metric", CHECKED)
def test_gradients_are_those_of_differences(metric):
    s, score, y = checkable(3, n=200, ties=True)
    plan = plan_checks(
        s, score, budget=60, metric=metric, random_state=0, **options_of(metric, 0.9)
    )
    at = plan.strata.measure(plan.strata.truth(plan.rows, y[plan.rows]))
    k = plan.strata.sizes * 0.6
    step = 1e-4 * np.eye(len(k))
    differences = [(at(k + each)[0] - at(k - each)[0]) / 2e-4 for each in step]
    np.testing.assert_allclose(at(k)[1], differences, atol=1e-7)


# What holds for any data


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(CHECKED))
def test_only_the_ranking_counts(seed, metric):
    s, score, y = checkable(seed, n=300, ties=True)
    answers = []
    for each, threshold in ((score, 1.0), (np.exp(score) * 3 - 7, np.exp(1.0) * 3 - 7)):
        plan = plan_checks(
            s, each, budget=60, metric=metric, random_state=seed, **options_of(metric, threshold)
        )
        answer = checked_interval(metric, s, each, plan.filled(y[plan.rows]), plan=plan)._replace(
            threshold=None
        )
        answers.append((plan.rows.tolist(), answer))
    assert answers[0] == answers[1]


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(CHECKED[:-1]), st.sampled_from(["top", "random"]))
def test_the_order_of_rows_does_not_matter(seed, metric, checked):
    assume(metric != "average_precision" or checked == "random")
    s, score, y = checkable(seed, n=300)
    rng = np.random.default_rng(seed)
    unlabeled = np.flatnonzero(s == 0)
    rows = (
        rng.choice(unlabeled, 60, replace=False)
        if checked == "random"
        else unlabeled[np.argsort(-score[unlabeled])][:60]
    )
    shuffled = rng.permutation(len(s))
    places = np.argsort(shuffled)
    answers = [
        checked_interval(metric, *data, pd.DataFrame(table), plan=checked, **options_of(metric))
        for data, table in (
            ((s, score), {"row": rows, "verdict": y[rows]}),
            ((s[shuffled], score[shuffled]), {"row": places[rows[::-1]], "verdict": y[rows[::-1]]}),
        )
    ]
    np.testing.assert_allclose(*([a.lower, a.upper, a.estimate] for a in answers), atol=1e-9)


@pytest.mark.parametrize("metric", ["alpha", "precision", "recall", "f1", "roc_auc"])
@pytest.mark.parametrize("seed", range(2))
def test_a_higher_confidence_gives_an_interval_that_holds_the_other(seed, metric):
    s, score, y = checkable(seed, n=2000, n_labeled=80)
    plan = plan_checks(s, score, budget=100, metric="f1", threshold=1.0, random_state=seed)
    checks = plan.filled(y[plan.rows])
    threshold = None if metric == "roc_auc" else 1.0
    narrow, wide = (
        checked_interval(metric, s, score, checks, plan=plan, threshold=threshold, confidence=level)
        for level in (0.95, 0.99)
    )
    assert wide.lower <= narrow.lower < narrow.estimate < narrow.upper <= wide.upper


def test_what_cannot_be_said_counts_both_ways():
    s, score, y = checkable(5, n=40, n_labeled=6)
    plan = plan_checks(s, score, budget=20, metric="recall", threshold=1.0, random_state=1)
    verdicts = y[plan.rows].astype(object)
    unsure = [2, 9, 15]
    ways = []
    for settled in itertools.product([0, 1], repeat=3):
        verdicts[unsure] = settled
        ways.append(checked_interval("recall", s, score, plan.filled(verdicts), plan=plan))
    verdicts[unsure] = "?"
    answer = checked_interval("recall", s, score, plan.filled(verdicts), plan=plan)
    assert answer.lower == min(way.lower for way in ways)
    assert answer.upper == max(way.upper for way in ways)
    assert answer.n_unsure == 3
    verdicts[unsure] = np.nan
    assert checked_interval(
        "recall", s, score, plan.filled(verdicts), plan=plan
    ) == answer._replace(n_open=3), (
        "a blank before a verdict counts both ways, and is not yet checked"
    )


def test_rows_not_checked_yet_are_rows_not_drawn():
    s, score, y = checkable(6)
    plan = plan_checks(s, score, budget=60, metric="f1", threshold=1.0, random_state=1)
    half = np.where(np.arange(60) < 40, y[plan.rows], np.nan)
    shorter = pd.DataFrame({"row": plan.rows[:40], "verdict": y[plan.rows[:40]].astype(str)})
    assert checked_interval("f1", s, score, plan.filled(half), plan=plan) == checked_interval(
        "f1", s, score, shorter, plan=plan
    )


@pytest.mark.parametrize(
    ("metric", "kind"), [("f1", "random"), ("recall", "by score"), ("roc_auc", "by score")]
)
def test_intervals_without_assumption_hold_the_truth(metric, kind):
    held, runs = 0, 40
    for seed in range(runs):
        s, score, y = checkable(seed, n=1500, alpha=0.05, kind=kind)
        plan = plan_checks(
            s, score, budget=60, metric=metric, random_state=seed, **options_of(metric)
        )
        answer = checked_interval(metric, s, score, plan.filled(y[plan.rows]), plan=plan)
        held += answer.lower <= truth_of(metric, y, score) <= answer.upper
    assert held >= binom.ppf(0.001, runs, 0.93)


@pytest.mark.parametrize("seed", [58, 136])
def test_an_area_from_few_checked_rows_is_at_most_one(seed):
    s, score, y = gaussian(seed, 5, 30, alpha=0.5, digits=0)
    plan = plan_checks(s, score, metric="roc_auc", budget=20, random_state=seed)
    answer = checked_interval("roc_auc", s, score, plan.filled(y[plan.rows]), plan=plan)
    assert 0 <= answer.lower <= answer.estimate <= answer.upper <= 1


@pytest.mark.parametrize("n_positive", [3, 17])
def test_exchanged_classes_and_reversed_scores_give_the_same_area(n_positive):
    rng = np.random.default_rng(0)
    score, size = rng.normal(size=200).round(1), 200
    truth = np.where(np.arange(size) < 20, np.arange(size) < n_positive, -1)
    strata = [
        Strata(np.zeros(size, int), each, ask("roc_auc", None, None), (), noisy=False)
        for each in (score, -score)
    ]
    exchanged = np.where(truth < 0, -1, 1 - truth)
    for k in (n_positive, 60, 180 + n_positive):
        areas = [
            each.measure(known)(np.array([positive]))[0]
            for each, known, positive in zip(strata, (truth, exchanged), (k, size - k), strict=True)
        ]
        assert areas[0] == pytest.approx(areas[1])
        found = [
            each.variance_of_places(np.array([20]), np.array([seen]), np.array([positive]))
            for each, seen, positive in zip(
                strata, (n_positive, 20 - n_positive), (k, size - k), strict=True
            )
        ]
        assert found[0] == pytest.approx(found[1])


def test_the_area_of_mostly_positive_rows_is_covered_too():
    """Where nearly every row is positive the few negatives decide: placed by the positives, 38 of 60 held."""
    held, runs = 0, 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y, rows = (rng.random(300) < 0.93).astype(int), rng.choice(300, 25, replace=False)
        score, table = rng.normal(2 * y), pd.DataFrame({"row": rows, "verdict": y[rows]})
        answer = checked_interval("roc_auc", None, score, table, plan="random")
        held, runs = (
            held + (answer.lower <= truth_of("roc_auc", y, score) <= answer.upper),
            runs + 1,
        )
        if y[rows].all():
            assert np.isnan(answer.estimate), "no negative was found"
            assert answer[2:4] == (0.0, 1.0)
    assert held >= binom.ppf(0.001, runs, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_many_checks_do_not_take_positives_for_spread_evenly_over_a_stratum(metric):
    held, runs = 0, 25
    for seed in range(runs):
        s, score, y = checkable(seed, n=4000, alpha=0.3)
        wrong = np.random.default_rng(seed).choice(np.flatnonzero(y == 0), 6, replace=False)
        s = np.where(np.isin(np.arange(len(s)), wrong), 1, s)
        plan = plan_checks(
            s, score, budget=500, metric=metric, noisy=True, random_state=seed, population="all"
        )
        answer = checked_interval(
            metric, s, score, plan.filled(y[plan.rows]), population="all", plan=plan
        )
        held += answer.lower <= truth_of(metric, y, score) <= answer.upper
    assert held >= binom.ppf(0.001, runs, 0.93)


def test_labeled_rows_that_can_be_wrong_have_strata_for_areas_too():
    """Most positives are labeled, and every sixth label is wrong: with one stratum of labeled rows 31 of 40 held."""
    held, runs = 0, 20
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        y = (rng.random(3000) < 0.06).astype(int)
        score, s = rng.normal(2 * y), y * (rng.random(3000) < 0.7)
        s[rng.choice(np.flatnonzero(y == 0), s.sum() // 5, replace=False)] = 1
        asked = {"budget": 100, "noisy": True, "random_state": seed, "population": "all"}
        plan = plan_checks(s, score, metric="average_precision", **asked)
        assert plan.strata.labeled.sum() == 4
        answer = checked_interval(
            "average_precision", s, score, plan.filled(y[plan.rows]), population="all", plan=plan
        )
        held += answer.lower <= truth_of("average_precision", y, score) <= answer.upper
    assert held >= binom.ppf(0.05, runs, 0.95)
    other = checked_interval(
        "f1", s, score, plan.filled(y[plan.rows]), threshold=1.5, population="all", plan=plan
    )
    assert other.lower <= truth_of("f1", y, score, 1.5) <= other.upper
    again = CheckPlan.from_dict(json.loads(json.dumps(plan.as_dict())), s, score)
    assert (again.extend(120).rows == plan.extend(120).rows).all()


@pytest.mark.parametrize("metric", ["beta", "precision", "f1", "precision_at_2000"])
def test_labeled_rows_drawn_at_different_rates_stay_apart_at_any_threshold(metric):
    """Labeled rows above the plan's threshold are all right, those below all wrong, and fewer of these are checked."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        s, y = np.repeat([1, 1, 0], [300, 300, 2000]), np.repeat([1, 0, 0], [300, 300, 2000])
        score = np.concatenate(
            [rng.uniform(1, 2, 300), rng.uniform(-1, 0, 300), rng.uniform(-1, 2, 2000)]
        )
        plan = plan_checks(
            s, score, budget=200, metric="precision", threshold=1.0, noisy=True, random_state=seed
        )
        cut = {} if "_at_" in metric else {"threshold": -0.5}
        answer = checked_interval(metric, s, score, plan.filled(y[plan.rows]), **cut)
        truth = 0.5 if metric == "beta" else truth_of(metric, y, score, **cut)
        assert answer.lower <= truth <= answer.upper


def test_tied_scores_leave_a_check_in_every_part_of_the_ranking():
    rng = np.random.default_rng(82)
    y = (rng.random(3000) < 0.05).astype(int)
    score = np.round(1.5 * y + rng.normal(size=3000))
    s = ((rng.random(3000) < 0.3) & (y == 1)).astype(int)
    plan = plan_checks(s, score, budget=100, metric="average_precision", random_state=82)
    finer = plan.strata.split(plan.rows, 10)
    assert (
        finer.count(plan.rows)[~finer.labeled].min()
        >= plan.strata.count(plan.rows)[~plan.strata.labeled].min()
    )
    answer = checked_interval("average_precision", s, score, plan.filled(y[plan.rows]))
    assert answer.lower <= truth_of("average_precision", y, score) <= answer.upper


def test_a_guaranteed_recall_of_0_is_exact_below_the_threshold_too():
    score, y = np.arange(4000.0)[::-1], np.repeat([0, 1, 0], [500, 1000, 2500])
    plan = plan_checks(
        None, score, budget=200, metric="recall", threshold=3800, guaranteed=True, random_state=0
    )
    drawn = np.bincount(plan.strata.of[plan.rows])
    found = np.bincount(plan.strata.of[plan.rows], y[plan.rows]).astype(int)
    (_, most), (fewest, _) = (
        exact_ends(int(n), int(k), int(x), 0.95**0.5)
        for n, k, x in zip(plan.strata.sizes, drawn, found, strict=True)
    )
    answer = checked_interval("recall", None, score, plan.filled(y[plan.rows]), guaranteed=True)
    assert (answer.lower, answer.upper) == pytest.approx((0, most / (most + fewest)))


def test_the_guaranteed_precision_is_exact_in_the_rows_above_the_threshold():
    s, score, y = checkable(7)
    plan = plan_checks(
        s, score, budget=80, metric="precision", threshold=1.0, random_state=0, guaranteed=True
    )
    answer = checked_interval(
        "precision", s, score, plan.filled(y[plan.rows]), guaranteed=True, plan=plan
    )
    flagged, above = score >= 1, plan.rows[score[plan.rows] >= 1]
    low, high = exact_ends(int((flagged & (s == 0)).sum()), len(above), int(y[above].sum()), 0.95)
    known = s[flagged].sum()
    assert (answer.lower, answer.upper) == pytest.approx(
        ((low + known) / flagged.sum(), (high + known) / flagged.sum())
    )


@pytest.mark.parametrize("metric", ["alpha", "recall", "f1", "roc_auc"])
def test_the_guaranteed_interval_holds_the_other(metric):
    s, score, y = checkable(8)
    plan = plan_checks(
        s, score, budget=80, metric=metric, random_state=0, guaranteed=True, **options_of(metric)
    )
    checks = plan.filled(y[plan.rows])
    exact, profile = (
        checked_interval(metric, s, score, checks, plan=plan, guaranteed=flag)
        for flag in (True, False)
    )
    assert exact.lower <= profile.lower < profile.upper <= exact.upper


def test_a_checked_top_is_known_and_the_rest_is_not():
    s, score, y = checkable(9)
    unlabeled = np.flatnonzero(s == 0)
    rows = unlabeled[np.argsort(-score[unlabeled])][:150]
    threshold = score[rows[99]]
    checks = pd.DataFrame({"row": rows, "verdict": y[rows]})
    answers = {
        metric: checked_interval(metric, s, score, checks, plan="top", threshold=threshold)
        for metric in ("precision", "recall", "alpha")
    }
    precision = answers["precision"]
    assert precision.lower == precision.upper == precision.estimate == y[score >= threshold].mean()
    lowest = y[rows].sum() / len(unlabeled)
    assert (answers["alpha"].lower, answers["alpha"].upper) == pytest.approx(
        (lowest, lowest + 1 - 150 / len(unlabeled))
    )
    assert np.isnan(answers["recall"].estimate)
