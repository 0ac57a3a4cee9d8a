"""The example of `make example`: a simulated file whose truth is known, and commands that find it."""

from pathlib import Path

import pandas as pd
import pytest
from commands import answered, as_json, refused, run, sketch
from sklearn.metrics import f1_score, roc_auc_score

from pumetrics import examples, plotting
from pumetrics.examples import fraud_cases, write_fraud_cases
from pumetrics.extras import MissingExtraError
from pumetrics.metrics import max_score

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cases():
    return fraud_cases()


def test_it_is_what_it_says(cases):
    labeled = cases["outcome"] == "fraud"
    assert len(cases) == 40_000
    assert cases["case"].is_unique
    assert labeled.sum() == 600
    assert set(cases["outcome"]) == {"fraud", ""}
    assert cases.loc[labeled, "fraud"].all(), "no label is wrong"
    assert 0.025 < cases.loc[~labeled, "fraud"].mean() < 0.035
    assert 0.04 < cases["fraud"].mean() < 0.05
    assert cases.groupby("customer").size().value_counts().index.max() > 2, (
        "some customers have several cases"
    )


def test_labels_are_a_random_sample_of_the_frauds(cases):
    frauds = cases[cases["fraud"] == 1]
    labeled = frauds["outcome"] == "fraud"
    for column in ("new_model", "rules"):
        assert (
            abs(roc_auc_score(labeled, frauds[column]) - 0.5) < 4 * (1 / 12 / labeled.sum()) ** 0.5
        ), column


def test_the_same_seed_is_the_same_file(tmp_path):
    for folder in ("a", "b", "a"):  # a second time into the same folder as well
        write_fraud_cases(tmp_path / folder, n_cases=1000)
    write_fraud_cases(tmp_path / "c", n_cases=1000, random_state=2)
    files = {folder: (tmp_path / folder / "fraud.csv").read_bytes() for folder in "abc"}
    assert files["a"] == files["b"] != files["c"]
    truth = pd.read_csv(tmp_path / "a/fraud_truth.csv")
    assert list(truth) == ["case", "fraud"]
    assert "fraud" not in pd.read_csv(tmp_path / "a/fraud.csv")


def test_other_files_of_these_names_are_not_overwritten(tmp_path):
    (tmp_path / "fraud.csv").write_text("mine\n")
    refused(run("example", tmp_path), "is not overwritten: choose another folder")
    assert (tmp_path / "fraud.csv").read_text() == "mine\n"
    assert not (tmp_path / "fraud_truth.csv").exists()


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Folder and output of `pumetrics example`."""
    folder = tmp_path_factory.mktemp("example")
    with pytest.MonkeyPatch.context() as patch:
        sketch(patch)
        return folder, answered(run("example", folder))


@pytest.mark.slow
def test_the_truth_is_printed_and_lies_within_the_intervals(shown, cases):
    _, output = shown
    assert f"alpha = {cases.loc[cases['outcome'] == '', 'fraud'].mean():.3f}" in output
    evaluation = next(
        line for line in output.splitlines() if line.startswith("$ pumetrics evaluate")
    )
    arguments = evaluation.split()[2:]
    arguments = arguments[: arguments.index("--report")]
    scores = {score["metric"]: score for score in as_json(*arguments)["scores"]}
    truths = {
        "roc_auc": roc_auc_score(cases["fraud"], cases["new_model"]),
        "f1": max_score("f1", cases["fraud"], cases["new_model"], alpha=0.0)[0],
    }
    for metric, truth in truths.items():
        low, high = scores[metric]["interval"]
        assert low < truth < high, (metric, truth, low, high)
        assert f"{truth:.3f}" in output, metric
        assert (
            abs(scores[metric]["corrected"] - truth) < abs(scores[metric]["uncorrected"] - truth)
            or metric == "roc_auc"
        )


@pytest.mark.slow
def test_the_checked_cases_hold_the_truth(shown, cases):
    _, output = shown
    last = output.rpartition("$ pumetrics evaluate")[2].splitlines()[0].split()
    found = as_json("evaluate", *last, "--bootstrap", 0)
    assert found["checked"]["f1"]["n_checked"] == 100
    flagged = cases["new_model"] >= found["threshold"]
    truths = {"f1": f1_score(cases["fraud"], flagged), "precision": cases["fraud"][flagged].mean()}
    for metric, truth in truths.items():
        assert found["checked"][metric]["lower"] <= truth <= found["checked"][metric]["upper"]


@pytest.mark.slow
def test_the_base_installation_answers_without_the_page(tmp_path, monkeypatch):
    def missing(purpose):
        raise MissingExtraError(purpose)

    monkeypatch.setattr(plotting, "require_plots", missing)
    monkeypatch.setattr(
        examples, "write_fraud_cases", lambda folder: write_fraud_cases(folder, n_cases=2000)
    )
    said = answered(run("example", tmp_path))
    assert "pip install 'pumetrics[plots]'" in said
    assert "best F1" in said
    assert not list(tmp_path.glob("*.html"))
