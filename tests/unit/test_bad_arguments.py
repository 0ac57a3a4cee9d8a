"""Bad input is named in one line by every public function: rows and options that cannot be, over the whole table."""

import inspect
import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning
from test_metamorphic import COLUMNS, TABLE, THRESHOLD, Y_SCORE, S, call, public_functions

from pumetrics import metrics
from pumetrics.arguments import ArgumentError, ContradictionError
from pumetrics.assessment import assess, compare_scores
from pumetrics.bounds import (
    Band,
    contingency_bounds,
    roc_bounds,
)
from pumetrics.checks import checked_interval, plan_checks
from pumetrics.cli.options import FLAGS
from pumetrics.inference import corrected_intervals
from pumetrics.label_frequency import estimated_f1_score, lee_liu_score
from pumetrics.labeling import sar, scar
from pumetrics.methods import estimate_score
from pumetrics.metrics import pu_f1_score, pu_roc_auc_score
from pumetrics.priors import estimate_priors
from pumetrics_workflow.models.registry import out_of_sample_scores
from pumetrics_workflow.rho import leave_one_out_scores


@pytest.mark.parametrize(
    "call",
    [
        lambda seed: assess(
            S, Y_SCORE, alpha=0.2, metrics=["roc_auc"], n_bootstrap=3, random_state=seed
        ),
        lambda seed: compare_scores(
            S, Y_SCORE, -Y_SCORE, alpha=0.2, metrics=["f1"], n_bootstrap=3, random_state=seed
        ),
        lambda seed: estimate_score(
            "roc_auc", S, Y_SCORE, alpha=0.2, method="interval_sampling", random_state=seed
        ),
        lambda seed: estimate_priors(
            Y_SCORE[S == 1], Y_SCORE[S == 0], method="tice", random_state=seed
        ),
        lambda seed: leave_one_out_scores(Y_SCORE[:, None], S, random_state=seed),
        lambda seed: scar(S, label_frequency=0.5, random_state=seed),
        lambda seed: out_of_sample_scores(
            Y_SCORE[:, None],
            S[None],
            np.arange(300) % 3,
            model="random_forest",
            random_state=seed,
            n_estimators=40,
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
ACCEPTED = {
    "s holds -1 at position 2, a verified negative .*checks=s": {
        "clipped_share",
        "contingency_bounds",
        "metric_bounds",
        "pr_bounds",
        "rank_cdf_band",
        "roc_bounds",
    },
    "s holds no 1": {"checked_interval", "plan_checks"},
}
FUNCTIONS = list(TABLE)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"s": changed(S, 2, 2)}, "s must hold only (-1, )?0, 1, got 2(.0)? at position 2"),
        (
            {"s": np.where(Y_SCORE > 0, "1", "x")},
            "s must hold only (-1, )?0, 1, got values such as 'x'",
        ),
        ({"s": changed(S, 2, -1)}, "s holds -1 at position 2, a verified negative .*checks=s"),
        ({"s": 0 * S + 1}, "s holds no 0"),
        ({"s": 0 * S}, "s holds no 1"),
        ({"s": S[1:]}, "lengths differ: s has 299, (y_score|first_score) has 300"),
        (
            {"y_score": changed(Y_SCORE, 1, np.nan)},
            r"(y_score|first_score) (must be finite, got nan|is NaN in .*, first) at position 1",
        ),
        ({"y_score": ["high"] * 300}, "(y_score|first_score) must hold numbers only"),
        (
            {"s": pd.Series(S), "y_score": pd.Series(Y_SCORE)[::-1]},
            "have different indexes: align them",
        ),
    ],
)
def test_rows_that_cannot_be_are_named_by_every_function(rows, message):
    for name in FUNCTIONS:
        if name in ACCEPTED.get(message, ()):
            continue
        with pytest.raises(ValueError, match=message):
            call(name, **rows)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("alpha", -0.1, r"alpha must lie in [\[(]0, 1[\])], got -0.1"),
        ("alpha", np.nan, "alpha must lie in .* got nan"),
        *(
            ("alpha", text, "alpha must be a number, got ")
            for text in ("0.1", b"0.1", ("0.1", "0.3"), np.str_("0.1"))
        ),
        ("alpha", (0.4, 0.2), r"alpha must be a number( or an interval \(lowest, highest\))?, got"),
        ("beta", 1.5, r"beta must lie in \[0, 1\], got 1.5"),
        ("beta", 0.1, "alpha must be smaller than beta, got alpha=0.25 and beta=0.1"),
        ("population", "labeled", 'population must be "unlabeled" or "all", got \'labeled\''),
        ("confidence", 95, r"confidence must lie in \(0, 1\), got 95"),
        *(
            (
                "random_state",
                value,
                "random_state must be None, a whole number of at least 0 or a numpy",
            )
            for value in ("a", -1, 1.5, object())
        ),
        (
            "sample_weight",
            changed(S, 1, -1),
            "sample_weight must be at least 0, got -1 at position 1",
        ),
        ("sample_weight", np.ones(299), "lengths differ: s has 300, sample_weight has 299"),
        ("sample_weight", 1 - S, "sample_weight is 0 for every labeled example"),
        ("sample_weight", S, "sample_weight is 0 for every unlabeled example"),
        *(
            (
                name,
                np.ma.masked_greater(Y_SCORE, 1),
                rf"{name} is a masked array \(\d+ values masked\)",
            )
            for name in ("sample_weight", "cluster")
        ),
        (
            "cluster",
            np.zeros(300),
            "cluster is the same for every row: resampling needs at least two clusters",
        ),
        (
            "cluster",
            [None, *range(299)],
            "cluster must hold a value for every row, got none at position 0",
        ),
        ("threshold", np.nan, "threshold must be (a number|finite), got nan"),
        ("repair", "glue", "repair must be one of envelope, hull, monotone, none, got 'glue'"),
        (
            "band",
            "boots",
            "method must be one of 'auto', 'hypergeometric', 'dkw', 'bootstrap', got 'boots'",
        ),
        ("known", "both", "known must be one of 'positives', 'negatives', 'tightest', got 'both'"),
        *(
            ("k", k, "k must be a number of examples such as 100, or a share of them")
            for k in (0, -1, 1.5, "0%", "101%", "many", None, True, np.nan)
        ),
    ],
)
def test_options_that_cannot_be_are_named_by_every_function_that_takes_them(option, value, message):
    functions = public_functions()
    taking = [name for name in FUNCTIONS if option in inspect.signature(functions[name]).parameters]
    for name in taking:
        if (name, option) != (
            "checked_interval",
            "confidence",
        ):  # a plan is drawn here, which has none
            with pytest.raises(ValueError, match=message):
                call(name, **{option: value})
    assert taking


def estimated(metric="roc_auc", **options):
    return lambda: estimate_score(metric, S, Y_SCORE, **{"method": "direct"} | options)


def bounded(function=contingency_bounds, s=(1, 0, 0), **options):
    return lambda: function(s, [3, 2, 1], **{"alpha": 0.2} | options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: compare_scores(S, Y_SCORE, Y_SCORE[1:], alpha=0.1),
            "s has 300.*second_score has 299",
        ),
        (
            lambda: assess(S, Y_SCORE * 0, alpha=0.2),
            "y_score is 0 for every example: constant scores",
        ),
        (
            lambda: corrected_intervals("roc_auc", S, Y_SCORE, alpha=0.1),
            "metrics must be a list of names",
        ),
        (estimated(method="bounds"), "method must be one of uncorrected"),
        (
            estimated(alpha=(0.2, 0.4)),
            "alpha must be a number, got .*for a range, use assess",
        ),
        (bounded(known="negatives"), "s holds no -1"),
        (
            bounded(s=[1, 0, -1], known="tightest", band=Band([0] * 3, [1] * 3)),
            "give the name of a method",
        ),
        (
            bounded(band=Band([0, 0], [1, 1])),
            r"band.lower must hold one value per rank, shape \(3,\), got shape \(2,\)",
        ),
        (bounded(roc_bounds, alpha=1.0), "leaves no negative example.*smaller alpha"),
    ],
)
def test_what_cannot_be_is_named_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


ROWS = {
    "sample_weight": np.ones(300),
    "cluster": np.arange(300) // 2,
    "checks": plan_checks(
        S, Y_SCORE, budget=40, metric="f1", threshold=THRESHOLD, random_state=0
    ).filled([1, 0] * 20),
}
CONTRADICTIONS = [
    ({"alpha": 0.2, "rho": 0.5}, "each of them determines alpha"),
    ({"alpha": 0.2, "pi": 0.5}, "each of them determines alpha"),
    ({"rho": 0.2, "pi": 0.5}, "each of them determines alpha"),
    *(
        ({"noisy": True, **other}, "noisy estimates")
        for other in ({"alpha": 0.2}, {"rho": 0.5}, {"pi": 0.5}, {"beta": 0.9})
    ),
    *(
        ({"uncertainty": "guaranteed", **known}, "it applies only when")
        for known in ({"alpha": 0.2}, {"rho": 0.5}, {"pi": 0.5})
    ),
    *(
        ({"uncertainty": "guaranteed", rows: True}, "an exact test")
        for rows in ("cluster", "sample_weight")
    ),
    ({"checks": True, "sample_weight": True}, "checked rows all have the same weight"),
]


@pytest.mark.parametrize(("given", "why"), CONTRADICTIONS, ids=lambda given: str(given))
def test_a_contradiction_is_refused_by_every_function_and_in_the_words_of_the_commands(given, why):
    functions = public_functions()
    taking = [
        name
        for name in FUNCTIONS
        if given.keys() <= inspect.signature(functions[name]).parameters.keys()
    ]
    for name in taking:
        unknown = {"alpha": None} if "alpha" in TABLE[name][1] else {}
        with pytest.raises(ContradictionError, match=why) as error:
            call(
                name, **unknown | given | {each: ROWS[each] for each in given.keys() & ROWS.keys()}
            )
        assert all(each in str(error.value) for each in given)
        first, second = (FLAGS[name] for name in given)
        assert re.match(
            rf"{first}( \S+)? and {second}( \S+)? contradict: ", error.value.named(FLAGS)
        )
    assert taking


def test_a_plan_without_its_checks_is_refused():
    for ask in (
        lambda: assess(S, Y_SCORE, plan="random"),
        lambda: compare_scores(S, Y_SCORE, -Y_SCORE, plan="top"),
    ):
        with pytest.raises(ArgumentError, match=r"^plan says .*: add checks"):
            ask()


def test_few_examples_have_no_intervals():
    few = np.repeat([1, 0], [9, 291])
    with pytest.raises(ValueError, match=r"resamples of 9 labeled.*10 of each"):
        corrected_intervals(["roc_auc"], few, Y_SCORE, alpha=0.2)


def test_a_column_that_needs_pyarrow_says_so(monkeypatch):
    column = COLUMNS["an arrow array"](Y_SCORE)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ImportError, match="A column of type Column needs pyarrow, which is not installed"
    ):
        metrics.pu_roc_auc_score(S, column, alpha=0.2)


def test_series_pair_by_index_or_not_at_all():
    s, score = pd.Series(S), pd.Series(Y_SCORE)
    expected = metrics.pu_roc_auc_score(S, Y_SCORE, alpha=0.2)
    assert metrics.pu_roc_auc_score(s, score, alpha=0.2) == expected
    assert metrics.pu_roc_auc_score(s.set_axis(range(1, 301)), Y_SCORE, alpha=0.2) == expected
    weights, verdicts = pd.Series(1.0 + S), pd.Series(2 * S - 1)[::-1]
    for wrong in (
        lambda: compare_scores(s, Y_SCORE, score[::-1], alpha=0.2),
        lambda: metrics.pu_roc_auc_score(s, score[::-1].to_frame(), alpha=0.2),
        lambda: sar(s, score[::-1], label_frequency=0.5, strength=1.0),
        lambda: compare_scores(S, score, score, sample_weight=weights[::-1], alpha=0.2),
        lambda: assess(S, score, cluster=weights[::-1], alpha=0.2),
        lambda: assess(None, score, checks=verdicts, plan="random"),
        lambda: checked_interval("roc_auc", None, score, verdicts, plan="random"),
        lambda: corrected_intervals(["roc_auc"], S, score, sample_weight=weights[::-1], alpha=0.2),
    ):
        with pytest.raises(ValueError, match="have different indexes: align them"):
            wrong()
    checked = [
        checked_interval("roc_auc", None, score, rows, plan="random")
        for rows in ((-verdicts[::-1]).where(s.index > 0, 0), changed(1 - 2 * S, 0, 0))
    ]
    assert checked[0] == checked[1]


# Labels and predictions as neighbors have them

SIGNED = 2 * S - 1
PREDICTED = (np.median(Y_SCORE) < Y_SCORE).astype(int)


@pytest.mark.parametrize(
    ("call", "way"),
    [
        (lambda: roc_bounds(SIGNED, Y_SCORE, alpha=0.2), "if -1 means unlabeled, give s == 1"),
        (lambda: lee_liu_score(SIGNED, PREDICTED), "if -1 means unlabeled, give s == 1"),
        (lambda: estimated_f1_score(SIGNED, PREDICTED, rho=0.5), "unlabeled, give s == 1"),
        (lambda: pu_f1_score(SIGNED, PREDICTED, alpha=0.2), "if -1 means unlabeled, give s == 1"),
        (lambda: lee_liu_score(S, 2 * PREDICTED - 1), "means negative, give y_pred == 1"),
        (lambda: pu_f1_score(S, 2 * PREDICTED - 1, alpha=0.2), "give y_pred == 1"),
    ],
)
def test_labels_and_predictions_of_1_and_minus_1_have_a_way_out(call, way):
    with pytest.raises(ValueError, match=way):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda s, score, _: pu_roc_auc_score(s, score, alpha=0.2),
        lambda s, score, _: assess(s, score, alpha=0.2, n_bootstrap=0).scores,
        lambda s, score, _: roc_bounds(s, score, alpha=0.2).upper,
        lambda s, score, _: checked_interval(
            "alpha", 0 * s, score, pd.DataFrame({"row": range(50), "verdict": 1}), plan="random"
        ),
        lambda s, score, _: estimate_priors(score[S == 1], score[S == 0], method="bbe").alpha,
        lambda s, _, y_pred: lee_liu_score(s, y_pred),
        lambda s, _, y_pred: pu_f1_score(s, y_pred, alpha=0.2),
    ],
)
def test_a_column_is_raveled_with_a_warning(call):
    columns = [S, Y_SCORE, PREDICTED]
    wanted = call(*columns)
    for shaped in ([each[:, None] for each in columns], [pd.DataFrame(each) for each in columns]):
        with pytest.warns(DataConversionWarning):
            np.testing.assert_array_equal(call(*shaped), wanted)
