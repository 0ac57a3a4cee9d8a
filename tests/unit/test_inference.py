"""Inversions against counting by hand, the bootstrap against the normal law."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian
from scipy.stats import norm

from pumetrics import metrics
from pumetrics.counts import count_scores
from pumetrics.inference import (
    _inversions,
    corrected_differences,
    corrected_interval,
    corrected_intervals,
    inversion_rate,
    inversions,
)
from pumetrics.inference.designs import design_of
from pumetrics.inference.sample import SCORED, Sample, scores_of, scores_of_sample
from pumetrics.metrics import pu_roc_auc_score
from pumetrics.priors import estimate_priors

few_scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40)


def by_hand(truth, estimate):
    pairs = [(i, j) for i in range(len(truth)) for j in range(i)]
    return sum((truth[i] - truth[j]) * (estimate[i] - estimate[j]) < 0 for i, j in pairs)


@given(few_scores)
def test_inversions_are_the_strictly_discordant_pairs(pairs):
    truth, estimate = np.array(pairs, dtype=float).T
    assert inversions(truth, estimate) == by_hand(truth, estimate)


@given(few_scores)
def test_both_ways_to_count_agree(pairs):
    truth, estimate = np.array(pairs, dtype=float).T
    assert _inversions._inversions_by_merging(truth[None], estimate[None])[0] == by_hand(truth, estimate)


def test_a_long_ranking_is_counted_like_its_pairs():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 300, 1200) / 300
    estimate = np.round(truth + rng.normal(scale=0.3, size=truth.size), 2)
    expected = int(((truth[:, None] > truth) & (estimate[:, None] < estimate)).sum())
    assert inversions(truth, estimate) == expected


def test_inversions_equal_the_discordant_pairs_of_kendalls_tau_without_ties():
    from scipy.stats import kendalltau

    rng = np.random.default_rng(5)
    truth, estimate = rng.permutation(80), rng.permutation(80)
    n_pairs = 80 * 79 / 2
    assert inversions(truth, estimate) == round((1 - kendalltau(truth, estimate).statistic) / 2 * n_pairs)


def test_batches_broadcast_and_equal_one_by_one():
    rng = np.random.default_rng(7)
    truth, estimate = rng.integers(0, 9, (4, 1, 30)), rng.integers(0, 9, (5, 30))
    got = inversions(truth, estimate)
    assert got.shape == (4, 5)
    assert got.tolist() == [[inversions(truth[i, 0], estimate[j]) for j in range(5)] for i in range(4)]


def test_near_ties_are_not_rounded_away():
    # Single precision would see a tie here.
    assert inversions([1.0, 1.0 + 1e-12], [0.5 + 1e-12, 0.5]) == 1


@given(st.lists(st.integers(0, 5), min_size=2, max_size=20))
def test_rate_of_a_perfect_and_of_a_reversed_ranking(values):
    truth = np.array(values, dtype=float)
    assert inversion_rate(truth, truth) == 0
    distinct = np.arange(len(values))
    assert inversion_rate(distinct, -distinct) == 1


def test_random_estimates_invert_half_of_the_pairs():
    rng = np.random.default_rng(1)
    assert inversion_rate(rng.random((400, 50)), rng.random((400, 50))).mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("truth", "estimate", "message"),
    [
        ([1, 2, 3], [1, 2], "truth has 3 models, estimate has 2"),
        ([1, np.nan], [1, 2], "truth must be finite, got nan at position"),
        ([1, 2], [1, np.inf], "estimate must be finite, got inf"),
        ([], [], "at least one"),
        (1.0, 2.0, "at least one"),
    ],
)
def test_bad_rankings_are_named(truth, estimate, message):
    with pytest.raises(ValueError, match=message):
        inversions(truth, estimate)


def test_a_rate_needs_two_models():
    with pytest.raises(ValueError, match="at least 2 models"):
        inversion_rate([1.0], [1.0])


# Intervals of corrected scores: cover the truth, hold the estimate, and depend on nothing they should not.


relaxed = settings(max_examples=25)
ALL = list(SCORED)


@st.composite
def samples(draw):
    """Observed labels of both kinds and scores with many ties, at least two of them different."""
    n = draw(st.integers(4, 30))
    s = np.array([1, 1, 0, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 4, max_size=n - 4))])
    score = np.array([0, 8, 0, 8, *draw(st.lists(st.integers(0, 8), min_size=n - 4, max_size=n - 4))]) / 8
    return s, score


@relaxed
@given(sample=samples(), alpha=st.floats(0, 0.7), beta=st.floats(0.8, 1), threshold=st.sampled_from([None, 0.5, 2.0]))
def test_estimates_are_those_of_the_score_functions_and_lie_inside(sample, alpha, beta, threshold):
    s, score = sample
    priors = {"alpha": alpha, "beta": beta}
    found = corrected_intervals(ALL, s, score, **priors, threshold=threshold, n_bootstrap=5, random_state=0)
    expected = {
        "roc_auc": metrics.pu_roc_auc_score(s, score, **priors),
        "average_precision": metrics.pu_average_precision_score(s, score, **priors),
    }
    if threshold is None:
        expected |= {name: metrics.max_score(name, s, score, **priors)[0] for name in metrics.MEASURES}
    else:
        functions = (
            metrics.pu_accuracy_score,
            metrics.pu_balanced_accuracy_score,
            metrics.pu_f1_score,
            metrics.pu_matthews_corrcoef,
        )
        predicted = (score >= threshold).astype(int)
        expected |= {name: of(s, predicted, **priors) for name, of in zip(metrics.MEASURES, functions, strict=True)}
    for name, interval in found.items():
        assert interval.estimate == pytest.approx(expected[name], abs=1e-12), name
        low, high = metrics.MEASURES.get(name, (0, 1))
        assert low <= interval.lower <= interval.estimate <= interval.upper <= high, name
        assert (interval.alpha, interval.beta) == (alpha, beta)


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    """120 samples have a standard error of .027 at .9; few resamples and repaired curves cost some coverage."""
    tpr, fpr, pi = norm.sf(1 - 2), norm.sf(1), 0.2 + 0.8 * 0.3
    truth = {
        "roc_auc": norm.cdf(2 / np.sqrt(2)),
        "balanced_accuracy": (1 + tpr - fpr) / 2,
        "f1": 2 * pi * tpr / (pi + pi * tpr + (1 - pi) * fpr),
    }
    options = {"alpha": 0.3, "threshold": 1.0, "n_bootstrap": 60, "confidence": 0.9}
    held = []
    for seed in range(120):
        found = corrected_intervals(list(truth), *gaussian(seed, 150, 600)[:2], random_state=seed, **options)
        held.append([found[name].lower <= value <= found[name].upper for name, value in truth.items()])
    assert all(0.81 <= share <= 0.97 for share in np.mean(held, axis=0)), np.mean(held, axis=0)


def test_a_wrong_alpha_is_not_covered_and_a_range_that_holds_it_is():
    truth = norm.cdf(2 / np.sqrt(2))
    s, score, _ = gaussian(0, 3000, 9000)
    wrong = corrected_interval("roc_auc", s, score, alpha=0.1, n_bootstrap=40, random_state=0)
    assert wrong.upper < truth
    right = corrected_interval("roc_auc", s, score, alpha=(0.1, 0.35), n_bootstrap=40, random_state=0)
    assert right.lower < truth < right.upper
    assert right.lower <= wrong.lower
    assert right.alpha_interval == (0.1, 0.35)
    assert right.alpha == pytest.approx(0.225)


def test_intervals_shrink_with_the_root_of_the_sample():
    widths = []
    for n in (200, 20_000):
        found = corrected_interval("roc_auc", *gaussian(3, n, 4 * n)[:2], alpha=0.3, n_bootstrap=50, random_state=0)
        widths.append(found.upper - found.lower)
    assert 6 < widths[0] / widths[1] < 16  # 10 but for chance


def test_estimated_priors_widen_the_interval():
    s, score, _ = gaussian(5, 200, 800)
    options = {"n_bootstrap": 60, "random_state": 1}
    estimator = {"method": "elkan_noto_e3", "uncertainty": "sampling"}
    estimated = corrected_interval("average_precision", s, score, **estimator, **options)
    known = corrected_interval("average_precision", s, score, alpha=estimated.alpha, **options)
    assert estimated.estimate == pytest.approx(known.estimate)
    assert estimated.upper - estimated.lower > known.upper - known.lower
    assert known.alpha_interval == pytest.approx((estimated.alpha, estimated.alpha))
    low, high = estimated.alpha_interval
    assert low < estimated.alpha < high


def test_priors_are_those_of_the_estimator():
    s, score, _ = gaussian(5, 300, 900, beta=0.9)
    samples = score[s == 1], score[s == 0]
    noisy = corrected_interval("roc_auc", s, score, method="bbe", noisy=True, n_bootstrap=1, random_state=0)
    expected = estimate_priors(*samples, method="bbe", noisy=True)
    assert (noisy.alpha, noisy.beta) == pytest.approx((expected.alpha, expected.beta))
    known = corrected_interval("roc_auc", s, score, method="bbe", beta=0.9, n_bootstrap=1, random_state=0)
    assert known.alpha == pytest.approx(0.9 * estimate_priors(*samples, method="bbe").alpha)
    assert known.beta == 0.9


def test_equal_seeds_give_equal_intervals_alone_or_together():
    s, score, _ = gaussian(2, 60, 200)
    options = {"method": "bbe", "n_bootstrap": 20}
    together = corrected_intervals(ALL, s, score, random_state=4, **options)
    for name in ALL:
        assert corrected_interval(name, s, score, random_state=4, **options) == together[name]
    assert corrected_interval("f1", s, score, random_state=5, **options) != together["f1"]


def test_shared_resamples_make_the_difference_surer_than_each_score():
    s, score, _ = gaussian(2, 100, 400)
    similar = score + np.random.default_rng(0).normal(scale=0.3, size=len(s))
    options = {"alpha": 0.3, "random_state": 0}
    found = corrected_differences(["roc_auc"], s, score, similar, **options)["roc_auc"]
    assert found.first == corrected_interval("roc_auc", s, score, **options)
    width = [interval.upper - interval.lower for interval in found[:3]]
    assert width[2] < width[0] / 2


S, SCORE = [1, 1, 0, 0, 0], [0.9, 0.5, 0.4, 0.2, 0.1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"alpha": (0.4, 1.0)}, "alpha must be smaller than beta"),
        ({"alpha": None, "beta": 0}, "beta must be larger than 0"),
        ({"alpha": None, "method": "bbx"}, "method must name an estimator"),
        ({"alpha": None, "y_score": [1, 1, 1, 1, 1]}, "constant scores contain no information about alpha"),
        ({"alpha": None, "uncertainty": "sampling", "y_score": [1] * 5}, "the priors cannot be estimated"),
        ({"alpha": None, "uncertainty": "exact"}, "uncertainty must be one of 'calibrated', 'guaranteed', 'sampling'"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        corrected_interval(**{"metric": "roc_auc", "s": S, "y_score": SCORE, "alpha": 0.1} | arguments)


def test_priors_that_can_rarely_be_estimated_are_no_basis():
    """One resample in four holds equal unlabeled scores only; that of seed 5 does."""
    options = {"method": "bbe", "uncertainty": "sampling", "n_bootstrap": 1, "random_state": 5}
    with pytest.raises(ValueError, match="could be estimated in 0 of 1 resamples only: give alpha"):
        corrected_interval("roc_auc", [1, 0, 0], [1, 1, 0], **options)


def test_metrics_are_a_list():
    with pytest.raises(ValueError, match="metrics must be a list of names"):
        corrected_intervals("roc_auc", S, SCORE, alpha=0.1)


# Intervals of rows with weights, clusters and folds: what must equal what, and how wide they must be.


METRICS = ["roc_auc", "average_precision", "f1", "accuracy"]


def width(interval):
    return interval.upper - interval.lower


def test_plain_resampling_of_copies_is_too_narrow_and_clusters_are_as_wide_as_the_sample():
    s, score, _ = gaussian(1, 150, 750)
    copies = np.repeat(np.arange(len(s)), 4)
    options = {"alpha": 0.3, "n_bootstrap": 1500, "random_state": 0}
    sample = corrected_interval("roc_auc", s, score, **options)
    plain = corrected_interval("roc_auc", s[copies], score[copies], **options)
    clustered = corrected_interval("roc_auc", s[copies], score[copies], cluster=copies, **options)
    assert width(plain) == pytest.approx(width(sample) / 2, rel=0.12)
    assert width(clustered) == pytest.approx(width(sample), rel=0.1)
    assert clustered.estimate == sample.estimate


def test_clusters_widen_the_interval_as_much_as_their_rows_are_alike():
    """Users share half of the variance of their scores; the spread over new samples of users is the truth."""

    def users(seed, n=100, rows=12):
        rng = np.random.default_rng(seed)
        y = np.repeat(rng.random(n) < 0.5, rows)
        score = rng.normal(2.0 * y) + np.repeat(rng.normal(size=n), rows)
        return (y & (rng.random(n * rows) < 0.3)).astype(int), score, np.repeat(np.arange(n), rows)

    options = {"alpha": 0.41, "n_bootstrap": 150, "random_state": 0}
    estimates = [pu_roc_auc_score(*users(seed)[:2], alpha=0.41) for seed in range(300)]
    clustered, plain = [], []
    for seed in range(8):
        s, score, cluster = users(seed)
        clustered.append(width(corrected_interval("roc_auc", s, score, cluster=cluster, **options)))
        plain.append(width(corrected_interval("roc_auc", s, score, **options)))
    truth = np.diff(np.quantile(estimates, [0.025, 0.975]))[0]
    assert np.mean(clustered) == pytest.approx(truth, rel=0.2)
    assert np.mean(plain) < 0.75 * truth


def test_the_number_of_labeled_rows_varies_with_clusters_and_not_without():
    s, score, _ = gaussian(0, 40, 160)
    rng = np.random.default_rng(0)
    for options, constant in (({"cluster": np.arange(200) % 50}, False), ({"sample_weight": np.ones(200)}, True)):
        sample = Sample(s, [score], design_of(s, **options))
        labeled = {sample.draw(rng)[0].folds[0].n_labeled for _ in range(20)}
        assert (len(labeled) == 1) == constant


def test_weights_undo_a_biased_draw_of_the_unlabeled():
    """Unlabeled rows that score high are kept ten times as often as others; their weights say so."""
    truth, ours, ignored = [], [], []
    for seed in range(20):
        s, score, y = gaussian(seed, 200, 6000)
        chance = np.where((s == 1) | (score > 1), 1.0, 0.1)
        kept = np.random.default_rng(seed).random(len(s)) < chance
        options = {"alpha": 0.3, "n_bootstrap": 1, "metrics": ["roc_auc"]}
        truth.append(pu_roc_auc_score(y, score, alpha=0.0))
        metrics = options.pop("metrics")
        part = s[kept], score[kept]
        weights = 1 / chance[kept]
        ours.append(corrected_intervals(metrics, *part, sample_weight=weights, **options)["roc_auc"].estimate)
        ignored.append(corrected_intervals(metrics, *part, **options)["roc_auc"].estimate)
    assert np.mean(ours) == pytest.approx(np.mean(truth), abs=0.01)
    assert abs(np.mean(ignored) - np.mean(truth)) > 0.05


def five_models(seed, n_labeled=200, n_unlabeled=1000):
    """Scores of five folds, each by a model of its own scale, with alpha 0.3."""
    s, score, y = gaussian(seed, n_labeled, n_unlabeled)
    fold = np.random.default_rng(seed + 1).permutation(len(s)) % 5
    return s, score, y, fold, score * np.array([1, 5, 0.1, 2, 3])[fold] + np.array([0, 20, -5, 9, 1])[fold]


def test_a_maximum_is_one_by_either_name():
    s, _, _, fold, score = five_models(0)
    sample = Sample(s, [score], design_of(s, fold=fold)).full[0]
    plain, named = scores_of_sample(["f1", "max_f1"], sample, alpha=0.3, beta=1.0)
    at_zero, best = scores_of_sample(["f1", "max_f1"], sample, alpha=0.3, beta=1.0, threshold=0.0)
    assert plain == named == best > at_zero


def test_scales_of_the_models_do_not_matter_within_folds():
    s, comparable, _, fold, score = five_models(1)
    options = {"method": "elkan_noto_e3", "fold": fold, "n_bootstrap": 15, "random_state": 0}
    ours, wanted = (corrected_intervals(METRICS, s, each, **options) for each in (score, comparable))
    for name in METRICS:
        assert ours[name].lower == pytest.approx(wanted[name].lower, abs=1e-9)
        assert ours[name].alpha == pytest.approx(wanted[name].alpha, abs=1e-9)
    pooled = corrected_interval("roc_auc", s, score, alpha=0.3, n_bootstrap=1)
    assert pooled.estimate < ours["roc_auc"].estimate - 0.1


def test_alpha_from_ranks_within_folds_is_about_that_of_one_model():
    errors = []
    for seed in range(4):
        s, comparable, _, fold, score = five_models(seed)
        ours = corrected_interval("roc_auc", s, score, fold=fold, n_bootstrap=12, random_state=0)
        one = corrected_interval("roc_auc", s, comparable, n_bootstrap=12, random_state=0)
        assert ours.alpha_interval[0] < 0.3 < ours.alpha_interval[1]
        errors.append(ours.alpha - one.alpha)
    assert np.abs(errors).max() < 0.06


def test_one_share_for_all_folds_is_less_optimistic_than_the_best_of_each():
    ours, each, truth = [], [], []
    for seed in range(10):
        s, comparable, y, fold, score = five_models(seed, 100, 500)
        sample = Sample(s, [score], design_of(s, fold=fold)).full[0]
        options = {"alpha": 0.3, "beta": 1.0}
        ours.append(scores_of_sample(["f1"], sample, **options)[0])
        each.append(sample.shares @ [scores_of(["f1"], counts, **options)[0] for counts in sample.folds])
        truth.append(scores_of(["f1"], count_scores(y, comparable), alpha=0.0, beta=1.0)[0])
    assert np.mean(ours) == pytest.approx(np.mean(truth), abs=0.015)
    assert np.mean(each) > np.mean(ours) + 0.01


def test_resamples_of_folds_keep_their_sizes_and_intervals_are_as_wide_as_without():
    s, comparable, _, fold, score = five_models(2)
    sample = Sample(s, [score], design_of(s, fold=fold))
    again = sample.draw(np.random.default_rng(0))[0]
    assert [each.n_labeled for each in again.folds] == [each.n_labeled for each in sample.full[0].folds]
    options = {"alpha": 0.3, "n_bootstrap": 300, "random_state": 0}
    ours = corrected_interval("roc_auc", s, score, fold=fold, **options)
    one = corrected_interval("roc_auc", s, comparable, **options)
    assert width(ours) == pytest.approx(width(one), rel=0.3)


def test_groups_of_neighboring_scores_move_numbers_by_little():
    s, score, _ = gaussian(0, 500, 2500)
    fold = np.arange(len(s)) % 2
    design = design_of(s, fold=fold, sample_weight=1 + fold)
    whole = Sample(s, [score], design)
    merged = whole.merged(most=400, threshold=1.0)
    for options in ({"threshold": 1.0}, {}):
        full, grouped = (
            scores_of_sample(list(SCORED), each.full[0], alpha=0.3, beta=1.0, **options) for each in (whole, merged)
        )
        np.testing.assert_allclose(grouped, full, atol=0.01)
    assert len(merged.full[0].folds[0].thresholds) < 450


def test_differences_share_the_clusters_that_are_drawn():
    s, score, _ = gaussian(0, 150, 750)
    difference = corrected_differences(
        ["roc_auc"], s, score, score * 2, alpha=0.3, cluster=np.arange(len(s)) // 3, n_bootstrap=20
    )["roc_auc"]
    assert difference.difference[:3] == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("design", "sizes"),
    [
        ({"sample_weight": np.full(6, 9.0)}, (2, 4)),
        ({"cluster": [0, 0, 1, 1, 2, 2]}, (1, 2)),
        ({"fold": [0, 1, 0, 1, 0, 1]}, (2, 4)),
    ],
)
def test_sizes_that_samples_are_worth(design, sizes):
    s, score = np.array([1, 1, 0, 0, 0, 0]), np.array([9, 9, 2, 2, 1, 1])
    (counts,) = Sample(s, [score], design_of(s, **design)).counts
    assert (counts.n_labeled, counts.n_unlabeled) == sizes


ROWS, TIED = np.repeat([1, 0], [12, 36]), np.arange(48.0)[::-1] % 17


def test_labeled_rows_of_one_cluster_are_one():
    cluster = np.where(ROWS == 1, 0, 1 + np.arange(48))
    design = design_of(ROWS, cluster=np.where(ROWS == 1, 0, 1))
    sample = Sample(ROWS, [TIED], design)
    assert sample.draw(np.random.default_rng(0))[0].folds[0].n_labeled == 12
    (counts,) = Sample(ROWS, [TIED], design_of(ROWS, cluster=cluster)).counts
    assert (counts.n_labeled, counts.n_unlabeled) == (1, 36)
