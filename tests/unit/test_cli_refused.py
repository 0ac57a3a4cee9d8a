"""A bad input is one line that says where and what to do, exit status 2, and nothing is computed or written."""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from commands import COMPARE, QUICK, answered, refused, run, scores, without_next_step
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pumetrics.cli.options import alpha_of


@pytest.fixture
def table(tmp_path, monkeypatch):
    """The scores of good.csv."""
    monkeypatch.chdir(tmp_path)
    table = scores()
    table.to_csv("good.csv", index=False)
    return table


DAMAGES = {
    "text": {"score": ["high", *range(299)]},
    "control bytes": {"score": ["1\x1b[31m", *range(299)]},
    "labels": {"s": 2},
    "columns": {"score": None},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_bad_file_is_refused_alike_by_each_command(name, table):
    bad = table.assign(**DAMAGES[name]).dropna(axis=1)
    bad.to_csv("bad.csv", index=False)
    lines = set()
    for command in (
        ["evaluate", "bad.csv", *QUICK],
        ["compare-models", "good.csv", "bad.csv", *COMPARE],
        ["audit", "bad.csv", "-o", "checks.csv"],
    ):
        result = run(*command)
        refused(result, "bad.csv")
        lines.add(result.stderr)
    assert len(lines) == 1
    assert sorted(os.listdir()) == ["bad.csv", "good.csv"]


BY_THE_LIBRARY = {
    "--alpha 1.5": "--alpha must lie in [0, 1], got 1.5: did you mean 0.015, that is 1.5%?",
    "--alpha .9 --beta .5": "--alpha must be smaller than beta, got alpha=0.9 and beta=0.5",
    "--alpha .3,.1": "--alpha must be a number or an interval",
    "--beta 0": "--beta must be larger than 0",
    "--rho 0": "--rho must exceed 0.2, got 0.0",
    **{
        f"{kind}--beta .9": "--beta is 0.9 and alpha is not given"
        for kind in ("", "--uncertainty guaranteed ")
    },
    "--uncertainty guaranteed --alpha .2": "--uncertainty guaranteed and --alpha 0.2 contradict",
    "--rho .5 --alpha 0.2": "--alpha 0.2 and --rho 0.5 contradict: each of them determines alpha; give one",
}
BY_THE_COMMAND = {
    "--bootstrap -3": "--bootstrap must be at least 10",
    "--bootstrap many": "--bootstrap must be a whole number such as 100, got 'many'",
    "--rho many": "--rho must be a share such as 0.3 or 30%, got 'many'",
    "--threshold 0,5": "--threshold must be a number such as 0.3, got '0,5'",
    "--confidence 95": "--confidence must lie in (0, 1), got 95",
    "--threshold inf": "--threshold must be a finite number, got inf",
    "--metric auc": "got 'auc'; did you mean roc_auc?",
    "--uncertainty sampling": "--uncertainty must be one of calibrated, guaranteed, got 'sampling'",
    "--alpha much": "--alpha must be a number such as 0.2 or a range",
    "--alpha 20": "got 20: did you mean 0.2, that is 20%?",
    "--alpha 0,2": "is a range, from 0 to 2: did you mean 0.2, that is 20%? A range within [0, 1] is written",
    "--label score": "--label score and --score score must name different columns",
    "--unlabeled ok": "need --positive",
    "--positive ": "--positive is blank, and blank means unlabeled: give the value that means labeled",
    "--report nope/x.html": "--report nope/x.html cannot be written: folder nope does not exist",
    "--report -": "--report - cannot be written: standard output is used for the table; give a file name",
    "--report .": "--report . is a folder: give the name of a file in it",
    "--report good.csv": "--report good.csv would overwrite the input good.csv",
    "--report out.pdf": "--report out.pdf cannot be written: it is a .html file, not .pdf; name it out.html",
}
ONLY = {
    "evaluate": {
        "--score a --score a": "--score a is named 2 times: name each model once",
        "--score score --score b": "no column 'b': it has 'score', 'other', 's'",
        "--fail-under roc_auc": "--fail-under must be a metric and a number such as roc_auc=0.85, got 'roc_auc'",
        "--fail-under auc=.8": "--fail-under must name one of roc_auc",
        "--fail-under f1=.8 --fail-under f1=.7": "--fail-under limits f1 to 0.8 and to 0.7: give one limit of each",
        "--fail-under roc_auc=85": "--fail-under roc_auc=85: roc_auc lies in [0, 1]",
        "--metric recall_at_k": "--metric recall_at_k needs --at, such as --at 100",
        "--metric precision": "--threshold is required for precision, which has no meaningful maximum: give a score",
        "--at 0": "--at must be a number of examples such as 100, or a share",
        "--lower": "--lower needs --fail-under",
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


NUMBERS = ["--beta", "--rho", "--threshold", "--confidence", "--bootstrap", "--alpha"]
NAMES = [
    "--metric",
    "--population",
    "--uncertainty",
    "--checked",
    "--priors",
    "--fail-under",
    "--at",
]
NOTHING = st.text(
    st.characters(blacklist_categories=["Cs", "Nd"], blacklist_characters="-\0"), min_size=1
)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from([*NUMBERS, *NAMES]), NOTHING)
def test_whatever_is_wrong_with_an_option_is_one_line_that_names_it(option, value):
    assume(value.strip().lower() not in ("nan", "inf", "infinity", "all"))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scores.csv"
        scores(4, 8).to_csv(file, index=False)
        checks = ["--checks", file] if option == "--checked" else []
        refused(run("evaluate", file, *checks, option, value), option)


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


@pytest.mark.slow
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


def process(stdout, *options, stderr=subprocess.PIPE):
    code = [
        sys.executable,
        "-c",
        "from pumetrics.cli import app; app()",
        "evaluate",
        "good.csv",
        *map(str, options),
    ]
    return subprocess.run(code, stdout=stdout, stderr=stderr, text=True, check=False)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.1, 1.0])
def test_a_gate_decides_even_where_nothing_reads_the_output(limit, table):
    reader, writer = os.pipe()
    os.close(reader)
    done = process(writer, *QUICK, "--fail-under", f"roc_auc={limit}")
    os.close(writer)
    assert done.returncode == len(done.stderr.strip().splitlines()) == (limit == 1)


@pytest.mark.slow
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


WITHOUT_EXTRA = """
import sys

sys.modules |= dict.fromkeys(["filelock", "pooch", "psutil", "requests", "snakemake", "yaml"])
from commands import refused, run

for command in sys.argv[1:]:
    refused(run(*command.split()), "pip install 'pumetrics[workflow]'")
"""


@pytest.mark.slow
def test_commands_on_the_papers_name_the_extra_that_they_need():
    commands = ["new-study elkan2008", "reference report", "reference check", "datasets show pima"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRA, *commands],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, "tests"])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_module_that_evaluate_lacks_is_a_fault_and_no_matter_of_an_extra(monkeypatch, tmp_path):
    def broken(*_, **__):
        raise ModuleNotFoundError("No module named 'absent'", name="absent")

    monkeypatch.setattr("pumetrics.cli.evaluate.assess", broken, raising=False)
    monkeypatch.setattr("pumetrics.assessment.assess", broken)
    path = tmp_path / "scores.csv"
    path.write_text("s,score\n" + "1,0.9\n0,0.2\n0,0.4\n" * 30)
    result = run("evaluate", path, "--label", "s", "--score", "score")
    assert result.exit_code == 70, result.output
    assert "pumetrics[workflow]" not in result.output


@pytest.mark.slow
def test_a_closed_stderr_changes_no_status(table):
    for options, status in (((*QUICK, "--fail-under", "roc_auc=1"), 1), (("--score", "no"), 2)):
        reader, writer = os.pipe()
        os.close(reader)
        done = process(writer, *options, stderr=writer)
        os.close(writer)
        assert done.returncode == status
