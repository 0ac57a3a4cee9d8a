"""`pumetrics compare`: equal is equal, and what differs is named with its size."""

import shutil
from functools import partial

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from commands import answered, refused, run
from hypothesis import given

from pumetrics_workflow import tables
from pumetrics_workflow.compare import compare_runs, differences

compare = partial(run, "compare")


@pytest.fixture
def runs(tmp_path):
    """Return two results folders that hold the same."""
    first, second = tmp_path / "a", tmp_path / "b"
    study = first / "ramola2019"
    (study / "tables").mkdir(parents=True)
    frame = pd.DataFrame({"dataset": ["pima", "wine"], "auc": [0.5, 0.75], "seconds": [1.0, 2.0]})
    frame.to_csv(study / "tables/accuracy.csv", index=False)
    names = {"dataset": "pima", "model": "mlp", "labeling": "beta=1", "method": "bbe", "status": ""}
    priors = pd.DataFrame({"repeat": [0, 1], "alpha": [0.2, 0.3], "seconds": [0.1, 0.2], **names})
    priors = priors.assign(beta=1.0, alpha_true=0.25, beta_true=1.0)
    tables.write("priors", priors, study / "priors/pima/mlp/000-001.parquet", seed=1)
    (study / "report.html").write_text("monday", encoding="utf-8")
    shutil.copytree(first, second)
    return first, second


def rewrite(folder, change):
    path = folder / "ramola2019/tables/accuracy.csv"
    frame = pd.read_csv(path)
    change(frame)
    frame.to_csv(path, index=False)


def test_equal_runs_are_equal_whatever_their_reports_say(runs):
    (runs[1] / "ramola2019/report.html").write_text("tuesday", encoding="utf-8")
    assert "2 tables are byte-identical" in answered(compare(*runs))


@pytest.mark.parametrize("allowed", [("--tolerance", "0.001"), ("--rtol", "0.001")])
def test_what_is_allowed_is_equal(runs, allowed):
    rewrite(runs[1], lambda frame: frame.__setitem__("auc", [0.5, 0.7501]))
    assert compare(*runs, *allowed).exit_code == 0
    assert compare(*runs, allowed[0], "1e-6").exit_code == 1


@pytest.mark.parametrize(("values", "equal"), [([9.0, 7.0, 0.5], True), ([1.0, 2.0, 0.6], False)])
def test_rows_about_times_are_left_out(values, equal, tmp_path):
    first = pd.DataFrame(
        {"statistic": ["seconds", "seconds_training", "regret"], "value": [1.0, 2.0, 0.5]}
    )
    paths = [tmp_path / name for name in ("a.parquet", "b.parquet")]
    for frame, path in zip((first, first.assign(value=values)), paths, strict=True):
        frame.to_parquet(path, index=False)
    assert compare_runs(*paths).equal is equal


def test_missing_and_extra_tables_are_named_with_their_side(runs):
    (runs[1] / "ramola2019/tables/accuracy.csv").rename(runs[1] / "ramola2019/tables/f1.csv")
    said = compare(*runs)
    assert said.exit_code == 1
    assert f"only in {runs[0]}: ramola2019/tables/accuracy.csv" in said.output
    assert f"only in {runs[1]}: ramola2019/tables/f1.csv" in said.output


@pytest.mark.parametrize(
    ("column", "values", "words", "status"),
    [
        (
            "auc",
            [0.5, 0.7501],
            "auc: 1 of 2 rows, by 0.0001 at most (row 1: 0.75 against 0.7501)",
            1,
        ),
        ("seconds", [7.0, 8.0], "times were ignored in 1 tables", 0),
        ("f1", 0.5, "different columns: f1", 1),
        ("auc", None, "different columns: auc", 1),
        ("dataset", ["pima", "vine"], "(row 1: wine against vine)", 1),
        ("auc", [0.5, np.nan], "by inf at most", 1),
    ],
)
def test_what_differs_is_named_with_its_size_and_place(runs, column, values, words, status):
    def change(frame):
        frame.pop(column) if values is None else frame.__setitem__(column, values)

    rewrite(runs[1], change)
    said = compare(*runs)
    assert said.exit_code == status, said.output
    assert words in said.output
    assert ("different: ramola2019/tables/accuracy.csv" in said.output) is bool(status)


def test_a_study_and_a_single_table_can_be_compared(runs):
    studies = [run / "ramola2019" for run in runs]
    assert compare(*studies).exit_code == 0
    assert compare(*(study / "tables/accuracy.csv" for study in studies)).exit_code == 0
    assert compare(*(study / "priors/pima/mlp/000-001.parquet" for study in studies)).exit_code == 0


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("a", "c", "c does not exist"),
        ("a", "a/ramola2019/report.html", "compare two folders or two files"),
        ("a/ramola2019/report.html", "b/ramola2019/report.html", "contains no table"),
        ("a", "b", "000-001.parquet cannot be read"),
    ],
)
def test_what_cannot_be_compared_is_one_line_and_exit_status_2(runs, first, second, words):
    (runs[1] / "ramola2019/priors/pima/mlp/000-001.parquet").write_bytes(b"PAR1 cut off")
    refused(compare(runs[0].parent / first, runs[0].parent / second), words)


NUMBERS = st.lists(
    st.floats(allow_nan=True, allow_infinity=True) | st.integers(-5, 5).map(float), min_size=1
)


@given(NUMBERS)
def test_a_table_equals_itself(values):
    frame = pd.DataFrame({"x": values})
    assert differences(frame, frame.copy()) == []


@given(NUMBERS, st.data())
def test_differences_are_symmetric_and_are_those_of_the_values(values, data):
    others = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(values), max_size=len(values)))
    first, second = pd.DataFrame({"x": values}), pd.DataFrame({"x": others})
    there, back = (differences(*pair) for pair in ((first, second), (second, first)))
    assert [line.partition(" (")[0] for line in there] == [line.partition(" (")[0] for line in back]
    assert bool(there) == (values != others)
    largest = np.abs(np.subtract(values, others)).max()
    if np.isfinite(largest):
        assert differences(first, second, tolerance=largest) == []
