"""What people type, and tables from spreadsheets: read as it is meant, or one line that says what is meant."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from pumetrics.assessment import assess
from pumetrics.cli import app
from pumetrics.cli._options import alpha_of

QUICK = ["--bootstrap", 0, "--metric", "roc_auc", "--alpha", 0.2]


def run(*arguments):
    return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["evaluate", *map(str, arguments)])


def refused(result, *parts):
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    for part in parts:
        assert part in result.stderr


def without_next_step(shown):
    """The answer without its last command, which names the file."""
    return shown.partition("Next:")[0]


def answered(result):
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(60, bool), rng.random(240) < 0.25]
    table = pd.DataFrame({"score": rng.normal(2.0 * y).round(3), "s": np.repeat([1, 0], [60, 240])})
    table.to_csv("scores.csv", index=False)
    return table


@given(st.integers(0, 1000).map(lambda each: each / 10))
def test_a_percentage_is_the_share_it_stands_for(percent):
    assert alpha_of(f"{percent}%") == pytest.approx(percent / 100)
    assert alpha_of(f"{percent} %,100%") == pytest.approx((percent / 100, 1))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("20", "did you mean 0.2, that is 20%?"),
        ("1.5", "did you mean 0.015, that is 1.5%?"),
        ("10,30", "did you mean 0.1,0.3, that is 10%,30%?"),
        ("0,2", "did you mean 0.2, that is 20%? A range within [0, 1] is written 0.1,0.3"),
        ("0,05", "did you mean 0.05, that is 5%?"),
        ("0,1", "did you mean 0.1, that is 10%?"),
        ("0,1,0,3", "a range such as 0.1,0.3"),
    ],
)
def test_an_alpha_beyond_1_is_told_what_it_may_mean(typed, meant, table):
    refused(run("scores.csv", "--alpha", typed), "--alpha", typed, meant)


def test_a_percentage_gives_the_numbers_of_its_share(table):
    texts = [answered(run("scores.csv", *QUICK[:4], "--alpha", each)) for each in ("0.2", "20%")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("option", "name", "meant"),
    [
        ("--report", "out.pdf", "it is a .html file; name it out.html"),
        ("--thresholds", "out.xlsx", "it is a .csv file; name it out.csv"),
    ],
)
def test_a_file_of_another_kind_is_not_written(option, name, meant, table, tmp_path):
    refused(run("scores.csv", option, name, *QUICK), f"{option} {name}", meant)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zip"])
def test_a_file_that_is_not_compressed_is_told_so(suffix, table, tmp_path):
    name = f"plain.csv{suffix}"
    table.to_csv(tmp_path / name, index=False, compression=None)
    refused(
        run(name, *QUICK), f"{name} cannot be read: it is not compressed, as {suffix} says", "rename it to end in .csv"
    )
    (tmp_path / name).write_bytes(b"")
    refused(run(name, *QUICK), name)


def test_half_a_compressed_file_is_one_line(table, tmp_path):
    whole = gzip.compress((tmp_path / "scores.csv").read_bytes())
    (tmp_path / "half.csv.gz").write_bytes(whole[: len(whole) // 2])
    refused(run("half.csv.gz", *QUICK), "half.csv.gz cannot be read")


def test_a_file_without_a_header_is_told_so(table):
    table.to_csv("bare.csv", index=False, header=False)
    refused(run("bare.csv", *QUICK), "bare.csv has no column 'score'", "first line seems to contain values", "above it")


@pytest.mark.parametrize("value", ["1,234.5", "1.234,5", "1'234.5", "1 234.5", "0,93"])
def test_thousands_separators_are_named(value, table):
    table.astype({"score": object}).assign(score=[value, *table["score"][1:]]).to_csv("odd.csv", index=False)
    refused(run("odd.csv", *QUICK), value, "without thousands separators")


@pytest.mark.parametrize("header", [" score , s ", "score, s", "\tscore,s  "])
def test_blanks_around_names_do_not_count(header, table, tmp_path):
    content = (tmp_path / "scores.csv").read_text().replace("score,s", header, 1)
    (tmp_path / "blanks.csv").write_text(content)
    shown = (without_next_step(answered(run(name, *QUICK))) for name in ("blanks.csv", "scores.csv"))
    assert next(shown) == next(shown)


def test_a_name_with_blanks_may_be_asked_for_as_it_is(table, tmp_path):
    content = (tmp_path / "scores.csv").read_text().replace("score,s", " score,s", 1)
    (tmp_path / "blanks.csv").write_text(content)
    shown = answered(run("blanks.csv", *QUICK, "--score", " score"))
    assert without_next_step(shown) == without_next_step(answered(run("scores.csv", *QUICK)))


def test_an_unknown_goal_is_told_which_there_are():
    message = r"goal has no key 'costfp': use one of cost_fp, cost_fn, min_precision, min_recall"
    with pytest.raises(ValueError, match=message):
        assess([1, 1, 0, 0, 0], [5.0, 4, 3, 2, 1], alpha=0.2, goal={"costfp": 1}, n_bootstrap=0)


def test_a_selection_of_one_is_none_however_it_is_typed(table):
    one, typed = (answered(run("scores.csv", *QUICK, "--beta", 0.95, "--selection", each)) for each in ("1", "1.0"))
    assert one == typed
