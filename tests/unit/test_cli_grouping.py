"""Weights, groups, clusters and folds of a file: the library's numbers, shown, and bad columns in one line."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics.assessment import assess, assess_by, compare_scores
from pumetrics.cli import app
from pumetrics.cli._output import schema

runner = CliRunner(env={"COLUMNS": "200"})
QUICK = ["--bootstrap", 12, "--alpha", 0.3, "--metric", "roc_auc"]
OPTIONS = {"n_bootstrap": 12, "alpha": 0.3, "metrics": ["roc_auc"], "random_state": 0}


def run(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


def answered(*arguments):
    result = run("evaluate", "rows.csv", *QUICK, *arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def as_json(*arguments):
    answer = json.loads(answered("--json", *arguments))
    jsonschema.validate(answer, schema("evaluate"))
    return answer


@pytest.fixture
def table(tmp_path, monkeypatch):
    """400 rows: weights, users of two rows, four folds, and two countries, one blank."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 1, 0], [100, 90, 210])
    table = pd.DataFrame({"score": rng.normal(2.0 * y), "s": np.repeat([1, 0], [100, 300])})
    table["w"], table["user"], table["fold"] = (
        rng.integers(1, 4, 400) / 2,
        rng.permutation(400) // 2,
        np.arange(400) % 4,
    )
    table["country"] = rng.choice(["DE", "007"], 400)
    table.loc[:5, "country"] = None
    table["month"] = np.where(table.index % 2, "2026-01", "2026-02")
    monkeypatch.chdir(tmp_path)
    table.sample(frac=1, random_state=0).to_csv("rows.csv", index=False)
    return pd.read_csv("rows.csv", dtype={"country": str})


@pytest.mark.parametrize(
    ("option", "column", "argument"),
    [("--weight", "w", "sample_weight"), ("--cluster", "user", "cluster"), ("--fold", "fold", "fold")],
)
def test_a_column_is_the_argument_of_the_library(option, column, argument, table):
    wanted = assess(table.s, table.score, **OPTIONS, **{argument: table[column]})
    answer = as_json(option, column)
    assert answer["scores"][0]["corrected"] == pytest.approx(wanted.scores[0].corrected, abs=1e-12)
    assert answer["scores"][0]["interval"] == pytest.approx(list(wanted.scores[0].interval), abs=1e-12)
    assert answer["design"] == pytest.approx(wanted.design)
    assert answer["settings"][option.lstrip("-")] == column
    assert answer["groups"] == []


def test_groups_are_those_of_the_library_and_missing_names_are_one(table):
    answer = as_json("--by", "country", "--by", "month", "--weight", "w")
    assert [(each["by"], each["group"]) for each in answer["groups"]] == [
        *(("country", name) for name in ("007", "DE", "no value")),
        *(("month", name) for name in ("2026-01", "2026-02")),
    ]
    wanted = assess_by(table.s, table.score, table.month, sample_weight=table.w, **OPTIONS)
    for ours, theirs in zip(answer["groups"][3:], wanted, strict=True):
        assert ours["n_labeled"] == theirs.n_labeled
        assert ours["assessment"]["scores"][0]["corrected"] == pytest.approx(theirs.assessment.scores[0].corrected)
    blank = answer["groups"][2]
    assert (blank["n_labeled"], blank["n_unlabeled"], blank["reason"]) == (6, 0, "no unlabeled example")


def test_a_table_has_one_row_per_group_and_their_doubts(table):
    shown = answered("--by", "country")
    lines = [line.split() for line in shown.splitlines()]
    assert ["country", "labeled", "unlabeled", "alpha", "AUC", "interval"] in lines
    (row,) = (line for line in lines if line[:1] == ["007"])
    assert row[3] == "0.300"
    assert "By country: all groups have the given alpha; interval: 95%." in shown
    assert "Warning: country no value: no unlabeled example" in shown
    assert "not assessed" in shown
    assert shown.startswith("100 labeled, 300 unlabeled")


def test_what_weights_clusters_and_folds_mean_is_said(table):
    shown = " ".join(answered("--weight", "w", "--cluster", "user", "--fold", "fold", "--explain").split())
    for part in (
        "Rows are weighted. Intervals resample 200 clusters of rows, not single rows. Scores are compared within",
        "every number is the mean of 4 folds",
        "Warning: there are no bounds: they count independent rows",
    ):
        assert part in shown
    assert "interval bounds" not in shown


def test_rows_without_a_score_are_skipped_in_every_column(table):
    for column in ("w", "country"):
        table.loc[table.index[:20], "score"] = np.nan
        table.to_csv("rows.csv", index=False)
        kept = table.dropna(subset="score")
        wanted = assess(kept.s, kept.score, sample_weight=kept.w, **OPTIONS)
        assert as_json("--weight", "w")["scores"][0]["corrected"] == pytest.approx(wanted.scores[0].corrected)
        assert sum(each["n_labeled"] for each in as_json("--by", column)["groups"]) == (kept.s == 1).sum()


def test_groups_too_small_for_an_interval_say_so(table):
    table["country"] = np.where(np.cumsum(table.s) <= 5, "small", "large")
    table.loc[table.index[-40:], "country"] = "small"
    table.to_csv("rows.csv", index=False)
    table = table[table.s.eq(0) | (np.cumsum(table.s) <= 80)]
    table.to_csv("rows.csv", index=False)
    shown = answered("--by", "country")
    (row,) = (line.split() for line in shown.splitlines() if line.split()[:1] == ["small"])
    assert row[-2:] == ["too", "few"]
    assert "country small: there is no interval: it needs at least 10 labeled" in shown


@pytest.mark.parametrize(
    ("option", "column", "argument"),
    [("--weight", "w", "sample_weight"), ("--cluster", "user", "cluster"), ("--fold", "fold", "fold")],
)
def test_two_models_are_compared_by_the_same_columns(option, column, argument, table):
    rng = np.random.default_rng(1)
    table = table.assign(id=np.arange(400), other=table.score + rng.normal(size=400))
    table.loc[3, "other"] = None
    table.to_csv("rows.csv", index=False)
    second = table[["id", "s", "other"]].sample(frac=1, random_state=1)
    second.to_csv("second.csv", index=False)
    there = table[table.other.notna()]
    wanted = compare_scores(there.s, there.score, there.other, **OPTIONS, **{argument: there[column]})
    wanted = json.loads(json.dumps(wanted.as_dict()))
    for files in (["rows.csv"], ["rows.csv", "second.csv", "--id", "id"]):
        said = run("compare-models", *files, "--score", "score", "--score", "other", *QUICK, option, column, "--json")
        assert said.exit_code == 0, (said.output, said.exception)
        answer = json.loads(said.stdout)
        jsonschema.validate(answer, schema("compare-models"))
        assert answer["settings"][option.strip("-")] == column
        assert answer["design"] == wanted["design"] is not None
        assert answer["metrics"] == wanted["metrics"]


def test_clusters_widen_the_interval_of_a_difference(table):
    rng = np.random.default_rng(2)
    doubled = table.assign(other=table.score + rng.normal(size=400), user=np.arange(400))
    pd.concat([doubled] * 4).to_csv("rows.csv", index=False)
    command = ["compare-models", "rows.csv", "--score", "score", "--score", "other", *QUICK, "--bootstrap", 100]
    widths = []
    for options in ([], ["--cluster", "user"]):
        gap = json.loads(run(*command, *options, "--json").stdout)["metrics"]["roc_auc"]["difference"]
        widths.append(gap["upper"] - gap["lower"])
    assert 1.5 < widths[1] / widths[0] < 2.6, "four copies of every row: twice as wide"
    shown = " ".join(run(*command, "--cluster", "user", "--explain").stdout.split())
    assert "Intervals resample 400 clusters of rows, not single rows." in shown


@pytest.mark.parametrize("option", ["--weight w", "--fold fold", "--selection 2", "--propensity p"])
def test_a_page_on_two_models_shows_the_numbers_of_the_design_and_no_curve_of_another(option, table):
    table.assign(other=-table.score, p=np.linspace(0.5, 1, len(table))).to_csv("two.csv", index=False)
    command = ["compare-models", "two.csv", "--score", "score", "--score", "other", *QUICK, *option.split()]
    result = run(*command, "--report", "x.html", "--json")
    assert result.exit_code == 0, result.stderr
    page, differences = Path("x.html").read_text(encoding="utf-8"), json.loads(result.stdout)["metrics"]
    for each in differences.values():
        gap = each["difference"]
        assert f"{gap['lower']:+.3f} to {gap['upper']:+.3f}" in page
    assert "Curves and alarms at a threshold are left out" in page
    assert "<svg" not in page.split("<main>")[1]


DAMAGE = {
    "negative weight": ({"w": -1.0}, ["--weight", "w"], "weights of at least 0, got -1 in line 2"),
    "no weight": ({"w": np.nan}, ["--weight", "w"], "weights of at least 0, got no value in line 2"),
    "infinite weight": ({"w": np.inf}, ["--weight", "w"], "weights of at least 0, got inf in line 2"),
    "a word for a weight": ({"w": "much"}, ["--weight", "w"], "weights of at least 0, got 'much' in line 2"),
    "no cluster": (
        {"user": np.nan},
        ["--cluster", "user"],
        "must hold a value in every row (--cluster), got no value in line 2",
    ),
    "no fold": (
        {"fold": np.nan},
        ["--fold", "fold"],
        "must hold a value in every row (--fold), got no value in line 2",
    ),
    "small fold": ({"fold": 9}, ["--fold", "fold"], "fold 9 holds no "),
    "no such column": ({}, ["--by", "contry"], "no column 'contry': did you mean 'country'?"),
    "weight and label": ({}, ["--weight", "s"], "--weight s and --label s must name different columns"),
    "group and score": ({}, ["--by", "score"], "--by score and --score score must name different columns"),
    "weight and cluster": (
        {},
        ["--weight", "w", "--cluster", "w"],
        "--weight w and --cluster w must name different columns",
    ),
    "users as groups": (
        {},
        ["--by", "id"],
        "--by id: the column holds 400 different values in rows.csv, more than 200",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_bad_column_is_one_line(name, table):
    values, options, message = DAMAGE[name]
    table["id"] = np.arange(400)
    for column, value in values.items():
        table[column] = table[column].astype(object)
        table.loc[table.index[0], column] = value
    table.to_csv("rows.csv", index=False)
    result = run("evaluate", "rows.csv", *QUICK, *options)
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert message in result.stderr
