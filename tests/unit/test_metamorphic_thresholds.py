"""What must not matter where predictions are made: units of weights, precision of scores, folds, another population."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian

from pumetrics import metrics
from pumetrics.assessment import assess, compare_scores, count_file, read_scores
from pumetrics.assessment._operating import operating_point, operating_points
from pumetrics.counts import count_scores
from pumetrics.displays import PUAlphaDisplay, PUThresholdDisplay
from pumetrics.inference import corrected_interval, corrected_intervals
from pumetrics.methods import estimate_score
from pumetrics.metrics import AT_TOP, METRICS, find_metric, measures_of, metric_at
from pumetrics.thresholds import choose_threshold, threshold_table

relaxed = settings(deadline=None, max_examples=25)
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
        expected = np.clip(np.average(each, weights=sums), *METRICS[name].range)
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
