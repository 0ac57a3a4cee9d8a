"""Bytes to a table: columns of a file of any supported format, compression, encoding and delimiter.

A text file is read in four steps: :func:`_layout` finds encoding, delimiter and names in its first bytes,
:func:`_check_quotes` refuses quotation marks that swallow rows, :func:`_check_widths` longer rows, and :func:`_parse`
reads the columns, once for each possible decimal mark.
:func:`line_of` says where in the file a row is. Parquet and Arrow files are read by pyarrow.
"""

import codecs
import csv
import io
import os
import re
import shutil
import sys
from collections import namedtuple
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unicodedata import normalize

from pumetrics.extras import require

__all__ = [
    "MISSING",
    "NO_LISTS",
    "Source",
    "columns_of",
    "line_of",
    "opened",
    "read_columns",
    "source_of",
]

COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
COLUMNAR = (".parquet", ".feather", ".arrow")

MAGIC = {
    b"\x1f\x8b": (".gz", "compressed by gzip: rename it to end in .gz"),
    b"BZh": (".bz2", "compressed by bzip2: rename it to end in .bz2"),
    b"\xfd7zXZ\0": (".xz", "compressed by xz: rename it to end in .xz"),
    b"PK\3\4": (".zip", "a zip archive or an Excel workbook"),
    b"\x28\xb5\x2f\xfd": (".zst", "compressed by Zstandard: rename it to end in .zst"),
    b"PAR1": (".parquet", "a Parquet file: rename it to end in .parquet"),
    b"ARROW1": (".arrow", "an Arrow file: rename it to end in .feather"),
    b"FEA1": (".feather", "an Arrow file: rename it to end in .feather"),
    b"\x89PNG": ("", "a PNG image"),
    b"\xff\xd8\xff": ("", "a JPEG image"),
    b"%PDF": ("", "a PDF document"),
}
"""Suffix of a format that is read, and what a file without that suffix is, by the first bytes."""
_HEAD = 1 << 16  # bytes that show encoding and delimiter, to the end of their last line
_LONGEST_LINE = 1 << 24
_DELIMITERS = {
    ".csv": ",;\t|",
    ".tsv": "\t,;|",
    ".txt": "\t,;| ",
}  # the usual one of the suffix first
_ENCODINGS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, which it begins with
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = bytes({*range(32)} - {*b"\t\n\v\f\r\x1a"})
_FEW_CONTROL, _MOST_CONTROL = 8, 0.01  # control bytes in a text: that many, or that share
_NUMBER = re.compile(r"[-+]?[\d.,]*\d(?:e[-+]?\d+)?", re.IGNORECASE)
_HOLDS_NUMBER = re.compile(rf'(?:^|[\s,;|"]){_NUMBER.pattern}(?:$|[\s,;|"])', re.IGNORECASE)
_ESCAPES = re.compile(
    r"[\0-\x08\x0b-\x1f\x7f-\x9f]"
)  # in a name they would reach a terminal and a page
# Values that mean no number. In a column of text they are values: NA may be Namibia.
MISSING = (
    "",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
)
NO_LISTS = "write the element that is meant, such as the probability of the positive class, to a column of its own"
_LISTED = 10  # columns of a file in a message


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
    if "-" not in map(str, paths):
        yield tuple(map(source_of, paths))
        return
    with TemporaryDirectory(prefix="pumetrics-") as folder:
        given = _standard_input(Path(folder))
        yield tuple(given if str(path) == "-" else source_of(path) for path in paths)


def _standard_input(folder):
    """Standard input in a file whose suffix says what it is, by its first bytes."""
    closed = sys.stdin is None or sys.stdin.closed
    if closed or sys.stdin.isatty():
        raise ValueError(
            f"standard input is {'closed' if closed else 'a terminal'}: give a file name, or pipe a file, such as cat "
            "scores.csv | pumetrics evaluate -"
        )
    arriving = folder / "arriving"
    with arriving.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, length=1 << 20)
    suffix = _magic(_start(arriving))[0]
    path = folder / f"input{suffix if suffix in COLUMNAR else '.txt' + suffix}"
    os.replace(arriving, path)
    return Source(path, "standard input")


def _start(path):
    with open(path, "rb") as file:
        return file.read(max(map(len, MAGIC)))


def _magic(head):
    """Suffix and description of a file by its first bytes."""
    return next((known for magic, known in MAGIC.items() if head.startswith(magic)), ("", ""))


def read_columns(path, names, *, as_text=()):
    """Return the named columns of a text, Parquet or Feather file.

    Parameters
    ----------
    path : path-like or Source
    names : list of str
    as_text : collection of str
        Columns of a text file that must not be read as numbers: 007 is not 7. In these only a blank is missing.

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
        columns, whole = _columnar(source)
        named = _named(columns, wanted)
        _check_names(source, named, wanted)
        places = [columns[named.index(name)] for name in wanted]
        with _reading(source):
            table = whole(columns=places)
        return _from_columns(source, table, places).set_axis(wanted, axis=1)
    with _reading(source):
        layout = _layout(source, wanted)
    _check_names(source, layout.names, wanted)
    with _reading(source):
        return _from_text(source, layout, wanted, as_text)


def columns_of(path, names):
    """Names of all columns of a file; `names`, those to be read, decide what separates them."""
    source = source_of(path)
    _check_path(source)
    if source.is_columnar:
        return _named(_columnar(source)[0], names)
    with _reading(source):
        return _layout(source, names).names


def _check_path(source):
    if source.path.is_dir():
        raise ValueError(f"{source} is a folder: give a file")
    if not source.path.exists():
        raise ValueError(f"file {source} does not exist")
    if not source.path.is_file():
        raise ValueError(f"{source} is a pipe or a device: give - in its place, and add < {source}")
    if _ESCAPES.search(source.name):
        raise ValueError(f"{source} has a control character in its name: rename it")
    if not source.is_columnar and source.kind not in _DELIMITERS:
        raise ValueError(
            f"{source} must be a .csv, .tsv, .txt, .parquet or .feather file (text may be compressed: "
            f"{', '.join(COMPRESSED)})"
        )
    suffix = source.compression
    if suffix and (head := _start(source.path)) and _magic(head)[0] != suffix:
        raise ValueError(
            f"{source} cannot be read: it is not compressed, as {suffix} says; if it is text, rename it to end in "
            f"{source.kind}"
        )


@contextmanager
def _reading(source, broken=None):
    """Whatever makes a file unreadable becomes one line; `broken` says what a wrong content means."""
    import lzma
    import zlib
    from zipfile import BadZipFile

    try:
        yield
    except (
        OSError,
        EOFError,
        RuntimeError,
        ValueError,
        csv.Error,
        lzma.LZMAError,
        zlib.error,
        BadZipFile,
    ) as error:
        # pandas' and pyarrow's errors are ValueErrors
        reason = str(error).strip().splitlines() or [type(error).__name__]
        reason = [broken] if broken and isinstance(error, ValueError) else reason
        raise ValueError(f"{source} cannot be read: {reason[0]}") from None


def _check_names(source, columns, names):
    """Raise ValueError unless each of the names is that of one column."""
    import pandas as pd

    for name in names:
        if columns.count(name) > 1:
            raise ValueError(f"{source} has {columns.count(name)} columns named {name!r}: keep one")
        if name not in columns:
            near = get_close_matches(name, columns, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            if len(columns) == 1 and len(columns[0].split()) > 1:
                hint = f"if blanks separate its columns, rename it to end in .txt{source.compression}. "
            if (
                not source.is_columnar
                and pd.to_numeric(pd.Series(columns), errors="coerce").notna().any()
            ):
                hint += "Its first line seems to contain values: add a line of names, such as score,s, above it. "
            shown = ", ".join(f"{each[:40]!r}" for each in columns[:_LISTED])
            more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
            raise ValueError(
                f"{source} has no column {name!r}: {hint}{'It' if hint else 'it'} has {shown}{more}; options such as "
                "--score and --label name the columns"
            )
        if _ESCAPES.search(name):
            raise ValueError(
                f"{source} has a control character in the name of its column {name!r}: rename it"
            )


def _columnar(source):
    """Names of the columns of a Parquet or Arrow file, and what reads some of them."""
    require("pyarrow", extra="parquet", purpose=f"reading {source}")
    from pyarrow import dataset, parquet

    with _reading(source, f"it is damaged, or not a {source.kind} file: write it again"):
        if source.kind == ".parquet":
            file = parquet.ParquetFile(source.path, buffer_size=1 << 20)
            return file.schema_arrow.names, file.read
        file = dataset.dataset(source.path, format="feather")
        return file.schema.names, file.to_table


def _from_columns(source, table, names):
    """Columns of pyarrow; whole numbers stay whole where some are missing, and lists are refused."""
    import pandas as pd
    import pyarrow as pa

    for name in names:
        if pa.types.is_nested(kind := table.schema.field(name).type):
            raise ValueError(f"column {name!r} of {source} holds {kind}: {NO_LISTS}")
    whole = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    # by metadata, a column that was the index of the table that was written would be none
    return table.to_pandas(types_mapper=whole.get, ignore_metadata=True)[names]


# How a text file is written: `skipped` lines above the header; if it is `aligned`, several blanks are one delimiter.
_Layout = namedtuple("_Layout", "encoding delimiter skipped names aligned", defaults=[False])


def _layout(source, names):
    """Encoding by the first bytes; delimiter and header by the first line: those with the most of the names."""
    with _unpacked(source) as binary:
        head = binary.read(_HEAD)
        head += binary.readline(_LONGEST_LINE)
    encoding = next(
        (name for mark, name in _ENCODINGS.items() if head.startswith(mark)), ""
    ) or _unmarked(head)
    lines = [*io.StringIO(codecs.getincrementaldecoder(encoding)().decode(head), newline="")]
    stated, skipped, layouts = re.match(r'"?sep=(.)"?\s*$', lines[0] if lines else ""), 0, []
    for here, below in pairwise(number for number, line in enumerate(lines) if line.strip()):
        comment = lines[here].startswith("#") and (
            lines[below][0] == "#" or not _HOLDS_NUMBER.search(lines[below])
        )
        if not comment and not (
            stated and here == 0
        ):  # a line with # right above numbers is the header
            skipped = here
            break
    for mark in stated[1] if stated else _DELIMITERS[source.kind]:
        *_, header = next(_records(lines, mark, skipped), [None])
        if header is None:
            raise ValueError("it is empty")
        layouts.append(_Layout(encoding, mark, skipped, _named(header, names)))
    layout = max(layouts, key=lambda each: (len({*names} & {*each.names}), len(each.names)))
    if layout.delimiter == " " and "" in layout.names:
        layout = layout._replace(names=[*filter(None, layout.names)], aligned=True)
    return layout


def _unmarked(head):
    """Encoding of a text without byte order mark; ValueError if it is no text."""
    if kind := _magic(head)[1]:
        raise ValueError(f"it is not text but {kind}")
    if b"\0" in head:  # every other byte of letters and digits in UTF-16
        for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            if not head[start::2].strip(b"\0") and head[1 - start :: 2].count(0) == 0:
                return encoding
    if b"\0" in head or sum(map(head.count, _CONTROL)) > max(
        _FEW_CONTROL, _MOST_CONTROL * len(head)
    ):
        raise ValueError("it is not text")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _named(columns, wanted):
    """Names without the blanks around those that are not wanted with them, in the Unicode form in which they are."""
    forms = {normalize("NFC", name): name for name in wanted}
    return [
        name if name in wanted else forms.get(normalize("NFC", name.strip()), name.strip())
        for name in columns
    ]


def _records(lines, delimiter, skipped, *, strict=False):
    """First line, last line and fields of each record that is not blank, however long these are."""
    most, start = csv.field_size_limit((1 << 31) - 1), skipped + 1
    try:
        reader = csv.reader(islice(lines, skipped, None), delimiter=delimiter, strict=strict)
        for record in reader:
            if len(record) > 1 or (record and record[0].strip()):
                yield start, skipped + reader.line_num, record
            start = skipped + reader.line_num + 1
    finally:
        csv.field_size_limit(most)


@contextmanager
def _lines_of(source, layout, errors="replace"):
    """The lines of a file as text."""
    with (
        _unpacked(source) as binary,
        io.TextIOWrapper(binary, layout.encoding, errors, newline="") as lines,
    ):
        yield lines


def _check_quotes(source, layout, numbers):
    """Refuse a field with line ends and delimiters, unless all quotes are balanced and its lines are no rows."""
    mark, places = layout.delimiter, [layout.names.index(name) for name in numbers]

    def are_rows(record):
        lines = [line.split(mark) for line in re.split(r"\r\n?|\n", mark.join(record))]
        return places and all(
            len(line) == len(layout.names)
            and all(_NUMBER.fullmatch(line[place].strip()) for place in places)
            for line in lines
        )

    def swallowing(*, strict):
        with _lines_of(source, layout) as lines:
            for start, end, record in _records(lines, mark, layout.skipped, strict=strict):
                spans = end > start and any(
                    mark in field and ("\n" in field or "\r" in field) for field in record
                )
                if spans and (not strict or are_rows(record)):
                    return start
        return None

    try:
        line = swallowing(strict=True)
    except csv.Error as error:
        line = swallowing(strict=False)
        if not line and "unexpected end of data" in str(error):
            raise ValueError(
                "its last quotation mark is never closed: remove it, or close it"
            ) from None
    if line:
        raise ValueError(
            f"a quotation mark in line {line} makes the lines below it part of one value: double a quotation mark that "
            "belongs to a value, and put the value in quotation marks"
        )


def _from_text(source, layout, names, as_text):
    """Columns by pandas; between semicolons or tabs with the decimal mark that makes more values numbers."""
    import pandas as pd

    with _unpacked(source) as binary:
        has_quotes = any(b'"' in part for part in iter(lambda: binary.read(1 << 20), b""))
    if has_quotes:
        _check_quotes(source, layout, [name for name in names if name not in as_text])
    _check_widths(source, layout)
    table = _parse(source, layout, names, as_text, decimal=".")
    values = table.drop(columns=[*as_text])
    if layout.delimiter == "," or all(map(pd.api.types.is_numeric_dtype, values.dtypes)):
        return table
    other = _parse(source, layout, names, as_text, decimal=",")
    other[values.columns] = other[values.columns].apply(_with_decimal_comma)
    return max(
        table,
        other,
        key=lambda reading: reading.apply(pd.to_numeric, errors="coerce").count().sum(),
    )


def _check_widths(source, layout):
    """Refuse rows longer than the header: pandas truncates them silently if it reads only some columns."""
    import pandas as pd

    n = len(layout.names)
    if layout.aligned:  # a value that is missing moves those behind it
        last = _by_pandas(
            source, layout, names=range(n), usecols=[n - 1], encoding_errors="replace", dtype="str"
        )
        shorter = last.index[last[n - 1].isna()]
        if shorter.size:
            raise ValueError(
                f"{line_of(source, shorter[0])} has fewer values than the header has names ({n})"
            )
    try:
        beyond = _by_pandas(
            source, layout, names=range(n + 1), usecols=[n], encoding_errors="replace"
        )[n]
    except (
        pd.errors.ParserError
    ):  # there is no column beyond those of the header, or no way to read the file at all
        return
    longer = beyond.index[beyond.notna()]
    if longer.size:
        where, remedy = (
            line_of(source, longer[0]),
            ": if R wrote it, add a name for the names of the rows",
        )
        raise ValueError(
            f"{where} has more values than the header has names ({n}){remedy if longer.size == beyond.size else ''}"
        )


def _parse(source, layout, names, as_text, *, decimal):
    positions, texts = (
        [f"{layout.names.index(name)}" for name in some] for some in (names, as_text)
    )
    options = {
        "names": [*map(str, range(len(layout.names)))],
        "usecols": positions,
        "decimal": decimal,
    }
    options["dtype"] = dict.fromkeys(texts, "str")
    options["na_values"] = dict.fromkeys(positions, MISSING) | dict.fromkeys(texts, "")
    try:
        table = _by_pandas(source, layout, **options)
    except UnicodeDecodeError:
        if not layout.encoding.startswith("utf-8"):
            raise
        table = _by_pandas(source, layout._replace(encoding="latin-1"), **options)
    return table[positions].set_axis(names, axis=1)


def _by_pandas(source, layout, **options):
    import pandas as pd

    options = {"na_values": [""], "keep_default_na": False} | options
    options |= {"encoding": layout.encoding, "sep": r"\s+" if layout.aligned else layout.delimiter}
    options |= {"header": 0, "index_col": False, "low_memory": False}
    if not layout.skipped and source.compression not in (".zip", ".zst"):
        return pd.read_csv(source.path, **options)
    with _lines_of(source, layout, options.get("encoding_errors", "strict")) as lines:
        for _ in range(layout.skipped):
            lines.readline()
        return pd.read_csv(lines, **options)


def _with_decimal_comma(column):
    """Read numbers with decimal commas from a column that holds text, unless points make the commas ambiguous."""
    import pandas as pd

    text = column.astype(object)
    if (
        pd.api.types.infer_dtype(text, skipna=True) != "string"
    ):  # numbers, or true, false and blanks
        return column
    if text.str.contains(".", regex=False, na=False).any():
        return column
    numbers = pd.to_numeric(text.str.replace(",", "."), errors="coerce")
    return numbers.astype(object).where(numbers.notna(), text)


def _unpacked(source):
    """The file's bytes, unpacked."""
    import bz2
    import gzip
    import lzma
    from zipfile import ZipFile

    path = source.path
    if source.compression == ".zip":
        archive = ZipFile(path)
        members = [
            name
            for name in archive.namelist()
            if name[-1] != "/" and not name.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            raise ValueError(f"it contains {len(members)} files: keep one")
        return archive.open(members[0])
    if source.compression == ".zst":
        try:  # Python unpacks Zstandard from 3.14 on, and pyarrow everywhere
            from compression import zstd
        except ModuleNotFoundError:
            pyarrow = require("pyarrow", extra="parquet", purpose=f"reading {source}")
            return io.BufferedReader(pyarrow.input_stream(path, compression="zstd"))
        return zstd.open(path, "rb")
    return {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(source.compression, open)(
        path, "rb"
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
    source, start = source_of(path), None
    if not source.is_columnar:
        layout = _layout(source, [])
        with suppress(csv.Error), _lines_of(source, layout) as lines:
            records = _records(lines, layout.delimiter, layout.skipped)
            start, *_ = next(islice(records, int(position) + 1, None), [None])
    return f"row {position + 1}" if start is None else f"line {start}"
