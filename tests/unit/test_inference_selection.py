"""Labels selected by score, and resamples in groups: identities, and truths that come back."""

import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from samples import gaussian, selected

from pumetrics.assessment import assess, compare_scores
from pumetrics.counts import count_scores, place_samples
from pumetrics.inference import corrected_interval, corrected_intervals
from pumetrics.inference.sample import SCORED, Sample, grouped, scores_of
from pumetrics.inference.selection import labelable_share, reweighted
from pumetrics.methods import estimate_score
from pumetrics.metrics import max_score, pu_f1_score, pu_roc_auc_score
from pumetrics.priors import alpha_interval, registry, upper_bound


def true_auc(scores, y):
    counts = count_scores(y, scores)
    return np.trapezoid(counts.tpr_pu, counts.fpr_pu)


def test_no_selection_changes_nothing():
    s, scores, _ = gaussian(0, 100, 500, alpha=0.2)
    counts = count_scores(s, scores)
    assert reweighted(counts, 1.0, alpha=0.2) is counts
    options = {"n_bootstrap": 10, "random_state": 0}
    with_it = corrected_intervals(list(SCORED), s, scores, selection=1, **options)
    assert with_it == corrected_intervals(list(SCORED), s, scores, **options)


@pytest.mark.parametrize("strength", [0.25, 4.0])
def test_the_true_strength_gives_the_true_score_and_none_does_not(strength):
    # Few of the positives are labeled, so that ranks among the labeled and among all positives agree in law.
    s, scores, y = selected(1, 30_000, 70_000, strength=strength, rho=0.1)
    alpha, truth = 27 / 97, true_auc(scores, y)
    weights = {}
    for assumed in (1.0, strength):
        weights[assumed] = estimate_score("roc_auc", s, scores, alpha=alpha, selection=assumed).estimate - truth
    assert abs(weights[strength]) < 0.4 * abs(weights[1.0])


@pytest.mark.parametrize("strength", [0.25, 2.0, 4.0])
def test_weights_undo_a_selection_that_is_log_linear_in_the_rank_among_all_positives(strength):
    s, scores, y = selected(0, 60_000, 60_000, strength=strength)  # up to .54 of the positives can be labeled if 4
    alpha = y[s == 0].mean()
    counts = reweighted(count_scores(s, scores), strength, alpha=alpha)
    truth = count_scores(y, scores)
    np.testing.assert_allclose(counts.labeled / counts.n_labeled, truth.tpr_pu, atol=0.002)
    area = scores_of(["roc_auc"], counts, alpha=alpha, beta=1.0)[0]
    assert area == pytest.approx(true_auc(scores, y), abs=0.001)


def test_no_more_positives_can_be_labeled_than_propensities_allow():
    for k in (2.0, 4.0, 20.0):
        propensity = k ** np.linspace(0, 1, 100_001)
        assert labelable_share(k) == pytest.approx(np.mean(propensity / propensity.max()), abs=1e-4)


@pytest.mark.parametrize("alpha_known", [True, False])
def test_intervals_for_the_true_strength_hold(alpha_known):
    held = []
    for seed in range(8):
        s, scores, y = selected(seed, 1500, 3000, strength=4.0, rho=0.33, distance=2.0, chance=True)
        options = {"selection": 4.0, "n_bootstrap": 30, "random_state": 0}
        options |= {"alpha": y[s == 0].mean()} if alpha_known else {}
        area = corrected_interval("roc_auc", s, scores, **options)
        held.append(area.lower <= true_auc(scores, y) <= area.upper)
    assert np.mean(held) >= 0.8


def test_reweighted_counts_keep_sizes_and_order():
    s, scores, _ = selected(2, 120, 300, strength=3.0, rho=0.4)
    counts = count_scores(s, scores.round(1))
    for k in (0.3, 2.0, 8.0):
        changed = reweighted(counts, k, alpha=60 / 360)
        assert (changed.n_labeled, changed.n_unlabeled) == (counts.n_labeled, counts.n_unlabeled)
        assert (np.diff(changed.labeled) >= 0).all()
        assert (np.diff(changed.unlabeled) >= -1e-9).all()


def test_a_selection_that_cannot_be_is_called_impossible():
    assert labelable_share(4.0) == labelable_share(0.25)
    s, scores, _ = gaussian(0, 200, 650, alpha=50 / 650, distance=3.0)
    warnings = assess(s, scores, alpha=50 / 650, selection=20, n_bootstrap=0).warnings
    assert "impossible_selection" in [warning.code for warning in warnings]


def test_bounds_assume_labels_at_random():
    s, scores, _ = gaussian(0, 20, 80, alpha=0.25)
    with pytest.raises(ValueError, match="bounds_dkw assumes that labels are a random sample, got selection=2"):
        estimate_score("roc_auc", s, scores, alpha=0.25, selection=2, method="bounds_dkw")


def test_few_thresholds_are_all_kept_and_many_are_merged_without_moving_scores():
    s, scores, _ = gaussian(3, 500, 4500, alpha=500 / 4500)
    counts = count_scores(s, scores)
    assert len(grouped(counts, most=10_000)) == len(counts.thresholds)
    kept = grouped(counts, most=1000, keep=0.7)
    assert len(kept) <= 1003
    (few,) = Sample(s, [scores]).merged(most=1000, threshold=0.7).counts
    options = {"alpha": 500 / 4500, "beta": 1.0}
    for threshold in (None, 0.7):
        full, merged = (scores_of(list(SCORED), each, threshold=threshold, **options) for each in (counts, few))
        np.testing.assert_allclose(merged, full, atol=0.004)
    areas = [np.trapezoid(each.tpr_pu, each.fpr_pu) for each in (counts, few)]
    assert areas[0] == pytest.approx(areas[1], abs=1e-3)


def test_resamples_drawn_in_groups_scatter_like_those_of_rows(monkeypatch):
    s, scores, _ = gaussian(4, 300, 3300, alpha=300 / 3300)
    options = {"alpha": 300 / 3300, "n_bootstrap": 300, "random_state": 0}
    rows = corrected_interval("roc_auc", s, scores, **options)
    monkeypatch.setattr("pumetrics.inference.sample._MOST_ROWS", 0)
    drawn = corrected_interval("roc_auc", s, scores, **options)
    assert drawn.estimate == rows.estimate
    assert drawn.upper - drawn.lower == pytest.approx(rows.upper - rows.lower, rel=0.2)


def test_a_resample_counts_the_rows_it_drew():
    s, scores, _ = gaussian(5, 30, 130)
    sample, places = Sample(s, [scores]), place_samples(scores[s == 1], scores[s == 0])
    drawn = sample.draw(np.random.default_rng(0))[0].pooled
    rng = np.random.default_rng(0)
    expected = places.counts(rng.integers(30, size=30), rng.integers(130, size=130))
    np.testing.assert_array_equal(drawn.labeled, expected.labeled)
    np.testing.assert_array_equal(drawn.unlabeled, expected.unlabeled)


def test_a_confidence_without_alpha_holds_what_is_open_about_alpha():
    s, scores, y = gaussian(6, 300, 2000, alpha=0.1, distance=2.5)
    answer = estimate_score("roc_auc", s, scores, confidence=0.95, random_state=0)
    interval = corrected_interval("roc_auc", s, scores, confidence=0.95, random_state=0)
    assert (answer.method, answer.lower, answer.upper) == ("indirect", interval.lower, interval.upper)
    assert interval.uncertainty == "calibrated"
    assert answer.lower <= true_auc(scores, y) <= answer.upper
    assert any("the uncertainty of alpha" in note for note in answer.notes)
    chance = corrected_interval("roc_auc", s, scores, uncertainty="sampling", n_bootstrap=50, random_state=0)
    assert chance.upper - chance.lower < interval.upper - interval.lower


def test_a_table_of_ones_own_is_used():
    from pumetrics.priors.calibration import read_table

    s, scores, _ = gaussian(7, 200, 1000, alpha=0.2)
    sure = {**read_table(), "errors": [0.0] * len(read_table()["errors"])}
    options = {"n_bootstrap": 20, "random_state": 0}
    own = corrected_interval("average_precision", s, scores, calibration=sure, **options)
    usual = corrected_interval("average_precision", s, scores, **options)
    assert own.alpha_interval[1] - own.alpha_interval[0] < 0.1
    assert own.upper - own.lower < usual.upper - usual.lower


# One assessment estimates and bounds the priors of a sample once, whatever is made of them.


@pytest.fixture
def runs(monkeypatch):
    """How often each estimator ran on a pair of samples, and each level of the guaranteed bound on each sample."""
    counted = Counter()

    def counting(name, estimate):
        def counted_estimate(component, mixture, **options):
            counted[name, component.tobytes(), mixture.tobytes()] += 1
            return estimate(component, mixture, **options)

        return counted_estimate

    for name, member in registry.MEMBERS.items():
        shared = counting(name, member)
        monkeypatch.setitem(registry.MEMBERS, name, shared)
        monkeypatch.setitem(registry.METHODS, name, registry.Method(shared))
    bound = upper_bound._largest

    def counted_bound(counts, tests, level):
        counted["bound", counts.labeled.tobytes(), counts.unlabeled.tobytes(), level] += 1
        return bound(counts, tests, level)

    monkeypatch.setattr(upper_bound, "_largest", counted_bound)
    return counted


SAMPLE = gaussian(0, 200, 800, alpha=0.25, distance=2.5)[:2]
CASES = {
    "estimated": {},
    "given": {"alpha": 0.25},
    "guaranteed": {"uncertainty": "guaranteed"},
    "no_interval": {"uncertainty": "guaranteed", "n_bootstrap": 0},
    "noisy": {"noisy": True},
    "goal": {"goal": {"min_recall": 0.8}, "uncertainty": "sampling", "n_bootstrap": 0},
    "confidence": {"confidence": 0.99},
    "clusters": {"cluster": np.arange(1000) // 2},
    "weights": {"sample_weight": np.linspace(0.5, 1, 1000)},
}


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_nothing_is_estimated_or_bounded_twice(options, runs):
    assess(*SAMPLE, **{"n_bootstrap": 20, **options})
    assert runs
    assert {key[0]: times for key, times in runs.items() if times > 1} == {}
    assert options or {key[0] for key in runs} >= set(registry.MEMBERS)


# Columns of other libraries: the same functions give the same numbers, and say what is wrong with a column.


LABELS, SCORE, _ = gaussian(0, 60, 240, alpha=0.25)

FUNCTIONS = {
    "assess": lambda s, score: assess(s, score, alpha=0.2, n_bootstrap=0).scores,
    "compare_scores": lambda s, score: compare_scores(s, score, score, alpha=0.2, n_bootstrap=12).as_dict(),
    "corrected_interval": lambda s, score: corrected_interval(
        "f1", s, score, alpha=0.2, n_bootstrap=12, random_state=0
    ),
    "estimate_score": lambda s, score: estimate_score("roc_auc", s, score, alpha=0.2),
    "alpha_interval": alpha_interval,
    "pu_roc_auc_score": lambda s, score: pu_roc_auc_score(s, score, alpha=0.2),
    "max_score": lambda s, score: max_score("f1", s, score, alpha=0.2),
    "pu_f1_score": lambda s, _: pu_f1_score(s, s, alpha=0.2),
}


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


def polars(values):
    return pytest.importorskip("polars").DataFrame({"x": values})["x"]


COLUMNS = {
    "list": list,
    "pandas": pd.Series,
    "nullable": nullable,
    "pandas with arrow": lambda values: nullable(values, ("int64[pyarrow]", "double[pyarrow]")),
    "arrow": arrow,
    "chunks": chunks,
    "polars": polars,
    "an array": lambda values: only("__array__", values),
    "an arrow array": lambda values: only("__arrow_c_array__", arrow(values)),
    "an arrow stream": lambda values: only("__arrow_c_stream__", chunks(values)),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_other_libraries_give_the_same_numbers(kind):
    for name, function in FUNCTIONS.items():
        assert function(COLUMNS[kind](LABELS), COLUMNS[kind](SCORE)) == function(LABELS, SCORE), name


@pytest.mark.parametrize("column", [lambda values: pd.Series(values, dtype="Float64"), arrow, chunks, polars])
def test_missing_values_are_named_by_position(column):
    with pytest.raises(ValueError, match="y_score must be finite, got nan at position 7"):
        pu_roc_auc_score(LABELS, column([*SCORE[:7], None, *SCORE[8:]]), alpha=0.2)


def test_a_column_that_needs_pyarrow_says_so(monkeypatch):
    column = COLUMNS["an arrow array"](SCORE)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="A column of type Column needs pyarrow, which is not installed"):
        pu_roc_auc_score(LABELS, column, alpha=0.2)
