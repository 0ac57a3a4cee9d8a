"""Parsers for what sites really serve, and the archives around it."""

import gzip
import hashlib
import os
import pickle
import struct
import subprocess
import sys

import numpy as np
import pytest
from serving import tarred, zipped

from pumetrics_workflow.datasets import encode, encoded_names
from pumetrics_workflow.datasets.archives import SourceFailed, read_raw
from pumetrics_workflow.datasets.parse import parse
from pumetrics_workflow.datasets.registry import Alternative, RawFile


def parsed(folder, parser, options=None, target="class", **files):
    names = [name.replace("__", ".") for name in files]
    for name, content in zip(names, files.values(), strict=True):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    alternative = Alternative(tuple(RawFile(name) for name in names), parser, options or {})
    return parse(alternative, {name: folder / name for name in names}, target=target)


def test_delimited_keeps_nominal_ordinal_and_missing_values(tmp_path):
    options = {
        "names": ["n", "hue", "size", "class"],
        "nominal": ["hue"],
        "ordinal": {"size": ["s", "m", "l"]},
    }
    frame = parsed(
        tmp_path,
        "delimited",
        options,
        a__csv="1, red ,m,+\n?,?,l,-\n2.5,blue,?,+\n",
        b__csv="4,red,s,-\n",
    )
    assert frame["n"].tolist()[2:] == [2.5, 4.0]
    assert frame.isna().sum().to_dict() == {"n": 1, "hue": 1, "size": 1, "class": 0}
    assert list(frame["hue"].cat.categories) == ["blue", "red"]
    assert frame["size"].cat.ordered
    np.testing.assert_array_equal(
        encode(frame[["size"]])[:, 0], [1, 2, 1, 0]
    )  # the missing one takes the median


@pytest.mark.parametrize("sep", [",", ";", "whitespace"])
def test_delimited_reads_every_separator(tmp_path, sep):
    mark = " \t " if sep == "whitespace" else sep
    text = "\n".join(mark.join(row) for row in (["a", '"class"'], ["1", "x"], ["2", "y"])) + "\n"
    frame = parsed(tmp_path, "delimited", {"sep": sep, "header": True}, t__csv=text)
    assert frame["a"].tolist() == [1, 2]
    assert frame["class"].tolist() == ["x", "y"]


def test_delimited_skips_lines_and_blanks_at_line_ends(tmp_path):
    frame = parsed(
        tmp_path,
        "delimited",
        {"skip": 2, "names": ["a", "class"], "sep": "whitespace"},
        t="x\n\n1 p  \n2 q \n",
    )
    assert frame["class"].tolist() == ["p", "q"]


@pytest.mark.parametrize(
    ("options", "text", "words"),
    [
        ({"names": ["a", "class"]}, "1,x\nmany,y\n", "many"),
        (
            {"names": ["a", "class"], "nominal": ["a"], "levels": {"a": "xy"}},
            "x,1\nz,2\n",
            "'z', its levels are x, y",
        ),
        ({"names": ["a", "b"]}, "1,2\n", "no column 'class', the columns are a, b"),
        ({"names": ["a", "class"]}, "", "t.csv: holds no rows"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, options, text, words):
    with pytest.raises(ValueError, match=r"t\.csv") as caught:
        parsed(tmp_path, "delimited", options, t__csv=text)
    assert words in str(caught.value)


def test_arff_keeps_declared_levels(tmp_path):
    text = "@relation r\r\n@attribute 'a b' real\r\n@attribute c {x,'y z',w}\r\n@attribute class {no,yes}\r\n@data\r\n"
    frame = parsed(tmp_path, "arff", t__arff=text + "1.5,'y z',yes\r\n?,?,no\r\n")
    assert list(frame["c"].cat.categories) == ["x", "y z", "w"]
    assert frame["c"].isna().tolist() == [False, True]
    assert frame["class"].tolist() == ["yes", "no"]


def test_libsvm_fills_zeros_and_joins_files(tmp_path):
    frame = parsed(tmp_path, "libsvm", {"columns": 3}, a="1 1:2.5 3:1\n", b="2 2:4\n")
    np.testing.assert_array_equal(frame[["x1", "x2", "x3"]], [[2.5, 0, 1], [0, 4, 0]])
    assert frame["class"].tolist() == ["1", "2"]


def workbook(rows):
    """An old Excel file: one sheet of text and numbers, as BIFF 2 records."""
    records = [(0x0009, struct.pack("<HH", 2, 0x10))]
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            place = struct.pack("<HH3x", row, column)
            if isinstance(value, str):
                records.append((0x0004, place + bytes([len(value)]) + value.encode()))
            else:
                records.append((0x0003, place + struct.pack("<d", value)))
    return b"".join(
        struct.pack("<HH", kind, len(data)) + data for kind, data in [*records, (0x000A, b"")]
    )


def test_a_sheet_of_an_old_workbook(tmp_path):
    content = workbook([("a b ", "class"), (1.5, 3.0), ("", 4.0)])
    frame = parsed(tmp_path, "xls", t__xls=content)
    assert frame.columns.tolist() == ["a b", "class"]
    np.testing.assert_array_equal(frame["a b"], [1.5, np.nan])
    assert frame["class"].tolist() == ["3", "4"]
    with pytest.raises(ValueError, match=r"t\.xls: cannot be read as xls"):
        parsed(tmp_path, "xls", t__xls=b"<html>")


def test_sequences_become_one_nominal_feature_per_position(tmp_path):
    options = {"names": ["class", "letters"], "sequence": "letters", "length": 2}
    frame = parsed(tmp_path, "sequences", options, t="p,  AC \nn,AG\n")
    assert encoded_names(frame.drop(columns="class")) == [
        "position1=A",
        "position2=C",
        "position2=G",
    ]
    assert encode(
        parsed(tmp_path, "sequences", {**options, "alphabet": "ACGT"}, t="p,AC\n")[["position1"]]
    ).shape == (
        1,
        4,
    )
    with pytest.raises(ValueError, match="row 1 holds 3 letters, 2 are expected"):
        parsed(tmp_path, "sequences", options, t="p,AC\nn,AGG\n")


def test_features_and_labels_in_two_files(tmp_path):
    options = {"sep": "whitespace", "pairs": [["x", "y"]]}
    frame = parsed(tmp_path, "labeled_matrix", options, x=" 1 2\n 3 4\n", y="5\n1\n")
    assert frame.to_numpy().tolist() == [[1, 2, "5"], [3, 4, "1"]]
    with pytest.raises(ValueError, match="x has 2 rows, y has 1"):
        parsed(tmp_path, "labeled_matrix", options, x="1 2\n3 4\n", y="5\n")


# ---------------------------------------------------------------- scores in a pickle

OF_PYTHON_2 = (  # as Python 2 and numpy 1 wrote an array of two truth values
    b"(dp0\nS'one'\np1\n(dp20\nS'labels'\np21\ncnumpy.core.multiarray\n_reconstruct\np2\n(cnumpy\nndarray\np3\n(I0\ntp4\n"
    b"S'b'\np5\ntp6\nRp7\n(I1\n(I2\ntp8\ncnumpy\ndtype\np9\n(S'b1'\np10\nI0\nI1\ntp11\nRp12\n(I3\nS'|'\np13\nNNNI-1\nI-1\n"
    b"I0\ntp14\nbI00\nS'\\x01\\x00'\np15\ntp16\nbsS'decision_values'\np22\n(F0.5\nF-1.0\ntp23\nss."
)
TABLE = {"labels": np.array([True, False]), "decision_values": (0.5, -1.0)}


@pytest.mark.parametrize(
    "content", [OF_PYTHON_2, *(pickle.dumps({"one": TABLE, "n": [1, None]}, n) for n in (0, 2))]
)
def test_an_entry_of_a_pickle_is_a_table_of_scores_and_labels(tmp_path, content):
    table = parsed(tmp_path, "pickled", {"table": "one"}, "y", data__pkl=content)
    assert table.to_dict("list") == {"score": [0.5, -1.0], "y": ["1", "0"]}


class Forged:
    """An object that a pickle makes by a call of its own, for example an array over bytes as pointers to objects."""

    def __init__(self, function, *arguments, state=None):
        self.call = (function, arguments, state) if state else (function, arguments)

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("function", [open, eval, os.system, getattr, np.load, pickle.loads])
def test_nothing_that_a_pickle_names_is_run(tmp_path, function, protocol):
    content = pickle.dumps({"one": Forged(function, str(tmp_path / "harm"), "w")}, protocol)
    with pytest.raises(ValueError, match=r"it names [\w.]+, which is not read from a file"):
        parsed(tmp_path, "pickled", {"table": "one"}, data__pkl=content)
    assert [path.name for path in tmp_path.iterdir()] == ["data.pkl"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"score,y\n1,0\n",
        OF_PYTHON_2[:80],
        b"(t(tb.",
        b"0.",
        b"h\x05.",
        b"\x80\x63.",
        pickle.dumps([TABLE]),
        pickle.dumps({"one": [1]}),
        pickle.dumps({"two": TABLE}),
        pickle.dumps({"one": {"labels": [1]}}),
    ],
)
def test_other_pickles_are_refused(tmp_path, content):
    with pytest.raises(ValueError, match=r"data\.pkl: cannot be read as pickled \(.+\)$"):
        parsed(tmp_path, "pickled", {"table": "one"}, data__pkl=content)


ONES = b"\x01" * 16


def reconstructed(shape, dtype):
    """An array as numpy pickles it, of bytes that are none of its numbers."""
    reconstruct = np.array([1.0]).__reduce__()[0]
    state = (1, shape, np.dtype(dtype), False, ONES)
    return Forged(reconstruct, np.ndarray, (0,), b"b", state=state)


FORGED = {
    "a buffer": Forged(np.ndarray, (2,), "O", ONES),
    "objects as bytes": reconstructed((2,), "O"),
    "fields of objects": reconstructed((1,), [("x", "O"), ("y", "O")]),
    "too few bytes": reconstructed((9,), "f8"),
}


@pytest.mark.slow
@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("name", FORGED)
def test_no_array_takes_pointers_from_a_pickle(tmp_path, name, protocol):
    (tmp_path / "data.pkl").write_bytes(
        pickle.dumps({"one": {**TABLE, "labels": FORGED[name]}}, protocol)
    )
    alternative = Alternative((RawFile("data.pkl"),), "pickled", {"table": "one"})
    # in a process of its own: a forged pointer ends it by a signal
    code = (
        "import sys; from pathlib import Path; from pumetrics_workflow.datasets.parse import parse;"
        "from pumetrics_workflow.datasets.registry import *;"
        f"print(parse({alternative!r}, {{'data.pkl': Path(sys.argv[1])}}, target='y'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "data.pkl"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, f"ended with {done.returncode}: {done.stdout}{done.stderr}"
    assert "ValueError: data.pkl: cannot be read as pickled" in done.stderr, done.stderr


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "<i8", ">i2", "|u1", "|b1"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_an_array_of_any_numbers_is_read_as_numpy_reads_it(tmp_path, kind, protocol):
    values = np.array([0, 1, 1], dtype=kind)
    content = pickle.dumps({"one": {"decision_values": values, "labels": values}}, protocol)
    table = parsed(tmp_path, "pickled", {"table": "one"}, "y", data__pkl=content)
    assert table["score"].astype(float).tolist() == values.astype(float).tolist()
    assert table["y"].tolist() == ["0", "1", "1"]


# ---------------------------------------------------------------- archives

TEXT = b"1,yes\n2,no\n" * 4
OF_COMPRESS = bytes.fromhex("1f9d903158e4293347810c166ede280838b0e0c1840b051234885021c3890f1502")


def read(folder, content, *arguments, **options):
    (folder / "file").write_bytes(content)
    return read_raw(folder / "file", *arguments, **options)


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("packing", ["", ".gz", ".Z"])
@pytest.mark.parametrize("member", ["data", "deep/data", "data.gz", "data.Z"])
def test_a_member_is_found_in_folders_in_archives_and_packed(tmp_path, depth, packing, member):
    packed = {"": TEXT, ".gz": gzip.compress(TEXT), ".Z": OF_COMPRESS}[packing]
    archive = zipped({f"top/deep/data{packing}": packed, "README": b"read me"})
    for _ in range(depth):
        archive = zipped({"a/inner.zip": archive, "other.zip": zipped({"x": b"x"})})
    known = [hashlib.sha256(OF_COMPRESS).hexdigest()]
    assert read(tmp_path, archive, member, known_packed=known) == (TEXT, packed if packing else b"")


def test_a_z_file_is_unpacked_only_if_it_is_the_known_one(tmp_path):
    known = hashlib.sha256(OF_COMPRESS).hexdigest()
    assert read(tmp_path, OF_COMPRESS, known_packed=[known]) == (TEXT, OF_COMPRESS)
    with pytest.raises(SourceFailed, match=r"its \.Z file is not the known one"):
        read(tmp_path, OF_COMPRESS + b"\0", known_packed=[known])
    damaged = OF_COMPRESS[:9] + b"\xff" * 9
    with pytest.raises(SourceFailed, match="cannot be unpacked"):
        read(tmp_path, damaged, known_packed=[hashlib.sha256(damaged).hexdigest()])


def test_many_files_are_joined_the_same_from_zip_and_tar(tmp_path):
    files = {
        "set/f2": b"3\n4",
        "set/f1": b"1\n\n2\r\n",
        "set/README.txt": b"no",
        "other/f9": b"9\n",
    }
    for archive in (zipped(files), tarred(files), zipped({"set.tar.gz": tarred(files)})):
        assert read(tmp_path, archive, "set", bundle="f*") == (b"f1,1\nf1,2\nf2,3\nf2,4\n", b"")
    with pytest.raises(SourceFailed, match="more than the"):
        read(tmp_path, zipped(files), "set", bundle="f*", limit=7)


ARFF = (
    "@relation r\n@attribute x numeric\n@attribute c {levels}\n@attribute class {{no,yes}}\n@data\n"
)


@pytest.mark.parametrize(
    ("levels", "rows", "values"),
    [
        ("{a,'b c'}", "1,a,no\n2,'b c',yes\n", ["a", "b c"]),
        ("{ a , b }", "1, b , no\n2,a,yes\n", ["b", "a"]),
        (r"{'>=50\%',b}", "1,'>=50\\%',no\n2,b,yes\n", [">=50%", "b"]),
        ('{"it\'s",b}', '1,"it\'s",no\n2,b,yes\n', ["it's", "b"]),
        ("{'b c',a}", "{0 1}\n{0 2, 1 a,2 yes}\n", ["b c", "a"]),
        ("{a,'b c'}", "{0 1, 1 'b c'}\n{0 2,2 yes}\n", ["b c", "a"]),
    ],
    ids=["later quotes", "blanks", "escape", "apostrophe", "sparse", "sparse quotes"],
)
def test_arff_is_read_as_weka_reads_it(tmp_path, levels, rows, values):
    frame = parsed(tmp_path, "arff", t__arff=ARFF.format(levels=levels) + rows)
    assert frame["x"].tolist() == [1, 2]
    assert frame["c"].tolist() == values
    assert frame["class"].tolist() == ["no", "yes"]


def test_dates_of_arff_are_days(tmp_path):
    text = ARFF.format(levels="date") + "1,1970-01-02T12:00:00,no\n2,?,yes\n"
    np.testing.assert_array_equal(parsed(tmp_path, "arff", t__arff=text)["c"], [1.5, np.nan])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1,a,no,{5}", "line 6 has an instance weight"),
        ("{0 1},{0}", "line 6 has an instance weight"),
        ("1,a,no,7", "line 6 has 4 values, but there are 3"),
        ("1,a", "line 6 has 2 values, but there are 3"),
        ("1,'a,no", "line 6: a quotation mark"),
        ("{3 1}", "line 6: '3 1' names none of the 3"),
        ("1,z,no", "'z', its levels are a, b"),
        ("x,a,no", "holds 'x'"),
    ],
)
def test_what_weka_would_read_otherwise_is_refused(tmp_path, row, words):
    with pytest.raises(ValueError, match="cannot be read as arff") as caught:
        parsed(tmp_path, "arff", t__arff=f"{ARFF.format(levels='{a,b}')}{row}\n")
    assert words in str(caught.value)
