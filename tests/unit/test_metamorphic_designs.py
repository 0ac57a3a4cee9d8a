"""What must not matter: rows weighted or repeated, alone in a cluster or in none, copied within clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from samples import gaussian

from pumetrics.counts import count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.inference.corrected import corrected
from pumetrics.inference.designs import design_of
from pumetrics.inference.request import Ask, labels_of
from pumetrics.inference.sample import Sample
from pumetrics.methods import estimate_score
from pumetrics.metrics import find_metric, measures_of
from pumetrics.weights import design_effect, effective_size

METRICS = ["roc_auc", "average_precision", "f1", "mcc", "precision", "recall"]
TOPS = ["precision_at_10%", "recall_at_10%", "lift_at_10%"]
QUICK = {
    "method": "elkan_noto_e3",
    "n_bootstrap": 30,
    "random_state": 0,
    "population": "all",
    "threshold": 1.0,
}
ALPHAS = pytest.mark.parametrize(
    "alpha", [0.3, (0.2, 0.4), None], ids=["known", "range", "estimated"]
)


def answers(s, score, *, metrics=(*METRICS, *TOPS), **options):
    """Estimates with intervals, and alpha with its range, which an assessment gives alike (test_one_answer.py)."""
    found = corrected_intervals(list(metrics), s, score, **QUICK | options)
    return found, (found.priors.alpha, found.priors.alpha_interval)


def assert_alike(ours, wanted, *, width=0.0):
    """The same estimates and range of alpha, and intervals the same, or about as wide."""
    (scores, alpha), (other, other_alpha) = ours, wanted
    assert np.hstack(alpha) == pytest.approx(np.hstack(other_alpha), abs=1e-9)
    for name, (estimate, low, high) in other.items():
        if not np.isnan(
            [scores[name][0], estimate]
        ).any():  # of wide intervals no estimate may be shown
            assert scores[name][0] == pytest.approx(estimate, abs=1e-9), name
        if width:
            assert scores[name][2] - scores[name][1] == pytest.approx(
                high - low, rel=width, abs=0.01
            ), name
        else:
            assert scores[name][1:] == pytest.approx((low, high), abs=1e-9), name


@pytest.mark.parametrize("clustered", [False, True])
def test_a_weight_of_0_is_no_row(clustered):
    s, score, _ = gaussian(0, 60, 300)
    weights, rows = (
        np.random.default_rng(1).integers(0, 4, len(s)),
        {"cluster": np.arange(len(s)) // 2},
    )
    kept = weights > 0
    given = {"sample_weight": weights, **(rows if clustered else {})}
    without = s[kept], score[kept], {name: each[kept] for name, each in given.items()}
    assert_alike(answers(s, score, **given), answers(*without[:2], **without[2]))
    one, other = (
        Sample(s, [score], design_of(s, **rows)) for s, score, rows in [(s, score, given), without]
    )
    assert (one.n_rows, one.n_clusters, one.n_drawn) == (
        other.n_rows,
        other.n_clusters,
        other.n_drawn,
    )


@pytest.mark.slow
@ALPHAS
@pytest.mark.parametrize("weighted", [False, True])
def test_copies_within_clusters_are_one_row(alpha, weighted):
    s, score, _ = gaussian(0, 60, 300)
    copies = np.repeat(np.arange(len(s)), 3)
    weights = np.random.default_rng(3).exponential(size=len(s)) if weighted else np.ones(len(s))
    options = {"alpha": alpha, "metrics": METRICS if weighted else [*METRICS, *TOPS]}
    once = answers(s, score, cluster=np.arange(len(s)), sample_weight=weights, **options)
    assert_alike(
        answers(s[copies], score[copies], cluster=copies, sample_weight=weights[copies], **options),
        once,
    )


@pytest.mark.parametrize("threshold", [None, 1.0])
def test_an_interval_over_a_range_of_alpha_holds_those_of_every_alpha_within(threshold):
    """Not those of its ends alone: the best accuracy is least between them."""
    s, score, _ = gaussian(3, 60, 300, distance=0.7)
    metrics = [name for name in METRICS if threshold or name not in ("precision", "recall")]
    options = {"metrics": [*metrics, "accuracy", "balanced_accuracy"], "threshold": threshold}
    whole, _ = answers(s, score, alpha=(0.05, 0.9), **options)
    for alpha in np.linspace(0.05, 0.9, 5)[1:-1]:
        for name, (_, low, high) in answers(s, score, alpha=float(alpha), **options)[0].items():
            assert whole[name][1] <= low + 0.025, (name, alpha)
            assert whole[name][2] >= high - 0.025, (name, alpha)


def test_resamples_of_clusters_that_hold_few_rows_keep_the_share_of_a_top():
    s, score, _ = gaussian(0, 40, 160)
    cluster = np.minimum(
        np.random.default_rng(0).permutation(200), 60
    )  # one holds most of the rows
    sample = Sample(s, [score], design_of(s, cluster=cluster))
    ask = Ask(("precision_at_80",), n_bootstrap=50, random_state=0)
    found = corrected(sample, labels_of(sample, alpha=0.3), ask).models[0]["precision_at_80"]
    assert found.lower <= found.estimate <= found.upper


CLUSTERED = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        arrays(np.int64, n, elements=st.integers(0, 6)),
        arrays(np.float64, n, elements=st.integers(-5, 5).map(float)),
        arrays(np.float64, n, elements=st.integers(1, 5).map(float)),
    )
)


@pytest.mark.slow
@given(CLUSTERED, st.integers(1, 5), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_a_design_effect_lies_between_independent_rows_and_copies(drawn, m, random):
    clusters, scores, weights = drawn
    n = len(clusters)
    effect = design_effect(weights, clusters, scores)
    totals = np.bincount(clusters, weights)
    assert (
        1 <= effect <= effective_size(weights) / effective_size(totals[totals > 0]) + 1e-9
        or effect == 1
    )
    assert design_effect(weights, np.arange(n), scores) == pytest.approx(1)
    copies = np.repeat(np.arange(n), m)
    assert design_effect(weights[copies], copies, scores[copies]) == pytest.approx(m)
    order = np.array(random.sample(range(n), n))
    for ours in (
        (weights[order], clusters[order], scores[order]),
        (weights * 8, 9 - clusters, scores**3 + scores),
    ):
        assert design_effect(*ours) == pytest.approx(effect)


@pytest.mark.parametrize(
    ("n_clusters", "m", "alike"), [(40, 80, 0.0), (100, 12, 0.3), (30, 60, 0.1), (400, 5, 0.5)]
)
def test_a_design_effect_is_the_variance_over_new_clusters(n_clusters, m, alike):
    def scores(rng):
        shared = np.repeat(rng.normal(size=n_clusters), m)
        return rng.normal(size=n_clusters * m) * np.sqrt(1 - alike) + shared * np.sqrt(alike)

    rng, clusters, n = np.random.default_rng(0), np.repeat(np.arange(n_clusters), m), n_clusters * m
    ones, level = np.ones(n), 0.5244  # of 70 %
    effects = [design_effect(ones, clusters, scores(rng)) for _ in range(10)]
    shares = [np.mean(scores(rng) <= level) for _ in range(400)]
    truth = np.var(shares) / (0.7 * 0.3 / n)
    assert np.mean(effects) == pytest.approx(max(truth, 1), rel=0.25)


def test_clusters_of_independent_rows_do_not_move_the_range_of_alpha():
    s, score, _ = gaussian(0, 300, 8000)
    cluster = np.random.default_rng(0).integers(40, size=len(s))
    options = {"alpha": None, "metrics": ["roc_auc"]}
    (_, plain), (_, clustered) = (
        answers(s, score, **options),
        answers(s, score, cluster=cluster, **options),
    )
    assert clustered[1] == pytest.approx(plain[1], abs=0.02)


# What must not matter where predictions are made: units of weights, precision of scores, another population.


@pytest.mark.parametrize("population", ["all", "unlabeled"])
@pytest.mark.parametrize("name", ["max_f1", "max_accuracy", "precision_at_20", "f1"])
def test_a_threshold_is_that_of_its_own_population_and_alpha(name, population):
    """Predictions at the threshold of an answer give the number of the answer."""
    s, score, _ = gaussian(6, 60, 240, alpha=0.25, digits=2)
    where = {"population": population} | ({"threshold": 1.0} if name == "f1" else {})
    counts, measure = count_scores(s, score), find_metric(name).measure
    for method, alpha in (("interval_sampling", 0.25), ("direct", 0.25), ("direct", None)):
        answer = estimate_score(name, s, score, method=method, alpha=alpha, random_state=0, **where)
        if name == "precision_at_20":
            ranked = score if population == "all" else score[s == 0]
            assert answer.threshold == np.sort(ranked)[::-1][19]
        else:
            values = measures_of(counts, alpha=answer.alpha, population=population)[measure]
            assert values[counts.at(answer.threshold)] == pytest.approx(answer.estimate)


@pytest.mark.parametrize(("alpha", "factor"), [(0.3, 1 / 3), ((0.2, 0.4), 1e-6), (None, 2.0**-40)])
def test_a_unit_of_weights_changes_no_interval(alpha, factor):
    s, score, _ = gaussian(0, 60, 240, alpha=0.25, digits=2)
    weight = np.random.default_rng(0).integers(1, 5, len(s)).astype(float)
    options = {"alpha": alpha, "metrics": METRICS}
    scaled = answers(s, score, sample_weight=weight * factor, **options)
    assert_alike(scaled, answers(s, score, sample_weight=weight, **options))


def test_a_score_in_single_precision_meets_the_threshold_that_was_typed():
    s, score, _ = gaussian(4, 60, 240, alpha=0.25, digits=2)
    score = np.where(np.arange(300) < 10, 0.7, score)
    options = {"alpha": 0.25, "threshold": 0.7, "metrics": METRICS}
    assert_alike(answers(s, score.astype(np.float32), **options), answers(s, score, **options))
