"""Corrected scores: equal to scikit-learn's without noise, right in expectation with it, and honest about bad input."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples import gaussian
from scipy.spatial import ConvexHull
from scipy.stats import norm
from sklearn import metrics as sk

from pumetrics import metrics, recovery
from pumetrics.curves import upper_hull
from pumetrics.rates import mcc, true_rates

relaxed = settings(max_examples=60)
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
    s[0] = 1
    s[1] = 0
    return s, np.array(draw(st.lists(st.integers(0, 12), min_size=n, max_size=n))) / 8


@st.composite
def priors(draw):
    alpha = draw(st.floats(0.0, 0.85))
    return {"alpha": alpha, "beta": draw(st.floats(alpha + 0.1, 1.0))}


def weights_of(s, weighted):
    return {
        "sample_weight": np.random.default_rng(len(s)).exponential(size=len(s))
        if weighted
        else None
    }


@relaxed
@given(sample=samples(), weighted=st.booleans())
def test_without_noise_scores_of_predictions_equal_scikit_learns(sample, weighted):
    s, score = sample
    prediction = (score >= 0.75).astype(int)
    weights = weights_of(s, weighted)
    for name, (ours, theirs) in PREDICTION_SCORES.items():
        wanted = theirs(s, prediction, **weights)
        assert ours(s, prediction, alpha=0.0, **weights) == pytest.approx(wanted, abs=1e-12), name


@pytest.mark.slow
@relaxed
@given(sample=samples(), weighted=st.booleans())
def test_without_noise_areas_and_curves_equal_scikit_learns(sample, weighted):
    s, score = sample
    weights = weights_of(s, weighted)
    auc = sk.roc_auc_score(s, score, **weights)
    for repair in ("envelope", "monotone", "none"):
        found = metrics.pu_roc_auc_score(s, score, alpha=0, repair=repair, **weights)
        assert found == pytest.approx(auc, abs=1e-12)
        found = metrics.pu_average_precision_score(
            s, score, alpha=0, population="all", repair=repair, **weights
        )
        assert found == pytest.approx(sk.average_precision_score(s, score, **weights), abs=1e-12)
    assert metrics.pu_roc_auc_score(s, score, alpha=0, method="direct", **weights) == pytest.approx(
        auc, abs=1e-12
    )
    ours = metrics.pu_roc_curve(s, score, alpha=0, **weights)
    for mine, other in zip(
        ours, sk.roc_curve(s, score, drop_intermediate=False, **weights), strict=True
    ):
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
        assert ours(s, (score >= at).astype(int), clip=False, **prior) == pytest.approx(
            best, abs=1e-12
        ), name
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
        assert metrics.pu_roc_auc_score(*sample, repair=repair, **prior) == pytest.approx(
            areas[repair], abs=1e-12
        )
    assert areas["monotone"] <= areas["envelope"] + 1e-12
    assert areas["envelope"] <= areas["hull"] + 1e-12


@relaxed
@given(st.integers(0, 10_000), st.integers(1, 300))
def test_hull_is_the_convex_hull(seed, n):
    rng = np.random.default_rng(seed)
    x, y = np.clip(np.sort(rng.normal(0.5, 0.4, (2, n)), axis=1) + rng.normal(0, 0.1, (2, n)), 0, 1)
    x = np.r_[0, x, 1]
    y = np.r_[0, y, 1]
    corners = upper_hull(x, y)
    with_floor = np.c_[np.r_[x, 1], np.r_[y, 0]]  # the point (1, 0) closes the hull from below
    if np.all(y <= x):
        assert corners.tolist() == [0, n + 1] or np.trapezoid(
            y[corners], x[corners]
        ) == pytest.approx(0.5)
    else:
        assert np.trapezoid(y[corners], x[corners]) == pytest.approx(
            ConvexHull(with_floor).volume, abs=1e-9
        )


def test_figure_1_of_jain():
    score = [0.986, 0.943, 0.863, 0.789, 0.699, 0.473, 0.211, 0.009]
    s = [1, 0, 1, 0, 1, 0, 0, 0]
    y = [1, 1, 1, 0, 1, 0, 0, 0]
    for method in ("direct", "indirect"):
        assert metrics.pu_roc_auc_score(s, score, alpha=0, method=method) == pytest.approx(
            0.8, abs=1e-12
        )
        assert metrics.pu_roc_auc_score(y, score, alpha=0, method=method) == pytest.approx(
            0.9375, abs=1e-12
        )
    assert metrics.pu_roc_auc_score(s, score, alpha=0.2, method="direct") == pytest.approx(
        0.875, abs=1e-12
    )


GAUSSIANS = pytest.mark.parametrize(
    ("alpha", "beta"), [(0.1, 1.0), (0.5, 1.0), (0.3, 0.9), (0.1, 0.75), (0.5, 0.75)]
)


@GAUSSIANS
def test_areas_of_two_gaussians_are_recovered(alpha, beta):
    """At n = 200,000, in the mean of two draws: one draw has a standard error of up to .0015 / (beta - alpha)."""
    found = {repair: [] for repair in REPAIRS}
    for seed in range(2):
        s, score, _ = gaussian(seed, 100_000, 100_000, alpha=alpha, beta=beta)
        for repair, areas in found.items():
            areas.append(metrics.pu_roc_auc_score(s, score, alpha=alpha, beta=beta, repair=repair))
    for repair, areas in found.items():
        assert np.mean(areas) == pytest.approx(norm.cdf(np.sqrt(2)), abs=0.003 / (beta - alpha)), (
            repair
        )


def test_perfect_and_random_classifiers_get_what_they_deserve():
    s, _, y = gaussian(0, 500, 5000, alpha=0.2, beta=0.9)
    prior = {"alpha": 0.2, "beta": 0.9}
    for repair in REPAIRS:
        assert metrics.pu_roc_auc_score(s, y, repair=repair, **prior) == pytest.approx(1, abs=1e-12)
    for population in ("unlabeled", "all"):
        assert metrics.pu_average_precision_score(
            s, y, population=population, **prior
        ) == pytest.approx(1, abs=1e-12)
    for name, (ours, _) in PREDICTION_SCORES.items():
        assert ours(s, y, **prior) == pytest.approx(1, abs=1e-12), name
    noise = np.random.default_rng(0).random(len(s))
    assert metrics.pu_roc_auc_score(s, noise, **prior) == pytest.approx(0.5, abs=0.05)
    for population, share in (("unlabeled", 0.2), ("all", (450 + 1000) / 5500)):
        found = metrics.pu_average_precision_score(s, noise, population=population, **prior)
        assert found == pytest.approx(share, abs=0.05)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    alpha=st.floats(0.01, 0.6),
    population=st.sampled_from(["all", "unlabeled"]),
)
def test_without_noise_alpha_scales_the_average_precision_of_all_models_alike(
    seed, alpha, population
):
    """So the ranking by it is identified: over all rows by (prior / c), over the unlabeled by alpha."""
    rng = np.random.default_rng(seed)
    s = np.repeat([1, 0], [30, 100])
    ratios = []
    for separation in (0.5, 2.0):
        # twice among the unlabeled, so that no recovered rate is negative
        positive = rng.normal(separation, 1, 30)
        y_score = np.concatenate([positive, positive, positive, rng.normal(size=40)])
        one, half = (
            metrics.pu_average_precision_score(
                s, y_score, alpha=each, population=population, repair="none"
            )
            for each in (alpha, alpha / 2)
        )
        ratios.append(one / half)
    prior, half = ((30 + 100 * each) / 130 for each in (alpha, alpha / 2))
    assert ratios == pytest.approx([prior / half if population == "all" else 2.0] * 2)


# Correcting undoes corrupting, Theorem 2.1 holds, and Figure 1 of Ramola et al. comes out to the fourth digit.


shares = st.floats(0.0, 1.0)
labeled_shares = st.floats(0.01, 0.99)


@st.composite
def apart(draw):
    """Alpha and beta at least 0.05 apart: what is divided by their gap keeps twelve digits."""
    alpha = draw(st.floats(0.0, 0.9))
    return {"alpha": alpha, "beta": draw(st.floats(min(alpha + 0.05, 1.0), 1.0))}


def plain_measures(tpr, fpr, pi):
    """Eqs. 4 to 7 of Ramola et al., written from the confusion matrix instead of the rates."""
    tp = pi * tpr
    fn = pi * (1 - tpr)
    fp = (1 - pi) * fpr
    tn = (1 - pi) * (1 - fpr)
    return {
        "accuracy": tp + tn,
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    }


@given(tpr=shares, fpr=shares, prior=apart())
def test_recovering_rates_undoes_corrupting_them(tpr, fpr, prior):
    found = recovery.recover_rates(*recovery.corrupt_rates(tpr, fpr, **prior), **prior)
    assert found == pytest.approx((tpr, fpr), abs=1e-12)


@given(tpr=st.floats(0.01, 0.99), fpr=st.floats(0.01, 0.99), prior=apart(), c=labeled_shares)
def test_recovered_measures_are_those_of_the_true_confusion_matrix(tpr, fpr, prior, c):
    rates = recovery.corrupt_rates(tpr, fpr, **prior)
    truth = plain_measures(tpr, fpr, recovery.population_prior(c=c, **prior))
    assert recovery.recover_measures(*rates, c=c, **prior) == pytest.approx(truth, abs=1e-12)
    assert recovery.recover_accuracy(*rates, c=c, **prior) == pytest.approx(
        truth["accuracy"], abs=1e-12
    )
    assert recovery.recover_f1(*rates, c=c, **prior) == pytest.approx(truth["f1"], abs=1e-12)


@given(tpr=st.floats(0.01, 0.99), fpr=st.floats(0.01, 0.99), prior=apart(), c=labeled_shares)
def test_theorem_2_1_equalities_and_inequalities(tpr, fpr, prior, c):
    observed = plain_measures(*recovery.corrupt_rates(tpr, fpr, **prior), c)
    truth = plain_measures(tpr, fpr, recovery.population_prior(c=c, **prior))
    bacc = recovery.recover_balanced_accuracy(observed["balanced_accuracy"], **prior)
    mcc = recovery.recover_mcc(observed["mcc"], c=c, **prior)
    assert bacc == pytest.approx(truth["balanced_accuracy"], abs=1e-12)
    assert mcc == pytest.approx(truth["mcc"], abs=1e-11)
    assert abs(mcc) >= abs(observed["mcc"]) - 1e-12
    assert (bacc - observed["balanced_accuracy"]) * (observed["balanced_accuracy"] - 0.5) >= -1e-12


@given(auc=shares, prior=apart())
def test_direct_area_undoes_the_mixture_of_areas(auc, prior):
    # A pair (labeled, unlabeled) is a pair (positive, negative), the reverse, or two of a class, which is a coin flip.
    alpha = prior["alpha"]
    beta = prior["beta"]
    right = beta * (1 - alpha)
    reversed_ = (1 - beta) * alpha
    auc_pu = right * auc + reversed_ * (1 - auc) + (1 - right - reversed_) / 2
    assert recovery.recover_auc(auc_pu, **prior) == pytest.approx(auc, abs=1e-12)


@given(tpr=st.floats(0.01, 1), fpr=st.floats(0.01, 1), prior=apart(), c=labeled_shares)
def test_precision_of_either_population(tpr, fpr, prior, c):
    tpr_pu, fpr_pu = recovery.corrupt_rates(tpr, fpr, **prior)
    precision_pu = c * tpr_pu / (c * tpr_pu + (1 - c) * fpr_pu)
    for population, pi in (
        ("unlabeled", prior["alpha"]),
        ("all", recovery.population_prior(c=c, **prior)),
    ):
        truth = pi * tpr / (pi * tpr + (1 - pi) * fpr)
        found = recovery.recover_precision(precision_pu, c=c, population=population, **prior)
        assert found == pytest.approx(truth, abs=1e-9), population


def test_precision_where_nobody_unlabeled_is_predicted_positive():
    assert recovery.recover_precision(1.0, alpha=0.2, c=0.1) == np.inf
    assert recovery.recover_precision(1.0, alpha=0.0, c=0.1) == 0.0
    assert recovery.recover_precision(0.4, alpha=0.0, c=0.1, population="all") == pytest.approx(0.4)


FIGURE_1 = [  # measure, against: (maximum, threshold)
    ("accuracy", "true", 0.8613, 0.424),
    ("accuracy", "pu", 0.9000, 5.0),
    ("balanced_accuracy", "true", 0.8413, 0.0),
    ("balanced_accuracy", "pu", 0.6707, 0.0),
    ("f1", "true", 0.7665, 0.186),
    ("f1", "pu", 0.3023, 0.501),
    ("mcc", "true", 0.6643, 0.294),
    ("mcc", "pu", 0.2175, 0.294),
]


@pytest.mark.parametrize(("measure", "against", "maximum", "threshold"), FIGURE_1)
def test_figure_1_of_ramola(measure, against, maximum, threshold):
    tau = np.linspace(-5, 5, 10_001)
    tpr = norm.sf(tau - 1)
    fpr = norm.sf(tau + 1)
    if against == "true":
        curve = recovery.recover_measures(tpr, fpr, alpha=0, c=0.3)[measure]
    else:
        rates = recovery.corrupt_rates(tpr, fpr, alpha=0.25, beta=0.75)
        curve = recovery.recover_measures(*rates, alpha=0, c=0.1)[measure]
    assert round(float(curve.max()), 4) == maximum
    assert tau[curve.argmax()] == pytest.approx(threshold, abs=6e-4)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_agreeing_predictions_correlate_with_nothing(rate):
    found = recovery.recover_measures(rate, rate, alpha=0.3, beta=0.9, c=0.2)
    assert found["mcc"] == 0.0
    assert found["balanced_accuracy"] == pytest.approx(0.5)
    if rate == 0:
        assert found["f1"] == 0.0


@pytest.mark.parametrize("fpr_pu", [0.0, 1.0])
def test_among_the_unlabeled_only_their_own_predictions_agree(fpr_pu):
    """Labeled examples on the other side of the threshold do not count: the unlabeled are all on one side of it."""
    rates = true_rates(1 - fpr_pu, fpr_pu, alpha=0.3, beta=0.9, c=0.2, population="unlabeled")
    assert mcc(rates) == 0.0
    assert (
        mcc(true_rates(1 - fpr_pu, 0.5, alpha=0.3, beta=0.9, c=0.2, population="unlabeled")) != 0.0
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: recovery.recover_rates(1.2, 0.5, alpha=0.1),
            r"tpr_pu must lie in \[0, 1\], got 1.2",
        ),
        (
            lambda: recovery.recover_rates([0.5, 0.6], [0.1, 0.2, 0.3], alpha=0.1),
            "must have one shape",
        ),
        (lambda: recovery.recover_mcc(-1.5, alpha=0.1, c=0.5), r"mcc_pu must lie in \[-1, 1\]"),
    ],
)
def test_bad_values_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(value=st.floats(allow_nan=True), prior=apart())
def test_a_balanced_accuracy_out_of_range_is_never_swallowed(value, prior):
    assume(not -1e-8 < value < 1 + 1e-8)
    with pytest.raises(ValueError, match="bacc_pu must lie in"):
        recovery.recover_balanced_accuracy(value, **prior)


def test_thresholds_under_the_hull_are_those_of_its_points():
    """Each point lies on the hull above the false positive rate that its own threshold has."""
    s = np.array([1, 0, 0, 1, 1, 0, 0, 0, 0, 0])
    score = np.arange(10, 0, -1.0)
    alpha = 0.3
    precision, recall, thresholds = metrics.pu_precision_recall_curve(
        s, score, alpha=alpha, repair="hull"
    )
    tpr_pu, fpr_pu, every = metrics.threshold_rates(s, score)
    own = dict(
        zip(
            every,
            np.clip(recovery.recover_rates(tpr_pu, fpr_pu, alpha=alpha)[1], 0, 1),
            strict=True,
        )
    )
    fpr = np.array([own[each] for each in thresholds])
    assert sorted(thresholds) == sorted(score)
    tpr = np.interp(fpr, *metrics.pu_roc_curve(s, score, alpha=alpha, repair="hull")[:2])
    prior = 0.3 + 0.7 * alpha
    assert recall[:-1] == pytest.approx(tpr)
    assert precision[:-1] == pytest.approx(prior * tpr / (prior * tpr + (1 - prior) * fpr))


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 1.0), (0.5, 1.0), (0.3, 0.9), (0.5, 0.75)])
def test_measures_of_two_gaussians_are_recovered(alpha, beta):
    prior = {"alpha": alpha, "beta": beta}
    s, score, y = gaussian(3, 100_000, 100_000, **prior)
    for name in metrics.MEASURES:
        best, threshold = metrics.max_score(name, s, score, **prior)
        truth = PREDICTION_SCORES[name][1](y, score >= threshold)
        assert best == pytest.approx(truth, abs=0.003 / (beta - alpha)), name


def test_the_order_of_close_models_changes_with_alpha():
    """200 labeled and 2,000 unlabeled examples with alpha 0.2, and two models that differ by noise."""
    changed = 0
    rng = np.random.default_rng(1)
    s = np.repeat([1, 0], [200, 2000])
    for _ in range(60):
        y = (s == 1) | (rng.random(2200) < 0.2)
        models = rng.normal(1.2 * y) + 0.3 * rng.normal(size=(2, 2200))
        areas = [
            [metrics.pu_average_precision_score(s, score, alpha=alpha) for score in models]
            for alpha in (0.1, 0.2, 0.4)
        ]
        low, middle, high = np.sign(np.diff(areas))
        changed += np.append(low, high) != middle
    assert (changed >= 3).all()


def impossible():
    """Scores that allow at most .4 of the unlabeled to be positive."""
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(100), rng.random(1000) < 0.32]
    return np.repeat([1, 0], [100, 1000]), rng.normal(2.0 * y)


def test_an_alpha_that_is_not_possible_is_seen_without_the_clip():
    s, score = impossible()
    for alpha in (0.9, 0.995):
        direct = metrics.pu_roc_auc_score(s, score, alpha=alpha, method="direct", clip=False)
        assert direct > 3
        found = metrics.pu_roc_auc_score(s, score, alpha=alpha, clip=False)
        assert found == pytest.approx(direct, rel=1e-9)


@pytest.mark.parametrize(
    "clipped",
    [
        lambda s, x: metrics.pu_roc_auc_score(s, x, alpha=0.9),
        lambda s, x: metrics.pu_f1_score(s, x > 1, alpha=0.8),
        lambda s, x: metrics.max_score("f1", s, x, alpha=0.9)[0],
        lambda s, x: metrics.precision_at_k(s, x, k=50, alpha=0.9),
    ],
)
def test_a_clip_that_moves_a_score_is_a_warning(clipped):
    with pytest.warns(UserWarning, match="alpha is too high for these scores") as caught:
        assert clipped(*impossible()) <= 1
    assert caught[0].filename == __file__
