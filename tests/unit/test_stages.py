"""Stages: the same records over files and in memory, whatever the chunks; folds, features and seeds of a batch."""

import numpy as np
import pandas as pd
import pytest

from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.models.encoding import encode
from pumetrics_workflow.models.ensemble import BaggedMLPClassifier
from pumetrics_workflow.seeding import seed_for
from pumetrics_workflow.stages.estimate_priors import estimate_priors, estimated, random_numbers
from pumetrics_workflow.stages.evaluate import evaluate_samples
from pumetrics_workflow.stages.in_memory import evaluate_in_memory
from pumetrics_workflow.stages.label import Data, Seeds, label
from pumetrics_workflow.stages.train import batches, scored, train
from pumetrics_workflow.tables import empty, read, write

SEEDS = Seeds(1, "study", "mixed")
LABELING = {
    "names": ["supervised", "beta=1", "beta=0.8"],
    "sample": {
        "kind": "capped",
        "labeled_large": 1000,
        "labeled_small": 60,
        "unlabeled_at_most": 300,
    },
}
MLP = {"type": "bagged_mlp", "n_estimators": 6, "hidden_units": 3}
PRIORS = {"methods": ["bbe", "alphamax"], "noisy": True}
METRICS = ["roc_auc", "average_precision", "f1"]
FLIPS = {"names": ["bcar=0.3", "bnar=0.3"], "nested": {"flips": ["bcar", "bnar"]}}
BY_Y = {"n_folds": 4, "stratified_by": "y"}


@pytest.fixture(scope="module")
def frame():
    return generate(
        "gaussians_mixed", {"size": 400, "dimension": 4, "share": 0.4, "nominal_features": 1}
    )


@pytest.fixture(scope="module")
def data(frame):
    return Data(frame, SEEDS)


def over_files(data, options, folder):
    """Records of one chunk, with every table written and read between stages."""

    def kept(door, table):
        write(door, table, folder / f"{door}.parquet")
        return read(door, folder / f"{door}.parquet")

    labelings = kept("labelings", label(data, LABELING, [0, 1]))
    scores = kept("scores", train(data, labelings, "mlp", options))
    rows = estimate_priors(scores, PRIORS["methods"], random_numbers(data.seeds, "mlp"), noisy=True)
    priors = kept("priors", pd.DataFrame(rows).assign(dataset="mixed", model="mlp"))
    return pd.DataFrame(evaluate_samples(scores, priors, METRICS)).assign(model="mlp")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [MLP, {"type": "logistic_regression", "folds": {"n_folds": 3, "stratified_by": "s"}}],
    ids=lambda options: options["type"],
)
def test_over_files_and_in_memory_a_study_gives_the_same_records(data, tmp_path, options):
    study = {"labeling": LABELING, "priors": PRIORS, "metrics": METRICS, "evaluation": "samples"}
    in_memory = pd.concat(
        [
            evaluate_in_memory(data, model="mlp", options=options, repeats=[k], **study)
            for k in (1, 0)
        ]
    )
    for name, table in (("files", over_files(data, options, tmp_path)), ("memory", in_memory)):
        whole = table.assign(study="study", dataset="mixed")
        write("records", whole, tmp_path / f"{name}.parquet")
    pd.testing.assert_frame_equal(
        *(read("records", tmp_path / f"{name}.parquet") for name in ("files", "memory"))
    )


def test_a_model_out_of_bag_has_a_seed_of_its_own(data, frame):
    labelings = label(data, {**LABELING, "names": ["beta=1"]}, [2])
    score = train(data, labelings, "mlp", MLP)["score"]
    seed = int(seed_for(1, "study", "mixed", "beta=1", 2, "mlp").generate_state(1)[0])
    model = BaggedMLPClassifier(n_estimators=6, hidden_units=3, random_state=seed)
    rows = labelings["row"].to_numpy()
    np.testing.assert_array_equal(
        score, model.fit(encode(frame)[rows], labelings["s"]).oob_decision_function_
    )


def test_a_last_zero_names_another_thing():
    """NumPy fills short seeds up with zeros, so too few names are refused."""
    names = ["study", "dataset", "labeling"]
    with pytest.raises(ValueError, match="at least 3 names"):
        seed_for(1, *names[:2])
    first, second = (seed_for(1, *names, *more).generate_state(4) for more in ((), (0,)))
    assert (first != second).any()


def test_labelings_that_share_folds_are_trained_together_and_the_hidden_feature_is_not_seen(data):
    models = {"naive_bayes": {"type": "naive_bayes"}, "logistic": {"type": "logistic_regression"}}
    labelings = label(data, FLIPS, [0])
    (batch,) = batches(labelings, BY_Y, data.seeds)
    assert batch.labelings == ("bcar=0.3", "bnar=0.3")
    assert np.ptp(np.bincount(batch.folds[batch.y == 1])) <= 1
    changed = data.frame.assign(**{data.feature: data.frame[data.feature].to_numpy()[::-1]})
    changed = Data(changed, SEEDS)
    object.__setattr__(changed, "feature", data.feature)
    for before, after in zip(
        scored(data, labelings, models, folds=BY_Y),
        scored(changed, labelings, models, folds=BY_Y),
        strict=True,
    ):
        assert (before.scores[0] != after.scores[0]).any(), before.model
        np.testing.assert_array_equal(before.scores[1], after.scores[1], err_msg=before.model)


def test_labelings_of_different_rows_cannot_share_folds(data):
    with pytest.raises(
        ValueError, match=r"beta=1, beta=0\.8 label different rows: they cannot share folds by y"
    ):
        list(
            batches(
                label(data, {**LABELING, "names": ["beta=1", "beta=0.8"]}, [0]), BY_Y, data.seeds
            )
        )


def test_a_labeling_the_data_are_too_small_for_is_an_error_unless_it_may_be_left_out(data, caplog):
    names = {"names": ["bcar=0.3", "bcar=0.97"]}
    assert set(label(data, names, [0])["labeling"]) == {"bcar=0.3", "bcar=0.97"}
    with caplog.at_level("INFO"):
        assert set(label(data, {**names, "least_labeled": 20}, [0])["labeling"]) == {"bcar=0.3"}
    assert "bcar=0.97, repeat 0: left out" in caplog.text
    with pytest.raises(ValueError, match="160 positives, of which 1000 are to be labeled"):
        label(data, {**LABELING, "sample": {"kind": "capped", "labeled_small": 1000}}, [0])


def test_without_labelings_there_are_empty_tables(data):
    scores = train(data, empty("labelings"), "mlp", MLP)
    assert list(scores) == list(empty("scores"))
    assert (
        estimate_priors(scores, ["bbe"], None)
        == evaluate_samples(scores, empty("priors"), METRICS)
        == []
    )


def test_the_true_priors_are_kept_whether_or_not_an_estimator_runs(data, tmp_path):
    scores = train(data, label(data, LABELING, [0, 1]), "mlp", MLP)
    truths = {}
    for methods in ([], ["bbe"]):
        rows = pd.DataFrame(estimate_priors(scores, methods, random_numbers(data.seeds, "mlp")))
        write("priors", rows.assign(dataset="mixed", model="mlp"), tmp_path / "priors.parquet")
        truths[len(methods)] = read("priors", tmp_path / "priors.parquet")[
            ["labeling", "repeat", "alpha_true", "beta_true"]
        ]
    pd.testing.assert_frame_equal(truths[0], truths[1])
    assert truths[0]["beta_true"].tolist() == pytest.approx([0.8, 0.8, 1, 1])
    none = estimate_priors(scores, [], None)
    assert evaluate_samples(scores, pd.DataFrame(none), METRICS) == evaluate_samples(
        scores, empty("priors"), METRICS
    )


def test_an_estimate_that_fails_is_a_row_with_its_reason():
    (row,) = estimated(np.array([1, 0, 0]), np.ones(3), "bbe", np.random.default_rng(0))
    assert np.isnan(row["alpha"])
    assert row["status"].startswith("failed: all labeled_scores")


def test_clean_priors_are_those_of_the_same_run_without_noise():
    rng = np.random.default_rng(0)
    s = np.repeat([1, 0], [200, 800])
    score = rng.normal(np.where(s == 1, 2.0, rng.choice([0.0, 2.0], 1000, p=[0.7, 0.3])))
    both, clean = estimated(s, score, "bbe", np.random.default_rng(1), clean=True)
    (alone,) = estimated(s, score, "bbe", np.random.default_rng(1), noisy=False)
    assert (clean["method"], clean["alpha"], clean["beta"]) == ("bbe_clean", alone["alpha"], 1.0)
    assert both["beta"] <= 1
