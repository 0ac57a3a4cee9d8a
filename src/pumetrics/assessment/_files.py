"""Columns of a file of any supported format, compression, encoding and delimiter, or of standard input."""

import codecs
import csv
import io
import os
import shutil
import sys
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pumetrics._extras import require

__all__ = ["Source", "check_names", "columns_of", "line_of", "opened", "read_columns", "readable", "source_of"]

COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
COLUMNAR = (".parquet", ".feather", ".arrow")
STANDARD_INPUT = "-"

MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ\0": ".xz",
    b"PK\3\4": ".zip",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"FEA1": ".feather",
}
"""Suffixes by the first bytes of a file."""
_LONGEST_MAGIC = max(map(len, MAGIC))


class Source(NamedTuple):
    """A file and its name in messages."""

    path: Path
    name: str

    def __str__(self):
        return self.name

    @property
    def compression(self):
        """Suffix of a compression, or an empty string."""
        suffix = self.path.suffix.lower()
        return suffix if suffix in COMPRESSED else ""

    @property
    def kind(self):
        """Suffix that says what the content is, in lower case, without that of a compression."""
        return (self.path.with_suffix("") if self.compression else self.path).suffix.lower()

    @property
    def is_columnar(self):
        """Whether the file holds columns with types, not text."""
        return self.kind in COLUMNAR and not self.compression


def source_of(path):
    """A source as it is, and any path as a source that is called by its path."""
    return path if isinstance(path, Source) else Source(Path(path), str(path))


@contextmanager
def opened(*paths):
    """Sources of paths, among which "-" is standard input.

    Parameters
    ----------
    *paths : path-like
        Standard input is read once, however often it is named, and forgotten at the end.

    Yields
    ------
    tuple of Source
        One for each path.

    Raises
    ------
    ValueError
        If standard input is to be read, and is closed or a terminal.
    """
    if STANDARD_INPUT not in map(str, paths):
        yield tuple(map(source_of, paths))
        return
    with TemporaryDirectory(prefix="pumetrics-") as folder:
        given = _keep(Path(folder))
        yield tuple(given if str(path) == STANDARD_INPUT else source_of(path) for path in paths)


def _keep(folder):
    """Standard input in a file whose suffix says what it is, by its first bytes."""
    name = "standard input"
    if sys.stdin is None or sys.stdin.closed:
        raise ValueError(
            f"{name} is closed: give a file name, or pipe a file, such as cat scores.csv | pumetrics evaluate -"
        )
    if sys.stdin.isatty():
        raise ValueError(
            f"{name} is a terminal: give a file name, or pipe a file, such as cat scores.csv | pumetrics evaluate -"
        )
    arriving = folder / "arriving"
    with arriving.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, length=1 << 20)
    with arriving.open("rb") as file:
        head = file.read(_LONGEST_MAGIC)
    suffix = next((suffix for magic, suffix in MAGIC.items() if head.startswith(magic)), "")
    path = folder / f"input{suffix if suffix in COLUMNAR else '.txt' + suffix}"
    os.replace(arriving, path)
    return Source(path, name)


_DELIMITERS = {".csv": ",;\t|", ".tsv": "\t,;|", ".txt": "\t,;| "}  # the usual one of the suffix first
_ENCODINGS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, which it begins with
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_HEAD = 1 << 16
_LISTED = 10  # columns of a file in a message
_KNOWN = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"PK\3\4": "a zip archive or an Excel workbook",
    b"\x1f\x8b": "compressed by gzip: rename it to end in .gz",
    b"BZh": "compressed by bzip2: rename it to end in .bz2",
    b"\xfd7zXZ\0": "compressed by xz: rename it to end in .xz",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard: rename it to end in .zst",
    b"PAR1": "a Parquet file: rename it to end in .parquet",
    b"ARROW1": "an Arrow file: rename it to end in .feather",
}
_CONTROL = bytes({*range(32)} - {*b"\t\n\v\f\r\x1a"})
_FEW_CONTROL = 8
_MOST_CONTROL = 0.01  # of the bytes of a text


class _Layout(NamedTuple):
    """How a text file is to be read, and the names in its first line."""

    encoding: str
    delimiter: str
    header: list


def read_columns(path, names, *, as_text=()):
    """Return the named columns of a text, Parquet or Feather file.

    Parameters
    ----------
    path : path-like or Source
    names : list of str
    as_text : collection of str
        Columns of a text file that must not be read as numbers: 007 is not 7.

    Returns
    -------
    pandas.DataFrame
        Numbers if every value of a column is a number, otherwise the values as in the file.

    Raises
    ------
    ValueError
        If the file or column does not exist or cannot be read: one line that gives the reason.
    MissingExtraError
        If a Parquet, Feather or .zst file needs pyarrow.
    """
    source = source_of(path)
    _check_path(source)
    wanted = list(dict.fromkeys(names))
    if source.is_columnar:
        return _from_columnar(source, wanted)
    layout = readable(source, _layout, source, wanted)
    check_names(source, layout.header, wanted)
    return readable(source, _from_text, source, layout, wanted, as_text)


def columns_of(path, names):
    """Names of all columns of a file; `names`, those to be read, decide what separates them."""
    source = source_of(path)
    _check_path(source)
    if not source.is_columnar:
        return readable(source, _layout, source, names).header
    require("pyarrow", extra="parquet", purpose=f"reading {source}")
    from pyarrow import dataset

    kind = "parquet" if source.kind == ".parquet" else "feather"
    return readable(source, lambda: dataset.dataset(source.path, format=kind).schema.names)


def _check_path(source):
    if source.path.is_dir():
        raise ValueError(f"{source} is a folder: give a file, or a folder of Parquet files")
    if not source.path.is_file():
        raise ValueError(f"file {source} does not exist")
    if not source.is_columnar and source.kind not in _DELIMITERS:
        raise ValueError(
            f"{source} must be a .csv, .tsv, .txt, .parquet or .feather file (text may be compressed: "
            f"{', '.join(COMPRESSED)})"
        )
    suffix = source.compression
    if not suffix:
        return
    with open(source.path, "rb") as file:
        head = file.read(_LONGEST_MAGIC)
    if head and not any(head.startswith(magic) for magic, kind in MAGIC.items() if kind == suffix):
        raise ValueError(
            f"{source} cannot be read: it is not compressed, as {suffix} says; if it is text, rename it to end in "
            f"{source.kind}"
        )


def line_of(path, position):
    """Line of a row in its file, counting blank lines and lines within quotes.

    Parameters
    ----------
    path : path-like or Source
    position : int
        From 0, the header not counted.

    Returns
    -------
    str
        Such as "line 7", or "row 6" of a file without lines.
    """
    source = source_of(path)
    if source.is_columnar or source.path.is_dir():
        return f"row {position + 1}"
    layout = _layout(source, [])
    with _open(source) as binary:
        text = io.TextIOWrapper(binary, encoding=_python_name(layout.encoding), errors="replace", newline="")
        starts = _record_starts(csv.reader(text, delimiter=layout.delimiter))
        start = next(islice(starts, int(position) + 1, None), None)
    return f"row {position + 1}" if start is None else f"line {start}"


def _record_starts(reader):
    """First line of each record that is not blank, up to a field too long for Python's reader."""
    start = 1
    with suppress(csv.Error):
        for record in reader:
            if _holds_something(record):
                yield start
            start = reader.line_num + 1


def _holds_something(record):
    return len(record) > 1 or bool(record and record[0].strip())


def readable(source, read, *arguments, **options):
    """Call a reader; whatever makes a file unreadable becomes one line."""
    import lzma
    import zlib
    from zipfile import BadZipFile

    unreadable = (OSError, EOFError, RuntimeError, ValueError, csv.Error, lzma.LZMAError, zlib.error, BadZipFile)
    try:
        return read(*arguments, **options)
    except unreadable as error:  # pandas' and pyarrow's errors are ValueErrors
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise ValueError(f"{source} cannot be read: {reason[0]}") from None


def _from_columnar(source, names):
    require("pyarrow", extra="parquet", purpose=f"reading {source}")
    from pyarrow import feather, parquet

    path = source.path
    if source.kind == ".parquet":
        check_names(source, readable(source, parquet.read_schema, path).names, names)
        table = readable(source, lambda: parquet.read_table(path, columns=names))
    else:
        table = readable(source, feather.read_table, path)
        check_names(source, table.column_names, names)
    return table.select(names).to_pandas()


def _from_text(source, layout, names, as_text):
    """Columns by pandas; between semicolons or tabs with the decimal mark that makes more values numbers."""
    import pandas as pd

    _check_widths(source, layout)
    table = _parse(source, layout, names, as_text, decimal=".")
    values = table.drop(columns=[*as_text])
    if layout.delimiter == "," or all(map(pd.api.types.is_numeric_dtype, values.dtypes)):
        return table
    other = _parse(source, layout, names, as_text, decimal=",")
    other[values.columns] = other[values.columns].apply(_with_decimal_comma)
    return max(table, other, key=lambda reading: reading.apply(pd.to_numeric, errors="coerce").count().sum())


def _with_decimal_comma(column):
    """Read numbers with decimal commas from a column that holds text, unless points make the commas ambiguous."""
    import pandas as pd

    text = column.astype(object)
    if pd.api.types.infer_dtype(text, skipna=True) != "string":  # numbers, or true, false and blanks
        return column
    if text.str.contains(".", regex=False, na=False).any():
        return column
    numbers = pd.to_numeric(text.str.replace(",", "."), errors="coerce")
    return numbers.astype(object).where(numbers.notna(), text)


def _parse(source, layout, names, as_text, *, decimal):
    import pandas as pd

    options = {"sep": layout.delimiter, "header": 0, "index_col": False, "low_memory": False, "decimal": decimal}
    positions = [layout.header.index(name) for name in names]
    options |= {"names": range(len(layout.header)), "usecols": positions}
    options["dtype"] = {layout.header.index(name): "str" for name in as_text}
    try:
        table = pd.read_csv(_readable_by_pandas(source), encoding=layout.encoding, **options)
    except UnicodeDecodeError:
        if layout.encoding != "utf-8":
            raise
        table = pd.read_csv(_readable_by_pandas(source), encoding="latin-1", **options)
    return table[positions].set_axis(names, axis=1)


def _check_widths(source, layout):
    """Refuse rows longer than the header: pandas truncates them silently if it reads only some columns."""
    import pandas as pd

    n = len(layout.header)
    options = {"sep": layout.delimiter, "header": 0, "index_col": False, "low_memory": False}
    options |= {"encoding": layout.encoding, "encoding_errors": "replace", "names": range(n + 1), "usecols": [n]}
    try:
        beyond = pd.read_csv(_readable_by_pandas(source), **options)[n]
    except pd.errors.ParserError:  # there is no column beyond those of the header, or no way to read the file at all
        return
    longer = beyond.index[beyond.notna()]
    if longer.size:
        raise ValueError(f"{line_of(source, longer[0])} has more values than the header has names ({n})")


def _layout(source, names):
    """Encoding by the first bytes, delimiter by the first line: the one that brings out the most of the names."""
    with _open(source) as binary:
        head = binary.read(_HEAD)
    encoding = next((name for mark, name in _ENCODINGS.items() if head.startswith(mark)), None)
    if encoding is None:
        encoding = _unmarked_encoding(head)
    text = codecs.getincrementaldecoder(_python_name(encoding))().decode(head)
    headers = {delimiter: _header(text, delimiter, names) for delimiter in _DELIMITERS[source.kind]}
    delimiter = max(headers, key=lambda mark: (len({*names} & {*headers[mark]}), len(headers[mark])))
    return _Layout(encoding, delimiter, headers[delimiter])


def _unmarked_encoding(head):
    """Encoding of a text without byte order mark; ValueError if it is no text."""
    for mark, kind in _KNOWN.items():
        if head.startswith(mark):
            raise ValueError(f"it is not text but {kind}")
    if b"\0" in head:  # every other byte of letters and digits in UTF-16
        for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            if not head[start::2].strip(b"\0") and head[1 - start :: 2].count(0) == 0:
                return encoding
        raise ValueError("it is not text")
    if sum(map(head.count, _CONTROL)) > max(_FEW_CONTROL, _MOST_CONTROL * len(head)):
        raise ValueError("it is not text")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _header(text, delimiter, wanted):
    """Names in the first record that is not blank, without the blanks around those that are not wanted with them."""
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    header = next(filter(_holds_something, records), None)
    if header is None:
        raise ValueError("it is empty")
    return [name if name in wanted else name.strip() for name in header]


def _python_name(encoding):
    """Python keeps the byte order mark of UTF-8 unless its name says otherwise."""
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _open(source):
    """The file's bytes, unpacked."""
    import bz2
    import gzip
    import lzma
    from zipfile import ZipFile

    path = source.path
    if source.compression == ".zst":
        return _open_zstandard(source)
    if source.compression == ".zip":
        archive = ZipFile(path)
        members = archive.namelist()
        if len(members) != 1:
            raise ValueError(f"it contains {len(members)} files: keep one")
        return archive.open(members[0])
    return {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(source.compression, open)(path, "rb")


def _open_zstandard(source):
    """Python unpacks Zstandard from 3.14 on, and pyarrow everywhere."""
    try:
        from compression import zstd
    except ModuleNotFoundError:
        pyarrow = require("pyarrow", extra="parquet", purpose=f"reading {source}")
        return io.BufferedReader(pyarrow.input_stream(source.path, compression="zstd"))
    return zstd.open(source.path, "rb")


def _readable_by_pandas(source):
    """A path where pandas unpacks by itself, else the bytes."""
    return _open(source) if source.compression == ".zst" else source.path


def check_names(source, columns, names):
    """Raise ValueError unless each of the names is that of one column."""
    for name in names:
        if columns.count(name) > 1:
            raise ValueError(f"{source} has {columns.count(name)} columns named {name!r}: keep one")
        if name not in columns:
            near = get_close_matches(name, columns, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            if not source.is_columnar and any(map(_is_number, columns)):
                hint += "Its first line seems to contain values: add a line of names, such as score,s, above it. "
            shown = ", ".join(f"{each[:40]!r}" for each in columns[:_LISTED])
            more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
            raise ValueError(
                f"{source} has no column {name!r}: {hint}It has {shown}{more}; give the columns with --score and "
                "--label"
            )


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True
