"""Bounds over a range of alpha hold whatever alpha of the range is true: they are the union over its values."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian

from pumetrics.assessment import assess
from pumetrics.bounds import TABLE_METRICS, metric_bounds, score_bounds
from pumetrics.bounds.bands import latent_positives
from pumetrics.bounds.tables import alphas_within
from pumetrics.displays import PUPrecisionRecallDisplay
from pumetrics.methods import estimate_score

METRICS = [
    "accuracy", "balanced_accuracy", "f1", "mcc", "precision", "recall", "max_f1", "max_mcc", "max_balanced_accuracy",
    "precision_at_30", "recall_at_30", "lift_at_30", "average_precision", "roc_auc",
]  # fmt: skip


def sample(n_labeled, n_hidden, n_negative, separation, seed):
    """Labels, scores and classes of so many labeled, hidden positives and negatives."""
    n_unlabeled = n_hidden + n_negative
    return gaussian(seed, n_labeled, n_unlabeled, alpha=n_hidden / n_unlabeled, distance=separation)


@settings(max_examples=15, deadline=None)
@given(
    n_labeled=st.integers(5, 80),
    sizes=st.tuples(st.integers(40, 300), st.integers(40, 300)),
    ends=st.tuples(st.floats(0.02, 0.9), st.floats(0.02, 0.9)).map(sorted),
    separation=st.floats(0, 4),
    population=st.sampled_from(["all", "unlabeled"]),
    seed=st.integers(0, 1000),
)
def test_a_range_holds_the_bounds_of_every_alpha_within(n_labeled, sizes, ends, separation, population, seed):
    s, score, _ = sample(n_labeled, *sizes, separation, seed)
    options = {"threshold": separation / 2, "population": population}
    wide = score_bounds(METRICS, s, score, alpha=tuple(ends), **options)
    for alpha in np.linspace(*ends, 7):
        one = score_bounds(METRICS, s, score, alpha=alpha, **options)
        for name, (low, high) in one.items():
            slack = 0.03 * (30 if name.startswith("lift") else 1)  # what one positive more or less makes
            assert wide[name][0] <= low + slack, (name, alpha)
            assert wide[name][1] >= high - slack, (name, alpha)


@settings(deadline=None)
@given(ends=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted), n_unlabeled=st.integers(2, 5000))
def test_alphas_of_a_range_hide_whole_numbers_from_end_to_end(ends, n_unlabeled):
    fewest, most = (latent_positives(end, n_unlabeled) for end in ends)
    hidden = np.array(alphas_within(ends, n_unlabeled)) * n_unlabeled
    np.testing.assert_allclose(hidden, hidden.round(), atol=1e-6)
    assert (hidden[[0, -1]].round() == [fewest, most]).all()
    assert len(hidden) == 1 or (np.diff(hidden.round()) >= 1).all()
    assert len(hidden) == most - fewest + 1 or 5 <= len(hidden) <= 9, "few are all of them, many are spread"


@pytest.mark.parametrize("known", ["positives", "negatives"])
@pytest.mark.parametrize("metric", TABLE_METRICS)
def test_metric_bounds_over_a_range_are_those_of_its_values(metric, known):
    s, score, _ = sample(20, 15, 25, 1.5, 0)
    s = np.where(np.arange(60) >= 50, -1, s)
    values = [metric_bounds(s, score, metric=metric, alpha=k / 30, known=known) for k in range(4, 13)]
    low, high = metric_bounds(s, score, metric=metric, alpha=(4 / 30, 12 / 30), known=known)
    np.testing.assert_allclose(low, np.min([each[0] for each in values], axis=0))
    np.testing.assert_allclose(high, np.max([each[1] for each in values], axis=0))


def test_tables_of_all_alphas_of_a_range_are_not_held_at_once():
    s, score, _ = sample(300, 300, 14_400, 1.0, seed=0)
    options = {"alpha": (0.01, 0.05)}
    score_bounds(
        ["roc_auc", "average_precision", "f1"], s[::20], score[::20], **options
    )  # what is imported is no table
    tracemalloc.start()
    try:
        score_bounds(["roc_auc", "average_precision", "f1"], s, score, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 35 * len(s) * 4 * 8  # tables of four columns: three alphas at a time, and room to work


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_every_function_gives_the_same_bounds(population):
    """An assessment, a method by name and a curve: each metric has one pair of bounds for one sample and alpha."""
    names = [*METRICS[6:], "max_accuracy"]
    for seed, levels in ((0, None), (1, 4)):
        s, score, _ = sample(60, 90, 210, 1.5, seed)
        score = score if levels is None else np.round(score * levels) / levels
        for alpha in (0.1, 0.3):
            options = {"alpha": alpha, "population": population}
            assessed = assess(s, score, metrics=names, n_bootstrap=0, **options)
            for each in assessed.scores:
                answer = estimate_score(each.metric, s, score, method="bounds_hypergeometric", **options)
                assert (answer.lower, answer.upper) == pytest.approx(each.bounds, abs=1e-12), (each.metric, alpha)
            drawn = PUPrecisionRecallDisplay.from_predictions(s, score, **options)
            bounds = {each.metric: each.bounds for each in assessed.scores}["average_precision"]
            assert drawn.bounds[-1] == pytest.approx(bounds, abs=1e-12), alpha
