"""What must not matter: rows weighted or repeated, alone in a cluster or in none, copied within clusters."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from samples import gaussian

from pumetrics import metrics
from pumetrics._weights import design_effect, effective_size
from pumetrics.assessment import assess, compare_scores, count_file, read_scores
from pumetrics.assessment._operating import operating_point, operating_points
from pumetrics.counts import count_scores
from pumetrics.displays import PUAlphaDisplay, PUThresholdDisplay
from pumetrics.inference import corrected_interval, corrected_intervals
from pumetrics.methods import estimate_score
from pumetrics.metrics import AT_TOP, find_metric, measures_of, metric_at
from pumetrics.thresholds import choose_threshold, threshold_table

METRICS = ["roc_auc", "average_precision", "f1", "mcc", "precision", "recall"]
TOPS = ["precision_at_10%", "recall_at_10%", "lift_at_10%"]
QUICK = {"method": "elkan_noto_e3", "n_bootstrap": 30, "random_state": 0, "population": "all", "threshold": 1.0}
ALPHAS = pytest.mark.parametrize("alpha", [0.3, (0.2, 0.4), None], ids=["known", "range", "estimated"])


def answers(s, score, *, metrics=(*METRICS, *TOPS), **options):
    """Estimates with intervals, and alpha with its range, which an assessment gives alike (test_one_answer.py)."""
    found = corrected_intervals(list(metrics), s, score, **QUICK | options)
    one = next(iter(found.values()))
    return {name: (each.estimate, each.lower, each.upper) for name, each in found.items()}, (
        one.alpha,
        one.alpha_interval,
    )


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


@pytest.mark.parametrize("alpha", [0.3, (0.2, 0.4)])
def test_a_whole_weight_is_a_row_repeated(alpha):
    s, score, _ = gaussian(0, 60, 300)
    weights = np.random.default_rng(1).integers(0, 4, len(s))
    rows = np.repeat(np.arange(len(s)), weights)
    options = {"alpha": alpha, "n_bootstrap": 200, "metrics": [*METRICS, "precision_at_20", "recall_at_20"]}
    repeated = answers(s[rows], score[rows], cluster=rows, **options)
    assert_alike(answers(s, score, sample_weight=weights, **options), repeated, width=0.4)


def test_the_scale_of_weights_does_not_matter():
    s, score, _ = gaussian(0, 60, 300)
    weights = np.random.default_rng(1).integers(1, 4, len(s))
    options = {"alpha": None, "metrics": METRICS}
    one, other = (answers(s, score, sample_weight=weights * scale, **options) for scale in (1, 2.0**-40))
    assert_alike(one, other)


@ALPHAS
def test_one_row_per_cluster_is_no_cluster(alpha):
    s, score, _ = gaussian(0, 60, 300)
    options = {"alpha": alpha, "n_bootstrap": 200}
    names = np.random.default_rng(2).permutation(len(s))
    assert_alike(answers(s, score, cluster=names, **options), answers(s, score, **options), width=0.4)


@ALPHAS
@pytest.mark.parametrize("weighted", [False, True])
def test_copies_within_clusters_are_one_row(alpha, weighted):
    s, score, _ = gaussian(0, 60, 300)
    copies = np.repeat(np.arange(len(s)), 3)
    weights = np.random.default_rng(3).exponential(size=len(s)) if weighted else np.ones(len(s))
    options = {"alpha": alpha, "metrics": METRICS if weighted else [*METRICS, *TOPS]}
    once = answers(s, score, cluster=np.arange(len(s)), sample_weight=weights, **options)
    assert_alike(answers(s[copies], score[copies], cluster=copies, sample_weight=weights[copies], **options), once)


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


@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_the_mean_over_folds(weighted):
    s, score, _ = gaussian(4, 150, 900, distance=1.2)
    rng = np.random.default_rng(4)
    fold = rng.permutation(len(s)) % 3
    weights = rng.integers(1, 4, len(s)) if weighted else np.ones(len(s))
    metrics = [*METRICS, "precision_at_100", "recall_at_100", *([] if weighted else TOPS)]
    options = {"metrics": metrics, "alpha": 0.3}
    whole, _ = answers(s, score, fold=fold, sample_weight=weights, **options)
    renamed, _ = answers(s, score, fold=np.array(["c", "a", "b"])[fold], sample_weight=weights, **options)
    parts = [fold == each for each in range(3)]
    each = [answers(s[rows], score[rows], sample_weight=weights[rows], **options)[0] for rows in parts]
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
@settings(max_examples=60)
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
    (_, plain), (_, clustered) = answers(s, score, **options), answers(s, score, cluster=cluster, **options)
    assert clustered[1] == pytest.approx(plain[1], abs=0.02)


# What must not matter where predictions are made: units of weights, precision of scores, folds, another population.


relaxed = settings(max_examples=25)
NUMBERS = ("recall", "precision", "fall_out", "lift", "new_precision")
NAMED = ["roc_auc", "average_precision", "f1", "precision", "recall", "precision_at_7%", "recall_at_3%", "lift_at_10%"]
AT = {"threshold": 1.0, "alpha": 0.25}


def sample(seed, n_labeled=60, n_unlabeled=240, *, alpha=0.25, distance=2.0):
    """Observed label and score, and weights."""
    s, score, _ = gaussian(seed, n_labeled, n_unlabeled, alpha=alpha, distance=distance, digits=2)
    return s, score.copy(), np.random.default_rng(seed).integers(1, 5, len(s)).astype(float)


def numbers_of(point):
    """Values and intervals of an operating point, without its counts."""
    estimates = [getattr(point, name) for name in NUMBERS]
    return np.array([[each.corrected, *(each.interval or (0, 0))] for each in estimates])


def operating(s, score, weight=None):
    """Operating points with intervals, at a threshold and at several."""
    result = assess(s, score, **AT, metrics=["roc_auc"], n_bootstrap=10, sample_weight=weight)
    points = [operating_point(result, s, score, sample_weight=weight)]
    return points + operating_points(result, s, score, sample_weight=weight)


def table(s, score, weight=None, **options):
    """Shares of a table of thresholds; all thresholds."""
    found = threshold_table(s, score, alpha=0.25, n_rows=None, sample_weight=weight, **options)
    cells = ["true_positives", "false_positives", "false_negatives", "true_negatives"]
    found[cells] = found[cells].div(found[cells].sum(axis=1), axis=0)
    return found.to_numpy()


# As functions of labels, scores and weights, what the table of test_metamorphic.py asks without intervals.
WEIGHTED = {
    "threshold_table, selection": lambda *rows, sample_weight: table(*rows, sample_weight, selection=3.0),
    "operating_points": lambda *rows, sample_weight: np.array(
        [numbers_of(point) for point in operating(*rows, sample_weight)]
    ),
    "assess": lambda *rows, sample_weight: [
        (row.corrected, row.uncorrected, *row.interval)
        for row in assess(*rows, **AT, metrics=NAMED, n_bootstrap=10, sample_weight=sample_weight).scores
    ],
    "corrected_intervals": lambda *rows, sample_weight: [
        each[:3]
        for each in corrected_intervals(
            NAMED, *rows, **AT, n_bootstrap=10, random_state=0, sample_weight=sample_weight
        ).values()
    ],
    "compare_scores": lambda s, score, *, sample_weight: [
        each.difference[:3]
        for each in compare_scores(
            s, score, np.roll(score, 1), **AT, metrics=NAMED, n_bootstrap=10, sample_weight=sample_weight
        ).differences.values()
    ],
}  # fmt: skip


@pytest.mark.parametrize("factor", [1 / 3, 1e-6, 1e5, None])
@pytest.mark.parametrize("name", WEIGHTED)
def test_a_unit_of_weights_changes_nothing(name, factor):
    s, score, weight = sample(0)
    scaled = weight * factor if factor else weight / weight.sum()
    expected = WEIGHTED[name](s, score, sample_weight=weight)
    np.testing.assert_allclose(WEIGHTED[name](s, score, sample_weight=scaled), expected, rtol=1e-7, atol=1e-9)


def test_operating_points_of_whole_weights_are_those_of_repeated_rows():
    s, score, weight = sample(1)
    rows = np.repeat(np.arange(len(s)), weight.astype(int))
    for ours, repeated in zip(operating(s, score, weight), operating(s[rows], score[rows]), strict=True):
        for name, value in vars(repeated).items():
            if name in NUMBERS:
                assert getattr(ours, name).corrected == pytest.approx(value.corrected), name
                assert np.ptp(getattr(ours, name).interval) > np.ptp(value.interval), "weighted rows are worth less"
            elif name != "chosen":
                assert getattr(ours, name) == pytest.approx(value), name


def test_weights_are_given_to_both_or_to_neither():
    s, score, weight = sample(2)
    plain, weighted = (
        assess(s, score, **AT, metrics=["roc_auc"], n_bootstrap=0, sample_weight=each) for each in (None, weight)
    )
    for point in (operating_point, operating_points):
        with pytest.raises(ValueError, match="sample_weight is not given here: give it to both or to neither"):
            point(weighted, s, score)
        with pytest.raises(ValueError, match="sample_weight is not given to the assessment: give it to both"):
            point(plain, s, score, sample_weight=weight)


# Every public function to which scores and a threshold come together.
MEETING = {
    "assess": lambda s, score, threshold: [
        row.corrected for row in assess(s, score, alpha=0.25, threshold=threshold, n_bootstrap=0).scores
    ],
    "corrected_interval": lambda s, score, threshold: [
        corrected_interval(name, s, score, alpha=0.25, threshold=threshold, n_bootstrap=10, random_state=0)[:3]
        for name in ("f1", "precision", "recall")
    ],
    "compare_scores": lambda s, score, threshold: [
        each.first.estimate
        for each in compare_scores(
            s, score, -score, alpha=0.25, threshold=threshold, n_bootstrap=10
        ).differences.values()
    ],
    "estimate_score": lambda s, score, threshold: [
        estimate_score("f1", s, score, alpha=0.25, threshold=threshold, method=method).estimate
        for method in ("direct", "uncorrected", "bounds_dkw", "interval_sampling")
    ],
    "estimate_score with an interval": lambda s, score, threshold: estimate_score(
        "f1", s, score, alpha=0.25, threshold=threshold, method="direct", confidence=0.9, random_state=0
    )[:3],
    "operating_point": lambda s, score, threshold: numbers_of(
        operating_point(PLAIN, s, score, threshold=threshold)
    ),
    "threshold display": lambda s, score, threshold: PUThresholdDisplay.from_predictions(
        s, score, alpha=0.25, threshold=threshold, n_bootstrap=0
    ).values["f1"],
    "alpha display": lambda s, score, threshold: PUAlphaDisplay.from_predictions(
        s, score, alpha=0.25, threshold=threshold, metrics=["f1"], n_bootstrap=0
    ).values["f1"],
}  # fmt: skip
PLAIN = assess(*sample(0)[:2], **AT, metrics=["roc_auc"], n_bootstrap=0)


@pytest.mark.parametrize("name", MEETING)
@pytest.mark.parametrize("digits", [0.7, 0.1, 1.3])
def test_a_threshold_meets_scores_of_single_precision_as_those_of_double(name, digits):
    s, score, _ = sample(3)
    score[[5, 90, 200]] = digits
    single = MEETING[name](s, score.astype(np.float32), digits)
    np.testing.assert_allclose(single, MEETING[name](s, score, digits), atol=1e-6)


def test_a_file_of_single_precision_meets_a_threshold_too(tmp_path):
    s, score, _ = sample(4)
    score[:10] = 0.7
    frame = pd.DataFrame({"s": s, "score": score})
    frame.astype({"score": np.float32}).to_parquet(tmp_path / "single.parquet")
    scored = read_scores(tmp_path / "single.parquet")
    assert scored.score.dtype == np.float32
    streamed = count_file(tmp_path / "single.parquet", threshold=0.7).score
    samples = [(s, score), (s, scored.score), (None, streamed)]
    rows = [assess(*each, alpha=0.25, threshold=0.7, n_bootstrap=0).scores for each in samples]
    for single in rows[1:]:
        assert [row.corrected for row in single] == pytest.approx([row.corrected for row in rows[0]], abs=1e-6)


@relaxed
@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from(["all", "unlabeled"]), st.booleans())
def test_folds_are_the_mean_over_folds_for_tops(seed, k, population, weighted):
    s, score, weight = sample(seed % 50)
    fold = np.random.default_rng(seed).integers(0, 3, len(s))
    weight = weight if weighted else None
    options = {"alpha": 0.25, "population": population}
    parts = [(s[rows], score[rows], None if weight is None else weight[rows]) for rows in (fold == i for i in range(3))]
    sums = [len(part[0]) if weight is None else part[2].sum() for part in parts]
    named = {metric_at(name, top): (name, top) for name in AT_TOP for top in (k, "7%")}
    found = corrected_intervals(list(named), s, score, fold=fold, sample_weight=weight, n_bootstrap=1, **options)
    for metric, (name, top) in named.items():
        at_k = partial(getattr(metrics, name), k=top, clip=False, **options)
        each = [at_k(*rows, sample_weight=weights) for *rows, weights in parts]
        expected = np.clip(np.average(each, weights=sums), *metrics.METRICS[name].range)
        assert found[metric].estimate == pytest.approx(expected, abs=1e-9)


def test_a_top_larger_than_a_fold_is_refused_and_one_as_large_has_an_interval():
    s, score, _ = sample(5, 30, 70)
    fold, cluster = np.arange(100) % 4, np.arange(100) // 4
    options = {"alpha": 0.25, "n_bootstrap": 30, "random_state": 0}
    with pytest.raises(ValueError, match="the top 26 is more than the 25 ranked examples"):
        corrected_interval("precision_at_26", s, score, fold=fold, **options)
    assert corrected_interval("recall_at_25", s, score, fold=fold, **options).estimate == 1
    resampled = corrected_interval("precision_at_95", s, score, cluster=cluster, **options)
    assert resampled.lower <= resampled.estimate <= resampled.upper, "clusters drawn may hold fewer than 95 rows"


@pytest.mark.parametrize("population", ["all", "unlabeled"])
@pytest.mark.parametrize("name", ["max_f1", "max_accuracy", "precision_at_20", "f1"])
def test_a_threshold_is_that_of_its_own_population(name, population):
    """Predictions at the threshold that is told give the number that is told, in the population asked for."""
    s, score, _ = sample(6)
    where = {"population": population, "alpha": 0.25} | ({"threshold": 1.0} if name == "f1" else {})
    counts, measure = count_scores(s, score), find_metric(name).measure
    values = measures_of(counts, alpha=0.25, population=population)[measure]
    for options in ({"method": "interval_sampling"}, {"method": "direct", "confidence": 0.9}, {"method": "direct"}):
        answer = estimate_score(name, s, score, random_state=0, **where, **options)
        at = counts.at(answer.threshold)
        if name == "precision_at_20":
            ranked = score if population == "all" else score[s == 0]
            assert answer.threshold == np.sort(ranked)[::-1][19]
        else:
            assert values[at] == pytest.approx(answer.estimate)


def test_an_interval_takes_the_threshold_of_its_own_alpha():
    """Where alpha is estimated, its range may move it, and with it the best threshold."""
    s, score, _ = sample(2, 40, 400, alpha=0.05)
    ask = partial(estimate_score, "max_accuracy", s, score, method="direct", prior="elkan_noto_e1", random_state=0)
    answer, point = ask(confidence=0.5), ask()
    assert (answer.alpha, answer.threshold) != pytest.approx((point.alpha, point.threshold)), "the range moves both"
    counts = count_scores(s, score)
    values = measures_of(counts, alpha=answer.alpha)["accuracy"]
    assert values[counts.at(answer.threshold)] == pytest.approx(values.max())


GOALS = [{"cost_fp": 1, "cost_fn": 20}, {"min_precision": 0.8}]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("alpha", [None, (0.05, 0.5)])
def test_no_threshold_is_chosen_where_it_depends_on_what_is_not_known_of_alpha(goal, alpha):
    s, score, _ = sample(9, 200, 2000, alpha=0.02, distance=1.0)
    with pytest.raises(ValueError, match=r"alpha lies between .* and .*, and the threshold depends on it: at"):
        assess(s, score, goal=goal, alpha=alpha, metrics=["roc_auc"], n_bootstrap=0)
    assert assess(s, score, goal=GOALS[0], alpha=0.02, metrics=["roc_auc"], n_bootstrap=0).choice is not None


@pytest.mark.parametrize("goal", [GOALS[0], {"min_recall": 0.9}])
def test_a_threshold_is_chosen_where_both_ends_of_alpha_agree(goal):
    s, score, _ = sample(10, 300, 2000, alpha=0.3, distance=6.0)
    for alpha in (None, (0.1, 0.5)):
        choice = assess(s, score, goal=goal, alpha=alpha, metrics=["roc_auc"], n_bootstrap=0).choice
        flagged = [np.mean(score >= choose_threshold(s, score, alpha=end, **goal).threshold) for end in (0.1, 0.3, 0.5)]
        assert min(flagged) * 0.9 <= np.mean(score >= choice.threshold) <= max(flagged) / 0.9
