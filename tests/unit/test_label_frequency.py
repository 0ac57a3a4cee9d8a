"""Estimates without negatives against the truth they stand for, their variance against simulation and enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.metrics import f1_score, precision_score, recall_score

from pumetrics.label_frequency import (
    alpha_from_pi,
    alpha_from_rho,
    estimated_f1_score,
    estimated_f1_std,
    f1_from_counts,
    lee_liu_from_counts,
    lee_liu_score,
    rho_from_alpha,
)
from pumetrics.priors import combine_shares, estimate_priors
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
from pumetrics_workflow.rho import leave_one_out_scores, rho_from_mean_score


@st.composite
def samples(draw):
    """Return true classes, predictions, and one way to label some of the positives."""
    n = draw(st.integers(6, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = (np.arange(n) < draw(st.integers(2, n - 2))).astype(int)
    y_pred = rng.integers(0, 2, n)
    s = np.zeros(n, dtype=int)
    s[rng.choice(y.sum(), draw(st.integers(1, y.sum())), replace=False)] = 1
    return y, y_pred, s


@pytest.mark.slow
@given(samples())
def test_estimated_f1_is_the_harmonic_mean_of_the_recall_and_the_precision_that_labels_show(sample):
    y, y_pred, s = sample
    assert estimated_f1_score(y, y_pred, rho=1) == pytest.approx(f1_score(y, y_pred)), (
        "all positives are labeled"
    )
    rho = s.sum() / y.sum()
    recall = recall_score(s, y_pred)
    precision = s[y_pred == 1].sum() / rho / max(y_pred.sum(), 1)
    expected = 2 * precision * recall / (precision + recall) if precision else 0.0
    assert estimated_f1_score(s, y_pred, rho=rho) == pytest.approx(expected)


@given(samples())
def test_lee_liu_is_precision_times_recall_over_the_prior_when_all_are_labeled(sample):
    y, y_pred, _ = sample
    expected = precision_score(y, y_pred, zero_division=0) * recall_score(y, y_pred) / y.mean()
    assert lee_liu_score(y, y_pred) == pytest.approx(expected)


@given(st.integers(1, 2**40), st.data())
def test_lee_liu_does_not_outgrow_its_numbers(labeled, data):
    hits = data.draw(st.integers(0, labeled))
    predicted = hits + data.draw(st.integers(1, 2**40))
    n = labeled + predicted + data.draw(st.integers(1, 2**40))
    exact = hits**2 * n / (labeled**2 * predicted)
    assert lee_liu_from_counts(hits, labeled, predicted, n) == pytest.approx(exact, rel=1e-14)
    assert lee_liu_from_counts([0, hits], labeled, [0, predicted], n)[1] == pytest.approx(
        exact, rel=1e-14
    )


def iris_of_uci():
    """Return the four features of the Iris data as UCI distributes them, with their two known slips."""
    from sklearn.datasets import load_iris

    features = load_iris().data.copy()
    features[[34, 37]] = [4.9, 3.1, 1.5, 0.1]
    return features


def test_the_papers_iris_classifier_has_15_hits_3_false_alarms_and_misses_35():
    features = iris_of_uci()
    scaled = (features - features.min(axis=0)) / np.ptp(features, axis=0)
    # The hyperplane of Figure 3b, from the code published with the paper; setosa is positive there.
    y_pred = scaled @ [-2.72978472, -2.84862472, -0.75181242, -1.03079578] + 1.83660826 > 0
    y = np.arange(150) < 50
    assert ((y & y_pred).sum(), (~y & y_pred).sum(), (y & ~y_pred).sum()) == (15, 3, 35)
    assert estimated_f1_score(y, y_pred, rho=1) == pytest.approx(30 / 68)
    assert round(estimated_f1_score(y, y_pred, rho=1), 2) == 0.44


def test_no_rounding_leaves_the_possible_shares():
    """0.29 of 100 rows is what 29 labeled positives are, and -5e-17 is no share of the others."""
    assert alpha_from_pi(0.29, 29, 71) == 0


def test_f1_is_unbiased_and_its_deviation_is_that_over_all_labelings():
    from itertools import combinations

    y_pred = np.array([1, 1, 1, 0, 0, 0, 1, 1, 0, 0])  # the first six are positive
    estimates = []
    for labeled in combinations(range(6), 3):
        s = np.zeros(10, dtype=int)
        s[list(labeled)] = 1
        estimates.append(estimated_f1_score(s, y_pred, rho=0.5))
    assert np.mean(estimates) == pytest.approx(2 * 3 / (6 + 5), abs=1e-12)
    assert estimated_f1_std(6, 3, 3, 5) == pytest.approx(np.std(estimates), abs=1e-12)


@given(st.integers(1, 200), st.data())
def test_the_deviation_of_f1_shrinks_with_every_label_and_ends_when_all_are_labeled(
    n_positive, data
):
    true = data.draw(st.integers(0, n_positive))
    predicted = true + data.draw(st.integers(0, 100))
    std = estimated_f1_std(n_positive, np.arange(1, n_positive + 1), true, max(predicted, 1))
    assert std[-1] == pytest.approx(0, abs=1e-7)
    assert (np.diff(std) <= 1e-12).all()


@given(st.integers(2, 80), st.data())
def test_the_corrected_formula_undoes_leaving_one_out_and_the_published_one_does_not(
    n_positive, data
):
    labeled = data.draw(st.integers(2, n_positive))
    # the truth for a perfect model without one labeled positive
    mean = (labeled - 1) / (n_positive - 1)
    assert rho_from_mean_score(mean, labeled) == pytest.approx(labeled / n_positive)
    assert rho_from_mean_score(mean, labeled, method="published") > labeled / n_positive
    assert rho_from_mean_score(mean, labeled, method="elkan_noto") == pytest.approx(mean)


def separable(n_labeled, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((200, 2))
    positive = np.flatnonzero(X[:, 1] > X[:, 0] + 0.2)
    s = np.zeros(200, dtype=int)
    s[rng.choice(positive, n_labeled, replace=False)] = 1
    return X, s, n_labeled / positive.size


def refit(X, s, make):
    left_out = [np.arange(len(s)) != row for row in np.flatnonzero(s)]
    return np.array(
        [make().fit(X[kept], s[kept]).predict_proba(X[~kept])[0, 1] for kept in left_out]
    )


def test_all_logistic_regressions_at_once_equal_refitting_one_by_one():
    from sklearn.linear_model import LogisticRegression

    X, s, _ = separable(12)
    one_by_one = refit(X, s, lambda: LogisticRegression(tol=1e-10, max_iter=1000))
    assert leave_one_out_scores(X, s, model="logistic") == pytest.approx(one_by_one, abs=1e-6)


@pytest.mark.slow
def test_the_trees_that_missed_a_point_score_it_like_a_forest_grown_without_it():
    from sklearn.ensemble import RandomForestClassifier

    X, s, _ = separable(12)
    one_by_one = refit(X, s, lambda: RandomForestClassifier(60, random_state=0))
    ours = leave_one_out_scores(X, s, n_estimators=200, random_state=0)
    # Sixty and about two hundred trees: each score scatters by some .07, their mean over twelve points by .02.
    assert np.abs(ours - one_by_one).max() < 0.25
    assert ours.mean() == pytest.approx(one_by_one.mean(), abs=0.06)


def test_the_forest_finds_the_label_frequency_of_separable_classes():
    errors = []
    for seed in range(8):
        X, s, rho = separable(40, seed=seed)
        scores = leave_one_out_scores(X, s, random_state=seed)
        errors.append(rho_from_mean_score(scores.mean(), scores.size) - rho)
    assert np.mean(errors) == pytest.approx(0, abs=0.12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lee_liu_score([1, 0], [1, 0, 1]), "s has 2, y_pred has 3"),
        (lambda: f1_from_counts(1, 1, 2, rho=[0.5, -1]), "rho must be above 0, got -1"),
        (
            lambda: estimated_f1_std(10, 5, 5, 4),
            "predicted_positives must not be below true_positives",
        ),
        (lambda: rho_from_mean_score(0.5, 1), "at least 2 labeled positives"),
        (lambda: leave_one_out_scores([[0.0], [1.0]], [1, 0]), "at least 2 labeled positives"),
        (lambda: leave_one_out_scores([0.0, 1.0, 2.0], [1, 1, 0]), "X must be a finite table"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# AlphaMax against general optimizers, and the two-run scheme against exact densities.


def gaussian_samples(mu, alpha, beta, rng, n_labeled=1000, n_unlabeled=10_000):
    """Exact P(s=1|x) of labeled and unlabeled draws from N(mu, 1) and N(-mu, 1)."""
    samples = []
    for share, size in ((beta, n_labeled), (alpha, n_unlabeled)):
        x = np.where(rng.random(size) < share, mu, -mu) + rng.normal(size=size)
        f1 = norm.pdf(x, mu)
        f0 = norm.pdf(x, -mu)
        g = beta * f1 + (1 - beta) * f0
        f = alpha * f1 + (1 - alpha) * f0
        samples.append(n_labeled * g / (n_labeled * g + n_unlabeled * f))
    return samples


def histograms(mu, alpha):
    labeled, unlabeled = gaussian_samples(mu, alpha, 1.0, np.random.default_rng(0))
    return common_histogram(labeled, unlabeled, scott_bin_width(labeled))


@pytest.mark.parametrize(("mu", "alpha"), [(1, 0.25), (1, 0.5), (2, 0.25), (2, 0.5)])
def test_curve_equals_a_general_optimizer(mu, alpha):
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


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.floats(0.01, 0.99))
def test_no_feasible_split_beats_the_curve(seed, n_bins, a):
    rng = np.random.default_rng(seed)
    u = rng.dirichlet(np.full(n_bins, 0.5))
    w = rng.dirichlet(np.full(n_bins, 0.5))
    best = likelihood_curve(u, w, np.array([a]))[0]
    keep = rng.random((n_bins, 40)) * w[:, None]
    total = keep.sum(axis=0)
    # scale down to the share, or fill up toward the whole mixture: either way the masses stay within their bins
    scaled = np.where(
        total >= a, keep * (a / total), w[:, None] - (w[:, None] - keep) * ((1 - a) / (1 - total))
    )
    others = likelihood_of_shares(scaled, u[:, None], w[:, None], np.array([a]))
    assert (others <= best + 1e-9).all()


def test_lines_of_the_elbow_rule_equal_a_general_optimizer():
    y = smoothed(likelihood_curve(*histograms(1, 0.5)))
    scores = elbow_scores(GRID, y)
    for j in (9, 18, 30, 61, 88):
        # The published rule keeps the slope of its left line from the twentieth grid point on.
        right, left = (
            _line_below(GRID, y, slice(start, start + 10)) for start in (j + 1, min(j, 18) - 9)
        )
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
    ("step", "expected"),
    [(1.4, 1.0), (1.6, 2.0), (2.6, 3.0), (4.1, 5.0), (7.6, 10.0), (0.026, 0.03)],
)
def test_bin_width_is_rounded_to_round_numbers(step, expected):
    sample = np.tile([-1.0, 1.0], 500)
    sample *= step * 10 / 3.5 / sample.std(ddof=1)
    assert scott_bin_width(sample) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("alpha", "beta", "a", "b"),
    [
        (0.25, 0.75, 1 / 3, 1 / 3),
        (0.10, 0.90, 1 / 9, 1 / 9),
        (0.50, 0.95, 0.52632, 0.1),
        (0.30, 1.0, 0.3, 0.0),
    ],
)
@pytest.mark.parametrize("mu", [1, 2])
def test_shares_of_exact_densities_give_the_priors_back(alpha, beta, a, b, mu):
    x = np.linspace(-14, 14, 4001)
    f1 = norm.pdf(x, mu)
    f0 = norm.pdf(x, -mu)
    f = alpha * f1 + (1 - alpha) * f0
    g = beta * f1 + (1 - beta) * f0
    shares = (f / g).min(), (g / f).min()
    assert shares == pytest.approx((a, b), abs=1e-5)
    assert combine_shares(*shares) == pytest.approx((alpha, beta), abs=1e-5)


@given(st.floats(0, 0.99), st.floats(0.005, 1))
def test_shares_and_priors_are_inverse(alpha, gap):
    beta = alpha + gap * (1 - alpha)
    if alpha < beta <= 1:
        shares = alpha / beta, (1 - beta) / (1 - alpha)
        assert combine_shares(*shares) == pytest.approx((alpha, beta), abs=1e-9)


def test_published_two_runs_break_on_clean_data_and_the_repair_does_not():
    rng = np.random.default_rng(0)
    labeled = rng.normal(2, size=1000)
    unlabeled = np.where(rng.random(10_000) < 0.25, 2, -2) + rng.normal(size=10_000)
    published, repaired = (
        estimate_priors(labeled, unlabeled, method=method, noisy=True)
        for method in ("alphamax", "alphamax_plus")
    )
    assert published.beta < 0.5
    assert published.alpha < 0.15
    assert (repaired.alpha, repaired.beta) == pytest.approx((0.25, 1), abs=0.03)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 0.99), st.floats(0.01, 1))
def test_rho_and_alpha_say_the_same(n_labeled, n_unlabeled, alpha, beta):
    right = beta * n_labeled
    rho = right / (right + alpha * n_unlabeled)
    found = alpha_from_rho(rho, n_labeled, n_unlabeled, beta=beta)
    assert found == pytest.approx(alpha, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: alpha_from_pi(1, 200, 0), "n_unlabeled"),
        (lambda: alpha_from_rho(0.4, -5, 1000), "n_labeled"),
        (lambda: rho_from_alpha(0.3, 0, 1000), "n_labeled"),
    ],
)
def test_a_sample_without_rows_has_no_shares(call, name):
    with pytest.raises(ValueError, match=f"{name} must be larger than 0"):
        call()
