"""Contingency tables: Equations 8 to 13 by brute force, and the truth between both tables."""

from fractions import Fraction
from functools import partial
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln
from scipy.stats import binom, hypergeom
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

from pumetrics.bounds import (
    Band,
    clipped_share,
    contingency_bounds,
    hypergeometric,
    max_feasible_alpha,
    rank_cdf_band,
)
from pumetrics.bounds.hypergeometric import (
    _acceptance,
    _lower_quantiles,
    path_probability,
    positives_at_top,
)
from pumetrics.bounds.scores import band_for
from pumetrics.bounds.tables import TABLE_METRICS, metric_bounds, tables_at
from pumetrics.counts import RankCounts, count_scores
from pumetrics_workflow.studies.claesen2015.rankings import band_coverage

relaxed = settings(max_examples=60)


@st.composite
def rankings(draw, max_size=40, levels=8, negatives=True):
    """Labels with at least one positive and one unlabeled, scores with ties."""
    s = draw(
        st.lists(
            st.sampled_from([1, 0, 0, -1] if negatives else [1, 0, 0]),
            min_size=0,
            max_size=max_size,
        )
    )
    s = np.array(draw(st.permutations([1, 0, *s])))
    score = np.array(
        draw(st.lists(st.integers(0, levels), min_size=len(s), max_size=len(s))), dtype=float
    )
    return s, score


@st.composite
def bands(draw, n):
    """Any two rising curves of which one is never above the other."""
    shares = st.lists(st.integers(0, 1000), min_size=n, max_size=n)
    lower = np.sort(draw(shares)) / 1000
    upper = np.sort(draw(shares)) / 1000
    return Band(np.minimum(lower, upper), np.maximum(lower, upper))


def sorted_labels(s, score):
    return s[np.argsort(-score, kind="stable")]


def best_surrogates(labels, rank, n_latent, bound, upper):
    """Hidden positives at the top in Eq. 8 (or 9), by trying every set of surrogate positives."""
    unlabeled = np.flatnonzero(labels == 0)
    reachable = sorted(
        {sum(i < rank for i in chosen) for chosen in combinations(unlabeled, n_latent)}
    )
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
    labels = sorted_labels(s, score)
    n = len(s)
    n_unlabeled = int((s == 0).sum())
    n_latent = data.draw(st.integers(0, n_unlabeled))
    band = data.draw(bands(n))
    tables = contingency_bounds(s, score, alpha=n_latent / n_unlabeled, band=band)
    for rank in range(1, n + 1):
        for table, bound, upper in (
            (tables.lower, band.lower, False),
            (tables.upper, band.upper, True),
        ):
            hidden = best_surrogates(labels, rank, n_latent, bound[rank - 1], upper)
            tp = (labels[:rank] == 1).sum() + hidden
            n_positive = (labels == 1).sum() + n_latent
            assert table[rank - 1].tolist() == [
                tp,
                rank - tp,
                n_positive - tp,
                n - rank - (n_positive - tp),
            ]


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
    below = draw(st.floats(0, 0.5))
    above = draw(st.floats(0, 0.5))
    return (
        s,
        score,
        y,
        len(chosen) / len(unlabeled),
        Band(np.maximum(at_top - below, 0), np.minimum(at_top + above, 1)),
    )


def true_tables(y, score):
    y = y[np.argsort(-score, kind="stable")]
    tp = np.cumsum(y)
    rank = np.arange(1, len(y) + 1)
    return np.c_[tp, rank - tp, y.sum() - tp, len(y) - rank - y.sum() + tp]


@relaxed
@given(hidden_truths())
def test_true_table_lies_between_whenever_the_true_cdf_lies_in_the_band(case):
    s, score, y, alpha, band = case
    tables = contingency_bounds(s, score, alpha=alpha, band=band)
    truth = true_tables(y, score)
    for column, sign in ((0, 1), (1, -1), (2, -1), (3, 1)):
        assert (sign * tables.lower[:, column] <= sign * truth[:, column]).all()
        assert (sign * tables.upper[:, column] >= sign * truth[:, column]).all()


@relaxed
@given(hidden_truths())
def test_known_negatives_bound_the_same_truth_from_the_other_end(case):
    """Flipped labels: exact from the exact CDF of the hidden negatives, and wider with any slack."""
    s, score, y, alpha, _ = case
    # what was labeled positive is now a labeled negative, and bounds start from there
    s = -s
    y = 1 - y
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
def test_number_of_hidden_positives_is_whole_and_forgives_floating_point(
    alpha, n_unlabeled, n_latent
):
    s = np.r_[1, np.zeros(n_unlabeled, int)]
    tables = contingency_bounds(s, -np.arange(len(s)), alpha=alpha)
    assert {*(tables.lower[:, 0] + tables.lower[:, 2])} == {1 + n_latent}


def test_tables_at_thresholds_begin_where_nobody_is_predicted_positive():
    s = np.array([1, 0, 0, 1, 0])
    score = np.array([3.0, 3, 2, 1, 1])
    counts = count_scores(s, score)
    labeled = counts.labeled
    unlabeled = counts.unlabeled
    wanted = np.transpose([labeled, unlabeled, 2 - labeled, 3 - unlabeled])
    np.testing.assert_array_equal(
        tables_at(counts, contingency_bounds(s, score, alpha=0).lower), wanted
    )


# Bands on the rank CDF: closed forms against their definitions, and coverage that is exact, not simulated.


def ranking(n_labeled, n_unlabeled, rng):
    s = np.zeros(n_labeled + n_unlabeled, dtype=int)
    s[rng.permutation(len(s))[:n_labeled]] = 1
    return s, -np.arange(len(s), dtype=float)


@relaxed
@given(n=st.integers(1, 300), confidence=st.floats(0.01, 0.999))
def test_bootstrap_band_holds_binomial_quantiles(n, confidence):
    s = np.r_[np.ones(n, int), 0]
    score = -np.arange(n + 1.0)
    band = rank_cdf_band(s, score, method="bootstrap", confidence=confidence)
    share = np.arange(1, n + 1) / n
    tail = (1 - confidence) / 2
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
    total = n_labeled + n_latent
    tail = (1 - confidence) / 2
    fewest, most = positives_at_top(n_labeled, total, confidence, False)
    j = np.arange(total + 1)
    for k in range(n_labeled + 1):
        kept = j[
            (hypergeom.cdf(k, total, n_labeled, j) > tail)
            & (hypergeom.sf(k - 1, total, n_labeled, j) > tail)
        ]
        assert (fewest[k], most[k]) == (kept.min(), kept.max())


@pytest.mark.parametrize(("n_labeled", "n_latent"), [(1, 7), (3, 6), (5, 5), (6, 3)])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_joint_confidence_of_the_hypergeometric_band_counted_over_every_labeling(
    n_labeled, n_latent, confidence
):
    total = n_labeled + n_latent
    fewest, most = positives_at_top(n_labeled, total, confidence, True)
    inside = labelings = 0
    for subset in combinations(range(total), n_labeled):
        # labeled ones among the first 0, 1, ..., total
        seen = np.searchsorted(subset, np.arange(total + 1))
        inside += bool(
            np.all((fewest[seen] <= np.arange(total + 1)) & (np.arange(total + 1) <= most[seen]))
        )
        labelings += 1
    assert inside / labelings >= confidence


def joint_coverage(n_labeled, n_positives, level):
    """Probability that no rank is rejected when each is tested at `level` (two-sided)."""
    log_factorials = gammaln(np.arange(n_positives + 1) + 1.0)
    return path_probability(n_labeled, *_acceptance(n_labeled, n_positives, level, log_factorials))


@pytest.mark.parametrize(
    ("n_labeled", "n_positives"), [(1, 20), (2, 37), (40, 60), (300, 1100), (3000, 60_000)]
)
@pytest.mark.parametrize("level", [0.05, 0.5])
def test_level_of_a_rank_is_the_largest_of_its_grid_that_holds_and_is_found_in_few_steps(
    n_labeled, n_positives, level, monkeypatch
):
    tried = []

    def counted(*limits, follow=hypergeometric.path_probability):
        tried.append(limits)
        return follow(*limits)

    monkeypatch.setattr(hypergeometric, "path_probability", counted)
    log_factorials = gammaln(np.arange(n_positives + 1) + 1.0)
    found = hypergeometric._local_level(n_labeled, n_positives, level, log_factorials)
    assert len(tried) <= (8 if n_labeled == 3000 else 24)
    low = np.log(level / (n_positives + 1))
    high = np.log(level)
    for _ in range(16):
        middle = (low + high) / 2
        holds = joint_coverage(n_labeled, n_positives, np.exp(middle)) >= 1 - level
        low, high = (middle, high) if holds else (low, middle)
    assert found == pytest.approx(np.exp(low), rel=1e-12)


@relaxed
@given(st.data())
def test_coverage_of_any_band_counts_labelings(data):
    n_labeled = data.draw(st.integers(1, 4))
    n_latent = data.draw(st.integers(1, 5))
    shares = st.lists(st.integers(0, 20), min_size=n_labeled + 1, max_size=n_labeled + 1)
    one, two = (np.sort(data.draw(shares)) / 20 for _ in range(2))
    lower = np.minimum(one, two)
    upper = np.maximum(one, two)
    everywhere, pointwise = band_coverage(n_labeled, n_latent, lower, upper)
    j = np.arange(n_labeled + n_latent + 1)
    seen = np.array(
        [np.searchsorted(subset, j) for subset in combinations(range(len(j) - 1), n_labeled)]
    )
    hidden = (j - seen) / n_latent
    holds = (lower[seen] <= hidden + 1e-9) & (hidden <= upper[seen] + 1e-9)
    assert everywhere == pytest.approx(holds.all(axis=1).mean(), abs=1e-9)
    np.testing.assert_allclose(pointwise, holds.mean(axis=0)[1:-1], atol=1e-9)


@relaxed
@given(st.data())
def test_every_band_surrounds_the_labeled_positives_and_rises(data):
    n_labeled = data.draw(st.integers(1, 40))
    n_unlabeled = data.draw(st.integers(1, 60))
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


def test_labeled_negatives_are_no_part_of_the_band():
    s = np.array([1, -1, 0, 1, 0, -1, 0])
    score = -np.arange(7.0)
    without = rank_cdf_band(s[s != -1], score[s != -1], alpha=1 / 3)
    np.testing.assert_array_equal(
        np.array(rank_cdf_band(s, score, alpha=1 / 3))[:, s != -1], without
    )


# How tables change with alpha, and the largest alpha that a ranking allows.


def test_the_false_positive_rate_changes_with_alpha_by_the_corrected_equation_20():
    """The paper prints |U| times as much; a step of alpha that moves whole positives shows which is right."""
    s = np.tile([0, 1, 0, 0, 0, 0], 4000)
    score = -np.arange(len(s), dtype=float)
    n_unlabeled = 20_000
    head = np.cumsum(s == 0)
    share = np.round(np.linspace(0.003, 1, len(s)), 2)
    tables = [
        contingency_bounds(s, score, alpha=alpha, band=Band(share, share)).lower
        for alpha in (0.2, 0.21)
    ]
    low, high = (table[:, 1] / table[-1, 1] for table in tables)
    # nothing clipped
    free = (tables[0][:, 0] > np.cumsum(s)) & np.all([table > 0 for table in tables], axis=(0, 2))
    # the mean of the derivative over the step
    expected = (head / n_unlabeled - share) / (0.8 * 0.79)
    np.testing.assert_allclose((high - low)[free] / 0.01, expected[free], atol=1e-9)
    assert free.mean() > 0.5


@relaxed
@given(st.lists(st.sampled_from([1, 0, 0]), min_size=1, max_size=30), st.data())
def test_largest_feasible_alpha_is_where_clipping_of_the_bounds_begins(labels, data):
    s = np.array([0, *labels, 1])
    score = -np.arange(len(s), dtype=float)
    band = rank_cdf_band(s, score, method="dkw", confidence=data.draw(st.sampled_from([0.2, 0.6])))
    largest = max_feasible_alpha(s, score, band=band)
    head = np.cumsum(s == 0)
    n_unlabeled = (s == 0).sum()

    def fits(alpha):
        above = band.lower * alpha * n_unlabeled
        below = (1 - band.upper) * alpha * n_unlabeled
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
    assert max_feasible_alpha(s, rng.normal(size=20_000)) > 0.9, (
        "a ranking at random forbids hardly any alpha"
    )
    assert clipped_share(s, score, alpha=alpha).lower < 0.01
    assert clipped_share(s, score, alpha=0.6).lower > 0.3


@pytest.mark.parametrize(
    ("n_labeled", "n_unlabeled", "n_hidden", "gap"),
    [(100, 300, 0, 9), (60, 300, 3, 5), (30, 300, 15, 3)],
)
def test_the_largest_feasible_alpha_is_the_largest_that_its_own_band_allows(
    n_labeled, n_unlabeled, n_hidden, gap
):
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [n_labeled, n_unlabeled])
    score = rng.normal(np.repeat([gap, 0.0], [n_labeled + n_hidden, n_unlabeled - n_hidden]))
    bands = [
        rank_cdf_band(s, score, alpha=hidden / n_unlabeled) for hidden in range(n_unlabeled + 1)
    ]
    allowed = [max_feasible_alpha(s, score, band=band) for band in bands]
    largest = max(
        hidden for hidden, most in enumerate(allowed) if hidden <= most * n_unlabeled + 1e-9
    )
    assert max_feasible_alpha(s, score) == pytest.approx(largest / n_unlabeled)
    assert largest < n_unlabeled / 5


@pytest.mark.parametrize("tail", [1e-6, 1e-12, 1e-15])
def test_quantiles_of_the_hypergeometric_are_exact_far_out(tail):
    n_labeled = 20
    n_positives = 120
    exact = Fraction(tail)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n_positives + 1)))])
    found = _lower_quantiles(n_labeled, n_positives, tail, logs)
    for j in range(0, n_positives + 1, 7):
        total = Fraction(0)
        x = -1
        while total <= exact:
            x += 1
            total += Fraction(
                comb(j, x) * comb(n_positives - j, n_labeled - x), comb(n_positives, n_labeled)
            )
        assert found[j] == x, (j, tail)


# Bounds of metrics are tight: a feasible table attains them.

ORACLES = {
    "accuracy": accuracy_score,
    "balanced_accuracy": balanced_accuracy_score,
    "f1": f1_score,
    "mcc": matthews_corrcoef,
    "precision": precision_score,
    "recall": recall_score,
    "lift": lambda y, predicted: precision_score(y, predicted) / y.mean(),
    "specificity": partial(recall_score, pos_label=0),
}


@pytest.mark.parametrize("metric", TABLE_METRICS)
def test_without_hidden_positives_metrics_of_tables_are_scikit_learns(metric):
    s = np.random.default_rng(6).permutation(np.repeat([1, 0], [9, 11]))
    s[0] = 1  # else no precision
    score = -np.arange(20.0)
    wanted = [ORACLES[metric](s, score >= threshold) for threshold in score]
    bounds = metric_bounds(s, score, metric=metric, alpha=0)
    np.testing.assert_allclose(bounds, [wanted, wanted], atol=1e-12)


@pytest.mark.parametrize("metric", TABLE_METRICS)
@pytest.mark.parametrize(("fewest", "most"), [(6, 6), (2, 9), (1, 30)])
def test_bounds_of_a_metric_are_attained_by_a_feasible_table(metric, fewest, most):
    """Over every table that the band allows; of many numbers of positives up to what one more of them makes."""
    s = np.isin(np.arange(46), [0, 1, 4, 9, 20, 35]).astype(int)
    score = -np.arange(46.0)
    band = rank_cdf_band(s, score, method="dkw", confidence=0.5)
    alpha = (fewest / 40, most / 40)
    found = np.transpose(metric_bounds(s, score, metric=metric, alpha=alpha, band=band))
    slack = 0.06 if most - fewest >= 9 else 1e-12

    for rank in range(1, 47):
        known = s[:rank].sum()
        head = rank - known
        values = []
        for n_hidden in range(fewest, most + 1):
            possible = (max(0, n_hidden - (40 - head)), min(head, n_hidden))
            least = np.clip(np.floor(band.lower[rank - 1] * n_hidden + 1e-9), *possible)
            largest = np.clip(np.ceil(band.upper[rank - 1] * n_hidden - 1e-9), *possible)
            tp = known + np.arange(least, largest + 1)
            fn = 6 + n_hidden - tp
            values.extend(TABLE_METRICS[metric](tp, rank - tp, fn, 40 - rank + tp - n_hidden))
        assert found[rank - 1] == pytest.approx([min(values), max(values)], abs=slack, rel=slack)


def test_the_exact_band_serves_up_to_fifty_thousand_positives_and_a_free_one_beyond():
    labeled = np.array([100, 400, 1000])
    none = 0 * labeled
    free = []
    for n_unlabeled in (400_000, 600_000):
        unlabeled = np.array([1, 2, n_unlabeled])
        counts = RankCounts(none, labeled, unlabeled, none, np.arange(3))
        free.append(band_for(counts, alpha=0.1, confidence=0.9))
    assert free[0] is None
    width = np.sqrt(np.log(40) / 2) * (1000**-0.5 + 60_000**-0.5)
    np.testing.assert_allclose(free[1].lower, np.clip(labeled / 1000 - width, 0, 1))
    np.testing.assert_allclose(free[1].upper, np.clip(labeled / 1000 + width, 0, 1))
