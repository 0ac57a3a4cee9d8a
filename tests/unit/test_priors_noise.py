"""Label noise: bounds on alpha and beta that always hold, a calibration of both, and what outputs say of it."""

import numpy as np
import pandas as pd
import pytest

from pumetrics.assessment import assess
from pumetrics.assessment._words import explained, paper_paragraph
from pumetrics.counts import count_samples, count_scores
from pumetrics.inference import corrected_differences, corrected_interval, corrected_intervals
from pumetrics.methods import estimate_score
from pumetrics.priors import calibration
from pumetrics.priors.calibration import alpha_of_scale, calibrated_priors, fit_table, quantiles, scale_of_alpha
from pumetrics.priors.upper_bound import largest_shares


def sample(seed, n_labeled=200, n_unlabeled=1000, *, alpha=0.3, beta=0.85, distance=3.0, hidden=0.0, lookalikes=0.0):
    """Labels, scores and true classes; some positives may score like negatives, some negatives like positives."""
    rng = np.random.default_rng(seed)
    right, hits = round(n_labeled * beta), rng.binomial(n_unlabeled, alpha)
    y = np.repeat([1, 0, 1, 0], [right, n_labeled - right, hits, n_unlabeled - hits])
    high = np.where(y == 1, rng.random(len(y)) >= hidden, rng.random(len(y)) < lookalikes)
    return np.repeat([1, 0], [n_labeled, n_unlabeled]), rng.normal(distance * high), y


@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"distance": 5.0},
        {"n_labeled": 100, "n_unlabeled": 500, "alpha": 0.5, "beta": 0.75, "distance": 5.0},
        {"n_labeled": 500, "n_unlabeled": 3000, "alpha": 0.05, "beta": 0.9, "distance": 2.0},
        {"hidden": 0.3, "distance": 4.0},
        {"lookalikes": 0.1, "distance": 4.0},
        {"beta": 1.0},
    ],
    ids=["usual", "separated", "few", "rare", "positives that look negative", "negatives that look positive", "clean"],
)
def test_bounds_hold_for_both_priors_whatever_the_distributions(kind):
    held = []
    for seed in range(60):
        s, scores, y = sample(seed, **kind)
        alpha, beta = y[s == 0].mean(), y[s == 1].mean()
        pair = scores[s == 1], scores[s == 0]
        share, other = largest_shares(count_samples(*pair), pair, confidence=0.9)
        held.append((alpha <= share, 1 - beta <= other, alpha / beta <= share, (1 - beta) / (1 - alpha) <= other))
    assert (np.mean(held, axis=0) >= 0.9 - 0.04).all(), np.mean(held, axis=0)  # one standard error of 60 samples


def test_bounds_say_much_where_classes_are_apart():
    s, scores, _ = sample(0, n_labeled=1000, n_unlabeled=5000, distance=6.0)
    pair = scores[s == 1], scores[s == 0]
    share, other = largest_shares(count_samples(*pair), pair)
    assert 0.3 / 0.85 < share < 1.15 * 0.3 / 0.85
    assert 0.15 / 0.7 < other < 1.25 * 0.15 / 0.7


@pytest.mark.parametrize("uncertainty", ["guaranteed", "calibrated"])
def test_intervals_with_label_noise_hold_in_simulation(uncertainty):
    held, table = [], fit_table(pool(45), noisy=True)
    for seed in range(10):
        s, scores, y = sample(seed)
        options = {"noisy": True, "uncertainty": uncertainty, "n_bootstrap": 30, "random_state": 0}
        found = corrected_intervals(["roc_auc", "max_f1"], s, scores, calibration=table, **options)
        counts = count_scores(y, scores)
        area = found["roc_auc"]
        held.append(area.lower <= np.trapezoid(counts.tpr_pu, counts.fpr_pu) <= area.upper)
        held.append(area.alpha_interval[0] <= y[s == 0].mean() <= area.alpha_interval[1])
        held.append(area.beta_interval[0] <= y[s == 1].mean() <= area.beta_interval[1])
        assert found["max_f1"].uncertainty == f"{uncertainty}_noise"
        assert area.alpha < area.beta
    assert np.mean(held) >= 0.95


def pool(n_families, n_each=20, seed=0):
    """Samples whose estimates are off by normal errors on their scales, which go together."""
    rng = np.random.default_rng(seed)
    n = n_families * n_each
    errors = rng.multivariate_normal([0, 0], [[0.25, 0.1], [0.1, 0.25]], size=n)
    table = pd.DataFrame({"family": np.repeat(np.arange(n_families).astype(str), n_each)})
    table["alpha"], table["beta"] = rng.uniform(0.1, 0.5, size=n), rng.uniform(0.7, 0.95, size=n)
    table["alpha_estimate"] = alpha_of_scale(scale_of_alpha(table["alpha"]) + errors[:, 0])
    noise = scale_of_alpha(1 - table["beta"], epsilon=0.02) + errors[:, 1]
    table["beta_estimate"] = 1 - alpha_of_scale(noise, epsilon=0.02)
    table["separation"], table["n_labeled"], table["n_unlabeled"] = 0.85, 200, 2000
    for level in (0.5, 0.75, 0.9, 0.975):
        table[f"share_{level:g}"] = table[f"noise_{level:g}"] = 1.0
    return table


def test_a_fit_to_known_errors_holds_both_priors_at_once():
    table, new = fit_table(pool(50), noisy=True), pool(100, seed=1)
    ends = quantiles(new, table, noisy=True)
    for level in (0.5, 0.8, 0.95):
        truth = {"alpha": new["alpha"], "noise": 1 - new["beta"]}
        inside = [(low <= truth[side]) & (truth[side] <= high) for side in truth for low, high in [ends[side][level]]]
        assert np.mean(inside[0] & inside[1]) == pytest.approx(level, abs=0.07)
        assert min(map(np.mean, inside)) >= level


def test_drawn_priors_are_possible_and_go_together():
    s, scores, _ = sample(0, n_labeled=300, n_unlabeled=1000)
    calibrated = calibrated_priors(count_scores(s, scores), fit_table(pool(45), noisy=True), noisy=True)
    drawn = calibrated.draw(400, np.random.default_rng(0))
    alpha, other = drawn[:, 0], 1 - drawn[:, 1]
    assert (alpha < drawn[:, 1]).all()
    assert (alpha / drawn[:, 1] <= calibrated.summary["share_0.975"] + 1e-9).all()
    assert (other / (1 - alpha) <= calibrated.summary["noise_0.975"] + 1e-9).all()
    inner = [calibrated.intervals(level) for level in (0.5, 0.95)]
    for narrow, wide in zip(*inner, strict=True):
        assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    assert calibrated.intervals(0.99)[0][0] == 0, "beyond the table only the bounds are left"
    assert np.corrcoef(alpha, other)[0, 1] > 0.1, "errors of the pool go together"


@pytest.fixture
def table(monkeypatch):
    fitted = fit_table(pool(45), noisy=True)
    monkeypatch.setattr(calibration, "read_table", lambda noisy: fitted)
    return fitted


def test_with_a_table_it_is_the_default_and_outputs_say_what_it_is_worth(table):
    s, scores, _ = sample(1)
    found = assess(s, scores, noisy=True, metrics=["roc_auc", "accuracy"], n_bootstrap=20, random_state=0)
    assert found.uncertainty == "calibrated_noise"
    assert found.alpha_interval[0] < 0.3 < found.alpha_interval[1]
    assert found.beta_interval[0] < 0.85 < found.beta_interval[1]
    assert "empirical, not a theorem" in explained(found)[0]
    assert "affect negatives at random" in explained(found)[0]
    assert explained(found)[0] in paper_paragraph(found)
    assert all(score.bounds is None for score in found.scores)
    without = assess(s, scores, noisy=True, metrics=["roc_auc"], n_bootstrap=0, random_state=0)
    assert without.alpha_interval == found.alpha_interval
    assert without.beta_interval == found.beta_interval
    assert without.scores[0].corrected == pytest.approx(found.scores[0].corrected)
    answer = estimate_score("roc_auc", s, scores, beta=None, confidence=0.9, random_state=0)
    assert any("this is empirical" in note for note in answer.notes)


def test_two_models_are_compared_with_the_same_priors(table):
    s, scores, _ = sample(2)
    worse = scores + np.random.default_rng(0).normal(scale=2, size=len(s))
    found = corrected_differences(["roc_auc"], s, scores, worse, noisy=True, n_bootstrap=20, random_state=0)["roc_auc"]
    assert found.first.alpha_interval == found.second.alpha_interval
    assert found.difference.lower > 0


def test_scores_that_tell_nothing_leave_everything_open(table):
    s = np.repeat([1, 0], [100, 400])
    useless = np.random.default_rng(0).normal(size=500)
    found = corrected_interval("roc_auc", s, useless, noisy=True, n_bootstrap=20, random_state=0)
    assert found.alpha_interval[0] == 0
    assert found.alpha_interval[1] > 0.9
    assert found.upper - found.lower > 0.5
