"""One table: every public function of labels and scores, its options, and what must not change its numbers.

A function, or an option of one, that is not in the table fails the first test.
"""

import importlib
import inspect
import pkgutil

import numpy as np
import pandas as pd
import pytest
from samples import interval_of

import pumetrics
from pumetrics.assessment import assess, compare_scores
from pumetrics.bounds import (
    clipped_share,
    contingency_bounds,
    metric_bounds,
    pr_bounds,
    rank_cdf_band,
    roc_bounds,
    score_bounds,
)
from pumetrics.checks import checked_interval, plan_checks
from pumetrics.counts import count_scores
from pumetrics.curves import pu_precision_recall_curve, pu_roc_curve, threshold_rates
from pumetrics.inference import corrected_intervals
from pumetrics.methods import estimate_score
from pumetrics.metrics import (
    lift_at_k,
    max_score,
    precision_at_k,
    pu_average_precision_score,
    pu_roc_auc_score,
    recall_at_k,
    threshold_measures,
)
from pumetrics.priors.estimate import effective_counts

RNG = np.random.default_rng(7)
S = np.repeat([1, 0], [60, 240])
Y_SCORE = (
    np.round(RNG.normal(1.3 * np.repeat([1, 1, 0], [60, 60, 180])), 2) + np.arange(300) * 1e-5
)  # no ties
OTHER = np.round(Y_SCORE + RNG.normal(size=300), 2)
THRESHOLD = 0.655  # between two scores


def numbers(value):
    """All numbers of a result, in order, but thresholds: these move with the scores."""
    if isinstance(value, dict):
        return [
            number
            for name, part in value.items()
            if "threshold" not in name
            for number in numbers(part)
        ]
    if hasattr(value, "columns"):
        return numbers({name: value[name].to_numpy() for name in value})
    if hasattr(value, "_asdict"):
        return numbers(value._asdict())
    if isinstance(value, (tuple, list)):
        return [number for part in value for number in numbers(part)]
    if value is None or isinstance(value, str):
        return []
    return np.asarray(value, dtype=np.float64).ravel().tolist()


NAMED = [
    "roc_auc",
    "average_precision",
    "f1",
    "recall",
    "precision_at_7%",
    "recall_at_3%",
    "lift_at_10%",
]


def _assessed(s, y_score, **options):
    """Uncorrected and corrected scores, identified or not."""
    found = assess(s, y_score, **{"n_bootstrap": 0} | options)
    return [(each.uncorrected, each.corrected) for each in found.scores]


def _compared(s, y_score, **options):
    usual = {"n_bootstrap": 10, "metrics": NAMED}
    found = compare_scores(s, y_score, options.pop("other", OTHER), **usual | options)
    models = found.first, found.second
    uncorrected = [each.uncorrected for model in models for each in model.scores]
    return uncorrected, [each.estimate for each in found.differences.values()]


def _corrected(s, y_score, **options):
    return [
        each.estimate
        for each in corrected_intervals(NAMED, s, y_score, **{"n_bootstrap": 1} | options).values()
    ]


def _answered(s, y_score, **options):
    answer = estimate_score("f1", s, y_score, **{"method": "direct"} | options)
    return answer.estimate, answer.alpha


def _bounded(s, y_score, **options):
    return list(
        score_bounds(
            ["roc_auc", "average_precision", "f1", "max_mcc"], s, y_score, **options
        ).values()
    )


def _checked(s, y_score, **options):
    """The interval of a plan whose rows are found positive and negative in turn."""
    plan = plan_checks(s, y_score, budget=40, metric="precision", random_state=0, **options)
    return checked_interval(
        "precision", s, y_score, plan.filled([1, 0] * 20), plan=plan, **options
    )[:3]


def _planned(s, y_score, **options):
    plan = plan_checks(s, y_score, **{"budget": 40, "metric": "f1", "random_state": 0} | options)
    return list(plan.expected.values())


ALPHA, DESIGN = {"alpha": 0.25}, ("sample_weight", "cluster")
# By name: the call, what it is given, and the options of which there are truths below.
TABLE = {
    "assess": (_assessed, ALPHA | {"at": ["10%"]}, ("alpha", "population", "threshold", *DESIGN)),
    "compare_scores": (_compared, ALPHA, ("alpha", "population", "threshold", *DESIGN)),
    "corrected_intervals": (_corrected, ALPHA, ("alpha", "population", "threshold", *DESIGN)),
    "estimate_score": (_answered, ALPHA, ("alpha", "population", "threshold")),
    "rank_cdf_band": (rank_cdf_band, ALPHA, ("alpha",)),
    "contingency_bounds": (contingency_bounds, ALPHA, ("alpha",)),
    "metric_bounds": (metric_bounds, ALPHA | {"metric": "f1"}, ("alpha",)),
    "score_bounds": (_bounded, ALPHA, ("alpha", "population", "threshold")),
    "roc_bounds": (roc_bounds, ALPHA, ("alpha",)),
    "pr_bounds": (pr_bounds, ALPHA, ("alpha",)),
    "clipped_share": (clipped_share, ALPHA, ("alpha",)),
    "count_scores": (count_scores, {}, ("sample_weight",)),
    "effective_counts": (effective_counts, {}, ("sample_weight",)),
    "pu_roc_curve": (
        lambda *data, **options: pu_roc_curve(*data, **options)[:2],
        ALPHA,
        ("alpha", "sample_weight"),
    ),
    "pu_precision_recall_curve": (
        lambda *data, **options: pu_precision_recall_curve(*data, **options)[:2],
        ALPHA,
        ("alpha", "population", "sample_weight"),
    ),
    "threshold_rates": (
        lambda *data, **options: threshold_rates(*data, **options)[:2],
        {},
        ("sample_weight",),
    ),
    "max_score": (
        lambda *data, **options: max_score("f1", *data, **options)[0],
        ALPHA,
        ("alpha", "sample_weight"),
    ),
    "pu_average_precision_score": (
        pu_average_precision_score,
        ALPHA,
        ("alpha", "population", "sample_weight"),
    ),
    "pu_roc_auc_score": (pu_roc_auc_score, ALPHA, ("alpha", "sample_weight")),
    "threshold_measures": (threshold_measures, ALPHA, ("alpha", "sample_weight")),
    "precision_at_k": (
        precision_at_k,
        ALPHA | {"k": "10%"},
        ("alpha", "population", "sample_weight"),
    ),
    "recall_at_k": (recall_at_k, ALPHA | {"k": "10%"}, ("alpha", "population", "sample_weight")),
    "lift_at_k": (lift_at_k, ALPHA | {"k": "10%"}, ("alpha", "population", "sample_weight")),
    "plan_checks": (_planned, {}, ("population", "threshold")),
    "checked_interval": (_checked, {}, ("population", "threshold")),
}
OPTIONS = {"alpha", "population", "threshold", *DESIGN}
SCALED_BY_WEIGHTS = {"count_scores", "effective_counts"}  # they count


def call(name, s=S, y_score=Y_SCORE, **options):
    """Numbers of a function of the table."""
    function, given, accepted = TABLE[name]
    where = {"threshold": THRESHOLD} if "threshold" in accepted else {}
    return np.array(numbers(function(s, y_score, **where | given | options)))


def taking(option):
    """Names of the functions that take an option."""
    return [name for name, (_, _, accepted) in TABLE.items() if option in accepted]


def public_functions():
    """Public functions of labels and scores, by name."""
    found = {}
    for module in pkgutil.walk_packages(pumetrics.__path__, "pumetrics."):
        if {"cli", "__main__"} & set(module.name.split(".")) or "._" in module.name:
            continue
        loaded = importlib.import_module(module.name)
        for name in getattr(loaded, "__all__", ()):
            function = getattr(loaded, name)
            if (
                inspect.isfunction(function)
                and {"y_score", "first_score"} & inspect.signature(function).parameters.keys()
            ):
                found[name] = function
    return found


def test_every_public_function_and_option_is_in_the_table():
    found = {
        name: OPTIONS & inspect.signature(function).parameters.keys()
        for name, function in public_functions().items()
    }
    assert {name: options for name, options in found.items() if options} == {
        name: set(accepted) for name, (_, _, accepted) in TABLE.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("change", ["factor", "shift", "exp", "float32", "order"])
def test_neither_unit_nor_precision_nor_order_of_the_scores_matters(name, change):
    order = np.random.default_rng(0).permutation(len(S)) if change == "order" else slice(None)
    changed = {
        "factor": lambda scores: np.multiply(scores, 1024),
        "shift": lambda scores: np.add(scores, 16),
        "exp": np.exp,
        "float32": np.float32,
        "order": lambda scores: np.asarray(scores)[order],
    }[change]
    options = {"other": changed(OTHER)} if name == "compare_scores" else {}
    if "threshold" in TABLE[name][2]:
        options["threshold"] = (
            changed(THRESHOLD) if change in ("factor", "shift", "exp") else THRESHOLD
        )
    got = call(name, S[order], changed(Y_SCORE), **options)
    np.testing.assert_allclose(got, call(name), rtol=1e-6, atol=1e-9)


def only(interface, values):
    """A column that knows one interface, such as that of NumPy, and nothing else."""

    def known(self, *arguments, **options):
        return getattr(values, interface)(*arguments, **options)

    return type("Column", (), {"__len__": lambda self: len(values), interface: known})()


def nullable(values, kinds=("Int64", "Float64")):
    return pd.Series(values, dtype=kinds[values.dtype.kind != "i"])


def arrow(values):
    return pytest.importorskip("pyarrow").array(values)


def chunks(values):
    return pytest.importorskip("pyarrow").chunked_array([values[:100], values[100:]])


COLUMNS = {
    "list": list,
    "pandas": pd.Series,
    "nullable": nullable,
    "pandas with arrow": lambda values: nullable(values, ("int64[pyarrow]", "double[pyarrow]")),
    "arrow": arrow,
    "chunks": chunks,
    "polars": lambda values: pytest.importorskip("polars").DataFrame({"x": values})["x"],
    "an array": lambda values: only("__array__", values),
    "an arrow array": lambda values: only("__arrow_c_array__", arrow(values)),
    "an arrow stream": lambda values: only("__arrow_c_stream__", chunks(values)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_other_libraries_give_the_same_numbers(kind):
    for name in TABLE:
        options = {"other": COLUMNS[kind](OTHER)} if name == "compare_scores" else {}
        got = call(name, COLUMNS[kind](S), COLUMNS[kind](Y_SCORE), **options)
        np.testing.assert_array_equal(got, call(name), err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_without_a_labeled_row_are_assessed_by_checked_rows(kind):
    checks = pd.DataFrame({"row": np.arange(0, 300, 6), "verdict": [1, 0] * 25})
    one, other = (
        assess(column(0 * S), column(Y_SCORE), checks=checks, plan="random").checked
        for column in (np.asarray, COLUMNS[kind])
    )
    assert one == other


VARIANTS = [{}, {"population": "all"}, {"population": "unlabeled"}, {"k": 0.033}]
WEIGHTED = [
    (name, options)
    for name in taking("sample_weight")
    for options in VARIANTS
    if set(options) <= {*TABLE[name][1], *TABLE[name][2]}
    and (name not in taking("cluster") or not options)
]


def weighted(name, weights, rows=slice(None), **options):
    more = {"other": OTHER[rows]} if name == "compare_scores" else {}
    return call(name, S[rows], Y_SCORE[rows], sample_weight=weights, **more, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"), [each for each in WEIGHTED if each[0] not in SCALED_BY_WEIGHTS]
)
def test_a_factor_of_all_weights_changes_nothing(name, options):
    weights = np.random.default_rng(1).integers(1, 5, len(S)).astype(float)
    for factor in (1 / 3, 1e-6, 1e5, 1 / weights.sum()):
        one, other = (weighted(name, each, **options) for each in (weights, factor * weights))
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "options"), [each for each in WEIGHTED if each[0] != "effective_counts"]
)
def test_integer_weights_are_repeated_rows(name, options):
    for seed in range(1 if name in taking("cluster") else 3):
        weights = np.random.default_rng(seed).integers(1, 4, len(S))
        rows = np.repeat(np.arange(len(S)), weights)
        one, other = weighted(name, weights, **options), weighted(name, None, rows, **options)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [(name, "cluster", np.arange(len(S))) for name in taking("cluster")]
    + [
        (name, "alpha", (0.25, 0.25))
        for name in ("assess", "corrected_intervals", "roc_bounds", "pr_bounds", "metric_bounds")
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_option_at_its_neutral_value_is_none(name, option, value):
    np.testing.assert_allclose(call(name, **{option: value}), call(name), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", taking("threshold"))
def test_thresholds_that_predict_the_same_give_the_same(name):
    above = Y_SCORE[Y_SCORE >= THRESHOLD].min()
    np.testing.assert_allclose(call(name, threshold=above), call(name), rtol=1e-12)


@pytest.mark.parametrize("name", taking("threshold"))
@pytest.mark.parametrize("value", [0.7, 0.1, 1.3])
def test_a_threshold_meets_scores_of_single_precision_as_those_of_double(name, value):
    y_score = Y_SCORE.copy()
    y_score[[5, 90, 200]] = value
    single = call(name, y_score=y_score.astype(np.float32), threshold=value)
    np.testing.assert_allclose(
        single, call(name, y_score=y_score, threshold=value), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("name", taking("population"))
def test_populations_differ_but_where_a_function_says_so(name):
    """The option reaches the number: of the unlabeled alone precision is lower."""
    assert not np.array_equal(
        call(name, population="unlabeled"), call(name, population="all"), equal_nan=True
    )


RECALL = {
    "assess": lambda **options: (
        assess(S, Y_SCORE, metrics=["recall"], n_bootstrap=0, **options).scores[0].corrected
    ),
    "corrected_intervals": lambda **options: (
        interval_of("recall", S, Y_SCORE, n_bootstrap=1, **options).estimate
    ),
    "estimate_score": lambda **options: (
        estimate_score("recall", S, Y_SCORE, method="direct", **options).estimate
    ),
}


@pytest.mark.parametrize("name", RECALL)
def test_the_positives_are_the_labeled_and_the_hidden_ones(name):
    options = {"alpha": 0.25, "threshold": THRESHOLD}
    everywhere, hidden = (RECALL[name](population=each, **options) for each in ("all", "unlabeled"))
    labeled, rho = np.mean(Y_SCORE[S == 1] >= THRESHOLD), 60 / (60 + 0.25 * 240)
    assert everywhere == pytest.approx(rho * labeled + (1 - rho) * hidden, abs=1e-9)
