"""A bad input is one line that says where and what to do, exit status 2, and nothing is computed or written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import COMPARE, QUICK, answered, refused, run, scores, without_next_step
from hypothesis import given
from hypothesis import strategies as st

from pumetrics.cli.options import alpha_of


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The scores of good.csv."""
    monkeypatch.chdir(tmp_path)
    table = scores()
    table.to_csv("good.csv", index=False)
    return table


def text(table, value):
    """The scores with a text in the fifth row, which is line 6."""
    return table.astype({"score": object}).assign(
        score=[*table["score"][:4], value, *table["score"][5:]]
    )


NO_THOUSANDS = "write numbers without thousands separators"
SCALED = ["between 1e-100 and 1e+100, got", "in line", "rescale"]
BAD_FILES = {
    "huge scores": (lambda t: t.assign(score=t.score * 1e300), SCALED),
    "tiny scores": (lambda t: t.assign(score=t.score * 1e-320), SCALED),
    "overflowing scores": (
        lambda t: t.assign(score=t.score * 1e308),
        ["finite numbers, got", "in line"],
    ),
    "400 digits": (lambda t: text(t, "1" * 400), ["finite numbers, got inf in line 6"]),
    "infinity": (lambda t: text(t, np.inf), ["finite numbers, got inf in line 6"]),
    "constant scores": (lambda t: t.assign(score=0.5), ["'score'", "0.5 in every row", "--score"]),
    "no scores": (lambda t: t.assign(score=np.nan), ["'score'", "is empty", "--score"]),
    "no rows": (lambda t: t[:0], ["has no rows"]),
    "text": (
        lambda t: text(t, "high"),
        ["'score' of bad.csv", "got 'high' in line 6 (1 such rows): correct"],
    ),
    "long text": (lambda t: text(t, "x" * 5000), ["(5002 characters) in line 6"]),
    "control bytes": (lambda t: text(t, "1\x1b[31m"), [r"got '1\x1b[31m' in line 6"]),
    **{
        value: (lambda t, v=value: text(t, v), [value, NO_THOUSANDS])
        for value in (
            "1,234.5",
            "1.234,5",
            "1'234.5",
            "1 234.5",
            "0,93",
            "-$1,234.50",
            "1 234 567,8 \u20ac",
        )
    },
    "-1 for unlabeled": (
        lambda t: t.assign(s=2 * t.s - 1),
        ["if -1 means unlabeled, give --positive 1"],
    ),
    "a labeled negative": (
        lambda t: t.assign(s=t.s.where(t.index != 3, -1)),
        ["holds -1 in line 5", "--checked top"],
    ),
    "only labeled": (
        lambda t: t[t.s == 1],
        ["does not contain 0: there must be unlabeled examples"],
    ),
    "strange labels": (
        lambda t: t.assign(s=t.s + 1),
        ["1 for labeled and 0 for unlabeled, got 2", "--positive"],
    ),
    "labels as words": (
        lambda t: t.assign(s=np.where(t.s, "fraud", "ok")),
        ["in line 2", "--positive"],
    ),
    "blank labels": (
        lambda t: t.assign(s=t.s.where(t.s == 1)),
        ["got no value in line", "--positive"],
    ),
    "400 columns": (
        lambda t: pd.DataFrame(np.ones((3, 400))).add_prefix("c"),
        ["'c9' and 390 more", "--score"],
    ),
    "no such column": (
        lambda t: t.rename(columns={"s": "S"}),
        ["no column 's'", "'score', 'S'", "--label"],
    ),
    "a similar name": (lambda t: t.rename(columns={"score": "scores"}), ["did you mean 'scores'?"]),
    "no header": (
        lambda t: t.set_axis(["0.5", "1"], axis=1),
        ["no column 'score'", "first line seems to contain"],
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_line_with_its_place_and_remedy(name, table):
    damage, parts = BAD_FILES[name]
    damage(table).to_csv("bad.csv", index=False)
    with np.errstate(all="raise"):
        refused(run("evaluate", "bad.csv", *QUICK), "bad.csv", *parts)
        refused(run("compare-models", "good.csv", "bad.csv", *COMPARE), "bad.csv", *parts)


def as_text(table, mark=","):
    return table.assign(name=[f"n{row}" for row in table.index])[["name", "score", "s"]].to_csv(
        index=False, sep=mark
    )


BAD_TEXTS = {
    "two names that open a quotation mark": (
        lambda t: as_text(t).replace("n40,", '"n40,').replace("n180,", '"n180,'),
        [
            "bad.csv cannot be read: a quotation mark in line 42 makes the lines below it part of one value"
        ],
    ),
    **{
        f"thousands between {mark!r}": (
            lambda t, mark=mark: as_text(
                t.assign(score=[f"{900 + row:,}" for row in t.index]), mark
            ),
            [
                "column 'score' of bad.csv must hold numbers, got '1,000' in line 102",
                f"{NO_THOUSANDS}, and a point",
            ],
        )
        for mark in "\t;|"
    },
    "2^53 and 2^53 + 1": (
        lambda t: as_text(t.assign(score=[2**53, 2**53 + 1, *t.index[2:]])),
        [
            "column 'score' of bad.csv holds whole numbers beyond 2^53, of which 1 would become equal to a neighbor"
        ],
    ),
}


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_what_would_be_read_wrong_is_refused_by_each_command(name, table):
    damage, parts = BAD_TEXTS[name]
    with open("bad.csv", "w", newline="") as file:
        file.write(damage(table))
    refused(run("evaluate", "bad.csv", *QUICK), *parts)
    refused(run("compare-models", "good.csv", "bad.csv", *COMPARE), *parts)
    refused(run("audit", "bad.csv", "-o", "checks.csv"), *parts)
    assert sorted(os.listdir()) == ["bad.csv", "good.csv"]


BAD_COLUMNS = {
    "negative weight": ({"w": -1.0}, "--weight w", "weights of at least 0, got -1 in line 2"),
    "no weight": ({"w": np.nan}, "--weight w", "weights of at least 0, got no value in line 2"),
    "infinite weight": ({"w": np.inf}, "--weight w", "weights of at least 0, got inf in line 2"),
    "a word for a weight": (
        {"w": "much"},
        "--weight w",
        "weights of at least 0, got 'much' in line 2",
    ),
    "no cluster": (
        {"u": np.nan},
        "--cluster u",
        "must hold a value in every row (--cluster), got no value in line 2",
    ),
    "no such column": ({}, "--cluster contry", "no column 'contry': did you mean 'country'?"),
    "weight and label": ({}, "--weight s", "--weight s and --label s must name different columns"),
    "weight and cluster": (
        {},
        "--weight w --cluster w",
        "--weight w and --cluster w must name different columns",
    ),
    "an id twice": ({"id": 3}, "--id id", "holds '3' in line 2 and in line 5 (1 such rows)"),
    "no id": ({"id": np.nan}, "--id id", "got no value in line 2"),
}


@pytest.mark.parametrize("name", BAD_COLUMNS)
def test_a_bad_column_is_one_line(name, table):
    values, options, message = BAD_COLUMNS[name]
    number = np.arange(300)
    wide = table.sort_values("s", ascending=False)
    wide = wide.assign(w=1.0, u=number // 2, country="DE", id=number)
    for column, value in values.items():
        wide[column] = [value, *wide[column][1:]]
    wide.to_csv("bad.csv", index=False)
    refused(run("evaluate", "bad.csv", *QUICK, *options.split()), message)


BY_THE_LIBRARY = {
    "--alpha 1.5": "--alpha must lie in [0, 1], got 1.5: did you mean 0.015, that is 1.5%?",
    "--alpha 120%": "--alpha must lie in [0, 1], got 1.2",
    "--alpha .9 --beta .5": "--alpha must be smaller than beta, got alpha=0.9 and beta=0.5",
    "--alpha .3,.1": "--alpha must be a number or an interval",
    "--beta 0": "--beta must be larger than 0",
    "--rho 0": "--rho must exceed 0.2, got 0.0",
    "--priors bbx": "--priors must name an estimator, got 'bbx'",
    **{
        f"{kind}--beta .9": "--beta is 0.9 and alpha is not given"
        for kind in ("", "--uncertainty guaranteed ")
    },
    "--uncertainty guaranteed --alpha .2": "--uncertainty guaranteed and --alpha 0.2 contradict",
    "--noisy --beta .9": "--noisy and --beta 0.9 contradict",
    "--rho .5 --alpha 0.2": "--alpha 0.2 and --rho 0.5 contradict: rho determines alpha; omit one of them",
}
BY_THE_COMMAND = {
    "--alpha .2 --beta 1.5": "--beta must lie in [0, 1], got 1.5",
    "--bootstrap 2000000000": "--bootstrap must be at most 1000000",
    "--bootstrap -3": "--bootstrap must be at least 10",
    "--bootstrap many": "--bootstrap must be a whole number such as 100, got 'many'",
    "--bootstrap 1.5": "--bootstrap must be a whole number such as 100, got '1.5'",
    "--rho 30%": "--rho must be a number such as 0.3, got '30%'; see",
    "--threshold 0,5": "--threshold must be a number such as 0.3, got '0,5'",
    "--confidence 95": "--confidence must lie in (0, 1), got 95",
    "--confidence 1": "--confidence must lie in (0, 1), got 1",
    "--threshold nan": "--threshold must be a finite number, got nan",
    "--threshold inf": "--threshold must be a finite number, got inf",
    "--metric auc": "did you mean roc_auc?; see",
    "--metric f1-score": "did you mean f1?; see",
    "--metric ROC-AUC": "did you mean roc_auc?; see",
    "--metric x": "'lift_at_k'; see",
    "--metric f2": "Invalid value for '--metric': 'f2' is not one of 'roc_auc'",
    "--uncertainty sampling": "'sampling' is not one of 'calibrated', 'guaranteed'",
    "--alpha much": "--alpha must be a number such as 0.2 or a range",
    "--alpha .1,.2,.3": "--alpha must be a number such as 0.2 or a range",
    "--alpha 0,1,0,3": "a range such as 0.1,0.3",
    "--alpha 20": "got 20: did you mean 0.2, that is 20%?",
    "--alpha 10,30": "got 10,30: did you mean 0.1,0.3, that is 10%,30%?",
    "--alpha 0,2": "is a range, from 0 to 2: did you mean 0.2, that is 20%? A range within [0, 1] is written",
    "--alpha 0,05": "did you mean 0.05, that is 5%?",
    "--label score": "--label score and --score score must name different columns",
    "--label a\nb": r"no column 'a\nb'",
    "--unlabeled ok": "need --positive",
    "--positive ": "--positive is blank, and blank means unlabeled: give the value that means labeled",
    "--report nope/x.html": "--report nope/x.html cannot be written: folder nope does not exist",
    "--report -": "--report - cannot be written: standard output is used for the table; give a file name",
    "--report .": "--report . is a folder: give the name of a file in it",
    "--report good.csv": "--report good.csv would overwrite the input good.csv",
    "--report link.csv": "would overwrite the input good.csv",
    "--report out.pdf": "--report out.pdf cannot be written as .pdf: it is a .html file; name it out.html",
    "--id s": "--label s and --id s must name different columns",
}
ONLY = {
    "evaluate": {
        "--score a --score a": "--score a is named 2 times: name each model once",
        "--score score --score b": "no column 'b': it has 'score', 'other', 's'",
        "--fail-under roc_auc": "--fail-under must be a metric and a number such as roc_auc=0.85, got 'roc_auc'",
        "--fail-under auc=.8": "--fail-under must name one of roc_auc",
        "--fail-under f1=.8 --metric roc_auc": "--fail-under must name one of roc_auc, got 'f1': add --metric f1",
        "--fail-under f1=.8 --fail-under f1=.7": "--fail-under limits f1 to 0.8 and to 0.7: give one limit of each",
        "--fail-under roc_auc=85": "--fail-under roc_auc=85: roc_auc lies in [0, 1]",
        "--metric recall_at_k": "--metric recall_at_k needs --at, such as --at 100",
        "--metric precision": "--threshold is required for precision, which has no meaningful maximum: give a score",
        "--at 0": "--at must be a number of examples such as 100, or a share",
        "--population labeled": "is not one of 'unlabeled', 'all'",
        "--lower": "--lower needs --fail-under",
        "--lower --fail-under f1=.5 --bootstrap 0": "--lower needs intervals: give --bootstrap of at least 10",
        "--bootstrap 9": "--bootstrap must be at least 10, or 0 for no intervals, got 9",
    },
    "compare-models": {
        "--bootstrap 0": "--bootstrap must be at least 10, got 0",
        "--score score": "only one model is given, column 'score' of good.csv: give a second file, or",
        "--score a --score a": "--score a is named 2 times: name each model once",
        "good.csv --score score": "good.csv and its column 'score' are given twice",
        "good.csv --score a --score b --score c": "--score names 3 columns",
    },
}


@pytest.mark.parametrize(
    ("command", "options", "message", "is_early"),
    [
        *(
            (command, *pair, True)
            for command, own in ONLY.items()
            for pair in (BY_THE_COMMAND | own).items()
        ),
        *((command, *pair, False) for command in ONLY for pair in BY_THE_LIBRARY.items()),
        ("evaluate", "--at 99999", "is more than the", False),
    ],
)
def test_a_bad_option_is_named_before_anything_is_computed(
    command, options, message, is_early, table, monkeypatch
):
    def never(*_, **__):
        raise AssertionError("computed")

    table.assign(other=-table.score)[["score", "other", "s"]].to_csv("good.csv", index=False)
    os.symlink("good.csv", "link.csv")
    for name in ("assess", "compare_scores") if is_early else ():
        monkeypatch.setattr(f"pumetrics.assessment.{name}", never)
    two = command == "compare-models" and "--score" not in options
    bootstrap = [] if "--bootstrap" in options else ["--bootstrap", 12]
    files = ["good.csv", *(["--score", "score", "--score", "other"] if two else [])]
    result = run(command, *files, *options.split(" "), *bootstrap)
    refused(result, message)
    for python in ("n_bootstrap", "random_state", "=True", "=False", "method"):
        assert python not in result.stderr
    assert sorted(os.listdir()) == ["good.csv", "link.csv"], "nothing is written"


@given(st.integers(0, 1000).map(lambda each: each / 10))
def test_a_percentage_is_its_share(percent):
    assert alpha_of(f"{percent}%") == pytest.approx(percent / 100)
    assert alpha_of(f"{percent} %,100%") == pytest.approx((percent / 100, 1))


def test_no_file_a_folder_and_a_name_with_a_line_break(table):
    os.mkdir("folder.csv")
    refused(run("evaluate", "folder.csv"), "folder.csv is a folder: give a file")
    refused(
        run("evaluate", ""), ". is a folder: give a file"
    )  # such as that of a variable that is not set
    refused(run("evaluate", "a\nb.csv"), r"file a\nb.csv does not exist")
    refused(run("evaluate"), "Missing argument")
    refused(run("evaluat"), "evaluat")


def test_brackets_in_paths_are_no_markup(table):
    path = "[red]a[/]/x.csv"
    os.makedirs("[red]a[/]")
    table.to_csv(path, index=False)
    assert "labeled" in answered(run("evaluate", path, *QUICK))
    assert path in answered(run("compare-models", path, "good.csv", *COMPARE))
    assert "Report: [red]a[/]/r.html" in answered(
        run("evaluate", path, *QUICK, "--report", "[red]a[/]/r.html")
    )


def test_dollars_in_names_of_columns_are_no_formulas(table):
    names = ["cost $^$", r"\$x_$\y{$"]
    table.assign(**dict.fromkeys(names, table.score)).to_csv("good.csv", index=False)
    columns = [part for name in names for part in ("--score", name)]
    answered(run("compare-models", "good.csv", *columns, *COMPARE, "--report", "page.html"))
    assert names[0] in Path("page.html").read_text(encoding="utf-8")


def process(stdout, *options):
    code = [
        sys.executable,
        "-c",
        "from pumetrics.cli import app; app()",
        "evaluate",
        "good.csv",
        *map(str, options),
    ]
    return subprocess.run(code, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_output_is_one_line(table):
    with open("/dev/full", "w") as full:
        done = process(full, *QUICK)
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == [
        "standard output cannot be written: No space left on device; free some space or write elsewhere"
    ]
    full = run("evaluate", "good.csv", *QUICK, "--report", "/dev/full")
    refused(full, "--report /dev/full cannot be written: No space")


@pytest.mark.parametrize("limit", [0.1, 1.0])
def test_a_gate_decides_even_where_nothing_reads_the_output(limit, table):
    reader, writer = os.pipe()
    os.close(reader)
    done = process(writer, *QUICK, "--fail-under", f"roc_auc={limit}")
    os.close(writer)
    assert done.returncode == len(done.stderr.strip().splitlines()) == (limit == 1)


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        *((["fraud", value], "--positive fraud") for value in ("", "0", "-1", "False", "NaN")),
        (["fraud", "ok"], "--positive fraud --unlabeled ok"),
        *((["1", value], "--positive 1") for value in ("-1", "")),
        (["2", "1"], "--positive 2 --unlabeled 1"),
        (["True", ""], "--positive true"),
    ],
)
@pytest.mark.parametrize("mark", [",", ";"])
def test_labels_may_be_as_they_are(labels, options, mark, table):
    expected = without_next_step(answered(run("evaluate", "good.csv", *QUICK)))
    table.assign(s=np.where(table.s, *labels)).to_csv("own.csv", index=False, sep=mark)
    assert (
        without_next_step(answered(run("evaluate", "own.csv", *QUICK, *options.split())))
        == expected
    )


def test_labels_that_were_not_named_are_refused(table):
    table.assign(s=np.where(table.s, "fraud", "ok")).to_csv("own.csv", index=False)
    where = f"got 'ok' in line {np.argmin(table.s) + 2} (240 such"
    refused(run("evaluate", "own.csv", *QUICK, "--positive", "fraud"), where, "--unlabeled 'ok'")
    for unlabeled in ([], ["--unlabeled", "ok"]):
        asked = ["--positive", "Fraud", *unlabeled]
        refused(
            run("evaluate", "own.csv", *QUICK, *asked),
            "such rows): did you mean --positive 'fraud'?",
        )
        refused(run("audit", "own.csv", *asked), "such rows): did you mean --positive 'fraud'?")
    table.assign(s=np.where(table.s, "{0}", "{x}")).to_csv("own.csv", index=False)
    refused(run("evaluate", "own.csv", *QUICK, "--positive", "{0}"), "give --unlabeled '{x}'")
    refused(
        run("evaluate", "good.csv", *QUICK, "--positive", "theft", "--unlabeled", "1"),
        "does not contain 'theft'",
    )


def test_an_error_that_nobody_foresaw_is_one_line_with_a_status_of_its_own(table, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("pumetrics.reading.read_models", broken)
    found = run("evaluate", "good.csv", "--fail-under", "roc_auc=0.5")
    assert found.exit_code == 70, "1 to 3 have a meaning"
    assert found.stdout == ""
    (line,) = found.stderr.splitlines()
    assert re.match(
        r"unexpected ZeroDivisionError at evaluate.py:\d+: division\\nby zero\. .* report this line",
        line,
    )
    monkeypatch.setenv("PUMETRICS_TRACEBACK", "1")
    assert isinstance(run("evaluate", "good.csv").exception, ZeroDivisionError)
