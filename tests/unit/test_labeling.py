"""Labels go missing and wrong in the stated numbers, at random where they should, and again from the same seed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pumetrics import labeling
from pumetrics.labeling.mechanisms import _propensities
from pumetrics_workflow.sample_sizes import LargestSample

Y = np.repeat([1, 0], [300, 700])


def rng(seed=0):
    return np.random.default_rng(seed)


# Labeled completely at random -----------------------------------------------------------------------------------------


@given(n_labeled=st.integers(1, 300), seed=st.integers(0, 99))
def test_scar_labels_exactly_as_many_positives_as_asked(n_labeled, seed):
    s = labeling.scar(Y, n_labeled=n_labeled, random_state=seed)
    assert s.sum() == n_labeled
    assert set(s.tolist()) <= {0, 1}
    assert not s[Y == 0].any()
    np.testing.assert_array_equal(s, labeling.scar(Y, n_labeled=n_labeled, random_state=seed))


def test_scar_by_frequency_labels_independently():
    y = np.ones(2_000, int)
    counts = [labeling.scar(y, label_frequency=0.3, random_state=seed).sum() for seed in range(200)]
    assert np.mean(counts) == pytest.approx(600, abs=6)
    assert np.std(counts) == pytest.approx(np.sqrt(2_000 * 0.3 * 0.7), rel=0.25)


def test_labelings_of_one_seed_are_nested():
    few, many = (labeling.scar(Y, n_labeled=n, random_state=3) for n in (60, 180))
    assert (many[few == 1] == 1).all()
    X = pd.DataFrame({"a": rng().normal(size=1000), "b": rng(1).normal(size=1000)})
    for mechanism in ("bcar", "bar", "bnar"):
        _, some = labeling.flip_positives(X, Y, 0.2, mechanism=mechanism, random_state=3)
        _, more = labeling.flip_positives(X, Y, 0.6, mechanism=mechanism, random_state=3)
        assert (more[(Y == 1) & (some == 0)] == 0).all(), mechanism


# Noisy positives ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beta", [1.0, 0.95, 0.9, 0.8, 0.75, 0.7])
@pytest.mark.parametrize("n_unlabeled", [500, None])
def test_noisy_positives_have_the_stated_shares(beta, n_unlabeled):
    y = rng().permutation(Y)
    rows, s = labeling.noisy_positives(
        y, beta=beta, n_labeled=100, n_unlabeled=n_unlabeled, random_state=5
    )
    positives = round(beta * 100)
    alpha = (300 - positives) / 900
    size = n_unlabeled or 900
    np.testing.assert_array_equal(np.bincount(s), [size, 100])
    assert (np.diff(rows) > 0).all(), "a row was drawn twice, or rows are not in order"
    assert y[rows][s == 1].sum() == positives
    assert y[rows][s == 0].sum() == round(alpha * size)
    again = labeling.noisy_positives(
        y, beta=beta, n_labeled=100, n_unlabeled=n_unlabeled, random_state=5
    )
    np.testing.assert_array_equal(rows, again[0])
    np.testing.assert_array_equal(s, again[1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_labeled": 400}, "need 400 positives to label, the data hold 300"),
        ({"n_labeled": 800, "beta": 0.1}, "need 720 negatives to label, the data hold 700"),
        ({"n_unlabeled": 950}, "need 1050 examples in all, the data hold 1000"),
        ({"beta": 0.2}, "must be smaller than beta"),
    ],
)
def test_infeasible_noisy_positives_say_what_is_short(change, message):
    with pytest.raises(ValueError, match=message):
        labeling.noisy_positives(Y, **{"beta": 1.0, "n_labeled": 100, "n_unlabeled": 500, **change})


@given(st.integers(100, 30_000), st.integers(100, 30_000))
def test_the_largest_size_is_feasible_and_the_next_is_not(n_positive, n_negative):
    betas = (1, 0.9, 0.8, 0.7)
    choices = (10_000, 5_000, 2_000, 1_000)
    y = np.repeat([1, 0], [n_positive, n_negative])

    def feasible(size):
        try:
            for beta in betas:
                labeling.noisy_positives(
                    y, beta=beta, n_labeled=size // 10, n_unlabeled=size, random_state=0
                )
        except ValueError:
            return False
        return True

    sizes = [size for size in choices if feasible(size)]
    sample = LargestSample(choices, betas=betas)
    if sizes:
        assert sample.sizes(n_positive, n_negative) == (sizes[0] // 10, sizes[0])
    else:
        with pytest.raises(
            ValueError, match="no unlabeled sample of 10000, 5000, 2000, 1000 fits: 100 labeled"
        ):
            sample.sizes(n_positive, n_negative)


# Selected at random, by a feature or score ----------------------------------------------------------------------------


@given(frequency=st.floats(0.01, 0.99), strength=st.floats(-1_000, 1_000), seed=st.integers(0, 99))
def test_propensities_average_to_the_label_frequency(frequency, strength, seed):
    score = rng(seed).integers(0, 20, 1000)
    chance = _propensities(score, frequency, strength)
    assert chance.mean() == pytest.approx(frequency, abs=1e-9)
    steps = np.diff(chance[np.argsort(score)]) * np.sign(strength)
    assert (steps >= -1e-12).all()


def test_strength_is_the_difference_in_log_odds():
    chance = _propensities(np.arange(300), 0.4, 3.0)
    log_odds = np.log(chance / (1 - chance))
    assert log_odds[-1] - log_odds[0] == pytest.approx(3.0)
    np.testing.assert_allclose(_propensities(np.ones(300), 0.4, 0.0), 0.4)
    assert _propensities(np.array([1]), 0.4, 5.0)[0] == pytest.approx(0.4)


def test_sar_labels_follow_their_propensity():
    score = rng(1).normal(size=1000)
    chance = np.zeros(1000)
    chance[Y == 1] = _propensities(score[Y == 1], 0.5, 4.0)
    labels = [
        labeling.sar(Y, score, label_frequency=0.5, strength=4.0, random_state=seed)
        for seed in range(400)
    ]
    np.testing.assert_allclose(np.mean(labels, axis=0), chance, atol=0.1)


# Flipped positives ----------------------------------------------------------------------------------------------------


def table(seed=0, n=1000):
    z = rng(seed).normal(size=(n, 3))
    return pd.DataFrame(
        {"a": z[:, 0], "b": z[:, 0] + 0.2 * z[:, 1], "c": z[:, 2], "d": z[:, 0] - 0.3 * z[:, 1]}
    )


@pytest.mark.parametrize("mechanism", ["bcar", "bar", "bnar"])
@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.35, 0.9, 1.0])
def test_the_right_number_of_the_right_positives_is_flipped(mechanism, fraction):
    X = table()
    X_biased, y_biased = labeling.flip_positives(
        X, Y, fraction, mechanism=mechanism, random_state=1
    )
    hidden = (Y == 1) & (y_biased == 0)
    assert hidden.sum() == round(fraction * 300)
    assert not y_biased[Y == 0].any()
    if mechanism != "bcar" and 0 < fraction < 1:
        assert X["c"][hidden].max() <= X["c"][(Y == 1) & ~hidden].min()
    assert list(X_biased) == (["a", "b", "d"] if mechanism == "bnar" else ["a", "b", "c", "d"])
    assert list(X) == ["a", "b", "c", "d"], "the table handed in must not change"
    as_array, from_array = labeling.flip_positives(
        X.to_numpy(), Y, fraction, mechanism=mechanism, random_state=1
    )
    np.testing.assert_array_equal(from_array, y_biased)
    np.testing.assert_array_equal(as_array, X_biased.to_numpy())


@pytest.mark.slow
def test_equal_values_are_flipped_in_random_order():
    X = pd.DataFrame({"f": np.repeat([0.0, 1.0, 0.0, 1.0], [100, 200, 400, 300])})
    flipped = [
        labeling.flip_positives(X, Y, 0.1, mechanism="bar", random_state=seed)[1]
        for seed in range(400)
    ]
    chance = 1 - np.mean(flipped, axis=0)[:300]
    np.testing.assert_allclose(chance[:100], 0.3, atol=0.1)
    assert not chance[100:].any()


def test_a_feature_can_be_chosen():
    X = table()
    X_biased, y_biased = labeling.flip_positives(
        X, Y, 0.5, mechanism="bnar", feature="a", random_state=0
    )
    assert list(X_biased) == ["b", "c", "d"]
    assert X["a"][(Y == 1) & (y_biased == 0)].max() <= X["a"][(y_biased == 1)].min()


def test_least_correlated_feature_follows_equation_1():
    for seed in range(20):
        X = rng(seed).normal(size=(50, 6)) @ rng(seed + 100).normal(size=(6, 6))
        sums = (np.abs(np.corrcoef(X.T)) - np.eye(6)).sum(axis=1)
        assert labeling.least_correlated_feature(X) == np.argmin(sums)


def test_least_correlated_feature_of_mixed_data():
    X = table()
    X["constant"] = 1.0  # would win with a sum of 0
    X["absent"] = np.nan
    X["size"] = pd.Categorical(
        np.where(X["a"] > 0, "large", "little"), ["little", "large"], ordered=True
    )
    X["color"] = np.where(X["b"] > 0, "red", "blue")
    X["flag"] = X["d"] > 0
    assert labeling.least_correlated_feature(X) == "c"


def test_numbers_beside_texts_remain_numbers():
    rows = [[9, "a"], [10, "b"], [11, "c"], [100, "d"]]
    _, flipped = labeling.flip_positives(rows, [1] * 4, 0.5, mechanism="bar", feature=0)
    assert flipped.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: labeling.scar(Y), "exactly one of n_labeled and label_frequency"),
        (
            lambda: labeling.scar(Y, n_labeled=301),
            "n_labeled must be at most 300, the number of positives, got 301",
        ),
        (
            lambda: labeling.sar(Y, Y, label_frequency=0.5, strength=np.inf),
            "strength must be a finite number",
        ),
        (
            lambda: labeling.sar(Y, Y, label_frequency=0.5, strength="high"),
            "strength must be a finite number, got 'high'",
        ),
        (
            lambda: labeling.flip_positives(table(), Y, 0.1, mechanism="mnar"),
            "mechanism must be one of bcar, bar, bnar",
        ),
        (
            lambda: labeling.flip_positives(np.ones((1000, 2)), Y, 0.1, mechanism="bar"),
            "no column that varies",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
