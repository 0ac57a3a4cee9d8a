"""The derivatives of Appendix B of Claesen et al., and the largest alpha that a ranking allows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pumetrics.bounds import Band, clipped_share, max_feasible_alpha, rank_cdf_band, sensitivity_to_alpha

relaxed = settings(deadline=None, max_examples=60)  # a loaded machine is slow, not wrong


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


def test_largest_feasible_alpha_and_clipping_tell_of_an_alpha_too_high_for_the_ranking():
    rng = np.random.default_rng(7)
    y = rng.random(20_000) < 0.2
    score = rng.normal(3.0 * y)
    s = np.zeros(20_000, int)
    s[rng.choice(np.flatnonzero(y), 1000, replace=False)] = 1
    alpha = y[s == 0].mean()
    assert alpha <= max_feasible_alpha(s, score) < 0.3
    assert max_feasible_alpha(s, rng.normal(size=20_000)) > 0.9, "a ranking at random forbids hardly any alpha"
    assert clipped_share(s, score, alpha=alpha).lower < 0.01
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
