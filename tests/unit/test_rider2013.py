"""Rider et al. (2013): judging in memory, verdicts as R gives them, and the printed tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score
from studies import check_chunks

from pumetrics_workflow.answers import split_answers
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.stages.evaluate_folds import DEFINITIONS, aupr_scores, fold_areas
from pumetrics_workflow.stages.in_memory import evaluate_in_memory
from pumetrics_workflow.stages.label import Data, Seeds
from pumetrics_workflow.studies import Results, derived
from pumetrics_workflow.studies.rider2013 import CLASSIFIERS, LEAST_SETS, MECHANISMS, METRICS
from pumetrics_workflow.studies.rider2013.simulation import simulate
from pumetrics_workflow.studies.rider2013.tables import reproduced, tables
from pumetrics_workflow.studies.rider2013.verdicts import (
    aupr_cells,
    aupr_definitions,
    cells,
    changes_by_level,
    conflicts,
    mechanism_effects,
    mechanism_shares,
    printed_cells,
    rank_shifts,
)
from pumetrics_workflow.verdicts import compare_published, read_published

PUBLISHED = read_published(Path(__file__).parents[2] / "config/published/rider2013.csv")
MODELS = {
    "c45": {"type": "c45"},
    "naive_bayes": {"type": "naive_bayes"},
    "mlp": {"type": "mlp", "epochs": 2},
}


def labeling(kinds=("bcar", "bar", "bnar"), shares=(0, 0.5)):
    return {
        "names": [f"{kind}={share:g}" for kind in kinds for share in shares],
        "nested": {"flips": kinds},
    }


def evaluated(repeats, frame=None, models=MODELS, n_folds=5, **chosen):
    if frame is None:
        frame = generate(
            "gaussians_mixed", {"size": 120, "dimension": 4, "share": 0.4, "nominal_features": 1}
        )
    options = {
        "type": "pool",
        "models": models,
        "folds": {"n_folds": n_folds, "stratified_by": "y"},
    }
    study = {
        "labeling": labeling(**chosen),
        "priors": {},
        "metrics": (),
        "evaluation": "folds",
        "options": options,
    }
    data = Data(frame, Seeds(1, "rider2013", "gaussians_mixed"))
    return evaluate_in_memory(data, model="reference", repeats=repeats, **study).assign(
        dataset="gaussians_mixed"
    )


def test_chunks_do_not_matter(tmp_path):
    check_chunks(evaluated, tmp_path, repeats=2)


def test_without_flips_both_classes_and_the_correction_agree():
    found = evaluated([0])
    plain = found[
        found["labeling"].isin(["bcar=0", "bar=0", "bnar=0"]) & (found["model"] != "labels")
    ]
    np.testing.assert_allclose(plain["estimate"], plain["truth"], atol=1e-12)
    bcar, bar = (
        plain[plain["labeling"] == name].drop(columns="labeling") for name in ("bcar=0", "bar=0")
    )
    pd.testing.assert_frame_equal(bcar.reset_index(drop=True), bar.reset_index(drop=True))


def test_areas_are_means_over_folds_that_have_one():
    rng = np.random.default_rng(0)
    y, folds = (rng.random(60) < 0.4).astype(np.int8), np.arange(60) % 4
    labels = np.stack([y, y * (rng.random(60) < 0.5)]).astype(np.int8)
    labels[1, folds == 2] = 0
    scores = rng.normal(size=(2, 60)) + y
    found = fold_areas(scores, labels, y, folds)
    for i in range(2):
        tests = [folds == fold for fold in range(4) if labels[i, folds == fold].any()]
        roc = np.mean([roc_auc_score(labels[i, t], scores[i, t]) for t in tests])
        pr = np.mean([average_precision_score(labels[i, t], scores[i, t]) for t in tests])
        np.testing.assert_allclose(
            [found["bias"].auroc[i], found["bias"].aupr[i]], [roc, pr], atol=1e-12
        )
        truth = np.mean([roc_auc_score(y[folds == f], scores[i, folds == f]) for f in range(4)])
        np.testing.assert_allclose(found["true"].auroc[i], truth, atol=1e-12)


def drawn(n=40, decimals=1, seed=0):
    rng = np.random.default_rng(seed)
    labels = (rng.random((3, n)) < 0.4).astype(np.int8)
    return (rng.normal(size=(3, n)) + labels).round(decimals), labels


@pytest.mark.parametrize("decimals", [1, 8])
def test_aupr_by_each_definition_is_what_its_curve_encloses(decimals):
    scores, labels = drawn(decimals=decimals)
    (found,) = aupr_scores(scores, labels)
    assert list(found) == list(DEFINITIONS)
    for sign, prefix in ((1, ""), (-1, "negative_")):
        for i in range(3):
            y, score = labels[i] if sign == 1 else 1 - labels[i], sign * scores[i]
            assert found[f"{prefix}step"][i] == pytest.approx(average_precision_score(y, score))
            cuts = np.unique(score)[::-1]
            tp, n = (
                np.array([(score >= cut)[chosen].sum() for cut in cuts])
                for chosen in (y == 1, y >= 0)
            )
            tp, n = np.append(0, tp), np.append(0, n)
            precision = tp[1:] / n[1:]
            line = np.trapezoid(np.append(precision[0], precision), tp / tp[-1])
            assert found[f"{prefix}trapezoid"][i] == pytest.approx(line)
            fine = np.linspace(1e-9, tp[-1], 200_001)
            rises = np.flatnonzero(
                np.diff(tp)
            )  # from these cuts to the next, by a straight line of tp and n
            first = rises[np.searchsorted(tp[rises + 1], fine)]
            share = (fine - tp[first]) / (tp[first + 1] - tp[first])
            between = n[first] + share * (n[first + 1] - n[first])
            curve = np.trapezoid(fine / between, fine / tp[-1])
            assert found[f"{prefix}davis_goadrich"][i] == pytest.approx(curve, abs=1e-4)


def test_definitions_agree_on_a_perfect_and_on_a_constant_ranking():
    y = np.array([1, 1, 0, 0, 0])
    perfect, constant, one_class = (
        aupr_scores(scores, labels)[0]
        for scores, labels in (
            ([5.0, 4, 3, 2, 1], y),
            (np.zeros(5), y),
            (np.arange(5.0), np.ones(5, dtype=int)),
        )
    )
    assert {float(area[0]) for area in perfect.values()} == {1.0}
    assert {name: float(area[0]) for name, area in constant.items()} == {
        name: pytest.approx(0.6 if "negative" in name else 0.4) for name in DEFINITIONS
    }
    assert all(np.isnan(area[0]) for area in one_class.values())


def areas_with_changes(changes, n_sets=27):
    """Areas in which naive Bayes overtakes the SVM by bias class in some data sets, and falls behind in others."""
    rows = []
    for i in range(n_sets):
        for place, model in enumerate([*CLASSIFIERS, "svm_class", "svm_logistic"]):
            true = 0.9 - 0.05 * min(place, 4)
            bias = true - 0.1
            if i < len(changes):
                bias += {1: {"naive_bayes": 0.2}, -1: {"c45": -0.5}}[changes[i]].get(model, 0)
            rows.append(("roc_auc", "bar", 0.3, f"set{i}", model, bias, true))
    return pd.DataFrame(
        rows, columns=["metric", "mechanism", "fraction", "dataset", "model", "bias", "true"]
    )


def test_verdicts_of_r():
    """One changed set gives .500 or .977, none 1.000; the sign is that of ranks, though all areas fall alike."""
    none = cells(areas_with_changes([])).set_index(["svm", "classifier"])
    assert (none["p_over"] == 1).all()
    assert (none["verdict"] == 0).all()
    one = cells(areas_with_changes([1])).set_index(["svm", "classifier"]).loc["svm_class"]
    assert one.loc["naive_bayes", "p_over"] == pytest.approx(0.5)
    assert one.loc["c45", "p_over"] == pytest.approx(0.97725, abs=1e-5)
    many = cells(areas_with_changes([1] * 12)).set_index(["svm", "classifier"]).loc["svm_class"]
    assert many.loc["naive_bayes", "verdict"] == 1
    assert many.loc["c45", "verdict"] == -1
    assert many.loc["svm", "verdict"] == 0


def both_areas(changes, n_sets=27):
    """The same changes of AUC and AUC-PR, under three mechanisms; under BCAR none."""
    parts = [
        areas_with_changes(changes if mechanism != "bcar" else [], n_sets).assign(
            metric=metric, mechanism=mechanism
        )
        for metric in METRICS
        for mechanism in MECHANISMS
    ]
    return pd.concat(parts, ignore_index=True)


def test_shifts_of_ranks_say_by_set_which_classifier_looks_too_good():
    shifts = rank_shifts(both_areas([1] * 12), "svm_class")
    changed = shifts[shifts["shift"] != 0]
    assert set(changed["dataset"]) == {f"set{i}" for i in range(12)}
    assert (
        changed.groupby("classifier")["shift"].agg(["min", "max"]).loc["naive_bayes"] == 2
    ).all()
    assert changed.groupby(["table", "mechanism", "dataset"])["shift"].sum().eq(0).all(), (
        "ranks are exchanged"
    )
    assert "bcar" not in set(changed["mechanism"])


@pytest.mark.slow
@given(st.lists(st.sampled_from([1, -1]), min_size=1, max_size=27))
@settings(max_examples=10)
def test_resampled_cells_are_tested_as_the_cells_are(changes):
    """All weights one: the shares are those of the significant cells; some set at least is left out of most draws."""
    areas = both_areas(changes)
    found = mechanism_shares(areas, "svm_class", draws=5).set_index("mechanism")
    expected = cells(areas).query("svm == 'svm_class' and verdict != 0").groupby("mechanism").size()
    assert found["cells"].loc[lambda counts: counts > 0].to_dict() == expected.to_dict()
    shares = found["share"].dropna()
    assert shares.sum() == pytest.approx(1 if len(expected) else 0)


def test_few_data_sets_give_no_verdict():
    found = cells(areas_with_changes([1] * 5, n_sets=LEAST_SETS - 1))
    assert found["verdict"].isna().all()
    assert (cells(areas_with_changes([1] * LEAST_SETS, n_sets=LEAST_SETS))["verdict"] == 1).any()


def test_the_printed_tables_are_whole():
    printed = printed_cells(PUBLISHED)
    assert len(printed) == 300
    assert (printed[printed["fraction"] == 0]["p_printed"] == 1).all()
    counts = printed.groupby(["table", "mechanism"])["printed"].agg(lambda v: (v != 0).sum())
    assert counts.to_dict() == {
        ("2a", "bcar"): 0,
        ("2a", "bar"): 19,
        ("2a", "bnar"): 5,
        ("2b", "bcar"): 2,
        ("2b", "bar"): 18,
        ("2b", "bnar"): 5,
    }
    plain_above = printed[
        (printed["printed"] == 0) & (printed["p_printed"] > 0.99) & (printed["p_printed"] < 1)
    ]
    assert (
        len(plain_above) == 5
    )  # "p > .99" would embolden them: the second test has its own correction


def test_tables_and_published_numbers_from_records():
    found = pd.concat([evaluated([0]), case_study()]).assign(study="rider2013")
    made = tables(Results(*split_answers(found), None, {}, PUBLISHED))
    made = derived("rider2013", made, PUBLISHED)
    compared = compare_published(PUBLISHED, reproduced(made), made).query("kind != 'claim'")
    assert set(compared["verdict"]) == {"not tested"}  # one data set gives no verdict
    sizes = made["sizes"].query("fraction == 0 and kind == 'uncorrected'")
    np.testing.assert_allclose(sizes["mean"], 0, atol=1e-12)
    assert made["case_study"]["known"].tolist()[:2] == [0.333, 0.333]


def case_study():
    frame = generate("gaussians", {"size": 300, "dimension": 3, "share": 0.3})
    return simulate(
        "case_study", repeats=[0], seed=1, data={"gaussians": frame}, steps=2, n_folds=3, bins=10
    )


def test_case_study_counts_everyone_once_and_reveals_positives():
    found = case_study()
    counts = (
        found[found["statistic"].str.startswith("histogram_", na=False)]
        .groupby("labeling")["value"]
        .sum()
    )
    assert counts.to_dict() == {"known_bcar=0.333": 300, "known_bnar=0.333": 300}
    areas = found[found["metric"] == "average_precision"].set_index("labeling")
    assert areas.loc["known_bcar=0.667", "estimate"] > areas.loc["known_bcar=0.333", "estimate"]


def test_effects_conflicts_and_changes_are_counted_by_set():
    areas = both_areas([1] * 12)
    effects = mechanism_effects(rank_shifts(areas, "svm_class"))
    assert (effects["p_holm"] < 0.01).all()
    assert (effects["bcar"] == 0).all()
    assert (effects["bar"] == effects["bnar"]).all()
    assert (conflicts(areas, "svm_class")[["true", "bias"]] == 0).all(axis=None)
    is_roc = areas["metric"] == "roc_auc"
    counted = conflicts(
        areas.assign(true=areas["true"].where(is_roc, 1 - areas["true"])), "svm_class"
    )
    assert (counted["true"] == counted["rankings"]).all()
    assert (changes_by_level(areas, "svm_class")["changed"] == 12).all()


def test_definitions_of_aupr_are_compared_with_both_printed_tables():
    """Table 2b, BAR, 30%: naive Bayes too high and C4.5 too low are in bold; Table 2a has the opposite."""
    signs = {"average_precision": 1, "average_precision:negative_step": -1}
    parts = [
        areas_with_changes([sign] * 12).assign(metric=name, method="uncorrected")
        for name, sign in signs.items()
    ]
    records = pd.concat(parts).rename(columns={"bias": "estimate", "true": "truth"})
    made = aupr_cells(records)
    assert set(made["definition"]) == {"step", "negative_step"}
    table = aupr_definitions(made, cells(areas_with_changes([1] * 12)), PUBLISHED)
    table = table.query("svm == '0/1'").set_index(["definition", "printed_table"]).sort_index()
    step = table.loc["AUC-PR, average precision"]
    significant = step["significant_printed"]
    assert step["leaning_the_same_way"].to_dict() == {"2a": 0, "2b": significant["2b"]}
    assert step["leaning_the_other_way"].to_dict() == {"2a": significant["2a"], "2b": 0}
    assert table.loc["AUC"].drop(columns="svm").equals(step.drop(columns="svm"))
    negative = table.loc[("AUC-PR, average precision, negative class", "2b")]
    assert negative["both_significant_same_sign"] == 2, "C4.5 falls and naive Bayes rises"
