"""Checked rows decide on files with known truth in which investigators looked at high scores first."""

import numpy as np
import pandas as pd
import pytest
from commands import answered, as_json, fill_in, run, text_of, words_of
from sklearn.metrics import f1_score, precision_score, recall_score, roc_auc_score

from pumetrics.assessment import compare_scores
from pumetrics.assessment._words import difference_in_words
from pumetrics.checks import plan_comparison

pytestmark = pytest.mark.usefixtures("sketched")
MODELS = ("--score", "old", "--score", "new")
OLD = ["fraud.csv", "--score", "old", "--bootstrap", 20]
TWO = ["fraud.csv", *MODELS, "--bootstrap", 10, "--metric", "roc_auc"]


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """A folder with fraud.csv: two models, the new one better, and labels of frauds that the old one scored high."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    y = rng.random(6000) < 0.06
    old, new = (rng.normal(gain * y).round(4) for gain in (1.4, 1.9))
    seen = rng.random(6000) < 1 / (1 + np.exp(-3 * (old - 2.2)))
    cases = pd.DataFrame({"old": old, "new": new, "s": (y & seen).astype(int), "fraud": y * 1})
    cases.drop(columns="fraud").to_csv("fraud.csv", index=False)
    return cases


def checked(cases, *arguments, n=None):
    """Select rows to check, and fill in what an expert finds in the first n."""
    answered(run("audit", "fraud.csv", *arguments, "-o", "checks.csv"))
    return fill_in("checks.csv", cases["fraud"].astype(str).set_axis(cases.index.astype(str)), n=n)


def places(text, *parts):
    """The places of parts of a text, which contains them all."""
    return [text.index(part) for part in parts]


@pytest.mark.slow
def test_checked_rows_decide_which_model_is_better_and_say_that_the_labels_contradict_them(cases):
    checked(cases, *MODELS, "--at", 100, "--budget", 60)
    assert as_json("compare-models", *TWO)["winner"] == "first"  # misled by the labels
    asked = ["compare-models", *TWO[:-2], "--checks", "checks.csv"]
    found = as_json(*asked)
    assert (found["winner"], found["scar_winner"]) == ("second", "first")
    assert found["checked_metric"] == "precision_at_100"
    by_labels = found["metrics"]["precision_at_100"]["difference"]
    assert found["checked"]["upper"] < by_labels["lower"]
    shown = words_of(answered(run(*asked, "--report", "page.html")))
    order = places(shown, "the second is better", "The other numbers assume", "flips at")
    assert order == sorted(order)
    lead = text_of("page.html").partition('class="lead">')[2].partition("</p>")[0]
    assert "new is better" in lead
    assert "contradict" in lead


def test_labels_that_favor_a_model_by_another_metric_contradict_nothing():
    rng = np.random.default_rng(3)
    y = rng.random(4000) < 0.12
    first = 6 * (y & (rng.random(4000) < 0.6)) + rng.normal(size=4000)  # better at the top
    second = 1.8 * y + rng.normal(size=4000)  # better by AUC
    s = y & (rng.random(4000) < 0.4)
    plan = plan_comparison(s, first, second, k=200, budget=100, random_state=0)
    checks = plan.filled(y[plan.rows])
    found = compare_scores(s, first, second, checks=checks, alpha=y[~s].mean(), n_bootstrap=50)
    assert (found.winner, found.scar_winner, found.headline) == ("first", "second", "roc_auc")
    told = difference_in_words(found)
    assert "contradict" not in told
    assert "By AUC, the labels alone (SCAR) favor the second." in told


def test_a_plan_on_other_lists_than_those_asked_for_is_refused(cases):
    checked(cases, *MODELS, "--at", 100, "--budget", 60, "--population", "unlabeled")
    refused = run("compare-models", *TWO, "--checks", "checks.csv")
    assert refused.exit_code == 2
    assert "--population must be 'unlabeled', got 'all'" in refused.output
    unlabeled = ["--population", "unlabeled", "--checks", "checks.csv"]
    shown = words_of(answered(run("compare-models", *TWO, *unlabeled)))
    assert "without assumptions about the labels" in shown


@pytest.mark.slow
def test_checked_rows_lead_and_what_assumes_random_labels_comes_second(cases):
    checked(cases, "--score", "old", "--budget", 200, "--seed", 1)
    alone = as_json("evaluate", *OLD)
    asked = ["evaluate", *OLD, "--checks", "checks.csv"]
    found = as_json(*asked)
    y, score = cases["fraud"], cases["old"]
    flagged = score >= found["threshold"]
    truth = {
        "roc_auc": roc_auc_score(y, score),
        "precision": precision_score(y, flagged),
        "recall": recall_score(y, flagged),
        "f1": f1_score(y, flagged),
    }
    intervals = {score["metric"]: score["interval"] for score in found["scores"]}
    for name, value in truth.items():
        assert intervals[name][0] <= value <= intervals[name][1], name
    low, high = found["alpha_interval"]
    assert low <= y[cases["s"] == 0].mean() <= high
    assert truth["roc_auc"] < alone["scores"][0]["interval"][0]  # misled by the labels
    assert found["scar"]["scores"][0] == alone["scores"][0]
    assert {score["assumes"] for score in found["scores"]} == {"checked rows"}
    shown = words_of(answered(run(*asked, "--report", "page.html")))
    order = places(
        shown, "labels only that they are correct", "checked rows estimate", "the labels alone"
    )
    assert order == sorted(order)
    lead, rest = text_of("page.html").partition('class="lead">')[2].split("</p>", 1)
    assert "200" in lead
    assert "SCAR" not in lead
    assert "a random sample" in rest


@pytest.mark.slow
def test_the_assumption_is_one_line_above_the_table_and_the_answer_is_short(cases):
    asked = ["evaluate", *OLD]
    shown = answered(run(*asked, "--report", "page.html"))
    order = places(words_of(shown), "a random sample of all positives (SCAR)", "corrected")
    assert order == sorted(order)
    assert shown.count("Warning:") <= 3
    assert len(shown.splitlines()) <= 20
    command = as_json(*asked)["next_step"].partition(": ")[2]
    assert command.startswith("pumetrics audit fraud.csv --score old --label s")
    assert command in shown
    assert command in text_of("page.html")
    longer = answered(run(*asked, "--explain"))
    assert len(longer.splitlines()) > len(shown.splitlines())
    two = answered(run("compare-models", *TWO))
    order = places(words_of(two), "a random sample of all positives (SCAR)", "flips at")
    assert order == sorted(order)


@pytest.fixture
def top(cases):
    """Verdicts on the first 150 unlabeled cases, without a plan."""
    rows = cases["old"][cases["s"] == 0].nlargest(150).index
    pd.DataFrame({"row": rows, "verdict": cases["fraud"][rows]}).to_csv("top.csv", index=False)
    return ["evaluate", *OLD, "--checks", "top.csv", "--checked", "top"]


def test_what_a_checked_top_cannot_tell_is_left_out_with_one_note(cases, top):
    found = as_json(*top, "--threshold", 1.5)
    (note,) = (each for each in found["warnings"] if "do not determine" in each)
    assert "AUC-PR" in note
    intervals = {score["metric"]: score["interval"] for score in found["scores"]}
    assert "average_precision" not in intervals
    low, high = intervals["precision"]
    assert low <= precision_score(cases["fraud"], cases["old"] >= 1.5) <= high
    gate = run(*top, "--metric", "f1", "--fail-under", "f1=0.5")
    assert gate.exit_code == 3
    assert "give --threshold" in gate.stderr
    shown = answered(run(*top, "--threshold", 1.5, "--report", "page.html"))
    for text in (shown, text_of("page.html")):
        assert "nan" not in text.lower().replace("finance", "")


def test_a_gate_on_a_checked_top_goes_by_the_interval(cases, top):
    cut = cases["old"].nlargest(240).min()
    asked = [*top, "--threshold", cut, "--metric", "precision"]
    (found,) = as_json(*asked)["scores"]
    assert found["corrected"] is None  # some rows above the threshold were not checked
    low, high = found["interval"]
    middle = (low + high) / 2
    for limit, lower, status in (
        (low - 0.01, [], 0),
        (low - 0.01, ["--lower"], 0),
        (high + 0.01, [], 1),
        (middle, ["--lower"], 1),
        (middle, [], 3),
    ):
        result = run(*asked, "--fail-under", f"precision={limit}", *lower)
        assert result.exit_code == status, result.output
        assert "nan" not in result.stderr
    asked += ["--metric", "average_precision", "--fail-under", "average_precision=0.1"]
    assert run(*asked).exit_code == 3


GATE = ["evaluate", "fraud.csv", "--score", "old", "--bootstrap", 0, "--checks", "checks.csv"]
PLAN = ["--score", "old", "--threshold", 2, "--budget", 80]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("blank", "mark", "status"),
    [(slice(60, None), "", 3), (slice(7, 8), "", 3), (slice(7, 8), "?", 0)],
    ids=["the last", "one on the way", "one unsure"],
)
def test_a_gate_waits_for_all_rows_of_the_plan(cases, blank, mark, status):
    table = checked(cases, *PLAN)
    table.loc[table.index[blank], "verdict"] = mark
    table.to_csv("checks.csv", index=False)
    result = run(*GATE, "--fail-under", "precision=0.001", "--lower")
    assert result.exit_code == status
    n_open = len(table.index[blank])
    assert (f"rows without a verdict: {n_open}" in result.stderr) == (status == 3)


@pytest.mark.slow
def test_looking_again_spends_the_error_and_a_claim_waits_for_all_rows(cases):
    asked = ["compare-models", *TWO, "--checks", "checks.csv"]
    plan = [*MODELS, "--at", 300]
    checked(cases, *plan, "--budget", 200, n=150)
    found = as_json(*asked)
    assert (found["winner"], found["checked"]["n_open"], found["checked"]["look"]) == (None, 50, 1)
    checked(cases, *plan, "--budget", 200)  # to write the same plan again is no look
    found = as_json(*asked)
    assert (found["winner"], found["checked"]["look"]) == ("second", 1)
    checked(cases, *plan, "--budget", 220)
    again = as_json(*asked)["checked"]
    assert (again["look"], again["confidence"]) == (2, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["evaluate", "compare-models"])
def test_a_file_in_another_order_is_the_same_to_a_plan_that_knows_its_cases_by_name(cases, command):
    named = cases.assign(case=[f"C{i:05}" for i in range(len(cases))])
    named.drop(columns="fraud").to_csv("fraud.csv", index=False)
    models = ["fraud.csv", "--id", "case", *(MODELS if command == "compare-models" else MODELS[:2])]
    answered(run("audit", *models, "--budget", 60, "-o", "checks.csv"))
    fill_in("checks.csv", named.set_index("case")["fraud"].astype(str))
    asked = [command, *models, "--checks", "checks.csv", "--bootstrap", 10]
    before = as_json(*asked)["checked"]
    named.drop(columns="fraud").sample(frac=1, random_state=0).to_csv("fraud.csv", index=False)
    assert as_json(*asked)["checked"] == before


def test_labeled_rows_to_check_are_counted_and_the_next_command_knows_that_they_can_be_wrong(cases):
    asked = ["audit", "fraud.csv", "--score", "old", "--threshold", 2, "--noisy", "--budget", 60]
    shown = answered(run(*asked, "-o", "checks.csv"))
    labeled = int(cases["s"][pd.read_csv("checks.csv")["row"]].sum())
    assert labeled > 0
    assert f"{labeled} labeled and {60 - labeled} unlabeled rows" in words_of(shown)
    assert "--noisy" in shown.splitlines()[-1]
