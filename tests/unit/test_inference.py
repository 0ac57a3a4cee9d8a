"""Inversions against counting by hand, the bootstrap against the normal law."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian, interval_of
from scipy.stats import binom, binomtest, norm

from pumetrics import metrics
from pumetrics.assessment import assess
from pumetrics.counts import place_samples
from pumetrics.inference import corrected_intervals, discordant, inversion_rate, inversions
from pumetrics.inference.corrected import corrected
from pumetrics.inference.designs import design_of
from pumetrics.inference.drawn import binomial_draws
from pumetrics.inference.request import Ask, Labels, labels_of
from pumetrics.inference.sample import SCORED, Sample, grouped, scores_of
from pumetrics.metrics import pu_roc_auc_score
from pumetrics.priors import estimate_priors, registry, upper_bound
from pumetrics.priors.calibration import read_table

few_scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40)


def by_hand(truth, estimate):
    pairs = [(i, j) for i in range(len(truth)) for j in range(i)]
    return sum((truth[i] - truth[j]) * (estimate[i] - estimate[j]) < 0 for i, j in pairs)


@given(few_scores)
def test_inversions_are_the_strictly_discordant_pairs_by_either_way_to_count(pairs):
    truth, estimate = np.array(pairs, dtype=float).T
    assert inversions(truth, estimate) == by_hand(truth, estimate)
    assert discordant._inversions_by_merging(truth[None], estimate[None])[0] == by_hand(
        truth, estimate
    )


def test_a_long_ranking_is_counted_like_its_pairs():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 300, 1200) / 300
    estimate = np.round(truth + rng.normal(scale=0.3, size=truth.size), 2)
    expected = int(((truth[:, None] > truth) & (estimate[:, None] < estimate)).sum())
    assert inversions(truth, estimate) == expected


def test_batches_broadcast_and_equal_one_by_one():
    rng = np.random.default_rng(7)
    truth, estimate = rng.integers(0, 9, (4, 1, 30)), rng.integers(0, 9, (5, 30))
    got = inversions(truth, estimate)
    assert got.shape == (4, 5)
    assert got.tolist() == [
        [inversions(truth[i, 0], estimate[j]) for j in range(5)] for i in range(4)
    ]


@given(st.lists(st.integers(0, 5), min_size=2, max_size=20))
def test_rate_of_a_perfect_and_of_a_reversed_ranking(values):
    truth = np.array(values, dtype=float)
    assert inversion_rate(truth, truth) == 0
    distinct = np.arange(len(values))
    assert inversion_rate(distinct, -distinct) == 1


# Intervals of corrected scores: cover the truth, hold the estimate, and depend on nothing they should not.

relaxed = settings(max_examples=25)
ALL = list(SCORED)


def width(interval):
    return interval.upper - interval.lower


@st.composite
def samples(draw):
    """Observed labels of both kinds and scores with many ties, at least two of them different."""
    n = draw(st.integers(4, 30))
    s = np.array([1, 1, 0, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 4, max_size=n - 4))])
    score = (
        np.array([0, 8, 0, 8, *draw(st.lists(st.integers(0, 8), min_size=n - 4, max_size=n - 4))])
        / 8
    )
    return s, score


@pytest.mark.filterwarnings("ignore:only .* labeled examples")
@relaxed
@given(
    sample=samples(),
    alpha=st.floats(0, 0.7),
    beta=st.floats(0.8, 1),
    threshold=st.sampled_from([None, 0.5, 2.0]),
)
def test_estimates_are_those_of_the_score_functions_and_lie_inside(sample, alpha, beta, threshold):
    s, score = (np.tile(each, 5) for each in sample)
    priors = {"alpha": alpha, "beta": beta}
    found = corrected_intervals(
        ALL, s, score, **priors, threshold=threshold, n_bootstrap=5, random_state=0
    )
    expected = {
        "roc_auc": metrics.pu_roc_auc_score(s, score, **priors),
        "average_precision": metrics.pu_average_precision_score(s, score, **priors),
    }
    if threshold is None:
        expected |= {
            name: metrics.max_score(name, s, score, **priors)[0] for name in metrics.MEASURES
        }
    else:
        functions = (
            metrics.pu_accuracy_score,
            metrics.pu_balanced_accuracy_score,
            metrics.pu_f1_score,
            metrics.pu_matthews_corrcoef,
        )
        predicted = (score >= threshold).astype(int)
        expected |= {
            name: of(s, predicted, **priors)
            for name, of in zip(metrics.MEASURES, functions, strict=True)
        }
    for name, interval in found.items():
        assert interval.estimate == pytest.approx(expected[name], abs=1e-12), name
        low, high = metrics.MEASURES.get(name, (0, 1))
        assert low <= interval.lower <= interval.estimate <= interval.upper <= high, name
    assert found.priors[:2] == (alpha, beta)


@pytest.mark.slow
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
        found = corrected_intervals(
            list(truth), *gaussian(seed, 150, 600)[:2], random_state=seed, **options
        )
        held.append(
            [found[name].lower <= value <= found[name].upper for name, value in truth.items()]
        )
    assert all(0.81 <= share <= 0.97 for share in np.mean(held, axis=0)), np.mean(held, axis=0)


def test_a_wrong_alpha_is_not_covered_and_a_range_that_holds_it_is():
    truth = norm.cdf(2 / np.sqrt(2))
    s, score, _ = gaussian(0, 3000, 9000)
    options = {"n_bootstrap": 40, "random_state": 0}
    wrong = interval_of("roc_auc", s, score, alpha=0.1, **options)
    assert wrong.upper < truth
    found = corrected_intervals(["roc_auc"], s, score, alpha=(0.1, 0.35), **options)
    right = found["roc_auc"]
    assert right.lower < truth < right.upper
    assert right.lower <= wrong.lower
    assert found.priors.alpha_interval == (0.1, 0.35)
    assert found.priors.alpha == pytest.approx(0.225)


def test_intervals_shrink_with_the_root_of_the_sample():
    options = {"alpha": 0.3, "n_bootstrap": 50, "random_state": 0}
    widths = [
        width(interval_of("roc_auc", *gaussian(3, n, 4 * n)[:2], **options)) for n in (200, 20_000)
    ]
    assert 6 < widths[0] / widths[1] < 16  # 10 but for chance


def test_estimated_priors_widen_the_interval_and_a_table_of_ones_own_narrows_it():
    s, score, _ = gaussian(5, 200, 800)
    options = {"n_bootstrap": 60, "random_state": 1}
    sure = {**read_table(), "errors": [0.0] * len(read_table()["errors"])}
    name = "average_precision"
    estimated = corrected_intervals([name], s, score, **options)
    own = corrected_intervals([name], s, score, calibration=sure, **options)
    alpha = estimated.priors.alpha
    known = corrected_intervals([name], s, score, alpha=alpha, **options)
    assert estimated[name].estimate == pytest.approx(known[name].estimate)
    assert known.priors.alpha_interval == pytest.approx((alpha, alpha))
    assert estimated.priors.alpha_interval[0] < alpha < estimated.priors.alpha_interval[1]
    assert np.ptp(own.priors.alpha_interval) < np.ptp(estimated.priors.alpha_interval)
    assert width(estimated[name]) > max(width(own[name]), width(known[name]))


def test_priors_are_those_of_the_estimator_within_the_range():
    s, score, _ = gaussian(5, 300, 900, beta=0.9)
    expected = estimate_priors(score[s == 1], score[s == 0], method="bbe", noisy=True)
    noisy = corrected_intervals(
        ["roc_auc"], s, score, method="bbe", noisy=True, n_bootstrap=1, random_state=0
    ).priors
    ranges = noisy.alpha_interval, noisy.beta_interval
    moved = [
        np.clip(*each)
        for each in zip((expected.alpha, expected.beta), *np.transpose(ranges), strict=True)
    ]
    assert (noisy.alpha, noisy.beta) == pytest.approx(moved)


def test_equal_seeds_give_equal_intervals_alone_or_together():
    s, score, _ = gaussian(2, 60, 200)
    options = {"method": "bbe", "n_bootstrap": 20}
    together = corrected_intervals(ALL, s, score, random_state=4, **options)
    for name in ALL:
        assert interval_of(name, s, score, random_state=4, **options) == together[name]
    assert interval_of("f1", s, score, random_state=5, **options) != together["f1"]


def test_shared_resamples_make_the_difference_surer_than_each_score():
    s, score, _ = gaussian(2, 100, 400)
    similar = score + np.random.default_rng(0).normal(scale=0.3, size=len(s))
    sample = Sample(s, [score, similar])
    found = corrected(sample, labels_of(sample, alpha=0.3), Ask(("roc_auc",), random_state=0))
    first = found.models[0]["roc_auc"]
    assert first == interval_of("roc_auc", s, score, alpha=0.3, random_state=0)
    assert width(found.differences["roc_auc"]) < width(first) / 2


def test_priors_that_can_rarely_be_estimated_are_no_basis():
    """One resample in four holds equal unlabeled scores only; that of seed 5 does."""
    labels, ask = (
        Labels(method="bbe", uncertainty="sampling"),
        Ask(("roc_auc",), n_bootstrap=1, random_state=5),
    )
    with pytest.raises(ValueError, match="could be estimated in 0 of 1 resamples only: give alpha"):
        corrected(Sample([1, 0, 0], [[1, 1, 0]]), labels, ask)


# Intervals of rows with weights and clusters: what must equal what, and how wide they must be.


@pytest.mark.slow
def test_plain_resampling_of_copies_is_too_narrow_and_clusters_are_as_wide_as_the_sample():
    s, score, _ = gaussian(1, 150, 750)
    copies = np.repeat(np.arange(len(s)), 4)
    options = {"alpha": 0.3, "n_bootstrap": 1500, "random_state": 0}
    sample = interval_of("roc_auc", s, score, **options)
    plain = interval_of("roc_auc", s[copies], score[copies], **options)
    clustered = interval_of("roc_auc", s[copies], score[copies], cluster=copies, **options)
    assert width(plain) == pytest.approx(width(sample) / 2, rel=0.12)
    assert width(clustered) == pytest.approx(width(sample), rel=0.1)
    assert clustered.estimate == sample.estimate


def test_the_number_of_labeled_rows_varies_with_clusters_and_not_without():
    s, score, _ = gaussian(0, 40, 160)
    rng = np.random.default_rng(0)
    for options, constant in (
        ({"cluster": np.arange(200) % 50}, False),
        ({"sample_weight": np.ones(200)}, True),
    ):
        sample = Sample(s, [score], design_of(s, **options))
        labeled = {sample.draw(rng)[0].counts.n_labeled for _ in range(20)}
        assert (len(labeled) == 1) == constant


def test_weights_undo_a_biased_draw_of_the_unlabeled():
    """Unlabeled rows that score high are kept ten times as often as others; their weights say so."""
    truth, ours, ignored = [], [], []
    for seed in range(20):
        s, score, y = gaussian(seed, 200, 6000)
        chance = np.where((s == 1) | (score > 1), 1.0, 0.1)
        kept = np.random.default_rng(seed).random(len(s)) < chance
        options = {"alpha": 0.3, "n_bootstrap": 1}
        truth.append(pu_roc_auc_score(y, score, alpha=0.0))
        part = s[kept], score[kept]
        ours.append(
            interval_of("roc_auc", *part, sample_weight=1 / chance[kept], **options).estimate
        )
        ignored.append(interval_of("roc_auc", *part, **options).estimate)
    assert np.mean(ours) == pytest.approx(np.mean(truth), abs=0.01)
    assert abs(np.mean(ignored) - np.mean(truth)) > 0.05


def test_the_share_of_labeled_rows_varies_as_much_as_that_of_labeled_clusters():
    s = np.repeat(np.arange(40) % 4 == 0, 20).astype(
        int
    )  # ten clusters of labeled rows, thirty of others
    cluster = np.repeat(np.arange(40), 20)
    score = np.random.default_rng(0).normal(size=800)
    model = Sample(s, [score], design_of(s, cluster=cluster)).full[0]
    assert model.labeled == pytest.approx((10, 40))
    weighted = design_of(s, sample_weight=np.ones(800))
    assert Sample(s, [score], weighted).full[0].labeled is None


@pytest.mark.slow
def test_precision_is_covered_where_whole_clusters_are_labeled():
    n_found = 0
    (tpr, fpr), prior = norm.sf([-0.75, 0.75]), 0.6
    truth = prior * tpr / (prior * tpr + (1 - prior) * fpr)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cluster = np.repeat(np.arange(40), 20)
        s = (rng.random(40) < 0.5)[cluster].astype(int)
        y = (s == 1) | (rng.random(800) < 0.2)
        options = {"alpha": 0.2, "threshold": 0.75, "cluster": cluster, "n_bootstrap": 60}
        found = interval_of("precision", s, rng.normal(1.5 * y), **options, random_state=0)
        n_found += found.lower <= truth <= found.upper
    assert n_found >= 34  # of so many intervals with 95% coverage fewer are hit once in 100 times


def test_trials_vary_as_much_as_the_share_at_a_cut():
    """Korn & Graubard's: sum of squared residuals of weights, or of clusters, against p (1 - p) / n."""
    rng = np.random.default_rng(0)
    s, score, cluster = (
        np.repeat([1, 0], [300, 600]),
        rng.normal(size=900).round(1),
        rng.integers(0, 90, 900),
    )
    weight = np.where(score > 0, 1.0, 5.0)
    for options in (
        {"sample_weight": weight},
        {"cluster": cluster},
        {"sample_weight": weight, "cluster": cluster},
    ):
        model = Sample(s, [score], design_of(s, **options)).full[0]
        place = int(np.searchsorted(-model.counts.thresholds, -0.5, side="right")) - 1
        for kind, (successes, trials) in zip((1, 0), model.trials(place), strict=True):
            rows = s == kind
            w = options.get("sample_weight", np.ones(900))[rows]
            share = np.average(score[rows] >= 0.5, weights=w)
            residuals = w * ((score[rows] >= 0.5) - share)
            if "cluster" in options:
                residuals = np.bincount(cluster[rows], residuals)
            assert successes / trials == pytest.approx(share)
            assert trials == pytest.approx(
                min(share * (1 - share) * w.sum() ** 2 / (residuals**2).sum(), rows.sum())
            )


@pytest.mark.slow
def test_a_difference_of_two_maxima_is_above_0_only_if_nearly_all_resamples_are():
    for seed in range(20):
        s, score, _ = gaussian(seed, 20, 500, alpha=0.1, distance=1.5)
        other = score + 0.7 * np.random.default_rng(seed + 100).normal(size=520)
        sample = Sample(s, [score, other])
        found = corrected(
            sample, labels_of(sample, alpha=0.1), Ask(("max_f1",), n_bootstrap=200, random_state=0)
        )
        gap = found.differences["max_f1"]
        assert (gap.lower > 0) == (gap.probability > 0.975)
        assert (gap.upper < 0) == (gap.probability < 0.025)


def test_differences_share_the_clusters_that_are_drawn():
    s, score, _ = gaussian(0, 150, 750)
    sample = Sample(s, [score, score * 2], design_of(s, cluster=np.arange(len(s)) // 3))
    found = corrected(
        sample, labels_of(sample, alpha=0.3), Ask(("roc_auc",), n_bootstrap=20, random_state=0)
    )
    estimate, lower, upper, _ = found.differences["roc_auc"]
    assert (estimate, -lower) == (0.0, upper), (
        "the resamples tell no difference, one more example would"
    )
    assert 0 < upper < 3 / 151


@pytest.mark.parametrize(
    ("design", "sizes"),
    [
        ({"sample_weight": np.full(6, 9.0)}, (2, 4)),
        ({"cluster": [0, 0, 1, 1, 2, 2]}, (1, 2)),
    ],
)
def test_effective_sizes(design, sizes):
    s, score = np.array([1, 1, 0, 0, 0, 0]), np.array([9, 9, 2, 2, 1, 1])
    (counts,) = Sample(s, [score], design_of(s, **design)).counts
    assert (counts.n_labeled, counts.n_unlabeled) == sizes


# Resamples in groups of neighboring scores, and what is computed only once.


@pytest.mark.parametrize("weighted", [False, True])
def test_few_thresholds_are_all_kept_and_many_are_merged_without_moving_scores(weighted):
    s, scores, _ = gaussian(3, 500, 4500, alpha=0.1)
    whole = Sample(
        s, [scores], design_of(s, sample_weight=1 + np.arange(len(s)) % 2) if weighted else None
    )
    (counts,) = (each.counts for each in whole.full)
    assert len(grouped(counts, most=10_000)) == len(counts.thresholds)
    assert len(grouped(counts, most=1000, keep=0.7)) <= 1003
    (few,) = (each.counts for each in whole.merged(most=1000, threshold=0.7).full)
    assert len(few.thresholds) <= 1003
    for threshold in (None, 0.7):
        options = {"alpha": 0.1, "beta": 1.0, "threshold": threshold}
        full, merged = (scores_of(ALL, each, **options) for each in (counts, few))
        np.testing.assert_allclose(merged, full, atol=0.004)
    areas = [np.trapezoid(each.tpr_pu, each.fpr_pu) for each in (counts, few)]
    assert areas[0] == pytest.approx(areas[1], abs=1e-3)


def test_resamples_drawn_in_groups_scatter_like_those_of_rows(monkeypatch):
    s, scores, _ = gaussian(4, 300, 3000, alpha=0.1)
    options = {"alpha": 0.1, "n_bootstrap": 300, "random_state": 0}
    rows = interval_of("roc_auc", s, scores, **options)
    monkeypatch.setattr("pumetrics.inference.sample._MOST_ROWS", 0)
    drawn = interval_of("roc_auc", s, scores, **options)
    assert drawn.estimate == rows.estimate
    assert width(drawn) == pytest.approx(width(rows), rel=0.2)


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


@pytest.mark.parametrize("n", [20, 50, 100, 500])
def test_exact_coverage_of_recall_is_nominal_where_nearly_all_are_flagged(n):
    """Enumerated over all numbers of labeled examples that are flagged, as percentiles of the draws give the ends."""
    levels, found = (np.arange(200) + 0.5) / 200, np.arange(n + 1)
    low, high = np.transpose(
        [np.quantile(binomial_draws(k, n, levels), (0.025, 0.975)) for k in found]
    )
    for tpr in np.linspace(0.5, 0.999, 200):
        assert binom.pmf(found, n, tpr)[(low <= tpr) & (tpr <= high)].sum() >= 0.94, tpr


@pytest.mark.parametrize("threshold", [-5.0, 20.0])
def test_an_interval_has_a_width_where_every_resample_shows_the_same(threshold):
    """All labeled rows are flagged, or none is; and a perfect separation is that of these rows alone."""
    s, score, _ = gaussian(1, 50, 500, distance=12.0)
    names = ["roc_auc", "average_precision", "max_f1", "recall", "precision_at_10"]
    found = corrected_intervals(
        names, s, score, alpha=0.3, threshold=threshold, n_bootstrap=50, random_state=0
    )
    for name, each in found.items():
        assert each.upper - each.lower > 0.005, name
    assert found["recall"].estimate == float(threshold < 0)


DESIGNS = {
    "rows": {},
    "weights": {"sample_weight": 1.0 + np.arange(330) % 3},
    "clusters": {"cluster": np.arange(330) // 3},
}


@pytest.mark.parametrize("known", [{"alpha": 0.3}, {"alpha": (0.2, 0.4)}, {"method": "bbe"}])
@pytest.mark.parametrize("threshold", [-9.0, 1.0, 9.0], ids=["all", "some", "none"])
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_a_band_at_the_threshold_of_a_table_is_the_interval_of_the_table(design, threshold, known):
    """Also where all labeled rows are flagged, or none, and resamples show no width."""
    s, score, _ = gaussian(0, 30, 300)
    names = ["recall", "precision", "f1"]
    options = {"threshold": threshold, "n_bootstrap": 40, "random_state": 0, **known, **design}
    found = corrected_intervals(names, s, score, **options)
    place = np.count_nonzero(np.unique(score) >= threshold)
    bands = found.drawn.bands([metrics.find_metric(name) for name in names], np.array([place]))
    for name, (lower, upper) in zip(names, bands, strict=True):
        assert (lower[0], upper[0]) == pytest.approx(found[name][1:])
    if threshold != 9:
        assert place in found.drawn.places
    if threshold != 1:
        assert width(found["recall"]) > 0.05


@pytest.mark.parametrize("flagged", [0, 40, 300])
def test_a_band_of_the_false_positive_rate_has_exact_binomial_ends(flagged):
    """Without hidden positives it is the share of unlabeled rows that are flagged (Clopper & Pearson 1934)."""
    s, score = (
        np.repeat([1, 0], [30, 300]),
        np.append(np.linspace(2, 3, 30), np.arange(300)[::-1] / 300),
    )
    threshold = score[29 + flagged] if flagged else 1.5
    found = corrected_intervals(
        ["recall"], s, score, alpha=0.0, threshold=threshold, n_bootstrap=400, random_state=0
    )
    fpr = replace(metrics.find_metric("recall"), formula=lambda rates: rates.fpr)
    ((lower, upper),) = found.drawn.bands([fpr], np.array([30 + flagged]))
    exact = binomtest(flagged, 300).proportion_ci(method="exact")
    assert (lower[0], upper[0]) == pytest.approx((exact.low, exact.high), abs=0.003)


@pytest.mark.slow
def test_a_higher_confidence_never_gives_a_narrower_range_of_alpha():
    for seed in range(5):
        s, score, _ = gaussian(seed, 150, 1500, alpha=0.1, distance=1.5)
        ranges = [
            corrected_intervals(
                ["roc_auc"], s, score, confidence=level, n_bootstrap=10, random_state=0
            ).priors.alpha_interval
            for level in (0.8, 0.9, 0.95, 0.96, 0.99)
        ]
        assert all(b[0] <= a[0] and a[1] <= b[1] for a, b in pairwise(ranges)), ranges


@pytest.mark.slow
def test_clusters_widen_the_interval_as_much_as_their_rows_are_alike():
    """Users share half of the variance of their scores; the spread over new samples of users is the truth."""

    def users(seed):
        rng = np.random.default_rng(seed)
        y = np.repeat(rng.random(100) < 0.5, 12)
        score = rng.normal(2.0 * y) + np.repeat(rng.normal(size=100), 12)
        return (y & (rng.random(1200) < 0.3)).astype(int), score

    options = {"alpha": 0.41, "n_bootstrap": 150, "random_state": 0}
    estimates = [pu_roc_auc_score(*users(seed), alpha=0.41) for seed in range(300)]
    truth = np.diff(np.quantile(estimates, [0.025, 0.975]))[0]

    def mean_width(cluster):
        given = {"cluster": cluster, **options}
        return np.mean([width(interval_of("roc_auc", *users(i), **given)) for i in range(8)])

    assert mean_width(np.repeat(np.arange(100), 12)) == pytest.approx(truth, rel=0.2)
    assert mean_width(None) < 0.8 * truth


@pytest.mark.slow
def test_recall_is_covered_where_the_weights_depend_on_the_score():
    """One in five of the rows below the threshold is kept, with weight 5: by the average weight 7 of 10 held."""
    options = {"alpha": 0.2, "threshold": 0.0, "n_bootstrap": 50, "random_state": 0}
    held = 0
    for seed in range(60):
        s, score, _ = gaussian(seed, 1000, 2000, alpha=0.2, distance=1.5)
        weight = np.where(score >= 0, 1.0, 5.0)
        kept = np.random.default_rng(seed).random(3000) < 1 / weight
        given = {"sample_weight": weight[kept], **options}
        found = interval_of("recall", s[kept], score[kept], **given)
        held += found.lower <= norm.cdf(1.5) <= found.upper
    assert held >= binom.ppf(0.05, 60, 0.95)


def test_labeled_rows_of_one_cluster_are_one_and_a_resample_counts_the_rows_it_drew():
    s, score, _ = gaussian(5, 30, 130)
    (counts,) = Sample(s, [score], design_of(s, cluster=np.where(s == 1, 0, np.arange(160)))).counts
    assert (counts.n_labeled, counts.n_unlabeled) == (1, 130)
    drawn = Sample(s, [score]).draw(np.random.default_rng(0))[0].counts
    rng = np.random.default_rng(0)
    expected = place_samples(score[:30], score[30:]).counts(
        rng.integers(30, size=30), rng.integers(130, size=130)
    )
    np.testing.assert_array_equal(drawn.labeled, expected.labeled)
    np.testing.assert_array_equal(drawn.unlabeled, expected.unlabeled)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "best"), [("f1", 0.4710), ("accuracy", 0.9021)])
def test_the_best_of_few_thresholds_is_covered(metric, best):
    """Three scores: percentiles of resamples alone covered .81 of the best F1."""
    shares = {1: [0.2, 0.35, 0.45], 0: [0.75, 0.2, 0.05]}
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [30, 970])
    covered = 0
    for _ in range(100):
        y = np.append(np.ones(30, dtype=int), rng.random(970) < 0.07)
        drawn = {each: rng.choice(3, 1000, p=share) for each, share in shares.items()}
        score = np.where(y == 1, drawn[1], drawn[0])
        (found,) = assess(s, score, alpha=0.07, metrics=[metric]).scores
        covered += found.interval[0] <= best <= found.interval[1]
    assert covered >= binom.ppf(0.001, 100, 0.95)

    (at_2,) = assess(s, score, alpha=0.07, metrics=[metric], threshold=2).scores
    assert found.interval[1] >= at_2.interval[1] - 1e-9


@pytest.mark.slow
def test_areas_are_covered_where_most_unlabeled_rows_are_positive():
    """The repair pushes both areas up: percentiles of repaired resamples alone held in .79 and .78 of 120 samples."""
    auc = norm.cdf(1.5 / np.sqrt(2))
    grid = np.linspace(10, -8, 20_001)
    recall, false = norm.sf(grid - 1.5), norm.sf(grid)
    pi = 0.05 + 0.95 * 0.9
    precision = pi * recall / (pi * recall + (1 - pi) * false)
    truth = {"roc_auc": auc, "average_precision": np.trapezoid(precision, recall)}
    held = []
    for seed in range(60):
        s, score, _ = gaussian(seed, 50, 950, alpha=0.9, distance=1.5)
        found = corrected_intervals(
            list(truth), s, score, alpha=0.9, n_bootstrap=100, random_state=0
        )
        held.append(
            [found[name].lower <= value <= found[name].upper for name, value in truth.items()]
        )
    assert np.sum(held, axis=0).min() >= binom.ppf(0.01, 60, 0.95)


def test_an_area_reaches_down_to_that_of_the_curve_without_repair():
    """Balanced accuracy, of the same rates, says nothing here; the repaired area was .97 to 1."""
    s, score, _ = gaussian(3, 30, 120, alpha=0.9, distance=1.5)
    drawn = {"alpha": 0.9, "n_bootstrap": 100, "random_state": 0}
    found = interval_of("roc_auc", s, score, **drawn)
    alone = pu_roc_auc_score(s, score, alpha=0.9, repair="none")
    assert found.lower <= alone < found.estimate
    assert width(found) > 0.5
