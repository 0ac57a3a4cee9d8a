"""The commands for scores of one's own: what they tell, and how they refuse."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics import metrics
from pumetrics.cli import app

runner = CliRunner(env={"COLUMNS": "200"})


def run(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(150, bool), rng.random(600) < 0.25]
    score = rng.normal(2.0 * y)
    table = pd.DataFrame({"score": score, "s": np.repeat([1, 0], [150, 600]), "noisier": score + rng.normal(size=750)})
    return table.sample(frac=1, random_state=0)


@pytest.fixture
def scores(table, tmp_path):
    table.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


def test_the_table_shows_every_metric_uncorrected_and_corrected(scores, table):
    said = run("evaluate", scores, "--alpha", 0.25, "--bootstrap", 20)
    assert said.exit_code == 0, said.output
    for priors in ({"alpha": 0.0}, {"alpha": 0.25}):
        assert f"{metrics.pu_roc_auc_score(table['s'], table['score'], **priors):.3f}" in said.output
        assert f"{metrics.max_score('f1', table['s'], table['score'], **priors)[0]:.3f}" in said.output
    for name in ("AUC", "AUC-PR", "best accuracy", "best bal. acc.", "best F1", "best MCC", "SCAR"):
        assert name in said.output


def test_json_holds_what_the_library_says(scores, table):
    arguments = ["--alpha", "0.2,0.3", "--threshold", 1.0, "--metric", "f1", "--metric", "roc_auc", "--bootstrap", 20]
    said = run("evaluate", scores, *arguments, "--json")
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert [score["metric"] for score in told["scores"]] == ["f1", "roc_auc"]
    f1 = told["scores"][0]
    predicted = (table["score"] >= 1.0).astype(int)
    assert f1["corrected"] == pytest.approx(metrics.pu_f1_score(table["s"], predicted, alpha=0.25))
    assert f1["uncorrected"] == pytest.approx(metrics.pu_f1_score(table["s"], predicted, alpha=0.0))
    assert f1["interval"][0] < f1["corrected"] < f1["interval"][1]
    assert told["alpha_interval"] == [0.2, 0.3]
    assert (told["n_labeled"], told["n_unlabeled"], told["n_resamples"]) == (150, 600, 20)


def test_other_files_and_columns_give_the_same(scores, table, tmp_path):
    def result(text):
        return {key: value for key, value in json.loads(text).items() if key not in ("files", "settings", "next_step")}

    expected = result(run("evaluate", scores, "--rho", 0.5, "--bootstrap", 0, "--json").stdout)
    assert expected["alpha"] == pytest.approx(150 / 600)
    renamed = table.rename(columns={"score": "p", "s": "known"}).astype({"known": bool})
    renamed.to_parquet(tmp_path / "a.parquet")
    renamed.to_csv(tmp_path / "b.tsv", sep="\t", index=False)
    renamed.to_csv(tmp_path / "c.csv.gz", index=False)
    for name in ("a.parquet", "b.tsv", "c.csv.gz"):
        said = run(
            "evaluate", tmp_path / name, "--score", "p", "--label", "known", "--rho", 0.5, "--bootstrap", 0, "--json"
        )
        assert result(said.stdout) == expected, name


def test_the_report_is_one_page_that_needs_nothing_else(scores, tmp_path):
    page = tmp_path / "page.html"
    said = run("evaluate", scores, "--priors", "bbe", "--bootstrap", 10, "--report", page)
    assert said.exit_code == 0, said.output
    html = page.read_text()
    assert html.count("data:image/svg+xml;base64,") == 8
    assert 'src="http' not in html
    for words in ("What to report in a paper", "Evidence behind alpha", "estimated (bbe)", "best F1", "--paper:"):
        assert words in html


def test_a_better_model_is_told_from_a_worse_one(scores, table, tmp_path):
    worse = tmp_path / "worse.csv"
    table.assign(score=table["noisier"]).to_csv(worse, index=False)
    options = ["--alpha", 0.25, "--metric", "roc_auc", "--bootstrap", 50]
    told = json.loads(run("compare-models", scores, worse, *options, "--json").stdout)
    found = told["metrics"]["roc_auc"]
    assert told["models"] == [str(scores), str(worse)]
    assert found["first"]["estimate"] - found["second"]["estimate"] == pytest.approx(found["difference"]["estimate"])
    assert found["difference"]["lower"] > 0
    assert found["probability_first_better"] > 0.95
    assert found["order"]["changes"] == []
    said = run("compare-models", worse, scores, *options)
    assert said.exit_code == 0, said.output
    assert "second" in said.output
    assert "never" in said.output


def damaged(table, name, folder):
    """A file with one thing wrong with it, and what must be said of it."""
    path, first = folder / "bad.csv", table.index[0]
    wrong = {
        "no score": (table.drop(columns="score"), "has no column 'score'"),
        "near name": (table.rename(columns={"score": "scores"}), "did you mean 'scores'?"),
        "text": (table.astype({"score": object}).assign(score=["high", *table["score"][1:]]), "got 'high' in line 2"),
        "missing": (table.assign(score=np.nan), "is empty"),
        "infinite": (table.assign(score=table["score"].mask(table.index == first, np.inf)), "got inf in line 2"),
        "labels": (table.assign(s=2 * table["s"]), "1 for labeled and 0 for unlabeled, got 2 in line"),
        "label text": (table.assign(s=table["s"].map({0: "no", 1: "yes"})), "1 for labeled and 0 for unlabeled, got '"),
        "one class": (table[table["s"] == 1], "does not contain 0: there must be unlabeled examples"),
        "no rows": (table[:0], "has no rows"),
    }
    data, message = wrong[name]
    data.to_csv(path, index=False)
    return path, message


@pytest.mark.parametrize(
    "name",
    ["no score", "near name", "text", "missing", "infinite", "labels", "label text", "one class", "no rows"],
)
@pytest.mark.parametrize("command", ["evaluate", "compare-models"])
def test_a_bad_file_is_one_line_and_exit_status_2(command, name, table, tmp_path):
    path, message = damaged(table, name, tmp_path)
    refused(run(command, *[path] * (1 + (command == "compare-models")), "--alpha", 0.2), message)


def refused(said, message):
    assert said.exit_code == 2, said.output
    assert said.stdout == ""
    assert message in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "0.9", "--beta", "0.5"], "alpha must be smaller than beta"),
        (["--alpha", "much"], "--alpha must be a number such as 0.2 or a range"),
        (["--alpha", "0.1,0.2,0.3"], "--alpha must be a number such as 0.2 or a range"),
        (["--alpha", "1.5"], "alpha must lie in [0, 1], got 1.5"),
        (["--rho", "0.01"], "rho must exceed 0.2"),
        (["--rho", "0.5", "--alpha", "0.2"], "--alpha 0.2 and --rho 0.5 contradict"),
        (["--priors", "bbx"], "did you mean 'bbe'?"),
        (["--alpha", "0.2", "--confidence", "2"], "confidence must lie in (0, 1)"),
        (
            ["--alpha", "0.2", "--bootstrap", "-1"],
            "--bootstrap must be a whole number, at least 0, got -1",
        ),
    ],
)
def test_bad_options_are_one_line_and_exit_status_2(arguments, message, scores):
    refused(run("evaluate", scores, *arguments), message)


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "ragged.csv").write_text("score,s\n1,2,3\n0.5,1\n")
    (tmp_path / "false.parquet").write_text("score,s\n")
    (tmp_path / "scores.xlsx").write_text("")
    refused(run("evaluate", tmp_path / "nothing.csv"), "does not exist")
    for name in ("empty.csv", "ragged.csv", "false.parquet"):
        refused(run("evaluate", tmp_path / name), "cannot be read")
    refused(run("evaluate", tmp_path / "scores.xlsx"), "must be a .csv, .tsv, .txt, .parquet or .feather file")


def test_models_must_have_seen_the_same_examples(scores, table, tmp_path):
    other = tmp_path / "other.csv"
    table[1:].to_csv(other, index=False)
    refused(run("compare-models", scores, other), "has 750 rows and")
    table.assign(s=table["s"].to_numpy()[::-1]).to_csv(other, index=False)
    refused(run("compare-models", scores, other), "different labels in line")


@pytest.mark.parametrize("command", ["evaluate", "compare-models"])
def test_help_shows_an_example(command):
    said = run(command, "--help")
    assert said.exit_code == 0
    assert f"Example: pumetrics {command}" in said.output
