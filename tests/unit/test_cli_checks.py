"""Checked rows on the command line: which to check, what they say, and how files that do not fit are refused."""

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import answered, as_json, refused, run

from pumetrics.checks import CheckPlan, checked_interval

QUICK = ["--bootstrap", 0, "--metric", "f1"]


@pytest.fixture
def truth(tmp_path, monkeypatch):
    """Two models' scores in the folder, and the classes by id."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.1).astype(int)
    table = pd.DataFrame({"id": [f"C{i:04}" for i in range(2000)], "score": rng.normal(2 * y).round(4)})
    table["s"] = y * (rng.random(2000) < 0.3)
    table["other"] = table["score"] + rng.normal(size=2000)
    table.to_csv("scores.csv", index=False)
    return dict(zip(table["id"], y, strict=True))


def audit(*arguments):
    return answered(run("audit", "scores.csv", "--id", "id", "--threshold", 1, "-o", "checks.csv", *arguments))


def text_of(name):
    return Path(name).read_text(encoding="utf-8")


def fill(verdicts):
    """Verdicts of the first rows that have none."""
    table = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)
    table["verdict"] = [old or str(new) for old, new in zip(table["verdict"], map(verdicts, table["id"]), strict=True)]
    table.to_csv("checks.csv", index=False)
    return table


def test_rows_to_check_are_blind_and_a_larger_budget_continues_them(truth):
    shown = audit("--budget", 60)
    for number in ("50", "100", "200", "400", "pumetrics evaluate scores.csv --score score --label s --id id --checks"):
        assert number in shown
    table = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)
    assert table.columns.to_list() == ["id", "verdict"]
    assert not any(table["verdict"])
    data = pd.read_csv("scores.csv")
    plan = CheckPlan.from_dict(json.loads(text_of("checks.json")), data["s"], data["score"])
    assert table["id"].to_list() == data["id"][plan.rows].to_list()
    first = fill(truth.get).assign(note="seen").set_index("id")
    first.to_csv("checks.csv")
    audit("--budget", 90)
    longer = pd.read_csv("checks.csv", dtype=str, keep_default_na=False).set_index("id")
    pd.testing.assert_frame_equal(longer[:60], first)
    assert len(longer) == 90
    assert not any(longer["verdict"][60:])


@pytest.mark.parametrize("names", [["--id", "id"], []], ids=["by id", "by number"])
def test_evaluate_shows_the_answer_of_the_library(truth, names):
    answered(run("audit", "scores.csv", *names, "--threshold", 1, "--budget", 40, "-o", "checks.csv"))
    table, data = pd.read_csv("checks.csv", dtype=str), pd.read_csv("scores.csv")
    keys = table["id"] if names else data["id"].to_numpy()[table["row"].astype(int)]
    table.assign(verdict=[truth[key] for key in keys]).to_csv("checks.csv", index=False)
    plan = CheckPlan.from_dict(json.loads(text_of("checks.json")), data["s"], data["score"])
    checks = plan.filled([truth[name] for name in data["id"][plan.rows]])
    wanted = checked_interval("f1", data["s"], data["score"], checks)
    arguments = ["scores.csv", *names, "--checks", "checks.csv", *QUICK]
    found = as_json("evaluate", *arguments)
    answers = found["checked"]["f1"]
    assert [each["label_odds"] for each in answers] == [None, 2, 1]
    assert (answers[0]["estimate"], answers[0]["lower"], answers[0]["upper"]) == wanted[1:4]
    shown = answered(run("evaluate", *arguments, "--report", "page.html"))
    page = text_of("page.html")
    for text in (shown, page):
        assert f"{wanted.estimate:.3f}" in text
        places = [text.index("no assumption"), text.index("odds at most 2")]
        assert places == sorted(places)
        assert "SCAR" in text[places[1] :]
    command = found["next_step"].partition(": ")[2]
    assert command in page
    assert "By what assumption on the labels" in page
    assert "If the labeled positives were a random sample" in page
    (answer,) = as_json("evaluate", *arguments, "--guaranteed")["checked"]["f1"]
    assert answer["upper"] - answer["lower"] > wanted.upper - wanted.lower
    answered(run(*shlex.split(command)[1:]))
    assert len(pd.read_csv("checks.csv")) > 40, "the draw is continued"


def test_two_models_differ_by_rows_that_one_of_them_lists(truth):
    pair = ["scores.csv", "--score", "score", "--score", "other", "--id", "id"]
    answered(run("audit", *pair, "--at", 200, "--budget", 60, "-o", "checks.csv"))
    fill(truth.get)
    arguments = [*pair, "--checks", "checks.csv", "--bootstrap", 10, "--metric", "roc_auc"]
    found = as_json("compare-models", *arguments)
    data = pd.read_csv("scores.csv")
    y = data["id"].map(truth)
    first, second = (y[data[name].nlargest(200).index].mean() for name in ("score", "other"))
    assert found["checked"]["lower"] <= first - second <= found["checked"]["upper"]
    assert "By 60 checked rows, without assumptions" in answered(run("compare-models", *arguments)).replace("\n", " ")
    answered(run("audit", *pair, "-o", "default.csv"))
    answered(run("compare-models", *arguments, "--report", "page.html"))
    assert "By 60 checked rows, without assumptions" in text_of("page.html")


def test_two_models_that_cannot_be_told_apart_end_with_a_command_that_runs(truth):
    asked = ["scores.csv", "--score", "score", "--score", "other", "--id", "id", "--bootstrap", 10, "--metric", "f1"]
    found = as_json("compare-models", *asked)
    command = found["next_step"].partition(": ")[2]
    assert command.startswith("pumetrics audit scores.csv --score score --score other --label s --id id --at")
    answered(run(*shlex.split(command)[1:]))
    fill(truth.get)
    answer = as_json("compare-models", *asked, "--checks", "checks.csv")["checked"]
    assert answer["upper"] - answer["lower"] < 0.25


def spoil(kind):
    table = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)
    if kind == "foreign row":
        table.loc[3, "id"] = "X1"
    if kind == "row of another draw":
        table.loc[3, "id"] = next(f"C{i:04}" for i in range(2000) if f"C{i:04}" not in set(table["id"]))
    if kind == "row twice":
        table.loc[3, "id"] = table.loc[4, "id"]
    if kind == "maybe":
        table.loc[3, "verdict"] = "maybe"
    table.to_csv("checks.csv", index=False)
    if kind == "changed scores":
        data = pd.read_csv("scores.csv")
        data.assign(score=data["score"] + 0.1 * (data.index == 5)).to_csv("scores.csv", index=False)
    if kind == "edited plan":
        content = json.loads(text_of("checks.json"))
        Path("checks.json").write_text(json.dumps({**content, "rows": content["rows"][::-1]}))


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("foreign row", ["checks.csv holds id 'X1', which is not in scores.csv (1 such rows)"]),
        ("row of another draw", ["which is not in the plan (1 such rows)"]),
        ("row twice", ["a second time (1 such rows)"]),
        ("maybe", ["got 'maybe' for row id C", "?"]),
        ("changed scores", ["checks.json and scores.csv: scores have changed since the plan"]),
        ("edited plan", ["the plan was edited since it was written"]),
    ],
)
def test_what_does_not_fit_is_one_line_and_nothing_is_lost(truth, kind, parts):
    audit("--budget", 60)
    fill(truth.get)
    spoil(kind)
    before = [text_of(name) for name in ("checks.csv", "checks.json")]
    refused(run("evaluate", "scores.csv", "--id", "id", "--checks", "checks.csv", *QUICK), *parts)
    refused(run("audit", "scores.csv", "--id", "id", "--budget", 90, "-o", "checks.csv"), *parts)
    assert [text_of(name) for name in ("checks.csv", "checks.json")] == before


PAIR = ["compare-models", "--score", "score", "--score", "other"]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["evaluate", "--checks", "none.csv"], ["file none.csv does not exist: pumetrics audit writes it"]),
        (["evaluate", "--checks", "scores.csv"], ["plan scores.json of scores.csv does not exist", "--checked top"]),
        (["evaluate", "--checks", "scores.csv", "--checked", "top"], ["has no column 'row'"]),
        (["evaluate", "--checks", "checks.csv", "--checked", "top"], ["the plan says how"]),
        (["evaluate", "--checks", "checks.csv", "--weight", "score"], ["--checks checks.csv and --weight"]),
        (["evaluate", "--checked", "top"], ["--checked needs --checks"]),
        (["evaluate", "--label-odds", "2"], ["--label-odds needs --checks"]),
        (["evaluate", "--checks", "checks.csv", "--id", "id", "--label-odds", "0"], ["--label-odds must be"]),
        (["evaluate", "--score", "score", "--score", "other", "--checks", "checks.csv"], ["--checks takes one model"]),
        ([*PAIR, "--checks", "checks.csv", "--id", "id"], ["of 1 models"]),
        ([*PAIR, "--checks", "scores.csv", "--checked", "top"], ["audit"]),
        (["audit", "--for", "precision"], ["precision needs a threshold"]),
        (["audit", "--at", "50"], ["--at 50 needs --for precision or --for recall"]),
        (["audit", "--id", "id", "--for", "alpha", "-o", "checks.csv"], ["contains a plan with --for f1, not alpha"]),
        (["audit", "--id", "id", "--budget", "20", "-o", "checks.csv"], ["budget must be", "at least 60"]),
        (["audit", "--threshold", "1", "--budget", "3"], ["budget must be at least"]),
        (["audit", "-o", "scores.csv"], ["would overwrite the input"]),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_are_one_line(truth, arguments, parts):
    audit("--budget", 60)
    fill(truth.get)
    refused(run(arguments[0], "scores.csv", *arguments[1:]), *parts)


def test_labeled_negatives_are_an_error_that_names_the_ways(truth):
    data = pd.read_csv("scores.csv")
    data["s"] = np.where(data.index % 40 == 3, -1, data["s"])
    data["word"] = data["s"].map({1: "fraud", 0: "", -1: "honest"})
    data.to_csv("scores.csv", index=False)
    pair = ["--score", "score", "--score", "other"]
    ways = ["a labeled negative (50 such rows)", "--checks FILE --checked top or random", "--ignore-negatives"]
    named = ["--label", "word", "--positive", "fraud", "--negative", "honest"]
    for options in ([], named):
        refused(run("evaluate", "scores.csv", *QUICK, *options), *ways)
        refused(run("compare-models", "scores.csv", *pair, *QUICK[2:], *options), *ways)
        refused(run("audit", "scores.csv", *options), *ways)
        left = answered(run("evaluate", "scores.csv", *QUICK, *options, "--ignore-negatives"))
        assert "50 labeled negatives (-1) are ignored" in left
    refused(run("evaluate", "scores.csv", *QUICK, *named[:-2]), "--unlabeled 'honest'", "--negative 'honest'")
    answered(run("audit", "scores.csv", "--ignore-negatives", "-o", "checks.csv", "--threshold", 1))
    table = pd.read_csv("checks.csv")
    assert not (data["s"][table["row"]] != 0).any()
    table.assign(verdict=0).to_csv("checks.csv", index=False)
    arguments = ["--checks", "checks.csv", "--ignore-negatives", "--json", *QUICK]
    found = json.loads(answered(run("evaluate", "scores.csv", *arguments)))
    assert any("50 labeled negatives (-1) are ignored" in warning for warning in found["warnings"])


def test_what_is_not_identified_ends_with_a_command_that_runs(truth):
    rng = np.random.default_rng(1)
    y = (rng.random(2000) < 0.3).astype(int)
    table = pd.DataFrame({"id": [*truth], "score": rng.normal(y), "s": y * (rng.random(2000) < 0.1)})
    table.to_csv("scores.csv", index=False)
    asked = ["scores.csv", "--id", "id", "--bootstrap", 12, "--metric", "precision", "--threshold", 1]
    said = run("evaluate", *asked, "--fail-under", "precision=0.6", "--report", "page.html", "--json")
    assert said.exit_code == 3, said.output
    found, page = json.loads(said.stdout), text_of("page.html")
    assert found["scores"][0]["corrected"] is None
    command = found["next_step"].partition(": ")[2]
    assert command.startswith(
        "pumetrics audit scores.csv --score score --label s --id id --for precision --threshold 1"
    )
    assert command in said.stderr
    assert command in page
    assert "What to do next" in page
    answered(run(*shlex.split(command)[1:]))
    fill(dict(zip(truth, y, strict=True)).get)
    answers = as_json("evaluate", *asked, "--checks", "checks.csv")["checked"]["precision"]
    assert answers[0]["upper"] - answers[0]["lower"] == pytest.approx(0.2, abs=0.07)
    costs = ["--cost-fp", 1, "--cost-fn", 5, "--metric", "f1"]
    refused(run("evaluate", "scores.csv", *costs), "the threshold depends on it", "audit scores.csv", "--for alpha")
