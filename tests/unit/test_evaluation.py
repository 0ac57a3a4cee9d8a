"""Records of a scored sample: what the estimate is, where its threshold is, and what the truth is there."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from pumetrics_workflow.stages.evaluate import evaluate_sample

SKLEARN = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "f1": sk.f1_score,
    "mcc": sk.matthews_corrcoef,
}


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(3)
    y = np.r_[rng.random(300) < 0.8, rng.random(3000) < 0.25].astype(int)
    s = np.repeat([1, 0], [300, 3000])
    return pd.DataFrame({"s": s, "y": y, "score": rng.normal(2 * y).round(1)})  # rounded: many ties


@pytest.mark.parametrize("measure", list(SKLEARN))
def test_truth_is_scikit_learns_value_at_the_threshold_of_the_estimate(scored, measure):
    for row in evaluate_sample(scored, None, [measure]):
        predicted = scored["score"] >= row["threshold"]
        assert row["truth"] == pytest.approx(SKLEARN[measure](scored["y"], predicted), abs=1e-12), (
            row
        )


@pytest.mark.slow
@pytest.mark.parametrize("measure", list(SKLEARN))
def test_uncorrected_is_scikit_learns_maximum_over_all_thresholds(scored, measure):
    best = max(
        SKLEARN[measure](scored["s"], scored["score"] >= cut)
        for cut in [*set(scored["score"]), np.inf]
    )
    rows = [
        row for row in evaluate_sample(scored, None, [measure]) if row["metric"] == f"max_{measure}"
    ]
    found = {row["prior"]: row["estimate"] for row in rows}
    assert found["none"] == pytest.approx(best, abs=1e-12)


def test_true_priors_recover_balanced_accuracy_better_than_none(scored):
    rows = pd.DataFrame(evaluate_sample(scored, None, ["balanced_accuracy"]))
    error = (rows["estimate"] - rows["truth"]).abs().groupby(rows["prior"]).mean()
    assert error["true"] < 0.05 < error["none"]


def test_a_prior_that_failed_is_a_record_without_estimate(scored):
    failed = pd.DataFrame(
        {"method": ["alphamax", "tice"], "alpha": [np.nan, 0.7], "beta": [np.nan, 0.7]}
    )
    rows = pd.DataFrame(evaluate_sample(scored, failed, ["f1"]))
    lost = rows[rows["prior"].isin(["alphamax", "tice"])]
    assert len(lost) == 4
    assert lost["estimate"].isna().all()
    assert lost["truth"].notna().all()


def test_areas_without_noise_are_scikit_learns(scored):
    clean = scored.assign(s=scored["y"])
    rows = pd.DataFrame(
        evaluate_sample(clean, None, ["roc_auc", "average_precision"], supervised=clean)
    )
    expected = {
        "roc_auc": sk.roc_auc_score(clean["y"], clean["score"]),
        "average_precision": sk.average_precision_score(clean["y"], clean["score"]),
    }
    uncorrected = rows[rows["prior"] == "none"].set_index("metric")["estimate"]
    for metric, value in expected.items():
        assert uncorrected[metric].to_numpy() == pytest.approx(value, abs=1e-12)
    assert set(rows["truth_kind"]) == {"same_scores", "supervised"}
    aucs = rows[rows["metric"] == "roc_auc"]
    assert aucs["truth"].to_numpy() == pytest.approx(expected["roc_auc"], abs=1e-12)


def test_direct_and_unrepaired_indirect_areas_are_the_same_number(scored):
    rows = (
        pd.DataFrame(evaluate_sample(scored, None, ["roc_auc"]))
        .query("prior == 'true'")
        .set_index("method")
    )
    assert rows.loc["direct", "estimate"] == pytest.approx(
        rows.loc["indirect:none", "estimate"], abs=1e-12
    )


def test_precision_recovered_from_pu_precision_is_that_of_equation_3(scored):
    rows = pd.DataFrame(evaluate_sample(scored, None, ["average_precision"])).query(
        "prior == 'true'"
    )
    found = rows.set_index("method")["estimate"]
    assert found["indirect:pu_precision"] == pytest.approx(found["indirect:none"], abs=1e-9)


def test_curves_are_kept_of_the_first_repeat_only(scored):
    for repeat, count in (
        (0, 3 * 100),
        (1, 0),
    ):  # of the truth, uncorrected, and corrected with the true priors
        rows = evaluate_sample(scored, None, ["precision_recall_curve"], repeat=repeat)
        assert len(rows) == count
