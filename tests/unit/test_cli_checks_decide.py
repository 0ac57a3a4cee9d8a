"""Checked rows decide on files with known truth in which investigators looked at high scores first."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import answered, run, text_of, words_of
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

pytestmark = pytest.mark.usefixtures("sketched")
MODELS = ("--score", "old", "--score", "new")


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A folder with fraud.csv; labels were given to frauds among the cases that the old model scored high."""
    monkeypatch.chdir(tmp_path)
    cases = fraud(1)
    cases.drop(columns="fraud").to_csv("fraud.csv", index=False)
    return cases


def fraud(seed, n=6000):
    """Scores of two models of which the new one is better, labels and truth."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.06
    old, new = (rng.normal(gain * y).round(4) for gain in (1.4, 1.9))
    seen = rng.random(n) < 1 / (1 + np.exp(-3 * (old - 2.2)))
    return pd.DataFrame(
        {"old": old, "new": new, "s": (y & seen).astype(int), "fraud": y.astype(int)}
    )


def checked(cases, name, *arguments):
    """Draw rows to check, and fill in what an expert finds."""
    answered(run("audit", "fraud.csv", *arguments, "-o", name))
    table = pd.read_csv(name, dtype=str)
    table["verdict"] = cases["fraud"][table["row"].astype(int)].to_numpy()
    table.to_csv(name, index=False)


def test_checked_rows_decide_which_model_is_better_and_say_that_the_labels_contradict_them(cases):
    checked(cases, "two.csv", *MODELS, "--at", 300, "--budget", 200)
    asked = ["compare-models", "fraud.csv", *MODELS, "--bootstrap", 20, "--metric", "roc_auc"]
    assert json.loads(answered(run(*asked, "--json")))["winner"] == "first", (
        "labels by the old model's scores mislead"
    )
    asked += ["--checks", "two.csv"]
    found = json.loads(answered(run(*asked, "--json")))
    assert (found["winner"], found["scar_winner"]) == ("second", "first")
    shown = words_of(answered(run(*asked, "--report", "page.html")))
    assert (
        shown.index("the second is better")
        < shown.index("The other numbers assume")
        < shown.index("AUC")
    )
    lead = text_of("page.html").partition('class="lead">')[2].partition("</p>")[0]
    assert "new is better" in lead
    assert "contradict" in lead
    assert "old is better than new" not in text_of("page.html")


def test_checked_rows_lead_and_what_assumes_random_labels_comes_second(cases):
    checked(cases, "checks.csv", "--score", "old", "--budget", 200, "--seed", 1)
    asked = ["evaluate", "fraud.csv", "--score", "old", "--bootstrap", 20]
    alone = json.loads(answered(run(*asked, "--json")))
    asked += ["--checks", "checks.csv"]
    found = json.loads(answered(run(*asked, "--json")))
    flagged = cases["old"] >= found["threshold"]
    truth = {
        "roc_auc": roc_auc_score(cases["fraud"], cases["old"]),
        "precision": precision_score(cases["fraud"], flagged),
        "recall": recall_score(cases["fraud"], flagged),
        "f1": f1_score(cases["fraud"], flagged),
    }
    scores = {score["metric"]: score for score in found["scores"]}
    for name, value in truth.items():
        low, high = scores[name]["interval"]
        assert low <= value <= high, name
    assert (
        not alone["scores"][0]["interval"][0]
        <= truth["roc_auc"]
        <= alone["scores"][0]["interval"][1]
    )
    assert {score["assumes"] for score in found["scores"]} == {"checked rows"}
    assert (
        found["alpha_interval"][0]
        <= cases["fraud"][cases["s"] == 0].mean()
        <= found["alpha_interval"][1]
    )
    assert found["scar"]["scores"][0] == alone["scores"][0]
    assert any(
        warning.startswith("the checked rows contradict labels at random")
        for warning in found["warnings"]
    )
    assert "without assumptions" in found["assumption"]
    shown = words_of(answered(run(*asked, "--report", "page.html")))
    places = [
        shown.index(text)
        for text in (
            "without assumptions",
            "checked rows estimate",
            "Results from the labels alone",
        )
    ]
    assert places == sorted(places)
    page = text_of("page.html")
    lead, paper = (
        page.partition(start)[2].partition("</p>")[0]
        for start in ('class="lead">', "in a paper</h2>")
    )
    for words in (lead, paper):
        assert "200" in words
        assert "SCAR" not in words
    scar = page.index("If the labeled positives were a random sample")
    assert page.index("What to report in a paper") < scar < page.index("<img")


def test_the_assumption_is_one_line_above_the_table_and_the_answer_is_short(cases):
    asked = ["evaluate", "fraud.csv", "--score", "old", "--bootstrap", 20]
    said = answered(run(*asked, "--report", "page.html"))
    shown = words_of(said)
    words = "the labeled positives are a random sample of all positives (SCAR). If rows were labeled because"
    assert shown.index(words) < shown.index("corrected")
    assert "check some rows" in shown
    assert shown.count("Warning:") <= 3
    assert len(said.splitlines()) <= 20
    command = said.partition("Next:")[2].partition(":\n")[2].splitlines()[0]
    assert command.startswith("pumetrics audit fraud.csv --score old --label s")
    page = text_of("page.html")
    assert (
        page.index('class="lead"')
        < page.index("a random sample of all positives (SCAR)")
        < page.index("<main>")
    )
    assert command in page
    found = json.loads(answered(run(*asked, "--json")))
    assert words in found["assumption"]
    assert found["next_step"].endswith(command)
    longer = answered(run(*asked, "--explain"))
    assert "The population consists of all rows" in words_of(longer)
    assert len(longer.splitlines()) > len(said.splitlines())
    two = answered(
        run("compare-models", "fraud.csv", *MODELS, "--bootstrap", 20, "--metric", "roc_auc")
    )
    assert words_of(two).index("a random sample of all positives (SCAR)") < two.index("flips at")
    assert "pumetrics audit fraud.csv --score old --score new" in words_of(two)


@pytest.fixture
def top(cases):
    """Verdicts on the first 150 unlabeled cases, without a plan."""
    unlabeled = cases[cases["s"] == 0]
    rows = unlabeled["old"].nlargest(150).index
    pd.DataFrame({"row": rows, "verdict": cases["fraud"][rows]}).to_csv("top.csv", index=False)
    return [
        "evaluate",
        "fraud.csv",
        "--score",
        "old",
        "--bootstrap",
        20,
        "--checks",
        "top.csv",
        "--checked",
        "top",
    ]


def test_what_a_checked_top_cannot_tell_is_left_out_with_one_note(cases, top):
    found = json.loads(answered(run(*top, "--threshold", 1.5, "--json")))
    (note,) = (each for each in found["warnings"] if "do not determine" in each)
    assert "AUC-PR" in note
    scores = {score["metric"]: score for score in found["scores"]}
    assert "average_precision" not in scores
    truth = precision_score(cases["fraud"], cases["old"] >= 1.5)
    assert scores["precision"]["interval"][0] <= truth <= scores["precision"]["interval"][1]
    assert "random'" not in answered(run(*top))
    words = "the checked rows do not determine"
    for metrics, said in (
        (
            ["f1"],
            [f"without a threshold {words} F1: give one; it is shown only under the assumption"],
        ),
        (
            ["f1", "mcc", "average_precision"],
            [f"{words} F1, MCC: give one; these are", f"{words} AUC-PR; it is shown"],
        ),
    ):
        found = json.loads(answered(run(*top, *(f"--metric={name}" for name in metrics), "--json")))
        assert [any(part in each for each in found["warnings"]) for part in said] == [True] * len(
            said
        )
    gate = run(*top, "--metric", "f1", "--fail-under", "f1=0.5")
    assert gate.exit_code == 3
    assert (
        "f1 is undecided: without a threshold the checked rows do not determine it; give --threshold"
        in gate.stderr
    )
    shown = answered(run(*top, "--threshold", 1.5, "--report", "page.html"))
    for text in (shown, text_of("page.html")):
        assert "nan" not in text.lower().replace("finance", "")


def test_a_gate_on_a_checked_top_goes_by_the_interval(cases, top):
    cut = cases["old"].nlargest(240).min()
    found = json.loads(answered(run(*top, "--threshold", cut, "--metric", "precision", "--json")))[
        "scores"
    ][0]
    low, high = found["interval"]
    gate = [
        *top,
        "--threshold",
        cut,
        "--metric",
        "precision",
        "--metric",
        "average_precision",
        "--fail-under",
    ]
    for limit, lower, status in (
        (low - 0.01, [], 0),
        (low - 0.01, ["--lower"], 0),
        (high + 0.01, [], 1),
        ((low + high) / 2, ["--lower"], 1),
    ):
        said = run(*gate, f"precision={limit}", *lower)
        assert said.exit_code == status, said.output
        assert "nan" not in said.stderr
    assert found["corrected"] is None, "no row between the top and the threshold was checked"
    assert run(*gate, f"precision={(low + high) / 2}").exit_code == 3
    unknown = run(*gate, "average_precision=0.1")
    assert unknown.exit_code == 3
    assert "the checked rows do not determine it" in unknown.stderr


def test_a_gate_by_checks_needs_no_resamples(cases):
    checked(cases, "checks.csv", "--score", "old", "--threshold", 2, "--budget", 80)
    asked = [
        "evaluate",
        "fraud.csv",
        "--score",
        "old",
        "--bootstrap",
        0,
        "--checks",
        "checks.csv",
        "--lower",
    ]
    assert run(*asked, "--fail-under", "precision=0.05").exit_code == 0
    assert run(*asked, "--fail-under", "precision=0.99").exit_code == 1


def test_looking_again_spends_the_error_and_a_claim_waits_for_all_rows(cases):
    pair = ["fraud.csv", *MODELS]
    checked(cases, "two.csv", *MODELS, "--at", 300, "--budget", 200)
    whole = pd.read_csv("two.csv", dtype=str)
    whole.assign(verdict=whole["verdict"].where(whole.index < 150)).to_csv("two.csv", index=False)
    asked = [
        "compare-models",
        *pair,
        "--bootstrap",
        10,
        "--metric",
        "roc_auc",
        "--checks",
        "two.csv",
    ]
    found = json.loads(answered(run(*asked, "--json")))
    assert (found["winner"], found["checked"]["n_open"], found["checked"]["look"]) == (None, 50, 1)
    assert (
        "open which of the first and the second is better until the whole plan is checked (left: 50)"
        in words_of(answered(run(*asked)))
    )
    whole.to_csv("two.csv", index=False)
    answered(run("audit", *pair, "--at", 300, "--budget", 200, "-o", "two.csv"))
    found = json.loads(answered(run(*asked, "--json")))
    assert (found["winner"], found["checked"]["look"]) == ("second", 1), (
        "to write the same plan again is no look"
    )
    checked(cases, "two.csv", *MODELS, "--at", 300, "--budget", 220)
    again = json.loads(answered(run(*asked, "--json")))["checked"]
    assert again["look"] == 2
    assert again["confidence"] == 0.95


def test_a_gate_waits_for_all_rows_of_the_plan(cases):
    checked(cases, "checks.csv", "--score", "old", "--threshold", 2, "--budget", 80)
    whole = pd.read_csv("checks.csv", dtype=str)
    whole.assign(verdict=whole["verdict"].where(whole.index < 60)).to_csv("checks.csv", index=False)
    asked = ["evaluate", "fraud.csv", "--score", "old", "--bootstrap", 0, "--checks", "checks.csv"]
    for limit in (0.001, 0.99):
        said = run(*asked, "--fail-under", f"precision={limit}")
        assert said.exit_code == 3
        assert "until the whole plan is checked (rows without a verdict: 20)" in said.stderr


def test_a_gate_waits_for_rows_that_were_left_blank_on_the_way(cases):
    checked(cases, "checks.csv", "--score", "old", "--threshold", 2, "--budget", 80)
    whole = pd.read_csv("checks.csv", dtype=str)
    asked = ["evaluate", "fraud.csv", "--score", "old", "--bootstrap", 0, "--checks", "checks.csv"]
    asked += ["--fail-under", "precision=0.001", "--lower"]
    whole.assign(verdict=whole["verdict"].where(whole.index != 7, "?")).to_csv(
        "checks.csv", index=False
    )
    assert run(*asked).exit_code == 0, "? is an answer"
    whole.assign(verdict=whole["verdict"].where(whole.index != 7)).to_csv("checks.csv", index=False)
    said = run(*asked)
    assert said.exit_code == 3
    assert "(rows without a verdict: 1)" in said.stderr


def test_a_file_in_another_order_is_the_same_file_to_a_plan_that_knows_its_cases_by_name(cases):
    named = cases.assign(case=[f"C{i:05}" for i in range(len(cases))])
    named.drop(columns="fraud").to_csv("fraud.csv", index=False)
    asked = ["--score", "old", "--id", "case"]
    for arguments, name in (
        ([*asked, "--threshold", 2], "checks.csv"),
        ([*asked, "--score", "new"], "two.csv"),
    ):
        answered(run("audit", "fraud.csv", *arguments, "--budget", 60, "-o", name))
        table = pd.read_csv(name, dtype=str)
        verdicts = table["case"].map(named.set_index("case")["fraud"])
        table.assign(verdict=verdicts).to_csv(name, index=False)
    commands = [
        ["evaluate", "fraud.csv", *asked, "--checks", "checks.csv", "--bootstrap", 0, "--json"],
        [
            "compare-models",
            "fraud.csv",
            *asked,
            "--score",
            "new",
            "--checks",
            "two.csv",
            "--bootstrap",
            10,
            "--json",
        ],
    ]
    before = [json.loads(answered(run(*command)))["checked"] for command in commands]
    named.drop(columns="fraud").sample(frac=1, random_state=0).to_csv("fraud.csv", index=False)
    assert [json.loads(answered(run(*command)))["checked"] for command in commands] == before


def test_labeled_rows_to_check_are_called_labeled_and_the_command_knows_that_they_can_be_wrong(
    cases,
):
    asked = ["audit", "fraud.csv", "--score", "old", "--threshold", 2, "--noisy", "--budget", 60]
    said = answered(run(*asked, "-o", "checks.csv"))
    labeled = int(cases["s"][pd.read_csv("checks.csv")["row"]].sum())
    assert labeled > 0
    assert f"60 of 6,000: {labeled} labeled and {60 - labeled} unlabeled rows" in words_of(said)
    assert "--noisy" in said.splitlines()[-1]
