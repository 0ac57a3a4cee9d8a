"""Several models in one file, and standard input: the same numbers as from a file of each."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from pumetrics.cli import app

runner = CliRunner(env={"COLUMNS": "200"})
QUICK = ["--bootstrap", 0, "--metric", "roc_auc", "--alpha", 0.2]
COMPARE = ["--bootstrap", 12, "--metric", "roc_auc", "--alpha", 0.2]
SCORES = ["--score", "good", "--score", "poor", "--score", "gaps"]


def run(*arguments, given=None):
    return runner.invoke(app, [str(argument) for argument in arguments], input=given)


def answered(result):
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def refused(result, *parts):
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    for part in parts:
        assert part in result.stderr


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(60, bool), rng.random(240) < 0.25]
    good = rng.normal(2.0 * y)
    columns = {
        "good": good,
        "poor": good + rng.normal(scale=2, size=300),
        "gaps": np.where(rng.random(300) < 0.1, np.nan, good),
    }
    table = pd.DataFrame(columns | {"s": np.repeat([1, 0], [60, 240])})
    table.to_csv("all.csv", index=False)
    return table


def test_each_model_of_a_file_is_evaluated_as_if_alone(table):
    together = json.loads(answered(run("evaluate", "all.csv", *SCORES, *QUICK, "--json")))
    assert list(together) == ["models"]
    for name, answer in zip(["good", "poor", "gaps"], together["models"], strict=True):
        assert answer == json.loads(answered(run("evaluate", "all.csv", "--score", name, *QUICK, "--json")))
    assert together["models"][2]["files"][0]["rows_used"] == table["gaps"].notna().sum()
    text = answered(run("evaluate", "all.csv", *SCORES, *QUICK))
    parts = [answered(run("evaluate", "all.csv", "--score", name, *QUICK)) for name in ("good", "poor", "gaps")]
    assert text == "".join(
        f"{chr(10) if place else ''}Model {name}{chr(10)}{part}"
        for place, (name, part) in enumerate(zip(["good", "poor", "gaps"], parts, strict=True))
    )


def test_the_gate_names_the_model_that_falls_short(table):
    scores = json.loads(answered(run("evaluate", "all.csv", *SCORES, *QUICK, "--json")))["models"]
    good, poor, _ = (each["scores"][0]["corrected"] for each in scores)
    result = run("evaluate", "all.csv", *SCORES, *QUICK, "--fail-under", f"roc_auc={(good + poor) / 2}")
    assert result.exit_code == 1
    assert [line.split(" is ")[0] for line in result.stderr.strip().splitlines()] == [
        "--fail-under: model poor: roc_auc: the corrected score"
    ]


def test_the_first_column_of_a_file_is_compared_with_each_of_the_others(table):
    together = json.loads(answered(run("compare-models", "all.csv", *SCORES, *COMPARE, "--json")))["comparisons"]
    for name, answer in zip(["poor", "gaps"], together, strict=True):
        columns = ["--score", "good", "--score", name]
        one = json.loads(answered(run("compare-models", "all.csv", *columns, *COMPARE, "--json")))
        two = json.loads(answered(run("compare-models", "all.csv", "all.csv", *columns, *COMPARE, "--json")))
        assert answer == one == two
        assert answer["models"] == ["all.csv, column good", f"all.csv, column {name}"]
    assert together[0]["metrics"]["roc_auc"]["difference"]["estimate"] > 0
    assert together[1]["metrics"]["roc_auc"]["difference"]["estimate"] == 0
    assert together[1]["n_labeled"] + together[1]["n_unlabeled"] == table["gaps"].notna().sum()
    text = answered(run("compare-models", "all.csv", *SCORES, *COMPARE))
    assert text.count("comparisons with the first model") == 2


def test_one_model_is_not_compared(table):
    refused(run("compare-models", "all.csv"), "only one model is given, column 'score' of all.csv", "--score twice")
    refused(run("compare-models", "all.csv", "--score", "good"), "only one model is given, column 'good'")
    refused(run("compare-models", "all.csv", "--score", "good", "--score", "good"), "is named 2 times")


def test_the_schema_that_is_printed_holds_for_one_model_and_for_several(table):
    for command, calls in {
        "evaluate": [["--score", "good", *QUICK], [*SCORES, *QUICK]],
        "compare-models": [[*SCORES[:4], *COMPARE], [*SCORES, *COMPARE]],
    }.items():
        schema = json.loads(answered(run("schema", command)))
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        for arguments in calls:
            result = json.loads(answered(run(command, "all.csv", *arguments, "--json")))
            assert [error.message for error in validator.iter_errors(result)] == []
            broken = json.dumps(result).replace('"n_labeled": ', '"n_labeled": "many", "n": ')
            assert not validator.is_valid(json.loads(broken))


def as_bytes(table, kind):
    buffer = io.BytesIO()
    if kind in ("parquet", "feather"):
        {"parquet": table.to_parquet, "feather": table.to_feather}[kind](buffer)
        return buffer.getvalue()
    mark = {"comma": ",", "tab": "\t", "semicolon": ";", "bar": "|", "gzip": ",", "utf-16": ";"}[kind]
    text = table.to_csv(index=False, sep=mark, decimal="," if mark == ";" else ".")
    return gzip.compress(text.encode()) if kind == "gzip" else text.encode("utf-16" if kind == "utf-16" else "utf-8")


@pytest.mark.parametrize("kind", ["comma", "tab", "semicolon", "bar", "gzip", "utf-16", "parquet", "feather"])
def test_standard_input_gives_the_numbers_of_the_file(kind, table):
    named = ["--score", "good", *QUICK, "--json"]
    content = as_bytes(table, kind)
    result = json.loads(answered(run("evaluate", "-", *named, given=content)))
    expected = json.loads(answered(run("evaluate", "all.csv", *named)))
    assert result["scores"] == expected["scores"]
    assert result["files"][0]["name"] == "standard input"
    if kind == "comma":
        assert result["files"][0]["sha256"] == expected["files"][0]["sha256"]


def test_standard_input_is_one_of_two_files_or_both(table):
    content = as_bytes(table, "comma")
    expected = json.loads(answered(run("compare-models", "all.csv", *SCORES[:4], *COMPARE, "--json")))
    for paths in (["-"], ["-", "-"], ["all.csv", "-"], ["-", "all.csv"]):
        result = json.loads(answered(run("compare-models", *paths, *SCORES[:4], *COMPARE, "--json", given=content)))
        assert result["metrics"] == expected["metrics"]


def test_what_is_wrong_with_standard_input_is_said_of_it(table, monkeypatch):
    refused(run("evaluate", "-", given=b""), "standard input cannot be read: it is empty")
    refused(run("evaluate", "-", given=b"\x89PNG\r\n"), "standard input cannot be read: it is not text but a PNG")
    refused(
        run("evaluate", "-", given=b"score,s\n1,1\nx,0\n"), "of standard input must hold numbers, got 'x' in line 3"
    )
    refused(run("evaluate", "-", given=b"score\n1\n"), "standard input has no column 's'")
    from pumetrics.assessment import _files

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, part in ((Terminal(), "is a terminal: give a file name"), (None, "is closed: give a file name")):
        monkeypatch.setattr(_files.sys, "stdin", stream)
        with pytest.raises(ValueError, match=part), _files.opened("-"):
            pass


def test_standard_input_is_forgotten(table, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answered(run("evaluate", "-", "--score", "good", *QUICK, given=as_bytes(table, "comma")))
    assert not list(tmp_path.glob("pumetrics-*"))


def test_help_shows_three_examples_that_name_options_there_are():
    text = answered(run("--help"))
    examples = [line.strip() for line in text.splitlines() if line.strip().startswith("pumetrics ")]
    assert len(examples) == 3
    for example in examples:
        command, *options = example.split()[1:]
        shown = answered(run(command, "--help"))
        assert all(option in shown for option in options if option.startswith("--"))
