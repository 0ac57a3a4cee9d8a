"""Tables that follow from no run: theorems on random cases, and what seconds of computing settle."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef

from pumetrics_workflow.studies.claesen2015.cases import figure4_edges, lemma_cases
from pumetrics_workflow.studies.claesen2015.claims import _curve_widths
from pumetrics_workflow.studies.ramola2019 import theorem


def test_lemmas_and_theorem_hold_in_every_random_case_and_no_part_is_empty():
    for table, least in ((lemma_cases(2000), 500), (theorem.theorem_cases(4000), 1500)):
        assert (table["violations"] == 0).all()
        assert (table["cases"] > least).all()
    pd.testing.assert_frame_equal(lemma_cases(500), lemma_cases(500))


def test_a_false_theorem_would_be_seen(monkeypatch):
    exact = theorem._measures
    monkeypatch.setattr(theorem, "_measures", lambda share, tpr, fpr: exact(share, tpr, 0.9 * fpr))
    assert (theorem.theorem_cases(2000)["violations"] > 100).any()


def test_measures_of_shares_are_those_of_rows():
    rng = np.random.default_rng(0)
    y, predicted = rng.random((2, 400)) < [[0.3], [0.6]]
    shares = y.mean(), predicted[y].mean(), predicted[~y].mean()
    found = theorem._measures(*map(float, shares))
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    assert found["mcc"] == pytest.approx(matthews_corrcoef(y, predicted))


def test_only_an_upper_edge_reaches_the_printed_area_of_figure_4():
    table = figure4_edges().set_index(["model", "alpha_hat", "edge"])["roc_auc"].unstack()
    at_zero = table.xs(0.0, level="alpha_hat")
    np.testing.assert_allclose(at_zero.sub(at_zero["rank CDF"], axis=0), 0, atol=1e-9)
    first = table.loc[("model 1", 0.1)]
    assert first["lower"] < first["rank CDF"] < 75.45 < first["upper"]


def test_widths_are_means_of_the_ranges():
    grid = np.array([0.05, 0.1, 0.2, 0.9])
    rows = [(metric, x, 0.1, 0.1 + width * x) for metric, width in (("pr_curve", 2), ("roc_curve", 1)) for x in grid]
    curves = pd.DataFrame(rows, columns=["metric", "threshold", "lower", "upper"])
    table = _curve_widths(curves.assign(dataset="d", method="bootstrap", prior="true"))
    assert table[["from", "to"]].to_numpy().tolist() == [[0, 0.1], [0.1, 0.25], [0.75, 1]]
    np.testing.assert_allclose(table["pr_curve"], [0.15, 0.4, 1.8])
    np.testing.assert_allclose(table["roc_curve"], table["pr_curve"] / 2)
    assert (table["pr_curve_at_lowest_recall"] == table["pr_curve"].iloc[0]).all()
