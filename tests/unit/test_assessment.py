"""Assessing scores of one's own: bounds that hold, doubts that are due, orders that alpha can and cannot turn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian
from sklearn import metrics as sk

from pumetrics import metrics
from pumetrics.assessment import (
    alpha_from_rho,
    assess,
    compare_scores,
    page,
    paper_paragraph,
    read_scores,
)
from pumetrics.bounds import score_bounds, unlabeled_areas
from pumetrics.bounds.scores import band_for
from pumetrics.counts import count_ranks
from pumetrics.inference.sample import SCORED

relaxed = settings(deadline=None, max_examples=40)  # a loaded machine is slow, not wrong


def hidden_positives(seed, n_labeled=150, n_unlabeled=600, *, distance=2.0, digits=8):
    """True class, observed label and score; labels are a random sample of the positives."""
    s, score, y = gaussian(seed, n_labeled, n_unlabeled, distance=distance, digits=digits)
    return y, s, score.copy()


def by_name(found):
    return {score.metric: score for score in found.scores}


def test_scores_are_scikit_learns_before_and_the_librarys_after_correction():
    _, s, score = hidden_positives(0, digits=1)
    found = by_name(assess(s, score, alpha=0.3, n_bootstrap=0))
    assert found["roc_auc"].uncorrected == pytest.approx(sk.roc_auc_score(s, score))
    assert found["average_precision"].uncorrected == pytest.approx(sk.average_precision_score(s, score))
    assert found["roc_auc"].corrected == pytest.approx(metrics.pu_roc_auc_score(s, score, alpha=0.3))
    for name in metrics.MEASURES:
        assert found[name].uncorrected == pytest.approx(metrics.max_score(name, s, score, alpha=0)[0])
        assert found[name].corrected == pytest.approx(metrics.max_score(name, s, score, alpha=0.3)[0])


@pytest.mark.parametrize(("digits", "threshold"), [(8, None), (0, None), (8, 1.0)])
def test_the_true_scores_lie_within_the_bounds(digits, threshold):
    for seed in range(15):
        y, s, score = hidden_positives(seed, 60, 300, digits=digits)
        bounds = score_bounds(list(SCORED), s, score, alpha=0.3, threshold=threshold)
        true = metrics.threshold_measures(y, score)
        at = slice(None) if threshold is None else np.flatnonzero(true["threshold"] >= threshold)[-1]
        truth = {name: np.max(true[name][at]) for name in metrics.MEASURES}
        truth["roc_auc"] = sk.roc_auc_score(y, score)
        truth["average_precision"] = sk.average_precision_score(y[s == 0], score[s == 0])
        for name, (low, high) in bounds.items():
            assert low - 1e-9 <= truth[name] <= high + 1e-9, (name, seed)


@relaxed
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=2, max_size=40))
def test_area_bounds_meet_in_the_average_precision_when_nothing_is_unknown(examples):
    """Hidden counts known exactly: with distinct scores both bounds are the area, with ties they hold it."""
    y, score = np.array([(True, 13), *examples], dtype=int).T
    for scores, exact in ((score, False), (np.argsort(np.argsort(score)), True)):
        hidden, others = counts_at_thresholds(y, scores)
        low, high = unlabeled_areas(hidden, hidden, hidden + others)
        truth = sk.average_precision_score(y, scores)
        assert low - 1e-9 <= truth <= high + 1e-9
        if exact:
            assert low == pytest.approx(truth)
            assert high == pytest.approx(truth)


def counts_at_thresholds(y, score):
    thresholds = np.append(np.inf, np.unique(score)[::-1])
    at_least = score[None, :] >= thresholds[:, None]
    return at_least @ y, at_least @ (1 - y)


def test_bounds_of_many_examples_are_cheap_and_hold():
    y, s, score = hidden_positives(2, 30_000, 150_000)
    band = band_for(count_ranks(s, score), alpha=0.3)
    assert band_for(count_ranks(s[29_000:31_000], score[29_000:31_000]), alpha=0.3) is None  # the exact band is cheap
    order = np.argsort(-score)
    share = np.cumsum((y * (1 - s))[order]) / (y * (1 - s)).sum()
    assert (band.lower <= share).all()
    assert (share <= band.upper).all()
    low, high = score_bounds(["average_precision"], s, score, alpha=0.3, band=band)["average_precision"]
    assert low < sk.average_precision_score(y[s == 0], score[s == 0]) < high


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 0.99), st.floats(0.01, 1))
def test_rho_and_alpha_say_the_same(n_labeled, n_unlabeled, alpha, beta):
    labeled = beta * n_labeled
    rho = labeled / (labeled + alpha * n_unlabeled)
    assert alpha_from_rho(rho, n_labeled, n_unlabeled, beta=beta) == pytest.approx(alpha, abs=1e-6)


def codes(found):
    return {warning.code for warning in found.warnings}


def test_good_data_raise_no_doubts():
    for seed in range(8):
        _, s, score = hidden_positives(seed)
        assert assess(s, score, alpha=0.3, n_bootstrap=0, method="elkan_noto_e3").warnings == ()


def test_the_order_of_equal_scores_raises_no_doubt():
    """Labeled examples come first in the file; nobody may take that for the order of the scores."""
    _, s, score = hidden_positives(0, digits=0)
    assert "biased" not in codes(assess(s, score, alpha=0.3, n_bootstrap=0, method="elkan_noto_e3"))


@pytest.mark.parametrize(
    ("change", "options", "doubt"),
    [
        ({"n_labeled": 20}, {"alpha": 0.3}, {"few_labeled"}),
        ({"n_unlabeled": 40}, {"alpha": 0.3}, {"few_unlabeled"}),
        ({"digits": 0}, {"alpha": 0.3}, {"tied"}),
        ({"distance": -1}, {"alpha": 0.1}, {"reversed"}),
        ({}, {"alpha": 0.65}, {"biased", "disagrees_with_given", "repaired"}),
        ({}, {"alpha": 0.3, "beta": 0.35}, {"close_priors"}),
    ],
)
def test_what_is_wrong_is_said(change, options, doubt):
    _, s, score = hidden_positives(0, **change)
    assert doubt <= codes(assess(s, score, **options, n_bootstrap=0, method="elkan_noto_e3"))


def test_negatives_among_the_labeled_are_seen():
    _, s, score = hidden_positives(0, 2000, 6000)
    rng = np.random.default_rng(1)
    score[rng.choice(np.flatnonzero(s == 1), 600, replace=False)] = rng.normal(size=600)
    found = assess(s, score, alpha=0.3, n_bootstrap=0, method="elkan_noto_e3")
    assert "noisy" in codes(found)
    given = assess(s, score, alpha=0.3, beta=0.7, n_bootstrap=0, method="elkan_noto_e3")
    assert "noisy" not in codes(given)
    assert all(score.bounds is None for score in given.scores)
    assert "none, because they assume no label noise" in page(given, s, score)


@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_curves_of_the_page_are_those_of_the_table(population, monkeypatch):
    """The estimate of alpha need not be the middle of its range."""
    from pumetrics import displays

    areas = []
    for display in (displays.PURocDisplay, displays.PUPrecisionRecallDisplay):

        def plot(self, *args, drawn=display.plot, **options):
            areas.append((self.area, self.bounds and self.bounds[3]))
            return drawn(self, *args, **options)

        monkeypatch.setattr(display, "plot", plot)
    _, s, score = hidden_positives(3)
    found = assess(s, score, method="elkan_noto_e3", n_bootstrap=20, population=population)
    page(found, s, score)
    for (area, bounds), row in zip(areas, found.scores, strict=False):
        assert not row.identified or area == pytest.approx(row.corrected)
        if (population, row.metric) == ("unlabeled", "roc_auc"):
            assert bounds is None, "the bounds of a point of the ROC curve are those of all rows"
        else:
            assert bounds == pytest.approx(row.bounds)


def test_estimated_priors_and_their_range_are_used():
    _, s, score = hidden_positives(3)
    found = assess(s, score, method="elkan_noto_e3", n_bootstrap=30)
    assert found.source == "estimated (elkan_noto_e3)"
    assert found.alpha == pytest.approx(found.priors.alpha)
    assert found.alpha_interval[1] <= found.alpha_bound + 0.1
    low, high = found.alpha_interval
    assert low < found.alpha < high
    for score_ in found.scores:
        assert not score_.identified or score_.interval[0] <= score_.corrected <= score_.interval[1]
    words = paper_paragraph(found)
    alpha = f"{low:.3f} to {high:.3f}"
    for part in (alpha, f"{found.scores[0].corrected:.3f}", "30 resamples", "calibrated", "SCAR"):
        assert part in words
    assert assess(s, score, method="elkan_noto_e3", n_bootstrap=30).scores == found.scores


@relaxed
@given(st.integers(0, 10_000), st.integers(0, 2))
def test_alpha_never_turns_the_order_of_balanced_accuracy_and_correlation(seed, digits):
    """Both are corrected by a factor that does not know the model (Ramola et al. 2019, Theorem 2.1)."""
    rng = np.random.default_rng(seed)
    _, s, score = hidden_positives(seed, 10, 40, digits=digits)
    other = score + rng.normal(size=50)
    found = compare_scores(s, score, other, alpha=0.1, metrics=["balanced_accuracy", "mcc"], n_bootstrap=1)
    assert found.orders["balanced_accuracy"].changes == ()
    assert found.orders["mcc"].changes == ()


def test_where_the_order_turns_both_models_are_equal():
    """One model finds few positives surely, the other nearly all with false alarms: alpha says who is more accurate."""
    s = np.repeat([1, 0], [100, 400])
    sure, broad = np.zeros(500), np.zeros(500)
    sure[:50], sure[100:164] = 1, 1
    broad[:95], broad[100:284] = 1, 1
    found = compare_scores(s, sure, broad, alpha=0.1, metrics=["accuracy"], threshold=0.5, n_bootstrap=1)
    order = found.orders["accuracy"]
    (turn,) = order.changes
    both = [metrics.pu_accuracy_score(s, (model > 0.5).astype(int), alpha=turn, clip=False) for model in (sure, broad)]
    assert both[0] == pytest.approx(both[1], abs=1e-3)
    assert 0 < turn < found.most_alpha
    assert order.first_ahead + order.second_ahead == pytest.approx(1)


def test_a_comparison_says_when_alpha_leaves_no_room():
    _, s, score = hidden_positives(0)
    found = compare_scores(s, score, score, alpha=0.65, metrics=["roc_auc"], n_bootstrap=1)
    assert "biased" in codes(found)
    assert found.orders["roc_auc"] == (0, 0, ())
    assert found.most_alpha == 0.65


def test_a_comparison_says_whose_scores_are_in_doubt():
    y, s, score = hidden_positives(0, 30)
    known = compare_scores(s, score, score.round(), alpha=0.3, metrics=["f1"], n_bootstrap=1)
    said = [(warning.code, warning.about) for warning in known.warnings]
    assert said[:2] == [("few_labeled", None), ("tied", "second model")]
    noise = y + np.random.default_rng(0).normal(scale=5, size=len(y))
    estimated = compare_scores(s, score, noise, method="elkan_noto_e3", metrics=["f1"], n_bootstrap=5)
    assert "models_disagree" in codes(estimated)


@pytest.mark.parametrize("wrong", ["", "1_0", "x"])
def test_the_value_that_is_no_number_is_named_where_it_stands(wrong, tmp_path):
    path = tmp_path / "scores.parquet"
    pd.DataFrame({"score": ["0.5", "0.4", wrong], "s": [1, 0, 0]}).to_parquet(path)
    with pytest.raises(ValueError, match=f"must hold numbers, got {wrong!r} in row 3"):
        read_scores(path)
