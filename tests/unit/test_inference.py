"""Inversions against counting by hand, the tests against R and the papers, the bootstrap against the normal law."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pumetrics.inference import _tests, inversion_rate, inversions, sign_test, signed_rank_test

few_scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40)


def by_hand(truth, estimate):
    pairs = [(i, j) for i in range(len(truth)) for j in range(i)]
    return sum((truth[i] - truth[j]) * (estimate[i] - estimate[j]) < 0 for i, j in pairs)


@given(few_scores)
def test_inversions_are_the_strictly_discordant_pairs(pairs):
    truth, estimate = np.array(pairs, dtype=float).T
    assert inversions(truth, estimate) == by_hand(truth, estimate)


@given(few_scores)
def test_both_ways_to_count_agree(pairs):
    truth, estimate = np.array(pairs, dtype=float).T
    assert _tests._inversions_by_merging(truth[None], estimate[None])[0] == by_hand(truth, estimate)


def test_a_long_ranking_is_counted_like_its_pairs():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 300, 1200) / 300
    estimate = np.round(truth + rng.normal(scale=0.3, size=truth.size), 2)
    expected = int(((truth[:, None] > truth) & (estimate[:, None] < estimate)).sum())
    assert inversions(truth, estimate) == expected


def test_inversions_equal_the_discordant_pairs_of_kendalls_tau_without_ties():
    from scipy.stats import kendalltau

    rng = np.random.default_rng(5)
    truth, estimate = rng.permutation(80), rng.permutation(80)
    n_pairs = 80 * 79 / 2
    assert inversions(truth, estimate) == round((1 - kendalltau(truth, estimate).statistic) / 2 * n_pairs)


def test_batches_broadcast_and_equal_one_by_one():
    rng = np.random.default_rng(7)
    truth, estimate = rng.integers(0, 9, (4, 1, 30)), rng.integers(0, 9, (5, 30))
    got = inversions(truth, estimate)
    assert got.shape == (4, 5)
    assert got.tolist() == [[inversions(truth[i, 0], estimate[j]) for j in range(5)] for i in range(4)]


def test_near_ties_are_not_rounded_away():
    # Single precision would see a tie here.
    assert inversions([1.0, 1.0 + 1e-12], [0.5 + 1e-12, 0.5]) == 1


@given(st.lists(st.integers(0, 5), min_size=2, max_size=20))
def test_rate_of_a_perfect_and_of_a_reversed_ranking(values):
    truth = np.array(values, dtype=float)
    assert inversion_rate(truth, truth) == 0
    distinct = np.arange(len(values))
    assert inversion_rate(distinct, -distinct) == 1


def test_random_estimates_invert_half_of_the_pairs():
    rng = np.random.default_rng(1)
    assert inversion_rate(rng.random((400, 50)), rng.random((400, 50))).mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("truth", "estimate", "message"),
    [
        ([1, 2, 3], [1, 2], "truth has 3 models, estimate has 2"),
        ([1, np.nan], [1, 2], "truth must be finite, got nan at position"),
        ([1, 2], [1, np.inf], "estimate must be finite, got inf"),
        ([], [], "at least one"),
        (1.0, 2.0, "at least one"),
    ],
)
def test_bad_rankings_are_named(truth, estimate, message):
    with pytest.raises(ValueError, match=message):
        inversions(truth, estimate)


def test_a_rate_needs_two_models():
    with pytest.raises(ValueError, match="at least 2 models"):
        inversion_rate([1.0], [1.0])


# The depression scores of the help page of R's wilcox.test, which prints V = 40.
DEPRESSION = (
    [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
    [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29],
)


def test_signed_rank_statistic_is_the_one_of_rs_help_page():
    assert signed_rank_test(*DEPRESSION).statistic == 40


@pytest.mark.parametrize(
    ("difference", "alternative", "p_value"),
    [
        # One changed set gives the .977 or .500 that Rider's Table 2 prints, none gives 1.000.
        ([-1, 0, 0, 0], "greater", 0.977),
        ([1, 0, 0, 0], "greater", 0.500),
        ([0, 0, 0, 0], "greater", 1.000),
        ([0, 0, 0, 0], "less", 1.000),
        ([0, 0, 0, 0], "two-sided", 1.000),
    ],
)
def test_signed_rank_of_one_or_no_change_is_what_rider_prints(difference, alternative, p_value):
    assert round(signed_rank_test(difference, alternative=alternative).p_value, 3) == p_value


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
def test_signed_rank_is_symmetric(values):
    difference = np.array(values, dtype=float)
    greater = signed_rank_test(difference, alternative="greater").p_value
    assert greater == pytest.approx(signed_rank_test(-difference, alternative="less").p_value, abs=1e-12)
    two_sided = signed_rank_test(difference).p_value
    assert two_sided == pytest.approx(signed_rank_test(-difference).p_value, abs=1e-12)
    assert 0 <= two_sided <= 1


def test_signed_rank_names_bad_input():
    with pytest.raises(ValueError, match="x has 2, y has 3"):
        signed_rank_test([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="alternative must be"):
        signed_rank_test([1, 2], alternative="bigger")


@pytest.mark.parametrize(("wins", "printed"), [(26, "5.7e-03"), (31, "6.5e-06")])
def test_sign_test_gives_the_p_values_of_jain_2017(wins, printed):
    assert f"{sign_test(wins, 36):.1e}" == printed


@given(st.integers(1, 60), st.data())
def test_sign_test_counts_the_outcomes_of_a_fair_coin(n, data):
    wins = data.draw(st.integers(0, n))
    p_values = {
        "greater": sum(math.comb(n, k) for k in range(wins, n + 1)) / 2**n,
        "less": sum(math.comb(n, k) for k in range(wins + 1)) / 2**n,
    }
    p_values["two-sided"] = min(1.0, 2 * min(p_values.values()))
    for alternative, expected in p_values.items():
        assert sign_test(wins, n, alternative=alternative) == pytest.approx(expected, rel=1e-9)


def test_sign_test_names_bad_input():
    with pytest.raises(ValueError, match="must not be greater than n"):
        sign_test(4, 3)
    with pytest.raises(ValueError, match="alternative"):
        sign_test(1, 3, alternative="bigger")
