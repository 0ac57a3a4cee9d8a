"""Weights: counts of weights are counts of repeated rows, and scores of weighted rows are scikit-learn's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pumetrics._weights import effective_size
from pumetrics.counts import count_scores
from pumetrics.curves import threshold_rates
from pumetrics.priors.estimate import effective_counts


@st.composite
def weighted_samples(draw):
    """Labels, tied scores and whole weights, of which either kind of examples holds some above 0."""
    n = draw(st.integers(2, 25))
    s = [1, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    scores = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    weights = [
        *draw(st.tuples(*2 * [st.integers(1, 5)])),
        *draw(st.lists(st.integers(0, 5), min_size=n - 2, max_size=n - 2)),
    ]
    return np.array(s), np.array(scores, dtype=float), np.array(weights)


@given(weighted_samples())
def test_counts_of_weights_are_counts_of_repeated_rows(sample):
    s, score, weights = sample
    rows = np.repeat(np.arange(len(s)), weights)
    y = (score + s) % 2
    y[:2] = 1, 0
    weighted = count_scores(s, score, y, sample_weight=weights)
    for ours, repeated in zip(weighted, count_scores(s[rows], score[rows], y[rows]), strict=True):
        assert np.array_equal(ours, repeated)
    assert weighted.labeled.dtype == np.float64
    assert threshold_rates(s, score, sample_weight=weights)[0][-1] == 1.0
    assert (weighted.n_labeled, weighted.n_unlabeled) == (weights[s == 1].sum(), weights[s == 0].sum())


def test_unweighted_counts_stay_whole_and_equal_weights_change_nothing():
    rng = np.random.default_rng(0)
    s, score = np.repeat([1, 0], [30, 70]), rng.integers(0, 40, 100).astype(float)
    plain, ones = count_scores(s, score), count_scores(s, score, sample_weight=np.ones(100))
    assert plain.labeled.dtype == plain.unlabeled.dtype == np.int64
    assert isinstance(plain.n_labeled, int)
    for ours, wanted in zip(ones[:3], plain[:3], strict=True):
        assert np.array_equal(ours, wanted)


def test_effective_counts_are_those_of_the_sample_where_weights_are_equal():
    rng = np.random.default_rng(0)
    s, score = np.repeat([1, 0], [30, 70]), rng.normal(size=100)
    plain = count_scores(s, score)
    for weights in (None, np.full(100, 0.1), np.full(100, 7)):
        counts = effective_counts(s, score, weights)
        assert counts.labeled.dtype == np.int64
        assert all(np.array_equal(ours, wanted) for ours, wanted in zip(counts[:3], plain[:3], strict=True))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30).filter(lambda weights: max(weights) > 1e-90))
def test_effective_sizes_lie_between_one_and_all(weights):
    size = effective_size(np.array(weights))
    assert 1 - 1e-9 <= size <= len(weights) + 1e-9
