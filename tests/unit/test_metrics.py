"""Corrected scores: equal to scikit-learn's without noise, right in expectation with it, and honest about bad input."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian
from scipy.spatial import ConvexHull
from scipy.stats import norm
from sklearn import metrics as sk

from pumetrics import metrics
from pumetrics.curves import upper_hull

relaxed = settings(deadline=None, max_examples=60)  # a loaded machine is slow, not wrong
REPAIRS = ("envelope", "hull", "monotone", "none")
PREDICTION_SCORES = {
    "accuracy": (metrics.pu_accuracy_score, sk.accuracy_score),
    "balanced_accuracy": (metrics.pu_balanced_accuracy_score, sk.balanced_accuracy_score),
    "f1": (metrics.pu_f1_score, partial(sk.f1_score, zero_division=0)),
    "mcc": (metrics.pu_matthews_corrcoef, sk.matthews_corrcoef),
}


@st.composite
def samples(draw):
    """Observed labels of both kinds and scores with many ties, at least two of them different."""
    n = draw(st.integers(2, 40))
    s = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    s[0], s[1] = 1, 0
    return s, np.array(draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))) / 8


@st.composite
def priors(draw):
    alpha = draw(st.floats(0.0, 0.85))
    return {"alpha": alpha, "beta": draw(st.floats(alpha + 0.1, 1.0))}


def weights_of(s, weighted):
    return {"sample_weight": np.random.default_rng(len(s)).exponential(size=len(s)) if weighted else None}


@relaxed
@given(sample=samples(), weighted=st.booleans())
def test_without_noise_scores_of_predictions_equal_scikit_learns(sample, weighted):
    s, score = sample
    prediction, weights = (score >= 0.75).astype(int), weights_of(s, weighted)
    for name, (ours, theirs) in PREDICTION_SCORES.items():
        wanted = theirs(s, prediction, **weights)
        assert ours(s, prediction, alpha=0.0, **weights) == pytest.approx(wanted, abs=1e-12), name


@relaxed
@given(sample=samples(), weighted=st.booleans())
def test_without_noise_areas_and_curves_equal_scikit_learns(sample, weighted):
    s, score = sample
    weights = weights_of(s, weighted)
    auc = sk.roc_auc_score(s, score, **weights)
    for repair in ("envelope", "monotone", "none"):
        found = metrics.pu_roc_auc_score(s, score, alpha=0, repair=repair, **weights)
        assert found == pytest.approx(auc, abs=1e-12)
        found = metrics.pu_average_precision_score(s, score, alpha=0, population="all", repair=repair, **weights)
        assert found == pytest.approx(sk.average_precision_score(s, score, **weights), abs=1e-12)
    assert metrics.pu_roc_auc_score(s, score, alpha=0, method="direct", **weights) == pytest.approx(auc, abs=1e-12)
    ours = metrics.pu_roc_curve(s, score, alpha=0, **weights)
    for mine, other in zip(ours, sk.roc_curve(s, score, drop_intermediate=False, **weights), strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-12)
    ours = metrics.pu_precision_recall_curve(s, score, alpha=0, population="all", **weights)
    for mine, other in zip(ours, sk.precision_recall_curve(s, score, **weights), strict=True):
        n = len(ours[2])  # the point of recall 0 has its own rule
        np.testing.assert_allclose(mine[:n], other[:n], atol=1e-12)
    assert ours[0][-1] == ours[0][-2]
    assert ours[1][-1] == 0


@relaxed
@given(sample=samples(), prior=priors())
def test_thresholds_and_predictions_agree(sample, prior):
    s, score = sample
    measures = metrics.threshold_measures(s, score, **prior)
    for name, (ours, _) in PREDICTION_SCORES.items():
        best, at = metrics.max_score(name, s, score, clip=False, **prior)
        assert best == measures[name].max()
        assert ours(s, (score >= at).astype(int), clip=False, **prior) == pytest.approx(best, abs=1e-12), name
        low, high = metrics.MEASURES[name]
        assert metrics.max_score(name, s, score, **prior) == (min(max(best, low), high), at), name


@relaxed
@given(sample=samples(), prior=priors())
def test_unrepaired_indirect_area_equals_direct_area(sample, prior):
    direct = metrics.pu_roc_auc_score(*sample, method="direct", clip=False, **prior)
    indirect = metrics.pu_roc_auc_score(*sample, repair="none", clip=False, **prior)
    assert indirect == pytest.approx(direct, abs=1e-12)


@relaxed
@given(sample=samples(), prior=priors())
def test_repaired_curves_are_curves(sample, prior):
    areas = {}
    for repair in REPAIRS[:3]:
        fpr, tpr, thresholds = metrics.pu_roc_curve(*sample, repair=repair, **prior)
        assert len(fpr) == len(tpr) == len(thresholds)
        assert (fpr[0], tpr[0], thresholds[0]) == (0, 0, np.inf)
        assert (fpr[-1], tpr[-1]) == (1, 1)
        assert (np.diff(fpr) >= 0).all(), repair
        assert (np.diff(tpr) >= 0).all(), repair
        areas[repair] = np.trapezoid(tpr, fpr)
        assert metrics.pu_roc_auc_score(*sample, repair=repair, **prior) == pytest.approx(areas[repair], abs=1e-12)
    assert areas["monotone"] <= areas["envelope"] + 1e-12
    assert areas["envelope"] <= areas["hull"] + 1e-12


@relaxed
@given(st.integers(0, 10_000), st.integers(1, 300))
def test_hull_is_the_convex_hull(seed, n):
    rng = np.random.default_rng(seed)
    x, y = np.clip(np.sort(rng.normal(0.5, 0.4, (2, n)), axis=1) + rng.normal(0, 0.1, (2, n)), 0, 1)
    x, y = np.r_[0, x, 1], np.r_[0, y, 1]
    corners = upper_hull(x, y)
    with_floor = np.c_[np.r_[x, 1], np.r_[y, 0]]  # the point (1, 0) closes the hull from below
    if np.all(y <= x):
        assert corners.tolist() == [0, n + 1] or np.trapezoid(y[corners], x[corners]) == pytest.approx(0.5)
    else:
        assert np.trapezoid(y[corners], x[corners]) == pytest.approx(ConvexHull(with_floor).volume, abs=1e-9)


def test_figure_1_of_jain():
    score = [0.986, 0.943, 0.863, 0.789, 0.699, 0.473, 0.211, 0.009]
    s, y = [1, 0, 1, 0, 1, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0]
    for method in ("direct", "indirect"):
        assert metrics.pu_roc_auc_score(s, score, alpha=0, method=method) == pytest.approx(0.8, abs=1e-12)
        assert metrics.pu_roc_auc_score(y, score, alpha=0, method=method) == pytest.approx(0.9375, abs=1e-12)
    assert metrics.pu_roc_auc_score(s, score, alpha=0.2, method="direct") == pytest.approx(0.875, abs=1e-12)


GAUSSIANS = pytest.mark.parametrize(("alpha", "beta"), [(0.1, 1.0), (0.5, 1.0), (0.3, 0.9), (0.1, 0.75), (0.5, 0.75)])


@GAUSSIANS
def test_areas_of_two_gaussians_are_recovered(alpha, beta):
    """At n = 200,000, in the mean of two draws: one draw has a standard error of up to .0015 / (beta - alpha)."""
    found = {repair: [] for repair in REPAIRS}
    for seed in range(2):
        s, score, _ = gaussian(seed, 100_000, 100_000, alpha=alpha, beta=beta)
        for repair, areas in found.items():
            areas.append(metrics.pu_roc_auc_score(s, score, alpha=alpha, beta=beta, repair=repair))
    for repair, areas in found.items():
        assert np.mean(areas) == pytest.approx(norm.cdf(np.sqrt(2)), abs=0.003 / (beta - alpha)), repair


@GAUSSIANS
def test_measures_of_two_gaussians_are_recovered(alpha, beta):
    prior = {"alpha": alpha, "beta": beta}
    s, score, y = gaussian(3, 100_000, 100_000, **prior)
    for name in metrics.MEASURES:
        best, threshold = metrics.max_score(name, s, score, **prior)
        truth = PREDICTION_SCORES[name][1](y, (score >= threshold).astype(int))
        assert best == pytest.approx(truth, abs=0.003 / (beta - alpha)), name
    for population, members in (("unlabeled", s == 0), ("all", s >= 0)):
        truth = sk.average_precision_score(y[members], score[members])
        found = metrics.pu_average_precision_score(s, score, population=population, **prior)
        assert found == pytest.approx(truth, abs=0.004 / (beta - alpha)), population


def test_perfect_and_random_classifiers_get_what_they_deserve():
    s, _, y = gaussian(0, 500, 5000, alpha=0.2, beta=0.9)
    prior = {"alpha": 0.2, "beta": 0.9}
    for repair in REPAIRS:
        assert metrics.pu_roc_auc_score(s, y, repair=repair, **prior) == pytest.approx(1, abs=1e-12)
    for population in ("unlabeled", "all"):
        assert metrics.pu_average_precision_score(s, y, population=population, **prior) == pytest.approx(1, abs=1e-12)
    for name, (ours, _) in PREDICTION_SCORES.items():
        assert ours(s, y, **prior) == pytest.approx(1, abs=1e-12), name
    noise = np.random.default_rng(0).random(len(s))
    assert metrics.pu_roc_auc_score(s, noise, **prior) == pytest.approx(0.5, abs=0.05)
    assert metrics.pu_average_precision_score(s, noise, **prior) == pytest.approx(0.2, abs=0.05)


def test_nobody_predicted_positive():
    s = [1, 1, 0, 0, 0]
    assert metrics.pu_f1_score(s, [0] * 5, alpha=0.2) == 0
    assert metrics.pu_matthews_corrcoef(s, [0] * 5, alpha=0.2) == 0
    assert metrics.pu_balanced_accuracy_score(s, [0] * 5, alpha=0.2) == pytest.approx(0.5)
    assert metrics.max_score("accuracy", s, [1, 2, 3, 4, 5], alpha=0.1)[1] == np.inf
    assert metrics.pu_average_precision_score(s, [1, 2, 3, 4, 5], alpha=0, population="unlabeled") == 0


def test_clipping_hides_and_raw_values_show():
    s, prediction = [1, 1, 0, 0], [1, 1, 0, 0]
    assert metrics.pu_accuracy_score(s, prediction, alpha=0.4) == 1
    assert metrics.pu_accuracy_score(s, prediction, alpha=0.4, clip=False) > 1
    assert metrics.max_score("mcc", s, prediction, alpha=0.4)[0] == 1
    assert metrics.max_score("mcc", s, prediction, alpha=0.4, clip=False)[0] > 1
    assert metrics.pu_roc_auc_score(s, prediction, alpha=0.4, method="direct") == 1
    assert metrics.pu_roc_auc_score(s, prediction, alpha=0.4, method="direct", clip=False) > 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.max_score("auc", [1, 0], [2, 1], alpha=0.1), "metric must be one of accuracy"),
        (lambda: metrics.pu_f1_score([1, 0], [0.9, 0.5], alpha=0.1), "y_pred must hold only 0, 1, got 0.9 at position"),
        (lambda: metrics.make_pu_scorer(sk.f1_score, alpha=0.1), "metric must be one of roc_auc"),
        (lambda: metrics.make_pu_scorer("f1", alpha=1.0), "alpha must be smaller than beta"),
    ],
)
def test_unknown_options_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), alpha=st.floats(0.01, 0.6), population=st.sampled_from(["all", "unlabeled"]))
def test_without_noise_alpha_scales_the_average_precision_of_all_models_alike(seed, alpha, population):
    """So the ranking by it is identified: over all rows by (prior / c), over the unlabeled by alpha."""
    rng = np.random.default_rng(seed)
    s = np.repeat([1, 0], [30, 100])
    ratios = []
    for separation in (0.5, 2.0):
        positive = rng.normal(separation, 1, 30)  # twice among the unlabeled, so that no recovered rate is negative
        y_score = np.concatenate([positive, positive, positive, rng.normal(size=40)])
        one, half = (
            metrics.pu_average_precision_score(s, y_score, alpha=each, population=population, repair="none")
            for each in (alpha, alpha / 2)
        )
        ratios.append(one / half)
    prior, half = ((30 + 100 * each) / 130 for each in (alpha, alpha / 2))
    assert ratios == pytest.approx([prior / half if population == "all" else 2.0] * 2)
