"""Files of scores as people have them: formats, compressions, encodings, delimiters, decimal marks, and damage."""

import gzip
import io
import subprocess
import sys
from dataclasses import replace
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from commands import answered, as_json, refused, run
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import gaussian

from pumetrics.assessment import _files as files
from pumetrics.assessment import _read as reader
from pumetrics.assessment import assess, count_file, read_scores
from pumetrics.assessment._files import line_of
from pumetrics.assessment._stream import area_error, count_batches
from pumetrics.counts import count_ranks, count_scores

ROWS = "score,s\n1.5,1\n0.5,0\n-1e-3,0\n"


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def is_as_written(scored):
    return scored.s.tolist() == [1, 0, 0] and scored.score.tolist() == [1.5, 0.5, -1e-3]


LATIN = "s,Größe,score\n1,\xe4,1.5\n0,\xf6,0.5\n0,,-1e-3\n".encode("latin-1")
QUOTED = 's,"a ""quoted"" name, with\na second line",score\n1,"x\ny",1.5\n0,,0.5\n0,z,-0.001\n'
SEMICOLONS = ROWS.replace(",", ";")


@pytest.mark.parametrize(
    "content",
    [
        *(ROWS.replace(",", mark) for mark in ",;\t|"),
        *(ROWS.replace(",", mark).replace(".", ",") for mark in ";\t|"),
        ROWS.replace("\n", "\r\n"), "\n\n" + ROWS.replace("\n", "\n\n"), ROWS.rstrip("\n"),
        *(ROWS.encode(encoding) for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")),
        SEMICOLONS.replace(".", ",").encode("utf-16"), LATIN, QUOTED,
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".CSV", ".txt"])
def test_delimiter_encoding_and_decimal_mark_are_found(content, suffix, write):
    assert is_as_written(read_scores(write(f"scores{suffix}", content)))


def test_text_may_be_separated_by_spaces(write):
    assert is_as_written(read_scores(write("scores.txt", ROWS.replace(",", " "))))
    assert is_as_written(read_scores(write("scores.txt", ROWS.replace("score", "my score")), score="my score"))


@pytest.mark.parametrize(
    "suffix",
    [".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip", ".tsv.gz", ".txt.BZ2", ".parquet", ".feather", ".arrow", ".PARQUET"],
)
def test_compressions_and_columns(suffix, tmp_path):
    table, path = pd.DataFrame({"s": [1, 0, 0], "score": [1.5, 0.5, -1e-3]}), tmp_path / f"scores{suffix}"
    save = {".parquet": table.to_parquet, ".feather": table.to_feather, ".arrow": table.to_feather}.get(suffix.lower())
    save(path) if save else table.to_csv(path, index=False)
    assert is_as_written(read_scores(path))


def zstandard(text):
    return pytest.importorskip("pyarrow").compress(text.encode("latin-1"), codec="zstd", asbytes=True)


def test_zstandard_is_read_as_what_it_holds(write):
    assert is_as_written(read_scores(write("scores.csv.zst", zstandard(ROWS))))
    long = zstandard("x|score|s\r\n" + "\xe9|1,5|1\r\n" * 9000 + "a|b|0\r\n")
    with pytest.raises(ValueError, match=r"scores\.csv\.zst must hold numbers, got 'b' in line 9002"):
        read_scores(write("scores.csv.zst", long))


def test_latin_1_far_down_a_file_is_read(write):
    content = b"name,score,s\n" + b"a,1,1\n" * 20_000 + "\xe9,0,0\n".encode("latin-1")
    assert len(read_scores(write("scores.csv", content)).s) == 20_001
    assert read_scores(write("other.csv", content.replace(b"name,score,s", "name,\xe9,s".encode("latin-1"))), score="é")


def two_files():
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        archive.writestr("a.csv", ROWS)
        archive.writestr("b.csv", ROWS)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("score,s\n1,1\n\n\nx,0\n", "got 'x' in line 5"),
        ('name,score,s\n"a\nb",1,1\n\n"c\nd",y,0\n', "got 'y' in line 5"),
        ("score;s\n1,5;1\nx;0\n", "got 'x' in line 3"),
        ("score;s\n1,5;1\n1.500;0\n", "got '1,5' in line 2"),
        ("score,s\n1,1\n1_0,0\n", "got '1_0' in line 3"),
        ("score,s\n1,1\n0,0\n2,\n", "got no value in line 4"),
        ("score,s\n1,1\n0,0\n2\n", "got no value in line 4"),
        ("score,s\n1,1\n-inf,0\n", "got -inf in line 3"),
        ("score,s\n1,1\n0,0.5\n", "got 0.5 in line 3"),
        ("score,s\n1,5,1\n0,5,0\n", "cannot be read: line 2 has more values than the header has names"),
        ("score,s\n1,1\n0,5,0\n", "cannot be read: line 3 has more values than the header has names"),
        ("score,s,s\n1,1,1\n", "2 columns named 's': keep one"),
        ('score,s\n"1,1\n0,0\n', "cannot be read"),
        ("", "cannot be read: it is empty"),
        ("\n \n", "cannot be read: it is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "cannot be read: it is not text but a PNG image"),
        (b"\x89PNG\r\n\x1a\n\x01\x02", "not text but a PNG image"),
        (b"%PDF-1.4\n%\xe2\xe3\n", "not text but a PDF"),
        (b"PK\3\4\x14\0", "an Excel workbook"),
        (b"\x1f\x8b\x08\0", "rename it to end in .gz"),
        (b"PAR1\x15", "rename it to end in .parquet"),
        (bytes(range(1, 32)) * 9, "it is not text"),
        (b"score,s\n1,1\n\0\0", "it is not text"),
        (b"sc\x1bore,s\n1,1\n", r"'sc\x1bore'"),
        ("score,s\n1,1\né,0\n".encode("latin-1"), "got 'é' in line 3"),
        ("score,s\n1,1\né,0\n".encode("utf-16"), "got 'é' in line 3"),
    ],
)
def test_damage_is_named_where_it_is(content, message, write):
    with pytest.raises(ValueError, match=r"scores\.csv") as error:
        read_scores(write("scores.csv", content))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *(
            (f"a.csv{suffix}", ROWS, f"it is not compressed, as {suffix} says; .* rename it to end in .csv")
            for suffix in (".gz", ".bz2", ".xz", ".zip", ".zst")
        ),
        *((f"a.{kind}", ROWS, f"it is damaged, or not a .{kind} file") for kind in ("parquet", "feather")),
        ("a.csv.gz", ROWS, "cannot be read"),
        *((f"a.csv{suffix}", b"", r"a\.csv") for suffix in (".gz", ".bz2", ".xz", ".zip")),
        ("a.csv.gz", gzip.compress(ROWS.encode() * 1000)[:-20], "cannot be read"),
        ("a.csv.zst", lambda: zstandard(ROWS)[:-4], "cannot be read"),
        ("a.csv.zip", two_files(), "it contains 2 files: keep one"),
        ("a.xlsx", b"PK", r"must be a \.csv, \.tsv, \.txt, \.parquet or \.feather file"),
    ],
)  # fmt: skip
def test_files_that_are_not_what_they_are_called_are_refused(name, content, message, write):
    with pytest.raises(ValueError, match=message):
        read_scores(write(name, content() if callable(content) else content))


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "scores.csv").mkdir()
    with pytest.raises(ValueError, match="is a folder: give a file"):
        read_scores(tmp_path / "scores.csv")


@pytest.mark.parametrize("wrong", ["", "1_0", "x", pd.Timestamp("2020")])
def test_the_value_of_a_column_that_is_no_number_is_named_where_it_is(wrong, tmp_path):
    scores = [wrong, wrong] if isinstance(wrong, pd.Timestamp) else ["0.5", wrong]
    pd.DataFrame({"score": scores, "s": [1, 0]}).to_parquet(tmp_path / "scores.parquet")
    with pytest.raises(ValueError, match=r"must hold numbers, got .* in row [12]") as error:
        read_scores(tmp_path / "scores.parquet")
    assert f"got {wrong!r} in row {1 + isinstance(wrong, str)}" in str(error.value)


def test_lines_are_counted_as_an_editor_counts_them(write):
    rng = np.random.default_rng(0)
    lines, lines_of_rows = ["score,s"], []
    for _ in range(200):
        lines += [""] * rng.integers(0, 3)
        lines_of_rows.append(len(lines) + 1)
        lines.append("1,1")
    path = write("scores.csv", "\n".join(lines))
    for row in rng.choice(200, 10):
        assert line_of(path, row) == f"line {lines_of_rows[row]}"


def test_text_needs_no_pyarrow_and_columns_say_what_to_install(write, tmp_path):
    write("scores.csv", ROWS)
    pd.DataFrame({"score": [1.0, 0.0], "s": [1, 0]}).to_parquet(tmp_path / "scores.parquet")
    write("scores.csv.zst", b"(\xb5/\xfd")
    code = """
import sys
sys.modules.update(dict.fromkeys(["compression", "pyarrow", "numba", "matplotlib", "seaborn"]))
from typer.testing import CliRunner
from pumetrics.cli import app

def run(*arguments):
    result = CliRunner().invoke(app, ["evaluate", *arguments, "--alpha", "0.2", "--bootstrap", "0"])
    print(result.exit_code, result.stderr.strip())

run("scores.csv")
run("scores.parquet")
run("scores.csv.zst")
run("scores.csv", "--report", "page.html")
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    install = "which is not installed: pip install"
    assert result.stdout.splitlines() == [
        "0 ",
        f"2 reading scores.parquet needs pyarrow, {install} 'pumetrics[parquet]'",
        f"2 reading scores.csv.zst needs pyarrow, {install} 'pumetrics[parquet]'",
        f"2 --report needs matplotlib, {install} 'pumetrics[plots]'",
    ]


# Files larger than memory: counts of a stream are those of all rows at once, and say what they do not tell apart.


pytest.importorskip("pyarrow")
QUICK = ["--bootstrap", "0", "--alpha", "0.1"]


def sample(n, *, decimals=None, seed=0):
    """Rows in no order, 3% of them labeled."""
    drawn = gaussian(seed, round(0.03 * n), n - round(0.03 * n), alpha=0.07, digits=decimals)
    return pd.DataFrame({"score": drawn.y_score, "s": drawn.s.astype(np.int8)}).sample(
        frac=1, random_state=0, ignore_index=True
    )


def in_parts(table, size):
    """Batches as :func:`count_batches` takes them."""
    scores, labeled = table["score"].to_numpy(), table["s"].to_numpy() == 1

    def batches():
        for start in range(0, len(table), size):
            part, mask = scores[start : start + size], labeled[start : start + size]
            yield part[mask], part[~mask]

    return batches


def same(first, second):
    for one, other in zip(first[:3], second[:3], strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=60).filter(
        lambda rows: len({labeled for _, labeled in rows}) == 2
    ),
    st.integers(1, 20),
)
def test_few_scores_give_the_counts_of_all_rows_at_once(rows, size):
    table = pd.DataFrame(rows, columns=["score", "s"]).astype({"score": float, "s": np.int8})
    counts, exact = count_batches(in_parts(table, size))
    assert exact
    same(counts, count_scores(table.s, table.score))


@pytest.mark.parametrize("order", ["shuffled", "by score", "by label"])
def test_many_scores_are_counted_exactly_at_spread_thresholds(order):
    table = sample(40_000)
    if order != "shuffled":
        table = table.sort_values({"by score": "score", "by label": "s"}[order])
    few, exact = count_batches(in_parts(table, 999), most_distinct=1000, n_thresholds=200)
    full = count_scores(table.s, table.score)
    assert not exact
    assert 300 < len(few.thresholds) <= 404
    at = full.at(few.thresholds)
    same(few, type(full)(full.thresholds[at], full.labeled[at], full.unlabeled[at]))
    assert (few.n_labeled, few.n_unlabeled) == (full.n_labeled, full.n_unlabeled)
    # Groups hold about equal shares of either sample, whatever the order of the rows.
    assert max(np.diff(few.tpr_pu).max(), np.diff(few.fpr_pu).max()) < 0.02
    change = np.trapezoid(full.tpr_pu, full.fpr_pu) - np.trapezoid(few.tpr_pu, few.fpr_pu)
    assert 0 < abs(change) <= area_error(few) < 0.002


def test_the_error_of_grouping_is_reached_by_the_worst_order():
    """Within one group all labeled score above all unlabeled: the area of the group's rectangle, halved, is lost."""
    few, _ = count_batches(
        lambda: iter([(np.array([3.0, 2.9, 0.0]), np.array([2.0, 1.0, 0.0]))]), most_distinct=1, n_thresholds=1
    )
    full = count_scores([1, 1, 1, 0, 0, 0], [3.0, 2.9, 0.0, 2.0, 1.0, 0.0])
    assert np.trapezoid(full.tpr_pu, full.fpr_pu) - np.trapezoid(few.tpr_pu, few.fpr_pu) <= area_error(few)


def test_a_threshold_that_is_asked_for_is_kept():
    table = sample(5000)
    counts, _ = count_batches(in_parts(table, 500), threshold=0.123, most_distinct=10, n_thresholds=20)
    at = counts.at(0.123)
    assert counts.labeled[at] == ((table.score >= 0.123) & (table.s == 1)).sum()
    assert counts.unlabeled[at] == ((table.score >= 0.123) & (table.s == 0)).sum()


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow", "folder"])
def test_a_file_in_one_or_several_parts(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_BATCH", 100)
    table = sample(1000, decimals=2)
    table.loc[::50, "score"] = np.nan
    path = tmp_path / f"scores.{suffix}"
    if suffix == "folder":
        path.mkdir()
        for i in range(3):
            table[i * 400 : (i + 1) * 400].to_parquet(path / f"part-{i}.parquet")
        (path / "_SUCCESS").write_text("")
    elif suffix == "parquet":
        table.to_parquet(path, row_group_size=170)
    else:
        table.to_feather(path)
    counted = count_file(path)
    there = table.score.notna()
    same(counted.score, count_scores(table.s[there], table.score[there]))
    twice = count_file([path, str(path)])
    assert (twice.n_rows, twice.score.n_labeled) == (2000, 2 * counted.score.n_labeled)
    assert (counted.n_rows, counted.n_used) == (1000, 980)
    assert counted.notes[0].startswith(f"20 of 1000 rows of {path} have no value in column 'score' and are skipped")
    assert "first in row 1)" in counted.notes[0]
    assert "distinct scores is counted" in counted.notes[1]


def test_labels_may_be_as_they_are_and_negatives_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_BATCH", 100)
    table = sample(1000, decimals=2)
    expected = count_scores(table.s, table.score)
    path = tmp_path / "scores.parquet"
    words = pd.Series(np.where(table.s == 1, "fraud", "ok"))
    for column in (words, words.astype("category")):
        table.assign(s=column).to_parquet(path)
        same(count_file(path, positive="fraud", unlabeled=["ok"]).score, expected)
    more = pd.concat([table, pd.DataFrame({"score": [9.0, 8.0], "s": [-1, -1]})])
    more.to_parquet(path)
    with pytest.raises(ValueError, match=r"column 's' of .* holds -1, a labeled negative \(2 such rows\)"):
        count_file(path)
    counted = count_file(path, ignore_negatives=True)
    same(counted.score, expected)
    assert counted.notes[0].startswith("2 labeled negatives (-1) are ignored")


BAD = {
    "text": ({"score": ["1", "2", "x", "3"]}, "must hold numbers, got 'x' in row 3 (1 such rows)"),
    "infinite": ({"score": [1.0, 2.0, 3.0, np.inf]}, "must hold finite numbers, got inf in row 4"),
    "constant": ({"score": [1.0, 1.0, 1.0, 1.0]}, "holds 1 in every row"),
    "missing": ({"score": [np.nan] * 4}, "is empty"),
    "huge": ({"score": [1.0, 2.0, 1e200, 3.0]}, "between 1e-100 and 1e+100, got 1e+200 in row 3: rescale"),
    "tiny": ({"score": [0.0, 0.0, 0.0, 1e-300]}, "in row 4: rescale"),
    "labels": ({"s": [1, 0, 0, 7]}, "must hold 1 for labeled and 0 for unlabeled, got 7 in row 4"),
    "no unlabeled": ({"s": [1, 1, 1, 1]}, "does not contain 0: there must be unlabeled examples"),
    "no rows": ({"score": [0.0][:0], "s": [0][:0]}, "has no rows"),
    "no labeled": ({"s": [0, 0, 0, 0]}, "does not contain 1: there must be labeled examples"),
    "dates": ({"score": pd.date_range("2020", periods=4)}, "must hold numbers, got Timestamp"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_one_line_with_its_row(name, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_BATCH", 2)
    columns, part = BAD[name]
    path = tmp_path / "scores.parquet"
    pd.DataFrame({"score": [1.0, 2.0, 3.0, 4.0], "s": [1, 0, 0, 0]} | columns).to_parquet(path)
    with np.errstate(all="raise"), pytest.raises(ValueError, match=r"scores\.parquet") as error:
        count_file(path)
    assert part in str(error.value)
    assert "\n" not in str(error.value)


def test_damage_and_missing_columns_are_said(tmp_path):
    path = tmp_path / "scores.parquet"
    sample(5000).to_parquet(path)
    for columns, message in (({"score": "x"}, "has no column 'x'"), ({"score": "s"}, "must name different columns")):
        with pytest.raises(ValueError, match=message):
            count_file(path, **columns)
    path.write_bytes(path.read_bytes()[:-100])
    (tmp_path / "empty").mkdir()
    for name, message in (("scores.parquet", "cannot be read"), ("empty", r"must be a \.parquet, .*, or a folder")):
        with pytest.raises(ValueError, match=message):
            count_file(tmp_path / name)


def test_an_assessment_of_counts_is_that_of_the_rows():
    """With more rows than are drawn one by one, so that resamples are the same as well."""
    table = sample(100_500, decimals=2)
    counts = count_scores(table.s, table.score)
    for options in ({"alpha": 0.07}, {}, {"alpha": (0.05, 0.09), "threshold": 1.0}, {"selection": [1, 2]}):
        options = {"n_bootstrap": 12, **options}
        rows, counted = assess(table.s, table.score, **options), assess(None, counts, **options)
        assert replace(rows, priors=None) == replace(counted, priors=None)


def test_ranks_of_counts_are_those_of_the_last_of_each_tie():
    table = sample(2000, decimals=1)
    rows, counted = count_ranks(table.s, table.score), count_ranks(None, count_scores(table.s, table.score))
    for name in ("labeled", "unlabeled", "labeled_negatives"):
        np.testing.assert_array_equal(getattr(rows, name)[rows.ends], getattr(counted, name)[counted.ends])
    assert (rows.heads == rows.ends + 1).all()
    np.testing.assert_array_equal(rows.heads, counted.heads)
    with pytest.raises(ValueError, match="s must be None"):
        count_scores(table.s, count_scores(table.s, table.score))
    with pytest.raises(ValueError, match="labeled negatives"):
        count_ranks(None, count_scores(table.s, table.score), need=(-1, 0))


def test_the_command_streams_a_large_file_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = sample(4000, decimals=2)
    table.assign(other=sample(4000, seed=1).score).to_parquet("scores.parquet")
    whole = as_json("evaluate", "scores.parquet", *QUICK)
    monkeypatch.setattr(reader, "STREAMED_FROM", 4000)
    monkeypatch.setattr("pumetrics.assessment._read.read_models", None)
    streamed = as_json("evaluate", "scores.parquet", *QUICK)
    each = f"each of its {table.score.nunique()} distinct scores is counted, so results are exact"
    assert streamed["warnings"].pop(0) == f"scores.parquet was read in batches; {each}"
    assert streamed == whole
    both = as_json("evaluate", "scores.parquet", "--score", "score", "--score", "other", *QUICK)
    assert both["models"][0]["scores"] == whole["scores"]


def test_a_folder_of_parts_is_one_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = sample(3000)
    table.to_parquet("whole.parquet")
    (tmp_path / "parts").mkdir()
    table[:1000].to_parquet("parts/a.parquet")
    table[1000:].to_parquet("parts/b.parquet")
    whole, parts = (as_json("evaluate", name, *QUICK) for name in ("whole.parquet", "parts"))
    assert parts["scores"] == whole["scores"]
    assert parts["files"][0]["rows"] == 3000
    assert len(parts["files"][0]["sha256"]) == 64
    refused(run("evaluate", "parts", *QUICK, "--id", "name"), "without single rows: give one file")
    answered(run("evaluate", "parts", *QUICK, "--report", "page.html"))
    assert "AUC" in (tmp_path / "page.html").read_text()
