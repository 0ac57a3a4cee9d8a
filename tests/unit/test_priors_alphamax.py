"""AlphaMax against general optimisers, and the two-run scheme against exact densities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

from pumetrics.priors import combine_shares, estimate_priors, shares_of
from pumetrics.priors.alphamax import (
    GRID,
    common_histogram,
    elbow,
    elbow_scores,
    likelihood_curve,
    likelihood_of_shares,
    scott_bin_width,
    smoothed,
)


def gaussian_samples(mu, alpha, beta, rng, n_labeled=1000, n_unlabeled=10_000):
    """Exact P(s=1|x) of labeled and unlabeled draws from N(mu, 1) and N(-mu, 1)."""
    samples = []
    for share, size in ((beta, n_labeled), (alpha, n_unlabeled)):
        x = np.where(rng.random(size) < share, mu, -mu) + rng.normal(size=size)
        f1, f0 = norm.pdf(x, mu), norm.pdf(x, -mu)
        g, f = beta * f1 + (1 - beta) * f0, alpha * f1 + (1 - alpha) * f0
        samples.append(n_labeled * g / (n_labeled * g + n_unlabeled * f))
    return samples


def histograms(mu, alpha):
    labeled, unlabeled = gaussian_samples(mu, alpha, 1.0, np.random.default_rng(0))
    return common_histogram(labeled, unlabeled, scott_bin_width(labeled))


@pytest.mark.parametrize(("mu", "alpha"), [(1, 0.25), (1, 0.5), (2, 0.25), (2, 0.5)])
def test_curve_equals_a_general_optimiser(mu, alpha):
    u, w = histograms(mu, alpha)
    for a in (0.05, 0.3, 0.6, 0.95):

        def lost(m, a=a):
            return -likelihood_of_shares(m[:, None], u[:, None], w[:, None], np.array([a]))[0]

        def slope(m, a=a):
            return w / np.maximum(w - m + a * u, 1e-12) - u / np.maximum(m, 1e-12)

        found = minimize(
            lost,
            w * a,
            jac=slope,
            method="SLSQP",
            bounds=[(1e-12 if u_i else 0, w_i) for u_i, w_i in zip(u, w, strict=True)],
            constraints={"type": "eq", "fun": lambda m, a=a: m.sum() - a, "jac": np.ones_like},
            options={"maxiter": 1000, "ftol": 1e-15},
        )
        ours = likelihood_curve(u, w, np.array([a]))[0]
        assert ours == pytest.approx(-found.fun, abs=1e-8), (a, found.message)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.floats(0.01, 0.99))
def test_no_feasible_split_beats_the_curve(seed, n_bins, a):
    rng = np.random.default_rng(seed)
    u, w = rng.dirichlet(np.full(n_bins, 0.5)), rng.dirichlet(np.full(n_bins, 0.5))
    best = likelihood_curve(u, w, np.array([a]))[0]
    keep = rng.random((n_bins, 40)) * w[:, None]
    total = keep.sum(axis=0)
    # scale down to the share, or fill up towards the whole mixture: either way the masses stay within their bins
    scaled = np.where(total >= a, keep * (a / total), w[:, None] - (w[:, None] - keep) * ((1 - a) / (1 - total)))
    others = likelihood_of_shares(scaled, u[:, None], w[:, None], np.array([a]))
    assert (others <= best + 1e-9).all()


def test_lines_of_the_elbow_rule_equal_a_general_optimiser():
    y = smoothed(likelihood_curve(*histograms(1, 0.5)))
    scores = elbow_scores(GRID, y)
    for j in (9, 18, 30, 61, 88):
        # The published rule keeps the slope of its left line from the twentieth grid point on.
        right, left = (_line_below(GRID, y, slice(start, start + 10)) for start in (j + 1, min(j, 18) - 9))
        expected = (right - left) / (np.median(y[j - 9 : j + 1]) + 0.01)
        assert scores[j] == pytest.approx(expected, rel=1e-5, abs=1e-7)


def _line_below(x, y, window):
    """Slope of the constrained least-squares line, found the slow way."""
    least = (y[-1] - y[0]) / (x[-1] - x[0]) / 100
    found = minimize(
        lambda line: ((y[window] - line[0] - line[1] * x[window]) ** 2).sum(),
        [-1.0, least],
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda line: y - line[0] - line[1] * x},
            {"type": "ineq", "fun": lambda line: line[1] - least},
        ],
        options={"ftol": 1e-16, "maxiter": 500},
    )
    return found.x[1]


def test_published_rule_never_leaves_its_range():
    rng = np.random.default_rng(3)
    for alpha in (0.01, 0.99):
        labeled, unlabeled = gaussian_samples(2, alpha, 1.0, rng)
        value = estimate_priors(labeled, unlabeled, method="alphamax").alpha
        assert value == 0.01 or 0.10 <= value <= 0.89


def test_flat_curve_is_said():
    assert elbow(GRID, np.zeros(GRID.size)) == (0.01, True)


@pytest.mark.parametrize(
    ("step", "expected"), [(1.4, 1.0), (1.6, 2.0), (2.6, 3.0), (4.1, 5.0), (7.6, 10.0), (0.026, 0.03)]
)
def test_bin_width_is_rounded_to_round_numbers(step, expected):
    sample = np.tile([-1.0, 1.0], 500)
    sample *= step * 10 / 3.5 / sample.std(ddof=1)
    assert scott_bin_width(sample) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("alpha", "beta", "a", "b"),
    [(0.25, 0.75, 1 / 3, 1 / 3), (0.10, 0.90, 1 / 9, 1 / 9), (0.50, 0.95, 0.52632, 0.1), (0.30, 1.0, 0.3, 0.0)],
)
@pytest.mark.parametrize("mu", [1, 2])
def test_shares_of_exact_densities_give_the_priors_back(alpha, beta, a, b, mu):
    x = np.linspace(-14, 14, 4001)
    f1, f0 = norm.pdf(x, mu), norm.pdf(x, -mu)
    f, g = alpha * f1 + (1 - alpha) * f0, beta * f1 + (1 - beta) * f0
    shares = (f / g).min(), (g / f).min()
    assert shares == pytest.approx((a, b), abs=1e-5)
    assert combine_shares(*shares) == pytest.approx((alpha, beta), abs=1e-5)


@given(st.floats(0, 0.99), st.floats(0.005, 1))
def test_shares_and_priors_are_inverse(alpha, gap):
    beta = alpha + gap * (1 - alpha)
    if alpha < beta <= 1:
        assert combine_shares(*shares_of(alpha, beta)) == pytest.approx((alpha, beta), abs=1e-9)


def test_equal_samples_have_no_priors():
    with pytest.raises(ValueError, match="look alike"):
        combine_shares(1, 1)


def test_published_two_runs_break_on_clean_data_and_the_repair_does_not():
    rng = np.random.default_rng(0)
    labeled = rng.normal(2, size=1000)
    unlabeled = np.where(rng.random(10_000) < 0.25, 2, -2) + rng.normal(size=10_000)
    published, repaired = (
        estimate_priors(labeled, unlabeled, method=method, noisy=True) for method in ("alphamax", "alphamax_plus")
    )
    assert published.beta < 0.5
    assert published.alpha < 0.15
    assert (repaired.alpha, repaired.beta) == pytest.approx((0.25, 1), abs=0.03)
