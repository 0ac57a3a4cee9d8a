"""What people type and the files they have: a bad input is one line that says where and what to do, exit status 2."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pumetrics.cli import app

runner = CliRunner(env={"COLUMNS": "200"})
QUICK = ["--bootstrap", 0, "--metric", "roc_auc", "--alpha", 0.2]
COMPARE = ["--bootstrap", 12, "--metric", "roc_auc", "--alpha", 0.2]


def run(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


def refused(result, *parts):
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert result.stderr.strip().isprintable()
    for part in parts:
        assert part in result.stderr


def answered(result):
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def without_next_step(shown):
    """The answer without its last command, which names the file and how it is read."""
    return shown.partition("Next:")[0]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(60, bool), rng.random(240) < 0.25]
    table = pd.DataFrame({"score": rng.normal(2.0 * y), "s": np.repeat([1, 0], [60, 240])})
    return table.sample(frac=1, random_state=0, ignore_index=True)


@pytest.fixture
def here(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.to_csv("good.csv", index=False)
    return tmp_path


def text(table, value):
    """The scores with a text in the fifth row, which is line 6."""
    return table.astype({"score": object}).assign(score=[*table["score"][:4], value, *table["score"][5:]])


BAD_FILES = {
    "huge scores": (
        lambda t: t.assign(score=t.score * 1e300),
        ["between 1e-100 and 1e+100, got", "in line", "rescale"],
    ),
    "tiny scores": (
        lambda t: t.assign(score=t.score * 1e-320),
        ["between 1e-100 and 1e+100, got", "in line", "rescale"],
    ),
    "overflowing scores": (lambda t: t.assign(score=t.score * 1e308), ["finite numbers, got", "in line"]),
    "constant scores": (lambda t: t.assign(score=0.5), ["'score'", "0.5 in every row", "--score"]),
    "no scores": (lambda t: t.assign(score=np.nan), ["'score'", "is empty", "--score"]),
    "text": (
        lambda t: text(t, "high"),
        ["'score' of bad.csv", "got 'high' in line 6 (1 such rows): correct or remove"],
    ),
    "long text": (lambda t: text(t, "x" * 5000), ["(5002 characters) in line 6"]),
    "control bytes": (lambda t: text(t, "1\x1b[31m"), [r"got '1\x1b[31m' in line 6"]),
    "-1 for unlabeled": (lambda t: t.assign(s=2 * t.s - 1), ["does not contain 0", "as in line", "--positive 1"]),
    "strange labels": (lambda t: t.assign(s=t.s + 1), ["1 for labeled and 0 for unlabeled, got", "--positive"]),
    "labels as words": (lambda t: t.assign(s=np.where(t.s, "fraud", "ok")), ["in line 2", "--positive"]),
    "blank labels": (lambda t: t.assign(s=t.s.where(t.s == 1)), ["got no value in line", "--positive"]),
    "400 columns": (lambda t: pd.DataFrame(np.ones((3, 400))).add_prefix("c"), ["'c9' and 390 more", "--score"]),
    "no such column": (lambda t: t.rename(columns={"s": "S"}), ["no column 's'", "'score', 'S'", "--label"]),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_line_with_its_place_and_remedy(name, table, here):
    damage, parts = BAD_FILES[name]
    damage(table).to_csv("bad.csv", index=False)
    with np.errstate(all="raise"):
        refused(run("evaluate", "bad.csv", *QUICK), "bad.csv", *parts)


BAD_BYTES = {
    "PNG": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not text but a PNG image"),
    "PNG without zeros": (b"\x89PNG\r\n\x1a\n\x01\x02", "not text but a PNG image"),
    "PDF": (b"%PDF-1.4\n%\xe2\xe3\n", "not text but a PDF"),
    "workbook": (b"PK\3\4\x14\0", "an Excel workbook"),
    "gzip": (b"\x1f\x8b\x08\0", "rename it to end in .gz"),
    "Parquet": (b"PAR1\x15", "rename it to end in .parquet"),
    "binary": (bytes(range(1, 32)) * 9, "it is not text"),
    "zeros": (b"score,s\n1,1\n\0\0", "it is not text"),
    "names with control bytes": (b"sc\x1bore,s\n1,1\n", r"'sc\x1bore'"),
    "latin-1": ("score,s\n1,1\né,0\n".encode("latin-1"), "got 'é' in line 3"),
    "UTF-16": ("score,s\n1,1\né,0\n".encode("utf-16"), "got 'é' in line 3"),
    "empty": (b"", "it is empty"),
}


@pytest.mark.parametrize("name", BAD_BYTES)
def test_what_is_no_table_is_called_what_it_is(name, here):
    content, part = BAD_BYTES[name]
    (here / "bad.csv").write_bytes(content)
    refused(run("evaluate", "bad.csv", *QUICK), "bad.csv", part)


BAD_OPTIONS = {
    "seed": (["--seed", -1], ["--seed must be a whole number, at least 0, got -1"]),
    "alpha and rho": (
        ["--rho", 0.5, "--alpha", 0.2],
        ["--alpha 0.2 and --rho 0.5 contradict", "omit one of them"],
    ),
    "noisy and beta": (["--noisy", "--beta", 0.9], ["--noisy and --beta 0.9 contradict", "omit one"]),
    "noisy and alpha": (["--noisy", "--alpha", 0.2], ["--noisy and --alpha 0.2 contradict"]),
    "noisy and rho": (["--noisy", "--rho", 0.2], ["--noisy and --rho 0.2 contradict"]),
    "noisy and selection": (["--noisy", "--selection", 2], ["--selection 2 and --noisy contradict", "omit one"]),
    "beta and uncertainty": (
        ["--beta", 0.9, "--uncertainty", "guaranteed"],
        ["--uncertainty guaranteed and --beta 0.9 contradict", "uncertainty sampling"],
    ),
    "confidence": (["--confidence", 95], ["--confidence must lie in (0, 1), got 95", "0.95"]),
    "confidence of 1": (["--confidence", 1], ["--confidence must lie in (0, 1), got 1"]),
    "beta": (["--beta", 1.5, "--alpha", 0.2], ["--beta must lie in [0, 1], got 1.5"]),
    "bootstrap": (["--bootstrap", -3], ["--bootstrap must be a whole number", "got -3"]),
    "threshold": (["--threshold", "nan"], ["--threshold must be a finite number, got nan"]),
    "infinite threshold": (["--threshold", "inf"], ["--threshold must be a finite number, got inf"]),
    "one column twice": (["--score", "s"], ["--score s, --label s must name different columns"]),
    "one model twice": (["--score", "a", "--score", "a"], ["--score a is named 2 times: name each model once"]),
    "one model absent": (["--score", "score", "--score", "b"], ["no column 'b'", "'score', 's'"]),
    "thresholds of two models": (
        ["--score", "score", "--score", "b", "--thresholds", "x.csv"],
        ["--thresholds takes one model, and --score names 2 (score, b): give one --score"],
    ),
    "column with a line break": (["--score", "a\nb"], [r"no column 'a\nb'"]),
    "unlabeled alone": (["--unlabeled", "ok"], ["need --positive"]),
    "report in no folder": (
        ["--report", "nope/x.html"],
        ["--report nope/x.html cannot be written", "folder nope does not exist"],
    ),
    "report to standard output": (["--report", "-"], ["--report - cannot be written", "give a file name"]),
    "report is a folder": (["--report", "."], ["--report . is a folder: give the name of a file in it"]),
    "report is the input": (["--report", "good.csv"], ["--report good.csv would overwrite the input good.csv"]),
    "report is a link": (["--report", "link.csv"], ["would overwrite the input good.csv"]),
    "gate without a number": (["--fail-under", "roc_auc"], ["--fail-under must be a metric and a number", "'roc_auc'"]),
    "gate of no metric": (["--fail-under", "auc=.8"], ["--fail-under must name one of roc_auc", "got 'auc'"]),
    "gate of percents": (["--fail-under", "roc_auc=85"], ["--fail-under roc_auc=85: roc_auc lies in [0, 1]"]),
    "lower alone": (["--lower"], ["--lower needs --fail-under"]),
    "lower without intervals": (
        ["--lower", "--fail-under", "f1=.5", "--bootstrap", 0],
        ["--lower needs intervals: give --bootstrap"],
    ),
    "no such metric": (["--metric", "auc"], ["'--metric'", "'roc_auc'", "see pumetrics evaluate --help"]),
    "text for a number": (["--bootstrap", "many"], ["'--bootstrap'"]),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_a_bad_option_is_named_before_anything_is_computed(name, here, monkeypatch):
    def never(*_, **__):
        raise AssertionError("computed")

    monkeypatch.setattr("pumetrics.assessment.assess", never)
    (here / "link.csv").symlink_to("good.csv")
    before = (here / "good.csv").read_bytes()
    options, parts = BAD_OPTIONS[name]
    refused(run("evaluate", "good.csv", *options), *parts)
    assert (here / "good.csv").read_bytes() == before


def test_no_file_a_folder_and_a_name_with_a_line_break(here):
    (here / "folder.csv").mkdir()
    refused(run("evaluate", "folder.csv"), "folder.csv is a folder: give a file")
    table = pd.read_csv("good.csv")
    table.to_parquet("good.parquet")
    refused(run("evaluate", ""), ". is a folder: give a file")  # such as that of a variable that is not set
    refused(run("evaluate", "a\nb.csv"), r"file a\nb.csv does not exist")
    refused(run("evaluate"), "Missing argument")
    refused(run("evaluat"), "evaluat")


def test_brackets_in_paths_are_no_markup(table, here):
    folder = here / "[red]a[" / "]"
    folder.mkdir(parents=True)
    table.to_csv(folder / "x.csv", index=False)
    path = "[red]a[/]/x.csv"
    assert "labeled" in answered(run("evaluate", path, *QUICK))
    assert path in answered(run("compare-models", path, "good.csv", *COMPARE))
    assert f"Report: {folder.relative_to(here)}/r.html" in answered(
        run("evaluate", path, *QUICK, "--report", "[red]a[/]/r.html")
    )


def test_utf_16_without_its_mark_is_read(table, here):
    for encoding in ("utf-16-le", "utf-16-be"):
        table.to_csv("other.csv", index=False, encoding=encoding)
        shown = (without_next_step(answered(run("evaluate", name, *QUICK))) for name in ("other.csv", "good.csv"))
        assert next(shown) == next(shown)


def process(stdout, *options):
    arguments = [
        sys.executable,
        "-c",
        "from pumetrics.cli import app; app()",
        "evaluate",
        "good.csv",
        *map(str, options),
    ]
    return subprocess.run(arguments, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_output_is_one_line(here):
    with open("/dev/full", "w") as full:
        done = process(full, *QUICK)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == [
        "standard output cannot be written: No space left on device; free some space or write elsewhere"
    ]
    refused(
        run("evaluate", "good.csv", *QUICK, "--report", "/dev/full"), "--report /dev/full cannot be written: No space"
    )


DOUBTFUL = {
    "labels as scores": (lambda t: t.assign(score=t.s), [], "the scores may contain the label"),
    "copies": (lambda t: pd.concat([t] * 20), [], "every score occurs 20 times"),
    "one labeled": (lambda t: pd.concat([t[t.s == 1][:1], t[t.s == 0]]), [], "only 1 labeled example:"),
    "alpha of .99": (lambda t: t, ["--alpha", 0.99], "alpha=0.99 is close to beta=1"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_can_be_computed_but_not_trusted_gets_a_warning(name, table, here):
    change, options, part = DOUBTFUL[name]
    change(table).to_csv("odd.csv", index=False)
    result = json.loads(answered(run("evaluate", "odd.csv", *QUICK, *options, "--json")))
    assert any(part in warning for warning in result["warnings"])
    clean = json.loads(answered(run("evaluate", "good.csv", *QUICK, "--json")))
    assert not any(part in warning for warning in clean["warnings"])


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (["fraud", ""], ["--positive", "fraud"]),
        (["fraud", "0"], ["--positive", "fraud"]),
        (["fraud", "-1"], ["--positive", "fraud"]),
        (["fraud", "False"], ["--positive", "fraud"]),
        (["fraud", "NaN"], ["--positive", "fraud"]),
        (["fraud", "ok"], ["--positive", "fraud", "--unlabeled", "ok"]),
        (["1", "-1"], ["--positive", "1"]),
        (["1", ""], ["--positive", "1"]),
        (["2", "1"], ["--positive", "2", "--unlabeled", "1"]),
        (["True", ""], ["--positive", "true"]),
    ],
)
@pytest.mark.parametrize("mark", [",", ";"])
def test_labels_may_be_as_they_are(labels, options, mark, table, here):
    expected = without_next_step(answered(run("evaluate", "good.csv", *QUICK)))
    table.assign(s=np.where(table.s, *labels)).to_csv("own.csv", index=False, sep=mark)
    assert without_next_step(answered(run("evaluate", "own.csv", *QUICK, *options))) == expected


def test_labels_that_were_not_named_are_refused(table, here):
    table.assign(s=np.where(table.s, "fraud", "ok")).to_csv("own.csv", index=False)
    line = int(np.flatnonzero(table.s == 0)[0]) + 2
    refused(
        run("evaluate", "own.csv", *QUICK, "--positive", "fraud"),
        f"got 'ok' in line {line} (240 such",
        "--unlabeled 'ok'",
    )
    refused(run("evaluate", "good.csv", *QUICK, "--positive", "theft", "--unlabeled", "1"), "does not contain 'theft'")


def test_rows_without_a_score_are_skipped_and_counted(table, here):
    missing = np.arange(300) % 10 == 3
    table.assign(score=table.score.mask(missing)).to_csv("gaps.csv", index=False)
    table[~missing].to_csv("rest.csv", index=False)
    gaps, rest = (json.loads(answered(run("evaluate", name, *QUICK, "--json"))) for name in ("gaps.csv", "rest.csv"))
    assert gaps["scores"] == rest["scores"]
    labeled = table.s[missing].sum()
    assert gaps["warnings"][0] == (
        f"30 of 300 rows of gaps.csv have no value in column 'score' and are skipped ({labeled} of them labeled; first "
        "in line 5)"
    )
    assert (gaps["files"][0]["rows"], gaps["files"][0]["rows_used"]) == (300, 270)
    both = json.loads(answered(run("compare-models", "good.csv", "gaps.csv", *COMPARE, "--json")))
    assert both["n_labeled"] + both["n_unlabeled"] == 270
    assert both["metrics"]["roc_auc"]["difference"]["estimate"] == 0


def test_files_are_joined_by_id(table, here):
    ids = [f"{number:03d}" for number in range(300)]
    named = table.assign(id=ids)
    named.to_csv("first.csv", index=False)
    shuffled = named.sample(frac=1, random_state=1)
    shuffled.to_csv("second.csv", index=False)
    arguments = ["compare-models", "first.csv", "second.csv", *COMPARE]
    joined = json.loads(answered(run(*arguments, "--id", "id", "--json")))
    assert joined["metrics"]["roc_auc"]["difference"]["estimate"] == 0
    assert (
        joined["warnings"]
        == json.loads(answered(run("compare-models", *["good.csv"] * 2, *COMPARE, "--json")))["warnings"]
    )
    shuffled.assign(s=named.s.to_numpy()).to_csv("second.csv", index=False)  # by position, the labels agree
    refused(run(*arguments), "column 'id' differs in line", "--id id")
    refused(run(*arguments, "--id", "id"), "different labels for id '", "in line")
    shuffled[:250].to_csv("second.csv", index=False)
    refused(run(*arguments), "first.csv has 300 rows and second.csv has 250", "--id")
    part = json.loads(answered(run(*arguments, "--id", "id", "--json")))
    assert part["warnings"][0].startswith(
        "250 examples have a score in both files; 50 of first.csv and 0 of second.csv"
    )


def test_ids_must_name_rows(table, here):
    table.assign(id=[1, 2, 3, 2, *range(5, 301)]).to_csv("first.csv", index=False)
    refused(run("evaluate", "first.csv", *QUICK, "--id", "id"), "holds '2' in line 3 and in line 5 (1 such rows)")
    table.assign(id=["", *range(1, 300)]).to_csv("first.csv", index=False)
    refused(run("evaluate", "first.csv", *QUICK, "--id", "id"), "got no value in line 2")
    table.assign(id=[f"0{n}" for n in range(300)]).to_csv("first.csv", index=False)
    table.assign(id=range(300)).to_csv("second.csv", index=False)
    refused(
        run("compare-models", "first.csv", "second.csv", *COMPARE, "--id", "id"), "have no id in common", "'00'", "'0'"
    )


def test_two_columns_of_one_file_are_compared(table, here):
    table.assign(noisy=table.score + np.random.default_rng(1).normal(size=300)).to_csv("both.csv", index=False)
    columns = ["--score", "score", "--score", "noisy"]
    result = json.loads(answered(run("compare-models", "both.csv", "both.csv", *COMPARE, *columns, "--json")))
    assert result["metrics"]["roc_auc"]["difference"]["estimate"] > 0
    assert result["models"] == ["both.csv, column score", "both.csv, column noisy"]
    refused(run("compare-models", "both.csv", "both.csv", "--score", "score"), "given twice")
    refused(run("compare-models", "both.csv", "both.csv", *columns, "--score", "x"), "--score names 3 columns")


def test_the_gate_fails_with_status_1_and_passes_with_0(here):
    options = ["good.csv", "--alpha", 0.2, "--metric", "roc_auc", "--bootstrap", 50]
    result = json.loads(answered(run("evaluate", *options, "--json")))["scores"][0]
    between = (result["interval"][0] + result["corrected"]) / 2
    answered(run("evaluate", *options, "--fail-under", f"roc_auc={between}"))
    answered(run("evaluate", *options, "--fail-under", f"roc_auc={result['interval'][0]}", "--lower"))
    below = run("evaluate", *options, "--fail-under", f"roc_auc={between}", "--lower", "--json")
    assert below.exit_code == 1
    assert "roc_auc: the lower end of the 95% interval is" in below.stderr
    assert json.loads(below.stdout)["failed"] == [below.stderr.strip().removeprefix("--fail-under: ")]
    near = f"{result['corrected'] + 1e-3}"
    above = run("evaluate", *options, "--fail-under", f"roc_auc={near}")
    assert above.exit_code == 1
    assert f"--fail-under: roc_auc: the corrected score is {result['corrected']:.4g}, below" in above.stderr
    far = run("evaluate", *options, "--fail-under", "roc_auc=.999")
    assert far.exit_code == 1
    assert f"roc_auc: its whole interval, up to {result['interval'][1]:.4g}, is below 0.999" in far.stderr


@pytest.mark.parametrize("limit", [0.1, 1.0])
def test_a_gate_decides_even_where_nothing_reads_the_output(limit, here):
    reader, writer = os.pipe()
    os.close(reader)
    done = process(writer, *QUICK, "--fail-under", f"roc_auc={limit}")
    os.close(writer)
    assert done.returncode == len(done.stderr.strip().splitlines()) == (limit == 1)


def test_a_gate_on_too_few_labeled_examples_does_not_pass(table, here):
    pd.concat([table[table.s == 1][:5], table[table.s == 0]]).to_csv("few.csv", index=False)
    options = ["few.csv", "--alpha", 0.2, "--metric", "roc_auc", "--bootstrap", 20, "--fail-under", "roc_auc=.1"]
    for lower in ([], ["--lower"]):
        result = run("evaluate", *options, *lower)
        assert result.exit_code == 3
        assert "roc_auc is undecided: these scores do not identify it" in result.stderr


def test_json_follows_its_schema_and_names_what_it_rests_on(table, here):
    import hashlib

    from jsonschema import Draft202012Validator

    from pumetrics import __version__
    from pumetrics.cli._output import schema

    commands = {
        "evaluate": [
            ["good.csv", "--alpha", 0.2, "--bootstrap", 12, "--selection", "1,2", "--report", "r.html"],
            ["good.csv", "--bootstrap", 0, "--positive", "1", "--fail-under", "f1=1", "--threshold", 0.5],
        ],
        "compare-models": [
            ["good.csv", "good.csv", *COMPARE],
            ["good.csv", "good.csv", *COMPARE, "--alpha", ".1,.3", "--metric", "f1"],
        ],
    }
    for command, calls in commands.items():
        validator = Draft202012Validator(schema(command))
        Draft202012Validator.check_schema(schema(command))
        for arguments in calls:
            result = json.loads(run(command, *arguments, "--json").stdout)
            assert [error.message for error in validator.iter_errors(result)] == []
            for file in result["files"]:
                assert file["sha256"] == hashlib.sha256((here / file["name"]).read_bytes()).hexdigest()
            assert result["version"] == __version__
            assert result["settings"]["bootstrap"] == arguments[arguments.index("--bootstrap") + 1]
            broken = {**result, "n_labeled": "many"}
            assert not validator.is_valid(broken)
