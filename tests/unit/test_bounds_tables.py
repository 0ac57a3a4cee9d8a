"""Contingency tables: Equations 8 to 13 by brute force, and the truth between both tables."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pumetrics.bounds import Band, contingency_bounds, metric_bounds

relaxed = settings(deadline=None, max_examples=60)  # a loaded machine is slow, not wrong


@st.composite
def rankings(draw, max_size=40, levels=8, negatives=True):
    """Labels with at least one positive and one unlabeled, scores with ties."""
    s = draw(st.lists(st.sampled_from([1, 0, 0, -1] if negatives else [1, 0, 0]), min_size=0, max_size=max_size))
    s = np.array(draw(st.permutations([1, 0, *s])))
    score = np.array(draw(st.lists(st.integers(0, levels), min_size=len(s), max_size=len(s))), dtype=float)
    return s, score


@st.composite
def bands(draw, n):
    """Any two rising curves of which one is never above the other."""
    shares = st.lists(st.integers(0, 1000), min_size=n, max_size=n)
    lower, upper = np.sort(draw(shares)) / 1000, np.sort(draw(shares)) / 1000
    return Band(np.minimum(lower, upper), np.maximum(lower, upper))


def sorted_labels(s, score):
    return s[np.argsort(-score, kind="stable")]


def best_surrogates(labels, rank, n_latent, bound, upper):
    """Hidden positives at the top in Eq. 8 (or 9), by trying every set of surrogate positives."""
    unlabeled = np.flatnonzero(labels == 0)
    reachable = sorted({sum(i < rank for i in chosen) for chosen in combinations(unlabeled, n_latent)})
    if upper:
        feasible = [count for count in reachable if count >= bound * n_latent - 1e-9]
        return feasible[0] if feasible else reachable[-1]
    feasible = [count for count in reachable if count <= bound * n_latent + 1e-9]
    return feasible[-1] if feasible else reachable[0]


@relaxed
@given(st.data())
def test_no_feasible_set_of_surrogates_does_better(data):
    """Lemma 3: greatest lower and least upper bound, including both corner cases of Eq. 11."""
    s, score = data.draw(rankings(max_size=7))
    labels, n = sorted_labels(s, score), len(s)
    n_unlabeled = int((s == 0).sum())
    n_latent = data.draw(st.integers(0, n_unlabeled))
    band = data.draw(bands(n))
    tables = contingency_bounds(s, score, alpha=n_latent / n_unlabeled, band=band)
    for rank in range(1, n + 1):
        for table, bound, upper in ((tables.lower, band.lower, False), (tables.upper, band.upper, True)):
            hidden = best_surrogates(labels, rank, n_latent, bound[rank - 1], upper)
            tp = (labels[:rank] == 1).sum() + hidden
            n_positive = (labels == 1).sum() + n_latent
            assert table[rank - 1].tolist() == [tp, rank - tp, n_positive - tp, n - rank - (n_positive - tp)]


@relaxed
@given(st.data())
def test_tables_equal_equation_11_as_printed(data):
    s, score = data.draw(rankings())
    n_unlabeled = int((s == 0).sum())
    n_latent = data.draw(st.integers(0, n_unlabeled))
    band = data.draw(bands(len(s)))
    tables = contingency_bounds(s, score, alpha=n_latent / n_unlabeled, band=band)
    head = np.cumsum(sorted_labels(s, score) == 0)
    tail = n_unlabeled - head
    known = np.cumsum(sorted_labels(s, score) == 1)
    for table, theta in (
        (tables.lower, np.floor(np.round(band.lower * n_latent, 9))),
        (tables.upper, np.ceil(np.round(band.upper * n_latent, 9))),
    ):
        hidden = np.where(n_latent - theta <= tail, np.minimum(head, theta), n_latent - tail)
        np.testing.assert_array_equal(table[:, 0], known + hidden)
        assert table.dtype.kind == "i"
        assert (table >= 0).all()
        assert (table.sum(axis=1) == len(s)).all()
        assert (table[:, :2].sum(axis=1) == np.arange(1, len(s) + 1)).all()
        assert len({*table[:, [0, 2]].sum(axis=1)}) == 1


@st.composite
def hidden_truths(draw, **options):
    """A ranking, its true classes, and a band around the rank CDF of the hidden positives."""
    s, score = draw(rankings(**options))
    unlabeled = np.flatnonzero(s == 0)
    chosen = draw(st.sets(st.sampled_from(unlabeled.tolist())))
    y = (s == 1).astype(int)
    y[list(chosen)] = 1
    order = np.argsort(-score, kind="stable")
    at_top = np.cumsum((y * (s == 0))[order]) / max(len(chosen), 1)
    below, above = draw(st.floats(0, 0.5)), draw(st.floats(0, 0.5))
    return s, score, y, len(chosen) / len(unlabeled), Band(np.maximum(at_top - below, 0), np.minimum(at_top + above, 1))


def true_tables(y, score):
    y = y[np.argsort(-score, kind="stable")]
    tp, rank = np.cumsum(y), np.arange(1, len(y) + 1)
    return np.c_[tp, rank - tp, y.sum() - tp, len(y) - rank - y.sum() + tp]


@relaxed
@given(hidden_truths())
def test_true_table_lies_between_whenever_the_true_cdf_lies_in_the_band(case):
    s, score, y, alpha, band = case
    tables, truth = contingency_bounds(s, score, alpha=alpha, band=band), true_tables(y, score)
    for column, sign in ((0, 1), (1, -1), (2, -1), (3, 1)):
        assert (sign * tables.lower[:, column] <= sign * truth[:, column]).all()
        assert (sign * tables.upper[:, column] >= sign * truth[:, column]).all()


@relaxed
@given(hidden_truths())
def test_known_negatives_bound_the_same_truth_from_the_other_end(case):
    """Flipped labels: exact from the exact CDF of the hidden negatives, and wider with any slack."""
    s, score, y, alpha, _ = case
    s, y = -s, 1 - y  # what was labeled positive is now a labeled negative, and bounds start from there
    score = score + np.linspace(0, 0.5, len(s))  # no ties, so that both ends agree on the order
    truth = true_tables(y, score)
    from_bottom = np.argsort(score)
    hidden = np.cumsum(((1 - y) * (s == 0))[from_bottom])
    cdf = hidden / max(hidden[-1], 1)
    share = 1 - alpha
    exact = contingency_bounds(s, score, alpha=share, band=Band(cdf, cdf), known="negatives")
    for table in exact:
        np.testing.assert_array_equal(table, truth)
    slack = Band(np.maximum(cdf - 0.21, 0), np.minimum(cdf + 0.21, 1))
    wide = contingency_bounds(s, score, alpha=share, band=slack, known="negatives")
    assert (wide.lower[:, 0] <= truth[:, 0]).all()
    assert (wide.upper[:, 0] >= truth[:, 0]).all()


def test_tightest_takes_the_side_with_more_knowledge():
    rng = np.random.default_rng(2)
    y = rng.random(3000) < 0.4
    score = rng.normal(y * 1.0)
    for n_positive, n_negative, winner in ((30, 1000, "negatives"), (1000, 30, "positives")):
        s = np.zeros(3000, int)
        s[rng.choice(np.flatnonzero(y), n_positive, replace=False)] = 1
        s[rng.choice(np.flatnonzero(~y), n_negative, replace=False)] = -1
        alpha = (y & (s == 0)).sum() / (s == 0).sum()
        got = contingency_bounds(s, score, alpha=alpha, known="tightest")
        want = contingency_bounds(s, score, alpha=alpha, known=winner)
        np.testing.assert_array_equal(got.lower, want.lower)
        np.testing.assert_array_equal(got.upper, want.upper)


@pytest.mark.parametrize(
    ("alpha", "n_unlabeled", "n_latent"), [(0.29, 100, 29), (0.07, 100, 7), (0.5, 7, 3), (1, 9, 9)]
)
def test_number_of_hidden_positives_is_whole_and_forgives_floating_point(alpha, n_unlabeled, n_latent):
    s = np.r_[1, np.zeros(n_unlabeled, int)]
    tables = contingency_bounds(s, -np.arange(len(s)), alpha=alpha)
    assert {*(tables.lower[:, 0] + tables.lower[:, 2])} == {1 + n_latent}


def test_rounding_of_theta_forgives_floating_point():
    """.07 of 100 hidden positives are 7, though the product is 7.000000000000001."""
    s = np.r_[np.zeros(200, int), 1]
    band = Band(np.full(201, 0.29), np.full(201, 0.57))
    tables = contingency_bounds(s, -np.arange(201.0), alpha=0.5, band=band)
    assert (tables.lower[150, 0], tables.upper[80, 0]) == (50 + 1, 57)
    assert (tables.lower[80, 0], 0.29 * 100 < 29, 0.57 * 100 > 57) == (29, True, False)


def test_nothing_or_all_hidden_gives_the_tables_of_the_labels():
    rng = np.random.default_rng(5)
    s, score = rng.choice([1, 0, -1], 200), rng.integers(0, 30, 200).astype(float)
    for alpha, y in ((0, s == 1), (1, s != -1)):
        for table in contingency_bounds(s, score, alpha=alpha):
            np.testing.assert_array_equal(table, true_tables(y.astype(int), score))


@pytest.mark.parametrize("method", ["bootstrap", "dkw", "hypergeometric"])
def test_one_labeled_positive_still_bounds(method):
    s = np.r_[np.zeros(10, int), 1, np.zeros(10, int)]
    tables = contingency_bounds(s, -np.arange(21.0), alpha=0.25, band=method)
    assert (tables.lower[:, 0] <= tables.upper[:, 0]).all()
    if method == "hypergeometric":  # of six positives the labeled one is the first with probability 1/6
        assert tables.lower[9].tolist() == [0, 10, 6, 5]
        assert tables.upper[9].tolist() == [5, 5, 1, 10]


@relaxed
@given(hidden_truths())
def test_metrics_of_the_truth_lie_between_their_bounds(case):
    s, score, y, alpha, band = case
    tp, fp, fn, tn = true_tables(y, score).T.astype(float)
    for name, value in (
        ("accuracy", (tp + tn) / len(s)),
        ("f1", 2 * tp / (2 * tp + fp + fn)),
        ("precision", tp / (tp + fp)),
        ("recall", tp / (tp + fn)),
        (lambda tp, fp, fn, tn: fp + 2 * fn, fp + 2 * fn),
    ):
        lower, upper = metric_bounds(s, score, metric=name, alpha=alpha, band=band)
        assert (lower <= value + 1e-12).all()
        assert (value <= upper + 1e-12).all()


@relaxed
@given(hidden_truths(max_size=15))
def test_metrics_rise_with_true_positives_so_the_two_tables_are_enough(case):
    s, score, _, alpha, band = case
    for name in ("accuracy", "balanced_accuracy", "f1", "mcc", "precision", "recall", "specificity"):
        ends = metric_bounds(s, score, metric=name, alpha=alpha, band=band)
        every = metric_bounds(s, score, metric=name, alpha=alpha, band=band, monotone=False)
        np.testing.assert_allclose(ends, every, atol=1e-12)


def test_a_metric_that_turns_needs_every_table():
    s, score = np.r_[1, np.zeros(20, int)], -np.arange(21.0)
    band = Band(np.zeros(21), np.ones(21))
    options = {"metric": lambda tp, fp, fn, tn: (tp - 3) ** 2, "alpha": 0.5, "band": band}
    assert metric_bounds(s, score, **options, monotone=False)[0][8] == 0
    assert metric_bounds(s, score, **options)[0][8] == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": (0.1, 0.2)}, "alpha must be a number"),
        ({"known": "negatives"}, "s holds no -1"),
        ({"known": "tightest"}, "s holds no -1"),
        ({"known": "tightest", "s": [1, 0, -1], "band": Band([0] * 3, [1] * 3)}, "give the name of a method"),
        ({"metric": "acc"}, "accuracy, balanced_accuracy, f1"),
    ],
)
def test_impossible_requests_are_explained(options, message):
    function = metric_bounds if "metric" in options else contingency_bounds
    with pytest.raises(ValueError, match=message):
        function(**{"s": [1, 0, 0], "y_score": [3, 2, 1], "alpha": 0.2, **options})
