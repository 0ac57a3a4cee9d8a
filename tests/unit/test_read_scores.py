"""Files of scores as people have them: formats, compressions, encodings, delimiters, decimal marks, and damage."""

import gzip
import io
import os
import re
import subprocess
import sys
from types import SimpleNamespace
from unicodedata import normalize
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from pumetrics.reading import read_models, read_scores
from pumetrics.reading._sources import opened
from pumetrics.reading._text import line_of

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
MAILS = 's,text,score\n1,"Dear A,\nhello, B",1.5\n0,"so ""long"" ""it, is",0.5\n0,5" pipe,-0.001\n'
LONG = f's,text,score\n1,"{"a,b" * 99_999}",1.5\n0,,0.5\n0,z,-0.001\n'
COMMENTS = '#\n# n = 3, by "me\n\n# see x,"y\n'
SEMICOLONS = ROWS.replace(",", ";")
GENES = "".join(f"gene number {number}," for number in range(6_000))
WIDE = f"{GENES}score,s\n" + "".join(f"{'0.5,' * 6_000}{row}\n" for row in ROWS.splitlines()[1:])


@pytest.mark.parametrize(
    "content",
    [
        *(ROWS.replace(",", mark) for mark in ",;\t|"),
        *(ROWS.replace(",", mark).replace(".", ",") for mark in ";\t|"),
        ROWS.replace("\n", "\r\n"),
        "\n\n" + ROWS.replace("\n", "\n\n"),
        ROWS.rstrip("\n"),
        *(ROWS.encode(encoding) for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")),
        SEMICOLONS.replace(".", ",").encode("utf-16"),
        LATIN,
        QUOTED,
        MAILS,
        LONG,
        WIDE,
        WIDE.encode("utf-16"),
        f"sep=;\n{SEMICOLONS}",
        f'\ufeff"sep=;"\r\n{SEMICOLONS}',
        f"sep=:\n{ROWS.replace(',', ':')}",
        COMMENTS + ROWS,
        COMMENTS + QUOTED,
        (COMMENTS + ROWS).encode("utf-16"),
        f"#,{ROWS}".replace("\n", "\n7,")[:-2],
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".CSV", ".txt"])
def test_delimiter_encoding_and_decimal_mark_are_found(content, suffix, write):
    assert is_as_written(read_scores(write(f"scores{suffix}", content)))


def test_text_may_be_separated_by_spaces(write):
    assert is_as_written(read_scores(write("scores.txt", ROWS.replace(",", " "))))
    assert is_as_written(
        read_scores(write("scores.txt", ROWS.replace("score", "my score")), score="my score")
    )
    table = pd.DataFrame({"my id": ["a", "b b", "c"], "score": [1.5, 0.5, -1e-3], "s": [1, 0, 0]})
    assert is_as_written(
        read_scores(write("scores.txt", table.drop(columns="my id").to_string(index=False)))
    )
    aligned = '"my id"   score  s \n a      1.5   1\n"b b"   0.5   0  \n c  -1e-3  0\n'
    assert is_as_written(read_scores(write("scores.txt", aligned)))
    with pytest.raises(
        ValueError, match=r"line 3 has fewer values than the header has names \(3\)"
    ):
        read_scores(write("scores.txt", aligned.replace("0.5", "   ")))
    with pytest.raises(
        ValueError, match=r"if blanks separate its columns, rename it to end in \.txt"
    ):
        read_scores(write("scores.csv", aligned.replace('"my id"', "id")))


def swallowed(*changes):
    """Rows with names, some of which are changed."""
    rows = [
        "name,score,s",
        *(f"n{number},{number / 100},{number % 5 // 4}" for number in range(300)),
    ]
    for number, old, new in changes:
        rows[number] = rows[number].replace(old, new)
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        swallowed((40, "n", '"n'), (180, "n", '"n')),
        swallowed((40, "n", '"n'), (180, "n179", 'n179"')),
        swallowed((40, "n", '"n'), (41, "n40", 'n40"')),
        swallowed((40, "n", '"n')),
        swallowed((40, "n", '"n'), (180, "n179,1", 'n179",1'), (90, "n89", '"n,8"9')),
    ],
    ids=["two open", "closed far below", "closed in the next row", "never closed", "another one"],
)
@pytest.mark.parametrize("marks", [",.", ";.", ";,", "\t.", "|,"])
def test_a_quotation_mark_that_swallows_rows_is_refused(content, marks, write):
    path = write("scores.csv", content.translate(str.maketrans(",.", marks)))
    with pytest.raises(
        ValueError,
        match="cannot be read: a quotation mark in line 41 makes the lines below it part",
    ):
        read_scores(path)


WHOLE = {
    "all": ([2**53, 2**53 + 1, 5, 7], "Int64"),
    "one missing": ([2**53, 2**53 + 1, None, 5], "Int64"),
    "negative": ([-(2**53) - 1, -(2**53), None, 5], "Int64"),
    "one not whole": ([2**53, f"+{2**53 + 1}", 0.5], str),
    "beyond 64 bits": ([10**20, 10**20 + 1, 5], str),
}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_that_would_become_equal_are_refused(ending, name, tmp_path):
    path, (whole, kind) = tmp_path / f"scores.{ending}", WHOLE[name]
    table = pd.DataFrame({"score": pd.Series(whole, dtype=kind), "s": [1, 0, 0, 0][: len(whole)]})
    table.to_parquet(path) if ending == "parquet" else table.to_csv(path, index=False)
    with pytest.raises(
        ValueError, match=r"holds whole numbers beyond 2\^53, of which 1 would become equal"
    ):
        read_scores(path)
    table.assign(score=table["score"].astype(float)).to_csv(tmp_path / "floats.csv", index=False)
    assert (
        read_scores(tmp_path / "floats.csv", unscored="skip").n_used == table["score"].notna().sum()
    ), "floats that are equal are equal"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_name_is_the_same_in_each_unicode_form(form, ending, tmp_path):
    path, other = tmp_path / f"scores.{ending}", {"NFC": "NFD", "NFD": "NFC"}[form]
    table = pd.DataFrame({"Größe": [1.5, 0.5, -1e-3], "Erträge": ["é", "", ""]}).rename(
        columns=lambda each: normalize(form, each)
    )
    table = table.map(lambda each: normalize(form, each) if isinstance(each, str) else each)
    table.to_parquet(path) if ending == "parquet" else table.to_csv(path, index=False)
    names = [normalize(other, name) for name in ("Größe", "Erträge", "é")]
    assert is_as_written(read_scores(path, score=names[0], label=names[1], positive=names[2]))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_id_is_the_same_in_each_unicode_form(form, tmp_path):
    """File names of one system have another form than those of another."""
    names = [normalize(form, name) for name in ("é.png", "ü.png")]
    table = pd.DataFrame({"id": names, "score": [1.0, 0.0], "s": [1, 0]})
    table.to_csv(tmp_path / "scores.csv", index=False)
    (found,) = read_models(tmp_path / "scores.csv", ["score"], id="id")
    assert found.ids.tolist() == [normalize("NFC", name) for name in names]


@pytest.mark.parametrize(
    "suffix",
    [
        ".csv.gz",
        ".csv.bz2",
        ".csv.xz",
        ".csv.zip",
        ".tsv.gz",
        ".txt.BZ2",
        ".parquet",
        ".feather",
        ".arrow",
        ".PARQUET",
    ],
)
def test_compressions_and_columns(suffix, tmp_path):
    table, path = (
        pd.DataFrame({"s": [1, 0, 0], "score": [1.5, 0.5, -1e-3]}),
        tmp_path / f"scores{suffix}",
    )
    save = {
        ".parquet": table.to_parquet,
        ".feather": table.to_feather,
        ".arrow": table.to_feather,
    }.get(suffix.lower())
    save(path) if save else table.to_csv(path, index=False)
    assert is_as_written(read_scores(path))


def zstandard(text):
    return pytest.importorskip("pyarrow").compress(
        text.encode("latin-1"), codec="zstd", asbytes=True
    )


def test_zstandard_is_read_as_what_it_holds(write):
    assert is_as_written(read_scores(write("scores.csv.zst", zstandard(ROWS))))
    long = zstandard("x|score|s\r\n" + "\xe9|1,5|1\r\n" * 9000 + "a|b|0\r\n")
    with pytest.raises(
        ValueError, match=r"scores\.csv\.zst must hold numbers, got 'b' in line 9002"
    ):
        read_scores(write("scores.csv.zst", long))


def zipped(*names):
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "" if name.endswith("/") else ROWS)
    return stream.getvalue()


def test_folders_and_what_a_mac_adds_are_no_files_of_an_archive(write):
    assert is_as_written(
        read_scores(write("a.csv.zip", zipped("b/", "b/a.csv", "__MACOSX/", "__MACOSX/b/._a.csv")))
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("score,s\n1,1\n\n\nx,0\n", "got 'x' in line 5"),
        ('name,score,s\n"a\nb",1,1\n\n"c\nd",y,0\n', "got 'y' in line 5"),
        ("score;s\n1,5;1\nx;0\n", "got 'x' in line 3"),
        ("score;s\n1,5;1\n1.500;0\n", "got '1,5' in line 2"),
        ("score,s\n1,1\n1_0,0\n", "got '1_0' in line 3"),
        ("score,s\n1,1\n0,0\n2,\n", "got no value in line 4"),
        (
            "score,s\n1,5,1\n0,5,0\n",
            "cannot be read: line 2 has more values than the header has names",
        ),
        (
            '"score","s"\n"1",0.5,1\n"2",0.7,0\n',
            "names (2): if R wrote it, add a name for the names of the rows",
        ),
        ("#a\n\n#b\nscore,s\n\n1,1\nx,0\n", "got 'x' in line 7"),
        ("sep=;\nscore;s\n1,5;1\nx;0\n", "got 'x' in line 4"),
        (
            "# score,s\n1,1\n0,0\n",
            "no column 'score': did you mean '# score'? it has '# score', 's'; options",
        ),
        (
            'score,s\n"[0.1,0.9]",1\n',
            "got '[0.1,0.9]' in line 2 (1 such rows): write the element that is meant",
        ),
        ("score,s,s\n1,1,1\n", "2 columns named 's': keep one"),
        ("", "cannot be read: it is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "cannot be read: it is not text but a PNG image"),
        (b"PK\3\4\x14\0", "an Excel workbook"),
        (bytes(range(1, 32)) * 9, "it is not text"),
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
            (
                f"a.csv{suffix}",
                ROWS,
                f"it is not compressed, as {suffix} says; .* rename it to end in .csv",
            )
            for suffix in (".gz", ".bz2", ".xz", ".zip", ".zst")
        ),
        *(
            (f"a.{kind}", ROWS, f"it is damaged, or not a .{kind} file")
            for kind in ("parquet", "feather")
        ),
        ("a.csv.gz", ROWS, "cannot be read"),
        *((f"a.csv{suffix}", b"", r"a\.csv") for suffix in (".gz", ".bz2", ".xz", ".zip")),
        ("a.csv.gz", gzip.compress(ROWS.encode() * 1000)[:-20], "cannot be read"),
        ("a.csv.zst", lambda: zstandard(ROWS)[:-4], "cannot be read"),
        ("a.csv.zip", zipped("a.csv", "b.csv"), "it contains 2 files: keep one"),
        ("a.xlsx", b"PK", r"must be a \.csv, \.tsv, \.txt, \.jsonl, \.parquet or \.feather file"),
    ],
)
def test_files_that_are_not_what_they_are_called_are_refused(name, content, message, write):
    with pytest.raises(ValueError, match=message):
        read_scores(write(name, content() if callable(content) else content))


def test_a_folder_and_a_pipe_are_refused(tmp_path):
    (tmp_path / "scores.csv").mkdir()
    with pytest.raises(ValueError, match="is a folder: give a file"):
        read_scores(tmp_path / "scores.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(
        ValueError, match=r"is a pipe or a device: give - in its place, and add < .*pipe\.csv"
    ):
        read_scores(tmp_path / "pipe.csv")


@pytest.mark.parametrize("bad", ["\x1b[31m", "\0", "\x9b", "\x07", "\x7f"])
def test_a_name_with_a_control_character_is_refused(bad, tmp_path):
    path = tmp_path / "scores.parquet"
    pd.DataFrame({f"sc{bad}ore": [1.5, 0.5], "s": [1, 0]}).to_parquet(path)
    with pytest.raises(ValueError, match="has a control character in the name of its column 'sc"):
        read_scores(path, score=f"sc{bad}ore")
    if bad != "\0":
        path.rename(other := tmp_path / f"scores{bad}.parquet")
        with pytest.raises(ValueError, match="has a control character in its name: rename it"):
            read_scores(other)


@pytest.mark.slow
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
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    install = "which is not installed: pip install"
    assert result.stdout.splitlines() == [
        "0 ",
        f"2 reading scores.parquet needs pyarrow, {install} 'pumetrics[parquet]'",
        f"2 reading scores.csv.zst needs pyarrow, {install} 'pumetrics[parquet]'",
        f"2 --report needs matplotlib, {install} 'pumetrics[plots]'",
    ]


# Columns of values that are no text


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("labels", "positive"), [([1, None, 0, None], None), (["fraud", "?", "", None], "fraud")]
)
def test_in_a_row_without_a_score_nothing_else_is_needed(labels, positive, ending, tmp_path):
    """Such as a row of commas that a spreadsheet has left at the end."""
    table = pd.DataFrame(
        {"id": ["a", None, "b", None], "score": [2.0, np.nan, 1.0, np.nan], "s": labels}
    )
    table[["w", "c"]] = pd.DataFrame({"w": [1.0, -1.0, 2.0, np.nan], "c": ["x", None, "x", None]})
    path = tmp_path / f"scores.{ending}"
    table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path)
    options = {"positive": positive, "id": "id", "weight": "w", "cluster": "c"}
    (found,) = read_models(path, ["score"], **options, unscored="skip")
    assert (found.s.tolist(), found.ids.tolist(), found.n_rows) == ([1, 0], ["a", "b"], 4)


BAD = {
    "text": ({"score": ["1", "2", "x", "3"]}, "must hold numbers, got 'x' in row 3 (1 such rows)"),
    "infinite": (
        {"score": [1, 2, 3, np.inf]},
        "must hold numbers below infinity, got inf in row 4",
    ),
    "400 digits": ({"score": ["1", "2", "1" * 400, "0"]}, "below infinity, got inf in row 3"),
    "a list": ({"score": ["[0.1,0.9]", "1", "2", "3"]}, "write the element that is meant"),
    "a thousand": ({"score": ["1,234.5", "1", "2", "3"]}, "write numbers without thousands"),
    "spaces": ({"score": ["1 234 567,8 \u20ac", "1", "2", "3"]}, "write numbers without thousands"),
    "long": ({"score": ["x" * 5000, "1", "2", "3"]}, "(5002 characters) in row 1"),
    "control": ({"score": ["1\x1b[31m", "1", "2", "3"]}, r"got '1\x1b[31m' in row 1"),
    "constant": ({"score": 1.0}, "holds 1 in every row"),
    "missing": ({"score": np.nan}, "is empty"),
    "huge": ({"score": [1, 2, 1e200, 3]}, "between 1e-100 and 1e+100, got 1e+200 in row 3"),
    "tiny": ({"score": [0, 0, 0, 1e-300]}, "in row 4: rescale"),
    "too whole": ({"score": 2**53 + np.arange(4)}, "holds whole numbers beyond 2^53"),
    "dates": ({"score": pd.date_range("2020", periods=4, freq="h")}, "(4 such rows): correct"),
    "labels": ({"s": [1, 0, 0, 7]}, "must hold 1 for labeled and 0 for unlabeled, got 7 in row 4"),
    "a share": ({"s": [1, 0, 0, 0.5]}, "got 0.5 in row 4"),
    "words": ({"s": ["fraud", "ok", "ok", "ok"]}, "give the value that means labeled with --pos"),
    "negatives": ({"s": [1, 0, -1, -1]}, "holds -1 in row 3, a verified negative (2 such rows)"),
    "-1 for 0": ({"s": [1, -1, -1, -1]}, "holds -1 in row 2 and no 0 (3 such rows)"),
    "no label": ({"s": [1, 0, 0, None]}, "got no value in row 4"),
    "no unlabeled": ({"s": 1}, "does not contain 0: there must be unlabeled examples"),
    "no labeled": ({"s": 0}, "does not contain 1: there must be labeled examples"),
    "weight": ({"w": [1, -1, 1, 1]}, "weights of at least 0, got -1 in row 2"),
    "no weight": ({"w": [1, 1, None, 1]}, "weights of at least 0, got no value in row 3"),
    "no cluster": ({"c": ["a", "b", None, "a"]}, "a value in every row (--cluster), got "),
    "an id twice": ({"i": ["a", "b", "c", "b"]}, "holds 'b' in row 2 and in row 4 (1 such rows)"),
    "no id": ({"i": ["a", None, "c", "b"]}, "must hold a value in every row, got "),
}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_one_line_with_its_row(name, ending, tmp_path):
    columns, part = BAD[name]
    path = tmp_path / f"scores.{ending}"
    table = pd.DataFrame({"score": [1.0, 2.0, 3.0, 4.0], "s": [1, 0, 0, 0]}).assign(**columns)
    table.to_parquet(path) if ending == "parquet" else table.to_csv(path, index=False)
    named = {option: option[0] for option in ("weight", "cluster", "id") if option[0] in table}
    with np.errstate(all="raise"), pytest.raises(ValueError, match=path.name) as error:
        read_models(path, ["score"], **named)
    if ending == "csv":
        part = re.sub(r"row (\d)", lambda row: f"line {int(row[1]) + 1}", part)
    assert part in str(error.value)
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": "theft", "unlabeled": ["fraud", "{ok}"]}, "does not contain 'theft'"),
        ({"positive": "Fraud"}, r"did you mean --positive 'fraud'\?"),
        ({"positive": "fraud"}, r"got '\{ok\}' in line 3 .* give --unlabeled '\{ok\}'"),
        ({"positive": " "}, "--positive is blank"),
        ({"unlabeled": ["{ok}"]}, "need --positive"),
        ({"positive": "fraud", "id": "s"}, "must name different columns"),
        ({"positive": "fraud", "id": "scor"}, r"no column 'scor': did you mean 'score'\?"),
    ],
)
def test_labels_that_were_not_named_are_refused(options, message, write):
    path = write("scores.csv", "score,s\n3,fraud\n2,{ok}\n1,\n")
    with pytest.raises(ValueError, match=message):
        read_models(path, ["score"], **options)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("word", ["NA", "None", "null", "<NA>", "fraud"])
def test_in_a_column_of_text_nothing_but_a_blank_is_missing(word, ending, tmp_path):
    path = tmp_path / f"scores.{ending}"
    table = pd.DataFrame({"kind": [word, "b", "", "b"], "score": [1.0, 2.0, 3.0, 4.0]})
    table["name"] = [word, "x", "y", "z"]
    table.to_parquet(path) if ending == "parquet" else table.to_csv(path, index=False)
    options = {"label": "kind", "positive": word, "id": "name", "cluster": "name"}
    (found,) = read_models(path, ["score"], unlabeled=["b"], **options)
    assert found.s.tolist() == [1, 0, 0, 0]
    assert found.ids.tolist() == found.options["cluster"].tolist() == [word, "x", "y", "z"]


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
@pytest.mark.parametrize("mark", [",", "."])
@pytest.mark.parametrize(
    ("values", "sound"),
    [
        (["950", "3.294", "12"], False),
        (["+1.234", "2", "3"], False),
        (["950", "3.2940", "12"], True),
        (["0.294", "1", "2"], True),
        (["1.234", "2.345", "3.456"], True),
        (["950", "1e3", "2"], True),
    ],
)
def test_a_mark_that_may_separate_thousands_is_refused(values, sound, mark, delimiter, write):
    rows = [
        f"{value.replace('.', mark)}{delimiter}{s}" for value, s in zip(values, "100", strict=True)
    ]
    path = write("scores.csv", "\n".join([f"score{delimiter}s", *rows]))
    if sound:
        assert read_scores(path).score.tolist() == [*map(float, values)]
        return
    with pytest.raises(ValueError, match=r"must hold numbers, got .* write numbers without thou"):
        read_scores(path)


@pytest.mark.parametrize(
    "value", [[0.1, 0.9], {"type": 1, "values": [0.1]}], ids=["list", "vector"]
)
def test_lists_as_spark_writes_them_are_refused(value, tmp_path):
    path = tmp_path / "scores.parquet"
    pd.DataFrame({"score": [value] * 2, "s": [1, 0]}).to_parquet(path)
    with pytest.raises(ValueError, match=r"^column 'score' of .* holds (list|struct).* write the"):
        read_scores(path)


@pytest.mark.parametrize("terminal", [True, None])
def test_no_standard_input_is_said(terminal, monkeypatch):
    stdin = terminal and SimpleNamespace(closed=False, isatty=lambda: True)
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(ValueError, match="terminal" if terminal else "closed"), opened("-"):
        pass


def test_latin_1_far_down_a_file_is_read(write):
    content = "name,score,s\n" + "a,1,1\n" * 20_000 + "\xe9,0,0\n"
    assert len(read_scores(write("scores.csv", content.encode("latin-1"))).s) == 20_001


def test_lines_are_counted_as_an_editor_counts_them(write):
    blank = np.random.default_rng(0).integers(0, 3, size=200)
    path = write("scores.csv", "score,s\n" + "".join("\n" * n + "1,1\n" for n in blank))
    for row in range(0, 200, 20):
        assert line_of(path, row) == f"line {row + 2 + blank[: row + 1].sum()}"


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".jsonl.gz"])
def test_json_lines_are_read_as_columns(suffix, tmp_path):
    rows = [
        '{"score": 1.5, "s": 1, "id": "007"}',
        '{"s": 0, "score": 0.5}',
        '{"id": 8, "score": -1e-3, "s": 0}',
    ]
    text = "\n".join(rows) + "\n"
    path = tmp_path / f"scores{suffix}"
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    assert is_as_written(read_scores(path))
    with pytest.raises(
        ValueError, match=r"column 'id' .* must hold a value in every row.* in line 2"
    ):
        read_scores(path, id="id")
    for bad, message in (
        ("[1, 2]", "line 4 is no JSON object"),
        ('{"score": [0.1, 0.9], "s": 0}', "holds lists or objects"),
        ('{"score": "many", "s": 0}', "must hold numbers, got 'many' in line 4"),
        ('{"s": 0}', "no value in 1 of 4 rows"),
    ):
        (tmp_path / "bad.jsonl").write_text(text + bad + "\n")
        with pytest.raises(ValueError, match=message):
            read_scores(tmp_path / "bad.jsonl")
