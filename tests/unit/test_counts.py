"""Counts at thresholds and ranks equal a plain loop over the examples, ties included."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pumetrics.counts import count_ranks, count_scores, place_samples
from pumetrics.curves import threshold_rates
from pumetrics.priors.estimate import effective_counts
from pumetrics.weights import effective_size


@st.composite
def samples(draw, labels=(0, 1)):
    """Observed label and score of 2 to 40 examples; few distinct scores, so most of them are tied."""
    n = draw(st.integers(len(labels), 40))
    some = st.floats(-1e6, 1e6).map(lambda x: x + 0.0)
    levels = draw(st.lists(some, min_size=1, max_size=12))
    s = draw(
        st.permutations(
            [
                *labels,
                *draw(st.lists(st.sampled_from(labels), min_size=n - len(labels), max_size=n)),
            ]
        )
    )
    score = draw(st.lists(st.sampled_from(levels), min_size=len(s), max_size=len(s)))
    return np.array(s), np.array(score)


def above(labels, value, score, thresholds):
    """Plain loop: examples of a label whose score is at least each threshold."""
    return [
        sum(1 for label, x in zip(labels, score, strict=True) if label == value and x >= t)
        for t in thresholds
    ]


@settings(max_examples=100)
@given(samples())
def test_counts_at_thresholds_equal_a_loop(sample):
    s, score = sample
    counts = count_scores(s, score)
    thresholds = [np.inf, *sorted(set(score.tolist()), reverse=True)]
    np.testing.assert_array_equal(counts.thresholds, thresholds)
    for found, value in ((counts.labeled, 1), (counts.unlabeled, 0)):
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, above(s, value, score, thresholds))
    np.testing.assert_array_equal(counts.predicted, [sum(score >= t) for t in thresholds])
    assert (counts.n_labeled, counts.n_unlabeled, counts.n) == (sum(s == 1), sum(s == 0), len(s))
    assert counts.c == s.mean()
    np.testing.assert_array_equal(counts.tpr_pu, [np.mean(score[s == 1] >= t) for t in thresholds])
    np.testing.assert_array_equal(counts.fpr_pu, [np.mean(score[s == 0] >= t) for t in thresholds])


@settings(max_examples=100)
@given(samples(), st.floats(allow_nan=False))
def test_index_of_a_threshold_predicts_the_same_examples(sample, threshold):
    s, score = sample
    counts = count_scores(s, score)
    for t in (threshold, *score[:3], np.nextafter(score[0], np.inf)):
        np.testing.assert_array_equal(score >= t, score >= counts.thresholds[counts.at(t)])
    np.testing.assert_array_equal(counts.at(counts.thresholds), np.arange(len(counts.thresholds)))


@settings(max_examples=100)
@given(samples(labels=(-1, 0, 1)))
def test_counts_at_ranks_equal_a_loop(sample):
    s, score = sample
    counts = count_ranks(s, score, need=(-1, 0, 1))
    # Python's sort keeps ties in the order given
    order = sorted(range(len(s)), key=lambda i: -score[i])
    np.testing.assert_array_equal(counts.labels, s[order])
    for name, value in (("labeled", 1), ("unlabeled", 0), ("labeled_negatives", -1)):
        wanted = [sum(1 for i in order[: r + 1] if s[i] == value) for r in range(len(s))]
        np.testing.assert_array_equal(getattr(counts, name), wanted)
    ranked = score[order]
    assert counts.ends.tolist() == [
        i for i in range(len(s)) if i == len(s) - 1 or ranked[i] != ranked[i + 1]
    ]
    assert (counts.heads == counts.ends + 1).all()


@settings(max_examples=50)
@given(samples(labels=(-1, 0, 1)))
def test_a_ranking_flipped_is_that_of_the_other_sign(sample):
    s, score = sample
    flipped = count_ranks(s, score).flipped()
    other = count_ranks(-s, -score)
    np.testing.assert_array_equal(flipped.ends, other.ends)
    for name in ("labeled", "unlabeled", "labeled_negatives"):  # within ties the order is turned
        np.testing.assert_array_equal(
            getattr(flipped, name)[flipped.ends], getattr(other, name)[other.ends]
        )
    for ours, theirs in zip(flipped.flipped(), count_ranks(s, score), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=50)
@given(samples(), st.integers(0, 2**32 - 1))
def test_counts_of_a_resample_are_those_of_its_examples(sample, seed):
    s, score = sample
    places = place_samples(score[s == 1], score[s == 0])
    for ours, theirs in zip(places.counts(), count_scores(s, score), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    rng = np.random.default_rng(seed)
    parts = score[s == 1], score[s == 0]
    rows = [rng.integers(len(part), size=len(part)) for part in parts]
    counts = places.counts(*rows)
    for count, part, chosen in zip((counts.labeled, counts.unlabeled), parts, rows, strict=True):
        np.testing.assert_array_equal(count, [np.sum(part[chosen] >= t) for t in counts.thresholds])


# Weights: counts of weights are counts of repeated rows, and scores of weighted rows are scikit-learn's.


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
    weighted = count_scores(s, score, sample_weight=weights)
    for ours, repeated in zip(weighted, count_scores(s[rows], score[rows]), strict=True):
        assert np.array_equal(ours, repeated)
    assert weighted.labeled.dtype == np.float64
    assert threshold_rates(s, score, sample_weight=weights)[0][-1] == 1.0
    assert (weighted.n_labeled, weighted.n_unlabeled) == (
        weights[s == 1].sum(),
        weights[s == 0].sum(),
    )


def test_effective_counts_are_those_of_the_sample_where_weights_are_equal():
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [30, 70])
    score = rng.normal(size=100)
    plain = count_scores(s, score)
    for weights in (None, np.full(100, 0.1), np.full(100, 7)):
        counts = effective_counts(s, score, weights)
        assert counts.labeled.dtype == np.int64
        assert all(np.array_equal(ours, wanted) for ours, wanted in zip(counts, plain, strict=True))


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=30).filter(
        lambda weights: max(weights) > 1e-90
    )
)
def test_effective_sizes_lie_between_one_and_all(weights):
    size = effective_size(np.array(weights))
    assert 1 - 1e-9 <= size <= len(weights) + 1e-9
