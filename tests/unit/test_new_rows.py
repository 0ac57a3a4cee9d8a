"""Verdicts on a random sample, or on the whole file: intervals for new rows of the same kind."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from commands import answered, as_json, run, text_of, words_of
from scipy.optimize import minimize
from scipy.stats import beta, binom, multinomial, norm

from pumetrics.assessment import assess
from pumetrics.checks import checked_interval, plan_checks
from pumetrics.checks.new_rows import NewRows, area_of_new_rows, share_by_score
from pumetrics.checks.region import slacks_of

SLACKS = slacks_of(0.95)
TABLE = (
    200,
    50,
    43,
    207,
)  # true and false positives, false and true negatives: 407 of 500 are right


def rows_of(table):
    """Classes and scores with these cells at a threshold of 0.5."""
    y = np.repeat([1, 0, 1, 0], table)
    score = np.repeat([1.0, 1.0, 0.0, 0.0], table)
    return y, score


def ends_of(metric, table, s=None):
    y, score = rows_of(table)
    checks = pd.DataFrame({"row": np.arange(len(y)), "verdict": y})
    answer = checked_interval(metric, s, score, checks, plan="random", threshold=0.5)
    return answer.lower, answer.upper


def exact(count, n):
    """Ends of Clopper and Pearson, who guarantee theirs."""
    return beta.ppf(0.025, count, n - count + 1), beta.ppf(0.975, count + 1, n - count)


TP, FP, FN, TN = TABLE
ONE_BINOMIAL = {
    "alpha": exact(TP + FN, 500),
    "accuracy": exact(TP + TN, 500),
    "precision": exact(TP, TP + FP),
    "recall": exact(TP, TP + FN),
    "specificity": exact(TN, TN + FP),
    "f1": tuple(2 * j / (1 + j) for j in exact(TP, TP + FP + FN)),
}


@pytest.mark.parametrize("metric", ONE_BINOMIAL)
def test_where_the_verdicts_are_the_file_the_interval_is_that_of_a_binomial_sample(metric):
    assert ends_of(metric, TABLE) == pytest.approx(ONE_BINOMIAL[metric], abs=0.004)


@pytest.mark.parametrize(("n", "lowest"), [(20, 0.832), (100, 0.964), (500, 0.993)])
def test_that_all_are_right_leaves_a_lower_end(n, lowest):
    low, high = ends_of("accuracy", (n // 2, 0, 0, n // 2))
    assert (low, high) == (pytest.approx(lowest, abs=0.025), 1)


@pytest.mark.parametrize(
    ("metric", "table"),
    [
        ("recall", (0, 5, 0, 45)),
        ("balanced_accuracy", (0, 5, 0, 45)),
        ("specificity", (20, 0, 10, 0)),
    ],
)
def test_of_a_class_that_was_not_found_nothing_is_known(metric, table):
    assert ends_of(metric, table) == (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["accuracy", "mcc"])
def test_enumerated_coverage_for_new_rows_is_nominal(metric):
    n = 5
    tables = np.array([t for t in product(range(n + 1), repeat=4) if sum(t) == n])
    ends = []
    for tp, fp, fn, tn in tables:
        kind = NewRows(metric, np.zeros(n, dtype=bool), np.zeros(n), "all")
        drawn = np.array([0, n, tp + fp, fn + tn])
        ends.append(kind.ends(drawn, np.array([0, tp + fp, tp, fn]), *SLACKS))
    low, high = np.transpose(ends)
    for t, p, q in product((0.3, 0.6), (0.5, 0.9), (0.1, 0.4)):
        truth = kind._value(np.array([0, t, p, q]))
        cells = [t * p, t * (1 - p), (1 - t) * q, (1 - t) * (1 - q)]
        is_covered = (low <= truth + 1e-6) & (truth <= high + 1e-6)
        assert multinomial(n, cells).pmf(tables) @ is_covered >= 0.945


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["f1", "roc_auc"])
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_new_rows_are_covered_where_labeled_rows_count_too(metric, share):
    """Files of the same kind, with 40 labeled rows each; the area is that of the unlabeled rows."""
    rng = np.random.default_rng(0)

    def file(n):
        y = np.append(np.ones(n // 10, dtype=int), rng.random(n) < 0.3).astype(int)
        return np.repeat([1, 0], [n // 10, n]), y, rng.normal(1.5 * y).round(2)

    s, y, score = file(400_000)
    options = {"population": "unlabeled" if metric == "roc_auc" else "all", "plan": "random"}
    options["threshold"] = None if metric == "roc_auc" else 1.0
    everything = pd.DataFrame({"row": np.flatnonzero(s == 0), "verdict": y[s == 0]})
    truth = checked_interval(metric, s, score, everything, **options).estimate
    held = 0
    for _ in range(30):
        s, y, score = file(400)
        rows = rng.choice(np.flatnonzero(s == 0), int(share * 400), replace=False)
        checks = pd.DataFrame({"row": rows, "verdict": y[rows]})
        answer = checked_interval(metric, s, score, checks, **options)
        held += answer.lower <= truth <= answer.upper
    assert held >= binom.ppf(0.01, 30, 0.95)


@pytest.mark.slow
def test_every_form_says_which_rows_an_interval_is_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, score = rows_of(TABLE)
    pd.DataFrame({"score": score, "row": np.arange(500), "verdict": y}).to_csv(
        "all.csv", index=False
    )
    asked = [
        "evaluate",
        "all.csv",
        "--checks",
        "all.csv",
        "--checked",
        "random",
        "--threshold",
        0.5,
    ]
    found = as_json(*asked)["checked"]
    about = {name: each["about"] for name, each in found.items()}
    assert about.pop("average_precision") == "file"
    assert set(about.values()) == {"new"}
    shown = answered(run(*asked, "--report", "page.html"))
    sentence = (
        "Intervals are for new rows of the same kind; those of AUC-PR for the 500 rows of this file"
    )
    for text in (shown, text_of("page.html")):
        assert sentence in words_of(text)
    plan = plan_checks(None, score, budget=100, metric="f1", threshold=0.5, random_state=0)
    planned = assess(None, score, checks=plan.filled(y[plan.rows]))
    assert {each.about for each in planned.checked.values()} == {"file"}
    assert "Intervals are for the 500 rows of this file." in planned.assumption


def scored(strength, n=4000, seed=3):
    """Classes, a third of them positive, and scores that tell them by so many standard deviations."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    return y, rng.normal(size=n) + strength * y, rng.permutation(n)[:100]


def share_of(y, score, rows, **options):
    checks = pd.DataFrame({"row": rows, "verdict": y[rows]})
    return checked_interval("alpha", None, score, checks, plan="random", **options)


@pytest.mark.parametrize("strength", [0, 0.5, 1, 2, 4])
def test_a_share_uses_what_scores_tell_and_is_never_wider_than_without(strength):
    y, score, rows = scored(strength)
    with_scores = share_of(y, score, rows)
    without = share_of(y, np.zeros(len(y)), rows)
    width, plain = (each.upper - each.lower for each in (with_scores, without))
    assert width <= plain
    assert without.estimate == y[rows].mean()

    parts = pd.Series(y[rows]).groupby(strata_of(score, rows)[rows])
    left = parts.size() @ parts.var(ddof=0) / (len(rows) * y[rows].var())
    assert np.sqrt(left) - 0.02 < width / plain < np.sqrt(left) + 0.1


def test_the_share_by_scores_is_the_mean_over_strata_by_their_size():
    y, score, rows = scored(2)
    answer = share_of(y, score, rows)
    of = strata_of(score, rows)
    means = pd.Series(y[rows]).groupby(of[rows]).mean()
    assert answer.estimate == pytest.approx(means @ np.bincount(of) / len(of), abs=1e-3)


def test_the_ends_of_a_share_by_scores_are_those_of_any_search_over_the_same_likelihood():
    """With so many rows that the sizes of strata are known."""
    y, score, rows = scored(2)
    slack = 2.0
    _, lower, upper = share_by_score(y[rows], score[rows], np.tile(score, 500), slack, 0.0)
    of = strata_of(score, rows)
    weights = np.bincount(of) / len(of)
    drawn = np.bincount(of[rows])
    found = np.bincount(of[rows], weights=y[rows])

    def likelihood(shares):
        return found @ np.log(shares) + (drawn - found) @ np.log(1 - shares)

    best = np.clip(found / drawn, 1e-4, 1 - 1e-4)
    least = likelihood(best) - slack
    for sign, end in ((1, lower), (-1, upper)):
        reached = minimize(
            lambda shares, sign=sign: sign * (weights @ shares),
            np.clip(best, 0.01, 0.99),
            bounds=[(1e-5, 1 - 1e-5)] * 5,
            constraints={"type": "ineq", "fun": lambda shares: likelihood(shares) - least},
        )
        assert end == pytest.approx(sign * reached.fun, abs=2e-3)


def strata_of(score, rows):
    cuts = np.quantile(score[rows], [0.2, 0.4, 0.6, 0.8], method="higher")
    return np.searchsorted(cuts, score, side="right")


def test_few_of_a_class_keep_the_ends_of_a_binomial_sample():
    _, score, rows = scored(2)
    y = np.zeros(len(score), dtype=int)
    y[rows[:9]] = 1
    same = share_of(y, np.zeros(len(y)), rows)
    assert share_of(y, score, rows)[1:4] == same[1:4]


@pytest.mark.parametrize("strength", [1.5, 4])
@pytest.mark.parametrize("missed", [0, 0.3])
def test_the_area_is_covered_where_a_kind_of_positive_is_missed_too(strength, missed):
    """With the variance of one kind of positive alone, 87% are covered where 30% score as negatives do."""
    truth = (1 - missed) * norm.cdf(strength / np.sqrt(2)) + missed / 2
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        y = (rng.random(300) < 0.2).astype(int)
        is_seen = rng.random(300) >= missed
        area, (lower, upper) = area_of_new_rows(
            y, rng.normal(size=300) + strength * y * is_seen, 0.95
        )
        assert lower <= area <= upper
        covered += lower <= truth <= upper
    assert covered >= binom.ppf(0.001, 400, 0.95)


def test_a_share_of_positives_does_not_depend_on_a_threshold():
    y, score, rows = scored(1)
    assert share_of(y, score, rows, threshold=2.0)[:4] == share_of(y, score, rows)[:4]


def test_classes_of_all_rows_are_not_taken_for_rows_that_were_not_checked():
    y, score, _ = scored(1)
    with pytest.raises(ValueError, match="0, which means not checked"):
        checked_interval("f1", None, score, y, plan="random", threshold=1.0)
    signed = np.where(np.arange(len(y)) < 100, 2 * y - 1, 0)
    table = pd.DataFrame({"row": np.arange(100), "verdict": y[:100]})
    answers = [
        checked_interval("alpha", None, score, each, plan="random") for each in (signed, table)
    ]
    assert answers[0] == answers[1]


def test_verdicts_of_a_plan_may_be_named_by_the_index():
    y, score, _ = scored(1)
    names = [f"case {number}" for number in range(len(y))]
    score = pd.Series(score, names)
    s = pd.Series(0, names)
    plan = plan_checks(s, score, budget=50, metric="f1", threshold=1.0, random_state=0)
    verdicts = pd.DataFrame({"verdict": y[plan.rows]}, [names[row] for row in plan.rows])
    named = checked_interval("f1", s, score, verdicts, plan=plan)
    assert named == checked_interval("f1", s, score, plan.filled(y[plan.rows]))
