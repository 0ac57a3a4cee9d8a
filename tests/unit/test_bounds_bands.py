"""Bands on the rank CDF: closed forms against their definitions, and coverage that is exact, not simulated."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln
from scipy.stats import binom, hypergeom

from pumetrics.bounds import Band, contingency_bounds, hypergeometric, rank_cdf_band
from pumetrics.bounds.hypergeometric import band_coverage, joint_coverage, positives_at_top

relaxed = settings(deadline=None, max_examples=60)  # a loaded machine is slow, not wrong


def ranking(n_labeled, n_unlabeled, rng):
    s = np.zeros(n_labeled + n_unlabeled, dtype=int)
    s[rng.permutation(len(s))[:n_labeled]] = 1
    return s, -np.arange(len(s), dtype=float)


@relaxed
@given(n=st.integers(1, 300), confidence=st.floats(0.01, 0.999))
def test_bootstrap_band_holds_binomial_quantiles(n, confidence):
    s, score = np.r_[np.ones(n, int), 0], -np.arange(n + 1.0)
    band = rank_cdf_band(s, score, method="bootstrap", confidence=confidence)
    share, tail = np.arange(1, n + 1) / n, (1 - confidence) / 2
    for side, q in ((band.lower, tail), (band.upper, 1 - tail)):
        count = np.round(side[:n] * n)
        np.testing.assert_allclose(side[:n] * n, count, atol=1e-9)
        assert (binom.cdf(count, n, share) >= q - 1e-9).all(), "the quantile is reached"
        assert (binom.cdf(count - 1, n, share) <= q + 1e-9).all(), "and by no smaller count"


def test_dkw_band_has_massarts_half_width():
    s, score = ranking(200, 1000, np.random.default_rng(0))
    band = rank_cdf_band(s, score, method="dkw", confidence=0.9)
    cdf = np.cumsum(s) / 200
    half_width = np.sqrt(np.log(20) / 400)
    np.testing.assert_allclose(band.lower, np.maximum(cdf - half_width, 0))
    np.testing.assert_allclose(band.upper, np.minimum(cdf + half_width, 1))


@pytest.mark.parametrize(("n_labeled", "n_latent"), [(1, 6), (4, 9), (7, 3), (30, 80)])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_hypergeometric_band_inverts_the_exact_test_at_every_rank(n_labeled, n_latent, confidence):
    total, tail = n_labeled + n_latent, (1 - confidence) / 2
    fewest, most = positives_at_top(n_labeled, total, confidence, False)
    j = np.arange(total + 1)
    for k in range(n_labeled + 1):
        kept = j[(hypergeom.cdf(k, total, n_labeled, j) > tail) & (hypergeom.sf(k - 1, total, n_labeled, j) > tail)]
        assert (fewest[k], most[k]) == (kept.min(), kept.max())


@pytest.mark.parametrize(("n_labeled", "n_latent"), [(1, 7), (3, 6), (5, 5), (6, 3)])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_joint_confidence_of_the_hypergeometric_band_counted_over_every_labeling(n_labeled, n_latent, confidence):
    total = n_labeled + n_latent
    fewest, most = positives_at_top(n_labeled, total, confidence, True)
    inside = labelings = 0
    for subset in combinations(range(total), n_labeled):
        seen = np.searchsorted(subset, np.arange(total + 1))  # labeled ones among the first 0, 1, ..., total
        inside += bool(np.all((fewest[seen] <= np.arange(total + 1)) & (np.arange(total + 1) <= most[seen])))
        labelings += 1
    assert inside / labelings >= confidence


@pytest.mark.parametrize("level", [0.02, 0.2, 0.6])
def test_path_recursion_counts_labelings(level):
    n, total = 4, 10
    j = np.arange(total + 1)
    seen = np.array([np.searchsorted(subset, j) for subset in combinations(range(total), n)])
    kept = (hypergeom.cdf(seen, total, n, j) > level / 2) & (hypergeom.sf(seen - 1, total, n, j) > level / 2)
    assert joint_coverage(n, total, level) == pytest.approx(kept.all(axis=1).mean(), abs=1e-12)


@pytest.mark.parametrize(("n_labeled", "n_positives"), [(1, 20), (2, 37), (40, 60), (300, 1100), (3000, 60_000)])
@pytest.mark.parametrize("level", [0.05, 0.5])
def test_level_of_a_rank_is_the_largest_of_its_grid_that_holds_and_is_found_in_few_steps(
    n_labeled, n_positives, level, monkeypatch
):
    tried = []

    def counted(*limits, follow=hypergeometric._path_probability):
        tried.append(limits)
        return follow(*limits)

    monkeypatch.setattr(hypergeometric, "_path_probability", counted)
    log_factorials = gammaln(np.arange(n_positives + 1) + 1.0)
    found = hypergeometric._local_level(n_labeled, n_positives, level, log_factorials)
    assert len(tried) <= (8 if n_labeled == 3000 else 24)
    low, high = np.log(level / (n_positives + 1)), np.log(level)
    for _ in range(16):
        middle = (low + high) / 2
        holds = joint_coverage(n_labeled, n_positives, np.exp(middle)) >= 1 - level
        low, high = (middle, high) if holds else (low, middle)
    assert found == pytest.approx(np.exp(low), rel=1e-12)


@relaxed
@given(st.data())
def test_coverage_of_any_band_counts_labelings(data):
    n_labeled, n_latent = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    shares = st.lists(st.integers(0, 20), min_size=n_labeled + 1, max_size=n_labeled + 1)
    one, two = (np.sort(data.draw(shares)) / 20 for _ in range(2))
    lower, upper = np.minimum(one, two), np.maximum(one, two)
    everywhere, pointwise = band_coverage(n_labeled, n_latent, lower, upper)
    j = np.arange(n_labeled + n_latent + 1)
    seen = np.array([np.searchsorted(subset, j) for subset in combinations(range(len(j) - 1), n_labeled)])
    hidden = (j - seen) / n_latent
    holds = (lower[seen] <= hidden + 1e-9) & (hidden <= upper[seen] + 1e-9)
    assert everywhere == pytest.approx(holds.all(axis=1).mean(), abs=1e-9)
    np.testing.assert_allclose(pointwise, holds.mean(axis=0)[1:-1], atol=1e-9)


@relaxed
@given(st.data())
def test_every_band_surrounds_the_labeled_positives_and_rises(data):
    n_labeled, n_unlabeled = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 60))
    s, score = ranking(n_labeled, n_unlabeled, np.random.default_rng(data.draw(st.integers(0, 99))))
    method = data.draw(st.sampled_from(["bootstrap", "dkw", "hypergeometric"]))
    alpha = data.draw(st.integers(0, n_unlabeled)) / n_unlabeled
    band = rank_cdf_band(s, score, method=method, alpha=alpha, confidence=0.95)
    cdf = np.cumsum(s) / n_labeled
    step = 1 / max(round(alpha * n_unlabeled), 1) if method == "hypergeometric" else 1e-12
    assert (band.lower <= cdf + step).all()
    assert (band.upper >= cdf - step).all()
    for side in band:
        assert ((side >= 0) & (side <= 1)).all()
        assert (np.diff(side) >= -1e-12).all()


def test_nobody_hidden_needs_no_band():
    band = rank_cdf_band([1, 0, 0], [3, 2, 1], method="hypergeometric", alpha=0)
    assert band.lower.tolist() == [0, 0, 0]
    assert band.upper.tolist() == [1, 1, 1]


def test_default_band_is_exact_where_alpha_is_known_and_free_of_it_otherwise():
    s, score = ranking(20, 100, np.random.default_rng(1))
    exact = rank_cdf_band(s, score, method="hypergeometric", alpha=0.3, simultaneous=True)
    free = rank_cdf_band(s, score, method="dkw")
    np.testing.assert_array_equal(rank_cdf_band(s, score, alpha=0.3), exact)
    np.testing.assert_array_equal(rank_cdf_band(s, score), free)


def test_labeled_negatives_are_no_part_of_the_band():
    s, score = np.array([1, -1, 0, 1, 0, -1, 0]), -np.arange(7.0)
    without = rank_cdf_band(s[s != -1], score[s != -1], alpha=1 / 3)
    np.testing.assert_array_equal(np.array(rank_cdf_band(s, score, alpha=1 / 3))[:, s != -1], without)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "boot"}, "method must be one of .* got 'boot'"),
        ({"method": "hypergeometric"}, "needs alpha"),
        ({"method": "bootstrap", "simultaneous": True}, "'bootstrap' holds rank by rank only"),
        ({"method": "dkw", "simultaneous": False}, "'dkw' holds at all ranks together only"),
    ],
)
def test_impossible_requests_are_explained(options, message):
    with pytest.raises(ValueError, match=message):
        rank_cdf_band([1, 0, 0], [3, 2, 1], **options)


@pytest.mark.parametrize(
    ("band", "message"),
    [
        (Band([0, 0], [1, 1]), r"band.lower must hold one value per rank, shape \(3,\), got shape \(2,\)"),
        (Band([0, np.nan, 1], [1, 1, 1]), r"band.lower must lie in \[0, 1\], got nan at rank 2"),
        (Band([0, 0.5, 1], [1, 0.4, 1]), "must not exceed band.upper, got 0.5 and 0.4 at rank 2"),
    ],
)
def test_unusable_bands_are_explained(band, message):
    with pytest.raises(ValueError, match=message):
        contingency_bounds([1, 0, 0], [3, 2, 1], alpha=0.5, band=band)
