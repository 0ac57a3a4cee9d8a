"""What every estimator of priors must do, over the whole registry."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.stats import beta as beta_distribution
from scipy.stats import binom, gaussian_kde, norm

from pumetrics.cautions import FEW
from pumetrics.priors import available_priors, estimate_priors, estimate_shares
from pumetrics.priors import plateau as plateau_module
from pumetrics.priors.alphamax import deviance_curve, quantile_histogram
from pumetrics.priors.densities import _is_coarse, _kernel_density, _mean_posterior
from pumetrics.priors.kernel_mean import _atoms, _kernel_root, _Nearest
from pumetrics.priors.plateau import clean_p_value
from pumetrics.priors.registry import METHODS
from pumetrics.priors.roc import _tail_limit, calibrated
from pumetrics_workflow.studies.class_priors.simulation import draw_gaussians

ALL = available_priors()
COARSE = ("dedpul", "consensus")


def two_level(alpha, n_labeled=400, n_unlabeled=2000):
    """One score per class, and exactly `alpha` of the unlabeled positive: no noise at all."""
    return np.full(n_labeled, 0.9), np.repeat(
        [0.9, 0.1], [round(alpha * n_unlabeled), round((1 - alpha) * n_unlabeled)]
    )


def gaussian(alpha, beta, rng, n_labeled=500, n_unlabeled=3000):
    """Scores of well separated classes with tails."""
    samples = []
    for share, size in ((beta, n_labeled), (alpha, n_unlabeled)):
        x = np.where(rng.random(size) < share, 2.0, -2.0) + rng.normal(size=size)
        samples.append(1 / (1 + np.exp(-3 * x)))
    return samples


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("method", ALL)
def test_range_and_determinism(method, noisy):
    samples = gaussian(0.3, 0.9, np.random.default_rng(1))
    first, again = (
        estimate_priors(*samples, method=method, noisy=noisy, random_state=7) for _ in range(2)
    )
    assert 0 <= first.alpha <= 1
    assert 0 <= first.beta <= 1
    assert (first.alpha, first.beta, first.warnings) == (again.alpha, again.beta, again.warnings)
    assert first.alpha <= first.beta
    assert noisy or first.beta == 1


@pytest.mark.parametrize("method", ALL)
def test_more_positives_give_more(method):
    rng = np.random.default_rng(2)
    values = [
        np.mean(
            [
                estimate_priors(*gaussian(alpha, 1, rng), method=method, random_state=0).alpha
                for _ in range(2)
            ]
        )
        for alpha in (0.15, 0.4, 0.65)
    ]
    assert values[0] + 0.05 < values[1] < values[2] - 0.05, values


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("method", ALL)
def test_exact_on_perfectly_separated_samples(method, alpha):
    found = estimate_priors(*two_level(alpha), method=method, random_state=0).alpha
    # tice and roc_slope are upper confidence limits, the published AlphaMax looks for a bend near the edge of a cliff
    tolerance = {"tice": 0.16, "roc_slope": 0.03, "alphamax": 0.05, "pen_l1": 0.02}.get(
        method, 0.011
    )
    assert found == pytest.approx(alpha, abs=tolerance)
    if method in ("tice", "roc_slope"):
        assert found >= alpha


@pytest.mark.parametrize(
    "method", sorted(set(ALL) - {"tice", "elkan_noto_e1", "pearson", "roc_fit", "alphamax"})
)
def test_clean_separable_samples_are_clean(method):
    found = estimate_priors(*two_level(0.3), method=method, noisy=True, random_state=0)
    assert (found.alpha, found.beta) == pytest.approx((0.3, 1), abs=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL)
@settings(max_examples=6)
@given(st.integers(0, 2**32 - 1), st.floats(-12, 12), st.floats(-100, 100))
def test_unit_origin_and_precision_of_the_scores_do_not_matter(method, seed, magnitude, shift):
    rng = np.random.default_rng(seed)
    labeled = np.float32(rng.normal(2, 1, size=60))
    unlabeled = np.float32(rng.normal(np.where(rng.random(240) < 0.4, 2, -2)))

    def shares(change):
        pair = (change(labeled), change(unlabeled))
        return [
            share.value
            for share in estimate_shares(*pair, method=method, noisy=True, random_state=0)
        ]

    def changed(scores):
        return (scores.astype(np.float64) + shift) * 10**magnitude

    both = changed(np.concatenate([labeled, unlabeled]))
    # others are read as probabilities
    assume(both.min() < 0 or both.max() > 1 or np.ptp(both) < 1e-5)
    expected = shares(lambda scores: scores)
    assert shares(lambda scores: scores.astype(np.float64)) == expected
    assert shares(changed) == pytest.approx(expected, abs=1e-9)


def test_probabilities_that_are_turned_around_stay_probabilities():
    labeled, unlabeled = gaussian(0.3, 0.9, np.random.default_rng(3), 60, 240)
    _, found = estimate_shares(labeled, unlabeled, noisy=True, random_state=0)
    assert found == estimate_shares(1 - unlabeled, 1 - labeled, random_state=0)[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL)
def test_scores_may_be_of_any_magnitude(method):
    samples = [
        np.log(sample / (1 - sample))
        for sample in gaussian(0.3, 0.9, np.random.default_rng(3), 60, 240)
    ]
    values = [
        [
            share.value
            for share in estimate_shares(
                *(x * c for x in samples), method=method, noisy=True, random_state=0
            )
        ]
        for c in (1, 1e200, 1e-200, 1e306)
    ]
    np.testing.assert_allclose(values, values[:1] * 4, atol=1e-9)


@pytest.mark.parametrize("outlier", [1e2, 1e6, -1e6, 1e200])
@pytest.mark.parametrize("method", ["consensus", "dedpul", "km2", "pearson"])
def test_an_outlier_hardly_moves_an_estimate(method, outlier):
    labeled, unlabeled = np.split(
        np.random.default_rng(5).normal(np.repeat([2, 2, -2], [300, 450, 1050])), [300]
    )
    plain, moved = (
        estimate_priors(labeled, sample, method=method, random_state=0).alpha
        for sample in (unlabeled, np.append(unlabeled, outlier))
    )
    assert moved == pytest.approx(plain, abs=0.02)


BAD = [
    (([], [0.1, 0.2]), "labeled_scores is empty"),
    (([0.1, 0.3], [np.inf, 0.2]), "unlabeled_scores must be finite, got inf at position 0"),
    (([0.5] * 5, [0.5] * 9), "constant scores"),
    ((np.zeros((3, 2)), np.ones((4, 2))), "consensus needs one score per example"),
    ((np.zeros((3, 2)), np.ones((4, 3)), "km1"), "same features"),
    (([0.1], [0.2], "dedpull"), "did you mean 'dedpul'"),
]


@pytest.mark.parametrize(("samples", "message"), BAD)
def test_bad_input_is_named(samples, message):
    with pytest.raises(ValueError, match=message):
        estimate_priors(*samples[:2], method="".join(samples[2:]) or "consensus")


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL)
def test_tiny_and_odd_samples_still_answer(method):
    rng = np.random.default_rng(5)
    odd = {
        "three labeled": (np.array([0.7, 0.8, 0.9]), rng.uniform(size=20)),
        "equal labeled": (np.full(50, 0.9), rng.uniform(size=200)),
        "equal unlabeled": (rng.uniform(size=50), np.full(200, 0.2)),
        "equal within each": (np.full(24, 0.2), np.full(9, -0.3)),
        "integers": (np.repeat([3, 4], 30), np.repeat([1, 2, 3], 50)),
        "an outlier": (np.append(rng.normal(1, 1, 60), 1e9), rng.normal(-1, 1, 300)),
        "disjoint": (rng.uniform(0.8, 1, 60), rng.uniform(0, 0.2, 300)),
    }
    for name, samples in odd.items():
        for noisy in (False, True):
            priors = estimate_priors(*samples, method=method, noisy=noisy, random_state=0)
            alike = (method, name, noisy) == ("roc_slope", "three labeled", True)  # by its slope
            assert (priors.status == "failed") == alike, name
            assert alike or 0 <= priors.alpha <= priors.beta <= 1, name
            few = [warning for warning in priors.warnings if warning.startswith("few")]
            assert len(few) == sum(len(sample) < FEW for sample in samples), name


@pytest.mark.parametrize("method", [name for name in ALL if METHODS[name].features])
def test_features_as_well_as_scores(method):
    rng = np.random.default_rng(6)
    labeled = rng.normal(2, 1, size=(300, 3))
    unlabeled = rng.normal(np.where(rng.random(900) < 0.4, 2, -2)[:, None], 1, size=(900, 3))
    found = estimate_priors(labeled, unlabeled, method=method, random_state=0).alpha
    assert found == pytest.approx(0.4, abs=0.25 if method == "tice" else 0.06)


def test_samples_with_other_columns_are_refused():
    labeled = pd.DataFrame(np.random.default_rng(6).normal(2, 1, size=(30, 2)), columns=["a", "b"])
    with pytest.raises(ValueError, match="same features in the same order"):
        estimate_priors(labeled, labeled[["b", "a"]], method="km2")


def rated(rng, n, positive, levels):
    """Probabilities of so many levels, the highest nearly pure."""
    probability = 1 / (1 + np.exp(2 - 2 * rng.normal(2 * positive, 1, n)))
    return np.round(probability * (levels - 1)) / (levels - 1)


@pytest.mark.parametrize("levels", [4, 7, 10, 101])
@pytest.mark.parametrize("unit", [1, 10])
def test_coarse_scores_do_not_hide_the_component(levels, unit):
    """At a score that many rows share, a ratio of densities is no ratio of kernel widths."""
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        positives, negatives = rated(rng, 600, 1, levels), rated(rng, 1400, 0, levels)
        samples = rated(rng, 400, 1, levels), np.concatenate([positives, negatives])
        samples = [unit * each for each in samples]
        found.append([estimate_shares(*samples, method=name)[0].value for name in COARSE])
    assert np.mean(found, axis=0) == pytest.approx(0.3, abs=0.06)


def test_a_small_sample_is_not_coarse():
    assert not _is_coarse(np.random.default_rng(0).normal(size=9))
    assert not _is_coarse(np.array([1.0]))
    assert _is_coarse(np.repeat([0.1, 0.2, 0.3], 3))


def test_resamples_of_scores_that_are_all_equal_are_left_out():
    """Of five labeled and three hundred unlabeled rows, one in three resamples has one score."""
    samples = [1.0, 0, 0, 0, 0], [1.0] * 3 + [0] * 297
    low, high = estimate_priors(*samples, n_bootstrap=40, random_state=0).alpha_interval
    assert 0 <= low < high <= 1
    constant = estimate_priors([0.0], [0.0] * 40 + [1.0], n_bootstrap=1, random_state=4)
    assert constant.alpha_interval is None or 0 <= constant.alpha_interval[0] <= 1


def test_intervals_hold_the_estimate_and_narrow_with_the_sample():
    rng = np.random.default_rng(7)
    widths = []
    for size in (100, 1600):
        labeled, unlabeled = gaussian(0.3, 1.0, rng, n_labeled=size, n_unlabeled=4 * size)
        priors = estimate_priors(labeled, unlabeled, method="bbe", random_state=0, n_bootstrap=60)
        low, high = priors.alpha_interval
        assert low <= priors.alpha <= high
        assert priors.beta_interval == (1.0, 1.0)
        widths.append(high - low)
    assert widths[1] < widths[0] / 2


def test_the_edge_and_disagreement_are_said():
    rng = np.random.default_rng(9)
    none = estimate_priors(np.full(300, 0.9), np.full(900, 0.1), method="bbe")
    assert none.alpha == 0
    assert any("edge" in note for note in none.warnings)
    assert none.status == "suspect"
    overlapping = estimate_priors(rng.normal(0.7, 1, 500), rng.normal(-0.7, 1, 3000))
    assert any("estimators disagree: dedpul" in note for note in overlapping.warnings)


# Each fast path of an estimator against the plain computation it replaces, and against exact densities.


scores = st.lists(st.integers(0, 12), min_size=1, max_size=30).map(
    lambda values: np.array(values) / 12
)


def exact_quantiles(mu, alpha, beta, n_labeled=2000, n_unlabeled=20_000):
    """Samples without luck: evenly spaced quantiles of both classes, in their exact shares."""
    samples = []
    for share, size in ((beta, n_labeled), (alpha, n_unlabeled)):
        k = round(share * size)
        middle = lambda n: norm.ppf((np.arange(n) + 0.5) / n) if n else np.empty(0)  # noqa: E731
        samples.append(np.concatenate([mu + middle(k), middle(size - k) - mu]))
    return samples


@given(scores, scores)
def test_calibration_is_monotone_and_keeps_the_mean(component, mixture):
    own, other = calibrated(component, mixture)
    both = np.concatenate([component, mixture])
    posterior = np.concatenate([own, other])
    assert (np.diff(posterior[np.argsort(both, kind="stable")]) >= -1e-12).all()
    assert posterior.sum() == pytest.approx(len(component))


@given(scores, scores, st.integers(2, 8))
def test_quantile_bins_hold_everything(component, mixture, n_bins):
    own, other = quantile_histogram(component, mixture, n_bins)
    assert (own.sum(), other.sum()) == (len(component), len(mixture))
    assert own.size <= n_bins
    assert (own + other > 0).all()


def test_deviance_is_that_of_a_binomial_test():
    own = np.array([10.0, 30.0, 20.0])
    other = np.array([3.0, 40.0, 57.0])
    share = 0.4
    rate = share * 100 / 60
    lost = 0.0
    for u, w in zip(own, other, strict=True):
        best = w / (u + w)
        forced = rate / (1 + rate)
        if best < forced:
            n = int(u + w)
            lost += 2 * (binom.logpmf(int(w), n, best) - binom.logpmf(int(w), n, forced))
    assert lost > 0
    assert deviance_curve(own, other, np.array([share]))[0][0] == pytest.approx(lost)


def test_kernel_density_on_a_grid_equals_the_direct_one():
    sample = np.random.default_rng(0).normal(size=500)
    centers = np.linspace(-6, 6, 4096)
    direct = gaussian_kde(sample, 0.2)(centers)
    np.testing.assert_allclose(
        _kernel_density(sample, centers, 0.2 * sample.std(ddof=1)), direct, atol=2e-5
    )


@given(
    st.lists(st.floats(0, 50), min_size=1, max_size=40),
    st.lists(st.floats(0.01, 1), min_size=1, max_size=9),
)
def test_mean_posterior_is_the_mean(ratio, shares):
    ratio = np.sort(ratio)[::-1]
    shares = np.array(shares)
    direct = np.minimum(1, shares[:, None] * ratio).mean(axis=1)
    np.testing.assert_allclose(_mean_posterior(ratio)(shares), direct, atol=1e-12)


def test_kernel_distance_and_its_slope():
    rng = np.random.default_rng(1)
    points, h, f = _atoms(*(x[:300] for x in draw_gaussians(rng, mu=1, alpha=0.4)))
    points = points[::12]
    h = h[::12] / h[::12].sum()
    f = f[::12] / f[::12].sum()
    half = _kernel_root(points, h, f)
    images = half @ f, half @ h
    nearest = _Nearest(half, images)
    for multiplier in (1.5, 2.5):
        distance, slope = nearest.distance(multiplier)
        target = multiplier * images[0] - (multiplier - 1) * images[1]
        found = minimize(
            lambda v, target=target: ((target - half @ v) ** 2).sum(),
            np.full(f.size, 1 / f.size),
            method="SLSQP",
            bounds=[(0, 1)] * f.size,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 2000},
        )
        assert distance == pytest.approx(np.sqrt(found.fun), abs=1e-4)
        ahead, behind = (nearest.distance(multiplier + step)[0] for step in (1e-3, -1e-3))
        assert slope == pytest.approx((ahead - behind) / 2e-3, abs=1e-3)


@settings(max_examples=30)
@given(st.integers(1, 400), st.floats(0, 1))
def test_tail_limit_inverts_the_binomial_tail(size, part):
    count = int(part * size)
    limit = float(_tail_limit(np.array([count]), size)[0])
    if count < size:
        assert binom.cdf(count, size, limit) == pytest.approx(0.1, abs=1e-6)
        assert limit == pytest.approx(beta_distribution.ppf(0.9, count + 1, size - count))
    else:
        assert limit == 1


def test_plateau_gradient():
    labeled, unlabeled = draw_gaussians(
        np.random.default_rng(2), mu=1, alpha=0.3, beta=0.9, n_unlabeled=3000
    )
    cells = plateau_module._cells(labeled, unlabeled)
    objective = plateau_module._objective(*cells, labeled.size, unlabeled.size)
    for theta in ([-1.0, -3.0, 0.2, 2.0], [0.5, -1.0, -0.5, 0.7]):
        slow = approx_fprime(np.array(theta), lambda t: objective(t)[0], 1e-6)
        np.testing.assert_allclose(objective(np.array(theta))[1], slow, rtol=1e-3, atol=0.05)


@pytest.mark.parametrize(("alpha", "beta"), [(0.25, 1.0), (0.25, 0.75), (0.5, 0.9)])
@pytest.mark.parametrize(
    "method", ["consensus", "plateau", "dedpul", "km2", "bbe", "alphamax_plus"]
)
def test_samples_without_luck_give_the_priors_back(method, alpha, beta):
    found = estimate_priors(*exact_quantiles(2, alpha, beta), method=method, noisy=True)
    assert (found.alpha, found.beta) == pytest.approx((alpha, beta), abs=0.03)


def test_bbe_threshold_minimizes_its_bound():
    rng = np.random.default_rng(3)
    labeled, unlabeled = draw_gaussians(rng, mu=1, alpha=0.3, n_labeled=200, n_unlabeled=600)
    spread = sum(np.sqrt(np.log(40) / (2 * n)) for n in (200, 600))
    best = (np.inf, None)
    for t in np.concatenate([labeled, unlabeled]):
        q_p = (labeled >= t).mean()
        q_u = (unlabeled >= t).mean()
        if q_p:
            best = min(best, (q_u / q_p + 1.01 * spread / q_p, q_u / q_p))
    assert estimate_priors(labeled, unlabeled, method="bbe").alpha == pytest.approx(best[1])


def test_clean_labels_pass_the_test_of_beta_and_wrong_ones_fail():
    rng = np.random.default_rng(5)
    clean = [
        clean_p_value(*draw_gaussians(rng, mu=2, alpha=0.3, n_unlabeled=2000)) for _ in range(10)
    ]
    wrong = [
        clean_p_value(*draw_gaussians(rng, mu=2, alpha=0.3, beta=0.85, n_unlabeled=2000))
        for _ in range(5)
    ]
    assert np.mean(np.array(clean) < 0.05) <= 0.2
    assert max(wrong) < 1e-3


def test_interval_of_beta_holds_one_where_nothing_speaks_against_it():
    labeled, unlabeled = draw_gaussians(np.random.default_rng(7), mu=1, alpha=0.3, n_unlabeled=3000)
    priors = estimate_priors(
        labeled, unlabeled, method="plateau", noisy=True, n_bootstrap=10, random_state=0
    )
    assert priors.clean_p_value > 0.05
    assert priors.beta_interval[1] == 1


def test_the_published_elbow_says_what_it_cannot_answer():
    rng = np.random.default_rng(0)
    labeled, unlabeled = rng.normal(2.0, size=200), rng.normal(2.0 * (rng.random(1000) < 0.03))
    found = estimate_priors(labeled, unlabeled, method="alphamax", random_state=0)
    assert found.status == "suspect"
    assert "0.10 to 0.89" in found.warnings[0]
