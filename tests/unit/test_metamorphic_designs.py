"""What must not matter: rows weighted or repeated, alone in a cluster or in none, copied within clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from samples import gaussian

from pumetrics._weights import design_effect, effective_size
from pumetrics.assessment import assess
from pumetrics.assessment._operating import operating_point
from pumetrics.inference import corrected_interval, corrected_intervals

METRICS = ["roc_auc", "average_precision", "f1", "mcc", "precision", "recall"]
TOPS = ["precision_at_10%", "recall_at_10%", "lift_at_10%"]
QUICK = {"method": "elkan_noto_e3", "n_bootstrap": 30, "random_state": 0, "population": "all", "threshold": 1.0}
ALPHAS = pytest.mark.parametrize("alpha", [0.3, (0.2, 0.4), None], ids=["known", "range", "estimated"])


def by_assess(s, score, *, metrics=(*METRICS, *TOPS), **options):
    found = assess(s, score, metrics=list(metrics), **QUICK | options)
    scores = {each.metric: (each.corrected, *each.interval) for each in found.scores}
    return scores, (found.alpha, found.alpha_interval or (found.alpha,) * 2)


def by_intervals(s, score, *, metrics=(*METRICS, *TOPS), **options):
    found = corrected_intervals(list(metrics), s, score, **QUICK | options)
    one = next(iter(found.values()))
    return {name: (each.estimate, each.lower, each.upper) for name, each in found.items()}, (
        one.alpha,
        one.alpha_interval,
    )


FRONTS = pytest.mark.parametrize("front", [by_assess, by_intervals])


def assert_alike(ours, wanted, *, width=0.0):
    """The same estimates and range of alpha, and intervals the same, or about as wide."""
    (scores, alpha), (other, other_alpha) = ours, wanted
    assert np.hstack(alpha) == pytest.approx(np.hstack(other_alpha), abs=1e-9)
    for name, (estimate, low, high) in other.items():
        if not np.isnan([scores[name][0], estimate]).any():  # of wide intervals no estimate may be shown
            assert scores[name][0] == pytest.approx(estimate, abs=1e-9), name
        if width:
            assert scores[name][2] - scores[name][1] == pytest.approx(high - low, rel=width, abs=0.01), name
        else:
            assert scores[name][1:] == pytest.approx((low, high), abs=1e-9), name


@FRONTS
@pytest.mark.parametrize("alpha", [0.3, (0.2, 0.4)])
def test_a_whole_weight_is_a_row_repeated(front, alpha):
    s, score, _ = gaussian(0, 60, 300)
    weights = np.random.default_rng(1).integers(0, 4, len(s))
    rows = np.repeat(np.arange(len(s)), weights)
    options = {"alpha": alpha, "n_bootstrap": 200, "metrics": [*METRICS, "precision_at_20", "recall_at_20"]}
    repeated = front(s[rows], score[rows], cluster=rows, **options)
    assert_alike(front(s, score, sample_weight=weights, **options), repeated, width=0.4)


def test_the_scale_of_weights_does_not_matter():
    s, score, _ = gaussian(0, 60, 300)
    weights = np.random.default_rng(1).integers(1, 4, len(s))
    options = {"alpha": None, "metrics": METRICS}
    one, other = (by_assess(s, score, sample_weight=weights * scale, **options) for scale in (1, 2.0**-40))
    assert_alike(one, other)


@FRONTS
@ALPHAS
def test_one_row_per_cluster_is_no_cluster(front, alpha):
    s, score, _ = gaussian(0, 60, 300)
    options = {"alpha": alpha, "n_bootstrap": 200}
    names = np.random.default_rng(2).permutation(len(s))
    assert_alike(front(s, score, cluster=names, **options), front(s, score, **options), width=0.4)


@FRONTS
@ALPHAS
@pytest.mark.parametrize("weighted", [False, True])
def test_copies_within_clusters_are_one_row(front, alpha, weighted):
    s, score, _ = gaussian(0, 60, 300)
    copies = np.repeat(np.arange(len(s)), 3)
    weights = np.random.default_rng(3).exponential(size=len(s)) if weighted else np.ones(len(s))
    options = {"alpha": alpha, "metrics": METRICS if weighted else [*METRICS, *TOPS]}
    once = front(s, score, cluster=np.arange(len(s)), sample_weight=weights, **options)
    assert_alike(front(s[copies], score[copies], cluster=copies, sample_weight=weights[copies], **options), once)


@FRONTS
@pytest.mark.parametrize("threshold", [None, 1.0])
def test_an_interval_over_a_range_of_alpha_holds_those_of_every_alpha_within(front, threshold):
    """Not those of its ends alone: the best accuracy is least between them."""
    s, score, _ = gaussian(3, 60, 300, distance=0.7)
    metrics = [name for name in METRICS if threshold or name not in ("precision", "recall")]
    options = {"metrics": [*metrics, "accuracy", "balanced_accuracy"], "threshold": threshold}
    whole, _ = front(s, score, alpha=(0.05, 0.9), **options)
    for alpha in np.linspace(0.05, 0.9, 5)[1:-1]:
        for name, (_, low, high) in front(s, score, alpha=float(alpha), **options)[0].items():
            assert whole[name][1] <= low + 0.025, (name, alpha)
            assert whole[name][2] >= high - 0.025, (name, alpha)


@ALPHAS
def test_an_operating_point_knows_no_copies_within_clusters(alpha):
    s, score, _ = gaussian(0, 60, 300)
    copies = np.repeat(np.arange(len(s)), 3)
    options = QUICK | {"alpha": alpha, "metrics": ["roc_auc"]}
    plain = operating_point(assess(s, score, **options), s, score)
    alone = operating_point(assess(s, score, cluster=np.arange(len(s)), **options), s, score)
    copied = operating_point(assess(s[copies], score[copies], cluster=copies, **options), s[copies], score[copies])
    assert alone == plain
    for name in ("recall", "precision", "fall_out", "lift", "new_precision"):
        ours, wanted = getattr(copied, name), getattr(plain, name)
        assert (ours.corrected, *ours.interval) == pytest.approx((wanted.corrected, *wanted.interval), abs=0.02)


@FRONTS
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_the_mean_over_folds(front, weighted):
    s, score, _ = gaussian(4, 150, 900, distance=1.2)
    rng = np.random.default_rng(4)
    fold = rng.permutation(len(s)) % 3
    weights = rng.integers(1, 4, len(s)) if weighted else np.ones(len(s))
    metrics = [*METRICS, "precision_at_100", "recall_at_100", *([] if weighted else TOPS)]
    options = {"metrics": metrics, "alpha": 0.3}
    whole, _ = front(s, score, fold=fold, sample_weight=weights, **options)
    renamed, _ = front(s, score, fold=np.array(["c", "a", "b"])[fold], sample_weight=weights, **options)
    parts = [fold == each for each in range(3)]
    each = [front(s[rows], score[rows], sample_weight=weights[rows], **options)[0] for rows in parts]
    shares = [weights[rows].sum() / weights.sum() for rows in parts]
    compared = []
    for name in metrics:
        values = [part[name][0] for part in each]
        shown = not np.isnan([whole[name][0], *values]).any()
        if shown and (max(values) < 1 or name.startswith("lift")):  # the mean is clipped, not its parts
            assert whole[name][0] == pytest.approx(np.dot(shares, values), abs=1e-9), name
            compared.append(name)
        assert renamed[name] == pytest.approx(whole[name], nan_ok=True), name
    assert {"roc_auc", "recall_at_100"} <= set(compared)


def test_topics_may_be_folds_and_clusters_at_once():
    """Scores are compared within topics, and topics are drawn: as wide as new topics are apart."""

    def topics(seed):
        rng = np.random.default_rng(seed)
        topic, y = np.repeat(np.arange(40), 25), rng.random(1000) < 0.4
        s = (y & (rng.random(1000) < 0.4)).astype(int)
        s[::25], s[1::25] = 1, 0
        y |= s == 1
        return s, rng.normal(rng.normal(1.2, 0.7, 40)[topic] * y) + rng.normal(size=40)[topic], topic

    estimates, widths = [], []
    for seed in range(60):
        s, score, topic = topics(seed)
        n_bootstrap = 80 if seed < 4 else 1
        found = corrected_interval("roc_auc", s, score, alpha=0.28, fold=topic, cluster=topic, n_bootstrap=n_bootstrap)
        estimates.append(found.estimate)
        widths += [found.upper - found.lower] if seed < 4 else []
    assert np.mean(widths) == pytest.approx(2 * 1.96 * np.std(estimates), rel=0.3)
    found = assess(s, score, fold=topic, cluster=topic, metrics=["roc_auc"], **QUICK | {"threshold": None})
    assert found.design["effective_labeled"] > 100
    assert found.scores[0].identified
    assert not any("do not score higher" in warning for warning in found.warnings)


def test_resamples_of_clusters_that_hold_few_rows_keep_the_share_of_a_top():
    s, score, _ = gaussian(0, 40, 160)
    cluster = np.minimum(np.random.default_rng(0).permutation(200), 60)  # one holds most of the rows
    for fold in (None, np.arange(200) % 2):
        options = {"alpha": 0.3, "cluster": cluster, "fold": fold, "n_bootstrap": 50, "random_state": 0}
        found = corrected_interval("precision_at_80", s, score, **options)
        assert found.lower <= found.estimate <= found.upper


CLUSTERED = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        arrays(np.int64, n, elements=st.integers(0, 6)),
        arrays(np.float64, n, elements=st.integers(-5, 5).map(float)),
        arrays(np.float64, n, elements=st.integers(1, 5).map(float)),
    )
)


@given(CLUSTERED, st.integers(1, 5), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_design_effect_lies_between_independent_rows_and_copies(drawn, m, random):
    clusters, scores, weights = drawn
    n = len(clusters)
    effect = design_effect(weights, clusters, scores)
    totals = np.bincount(clusters, weights)
    assert 1 <= effect <= effective_size(weights) / effective_size(totals[totals > 0]) + 1e-9 or effect == 1
    assert design_effect(weights, np.arange(n), scores) == pytest.approx(1)
    copies = np.repeat(np.arange(n), m)
    assert design_effect(weights[copies], copies, scores[copies]) == pytest.approx(m)
    order = np.array(random.sample(range(n), n))
    for ours in ((weights[order], clusters[order], scores[order]), (weights * 8, 9 - clusters, scores**3 + scores)):
        assert design_effect(*ours) == pytest.approx(effect)


@pytest.mark.parametrize(("n_clusters", "m", "alike"), [(40, 80, 0.0), (100, 12, 0.3), (30, 60, 0.1), (400, 5, 0.5)])
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
    (_, plain), (_, clustered) = by_assess(s, score, **options), by_assess(s, score, cluster=cluster, **options)
    assert clustered[1] == pytest.approx(plain[1], abs=0.02)
