"""Bad input is named in one line by every public function: rows and options that cannot be, over the whole table."""

import copy
import inspect
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from test_metamorphic import TABLE, THRESHOLD, Y_SCORE, S, call, public_functions

from pumetrics import _arguments, metrics
from pumetrics.assessment import assess, assess_by, compare_scores
from pumetrics.checks import plan_checks
from pumetrics.cli._options import FLAGS
from pumetrics.inference import corrected_interval
from pumetrics.label_frequency import leave_one_out_scores
from pumetrics.labeling import flip_positives, noisy_positives, sar, scar
from pumetrics.methods import estimate_score
from pumetrics.models import out_of_sample_scores
from pumetrics.models.folds import stratified_folds
from pumetrics.priors import alpha_interval, estimate_priors
from pumetrics.recovery import recover_rates


@pytest.mark.parametrize(
    "call",
    [
        lambda seed: assess(S, Y_SCORE, alpha=0.2, metrics=["roc_auc"], n_bootstrap=3, random_state=seed),
        lambda seed: compare_scores(S, Y_SCORE, -Y_SCORE, alpha=0.2, metrics=["f1"], n_bootstrap=3, random_state=seed),
        lambda seed: corrected_interval("roc_auc", S, Y_SCORE, alpha=0.2, n_bootstrap=3, random_state=seed),
        lambda seed: estimate_score("roc_auc", S, Y_SCORE, alpha=0.2, confidence=0.9, random_state=seed),
        lambda seed: estimate_priors(Y_SCORE[S == 1], Y_SCORE[S == 0], method="tice", random_state=seed),
        lambda seed: alpha_interval(S, Y_SCORE, random_state=seed),
        lambda seed: leave_one_out_scores(Y_SCORE[:, None], S, random_state=seed),
        lambda seed: noisy_positives(S, beta=0.9, n_labeled=20, random_state=seed),
        lambda seed: scar(S, label_frequency=0.5, random_state=seed),
        lambda seed: sar(S, Y_SCORE, label_frequency=0.5, strength=1.0, random_state=seed),
        lambda seed: flip_positives(pd.DataFrame({"x": Y_SCORE}), S, 0.5, random_state=seed),
        lambda seed: stratified_folds(S, n_folds=3, random_state=seed),
        lambda seed: out_of_sample_scores(
            Y_SCORE[:, None], S[None], np.arange(300) % 3, model="random_forest", random_state=seed, n_estimators=40
        ),
    ],
)
def test_a_random_state_of_scikit_learn_is_a_source_of_randomness(call):
    assert str(call(np.random.RandomState(0))) == str(call(np.random.RandomState(0)))


def changed(values, place, value):
    """A copy of values with another at one place."""
    values = np.array(values, dtype=np.float64)
    values[place] = value
    return values


HUGE = 10**400
TAKE_NEGATIVES = {
    "clipped_share", "contingency_bounds", "metric_bounds", "pr_bounds", "rank_cdf_band", "roc_bounds",
}  # fmt: skip
FUNCTIONS = list(TABLE)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"s": changed(S, 2, 2)}, "s must hold only (-1, )?0, 1, got 2(.0)? at position 2"),
        ({"s": changed(S, 1, np.nan)}, "s must hold only (-1, )?0, 1, got nan at position 1"),
        ({"s": np.where(S, "a", "b")}, "s must hold only (-1, )?0, 1, got values such as"),
        ({"s": [HUGE] * 300}, "s must hold only (-1, )?0, 1"),
        ({"s": S + 0j}, "s must hold only (-1, )?0, 1, got complex128"),
        ({"s": S.astype("M8[D]")}, "s must hold only (-1, )?0, 1, got datetime"),
        ({"s": changed(S, 2, -1)}, "s holds -1 at position 2, a labeled negative .*Leave every checked row unlabeled"),
        ({"s": 0 * S + 1}, "s holds no 0"),
        ({"s": 0 * S}, "s holds no 1"),
        ({"s": S[1:]}, "lengths differ: s has 299, (y_score|first_score) has 300"),
        ({"s": []}, "s is empty|s has 0"),
        ({"s": S[:, None]}, "s must be one-dimensional"),
        ({"s": np.ma.array(S, mask=Y_SCORE > 1)}, r"s is a masked array \(\d+ values masked\): leave masked rows out"),
        ({"y_score": np.ma.masked_greater(Y_SCORE, 1)}, r" is a masked array \(\d+ values masked\): leave masked rows"),
        ({"y_score": changed(Y_SCORE, 1, np.nan)}, "y_score must be finite, got nan at position 1"),
        ({"y_score": changed(Y_SCORE, 2, np.inf)}, "y_score must be finite, got inf at position 2"),
        ({"y_score": Y_SCORE[:, None]}, r"y_score must be one-dimensional, got shape \(300, 1\)"),
        ({"y_score": pd.DataFrame({"a": Y_SCORE, "b": Y_SCORE})}, r"y_score must be one-dimensional, got shape"),
        ({"y_score": []}, "y_score is empty|first_score has 0"),
        ({"y_score": ["high"] * 300}, "y_score must hold numbers only"),
        ({"y_score": [HUGE] * 300}, "y_score must be finite, got a number beyond 1e308: rescale"),
        ({"y_score": Y_SCORE + 0j}, "y_score must hold real numbers only, got complex128"),
        ({"y_score": S.astype("M8[D]")}, "y_score must hold real numbers only, got datetime64"),
        ({"y_score": S.astype("m8[D]")}, "y_score must hold real numbers only, got timedelta64"),
        ({"s": pd.Series(S), "y_score": pd.Series(Y_SCORE)[::-1]}, "are Series with different indexes: align them"),
    ],
)
def test_rows_that_cannot_be_are_named_by_every_function(rows, message):
    for name in FUNCTIONS:
        if "labeled negative" in message and name in TAKE_NEGATIVES:
            continue
        with pytest.raises(ValueError, match=message):
            call(name, **rows)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("alpha", -0.1, r"alpha must lie in [\[(]0, 1[\])], got -0.1"),
        ("alpha", np.nan, "alpha must lie in .* got nan"),
        ("alpha", HUGE, "alpha must lie between 0 and 1"),
        *(("alpha", text, "alpha must be a number, got ") for text in ("0.1", b"0.1", ("0.1", "0.3"), np.str_("0.1"))),
        ("alpha", (0.4, 0.2), r"alpha must be a number( or an interval \(lowest, highest\))?, got"),
        ("beta", 1.5, r"beta must lie in \[0, 1\], got 1.5"),
        ("beta", np.nan, "beta must lie in"),
        ("beta", 0.1, "alpha must be smaller than beta, got alpha=0.25 and beta=0.1"),
        ("beta", "x", "beta must be a number, got 'x'"),
        ("population", "labeled", 'population must be "unlabeled" or "all", got \'labeled\''),
        ("confidence", 0, r"confidence must lie in \(0, 1\)"),
        ("confidence", 95, r"confidence must lie in \(0, 1\), got 95"),
        ("confidence", "x", "confidence must be a number"),
        ("n_bootstrap", 2.5, "n_bootstrap must be a whole number"),
        ("n_bootstrap", HUGE, "n_bootstrap must be at most"),
        *(
            ("random_state", value, "random_state must be None, a whole number of at least 0 or a numpy")
            for value in ("a", -1, 1.5, object())
        ),
        ("sample_weight", changed(S, 1, -1), "sample_weight must be at least 0, got -1 at position 1"),
        ("sample_weight", changed(S, 1, np.nan), "sample_weight must be finite, got nan at position 1"),
        ("sample_weight", changed(S, 1, 1e200), "sample_weight must have its largest value between"),
        ("sample_weight", np.ones(299), "lengths differ: s has 300, sample_weight has 299"),
        ("sample_weight", 1 - S, "sample_weight is 0 for every labeled example"),
        ("sample_weight", S, "sample_weight is 0 for every unlabeled example"),
        ("sample_weight", ["a"] * 300, "sample_weight must hold numbers only"),
        ("sample_weight", np.ones((300, 1)), "sample_weight must be one-dimensional"),
        ("sample_weight", 5, "sample_weight must .*(got 5|one-dimensional)"),
        ("sample_weight", "a", "sample_weight must .*(got 'a'|numbers only)"),
        *(
            (name, np.ma.masked_greater(Y_SCORE, 1), rf"{name} is a masked array \(\d+ values masked\)")
            for name in ("sample_weight", "cluster", "fold", "propensity")
        ),
        ("cluster", np.zeros(300), "cluster is the same for every row: resampling needs at least two clusters"),
        ("cluster", np.arange(299), "lengths differ: s has 300, cluster has 299"),
        ("cluster", [None, *range(299)], "cluster must hold a value for every row, got none at position 0"),
        ("cluster", np.zeros((300, 2)), "cluster must be one-dimensional"),
        ("fold", S, "fold 0 holds no labeled example: scores are compared within folds only"),
        ("propensity", 0 * S, "propensity must be larger than 0 and finite for every labeled row, got 0 at position 0"),
        ("propensity", ["a"] * 300, "propensity must be a list of numbers"),
        ("selection", 0, "selection must be larger than 0, got 0.0"),
        ("selection", "two", "selection must be a number, got .*'two'"),
        ("threshold", np.nan, "threshold must be (a number|finite), got nan"),
        ("threshold", "half", "threshold must (be a number, got 'half'|hold numbers only)"),
        ("repair", "glue", "repair must be one of envelope, hull, monotone, none, got 'glue'"),
        ("band", "boots", "method must be one of 'auto', 'hypergeometric', 'dkw', 'bootstrap', got 'boots'"),
        ("band", 3.0, r"band must be a Band\(lower, upper\) or one of"),
        ("known", "both", "known must be one of 'positives', 'negatives', 'tightest', got 'both'"),
        *(
            ("k", k, "k must be a number of examples such as 100, or a share of them")
            for k in (0, -1, 1.5, "0%", "101%", "many", None, True, np.nan)
        ),
    ],
)  # fmt: skip
def test_options_that_cannot_be_are_named_by_every_function_that_takes_them(option, value, message):
    functions = public_functions()
    taking = [name for name in FUNCTIONS if option in inspect.signature(functions[name]).parameters]
    for name in taking:
        if (name, option) != ("checked_interval", "confidence"):  # a plan is drawn here, which has none
            with pytest.raises(ValueError, match=message):
                call(name, **{option: value})
    assert taking


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: recover_rates(np.ma.masked_greater(Y_SCORE, 1), 0.2, alpha=0.2), "tpr_pu is a masked array"),
        (lambda: assess_by(S, Y_SCORE, np.ma.masked_greater(S, 0), alpha=0.2), "groups is a masked array"),
        (lambda: assess(S, Y_SCORE, alpha=0.2, threshold=HUGE), "threshold must be a number up to"),
        (lambda: assess(S, Y_SCORE, rho=2), r"rho must lie in \[0, 1\]"),
        (
            lambda: assess(S, Y_SCORE, alpha=0.2, goal={"costfp": 1}),
            "no key 'costfp': use one of cost_fp, cost_fn, min_",
        ),
        (lambda: compare_scores(S, Y_SCORE, Y_SCORE[1:], alpha=0.1), "s has 300.*second_score has 299"),
        (lambda: compare_scores(S, Y_SCORE, Y_SCORE, population="unlabeled", selection=2), "contradict"),
        (lambda: assess(S, Y_SCORE * 1e300, alpha=0.2), "y_score must have its largest absolute value .* at position"),
        (lambda: assess(S, Y_SCORE * 1e-320, alpha=0.2), "rescale the scores"),
        (lambda: assess(S, Y_SCORE * 0, alpha=0.2), "y_score is 0 for every example: constant scores"),
    ],
)
def test_values_no_float_holds_and_values_that_are_no_scores(call, message):
    with pytest.raises(ValueError, match=message):
        call()


PLAN = plan_checks(S, Y_SCORE, budget=40, metric="f1", threshold=THRESHOLD, random_state=0)
VALUES = {"alpha": 0.2, "beta": 0.9, "selection": 2.0, "population": "unlabeled", "uncertainty": "guaranteed"}
COLUMNS = {
    "sample_weight": np.ones(300), "cluster": np.arange(300) // 2, "fold": np.arange(300) % 2,
    "propensity": np.linspace(0.5, 1, 300), "checks": PLAN.filled([1, 0] * 20), "noisy": True, "rho": 0.5,
    "threshold": THRESHOLD,
}  # fmt: skip
# In Python a kind of uncertainty that is not needed is no error, only a comparison asks who selected the labels, and
# intervals of checks are asked for where there are checks (test_checks_plan.py).
ALLOWED = {("uncertainty", "alpha"), ("uncertainty", "rho"), ("selection", "population")}


@pytest.mark.parametrize(("firsts", "seconds", "why"), [row[:3] for row in _arguments._CONTRADICTIONS])
def test_each_contradiction_is_refused_by_every_function_and_in_the_words_of_the_commands(firsts, seconds, why):
    functions = public_functions()
    for pair in itertools.product(firsts, seconds):
        with pytest.raises(_arguments.ContradictionError) as error:
            _arguments.check_together(**{name: VALUES.get(name, True) for name in pair})
        assert why in str(error.value)
        shown = (f"{name}={VALUES[name]!r}" if name in VALUES else name for name in pair)
        assert str(error.value).startswith(" and ".join(shown))
        first, second = (FLAGS[name] for name in pair)
        assert re.match(rf"{first}( \S+)? and {second}( \S+)? contradict: ", error.value.named(FLAGS))
        for name in FUNCTIONS:
            taken = inspect.signature(functions[name]).parameters
            if pair in ALLOWED or not set(pair) <= {*taken, *(_arguments.GOALS if "goal" in taken else ())}:
                continue
            options = {each: (VALUES | COLUMNS)[each] for each in pair if each in VALUES | COLUMNS}
            goal = dict.fromkeys(set(pair) & set(_arguments.GOALS), 0.5)
            goal |= {"cost_fp": 1, "cost_fn": 5} if {"cost_fp", "cost_fn"} & goal.keys() else {}
            options |= goal if "cost_fp" in taken else {"goal": goal} if goal else {}
            unknown = {each: None for each in ("alpha", "threshold") if each in taken}
            with pytest.raises(_arguments.ContradictionError):
                call(name, **unknown | options)


def test_what_says_nothing_contradicts_nothing():
    """None, False and defaults."""
    silent = {name: None for row in _arguments._CONTRADICTIONS for names in row[:2] for name in names}
    _arguments.check_together(**silent | {"noisy": False, "beta": 1.0, "selection": [1, 1.0], "population": "all"})


def test_an_error_of_an_argument_survives_a_copy_and_names_what_is_no_option_as_it_is():
    error = copy.copy(_arguments.ArgumentError("y_score", "is empty"))
    assert (str(error), error.named(FLAGS)) == ("y_score is empty", "y_score is empty")


def test_series_pair_by_index_or_not_at_all():
    s, score = pd.Series(S), pd.Series(Y_SCORE)
    expected = metrics.pu_roc_auc_score(S, Y_SCORE, alpha=0.2)
    assert metrics.pu_roc_auc_score(s, score, alpha=0.2) == expected
    assert metrics.pu_roc_auc_score(s.set_axis(range(1, 301)), Y_SCORE, alpha=0.2) == expected
    with pytest.raises(ValueError, match="are Series with different indexes: align them"):
        compare_scores(s, Y_SCORE, score[::-1], alpha=0.2)
