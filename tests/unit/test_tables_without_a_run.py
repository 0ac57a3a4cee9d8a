"""Tables of random cases and of many draws, which seconds of computing settle."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.metrics import balanced_accuracy_score, matthews_corrcoef

from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.studies.claesen2015 import simulation
from pumetrics_workflow.studies.claesen2015.claims import (
    _curve_widths,
    _low_recall,
    clipped_entries,
    figure4_edges,
    lemma_cases,
    totals,
)
from pumetrics_workflow.studies.claesen2015.tables import _band_inside
from pumetrics_workflow.studies.ramola2019 import tables as ramola
from pumetrics_workflow.studies.tabatabaei2020.selection import (
    heart_statistics,
    selection_statistics,
    tries_statistics,
)
from pumetrics_workflow.studies.tabatabaei2020.verdicts import (
    figure5_tries,
    heart_variants,
    label_schemes,
)
from pumetrics_workflow.verdicts import read_published


def test_lemmas_and_theorem_hold_in_every_random_case_and_no_part_is_empty():
    for table, least in ((lemma_cases(2000), 500), (ramola.theorem_cases(4000), 1500)):
        assert (table["violations"] == 0).all()
        assert (table["cases"] > least).all()
    pd.testing.assert_frame_equal(lemma_cases(500), lemma_cases(500))


def test_a_false_theorem_would_be_seen(monkeypatch):
    exact = ramola._measures
    monkeypatch.setattr(ramola, "_measures", lambda share, tpr, fpr: exact(share, tpr, 0.9 * fpr))
    assert (ramola.theorem_cases(2000)["violations"] > 100).any()


def test_measures_of_shares_are_those_of_rows():
    rng = np.random.default_rng(0)
    y, predicted = rng.random((2, 400)) < [[0.3], [0.6]]
    shares = y.mean(), predicted[y].mean(), predicted[~y].mean()
    found = ramola._measures(*map(float, shares))
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    assert found["mcc"] == pytest.approx(matthews_corrcoef(y, predicted))


def test_only_the_upper_edge_gives_all_printed_areas_of_figure_4():
    table = figure4_edges(read_published("config/published/claesen2015.csv")).set_index(
        ["built_for", "edge"]
    )
    at_zero = table[["model1_0", "model2_0"]].xs("upper", level="built_for")
    np.testing.assert_allclose(at_zero.sub(at_zero.loc["rank CDF"], axis=1), 0, atol=1e-9)
    first = table["model1_0.1"]["rank CDF"]
    assert first["lower"] < first["rank CDF"] < 75.45 < first["upper"]
    assert table.index[table["as_printed"] == table["printed"]].tolist() == [("upper", "upper")]


def test_bounds_of_fewer_unlabeled_examples_are_tighter_about_the_same_area():
    table = totals((500, 5000), n_labeled=200)
    assert table["width"].is_monotonic_increasing
    area = norm.cdf(1.2 / np.sqrt(2))
    assert ((table["lower"] < area) & (area < table["upper"])).all()


def test_a_draw_of_few_classifiers_is_the_mean_over_label_frequencies():
    options = {
        "repeats": [0, 1],
        "seed": 1,
        "data": {},
        "source": "generated",
        "step": 0.25,
        "factors": (0.5, 1.0),
    }
    few = tries_statistics(n_classifiers=8, **options)
    whole = selection_statistics(model="few", n_classifiers=8, **options).query(
        "statistic == 'inversions'"
    )
    assert len(few) == 6  # two factors and the LL score, twice
    keys = ["repeat", "method", "at"]
    means = whole.groupby(keys, dropna=False)["value"].mean()
    pd.testing.assert_series_equal(few.set_index(keys)["value"].sort_index(), means.sort_index())


def test_spread_over_draws_and_how_often_the_estimate_is_worse():
    rng = np.random.default_rng(0)
    gaps = rng.normal([[0.01], [-0.05]], 0.02, (2, 400))
    rows = [("lee_liu", np.nan, repeat, 0.1) for repeat in range(400)]
    rows += [
        ("estimated_f1", at, i, 0.1 + gap)
        for at, line in zip((0.5, 1.0), gaps, strict=True)
        for i, gap in enumerate(line)
    ]
    statistics = pd.DataFrame(rows, columns=["method", "at", "repeat", "value"])
    table = figure5_tries(statistics.assign(dataset="iris", statistic="mean_inversions")).set_index(
        "factor"
    )
    np.testing.assert_allclose(table["share_worse"].iloc[:2], (gaps > 0).mean(axis=1))
    assert table.loc[1.0, "share_worse_here_and_at_half"] == pytest.approx(
        (gaps > 0).all(axis=0).mean()
    )
    assert table.loc[1.0, "difference_upper"] < 0 < table.loc[0.5, "difference_upper"]
    inside = (10 + 100 * gaps[0] > table.loc[0.5, "lower"]) & (
        10 + 100 * gaps[0] < table.loc[0.5, "upper"]
    )
    assert inside.mean() == pytest.approx(0.95, abs=0.02)
    assert figure5_tries(statistics.assign(dataset="iris", statistic="rmse")).empty


def test_cuts_of_figure_5_add_up_and_the_exact_share_is_that_of_many_draws():
    rng = np.random.default_rng(3)
    y = (np.arange(900) < 300).astype(np.int8)
    score = np.round(rng.normal(size=900) + y, 1)
    common = {"dataset": "d", "method": "bounds_bootstrap"}
    rows = []
    for repeat in range(300):
        s = np.zeros(900, dtype=np.int8)
        s[rng.choice(300, 60, replace=False)] = 1
        rows += simulation._rank_cdf(
            s, y, score, "bootstrap", 240 / 840, {**common, "repeat": repeat}
        )
    _, statistics = split_answers(pd.DataFrame(rows).assign(study="claesen2015"))
    first = _band_inside(statistics[statistics["repeat"] == 0].assign(band="bootstrap"))
    cuts = first[first["counted"] == "cuts by F"]
    assert cuts["share_of_cuts"].sum() == pytest.approx(1)
    whole = first.set_index("counted")["inside"]
    assert np.average(cuts["inside"], weights=cuts["share_of_cuts"]) == pytest.approx(
        whole["all cuts"]
    )
    table = _band_inside(statistics.assign(band="bootstrap")).set_index("counted")["inside"]
    assert table["all ranks"] == pytest.approx(table["all ranks, exact"], abs=0.02)


def test_widths_are_means_over_the_axes_and_low_recall_is_of_one_space():
    grid = np.array([0.05, 0.1, 0.2, 0.9])
    pr = pd.DataFrame(
        {"metric": "pr_curve", "threshold": grid, "lower": 0.1, "upper": 0.1 + 2 * grid}
    )
    roc = pr.assign(metric="roc_curve", upper=0.1 + grid)
    common = {"dataset": "d", "method": "bootstrap", "prior": "true"}
    curves = pd.concat([pr, roc]).assign(**common)
    (row,) = _curve_widths(curves).to_dict("records")
    assert row["pr_curve"] == pytest.approx(2 * grid.mean())
    assert row["roc_curve"] == pytest.approx(grid.mean())
    (row,) = _low_recall(curves).to_dict("records")
    assert row["at_lowest_recall"] == pytest.approx(0.15)
    assert row["elsewhere"] == pytest.approx(1.8)


def test_a_clipped_table_changes_with_alpha_in_half_of_its_entries():
    """All unlabeled examples above the rank count as positive, so each positive that is added is hidden below."""
    table = clipped_entries().set_index("entry")["derivative"]
    assert table[["TP_U", "FP_U"]].tolist() == [0, 0]
    assert table["FN_U"] == pytest.approx(45_000)
    assert table["TN_U"] == pytest.approx(-45_000)
    assert table["TPR_U"] < 0


def test_printed_numbers_are_compared_with_both_ways_to_label():
    printed = read_published("config/published/tabatabaei2020.csv").set_index("id")["published"]
    errors = pd.DataFrame(
        {"variant": ["exactly rho P labels", "as published"], "mean": [0.046, 0.046 * 1.5]}
    )
    common = {"dataset": "generated", "draws": 1000, "std": 0.01}
    row = {"variant": "as published", "method": "lee_liu", "rho": 0.3}
    spread = {"median": 9.1, "low": 7.0, "high": 11.0}
    made = {
        "table2": errors.assign(**common, method="estimated_f1"),
        "figure4": pd.DataFrame([{**common, **row, **spread}]),
    }
    table = label_schemes(made, printed).set_index(["what", "method", "rho"])
    row = table.loc[("RMSE", "estimated_f1", 0.3)]
    assert (row["printed"], row["exact_inside"], row["independent_inside"]) == (0.064, True, True)
    assert row["ratio_of_squares"] == pytest.approx(2.25)
    row = table.loc[("median inversions (%)", "lee_liu", 0.3)]
    assert (row["exact_inside"], row["independent_inside"]) == (False, True)


@pytest.mark.slow
def test_heart_disease_is_split_by_class_and_share():
    frame = generate("gaussians", {"size": 60, "dimension": 2, "share": 0.4})
    found = heart_statistics(
        repeats=[0, 1], seed=1, data={"heart_c": frame}, test_shares=(2, 3), n_classifiers=2
    )
    found["method"] = found["method"].replace({"f1_from_rho": "estimated_f1"})
    printed = {"table2_heart_estimated_f1": 0.089, "table2_heart_lee_liu": 0.344}
    table = heart_variants(found, printed)
    sizes = table.groupby(["positive", "test_share"])["test_positives"].first()
    assert sizes.tolist() == [8, 12, 12, 18], "a third and a half of 24 and of 36"
    inside = table["printed"].between(table["lower"], table["upper"])
    assert (table["inside"] == inside).all()
