"""Precision, recall and lift of the examples that score highest, and precision and recall at a threshold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian, interval_of

from pumetrics import metrics
from pumetrics.assessment import assess, shown
from pumetrics.counts import count_scores
from pumetrics.methods import estimate_score
from pumetrics.metrics import lift_at_k, precision_at_k, recall_at_k
from pumetrics.tops import place_of, top_of

AT_K = {"precision": precision_at_k, "recall": recall_at_k, "lift": lift_at_k}
USUAL = {"alpha": 0.2, "distance": 1.5}
relaxed = settings(max_examples=40)


@relaxed
@given(
    st.integers(0, 10**6),
    st.integers(1, 500),
    st.floats(0.0, 0.8),
    st.sampled_from(["all", "unlabeled"]),
)
def test_precision_recall_and_lift_at_k_are_what_they_are_called(seed, k, alpha, population):
    """recall = tpr at k, precision = pi tpr / theta, lift = tpr / theta = precision / pi."""
    s, score, _ = gaussian(seed % 100, 100, 500, **USUAL)
    options = {"k": k, "alpha": alpha, "population": population, "clip": False}
    precision, recall, lift = (function(s, score, **options) for function in AT_K.values())
    ranked = score if population == "all" else score[s == 0]
    tpr = np.mean(score[s == 1] >= np.sort(ranked)[::-1][k - 1])
    theta = k / len(ranked)
    pi = np.mean(s + (1 - s) * alpha) if population == "all" else alpha
    assert recall == pytest.approx(tpr)
    assert precision == pytest.approx(pi * tpr / theta)
    assert lift == pytest.approx(tpr / theta)


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_tied_scores_give_the_mean_over_random_orders(population):
    s, score, _ = gaussian(2, 60, 300, digits=0, **USUAL)
    rng = np.random.default_rng(0)
    options = {"k": 70, "alpha": 0.2, "population": population}
    broken = [
        [
            function(s, score + 1e-6 * rng.permutation(len(s)), **options)
            for function in AT_K.values()
        ]
        for _ in range(400)
    ]
    expected = [function(s, score, **options) for function in AT_K.values()]
    np.testing.assert_allclose(np.mean(broken, axis=0), expected, rtol=0.02)


def test_k_may_be_a_number_or_a_share():
    s, score, _ = gaussian(3, 300, 3000, **USUAL)
    for function in AT_K.values():
        values = [
            function(s, score, k=k, alpha=0.2)
            for k in (33, 33.0, "33", 0.01, "0.01", ".01", "1%", " 1 % ")
        ]
        assert len(set(values)) == 1
    assert (
        recall_at_k(s, score, k="100%", alpha=0.2) == recall_at_k(s, score, k=3300, alpha=0.2) == 1
    )
    assert str(top_of(1)) == "1"


def test_places_lie_between_thresholds_only_where_ties_are_divided():
    counts = count_scores([1, 0, 0, 1, 0, 0], [3, 3, 2, 2, 2, 1])
    assert [float(place_of(counts, top_of(k), "all")) for k in (1, 2, 3, 5, 6)] == pytest.approx(
        [0.5, 1, 4 / 3, 2, 3]
    )
    assert [float(place_of(counts, top_of(k), "unlabeled")) for k in (1, 2, 3, 4)] == pytest.approx(
        [1, 1.5, 2, 3]
    )


@pytest.mark.slow
@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_intervals_hold_the_truth(population):
    """At 95 %, of 25 samples about 24; fewer than 20 in one of a thousand."""
    names = ["precision", "recall", "precision_at_60", "recall_at_10%", "lift_at_10%"]
    held = dict.fromkeys(names, 0)
    for seed in range(25):
        s, score, y = gaussian(seed, 100, 800, distance=1.5)
        options = {"alpha": 0.3, "threshold": 1.0, "population": population, "n_bootstrap": 100}
        found = assess(s, score, metrics=names, random_state=seed, **options)
        chosen = np.ones(len(y), dtype=bool) if population == "all" else s == 0
        for row in found.scores:
            truth = metrics.find_metric(row.metric).formula(
                true_rates_of(y[chosen], score[chosen], row.metric)
            )
            if row.metric == "recall":  # of all positives
                truth = np.mean(score[y == 1] >= 1)
            held[row.metric] += row.interval[0] <= truth + 1e-9 and truth - 1e-9 <= row.interval[1]
    assert min(held.values()) >= 20, held


def true_rates_of(y, score, name):
    counts = count_scores(y, score)
    place = metrics.find_metric(name).place(counts, threshold=1.0)
    return metrics.rates_at(counts, at=place)


def test_lift_and_recall_need_no_alpha():
    s, score, _ = gaussian(7, 300, 3000, **USUAL)
    for name in ("recall_at_5%", "lift_at_5%"):
        assert (
            len(
                {
                    estimate_score(name, s, score, method="direct", alpha=alpha).estimate
                    for alpha in (0.05, 0.3, 0.6)
                }
            )
            == 1
        )
    known, unknown = (
        interval_of("lift_at_5%", s, score, alpha=a, random_state=0) for a in (0.2, None)
    )
    assert known.estimate == pytest.approx(unknown.estimate, rel=1e-12)
    assert unknown.upper - unknown.lower == pytest.approx(known.upper - known.lower, rel=0.2)


def test_groups_of_many_rows_keep_the_end_of_the_top():
    """Of 300,000 rows only some thousand thresholds are kept; the top 50 is still cut exactly."""
    s, score, y = gaussian(8, 30_000, 270_000, **USUAL)
    interval = interval_of("precision_at_50", s, score, alpha=0.2, n_bootstrap=60, random_state=0)
    assert interval.estimate == precision_at_k(s, score, k=50, alpha=0.2)
    assert interval.lower < np.mean(y[np.argsort(-score)[:50]]) <= interval.upper
    assert 0.02 < interval.upper - interval.lower < 0.7


def test_uncorrected_numbers_are_those_of_the_observed_labels():
    s, score, _ = gaussian(10, 300, 3000, **USUAL)
    answer = estimate_score("precision_at_100", s, score, method="uncorrected")
    assert answer.estimate == np.mean(s[np.argsort(-score)[:100]])
    assert answer.threshold == np.sort(score)[-100]


def test_the_best_threshold_predicts_what_gives_the_best_number():
    s, score, _ = gaussian(12, 300, 3000, **USUAL)
    found = {row.metric: row for row in assess(s, score, alpha=0.2, at=50, n_bootstrap=0).scores}
    for name in metrics.MEASURES:
        value, threshold = metrics.max_score(name, s, score, alpha=0.2)
        assert found[name].corrected == value
        np.testing.assert_array_equal(score >= found[name].threshold, score >= threshold)
    assert found["roc_auc"].threshold is None
    assert (score >= found["precision_at_50"].threshold).sum() == 50


@pytest.mark.parametrize("unit", [1e-9, 1.0, 700_000.0, 1e9])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_threshold_that_is_typed_back_as_it_is_shown_gives_the_same_number(unit, kind):
    """Also where scores are close to each other, as those of a model that is sure are to 1."""
    s, score, _ = gaussian(13, 60, 300, **USUAL)
    for scores in (score, 1 - np.exp(-9 - score), np.round(score, 1)):
        scores = (unit * scores).astype(kind)
        (best,) = assess(s, scores, alpha=0.2, metrics=["f1"], n_bootstrap=0).scores
        again = assess(
            s,
            scores,
            alpha=0.2,
            metrics=["f1"],
            threshold=float(shown(best.threshold)),
            n_bootstrap=0,
        )
        assert again.scores[0].corrected == best.corrected


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_a_threshold_above_its_neighbor_in_the_precision_of_the_scores_is_not_rounded_to_it(kind):
    first = np.nextafter(kind(1), kind(0))
    scores = np.repeat(
        np.array([first, np.nextafter(first, kind(0)), 0.5, 0.1], dtype=kind), [40, 300, 100, 300]
    )
    s = (np.arange(len(scores)) < 38).astype(int)
    (best,) = assess(s, scores, alpha=0.01, metrics=["f1"], n_bootstrap=0).scores
    for same in (scores, scores.astype(np.float64)):
        (again,) = assess(
            s, same, alpha=0.01, metrics=["f1"], threshold=best.threshold, n_bootstrap=0
        ).scores
        assert again.corrected == best.corrected


def test_a_share_of_any_size_is_read_back_as_it_is_written():
    for k in (1e-12, 1e-7, 1e-6, 0.01, 0.123456789, 1 / 3):
        assert top_of(str(top_of(k))).share == pytest.approx(k, rel=1e-9)
    s = [1, 0, 1, 0, 0, 0]
    score = [6, 5, 4, 3, 2, 1]
    # both in the first row
    within = [precision_at_k(s, score, k=k, alpha=0.25) for k in (1e-7, 0.01)]
    assert within[0] > 0
    assert within[0] == pytest.approx(within[1])
