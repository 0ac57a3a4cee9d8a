"""Intervals of corrected scores: cover the truth, hold the estimate, and depend on nothing they should not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian
from scipy.stats import norm

from pumetrics import metrics
from pumetrics.inference import corrected_differences, corrected_interval, corrected_intervals
from pumetrics.inference.sample import SCORED
from pumetrics.priors import estimate_priors

relaxed = settings(deadline=None, max_examples=25)  # a loaded machine is slow, not wrong
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


def coverage(name, truth, **options):
    hits = 0
    for seed in range(120):
        s, score, _ = gaussian(seed, 150, 600)
        found = corrected_interval(name, s, score, n_bootstrap=60, confidence=0.9, random_state=seed, **options)
        hits += found.lower <= truth <= found.upper
    return hits / 120


@pytest.mark.parametrize("name", ["roc_auc", "balanced_accuracy", "f1"])
def test_intervals_cover_the_truth_about_as_often_as_they_say(name):
    """120 samples have a standard error of .027 at .9; few resamples and repaired curves cost some coverage."""
    tpr, fpr, pi = norm.sf(1 - 2), norm.sf(1), 0.2 + 0.8 * 0.3
    truth = {
        "roc_auc": norm.cdf(2 / np.sqrt(2)),
        "balanced_accuracy": (1 + tpr - fpr) / 2,
        "f1": 2 * pi * tpr / (pi + pi * tpr + (1 - pi) * fpr),
    }
    assert 0.81 <= coverage(name, truth[name], alpha=0.3, threshold=1.0) <= 0.97


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
