"""Checked rows on the command line: which to check, what they say, and how files that do not fit are refused."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import answered, as_json, refused, run, text_of, words_of
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, precision_score

from pumetrics.checks import CheckPlan, checked_interval

pytestmark = pytest.mark.usefixtures("sketched")
QUICK = ["--bootstrap", 0, "--metric", "f1"]


@pytest.fixture
def truth(tmp_path, monkeypatch):
    """Two models' scores in the folder, and the classes by id."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.1).astype(int)
    table = pd.DataFrame(
        {"id": [f"C{i:04}" for i in range(2000)], "score": rng.normal(2 * y).round(4)}
    )
    table["s"] = y * (rng.random(2000) < 0.3)
    table["other"], table["w"], table["nothing"] = table["score"] + rng.normal(size=2000), 2, 0
    table.to_csv("scores.csv", index=False)
    return dict(zip(table["id"], y, strict=True))


def audit(*arguments):
    return answered(
        run("audit", "scores.csv", "--id", "id", "--threshold", 1, "-o", "checks.csv", *arguments)
    )


def fill(verdicts):
    """Verdicts of the first rows that have none."""
    table = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)
    table["verdict"] = [
        old or str(new)
        for old, new in zip(table["verdict"], map(verdicts, table["id"]), strict=True)
    ]
    table.to_csv("checks.csv", index=False)
    return table


def test_rows_to_check_are_blind_and_a_larger_budget_continues_them(truth):
    shown = audit("--budget", 60)
    for number in (
        "50",
        "100",
        "200",
        "400",
        "pumetrics evaluate scores.csv --score score --label s --id id --checks",
    ):
        assert number in shown
    assert "Rows to check for AUC-PR" in answered(
        run("audit", "scores.csv", "--for", "average_precision")
    )
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


def test_a_plan_for_scores_in_single_precision_is_continued_by_the_same_command(truth):
    pd.read_csv("scores.csv").astype({"score": np.float32}).to_parquet("scores.parquet")
    for budget in (50, 80):
        answered(
            run(
                "audit",
                "scores.parquet",
                "--threshold",
                0.7,
                "--budget",
                budget,
                "-o",
                "checks.csv",
            )
        )
    assert len(pd.read_csv("checks.csv")) == 80


def test_rows_that_are_skipped_are_counted_and_few_rows_are_all_selected(truth):
    table = pd.read_csv("scores.csv").head(60).rename(columns={"id": "case"})
    table.loc[table.index[::2], "score"] = np.nan
    table.to_csv("some.csv", index=False)
    left = int((table["score"].notna() & (table["s"] == 0)).sum())
    asked = ["some.csv", "--threshold", 1, "--for", "precision", "-o", "some_checks.csv"]
    shown = words_of(answered(run("audit", *asked)))
    assert "without a value in column 'score' are skipped: 30 of 60" in shown
    assert f"{left} of {left} unlabeled rows" in shown
    assert len(pd.read_csv("some_checks.csv")) == left


def test_a_value_that_means_labeled_is_looked_for_in_a_column_that_exists(truth):
    pd.read_csv("scores.csv").rename(columns={"s": "outcome"}).replace(
        {"outcome": {1: "fraud", 0: ""}}
    ).to_csv("words.csv", index=False)
    for command in ("audit", "evaluate"):
        more = ["--checks", "words.csv", "--checked", "random"] if command == "evaluate" else []
        refused(run(command, "words.csv", "--positive", "fraud", *more), "no column 's'", "--label")


def test_ids_that_are_whole_numbers_match_where_a_skipped_row_has_none(truth):
    table = pd.read_csv("scores.csv").assign(id=np.arange(2000.0), y=[*truth.values()])
    table.loc[0, ["id", "score"]] = np.nan
    table.to_parquet("numbers.parquet")
    table.assign(id=1e20 * (1 + table["id"])).to_parquet(
        "huge.parquet"
    )  # no whole numbers of 64 bits
    answered(run("audit", "huge.parquet", "--id", "id", "--threshold", 1))
    drawn = table[table["s"] == 0][1:101]
    drawn.astype({"id": int}).rename(columns={"y": "verdict"})[["id", "verdict"]].to_csv(
        "random.csv", index=False
    )
    asked = [
        "numbers.parquet",
        "--id",
        "id",
        "--checks",
        "random.csv",
        "--checked",
        "random",
        *QUICK,
    ]
    assert as_json("evaluate", *asked, "--threshold", 1)["checked"]["alpha"]["n_checked"] == 100


def test_scores_by_which_no_threshold_is_best_need_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"score": np.arange(460.0), "s": np.repeat([0, 1], [400, 60])}).to_csv(
        "apart.csv", index=False
    )
    refused(
        run("audit", "apart.csv", "--population", "unlabeled"),
        "no threshold is best for F1",
        "give --threshold",
    )


@pytest.mark.parametrize("names", [["--id", "id"], []], ids=["by id", "by number"])
def test_evaluate_shows_the_answer_of_the_library(truth, names):
    answered(
        run("audit", "scores.csv", *names, "--threshold", 1, "--budget", 40, "-o", "checks.csv")
    )
    table, data = pd.read_csv("checks.csv", dtype=str), pd.read_csv("scores.csv")
    keys = table["id"] if names else data["id"].to_numpy()[table["row"].astype(int)]
    table.assign(verdict=[truth[key] for key in keys]).to_csv("checks.csv", index=False)
    plan = CheckPlan.from_dict(json.loads(text_of("checks.json")), data["s"], data["score"])
    checks = plan.filled([truth[name] for name in data["id"][plan.rows]])
    wanted = checked_interval("f1", data["s"], data["score"], checks, plan=plan)
    arguments = ["scores.csv", *names, "--checks", "checks.csv", *QUICK]
    found = as_json("evaluate", *arguments)
    answer = found["checked"]["f1"]
    assert (answer["estimate"], answer["lower"], answer["upper"]) == wanted[1:4]
    shown = answered(run("evaluate", *arguments, "--report", "page.html"))
    page = text_of("page.html")
    for text in (shown, page):
        assert f"{wanted.estimate:.3f}" in text
    assert "SCAR" in shown[shown.index("without assumptions") :]
    assert found["next_step"] is None
    assert "If the labeled positives were a random sample" in page
    answer = as_json("evaluate", *arguments, "--uncertainty", "guaranteed")["checked"]["f1"]
    assert answer["upper"] - answer["lower"] > wanted.upper - wanted.lower


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
    assert "By 60 checked rows, without assumptions" in answered(
        run("compare-models", *arguments)
    ).replace("\n", " ")
    answered(run("audit", *pair, "-o", "default.csv"))
    answered(run("compare-models", *arguments, "--report", "page.html"))
    assert "By 60 checked rows, without assumptions" in text_of("page.html")


def test_two_models_that_cannot_be_told_apart_end_with_a_command_that_runs(truth):
    asked = [
        "scores.csv",
        "--score",
        "score",
        "--score",
        "other",
        "--id",
        "id",
        "--bootstrap",
        10,
        "--metric",
        "f1",
    ]
    found = as_json("compare-models", *asked)
    command = found["next_step"].partition(": ")[2]
    assert command.startswith(
        "pumetrics audit scores.csv --score score --score other --label s --id id -o"
    )
    answered(run(*shlex.split(command)[1:]))
    fill(truth.get)
    answer = as_json("compare-models", *asked, "--checks", "checks.csv")["checked"]
    assert answer["upper"] - answer["lower"] < 0.25


def test_the_next_command_is_about_the_same_population(truth):
    asked = ["scores.csv", "--id", "id", "--population", "unlabeled"]
    for command, more in (
        ("evaluate", ["--metric", "f1"]),
        ("compare-models", ["--score", "score", "--score", "other"]),
    ):
        found = as_json(command, *asked, *more, "--bootstrap", 10)
        assert "--population unlabeled -o checks.csv" in found["next_step"]
    for budget, more in ((60, ["--population", "unlabeled"]), (90, [])):
        assert "--population unlabeled --checks checks.csv" in audit("--budget", budget, *more), (
            "the plan's"
        )


def test_blanks_around_names_of_rows_do_not_count(truth):
    table = pd.read_csv("scores.csv")
    table.assign(id=[f" {name}  " for name in table["id"]]).to_csv("scores.csv", index=False)
    audit("--budget", 40)
    fill(truth.get)
    answered(run("evaluate", "scores.csv", "--id", "id", "--checks", "checks.csv", *QUICK))
    table.assign(id=["C0001 ", *table["id"][1:]]).to_csv("scores.csv", index=False)
    refused(
        run("evaluate", "scores.csv", "--id", "id", *QUICK), "holds 'C0001' in line 2 and in line 3"
    )


def spoil(kind):
    table = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)
    if kind == "foreign row":
        table.loc[3, "id"] = "X1"
    if kind == "row of another draw":
        table.loc[3, "id"] = next(
            f"C{i:04}" for i in range(2000) if f"C{i:04}" not in set(table["id"])
        )
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
        (["evaluate", "--checks", ".", "--checked", "random"], [". is a folder: give a file"]),
        (
            ["evaluate", "--checks", "none.csv"],
            ["file none.csv does not exist: pumetrics audit writes it"],
        ),
        (
            ["evaluate", "--checks", "scores.csv"],
            ["plan scores.json of scores.csv does not exist", "--checked top"],
        ),
        (
            ["evaluate", "--checks", "scores.csv", "--checked", "top"],
            ["none is -1, negative (column 's')", "verdict"],
        ),
        (
            ["evaluate", "--checks", "scores.csv", "--checked", "random"],
            ["none is -1, negative (column 's')"],
        ),
        (["evaluate", "--checks", "checks.csv", "--checked", "top"], ["the plan says how"]),
        (
            ["evaluate", "--id", "id", "--checks", "checks.csv", "--weight", "w"],
            ["--checks and --weight contradict"],
        ),
        (["evaluate", "--checked", "top"], ["--checked needs --checks"]),
        (
            ["evaluate", "--score", "score", "--score", "other", "--checks", "checks.csv"],
            ["--checks takes one model"],
        ),
        (
            [*PAIR, "--checks", "checks.csv", "--id", "id"],
            ["the plan is about one model: give its scores alone"],
        ),
        (
            [
                *PAIR,
                "--checks",
                "scores.csv",
                "--checked",
                "top",
                "--id",
                "id",
                "--population",
                "unlabeled",
            ],
            ["--score score --score other --label s --id id --population unlabeled -o checks.csv"],
        ),
        (
            ["audit", "--for", "precision"],
            ["--threshold is required for precision: give the score from which"],
        ),
        (
            ["audit", "-o", "plain"],
            ["--output plain cannot be written: it is a .csv file; name it plain.csv"],
        ),
        *(
            (["audit", "--id", "id", "-o", "checks.csv", *more], ["contains a plan", part, "-o"])
            for more, part in (
                (["--population", "unlabeled"], "with --population all, not unlabeled"),
                (["--seed", "3"], "with --seed another number, not 3"),
                (["--noisy"], "without --noisy"),
                (["--guaranteed"], "without --guaranteed"),
            )
        ),
        *(
            (
                ["audit", "--score", "score", "--score", "other", *more],
                [f"{more[0]} is for one model", "--at"],
            )
            for more in (["--for", "recall"], ["--threshold", "1"], ["--noisy"], ["--guaranteed"])
        ),
        (["audit", "--at", "50"], ["--at 50 needs --for precision or --for recall"]),
        (
            ["audit", "--id", "id", "--for", "alpha", "-o", "checks.csv"],
            ["contains a plan with --for f1, not alpha"],
        ),
        (
            ["audit", "--id", "id", "--budget", "20", "-o", "checks.csv"],
            ["budget must be", "at least 60"],
        ),
        (["audit", "--threshold", "1", "--budget", "3"], ["budget must be at least"]),
        (["audit", "-o", "scores.csv"], ["would overwrite the input"]),
        (["audit", "--threshold", "inf"], ["--threshold must be a finite number, got inf"]),
        (
            ["audit", "--label", "nothing", "--score", "score", "--score", "other", "--at", "50"],
            ["no row is labeled, and compare-models needs labels"],
        ),
    ],
)
def test_options_that_do_not_fit_are_one_line(truth, arguments, parts):
    audit("--budget", 60)
    fill(truth.get)
    refused(run(arguments[0], "scores.csv", *arguments[1:]), *parts)


VERIFIED = {
    "random": lambda y, score: np.ones(len(y), dtype=bool),
    "random, a part": lambda y, score: np.random.default_rng(1).random(len(y)) < 0.3,
    "top": lambda y, score: score >= 1.2,
}


@pytest.mark.parametrize("kind", VERIFIED)
def test_verified_negatives_are_refused_with_the_command_that_gives_the_right_number(truth, kind):
    """Copied from the message, with nothing to fill in."""
    data, y = pd.read_csv("scores.csv"), np.array([*truth.values()])
    verified = VERIFIED[kind](y, data["score"])
    data["s"] = np.where(verified, np.where(y == 1, 1, -1), 0)
    data.to_csv("scores.csv", index=False)
    said = run("evaluate", "scores.csv", "--threshold", 1.5)
    refused(
        said,
        f"a verified negative ({(data['s'] == -1).sum()} such rows)",
        "a random part",
        "first k by score",
    )
    command = next(
        each
        for each in re.findall(r"pumetrics evaluate .*?--checked \w+", said.stderr)
        if kind[:3] in each[-6:]
    )
    found = json.loads(answered(run(*shlex.split(command)[1:], "--json", "--bootstrap", 0)))
    lower, upper = found["checked"]["precision"]["lower"], found["checked"]["precision"]["upper"]
    right = precision_score(y, data["score"] >= 1.5)
    assert lower <= right + 1e-9
    assert right <= upper + 1e-9
    assert upper - lower < (0.2 if kind == "random, a part" else 1e-9)
    refused(run("audit", "scores.csv"), "--checked random", "--checked top")
    refused(
        run("compare-models", "scores.csv", "--score", "score", "--score", "other"),
        "evaluate each by itself",
        "--checked random",
    )


def test_rows_that_cannot_have_been_chosen_so_are_named_as_in_the_file(truth):
    """Whatever its order: rows are sorted by name before they are evaluated."""
    data = pd.read_csv("scores.csv").sample(frac=1, random_state=0)
    data.to_csv("scores.csv", index=False)
    labeled = data["id"][data["s"] == 1].iloc[0]
    pd.DataFrame({"id": [labeled, *data["id"][data["s"] == 0][:30]], "verdict": 0}).to_csv(
        "wrong.csv", index=False
    )
    asked = ["evaluate", "scores.csv", "--id", "id", "--checks", "wrong.csv", "--checked"]
    refused(
        run(*asked, "random"),
        f"unlabeled rows only, got id {labeled}, which is labeled (1 such rows): remove them",
    )
    top = data[data["s"] == 0].nlargest(11, "score")["id"].to_list()
    pd.DataFrame({"id": top[:5] + top[6:], "verdict": 1}).to_csv("wrong.csv", index=False)
    refused(
        run(*asked, "top"),
        f"but id {top[5]} was not and scores higher than id {top[10]} (1 such rows)",
    )


def test_verdicts_alone_are_enough(truth):
    """A file without labels, and a random sample of verdicts: every measure has an interval around its true value."""
    data, y = pd.read_csv("scores.csv"), np.array([*truth.values()])
    data[["score"]].to_csv("bare.csv", index=False)
    rows = np.random.default_rng(2).choice(len(y), 400, replace=False)
    pd.DataFrame({"row": rows, "verdict": y[rows]}).to_csv("verdicts.csv", index=False)
    asked = [
        "evaluate",
        "bare.csv",
        "--checks",
        "verdicts.csv",
        "--checked",
        "random",
        "--threshold",
        1.5,
    ]
    pd.DataFrame({"row": rows, "verdict": ["maybe", *y[rows[1:]]]}).to_csv("odd.csv", index=False)
    refused(run(*asked[:3], "odd.csv", *asked[4:]), f"got 'maybe' for row {rows[0]}")
    found, flagged = json.loads(answered(run(*asked, "--json"))), data["score"] >= 1.5
    assert found["scar"] is None
    (note,) = as_json(*asked[:-2])["warnings"]
    assert note.endswith("do not determine accuracy, bal. acc., F1, MCC: give one"), (
        "no number assumes random labels"
    )
    assert found["n_labeled"] == 0
    for name, measure in (
        ("accuracy", accuracy_score),
        ("precision", precision_score),
        ("mcc", matthews_corrcoef),
    ):
        assert (
            found["checked"][name]["lower"]
            <= measure(y, flagged)
            <= found["checked"][name]["upper"]
        )
    assert "accuracy" in answered(run(*asked, "--report", "page.html"))
    page = text_of("page.html")
    assert "accuracy" in page
    assert "None: nothing in these scores" not in page, "no row is labeled, and nothing is assumed"
    command = answered(
        run("audit", "bare.csv", "--threshold", 1.5, "--budget", 60, "-o", "checks.csv")
    ).splitlines()[-1]
    table = pd.read_csv("checks.csv", dtype=str)
    table.assign(verdict=y[table["row"].astype(int)]).to_csv("checks.csv", index=False)
    answer = json.loads(answered(run(*shlex.split(command)[1:], "--json")))["checked"]["f1"]
    assert answer["lower"] <= f1_score(y, flagged) <= answer["upper"]
    labels = np.zeros(len(y), dtype=int)
    labels[rows[y[rows] == 1]] = 1
    data.assign(s=labels).to_csv("scores.csv", index=False)
    pd.DataFrame({"row": rows[y[rows] == 0], "verdict": 0}).to_csv("negatives.csv", index=False)
    refused(
        run("evaluate", "scores.csv", "--checks", "negatives.csv", "--checked", "random"),
        "no positive",
        "if these are the positives of the sample, give verdicts of 1 for them too",
    )
    few = rows[:120]
    data.assign(s=np.where(np.isin(np.arange(len(y)), few), y, 0)).to_csv("scores.csv", index=False)
    pd.DataFrame({"row": few[y[few] == 0], "verdict": 0}).to_csv("negatives.csv", index=False)
    said = run("evaluate", "scores.csv", "--checks", "negatives.csv", "--checked", "random", *QUICK)
    assert "of the random sample is positive: if the" in answered(said) + said.stderr, (
        "so few may hold none by chance"
    )


def test_what_is_not_identified_ends_with_a_command_that_runs(truth):
    rng = np.random.default_rng(1)
    y = (rng.random(2000) < 0.3).astype(int)
    table = pd.DataFrame(
        {"id": [*truth], "score": rng.normal(y), "s": y * (rng.random(2000) < 0.1)}
    )
    table.to_csv("scores.csv", index=False)
    asked = [
        "scores.csv",
        "--id",
        "id",
        "--bootstrap",
        12,
        "--metric",
        "precision",
        "--threshold",
        1,
    ]
    said = run(
        "evaluate", *asked, "--fail-under", "precision=0.6", "--report", "page.html", "--json"
    )
    assert said.exit_code == 3, said.output
    found, page = json.loads(said.stdout), text_of("page.html")
    assert found["scores"][0]["corrected"] is None
    command = found["next_step"].partition(": ")[2]
    assert command.startswith(
        "pumetrics audit scores.csv --score score --label s --id id --threshold 1"
    )
    assert command in said.stderr
    assert command in page
    assert "What to do next" in page
    answered(run(*shlex.split(command)[1:]))
    fill(dict(zip(truth, y, strict=True)).get)
    answer = as_json("evaluate", *asked, "--checks", "checks.csv")["checked"]["precision"]
    assert answer["lower"] <= precision_score(y, table["score"] >= 1) <= answer["upper"]


@pytest.mark.parametrize("kind", ["a column", "parquet", "parquet with numbers for names"])
def test_verdicts_may_be_a_column_of_the_scores_or_a_table_with_an_index(truth, kind):
    data = pd.read_csv("scores.csv").assign(verdict=pd.Series(truth.values(), dtype="Int64"))
    if kind == "parquet with numbers for names":
        data["id"] = 1000 + data.index
    some = data[data["s"] == 0].sample(300, random_state=0)
    data.assign(verdict=some["verdict"]).to_csv("scores.csv", index=False)
    file = "scores.csv"
    if kind != "a column":
        some.to_parquet(file := "some.parquet")
    asked = [
        "scores.csv",
        "--id",
        "id",
        "--checks",
        file,
        "--checked",
        "random",
        "--metric",
        "f1",
        "--threshold",
        1,
    ]
    alpha = as_json("evaluate", *asked, "--bootstrap", 0)["checked"]["alpha"]
    assert (alpha["n_checked"], alpha["n_positive"], alpha["n_unsure"]) == (
        300,
        some["verdict"].sum(),
        0,
    )


def test_what_checks_do_not_identify_is_no_number_on_any_screen(truth):
    data = pd.read_csv("scores.csv")
    data[["id", "score"]].to_csv("scores.csv", index=False)
    table = pd.DataFrame({"id": data["id"], "verdict": truth.values()})
    table.sample(40, random_state=1).to_csv("few.csv", index=False)
    asked = ["scores.csv", "--id", "id", "--checks", "few.csv", "--checked", "random", "--at", "1%"]
    found = as_json("evaluate", *asked, "--metric", "precision_at_k")
    assert found["scores"][0]["corrected"] is None
    shown = answered(run("evaluate", *asked, "--metric", "precision_at_k"))
    (line,) = (each for each in shown.splitlines() if "prec. at 1%" in each)
    assert "not identified" in line
    (name,) = {each["metric"] for each in found["scores"]}
    gate = run(
        "evaluate",
        *asked,
        "--metric",
        "precision_at_k",
        "--fail-under",
        f"{name}=0.5",
        "--report",
        "page.html",
    )
    assert gate.exit_code == 3
    assert "these checks do not identify it" in gate.stderr
    assert "not identified by these checks" in text_of("page.html")


@pytest.mark.parametrize("word", ["NA", "None", "null", "nan", "<NA>"])
def test_a_verdict_that_is_no_verdict_is_refused(word, truth):
    audit("--budget", 20)
    fill(lambda name: truth[name])
    Path("checks.csv").write_text(re.sub(",[01]\n", f",{word}\n", text_of("checks.csv"), count=1))
    refused(
        run("evaluate", "scores.csv", "--id", "id", "--checks", "checks.csv"),
        "verdict must be 1",
        f"got '{word}'",
    )


def test_names_of_rows_may_be_words_for_nothing(truth):
    table = pd.read_csv("scores.csv").head(300)
    words = ["NA", "None", "null", "nan", "n/a", "<NA>"]
    table.assign(id=[*words, *table["id"][len(words) :]]).to_csv("scores.csv", index=False)
    audit("--budget", 200, "--for", "alpha")
    names = pd.read_csv("checks.csv", dtype=str, keep_default_na=False)["id"]
    assert names.isin(words).any()
    fill(lambda name: truth.get(name, 0))
    answered(run("evaluate", "scores.csv", "--id", "id", "--checks", "checks.csv", *QUICK))


FORMULAS = [
    '=HYPERLINK("http://x","a")',
    "@SUM(A1)",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "'=1",
    "--1",
    "=",
    "-",
]


def test_formulas_in_names_of_rows_are_text_to_a_spreadsheet_and_still_match(truth):
    table, plain = pd.read_csv("scores.csv").head(60), ["-5", "+4.5", "'a", "a=1", "-.5"]
    names = [*FORMULAS, *plain, *table["id"][len(FORMULAS) + len(plain) :]]
    table.assign(id=names).to_csv("scores.csv", index=False)
    s = dict(zip(names, table["s"], strict=True))
    for budget in (20, 50):
        audit("--budget", budget, "--for", "precision")
        written = fill(lambda name: 1)["id"]
        assert not written.str.match(r"[=@]|[+-](?!\d*\.?\d+$)").any()
    assert len(written) == len(set(written)) == min(50, sum(not each for each in s.values()))
    assert {name.removeprefix("'") for name in written} >= {
        name for name in FORMULAS[:4] if not s[name]
    }
    said = answered(run("evaluate", "scores.csv", "--id", "id", "--checks", "checks.csv", *QUICK))
    assert f"These numbers rest on {len(written)} checked rows" in words_of(said)
