"""Labels selected by score, and resamples in groups: identities, and truths that come back."""

import doctest

import numpy as np
import pytest

from pumetrics.assessment import assess
from pumetrics.counts import count_scores, place_scores
from pumetrics.inference import corrected_interval, corrected_intervals, selection
from pumetrics.inference.designs import SCORED, scores_of
from pumetrics.inference.sample import Sample, grouped
from pumetrics.inference.selection import labelable_share, reweighted
from pumetrics.methods import estimate_score


def selected(seed, n_labeled, n_hidden, n_negative, *, strength, distance=1.5):
    """Labels that prefer positives that score high, log-linear in the rank; scores and the true class."""
    rng = np.random.default_rng(seed)
    positive, negative = rng.normal(distance, size=n_labeled + n_hidden), rng.normal(size=n_negative)
    rank = positive.argsort().argsort() / len(positive)
    labeled = np.argsort(-np.log(rng.random(len(positive))) / strength**rank)[:n_labeled]
    rest = np.setdiff1d(np.arange(len(positive)), labeled)
    scores = np.concatenate([positive[labeled], positive[rest], negative])
    s = np.repeat([1, 0], [n_labeled, n_hidden + n_negative])
    return s, scores, np.repeat([1, 0], [len(positive), n_negative])


def true_auc(scores, y):
    counts = count_scores(y, scores)
    return np.trapezoid(counts.tpr_pu, counts.fpr_pu)


def test_no_selection_changes_nothing():
    s, scores, _ = selected(0, 100, 100, 400, strength=1.0)
    counts = count_scores(s, scores)
    assert reweighted(counts, 1.0, alpha=0.2) is counts
    for options in ({"alpha": 0.2}, {}):
        options |= {"n_bootstrap": 10, "random_state": 0}
        with_it = corrected_intervals(list(SCORED), s, scores, selection=1, **options)
        assert with_it == corrected_intervals(list(SCORED), s, scores, **options)
    plain = estimate_score("roc_auc", s, scores, method="indirect", alpha=0.2)
    assert estimate_score("roc_auc", s, scores, method="indirect", alpha=0.2, selection=1.0) == plain


@pytest.mark.parametrize("strength", [0.25, 4.0])
def test_the_true_strength_gives_the_true_score_and_none_does_not(strength):
    # Few of the positives are labeled, so that ranks among the labeled and among all positives agree in law.
    s, scores, y = selected(1, 3000, 27_000, 70_000, strength=strength)
    alpha, truth = 27 / 97, true_auc(scores, y)
    weights = {}
    for assumed in (1.0, strength):
        weights[assumed] = estimate_score("roc_auc", s, scores, alpha=alpha, selection=assumed).estimate - truth
    assert abs(weights[strength]) < 0.4 * abs(weights[1.0])


@pytest.mark.parametrize("strength", [0.25, 2.0, 4.0])
def test_weights_undo_a_selection_that_is_log_linear_in_the_rank_among_all_positives(strength):
    rng = np.random.default_rng(0)
    positive = np.sort(rng.normal(1.5, size=60_000))
    propensity = strength ** ((np.arange(len(positive)) + 0.5) / len(positive))
    expected = np.cumsum(propensity) * 0.4 / propensity.mean()  # up to .54 of the positives can be labeled if 4
    labeled = np.diff(np.floor(expected), prepend=0) > 0  # systematic sampling: no chance
    scores = np.concatenate([positive, rng.normal(size=60_000)])
    s = np.concatenate([labeled, np.zeros(60_000)]).astype(int)
    y = np.repeat([1, 0], 60_000)
    alpha = y[s == 0].mean()
    counts = reweighted(count_scores(s, scores, y), strength, alpha=alpha)
    truth = count_scores(s, scores, y).truth
    np.testing.assert_allclose(counts.labeled / counts.n_labeled, truth.tpr_pu, atol=0.002)
    area = scores_of(["roc_auc"], counts, alpha=alpha, beta=1.0)[0]
    assert area == pytest.approx(true_auc(scores, y), abs=0.001)


def test_no_more_positives_can_be_labeled_than_propensities_allow():
    for k in (2.0, 4.0, 20.0):
        propensity = k ** np.linspace(0, 1, 100_001)
        assert labelable_share(k) == pytest.approx(np.mean(propensity / propensity.max()), abs=1e-4)


@pytest.mark.parametrize("alpha_known", [True, False])
def test_intervals_for_the_true_strength_hold(alpha_known):
    held = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        positive, negative = rng.normal(2.0, size=1500), rng.normal(size=3000)
        propensity = 4.0 ** ((positive.argsort().argsort() + 0.5) / len(positive))
        labeled = rng.random(len(positive)) < propensity * 0.33 / propensity.mean()
        s, scores = np.concatenate([labeled, np.zeros(3000)]).astype(int), np.concatenate([positive, negative])
        y = np.repeat([1, 0], [1500, 3000])
        options = {"selection": 4.0, "n_bootstrap": 30, "random_state": 0}
        options |= {"alpha": y[s == 0].mean()} if alpha_known else {}
        area = corrected_interval("roc_auc", s, scores, **options)
        held.append(area.lower <= true_auc(scores, y) <= area.upper)
    assert np.mean(held) >= 0.8


def test_reweighted_counts_keep_sizes_and_order():
    s, scores, _ = selected(2, 60, 60, 300, strength=3.0)
    counts = count_scores(s, scores.round(1))
    for k in (0.3, 2.0, 8.0):
        changed = reweighted(counts, k, alpha=60 / 360)
        assert (changed.n_labeled, changed.n_unlabeled) == (counts.n_labeled, counts.n_unlabeled)
        assert (np.diff(changed.labeled) >= 0).all()
        assert (np.diff(changed.unlabeled) >= -1e-9).all()


def test_a_selection_that_cannot_be_is_called_impossible():
    assert labelable_share(4.0) == labelable_share(0.25)
    s, scores, _ = selected(0, 200, 50, 600, strength=1.0, distance=3.0)
    warnings = assess(s, scores, alpha=50 / 650, selection=20, n_bootstrap=0).warnings
    assert any("a selection of 20 is impossible with alpha=0.0769" in warning for warning in warnings), warnings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selection": -1}, "selection must be larger than 0, got -1.0"),
        ({"selection": 2, "beta": 0.9}, "needs correct labels"),
        (
            {"selection": 2, "method": "bounds_dkw"},
            "bounds_dkw assumes that labels are a random sample, got selection=2",
        ),
    ],
)
def test_bad_selections_are_refused(options, message):
    s, scores, _ = selected(0, 20, 20, 60, strength=1.0)
    with pytest.raises(ValueError, match=message):
        estimate_score("roc_auc", s, scores, **{"alpha": 0.25} | options)


def test_few_thresholds_are_all_kept_and_many_are_merged_without_moving_scores():
    s, scores, _ = selected(3, 500, 500, 4000, strength=1.0)
    counts = count_scores(s, scores)
    assert len(grouped(counts, most=10_000)) == len(counts.thresholds)
    kept = grouped(counts, most=1000, keep=0.7)
    assert len(kept) <= 1003
    (few,) = Sample(s, [scores]).merged(most=1000, threshold=0.7).full
    options = {"alpha": 500 / 4500, "beta": 1.0}
    for threshold in (None, 0.7):
        full, merged = (scores_of(list(SCORED), each, threshold=threshold, **options) for each in (counts, few))
        np.testing.assert_allclose(merged, full, atol=0.004)
    areas = [true_auc_of(each) for each in (counts, few)]
    assert areas[0] == pytest.approx(areas[1], abs=1e-3)


def true_auc_of(counts):
    return np.trapezoid(counts.tpr_pu, counts.fpr_pu)


def test_resamples_drawn_in_groups_scatter_like_those_of_rows(monkeypatch):
    s, scores, _ = selected(4, 300, 300, 3000, strength=1.0)
    options = {"alpha": 300 / 3300, "n_bootstrap": 300, "random_state": 0}
    rows = corrected_interval("roc_auc", s, scores, **options)
    monkeypatch.setattr("pumetrics.inference.sample._MOST_ROWS", 0)
    drawn = corrected_interval("roc_auc", s, scores, **options)
    assert drawn.estimate == rows.estimate
    assert drawn.upper - drawn.lower == pytest.approx(rows.upper - rows.lower, rel=0.2)


def test_a_resample_counts_the_rows_it_drew():
    s, scores, _ = selected(5, 30, 30, 100, strength=1.0)
    sample, places = Sample(s, [scores]), place_scores(s, scores)
    drawn = sample.draw(np.random.default_rng(0))[0]
    rng = np.random.default_rng(0)
    expected = places.counts(rng.integers(30, size=30), rng.integers(130, size=130))
    np.testing.assert_array_equal(drawn.labeled, expected.labeled)
    np.testing.assert_array_equal(drawn.unlabeled, expected.unlabeled)


def test_examples_in_docstrings_are_true():
    results = doctest.testmod(selection)
    assert results.attempted > 0
    assert results.failed == 0


def test_a_confidence_without_alpha_holds_what_is_open_about_alpha():
    s, scores, y = selected(6, 300, 200, 1800, strength=1.0, distance=2.5)
    answer = estimate_score("roc_auc", s, scores, confidence=0.95, random_state=0)
    interval = corrected_interval("roc_auc", s, scores, confidence=0.95, random_state=0)
    assert (answer.method, answer.lower, answer.upper) == ("indirect", interval.lower, interval.upper)
    assert interval.uncertainty == "calibrated"
    assert answer.lower <= true_auc(scores, y) <= answer.upper
    assert any("the uncertainty of alpha" in note for note in answer.notes)
    chance = corrected_interval("roc_auc", s, scores, uncertainty="sampling", n_bootstrap=50, random_state=0)
    assert chance.upper - chance.lower < interval.upper - interval.lower


def test_a_table_of_ones_own_is_used():
    from pumetrics.priors.calibration import read_table

    s, scores, _ = selected(7, 200, 200, 800, strength=1.0)
    sure = {**read_table(), "errors": [0.0] * len(read_table()["errors"])}
    options = {"n_bootstrap": 20, "random_state": 0}
    own = corrected_interval("average_precision", s, scores, calibration=sure, **options)
    usual = corrected_interval("average_precision", s, scores, **options)
    assert own.alpha_interval[1] - own.alpha_interval[0] < 0.1
    assert own.upper - own.lower < usual.upper - usual.lower
