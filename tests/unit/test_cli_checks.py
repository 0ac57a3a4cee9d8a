"""Checked rows on the command line: which to check, what they say, and how files that do not fit are refused."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import answered, as_json, fill_in, refused, run, text_of, words_of
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, precision_score

from pumetrics.assessment import assess
from pumetrics.checks import CheckPlan, checked_interval

pytestmark = pytest.mark.usefixtures("sketched")
QUICK = ["--bootstrap", 0, "--metric", "f1"]
BY_ID = ["scores.csv", "--id", "id"]
CHECKED = ["evaluate", *BY_ID, "--checks", "checks.csv", *QUICK]
PAIR = [*BY_ID, "--score", "score", "--score", "other"]


@pytest.fixture
def truth(tmp_path, monkeypatch):
    """Two models' scores in the folder, and the classes by id."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.1).astype(int)
    names = [f"C{i:04}" for i in range(2000)]
    table = pd.DataFrame({"id": names, "score": rng.normal(2 * y).round(4)})
    table["s"] = y * (rng.random(2000) < 0.3)
    table["other"] = table["score"] + rng.normal(size=2000)
    table["w"] = 2
    table.to_csv("scores.csv", index=False)
    return pd.Series(y, index=names)


def audit(*arguments):
    return answered(run("audit", *BY_ID, "--threshold", 1, "-o", "checks.csv", *arguments))


def changed(**columns):
    """The scores, with other columns."""
    table = pd.read_csv("scores.csv").assign(**columns)
    table.to_csv("scores.csv", index=False)
    return table


def test_rows_to_check_are_blind_and_a_larger_budget_continues_them(truth):
    shown = audit("--budget", 60)
    for part in ("50", "100", "200", "400", "pumetrics evaluate scores.csv --score score"):
        assert part in shown
    table = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)
    assert table.columns.to_list() == ["id", "verdict"]
    assert not any(table["verdict"])
    data = pd.read_csv("scores.csv")
    plan = CheckPlan.from_dict(json.loads(text_of("checks.json")), data["s"], data["score"])
    assert table["id"].to_list() == data["id"][plan.rows].to_list()
    first = fill_in("checks.csv", truth).assign(note="seen").set_index("id")
    first.to_csv("checks.csv")
    audit("--budget", 90)
    longer = pd.read_csv("checks.csv", dtype=str, keep_default_na=False).set_index("id")
    pd.testing.assert_frame_equal(longer[:60], first)
    assert len(longer) == 90
    assert not any(longer["verdict"][60:])


def test_rows_that_are_skipped_are_counted_and_few_rows_are_all_selected(truth):
    table = pd.read_csv("scores.csv").head(60)
    table.loc[table.index[::2], "score"] = np.nan
    table.to_csv("scores.csv", index=False)
    left = int((table["score"].notna() & (table["s"] == 0)).sum())
    shown = words_of(audit("--for", "precision", "--unscored", "skip"))
    assert "Scored rows only: without the 30 of 60 rows" in shown
    assert f"{left} of {left} unlabeled rows" in shown
    assert len(pd.read_csv("checks.csv")) == left


def test_ids_that_are_whole_numbers_match_where_a_skipped_row_has_none(truth):
    table = changed(id=np.arange(2000.0))
    table.loc[0, ["id", "score"]] = np.nan
    table.to_parquet("numbers.parquet")
    huge = table.assign(id=1e20 * (1 + table["id"]))  # no whole numbers of 64 bits
    huge.to_parquet("huge.parquet")
    skipped = ["--id", "id", "--unscored", "skip"]
    answered(run("audit", "huge.parquet", *skipped, "--threshold", 1))
    rows = table.index[table["s"] == 0][1:101]
    pd.DataFrame({"id": rows, "verdict": truth.iloc[rows]}).to_csv("random.csv", index=False)
    asked = ["numbers.parquet", *skipped, "--checks", "random.csv", "--checked", "random"]
    found = as_json("evaluate", *asked, *QUICK, "--threshold", 1)
    assert found["checked"]["alpha"]["n_checked"] == 100


@pytest.mark.slow
@pytest.mark.parametrize("names", [["--id", "id"], []], ids=["by id", "by number"])
def test_evaluate_shows_the_answer_of_the_library(truth, names):
    answered(
        run("audit", "scores.csv", *names, "--threshold", 1, "--budget", 40, "-o", "checks.csv")
    )
    y = truth.to_numpy()
    fill_in("checks.csv", truth if names else pd.Series(y, index=map(str, range(2000))))
    data = pd.read_csv("scores.csv")
    plan = CheckPlan.from_dict(json.loads(text_of("checks.json")), data["s"], data["score"])
    wanted = checked_interval("f1", data["s"], data["score"], plan.filled(y[plan.rows]))
    asked = ["evaluate", "scores.csv", *names, "--checks", "checks.csv", *QUICK]
    found = as_json(*asked)
    answer = found["checked"]["f1"]
    assert (answer["estimate"], answer["lower"], answer["upper"]) == wanted[1:4]
    assert found["next_step"] is None
    shown = answered(run(*asked, "--report", "page.html"))
    for text in (shown, text_of("page.html")):
        assert f"{wanted.estimate:.3f}" in text
    answer = as_json(*asked, "--uncertainty", "guaranteed")["checked"]["f1"]
    assert answer["upper"] - answer["lower"] > wanted.upper - wanted.lower


def test_two_models_differ_by_rows_that_one_of_them_lists(truth):
    answered(run("audit", *PAIR, "--at", 200, "--budget", 60, "-o", "checks.csv"))
    fill_in("checks.csv", truth)
    asked = [*PAIR, "--checks", "checks.csv", "--bootstrap", 10, "--metric", "roc_auc"]
    found = as_json("compare-models", *asked, "--report", "page.html")["checked"]
    data = pd.read_csv("scores.csv")
    first, second = (
        truth.iloc[data[name].nlargest(200).index].mean() for name in ("score", "other")
    )
    assert found["lower"] <= first - second <= found["upper"]
    for text in (words_of(answered(run("compare-models", *asked))), text_of("page.html")):
        assert "By 60 checked rows, assuming of the labels only that they are correct" in text


@pytest.mark.parametrize(
    ("command", "models"), [("evaluate", BY_ID), ("compare-models", PAIR)], ids=["one", "two"]
)
@pytest.mark.parametrize("population", ["all", "unlabeled"])
def test_the_next_command_runs_and_is_about_the_same_population(truth, command, models, population):
    asked = [command, *models, "--population", population, "--bootstrap", 10, "--metric", "f1"]
    step = as_json(*asked)["next_step"].partition(": ")[2]
    assert ("--population unlabeled" in step) == (population == "unlabeled")
    shown = answered(run(*shlex.split(step)[1:]))
    fill_in("checks.csv", truth)
    again = shlex.split(shown.splitlines()[-1])[1:]
    assert "checked" in as_json(*again, "--bootstrap", 10, "--metric", "f1")


def test_blanks_around_names_of_rows_do_not_count(truth):
    changed(id=[f" {name}  " for name in truth.index])
    audit("--budget", 40)
    fill_in("checks.csv", truth)
    answered(run(*CHECKED))
    changed(id=["C0001 ", *truth.index[1:]])
    refused(run("evaluate", *BY_ID, *QUICK), "holds 'C0001' in line 2 and in line 3")


def spoil(kind):
    table = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)
    others = [f"C{i:04}" for i in range(100) if f"C{i:04}" not in set(table["id"])]
    cells = {
        "foreign row": ("id", "X1"),
        "row of another draw": ("id", others[0]),
        "maybe": ("verdict", "maybe"),
        "no verdict": ("verdict", "NA"),
    }
    if kind in cells:
        column, value = cells[kind]
        table.loc[3, column] = value
        table.to_csv("checks.csv", index=False)
    if kind == "changed scores":
        scores = pd.read_csv("scores.csv")["score"]
        changed(score=scores + 0.1 * (scores.index == 5))
    if kind == "edited plan":
        content = json.loads(text_of("checks.json"))
        Path("checks.json").write_text(json.dumps({**content, "rows": content["rows"][::-1]}))


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("foreign row", "checks.csv holds id 'X1', which is not in scores.csv (1 such rows)"),
        ("row of another draw", "which is not in the plan (1 such rows)"),
        ("maybe", "got 'maybe' for row id C"),
        ("no verdict", "got 'NA' for row id C"),
        ("changed scores", "checks.json and scores.csv: scores have changed since the plan"),
        ("edited plan", "the plan was edited since it was written"),
    ],
)
def test_what_does_not_fit_is_one_line_and_nothing_is_lost(truth, kind, part):
    audit("--budget", 60)
    fill_in("checks.csv", truth)
    spoil(kind)
    before = [text_of(name) for name in ("checks.csv", "checks.json")]
    refused(run(*CHECKED), part)
    refused(run("audit", *BY_ID, "--budget", 90, "-o", "checks.csv"), part)
    assert [text_of(name) for name in ("checks.csv", "checks.json")] == before


TWO = "--score score --score other"
BAD_OPTIONS = {
    "evaluate --checks . --checked random": ". is a folder",
    "evaluate --checks none.csv": "file none.csv does not exist",
    "evaluate --checks scores.csv": "plan scores.json of scores.csv does not exist",
    "evaluate --checks scores.csv --checked top": "none is -1, negative (column 's')",
    "evaluate --checks checks.csv --checked top": "the plan says how",
    "evaluate --id id --checks checks.csv --weight w": "--checks and --weight contradict",
    "evaluate --checked top": "--checked needs --checks",
    f"evaluate {TWO} --checks checks.csv": "--checks takes one model",
    f"compare-models {TWO} --checks checks.csv --id id": "the plan is about one model",
    f"compare-models {TWO} --checks scores.csv --checked top": f"pumetrics audit scores.csv {TWO}",
    "audit --for precision": "--threshold is required for precision",
    "audit -o plain": "name it plain.csv",
    "audit --id id -o checks.csv --population unlabeled": "--population all, not unlabeled",
    "audit --id id -o checks.csv --seed 3": "--seed another number, not 3",
    "audit --id id -o checks.csv --noisy": "without --noisy",
    "audit --id id -o checks.csv --guaranteed": "without --guaranteed",
    "audit --id id -o checks.csv --for alpha": "with --for f1, not alpha",
    "audit --id id -o checks.csv --budget 20": "--budget must be",
    f"audit {TWO} --for recall": "--for is for one model",
    f"audit {TWO} --threshold 1": "--threshold is for one model",
    f"audit {TWO} --label none": "no column 'none'",
    "audit --at 50": "--at 50 needs --for precision or --for recall",
    "audit --threshold 1 --budget 3": "--budget must be at least",
    "audit --positive fraud --label outcome": "no column 'outcome'",
}


@pytest.mark.slow
@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_options_that_do_not_fit_are_one_line(truth, options):
    audit("--budget", 60)
    fill_in("checks.csv", truth)
    command, *rest = options.split()
    refused(run(command, "scores.csv", *rest), BAD_OPTIONS[options])


def test_two_models_need_labels_and_scores_by_which_no_threshold_is_best_need_one(truth):
    changed(s=0)
    refused(run("audit", *PAIR, "--at", 50), "no row is labeled")
    refused(run("audit", *BY_ID), "give --threshold")
    changed(score=np.arange(2000.0), s=np.arange(2000) // 1900)
    refused(run("audit", *BY_ID, "--population", "unlabeled"), "no threshold is best for F1")


VERIFIED = {
    "random": lambda y, score: np.random.default_rng(1).random(len(y)) < 0.3,
    "top": lambda y, score: score >= 1.2,
}


def test_labels_of_1_and_minus_1_alone_are_no_sample(truth):
    """The convention of packages in which -1 means unlabeled; a sample of every row would name all hidden positives."""
    data = changed(s=2 * pd.read_csv("scores.csv")["s"] - 1)
    result = run("evaluate", "scores.csv", "--threshold", 1.5)
    refused(
        result, "and no 0", "if -1 means unlabeled: pumetrics evaluate", "a column named verdict"
    )
    command = re.search(r"unlabeled: (pumetrics .*?)\. If", result.stderr)[1]
    found = as_json(*shlex.split(command)[1:], "--alpha", 0.1, "--bootstrap", 0)
    assert (found["n_labeled"], found["n_unlabeled"]) == tuple(
        (data["s"] == k).sum() for k in (1, -1)
    )
    checks = ["--checks", "scores.csv", "--checked", "random"]
    refused(run("evaluate", "scores.csv", "--threshold", 1.5, *checks), "give --positive 1")
    for call in (
        lambda: assess(data["s"], data["score"]),
        lambda: assess(None, data["score"], checks=data["s"], plan="random", threshold=1.5),
    ):
        with pytest.raises(ValueError, match=r"if -1 means unlabeled, .*give s == 1"):
            call()

    data.assign(row=range(len(data)), verdict=truth.to_numpy()).drop(columns="s").to_csv(
        "scores.csv"
    )
    found = as_json("evaluate", "scores.csv", "--threshold", 1.5, *checks)["checked"]["precision"]
    assert found["lower"] < precision_score(truth, data["score"] >= 1.5) < found["upper"]


@pytest.mark.parametrize("kind", VERIFIED)
def test_verified_negatives_are_refused_with_the_command_that_gives_the_right_number(truth, kind):
    """Copied from the message, with nothing to fill in."""
    y = truth.to_numpy()
    score = pd.read_csv("scores.csv")["score"]
    data = changed(s=np.where(VERIFIED[kind](y, score), np.where(y == 1, 1, -1), 0))
    result = run("evaluate", "scores.csv", "--threshold", 1.5)
    refused(result, f"a verified negative ({(data['s'] == -1).sum()} such rows)")
    random, top = re.findall(r"pumetrics evaluate .*?--checked \w+", result.stderr)
    command = shlex.split(top if kind == "top" else random)[1:]
    found = as_json(*command, "--bootstrap", 0)["checked"]["precision"]
    right = precision_score(y, score >= 1.5)
    assert found["lower"] - 1e-9 <= right <= found["upper"] + 1e-9
    assert found["upper"] - found["lower"] < (1e-9 if kind == "top" else 0.25)
    refused(run("audit", "scores.csv"), "--checked random", "--checked top")
    refused(run("compare-models", *PAIR), "evaluate each by itself", "--checked random")


def test_rows_that_cannot_have_been_chosen_so_are_named_as_in_the_file(truth):
    """Whatever its order: rows are sorted by name before they are evaluated."""
    data = pd.read_csv("scores.csv").sample(frac=1, random_state=0)
    data.to_csv("scores.csv", index=False)
    asked = ["evaluate", *BY_ID, "--checks", "wrong.csv", "--checked"]
    labeled = data["id"][data["s"] == 1].iloc[0]
    some = [labeled, *data["id"][data["s"] == 0][:30]]
    pd.DataFrame({"id": some, "verdict": 0}).to_csv("wrong.csv", index=False)
    refused(run(*asked, "random"), f"got id {labeled}, which is labeled (1 such rows)")
    top = data[data["s"] == 0].nlargest(11, "score")["id"].to_list()
    pd.DataFrame({"id": top[:5] + top[6:], "verdict": 1}).to_csv("wrong.csv", index=False)
    refused(run(*asked, "top"), f"but id {top[5]} was not and scores higher than id {top[10]}")


@pytest.mark.slow
def test_verdicts_alone_are_enough(truth):
    """A file without labels, and a random sample of verdicts: every measure has an interval around its true value."""
    y = truth.to_numpy()
    score = pd.read_csv("scores.csv")["score"]
    score.to_frame().to_csv("bare.csv", index=False)
    rows = np.random.default_rng(2).choice(len(y), 400, replace=False)
    pd.DataFrame({"row": rows, "verdict": y[rows]}).to_csv("verdicts.csv", index=False)
    asked = ["evaluate", "bare.csv", "--checks", "verdicts.csv", "--checked", "random"]
    found = as_json(*asked, "--threshold", 1.5)
    assert (found["scar"], found["n_labeled"]) == (None, 0)
    flagged = score >= 1.5
    for name, measure in (
        ("accuracy", accuracy_score),
        ("precision", precision_score),
        ("mcc", matthews_corrcoef),
    ):
        answer = found["checked"][name]
        assert answer["lower"] <= measure(y, flagged) <= answer["upper"]
    (note,) = as_json(*asked)["warnings"]
    assert note.endswith("do not determine accuracy, bal. acc., F1, MCC: give one")
    assert "accuracy" in answered(run(*asked, "--threshold", 1.5, "--report", "page.html"))
    assert "accuracy" in text_of("page.html")
    plan = ["audit", "bare.csv", "--threshold", 1.5, "--budget", 60, "-o", "checks.csv"]
    command = answered(run(*plan)).splitlines()[-1]
    fill_in("checks.csv", pd.Series(y, index=map(str, range(len(y)))))
    answer = as_json(*shlex.split(command)[1:])["checked"]["f1"]
    assert answer["lower"] <= f1_score(y, flagged) <= answer["upper"]


@pytest.mark.parametrize("n", [400, 120])
def test_the_positives_of_a_random_sample_are_missed_unless_so_few_may_hold_none(truth, n):
    y = truth.to_numpy()
    rows = np.random.default_rng(2).choice(len(y), 400, replace=False)[:n]
    changed(s=np.where(np.isin(np.arange(len(y)), rows), y, 0))
    pd.DataFrame({"row": rows[y[rows] == 0], "verdict": 0}).to_csv("negatives.csv", index=False)
    asked = ["evaluate", "scores.csv", "--checks", "negatives.csv", "--checked", "random", *QUICK]
    if n == 400:
        refused(run(*asked), "no positive", "give verdicts of 1 for them too")
    else:
        assert "of the random sample is positive" in " ".join(as_json(*asked)["warnings"])


@pytest.mark.slow
def test_what_is_not_identified_ends_with_a_command_that_runs(truth):
    rng = np.random.default_rng(1)
    y = (rng.random(2000) < 0.3).astype(int)
    score = changed(score=rng.normal(y), s=y * (rng.random(2000) < 0.1))["score"]
    asked = ["evaluate", *BY_ID, "--bootstrap", 12, "--metric", "precision", "--threshold", 1]
    gate = ["--fail-under", "precision=0.6", "--report", "page.html", "--json"]
    result = run(*asked, *gate)
    assert result.exit_code == 3, result.output
    found = json.loads(result.stdout)
    assert found["scores"][0]["corrected"] is None
    command = found["next_step"].partition(": ")[2]
    assert command in result.stderr
    assert command in text_of("page.html")
    answered(run(*shlex.split(command)[1:]))
    fill_in("checks.csv", pd.Series(y, index=truth.index))
    answer = as_json(*asked, "--checks", "checks.csv")["checked"]["precision"]
    assert answer["lower"] <= precision_score(y, score >= 1) <= answer["upper"]


@pytest.mark.parametrize("kind", ["a column", "parquet", "parquet with numbers for names"])
def test_verdicts_may_be_a_column_of_the_scores_or_a_table_with_an_index(truth, kind):
    data = changed(verdict=pd.array(truth, dtype="Int64"))
    if kind == "parquet with numbers for names":
        data["id"] = 1000 + data.index
    some = data[data["s"] == 0].sample(300, random_state=0)
    data.assign(verdict=some["verdict"]).to_csv("scores.csv", index=False)
    some.to_parquet("some.parquet")
    file = "scores.csv" if kind == "a column" else "some.parquet"
    asked = [*BY_ID, "--checks", file, "--checked", "random", *QUICK, "--threshold", 1]
    alpha = as_json("evaluate", *asked)["checked"]["alpha"]
    counts = (alpha["n_checked"], alpha["n_positive"], alpha["n_unsure"])
    assert counts == (300, some["verdict"].sum(), 0)


WORDS = ["NA", "None", "null", "nan", "n/a", "<NA>"]
FORMULAS = [
    '=HYPERLINK("http://x","a")',
    "@SUM(A1)",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "'=1",
    "=",
    "-",
]
PLAIN = ["-5", "+4.5", "'a", "a=1", "-.5"]


@pytest.mark.parametrize("words", [WORDS, [*FORMULAS, *PLAIN]], ids=["no value", "formulas"])
def test_names_of_rows_may_be_words_for_nothing_and_formulas_are_text_to_a_spreadsheet(
    truth, words
):
    table = changed().head(60)
    names = [*words, *table["id"][len(words) :]]
    table.assign(id=names, s=table["s"].where(table.index >= len(words), 0)).to_csv(
        "scores.csv", index=False
    )
    for budget in (20, None):
        audit("--for", "precision", *(["--budget", budget] if budget else []))
        written = fill_in("checks.csv", lambda name: 1)["id"]
        assert not written.str.match(r"[=@]|[+-](?!\d*\.?\d+$)").any()
    for name in words:
        assert {name, f"'{name}"} & {*written}
    assert as_json(*CHECKED)["checked"]["f1"]["n_checked"] == len(set(written))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "positive"), [(("PASS", "FAIL"), "PASS"), (("correct", "incorrect"), "incorrect")]
)
def test_verdicts_in_words_are_those_of_1_and_0(words, positive, truth):
    """In a file of their own, in a column of the scores, and in the column of labels with blanks."""
    y = truth.to_numpy() == 1
    good, bad = (positive, next(word for word in words if word != positive))
    rows = np.random.default_rng(0).choice(
        np.flatnonzero(pd.read_csv("scores.csv")["s"] == 0), 300, replace=False
    )
    said = np.full(2000, "", dtype=object)
    said[rows] = np.where(y[rows], good, bad)
    ids = pd.read_csv("scores.csv")["id"]
    pd.DataFrame({"id": ids[rows], "verdict": y[rows].astype(int)}).to_csv(
        "numbers.csv", index=False
    )
    pd.DataFrame({"id": ids[rows], "verdict": said[rows]}).to_csv("words.csv", index=False)
    asked = ["--id", "id", "--threshold", 1, "--checked", "random", *QUICK]
    wanted = as_json("evaluate", "scores.csv", *asked, "--checks", "numbers.csv")["checked"]
    named = [*asked, "--checks", "words.csv"]
    assert as_json("evaluate", "scores.csv", *named, "--positive", positive)["checked"] == wanted
    zero = ["--checks", "numbers.csv", "--positive", 0, "--unlabeled", 1]
    refused(run("evaluate", "scores.csv", *asked, *zero), "--positive 0", "1 means positive")
    refused(run("evaluate", "scores.csv", *named), f"{good!r} (", f"{bad!r} (", "--positive ")
    refused(
        run("evaluate", "scores.csv", *named, "--positive", positive.upper() + "!"), "case matters"
    )

    changed(verdict=said)
    own = [*asked, "--checks", "scores.csv", "--positive", positive]
    assert as_json("evaluate", "scores.csv", *own)["checked"] == wanted
    own[own.index("scores.csv")] = Path("scores.csv").absolute()
    assert as_json("evaluate", "scores.csv", *own)["checked"] == wanted

    changed(human=said)
    pd.read_csv("scores.csv").drop(columns=["s", "verdict"]).to_csv("human.csv", index=False)
    result = run(
        "evaluate",
        "human.csv",
        "--id",
        "id",
        "--threshold",
        1,
        "--label",
        "human",
        "--positive",
        positive,
    )
    refused(
        result,
        f"if it means unlabeled, give --unlabeled '{bad}'",
        "--checks human.csv --checked random",
    )
    command = re.search(r"too: (pumetrics .*?random)", result.stderr)[1]
    found = as_json(*shlex.split(command)[1:], "--bootstrap", 0)["checked"]
    assert found["precision"]["n_positive"] == wanted["alpha"]["n_positive"]
    assert (
        found["precision"]["lower"]
        < precision_score(y, pd.read_csv("scores.csv")["score"] >= 1)
        < found["precision"]["upper"]
    )


@pytest.mark.slow
def test_json_lines_and_two_verdicts_of_a_row_reach_every_form(truth):
    table = pd.read_csv("scores.csv")
    table.to_json("scores.jsonl", orient="records", lines=True)
    rows = np.random.default_rng(0).choice(np.flatnonzero(table["s"] == 0), 300, replace=False)
    said = pd.DataFrame({"id": table["id"][rows], "verdict": truth.to_numpy()[rows].astype(int)})
    twice = pd.concat([said, said.head(40).assign(verdict=lambda t: 1 - t["verdict"])])
    twice.to_json("said.jsonl", orient="records", lines=True)
    twice.to_csv("said.csv", index=False)
    asked = ["--id", "id", "--threshold", 1, "--checked", "random", *QUICK]
    found = as_json("evaluate", "scores.jsonl", *asked, "--checks", "said.jsonl")["checked"]
    assert found == as_json("evaluate", "scores.csv", *asked, "--checks", "said.csv")["checked"]
    assert (
        found["alpha"]["n_twice"]
        == found["alpha"]["n_differing"]
        == found["alpha"]["n_unsure"]
        == 40
    )
    piped = run("evaluate", "-", *QUICK, given=text_of("scores.jsonl"))
    assert answered(piped) == answered(run("evaluate", "scores.jsonl", *QUICK)).replace(
        "scores.jsonl", "-"
    )
