"""Parsers for what sites really serve, and the archives around it."""

import gzip
import io
import struct
import tarfile
import zipfile

import numpy as np
import pytest

from pumetrics_workflow.datasets import archives, encode, encoded_names
from pumetrics_workflow.datasets.errors import SourceFailed
from pumetrics_workflow.datasets.parse import parse
from pumetrics_workflow.datasets.registry import Alternative, RawFile


def parsed(folder, parser, options=None, target="class", **files):
    names = [name.replace("__", ".") for name in files]
    for name, content in zip(names, files.values(), strict=True):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    alternative = Alternative(tuple(RawFile(name) for name in names), parser, options or {})
    return parse(alternative, {name: folder / name for name in names}, target=target)


def test_delimited_keeps_nominal_ordinal_and_missing_values(tmp_path):
    options = {"names": ["n", "hue", "size", "class"], "nominal": ["hue"], "ordinal": {"size": ["s", "m", "l"]}}
    frame = parsed(tmp_path, "delimited", options, a__csv="1, red ,m,+\n?,?,l,-\n2.5,blue,?,+\n", b__csv="4,red,s,-\n")
    assert frame["n"].tolist()[2:] == [2.5, 4.0]
    assert frame.isna().sum().to_dict() == {"n": 1, "hue": 1, "size": 1, "class": 0}
    assert list(frame["hue"].cat.categories) == ["blue", "red"]
    assert frame["size"].cat.ordered
    np.testing.assert_array_equal(encode(frame[["size"]])[:, 0], [1, 2, 1, 0])  # the missing one takes the median


@pytest.mark.parametrize("sep", [",", ";", "whitespace"])
def test_delimited_reads_every_separator(tmp_path, sep):
    mark = " \t " if sep == "whitespace" else sep
    text = "\n".join(mark.join(row) for row in (["a", '"class"'], ["1", "x"], ["2", "y"])) + "\n"
    frame = parsed(tmp_path, "delimited", {"sep": sep, "header": True}, t__csv=text)
    assert frame["a"].tolist() == [1, 2]
    assert frame["class"].tolist() == ["x", "y"]


def test_delimited_skips_lines_and_blanks_at_line_ends(tmp_path):
    frame = parsed(
        tmp_path, "delimited", {"skip": 2, "names": ["a", "class"], "sep": "whitespace"}, t="x\n\n1 p  \n2 q \n"
    )
    assert frame["class"].tolist() == ["p", "q"]


def test_codes_are_one_level_however_they_are_written(tmp_path):
    options = {"names": ["code", "class"], "nominal": ["code"]}
    frame = parsed(tmp_path, "delimited", options, t="1.0,'-1'\n1,1\n2.0,'-1'\n")
    assert list(frame["code"].cat.categories) == ["1", "2"]
    assert frame["class"].tolist() == ["-1", "1", "-1"]


@pytest.mark.parametrize(
    ("options", "text", "words"),
    [
        ({"names": ["a", "class"]}, "1,x\nmany,y\n", "many"),
        ({"names": ["a", "class"], "nominal": ["a"], "levels": {"a": "xy"}}, "x,1\nz,2\n", "'z', its levels are x, y"),
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
    return b"".join(struct.pack("<HH", kind, len(data)) + data for kind, data in [*records, (0x000A, b"")])


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
    assert encoded_names(frame.drop(columns="class")) == ["position1=A", "position2=C", "position2=G"]
    assert encode(parsed(tmp_path, "sequences", {**options, "alphabet": "ACGT"}, t="p,AC\n")[["position1"]]).shape == (
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


# ---------------------------------------------------------------- archives


def compressed(data):
    """What Unix compress writes: codes grow from 9 to 16 bits, groups of eight are padded where they do."""
    table, bits, out, group = {bytes([i]): i for i in range(256)}, 9, bytearray(b"\x1f\x9d\x90"), []
    free, phrase = 257, b""

    def flush():
        value = sum(code << bits * number for number, code in enumerate(group))
        size = bits if full else -(-bits * len(group) // 8)
        out.extend(value.to_bytes(bits, "little")[:size])
        group.clear()

    for byte in [*data, None]:
        longer = phrase + bytes([byte]) if byte is not None else None
        if longer in table:
            phrase = longer
            continue
        group.append(table[phrase])
        full = len(group) == 8 or (free > (1 << bits) - 1 and bits < 16)
        if full or byte is None:
            flush()
        if free > (1 << bits) - 1 and bits < 16:
            bits += 1
        if free < 1 << 16 and longer:
            table[longer] = free
            free += 1
        phrase = longer[-1:] if longer else b""
    return bytes(out)


@pytest.mark.parametrize("size", [1, 7, 300, 5_000, 40_000])
def test_decompressing_undoes_unix_compress(size):
    data = np.random.default_rng(size).integers(0, 90, size).astype(np.uint8).tobytes() + b"ab" * 20
    assert archives.decompress_z(compressed(data)) == data


def test_a_damaged_or_endless_z_file_is_refused():
    data = compressed(b"abc" * 1000)
    with pytest.raises(SourceFailed, match="more than the 100 bytes"):
        archives.decompress_z(data, limit=100)
    with pytest.raises(SourceFailed, match="not a file of Unix compress"):
        archives.decompress_z(b"PK" + data)
    with pytest.raises(SourceFailed, match="damaged"):
        archives.decompress_z(data[:3] + b"\xff" * 50)


def zip_of(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    stream.seek(0)
    return stream


def test_members_are_found_in_folders_nested_archives_and_packed():
    text = b"1,2\n" * 50
    inner = zip_of(**{"deep/data.csv": text}).getvalue()
    archive = zip_of(**{"a/inner.zip": inner, "b/data.Z": compressed(text), "b/data.gz": gzip.compress(text)})
    for member in ("inner.zip!data.csv", "data.Z", "b/data.gz", "inner.zip!data.csv.Z"):
        assert archives.open_member(archive, member, limit=1000) == text
    with pytest.raises(SourceFailed, match="more than one member 'x'"):
        archives.open_member(zip_of(**{"a/x": b"", "b/x": b""}), "x", limit=10)


def test_many_files_are_joined_the_same_from_zip_and_tar():
    files = {"set/f2": b"3\n4", "set/f1": b"1\n\n2\r\n", "set/README.txt": b"no", "other/f9": b"9\n"}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as file:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
    stream.seek(0)
    for archive in (zip_of(**files), stream):
        assert archives.bundle(archive, "set", "f*", limit=100) == b"f1,1\nf1,2\nf2,3\nf2,4\n"
