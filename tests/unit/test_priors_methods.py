"""Each fast path of an estimator against the plain computation it replaces, and against exact densities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.stats import beta as beta_distribution
from scipy.stats import binom, gaussian_kde, norm

from pumetrics.priors import Evidence, Priors, available_priors, estimate_priors
from pumetrics.priors import plateau as plateau_module
from pumetrics.priors._types import logits
from pumetrics.priors.alphamax import deviance_curve, quantile_histogram
from pumetrics.priors.densities import _kernel_density, _mean_posterior
from pumetrics.priors.estimate import estimate_shares
from pumetrics.priors.kernel_mean import _atoms, _kernel_root, _Nearest
from pumetrics.priors.plateau import clean_p_value
from pumetrics.priors.plots import plot_evidence
from pumetrics.priors.roc import _tail_limit, calibrated
from pumetrics_workflow.studies.class_priors.simulation import draw_gaussians, logistic_scores

scores = st.lists(st.integers(0, 12), min_size=1, max_size=30).map(lambda values: np.array(values) / 12)


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
    both, posterior = np.concatenate([component, mixture]), np.concatenate([own, other])
    assert (np.diff(posterior[np.argsort(both, kind="stable")]) >= -1e-12).all()
    assert posterior.sum() == pytest.approx(len(component))


@given(scores, scores)
def test_logits_keep_the_order_and_stay_finite(component, mixture):
    turned = np.concatenate(logits(component, mixture))
    assert np.isfinite(turned).all()
    order = np.argsort(np.concatenate([component, mixture]), kind="stable")
    assert (np.diff(turned[order]) >= 0).all()


@given(scores, scores, st.integers(2, 8))
def test_quantile_bins_hold_everything(component, mixture, n_bins):
    own, other = quantile_histogram(component, mixture, n_bins)
    assert (own.sum(), other.sum()) == (len(component), len(mixture))
    assert own.size <= n_bins
    assert (own + other > 0).all()


def test_deviance_is_that_of_a_binomial_test():
    own, other = np.array([10.0, 30.0, 20.0]), np.array([3.0, 40.0, 57.0])
    share = 0.4
    rate = share * 100 / 60
    lost = 0.0
    for u, w in zip(own, other, strict=True):
        best, forced = w / (u + w), rate / (1 + rate)
        if best < forced:
            n = int(u + w)
            lost += 2 * (binom.logpmf(int(w), n, best) - binom.logpmf(int(w), n, forced))
    assert lost > 0
    assert deviance_curve(own, other, np.array([share]))[0][0] == pytest.approx(lost)


def test_kernel_density_on_a_grid_equals_the_direct_one():
    sample = np.random.default_rng(0).normal(size=500)
    centers = np.linspace(-6, 6, 4096)
    direct = gaussian_kde(sample, 0.2)(centers)
    np.testing.assert_allclose(_kernel_density(sample, centers, 0.2 * sample.std(ddof=1)), direct, atol=2e-5)


@given(st.lists(st.floats(0, 50), min_size=1, max_size=40), st.lists(st.floats(0.01, 1), min_size=1, max_size=9))
def test_mean_posterior_is_the_mean(ratio, shares):
    ratio, shares = np.sort(ratio)[::-1], np.array(shares)
    direct = np.minimum(1, shares[:, None] * ratio).mean(axis=1)
    np.testing.assert_allclose(_mean_posterior(ratio)(shares), direct, atol=1e-12)


def test_kernel_distance_and_its_slope():
    rng = np.random.default_rng(1)
    points, h, f = _atoms(*(x[:300] for x in draw_gaussians(rng, mu=1, alpha=0.4)))
    points, h, f = points[::12], h[::12] / h[::12].sum(), f[::12] / f[::12].sum()
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
    labeled, unlabeled = draw_gaussians(np.random.default_rng(2), mu=1, alpha=0.3, beta=0.9, n_unlabeled=3000)
    cells = plateau_module._cells(labeled, unlabeled)
    objective = plateau_module._objective(*cells, labeled.size, unlabeled.size)
    for theta in ([-1.0, -3.0, 0.2, 2.0], [0.5, -1.0, -0.5, 0.7]):
        slow = approx_fprime(np.array(theta), lambda t: objective(t)[0], 1e-6)
        np.testing.assert_allclose(objective(np.array(theta))[1], slow, rtol=1e-3, atol=0.05)


@given(scores, scores)
def test_plateau_sees_only_the_order(component, mixture):
    cells = [plateau_module._cells(*pair) for pair in ((component, mixture), (np.exp(component), np.exp(mixture)))]
    for first, second in zip(*cells, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(("alpha", "beta"), [(0.25, 1.0), (0.25, 0.75), (0.5, 0.9)])
@pytest.mark.parametrize("method", ["consensus", "plateau", "dedpul", "km2", "bbe", "alphamax_plus"])
def test_samples_without_luck_give_the_priors_back(method, alpha, beta):
    found = estimate_priors(*exact_quantiles(2, alpha, beta), method=method, noisy=True)
    assert (found.alpha, found.beta) == pytest.approx((alpha, beta), abs=0.03)


def test_elkan_noto_is_exact_where_its_assumption_holds():
    labeled, unlabeled = np.full(300, 2.0), np.repeat([2.0, 0.0], [450, 550])
    for method in ("elkan_noto_e1", "elkan_noto_e3"):
        assert estimate_priors(labeled, unlabeled, method=method).alpha == pytest.approx(0.45, abs=1e-12)


def test_bbe_threshold_minimises_its_bound():
    rng = np.random.default_rng(3)
    labeled, unlabeled = draw_gaussians(rng, mu=1, alpha=0.3, n_labeled=200, n_unlabeled=600)
    spread = sum(np.sqrt(np.log(40) / (2 * n)) for n in (200, 600))
    best = (np.inf, None)
    for t in np.concatenate([labeled, unlabeled]):
        q_p, q_u = (labeled >= t).mean(), (unlabeled >= t).mean()
        if q_p:
            best = min(best, (q_u / q_p + 1.01 * spread / q_p, q_u / q_p))
    assert estimate_priors(labeled, unlabeled, method="bbe").alpha == pytest.approx(best[1])


def test_priors_cannot_be_changed():
    priors = Priors(0.2, 1.0, "bbe")
    with pytest.raises(AttributeError):
        priors.alpha = 0.3
    assert (priors.status, Priors(0.2, 1.0, "bbe", warnings=("why",)).status) == ("ok", "suspect")


def test_scores_of_the_measure_are_out_of_fold_posteriors():
    rng = np.random.default_rng(4)
    draws = draw_gaussians(rng, mu=2, alpha=0.25, n_labeled=300, n_unlabeled=900)
    labeled, unlabeled = logistic_scores(rng, *draws)
    assert (labeled.shape, unlabeled.shape) == ((300,), (900,))
    assert labeled.mean() > unlabeled.mean()
    assert np.concatenate([labeled, unlabeled]).mean() == pytest.approx(0.25, abs=0.02)


def test_every_method_has_evidence_to_draw():
    labeled, unlabeled = exact_quantiles(1, 0.3, 0.9, 200, 800)
    both = plot_evidence(estimate_priors(labeled, unlabeled, method="bbe", noisy=True))
    assert len(both.axes) == 2
    for method in available_priors():
        (share,) = estimate_shares(labeled, unlabeled, method=method, random_state=0)
        assert isinstance(share.evidence, Evidence), method
    import matplotlib.pyplot as plt

    plt.close("all")


def test_clean_labels_pass_the_test_of_beta_and_wrong_ones_fail():
    rng = np.random.default_rng(5)
    clean = [clean_p_value(*draw_gaussians(rng, mu=2, alpha=0.3, n_unlabeled=2000)) for _ in range(10)]
    wrong = [clean_p_value(*draw_gaussians(rng, mu=2, alpha=0.3, beta=0.85, n_unlabeled=2000)) for _ in range(5)]
    assert np.mean(np.array(clean) < 0.05) <= 0.2
    assert max(wrong) < 1e-3


def test_interval_of_beta_holds_one_where_nothing_speaks_against_it():
    labeled, unlabeled = draw_gaussians(np.random.default_rng(7), mu=1, alpha=0.3, n_unlabeled=3000)
    priors = estimate_priors(labeled, unlabeled, method="plateau", noisy=True, n_bootstrap=10, random_state=0)
    assert priors.clean_p_value > 0.05
    assert priors.beta_interval[1] == 1


def test_bad_options_are_named():
    samples = [0.1, 0.7, 0.9], [0.1, 0.2, 0.8]
    for options, message in (
        ({"n_bootstrap": -1}, "n_bootstrap must be a whole number, at least 0"),
        ({"n_bootstrap": 2.5}, "n_bootstrap must be a whole number"),
        ({"confidence": 1}, "confidence must lie in"),
    ):
        with pytest.raises(ValueError, match=message):
            estimate_priors(*samples, noisy=True, **options)
