"""The range of alpha: a bound that always holds, a calibration that holds as often as it says, and honest refusals."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom, norm

from pumetrics.assessment import assess, compare_scores
from pumetrics.counts import count_scores, place_samples
from pumetrics.inference import corrected_intervals
from pumetrics.priors import alpha_interval, calibration, upper_bound
from pumetrics.priors.calibration import (
    alpha_of_scale,
    calibrated_priors,
    quantiles,
    scale_of_alpha,
)
from pumetrics.priors.registry import MEMBERS
from pumetrics.priors.upper_bound import (
    largest_alpha,
    largest_random_alpha,
    largest_shares,
    random_label_p_value,
)
from pumetrics_workflow.calibration import fit_table


def sample(
    seed,
    n_labeled=200,
    n_unlabeled=2000,
    *,
    alpha=0.2,
    distance=2.0,
    hidden=0.0,
    lookalikes=0.0,
    selection=1.0,
):
    """Labels, scores and the true alpha; some positives may score like negatives, some negatives like positives."""
    rng = np.random.default_rng(seed)
    n_hidden = rng.binomial(n_unlabeled, alpha)
    positive = rng.normal(distance * (rng.random(n_labeled + n_hidden) >= hidden))
    negative = rng.normal(distance * (rng.random(n_unlabeled - n_hidden) < lookalikes))
    rank = positive.argsort().argsort() / len(positive)
    # an exponential race
    labeled = np.argsort(-np.log(rng.random(len(positive))) / selection**rank)[:n_labeled]
    rest = np.setdiff1d(np.arange(len(positive)), labeled)
    scores = np.concatenate([positive[labeled], positive[rest], negative])
    return np.repeat([1, 0], [n_labeled, n_unlabeled]), scores, n_hidden / n_unlabeled


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"distance": 4.0},
        {"n_labeled": 50, "alpha": 0.05},
        {"hidden": 0.33, "distance": 3.0},
        {"lookalikes": 0.05, "distance": 3.0},
        {"n_unlabeled": 200, "alpha": 0.6},
    ],
    ids=[
        "usual",
        "separated",
        "few",
        "a third hidden",
        "negatives that look positive",
        "many positives",
    ],
)
def test_the_guaranteed_bound_holds_whatever_the_distributions(kind):
    held = []
    for seed in range(60):
        s, scores, alpha = sample(seed, **kind)
        held.append(largest_alpha(count_scores(s, scores), confidence=0.9) >= alpha)
    assert np.mean(held) >= 0.9 - 0.04  # one standard error of 60 samples


def test_the_bound_says_much_where_classes_are_apart_and_little_where_they_are_not():
    s, scores, alpha = sample(0, distance=5.0)
    assert alpha <= largest_alpha(count_scores(s, scores)) < 1.25 * alpha
    s, scores, _ = sample(0, distance=0.0)
    assert largest_alpha(count_scores(s, scores)) > 0.9


@given(st.integers(1, 40), st.integers(0, 60), st.data())
def test_tails_are_those_of_the_hypergeometric_distribution(n_marked, others, data):
    total = n_marked + others
    drawn = data.draw(st.integers(1, total))
    at_least = data.draw(st.integers(1, n_marked))
    tail = upper_bound._upper_tails(np.array([at_least]), np.array([drawn]), n_marked, total)[0]
    exact = hypergeom.sf(at_least - 1, total, n_marked, drawn)
    if at_least * total > drawn * n_marked:
        assert tail == pytest.approx(exact, abs=1e-12)
    else:
        assert tail == 1  # below the mean nothing is refused


def test_labels_at_random_are_rarely_refused_and_a_strong_selection_is_seen():
    refused = []
    for seed in range(100):
        s, scores, alpha = sample(seed)
        refused.append(random_label_p_value(count_scores(s, scores), alpha=alpha) < 0.05)
    assert np.mean(refused) <= 0.08
    s, scores, alpha = sample(0, alpha=0.5, distance=3.0, selection=200.0)
    assert random_label_p_value(count_scores(s, scores), alpha=alpha) < 1e-3


def selected(seed, n_labeled, k, *, distance=3.0):
    """A positive at rank r of 1 is labeled k^r times as often as that at 0; the true alpha is .17 and is known."""
    rng = np.random.default_rng(seed)
    positive = rng.normal(distance, size=3 * n_labeled)
    propensity = k ** ((positive.argsort().argsort() + 0.5) / len(positive))
    labeled = rng.random(len(positive)) < propensity * n_labeled / propensity.sum()
    s = np.concatenate([labeled, np.zeros(10 * n_labeled)]).astype(int)
    alpha = np.count_nonzero(~labeled) / np.count_nonzero(s == 0)
    return count_scores(s, np.concatenate([positive, rng.normal(size=10 * n_labeled)])), alpha


def test_the_power_against_a_selection_is_what_the_documentation_says():
    warned = {
        (n, k): np.mean(
            [random_label_p_value(counts, alpha=alpha) < 0.01 for counts, alpha in samples]
        )
        for n, k in ((500, 1.0), (500, 2.0), (100, 4.0), (50, 2.0))
        for samples in [[selected(seed, n, k) for seed in range(30)]]
    }
    assert warned[500, 1.0] <= 0.05, "labels at random"
    assert warned[500, 2.0] >= 0.9
    assert warned[100, 4.0] >= 0.8
    assert warned[50, 2.0] <= 0.5, "too few to see it"


def test_the_largest_random_alpha_is_the_last_one_that_is_accepted():
    counts, alpha = selected(0, 200, 4.0)
    most = largest_random_alpha(counts, level=0.01)
    assert most < alpha
    assert random_label_p_value(counts, alpha=most) > 0.01
    assert random_label_p_value(counts, alpha=most + 1.5 / counts.n_unlabeled) <= 0.01


def test_intervals_are_nested_and_never_exceed_their_bounds():
    for seed in range(3):
        s, scores, _ = sample(seed, distance=3.0)
        ranges = {
            level: alpha_interval(s, scores, confidence=level)[:2]
            for level in (0.5, 0.8, 0.95, 0.951, 0.99)
        }
        for inner, outer in pairwise(ranges.values()):
            assert outer[0] <= inner[0] <= inner[1] <= outer[1], ranges
        assert ranges[0.95][1] <= largest_alpha(count_scores(s, scores), confidence=0.975)
        beyond = alpha_interval(s, scores, confidence=0.99)
        assert beyond.lower == 0
        assert beyond.upper >= ranges[0.95][1]


@given(st.floats(0, 1))
def test_the_scale_of_errors_is_undone(alpha):
    for epsilon in (0.002, 0.02):
        scaled = calibration.scale_of_alpha(alpha, epsilon=epsilon)
        assert calibration.alpha_of_scale(scaled, epsilon=epsilon) == pytest.approx(alpha, abs=1e-9)


def pool(n_families, n_each=25, seed=0):
    """Samples whose consensus is off by a normal error on the scale, the same for all."""
    rng = np.random.default_rng(seed)
    n = n_families * n_each
    truth = rng.uniform(0.1, 0.6, size=n)
    consensus = calibration.alpha_of_scale(
        calibration.scale_of_alpha(truth) + rng.normal(scale=0.5, size=n)
    )
    table = pd.DataFrame(
        {"family": np.repeat(np.arange(n_families).astype(str), n_each), "alpha": truth}
    )
    table["consensus"] = consensus
    table["separation"] = 0.85
    table["n_labeled"] = 200
    table["n_unlabeled"] = 2000
    for name in MEMBERS:
        table[name] = consensus
    for key in {f"bound_{(1 + level) / 2:g}" for level in calibration.LEVELS} | {"bound_0.5"}:
        table[key] = 1.0
    return table


def test_a_fit_to_known_errors_holds_as_often_as_it_says():
    table = fit_table(pool(50))
    for level, (lower, upper) in calibration.quantiles(pool(200, seed=1), table)["alpha"].items():
        alpha = pool(200, seed=1)["alpha"]
        assert np.mean((lower <= alpha) & (alpha <= upper)) == pytest.approx(level, abs=0.06)
    assert table["families"] == 50
    lower, upper = calibration.quantiles(pool(1, seed=2), table)["alpha"][0.8]
    width = calibration.scale_of_alpha(upper) - calibration.scale_of_alpha(lower)
    assert width == pytest.approx(2 * 0.5 * norm.ppf(0.9), rel=0.2)


@pytest.mark.parametrize("noisy", [False, True])
def test_the_table_of_the_package_covers_as_often_as_it_says(
    noisy,
):
    table = calibration.read_table(noisy)
    assert {table["samples"]} == set(
        map(len, table["errors"].values() if noisy else [table["errors"]])
    )
    assert table["families"] >= 39, "2.5 % tails need as many"
    assert [float(level) for level in table["margins"]] == list(calibration.LEVELS)
    assert None not in table["margins"].values()
    widest = [
        row for row in table["coverage"] if (row["kind"], row["level"]) == ("calibrated", 0.95)
    ]
    assert min(row["coverage"] for row in widest) >= 0.9


def test_too_few_families_give_no_interval_but_the_bound():
    table = fit_table(pool(8), levels=(0.5, 0.95))
    assert table["margins"]["0.95"] is None
    assert table["margins"]["0.5"] is not None
    lower, upper = calibration.quantiles(pool(1), table)["alpha"][0.95]
    assert (lower == 0).all()
    assert (upper == 1).all()


# Label noise: bounds on alpha and beta that always hold, a calibration of both, and what outputs say of it.


def noisy_sample(
    seed,
    n_labeled=200,
    n_unlabeled=1000,
    *,
    alpha=0.3,
    beta=0.85,
    distance=3.0,
    hidden=0.0,
    lookalikes=0.0,
):
    """Labels, scores and true classes; some positives may score like negatives, some negatives like positives."""
    rng = np.random.default_rng(seed)
    right = round(n_labeled * beta)
    hits = rng.binomial(n_unlabeled, alpha)
    y = np.repeat([1, 0, 1, 0], [right, n_labeled - right, hits, n_unlabeled - hits])
    high = np.where(y == 1, rng.random(len(y)) >= hidden, rng.random(len(y)) < lookalikes)
    return np.repeat([1, 0], [n_labeled, n_unlabeled]), rng.normal(distance * high), y


@pytest.mark.slow
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
    ids=[
        "usual",
        "separated",
        "few",
        "rare",
        "positives that look negative",
        "negatives that look positive",
        "clean",
    ],
)
def test_bounds_hold_for_both_priors_whatever_the_distributions(kind):
    held = []
    for seed in range(60):
        s, scores, y = noisy_sample(seed, **kind)
        alpha = y[s == 0].mean()
        beta = y[s == 1].mean()
        pair = scores[s == 1], scores[s == 0]
        share, other = largest_shares(place_samples(*pair).counts(), pair, confidence=0.9)
        held.append(
            (
                alpha <= share,
                1 - beta <= other,
                alpha / beta <= share,
                (1 - beta) / (1 - alpha) <= other,
            )
        )
    assert (np.mean(held, axis=0) >= 0.9 - 0.04).all(), np.mean(
        held, axis=0
    )  # one standard error of 60 samples


@pytest.mark.slow
@pytest.mark.parametrize("uncertainty", ["guaranteed", "calibrated"])
def test_intervals_with_label_noise_hold_in_simulation(uncertainty):
    held = []
    table = fit_table(noisy_pool(45), noisy=True)
    for seed in range(10):
        s, scores, y = noisy_sample(seed)
        options = {"noisy": True, "uncertainty": uncertainty, "n_bootstrap": 30, "random_state": 0}
        found = corrected_intervals(["roc_auc", "max_f1"], s, scores, calibration=table, **options)
        counts = count_scores(y, scores)
        area = found["roc_auc"]
        held.append(area.lower <= np.trapezoid(counts.tpr_pu, counts.fpr_pu) <= area.upper)
        (low, high), (least, most) = found.priors.alpha_interval, found.priors.beta_interval
        held.append(low <= y[s == 0].mean() <= high)
        held.append(least <= y[s == 1].mean() <= most)
        assert found.priors.uncertainty == f"{uncertainty}_noise"
        assert found.priors.alpha < found.priors.beta
    assert np.mean(held) >= 0.95


def noisy_pool(n_families, n_each=20, seed=0):
    """Samples whose estimates are off by normal errors on their scales, which go together."""
    rng = np.random.default_rng(seed)
    n = n_families * n_each
    errors = rng.multivariate_normal([0, 0], [[0.25, 0.1], [0.1, 0.25]], size=n)
    table = pd.DataFrame({"family": np.repeat(np.arange(n_families).astype(str), n_each)})
    table["alpha"] = rng.uniform(0.1, 0.5, size=n)
    table["beta"] = rng.uniform(0.7, 0.95, size=n)
    table["alpha_estimate"] = alpha_of_scale(scale_of_alpha(table["alpha"]) + errors[:, 0])
    noise = scale_of_alpha(1 - table["beta"], epsilon=0.02) + errors[:, 1]
    table["beta_estimate"] = 1 - alpha_of_scale(noise, epsilon=0.02)
    table["separation"] = 0.85
    table["n_labeled"] = 200
    table["n_unlabeled"] = 2000
    for level in (0.5, 0.75, 0.9, 0.975):
        table[f"share_{level:g}"] = table[f"noise_{level:g}"] = 1.0
    return table


def test_a_fit_to_known_errors_holds_both_priors_at_once():
    table = fit_table(noisy_pool(50), noisy=True)
    new = noisy_pool(100, seed=1)
    ends = quantiles(new, table, noisy=True)
    for level in (0.5, 0.8, 0.95):
        truth = {"alpha": new["alpha"], "noise": 1 - new["beta"]}
        inside = [
            (low <= truth[side]) & (truth[side] <= high)
            for side in truth
            for low, high in [ends[side][level]]
        ]
        assert np.mean(inside[0] & inside[1]) == pytest.approx(level, abs=0.07)
        assert min(map(np.mean, inside)) >= level


def test_drawn_priors_are_possible_and_go_together():
    s, scores, _ = noisy_sample(0, n_labeled=300, n_unlabeled=1000)
    calibrated = calibrated_priors(
        count_scores(s, scores), fit_table(noisy_pool(45), noisy=True), noisy=True
    )
    drawn = calibrated.draw(400, np.random.default_rng(0))
    alpha = drawn[:, 0]
    other = 1 - drawn[:, 1]
    assert (alpha < drawn[:, 1]).all()
    assert (alpha / drawn[:, 1] <= calibrated.summary["share_0.975"] + 1e-9).all()
    assert (other / (1 - alpha) <= calibrated.summary["noise_0.975"] + 1e-9).all()
    for inner, outer in pairwise(calibrated.intervals(level) for level in (0.5, 0.95, 0.96, 0.99)):
        for narrow, wide in zip(inner, outer, strict=True):
            assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    assert calibrated.intervals(0.99)[0][0] == 0, "beyond the table only the bounds are left"
    assert np.corrcoef(alpha, other)[0, 1] > 0.1, "errors of the pool go together"


@pytest.fixture
def table(monkeypatch):
    fitted = fit_table(noisy_pool(45), noisy=True)
    monkeypatch.setattr(calibration, "read_table", lambda noisy: fitted)
    return fitted


def test_with_a_table_it_is_the_default(table):
    s, scores, _ = noisy_sample(1)
    found = assess(
        s, scores, noisy=True, metrics=["roc_auc", "accuracy"], n_bootstrap=20, random_state=0
    )
    assert found.uncertainty == "calibrated_noise"
    assert found.alpha_interval[0] < 0.3 < found.alpha_interval[1]
    assert found.beta_interval[0] < 0.85 < found.beta_interval[1]
    without = assess(s, scores, noisy=True, metrics=["roc_auc"], n_bootstrap=0, random_state=0)
    assert without.alpha_interval == found.alpha_interval
    assert without.beta_interval == found.beta_interval
    assert without.scores[0].corrected == pytest.approx(found.scores[0].corrected)


def test_two_models_are_compared_with_the_same_priors(table):
    s, scores, _ = noisy_sample(2)
    worse = scores + np.random.default_rng(0).normal(scale=2, size=len(s))
    options = {"metrics": ["roc_auc"], "noisy": True, "n_bootstrap": 20, "random_state": 0}
    found = compare_scores(s, scores, worse, **options)
    assert found.first.alpha_interval == found.second.alpha_interval
    assert found.differences["roc_auc"].lower > 0


def test_scores_that_tell_nothing_leave_everything_open(table):
    s = np.repeat([1, 0], [100, 400])
    useless = np.random.default_rng(0).normal(size=500)
    found = corrected_intervals(["roc_auc"], s, useless, noisy=True, n_bootstrap=20, random_state=0)
    assert found.priors.alpha_interval[0] == 0
    assert found.priors.alpha_interval[1] > 0.9
    assert found["roc_auc"].upper - found["roc_auc"].lower > 0.5


# What scores say of alpha: an upper end with the sampling error of alpha itself, and never a lower one.


def normals(seed, n_labeled, n_unlabeled, *, alpha, distance=2.0):
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(n_labeled), rng.random(n_unlabeled) < alpha]
    return np.repeat([1, 0], [n_labeled, n_unlabeled]), rng.normal(distance * y)


def test_few_unlabeled_rows_leave_alpha_as_open_as_chance_does():
    """Without the sampling error of alpha itself 32 of these 40 held."""
    held = [alpha_interval(*normals(seed, 50, 50, alpha=0.3)).upper >= 0.3 for seed in range(40)]
    assert np.mean(held) >= 0.9


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("kind", ["calibrated", "guaranteed"])
def test_no_scores_exclude_that_no_positive_hides(level, kind):
    found = alpha_interval(*normals(0, 100, 1000, alpha=0.3), confidence=level, kind=kind)
    assert found.lower == 0
    assert found.upper > 0.25


def test_intervals_take_in_the_one_without_hidden_positives():
    s, score = normals(1, 100, 1000, alpha=0.03)
    options = {"threshold": 1.0, "n_bootstrap": 60, "random_state": 0}
    metrics = ["roc_auc", "average_precision", "f1", "precision", "max_f1"]
    without = corrected_intervals(metrics, s, score, alpha=0.0, **options)
    found = corrected_intervals(metrics, s, score, **options)
    for name in metrics:
        assert found[name].lower <= without[name].lower + 1e-9, name
        assert found[name].upper >= without[name].upper - 1e-9, name
    assert found.priors.alpha_interval[0] == 0
