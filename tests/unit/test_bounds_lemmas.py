"""The lemmas of Claesen et al. on drawn rankings, and the derivatives of their Appendix B."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pumetrics.bounds import Band, clipped_share, max_feasible_alpha, rank_cdf_band, sensitivity_to_alpha

relaxed = settings(deadline=None, max_examples=60)  # a loaded machine is slow, not wrong


@st.composite
def ranks(draw, n_sets):
    """A rank, the size of a ranking, and disjoint sets of positives in it, as ranks from 1."""
    size = draw(st.integers(n_sets + 2, 30))
    owner = np.array(draw(st.lists(st.integers(0, n_sets), min_size=size, max_size=size)))
    sets = [np.flatnonzero(owner == number) + 1 for number in range(1, n_sets + 1)]
    assume(all(len(positives) for positives in sets))
    return draw(st.integers(1, size)), size, sets


def tpr(positives, rank):
    return (positives <= rank).mean()


def fpr(positives, rank, size):
    return (rank - (positives <= rank).sum()) / (size - len(positives))


@relaxed
@given(ranks(2))
def test_lemma_1_of_two_sets_of_one_size_higher_tpr_means_lower_fpr(case):
    rank, size, (one, two) = case
    shared = min(len(one), len(two))
    one, two = one[:shared], two[-shared:]
    assume(tpr(one, rank) > tpr(two, rank))
    assert fpr(one, rank, size) < fpr(two, rank, size)


@relaxed
@given(ranks(2))
def test_lemma_2_the_union_lies_between_its_parts(case):
    rank, _, (one, two) = case
    union = np.union1d(one, two)
    low, high = sorted([tpr(one, rank), tpr(two, rank)])
    assume(low < high)
    assert low < tpr(union, rank) < high


@relaxed
@given(ranks(3))
def test_corollary_1_adding_the_same_positives_keeps_the_order(case):
    rank, _, (a, b, c) = case
    shared = min(len(b), len(c))
    b, c = b[:shared], c[:shared]
    before = np.sign((b <= rank).sum() - (c <= rank).sum())
    after = np.sign(tpr(np.union1d(a, b), rank) - tpr(np.union1d(a, c), rank))
    assert before == after


@relaxed
@given(st.integers(1, 6), st.integers(0, 6), st.integers(2, 4), st.integers(1, 30), st.integers(1, 30))
def test_lemma_4_more_positives_at_one_tpr_move_fpr_away_from_it(at_top, below, factor, negatives_top, negatives_below):
    """Two sets of one TPR in one ranking: the larger is `factor` times the smaller, in the head and in the tail."""
    size_small, size_large = at_top + below, factor * (at_top + below)
    head = factor * at_top + negatives_top
    size = size_large + negatives_top + negatives_below
    t = at_top / size_small
    small, large = ((head - k * at_top) / (size - n) for k, n in ((1, size_small), (factor, size_large)))
    if small < t:
        assert large < small
    elif small > t:
        assert large > small
    else:
        assert large == pytest.approx(small)


def unrounded_rates(head, n_unlabeled, alpha, share):
    """Partial tables of the unlabeled as real numbers, written out from Appendix B and Eq. 11."""
    n_latent = alpha * n_unlabeled
    tp = np.maximum(np.minimum(head, share * n_latent), n_latent - (n_unlabeled - head))
    fp = head - tp
    fn, tn = n_latent - tp, n_unlabeled - n_latent - fp
    return np.array([tp, fp, fn, tn, tp / n_latent, fp / (n_unlabeled - n_latent), tp / head])


def test_derivatives_equal_finite_differences_also_where_tables_are_clipped():
    rng = np.random.default_rng(3)
    s = np.r_[0, rng.choice([1, 0, 0, 0, -1], 400)]
    score = np.r_[9, rng.normal(2.5 * s[1:])]
    head, n_unlabeled = np.cumsum(s[np.argsort(-score, kind="stable")] == 0), (s == 0).sum()
    band = rank_cdf_band(s, score, method="dkw")
    alpha, step = 0.41, 1e-7
    got = sensitivity_to_alpha(s, score, alpha=alpha, band=band)
    for side, share in zip(got, band, strict=True):
        above, below = (unrounded_rates(head, n_unlabeled, alpha + d, share) for d in (step, -step))
        np.testing.assert_allclose(np.array(side), (above - below) / (2 * step), atol=1e-4 * n_unlabeled)
    assert 0 < clipped_share(s, score, alpha=alpha, band=band).upper < 1, "both regimes are seen"


def test_corrected_equation_20():
    """The paper's fpr derivative is |U| times too large; tpr does not move and precision rises with T |U| / |head|."""
    s = np.r_[0, np.tile([0, 1, 0, 0], 50)]
    score = -np.arange(len(s), dtype=float)
    head, n_unlabeled = np.cumsum(s == 0), (s == 0).sum()
    share = np.linspace(0.003, 1, len(s))
    got = sensitivity_to_alpha(s, score, alpha=0.2, band=Band(share, share)).lower
    np.testing.assert_allclose(got.fpr, (head / n_unlabeled - share) / 0.8**2, atol=1e-12)
    np.testing.assert_allclose(got.tpr, 0, atol=1e-12)
    np.testing.assert_allclose(got.precision, share * n_unlabeled / head)


def test_precision_of_an_empty_head_has_no_derivative():
    got = sensitivity_to_alpha([1, 0, 0], [3, 2, 1], alpha=0.5, band="dkw").lower
    assert np.isnan(got.precision[0])


@pytest.mark.parametrize("alpha", [0, 1])
def test_derivatives_need_an_alpha_with_room_on_both_sides(alpha):
    with pytest.raises(ValueError, match=r"alpha must lie in \(0, 1\)"):
        sensitivity_to_alpha([1, 0, 0], [3, 2, 1], alpha=alpha)


@relaxed
@given(st.lists(st.sampled_from([1, 0, 0]), min_size=1, max_size=30), st.data())
def test_largest_feasible_alpha_is_where_clipping_of_the_bounds_begins(labels, data):
    s = np.array([0, *labels, 1])
    score = -np.arange(len(s), dtype=float)
    band = rank_cdf_band(s, score, method="dkw", confidence=data.draw(st.sampled_from([0.2, 0.6])))
    largest = max_feasible_alpha(s, score, band=band)
    head, n_unlabeled = np.cumsum(s == 0), (s == 0).sum()

    def fits(alpha):
        above, below = band.lower * alpha * n_unlabeled, (1 - band.upper) * alpha * n_unlabeled
        return (above <= head + 1e-9).all() and (below <= n_unlabeled - head + 1e-9).all()

    assert fits(largest)
    assert largest == 1 or not fits(largest + 0.001)


def test_largest_feasible_alpha_is_a_bound_on_alpha_and_bites_when_positives_crowd_the_top():
    rng = np.random.default_rng(7)
    y = rng.random(20_000) < 0.2
    score = rng.normal(3.0 * y)
    s = np.zeros(20_000, int)
    s[rng.choice(np.flatnonzero(y), 1000, replace=False)] = 1
    alpha = y[s == 0].mean()
    assert alpha <= max_feasible_alpha(s, score) < 0.3
    assert max_feasible_alpha(s, rng.normal(size=20_000)) > 0.9, "a ranking at random forbids hardly any alpha"


def test_clipping_tells_of_an_alpha_too_high_for_the_ranking():
    rng = np.random.default_rng(7)
    y = rng.random(20_000) < 0.2
    score = rng.normal(3.0 * y)
    s = np.zeros(20_000, int)
    s[rng.choice(np.flatnonzero(y), 1000, replace=False)] = 1
    assert clipped_share(s, score, alpha=y[s == 0].mean()).lower < 0.01
    assert clipped_share(s, score, alpha=0.6).lower > 0.3


def test_the_order_of_equal_scores_in_a_file_changes_no_diagnosis():
    rng = np.random.default_rng(3)
    s = rng.permutation(np.r_[np.ones(60, int), np.zeros(600, int)])
    score = np.round(rng.normal(1.5 * s), 0)
    first, last = np.argsort(-s, kind="stable"), np.argsort(s, kind="stable")
    feasible = [max_feasible_alpha(s[order], score[order]) for order in (first, last)]
    assert feasible[0] == feasible[1] > 0
    clipped = [clipped_share(s[order], score[order], alpha=0.2) for order in (first, last)]
    assert clipped[0] == clipped[1]
