"""Areas of many rankings in one sort equal scikit-learn's, one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from pumetrics.counts import rank_scores
from pumetrics.metrics import pu_average_precision_score, pu_roc_auc_score
from pumetrics_workflow.ranking import rank_rows, ranking_scores, recovered_ranking_scores


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), levels=st.sampled_from([2, 5, 1000]))
def test_every_row_equals_scikit_learn(seed, n, levels):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, levels, (4, n)) / levels
    labels = rng.integers(0, 2, (4, n))
    labels[:, 0], labels[:, 1] = 1, 0  # both classes are there
    auroc, aupr = ranking_scores(scores, labels)
    np.testing.assert_allclose(
        auroc, [roc_auc_score(y, s) for y, s in zip(labels, scores, strict=True)], atol=1e-12
    )
    expected = [average_precision_score(y, s) for y, s in zip(labels, scores, strict=True)]
    np.testing.assert_allclose(aupr, expected, atol=1e-12)


def test_several_sets_of_labels_share_the_order():
    rng = np.random.default_rng(1)
    scores, own, true = (
        rng.normal(size=(3, 50)),
        rng.integers(0, 2, (3, 50)),
        rng.integers(0, 2, 50),
    )
    by_own, by_true = ranking_scores(scores, own, true)
    np.testing.assert_array_equal(by_own, ranking_scores(scores, own))
    np.testing.assert_array_equal(by_true, ranking_scores(scores, np.tile(true, (3, 1))))


def test_recovered_areas_equal_those_of_the_metrics():
    rng = np.random.default_rng(3)
    scores, s = rng.integers(0, 30, (6, 80)), rng.random((6, 80)) < 0.3
    alpha = np.linspace(0, 0.5, 6)
    auroc, aupr = recovered_ranking_scores(scores, s, alpha=alpha)
    for row in range(6):
        given = s[row].astype(int), scores[row]
        direct = pu_roc_auc_score(*given, alpha=alpha[row], method="direct", clip=False)
        assert auroc[row] == pytest.approx(direct, abs=1e-12)
        expected = pu_average_precision_score(
            *given, alpha=alpha[row], population="all", repair="none"
        )
        assert aupr[row] == pytest.approx(expected, abs=1e-12)


def test_one_class_only_has_no_area():
    areas = ranking_scores([[1, 2, 3]] * 3, [[0, 0, 0], [1, 1, 1], [0, 0, 1]])
    for field in areas:
        np.testing.assert_array_equal(np.isnan(field), [True, True, False])


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30), levels=st.sampled_from([1, 3, 1000]))
def test_rows_are_ranked_one_by_one(seed, n, levels):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, levels, (4, n)) / levels
    rows = rank_rows(table)
    ranked = rows.sort(table)
    np.testing.assert_array_equal(ranked, -np.sort(-table, axis=1))
    for row, last in zip(ranked, rows.last, strict=True):
        np.testing.assert_array_equal(np.flatnonzero(last), rank_scores(row).ends)
    if rows.ends is None:
        assert rows.last.all()
    else:
        np.testing.assert_array_equal(
            rows.ends, [[np.flatnonzero(row == x)[-1] for x in row] for row in ranked]
        )


def test_a_score_that_is_not_finite_is_named():
    with pytest.raises(ValueError, match="finite, got nan in ranking 0 at position 1"):
        ranking_scores([[1, np.nan]], [[0, 1]])
