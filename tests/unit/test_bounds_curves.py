"""ROC and precision-recall bounds: the truth inside, ties uncut, closed-form areas."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from pumetrics.bounds import (
    Band,
    contingency_bounds,
    metric_bounds,
    pr_bounds,
    rank_cdf_band,
    roc_bounds,
    score_bounds,
)
from pumetrics.bounds.bands import latent_positives
from pumetrics.bounds.curve_bounds import unlabeled_areas
from pumetrics.bounds.tables import alphas_within, tables_at
from pumetrics.counts import count_ranks, count_scores
from pumetrics.displays import PUPrecisionRecallDisplay
from pumetrics.methods import estimate_score

relaxed = settings(max_examples=60)

EPS = 1e-9


@st.composite
def hidden_truths(draw, max_size=40, levels=12):
    """A ranking with ties, its true classes (both present), and a band around the CDF of the hidden positives."""
    size = draw(st.integers(4, max_size))
    kinds = draw(st.lists(st.sampled_from("LPPNNM"), min_size=size - 4, max_size=size - 4))
    # labeled, hidden +, hidden -, labeled -
    kinds = np.array(draw(st.permutations(["L", "P", "N", "N", *kinds])))
    y = np.isin(kinds, ["L", "P"]).astype(int)
    s = np.select([kinds == "L", kinds == "M"], [1, -1], 0)
    score = np.array(
        draw(st.lists(st.integers(0, levels), min_size=size, max_size=size)), dtype=float
    )
    order = np.argsort(-score, kind="stable")
    hidden = np.cumsum((y * (s == 0))[order])
    below = draw(st.floats(0, 0.5))
    above = draw(st.floats(0, 0.5))
    band = Band(
        np.maximum(hidden / hidden[-1] - below, 0), np.minimum(hidden / hidden[-1] + above, 1)
    )
    return s, score, y, hidden[-1] / (s == 0).sum(), band


@relaxed
@given(hidden_truths())
def test_a_ranking_counted_once_has_the_bounds_of_its_scores(case):
    s, score, _, alpha, band = case
    ranking = count_ranks(s, score)
    assert count_ranks(None, ranking) is ranking
    for bounds in (roc_bounds, pr_bounds, contingency_bounds, partial(metric_bounds, metric="f1")):
        ours, theirs = (
            bounds(*given, alpha=alpha, band=band) for given in ((None, ranking), (s, score))
        )
        np.testing.assert_equal(ours, theirs)
    np.testing.assert_equal(
        rank_cdf_band(None, ranking, method="dkw"), rank_cdf_band(s, score, method="dkw")
    )
    with pytest.raises(ValueError, match="s must be None, because y_score contains counts"):
        roc_bounds(s, ranking, alpha=alpha, band=band)


@relaxed
@given(hidden_truths())
def test_true_curves_lie_between_the_bounds(case):
    s, score, y, alpha, band = case
    fpr, tpr, _ = roc_curve(y, score, drop_intermediate=False)
    roc, bounds = (bound(s, score, alpha=alpha, band=band) for bound in (roc_bounds, pr_bounds))
    assert roc.auc[0] - EPS <= roc_auc_score(y, score) <= roc.auc[1] + EPS
    assert bounds.auc[0] - EPS <= average_precision_score(y, score) <= bounds.auc[1] + EPS
    low, high = roc.at(fpr)
    assert (low <= tpr + EPS).all()
    assert (tpr <= high + EPS).all()
    precision, recall, _ = precision_recall_curve(y, score)
    precision = precision[:-1][::-1]
    recall = recall[:-1][::-1]
    # of the cuts that reach a recall, the first is the best
    first = (np.diff(recall, prepend=0) > 0) & (recall > 0)
    low, high = bounds.at(recall[first])
    assert (low <= precision[first] + EPS).all()
    assert (precision[first] <= high + EPS).all()


@relaxed
@given(hidden_truths())
def test_bounds_are_exact_where_nothing_is_hidden(case):
    s, score, _, _, band = case
    truth = s == 1
    roc, pr = (bound(s, score, alpha=0, band=band) for bound in (roc_bounds, pr_bounds))
    assert roc.auc == pytest.approx([roc_auc_score(truth, score)] * 2, abs=1e-12)
    assert pr.auc == pytest.approx([average_precision_score(truth, score)] * 2, abs=1e-12)


@relaxed
@given(hidden_truths())
def test_curves_run_from_corner_to_corner_through_the_tables_of_every_possible_cut(case):
    s, score, _, alpha, band = case
    tables = contingency_bounds(s, score, alpha=alpha, band=band)
    ends = np.searchsorted(np.sort(-score), np.unique(-score), side="right") - 1
    roc, pr = (bound(s, score, alpha=alpha, band=band) for bound in (roc_bounds, pr_bounds))
    for curve, pr_curve, table in zip(roc[:2], pr[:2], tables, strict=True):
        tp, fp, fn, tn = table[ends].T
        assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
        np.testing.assert_allclose(curve.fpr[1:], fp / (fp + tn))
        np.testing.assert_allclose(curve.tpr[1:], tp / (tp + fn))
        np.testing.assert_allclose(pr_curve.recall[1:], tp / (tp + fn))
        np.testing.assert_allclose(pr_curve.precision[1:], tp / (tp + fp))
        assert (pr_curve.recall[0], pr_curve.precision[0]) == (0, pr_curve.precision[1])


def test_order_within_equal_scores_does_not_matter():
    rng = np.random.default_rng(8)
    s = rng.choice([1, 0, 0, 0, -1], 300)
    score = rng.integers(0, 12, 300).astype(float)
    shuffled = rng.permutation(300)
    for bound in (roc_bounds, pr_bounds):
        for known in ("positives", "negatives", "tightest"):
            one = bound(s, score, alpha=0.3, known=known)
            two = bound(s[shuffled], score[shuffled], alpha=0.3, known=known)
            np.testing.assert_allclose(one.auc, two.auc)
            for side in ("lower", "upper"):
                np.testing.assert_allclose(getattr(one, side), getattr(two, side))


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.4])
def test_area_of_unclipped_tables_is_a_linear_map_of_the_area_against_the_unlabeled(alpha):
    """(A - alpha/2) / (1 - alpha): models cannot change order with alpha unless tables are clipped."""
    n_unlabeled = 5000
    shares = [(np.arange(n) + 0.5) / n for n in (500, n_unlabeled)]
    # nowhere more than 1.5 times as dense as the unlabeled
    score = np.r_[shares[0] ** (1 / 1.5), shares[1]]
    s = np.r_[np.ones(500, int), np.zeros(n_unlabeled, int)]
    cdf = np.cumsum(s[np.argsort(-score)]) / 500
    low, high = roc_bounds(s, score, alpha=alpha, band=Band(cdf, cdf)).auc
    recovered = (roc_auc_score(s, score) - alpha / 2) / (1 - alpha)
    rounding = 1 / (n_unlabeled * (1 - alpha))  # one example per rank
    assert low - 1e-6 <= recovered <= high + 1e-6
    assert high - low <= 2 * rounding


@relaxed
@given(hidden_truths(), st.integers(0, 8), st.integers(0, 8))
def test_truth_lies_inside_for_any_interval_that_holds_the_true_alpha(case, below, above):
    """Lemma 4 (b) reverses the roles of both ends where a ranking is worse than random, and clipping turns them."""
    s, score, y, alpha, band = case
    n_unlabeled = (s == 0).sum()
    ends = (
        max(alpha - below / n_unlabeled, 0),
        min(alpha + above / n_unlabeled, 1 - 1 / n_unlabeled),
    )
    roc, pr = (bound(s, score, alpha=ends, band=band) for bound in (roc_bounds, pr_bounds))
    assert roc.auc[0] - EPS <= roc_auc_score(y, score) <= roc.auc[1] + EPS
    assert pr.auc[0] - EPS <= average_precision_score(y, score) <= pr.auc[1] + EPS
    assert (roc.lower.fpr >= roc.upper.fpr - EPS).all()
    assert (roc.lower.tpr <= roc.upper.tpr + EPS).all()
    assert (pr.lower.precision <= pr.upper.precision + EPS).all()
    # nothing is hidden: the curve itself, cut by cut
    truth = roc_bounds(y, score, alpha=0, band=band)
    for mine, (lower, upper) in zip(
        truth.lower, zip(roc.lower, roc.upper, strict=True), strict=True
    ):
        low, high = (lower, upper) if mine is truth.lower.tpr else (upper, lower)
        assert (low <= mine + EPS).all()
        assert (mine <= high + EPS).all()


@pytest.mark.parametrize("alpha", [0.0, 0.004])
def test_less_than_one_hidden_positive_says_nothing_of_the_area_of_the_unlabeled(alpha):
    s = np.repeat([1, 0], [20, 200])
    y_score = np.arange(220.0)
    counts = count_scores(s, y_score)
    tables = contingency_bounds(s, y_score, alpha=alpha)
    assert unlabeled_areas(
        *(tables_at(counts, each)[:, 0] - counts.labeled for each in tables), counts.unlabeled
    ) == (
        0,
        1,
    )
    name = "average_precision"
    assert score_bounds([name], s, y_score, alpha=alpha, population="unlabeled")[name] == (0, 1)


# Bounds over a range of alpha hold whatever alpha of the range is true: they are the union over its values.


METRICS = [
    "accuracy",
    "balanced_accuracy",
    "f1",
    "mcc",
    "precision",
    "recall",
    "max_f1",
    "max_mcc",
    "max_balanced_accuracy",
    "precision_at_30",
    "recall_at_30",
    "lift_at_30",
    "average_precision",
    "roc_auc",
]


def sample(n_labeled, n_hidden, n_negative, separation, seed):
    """Labels, scores and classes of so many labeled, hidden positives and negatives."""
    n_unlabeled = n_hidden + n_negative
    return gaussian(seed, n_labeled, n_unlabeled, alpha=n_hidden / n_unlabeled, distance=separation)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    n_labeled=st.integers(5, 80),
    sizes=st.tuples(st.integers(40, 300), st.integers(40, 300)),
    ends=st.tuples(st.floats(0.02, 0.9), st.floats(0.02, 0.9)).map(sorted),
    separation=st.floats(0, 4),
    population=st.sampled_from(["all", "unlabeled"]),
    seed=st.integers(0, 1000),
)
def test_a_range_holds_the_bounds_of_every_alpha_within(
    n_labeled, sizes, ends, separation, population, seed
):
    s, score, _ = sample(n_labeled, *sizes, separation, seed)
    options = {"threshold": separation / 2, "population": population}
    wide = score_bounds(METRICS, s, score, alpha=tuple(ends), **options)
    for alpha in np.linspace(*ends, 7):
        one = score_bounds(METRICS, s, score, alpha=alpha, **options)
        for name, (low, high) in one.items():
            # what one positive more or less makes
            slack = 0.03 * (30 if name.startswith("lift") else 1)
            assert wide[name][0] <= low + slack, (name, alpha)
            assert wide[name][1] >= high - slack, (name, alpha)


@pytest.mark.parametrize("n_unlabeled", [11, 13, 16])
def test_no_count_of_a_small_unlabeled_sample_falls_below_zero(n_unlabeled):
    s = np.repeat([1, 0], [50, n_unlabeled])
    widest = (1 / n_unlabeled, 1 - 1 / n_unlabeled)
    found = score_bounds(["max_mcc"], s, np.arange(len(s)), alpha=widest, population="unlabeled")
    low, high = found["max_mcc"]
    assert 0 <= low <= high <= 1


@given(
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted), n_unlabeled=st.integers(2, 5000)
)
def test_alphas_of_a_range_hide_whole_numbers_from_end_to_end(ends, n_unlabeled):
    fewest, most = (latent_positives(end, n_unlabeled) for end in ends)
    hidden = np.array(alphas_within(ends, n_unlabeled)) * n_unlabeled
    np.testing.assert_allclose(hidden, hidden.round(), atol=1e-6)
    assert (hidden[[0, -1]].round() == [fewest, most]).all()
    assert len(hidden) == 1 or (np.diff(hidden.round()) >= 1).all()
    assert len(hidden) == most - fewest + 1 or 5 <= len(hidden) <= 9, (
        "few are all of them, many are spread"
    )


def test_tables_of_all_alphas_of_a_range_are_not_held_at_once():
    s, score, _ = sample(300, 300, 14_400, 1.0, seed=0)
    options = {"alpha": (0.01, 0.05)}
    # what is imported is no table
    score_bounds(["roc_auc", "average_precision", "f1"], s[::20], score[::20], **options)
    tracemalloc.start()
    try:
        score_bounds(["roc_auc", "average_precision", "f1"], s, score, **options)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Tables of four columns: for the area under the ROC curve nine of half the size, else three; and what is computed.
    assert peak < 50 * len(s) * 4 * 8


def test_a_number_of_hidden_positives_within_the_range_can_have_the_widest_bounds():
    """Bands hold whole numbers: that of five hidden positives is wider than those of four and of six."""
    groups = [(0, 6), (1, 13), (0, 17), (3, 12), (0, 2), (1, 0)]
    s = np.concatenate([np.repeat([1, 0], sizes) for sizes in groups])
    score = np.repeat(-np.arange(6), [sum(sizes) for sizes in groups])
    y = s.copy()
    hidden = np.flatnonzero(s == 0)
    y[hidden[[0, 1, 2, 3, 6]]] = 1  # four in the first group and one in the second
    truth = roc_auc_score(y, score)
    assert roc_bounds(s, score, alpha=5 / 50).auc[1] == pytest.approx(truth)
    for alpha in ((4 / 50, 6 / 50), (2 / 50, 6 / 50)):
        assert truth <= roc_bounds(s, score, alpha=alpha).auc[1]
        assert truth <= score_bounds(["roc_auc"], s, score, alpha=alpha)["roc_auc"][1]


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_every_function_gives_the_same_bounds(population):
    """On their own, of a method by name and of a curve: one pair of bounds for one metric, sample and alpha."""
    names = [*METRICS[6:], "max_accuracy"]
    for seed, levels in ((0, None), (1, 4)):
        s, score, _ = sample(60, 90, 210, 1.5, seed)
        score = score if levels is None else np.round(score * levels) / levels
        for alpha in (0.1, 0.3):
            options = {"alpha": alpha, "population": population}
            bounds = score_bounds(names, s, score, **options)
            for name, pair in bounds.items():
                answer = estimate_score(name, s, score, method="bounds_hypergeometric", **options)
                assert (answer.lower, answer.upper) == pytest.approx(pair, abs=1e-12), (name, alpha)
            drawn = PUPrecisionRecallDisplay.from_predictions(s, score, **options)
            assert drawn.bounds[-1] == pytest.approx(bounds["average_precision"], abs=1e-12), alpha
