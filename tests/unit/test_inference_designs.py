"""Intervals of rows with weights, clusters and folds: what must equal what, and how wide they must be."""

import numpy as np
import pytest
from samples import gaussian

from pumetrics.counts import count_scores
from pumetrics.inference import corrected_differences, corrected_interval, corrected_intervals
from pumetrics.inference.designs import design_of
from pumetrics.inference.sample import SCORED, Sample, scores_of, scores_of_sample
from pumetrics.metrics import pu_roc_auc_score

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


S, SCORE = np.repeat([1, 0], [12, 36]), np.arange(48.0)[::-1] % 17


def test_labeled_rows_of_one_cluster_are_one():
    cluster = np.where(S == 1, 0, 1 + np.arange(48))
    design = design_of(S, cluster=np.where(S == 1, 0, 1))
    sample = Sample(S, [SCORE], design)
    assert sample.draw(np.random.default_rng(0))[0].folds[0].n_labeled == 12
    (counts,) = Sample(S, [SCORE], design_of(S, cluster=cluster)).counts
    assert (counts.n_labeled, counts.n_unlabeled) == (1, 36)
