"""Checked rows: which to draw, and what their verdicts say of a metric."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from samples import CHECKED, answer_of, checkable, covers, options_of, truth_of
from scipy.special import gammaln
from scipy.stats import binom, hypergeom

from benchmarks.coverage_of_checks import planned, random_rows
from pumetrics.checks import checked_interval, plan_checks
from pumetrics.checks.region import Region, exact_ends, slacks_of
from pumetrics.checks.strata import Strata, ask

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
    s = np.repeat([1, 0], [n_labeled, n])
    score = rng.normal(y - 0.5)
    plan = plan_checks(s, score, budget=16, metric="f1", threshold=0.0, random_state=0)
    return s, y, score, plan.extend(budget), done


@st.composite
def small_checks(draw):
    n = draw(st.integers(16, 26))
    budget = draw(st.integers(16, n))
    numbers = draw(st.tuples(st.integers(0, 2**32), st.integers(1, 5), st.integers(5, 16)))
    seed, n_labeled, done = numbers
    case = s, _, score, *_ = small_case(seed, n, n_labeled, budget, done)
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
@pytest.mark.parametrize("metric", [*CHECKED, "precision_at_5%", "precision_at_0.1%"])
def test_everything_checked_is_the_truth(metric, population):
    """Of all rows and of the unlabeled; the last row of a share that is no whole number belongs to the top in part."""
    s, score, y = checkable(1, ties="_at_" not in metric, n=763)
    asked = {"population": population, **options_of(metric)}
    plan = plan_checks(s, score, budget=(s == 0).sum(), metric=metric, random_state=0, **asked)
    assert sorted(plan.rows) == np.flatnonzero(s == 0).tolist()
    answer = answer_of(plan, metric, y, population=population)
    rows = s <= (population == "all")
    truth = y[s == 0].mean() if metric == "alpha" else truth_of(metric, y[rows], score[rows])
    np.testing.assert_allclose(answer[1:4], truth, atol=1e-9)


@pytest.mark.parametrize("metric", ["alpha", "beta", "precision", "f1", "roc_auc"])
def test_everything_checked_is_the_truth_of_wrong_labels(metric):
    s, score, y = checkable(2)
    y = np.where(np.arange(len(s)) < 7, 0, y)
    plan = plan_checks(
        s, score, budget=len(s), metric=metric, noisy=True, random_state=0, **options_of(metric)
    )
    shares = {"alpha": y[s == 0].mean(), "beta": y[s == 1].mean()}
    truth = shares[metric] if metric in shares else truth_of(metric, y, score)
    np.testing.assert_allclose(answer_of(plan, metric, y)[1:4], truth, atol=1e-9)


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


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(CHECKED))
def test_only_the_ranking_counts(seed, metric):
    s, score, y = checkable(seed, n=300, ties=True)
    found = []
    for change in (lambda x: x, lambda x: np.exp(x) * 3 - 7):
        options = {"random_state": seed, **options_of(metric, change(1.0))}
        plan = plan_checks(s, change(score), budget=60, metric=metric, **options)
        answer = answer_of(plan, metric, y)
        found.append((plan.rows.tolist(), answer._replace(threshold=None)))
    assert found[0] == found[1]


@pytest.mark.slow
@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(CHECKED[:-1]), st.sampled_from(["top", "random"]))
def test_the_order_of_rows_does_not_matter(seed, metric, checked):
    assume(metric != "average_precision" or checked == "random")
    s, score, y = checkable(seed, n=300)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(np.flatnonzero(s == 0))
    if checked == "top":
        rows = rows[np.argsort(-score[rows])]
    rows = rows[:60]
    shuffled = rng.permutation(len(s))
    moved = np.argsort(shuffled)[rows[::-1]]
    options = {"plan": checked, **options_of(metric)}
    answer = checked_interval(
        metric, s, score, pd.DataFrame({"row": rows, "verdict": y[rows]}), **options
    )
    table = pd.DataFrame({"row": moved, "verdict": y[rows[::-1]]})
    other = checked_interval(metric, s[shuffled], score[shuffled], table, **options)
    np.testing.assert_allclose(answer[1:4], other[1:4], atol=1e-9)


def test_what_cannot_be_said_counts_both_ways():
    s, score, y = checkable(5, n=40, n_labeled=6)
    plan = plan_checks(s, score, budget=20, metric="recall", threshold=1.0, random_state=1)
    verdicts = y.astype(object)
    unsure = plan.rows[[2, 9, 15]]
    ways = []
    for settled in itertools.product([0, 1], repeat=3):
        verdicts[unsure] = settled
        ways.append(answer_of(plan, "recall", verdicts))
    verdicts[unsure] = "?"
    answer = answer_of(plan, "recall", verdicts)
    assert answer.lower == min(way.lower for way in ways)
    assert answer.upper == max(way.upper for way in ways)
    assert answer.n_unsure == 3
    verdicts[unsure] = np.nan  # not yet checked
    assert answer_of(plan, "recall", verdicts) == answer._replace(n_open=3)


def test_rows_not_checked_yet_are_rows_not_drawn():
    s, score, y = checkable(6)
    plan = plan_checks(s, score, budget=60, metric="f1", threshold=1.0, random_state=1)
    half = plan.filled(np.where(np.arange(60) < 40, y[plan.rows], np.nan))
    shorter = pd.DataFrame({"row": plan.rows[:40], "verdict": y[plan.rows[:40]].astype(str)})
    assert checked_interval("f1", s, score, half) == checked_interval(
        "f1", s, score, shorter, plan=plan
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "kind"), [("f1", "random"), ("recall", "by score"), ("roc_auc", "by score")]
)
def test_intervals_without_assumption_hold_the_truth(metric, kind):
    def case(seed):
        s, score, y = checkable(seed, n=1500, alpha=0.05, kind=kind)
        plan = plan_checks(
            s, score, budget=60, metric=metric, random_state=seed, **options_of(metric)
        )
        return answer_of(plan, metric, y), truth_of(metric, y, score)

    assert covers(case, runs=40) >= binom.ppf(0.001, 40, 0.93)


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

    def case(seed):
        rng = np.random.default_rng(seed)
        y = (rng.random(300) < 0.93).astype(int)
        rows = rng.choice(300, 25, replace=False)
        score = rng.normal(2 * y)
        table = pd.DataFrame({"row": rows, "verdict": y[rows]})
        answer = checked_interval("roc_auc", None, score, table, plan="random")
        if y[rows].all():  # no negative was found
            assert np.isnan(answer.estimate)
            assert answer[2:4] == (0.0, 1.0)
        return answer, truth_of("roc_auc", y, score)

    assert covers(case, runs=30) >= binom.ppf(0.001, 30, 0.95)


@pytest.mark.slow
def test_labeled_rows_that_can_be_wrong_have_strata_for_areas_too():
    """Most positives are labeled, and every sixth label is wrong: with one stratum of labeled rows 31 of 40 held."""

    def case(seed):
        rng = np.random.default_rng(seed)
        y = (rng.random(3000) < 0.06).astype(int)
        score = rng.normal(2 * y)
        s = y * (rng.random(3000) < 0.7)
        s[rng.choice(np.flatnonzero(y == 0), s.sum() // 5, replace=False)] = 1
        plan = plan_checks(
            s, score, metric="average_precision", budget=100, noisy=True, random_state=seed
        )
        assert plan.strata.labeled.sum() == 4
        return answer_of(plan, "average_precision", y), truth_of("average_precision", y, score)

    assert covers(case, runs=20) >= binom.ppf(0.05, 20, 0.95)


@pytest.mark.parametrize("metric", ["beta", "precision", "precision_at_2000"])
def test_labeled_rows_drawn_at_different_rates_stay_apart_at_any_threshold(metric):
    """Labeled rows above the plan's threshold are all right, those below all wrong, and fewer of these are checked."""

    def case(seed):
        rng = np.random.default_rng(seed)
        s = np.repeat([1, 1, 0], [300, 300, 2000])
        y = np.repeat([1, 0, 0], [300, 300, 2000])
        score = rng.uniform(np.repeat([1, -1], [300, 2300]), np.repeat([2, 0, 2], [300, 300, 2000]))
        plan = plan_checks(
            s, score, budget=200, metric="precision", threshold=1.0, noisy=True, random_state=seed
        )
        truth = 0.5 if metric == "beta" else truth_of(metric, y, score, -0.5)
        return answer_of(plan, metric, y, **options_of(metric, -0.5)), truth

    assert covers(case, runs=5) == 5


def test_the_guaranteed_precision_is_exact_in_the_rows_above_the_threshold():
    s, score, y = checkable(7)
    plan = plan_checks(
        s, score, budget=80, metric="precision", threshold=1.0, random_state=0, guaranteed=True
    )
    flagged = score >= 1
    above = plan.rows[flagged[plan.rows]]
    ends = exact_ends(int((flagged & (s == 0)).sum()), len(above), int(y[above].sum()), 0.95)
    answer = answer_of(plan, "precision", y, guaranteed=True)
    expected = (np.array(ends) + s[flagged].sum()) / flagged.sum()
    assert (answer.lower, answer.upper) == pytest.approx(tuple(expected))


def test_a_checked_top_is_known_and_the_rest_is_not():
    s, score, y = checkable(9)
    unlabeled = np.flatnonzero(s == 0)
    rows = unlabeled[np.argsort(-score[unlabeled])][:150]
    checks = pd.DataFrame({"row": rows, "verdict": y[rows]})
    options = {"plan": "top", "threshold": score[rows[99]]}
    precision, recall, alpha = (
        checked_interval(metric, s, score, checks, **options)
        for metric in ("precision", "recall", "alpha")
    )
    truth = y[score >= score[rows[99]]].mean()
    assert precision.lower == precision.upper == precision.estimate == truth
    lowest = y[rows].sum() / len(unlabeled)
    assert alpha[2:4] == pytest.approx((lowest, lowest + 1 - 150 / len(unlabeled)))
    assert np.isnan(recall.estimate)


def test_tied_scores_leave_a_check_in_every_part_of_the_ranking():
    rng = np.random.default_rng(82)
    y = (rng.random(3000) < 0.05).astype(int)
    score = np.round(rng.normal(1.5 * y))
    s = y * (rng.random(3000) < 0.3)
    plan = plan_checks(s, score, budget=100, metric="average_precision", random_state=82)
    finer = plan.strata.split(plan.rows, 10)
    fewest = [each.count(plan.rows)[~each.labeled].min() for each in (finer, plan.strata)]
    assert fewest[0] >= fewest[1]
    answer = answer_of(plan, "average_precision", y)
    assert answer.lower <= truth_of("average_precision", y, score) <= answer.upper


def test_a_guaranteed_recall_of_0_is_exact_below_the_threshold_too():
    score = np.arange(4000.0)[::-1]
    y = np.repeat([0, 1, 0], [500, 1000, 2500])
    options = {"threshold": 3800, "guaranteed": True, "random_state": 0}
    plan = plan_checks(None, score, budget=200, metric="recall", **options)
    strata = plan.strata.of[plan.rows]
    sizes = zip(
        plan.strata.sizes, np.bincount(strata), np.bincount(strata, y[plan.rows]), strict=True
    )
    (_, most), (fewest, _) = (exact_ends(*map(int, each), 0.95**0.5) for each in sizes)
    answer = answer_of(plan, "recall", y, guaranteed=True)
    assert (answer.lower, answer.upper) == pytest.approx((0, most / (most + fewest)))


@pytest.mark.parametrize("metric", ["alpha", "recall", "f1", "roc_auc"])
def test_the_guaranteed_interval_holds_the_other(metric):
    s, score, y = checkable(8)
    options = {"metric": metric, "random_state": 0, **options_of(metric)}
    plan = plan_checks(s, score, budget=80, guaranteed=True, **options)
    checks = plan.filled(y[plan.rows])
    exact, profile = (
        checked_interval(metric, s, score, checks, plan=plan, guaranteed=flag)
        for flag in (True, False)
    )
    assert exact.lower <= profile.lower < profile.upper <= exact.upper


def test_the_correlation_of_no_positive_is_0():
    """A constant class is correlated with nothing, and an interval of one point holds it."""
    score = np.arange(20.0)
    rows = pd.DataFrame({"row": np.arange(20), "verdict": 0})
    for about in ("file", "new"):
        answer = checked_interval(
            "mcc", None, score, rows, plan="random", threshold=10, about=about
        )
        assert answer.estimate == pytest.approx(0, abs=1e-12)
        assert answer.lower <= 0 <= answer.upper
    with pytest.raises(ValueError, match="y_score must be one-dimensional"):
        plan_checks(None, None, budget=10, metric="alpha")
