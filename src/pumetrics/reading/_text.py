"""Text to a table: a file of any encoding, delimiter and decimal mark.

It is read in four steps: :func:`layout_of` finds encoding, delimiter and names in its first bytes,
:func:`_check_quotes` refuses quotation marks that swallow rows, :func:`_check_widths` longer rows, and :func:`_parse`
reads the columns, once for each possible decimal mark. :func:`line_of` says where in the file a row is.
"""

import codecs
import csv
import io
import re
from contextlib import contextmanager, suppress
from itertools import islice, pairwise
from typing import NamedTuple
from unicodedata import normalize

from pumetrics.reading._sources import DELIMITERS, described, source_of, unpacked

__all__ = ["MISSING", "columns_of_text", "fields_of", "layout_of", "line_of", "named"]

_HEAD = 1 << 16  # bytes that show encoding and delimiter, to the end of their last line
_LONGEST_LINE = 1 << 24
_ENCODINGS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, which it begins with
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = bytes({*range(32)} - {*b"\t\n\v\f\r\x1a"})
_FEW_CONTROL = 8  # control bytes that a text may have
_MOST_CONTROL = 0.01  # or that share of its bytes
_NUMBER = re.compile(r"[-+]?[\d.,]*\d(?:e[-+]?\d+)?", re.IGNORECASE)
_HOLDS_NUMBER = re.compile(rf'(?:^|[\s,;|"]){_NUMBER.pattern}(?:$|[\s,;|"])', re.IGNORECASE)
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


class Layout(NamedTuple):
    """How a text file is written."""

    encoding: str
    delimiter: str
    skipped: int
    """Lines above the header."""
    names: list
    aligned: bool = False
    """Whether several blanks are one delimiter."""


def layout_of(source, names):
    """Encoding by the first bytes; delimiter and header by the first line: those with the most of the names."""
    with unpacked(source) as binary:
        head = binary.read(_HEAD)
        head += binary.readline(_LONGEST_LINE)
    encoding = _encoding_of(head)
    text = codecs.getincrementaldecoder(encoding)().decode(head)
    lines = [*io.StringIO(text, newline="")]
    stated = re.match(r'"?sep=(.)"?\s*$', lines[0] if lines else "")
    skipped = _lines_above_header(lines, 1 if stated else 0)

    layouts = []
    for delimiter in stated[1] if stated else DELIMITERS[source.kind]:
        *_, header = next(_records(lines, delimiter, skipped), [None])
        if header is None:
            raise ValueError("it is empty")
        layouts.append(Layout(encoding, delimiter, skipped, named(header, names)))
    layout = max(layouts, key=lambda each: (len({*names} & {*each.names}), len(each.names)))
    if layout.delimiter == " " and "" in layout.names:
        return layout._replace(names=[*filter(None, layout.names)], aligned=True)
    return layout


def _lines_above_header(lines, stated):
    """Number of blank lines, comments and, if one is `stated`, of the line with the delimiter, above the header."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    for here, below in pairwise(filled):
        # a line with # right above numbers is the header
        above_numbers = lines[below][0] != "#" and _HOLDS_NUMBER.search(lines[below])
        is_comment = lines[here].startswith("#") and not above_numbers
        if not is_comment and here >= stated:
            return here
    return 0


def _encoding_of(head):
    """Encoding of a text by its first bytes; ValueError if it is no text."""
    for mark, encoding in _ENCODINGS.items():
        if head.startswith(mark):
            return encoding
    _, kind = described(head)
    if kind:
        raise ValueError(f"it is not text but {kind}")
    if b"\0" in head:  # every other byte of letters and digits in UTF-16
        for zeros, letters, encoding in (
            (head[1::2], head[::2], "utf-16-le"),
            (head[::2], head[1::2], "utf-16-be"),
        ):
            if not zeros.strip(b"\0") and b"\0" not in letters:
                return encoding
        raise ValueError("it is not text")
    n_control = sum(map(head.count, _CONTROL))
    if n_control > max(_FEW_CONTROL, _MOST_CONTROL * len(head)):
        raise ValueError("it is not text")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def named(columns, wanted):
    """Names without the blanks around those that are not wanted with them, in the Unicode form in which they are."""
    forms = {normalize("NFC", name): name for name in wanted}
    names = []
    for name in columns:
        if name not in wanted:
            name = name.strip()
            name = forms.get(normalize("NFC", name), name)
        names.append(name)
    return names


def _records(lines, delimiter, skipped, *, strict=False):
    """First line, last line and fields of each record that is not blank, however long these are."""
    most = csv.field_size_limit((1 << 31) - 1)
    start = skipped + 1
    try:
        reader = csv.reader(islice(lines, skipped, None), delimiter=delimiter, strict=strict)
        for record in reader:
            end = skipped + reader.line_num
            if len(record) > 1 or (record and record[0].strip()):
                yield start, end, record
            start = end + 1
    finally:
        csv.field_size_limit(most)


@contextmanager
def _lines_of(source, layout, errors="replace"):
    """The lines of a file as text."""
    with (
        unpacked(source) as binary,
        io.TextIOWrapper(binary, layout.encoding, errors, newline="") as lines,
    ):
        yield lines


def fields_of(source):
    """The fields of the header and of all rows, as text."""
    layout = layout_of(source, [])
    with _lines_of(source, layout, "strict") as lines:
        return [record for *_, record in _records(lines, layout.delimiter, layout.skipped)]


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
    if source.is_json:
        return f"line {position + 1}"
    if not source.is_columnar:
        layout = layout_of(source, [])
        with suppress(csv.Error), _lines_of(source, layout) as lines:
            records = _records(lines, layout.delimiter, layout.skipped)
            for start, *_ in islice(records, int(position) + 1, None):
                return f"line {start}"
    return f"row {position + 1}"


def _check_quotes(source, layout, numbers):
    """Refuse a field with line ends and delimiters, unless all quotes are balanced and its lines are no rows."""
    try:
        line = _swallowing_line(source, layout, numbers, strict=True)
    except csv.Error as error:
        line = _swallowing_line(source, layout, numbers, strict=False)
        if not line and "unexpected end of data" in str(error):
            raise ValueError(
                "its last quotation mark is never closed: remove it, or close it"
            ) from None
    if line:
        raise ValueError(
            f"a quotation mark in line {line} makes the lines below it part of one value: double a "
            "quotation mark that belongs to a value, and put the value in quotation marks"
        )


def _swallowing_line(source, layout, numbers, *, strict):
    """Line of a record that swallows others, or None; where quotes are balanced (`strict`) these have to be rows."""
    delimiter = layout.delimiter
    places = [layout.names.index(name) for name in numbers]

    def spans(field):
        return delimiter in field and ("\n" in field or "\r" in field)

    def is_row(line):
        fields = line.split(delimiter)
        if len(fields) != len(layout.names):
            return False
        return all(_NUMBER.fullmatch(fields[place].strip()) for place in places)

    with _lines_of(source, layout) as lines:
        for start, end, record in _records(lines, delimiter, layout.skipped, strict=strict):
            if end == start or not any(map(spans, record)):
                continue
            within = re.split(r"\r\n?|\n", delimiter.join(record))
            if not strict or (places and all(map(is_row, within))):
                return start
    return None


def columns_of_text(source, layout, names, as_text):
    """Columns by pandas; between semicolons or tabs with the decimal mark that makes more values numbers."""
    import pandas as pd

    with unpacked(source) as binary:
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
    return max(table, other, key=_count_numbers)


def _count_numbers(table):
    import pandas as pd

    return table.apply(pd.to_numeric, errors="coerce").count().sum()


def _check_widths(source, layout):
    """Refuse rows longer than the header: pandas truncates them silently if it reads only some columns."""
    import pandas as pd

    n = len(layout.names)
    if layout.aligned:  # a value that is missing moves those behind it
        last = _column_by_pandas(source, layout, n - 1, dtype="str")
        shorter = last.index[last.isna()]
        if shorter.size:
            line = line_of(source, shorter[0])
            raise ValueError(f"{line} has fewer values than the header has names ({n})")
    try:
        beyond = _column_by_pandas(source, layout, n)
    except pd.errors.ParserError:
        return  # there is no column beyond those of the header, or no way to read the file at all
    longer = beyond.index[beyond.notna()]
    if longer.size:
        remedy = ""
        if longer.size == beyond.size:
            remedy = ": if R wrote it, add a name for the names of the rows"
        line = line_of(source, longer[0])
        raise ValueError(f"{line} has more values than the header has names ({n}){remedy}")


def _column_by_pandas(source, layout, place, **options):
    """A column by its place, whatever the encoding."""
    options |= {"names": range(place + 1), "usecols": [place], "encoding_errors": "replace"}
    return _by_pandas(source, layout, **options)[place]


def _parse(source, layout, names, as_text, *, decimal):
    places = [f"{layout.names.index(name)}" for name in names]
    texts = [f"{layout.names.index(name)}" for name in as_text]
    options = {
        "names": [*map(str, range(len(layout.names)))],
        "usecols": places,
        "decimal": decimal,
        "dtype": dict.fromkeys(texts, "str"),
        "na_values": dict.fromkeys(places, MISSING) | dict.fromkeys(texts, ""),
    }
    try:
        table = _by_pandas(source, layout, **options)
    except UnicodeDecodeError:
        if not layout.encoding.startswith("utf-8"):
            raise
        table = _by_pandas(source, layout._replace(encoding="latin-1"), **options)
    return table[places].set_axis(names, axis=1)


def _by_pandas(source, layout, **options):
    import pandas as pd

    options = {
        "na_values": [""],
        "keep_default_na": False,
        "encoding": layout.encoding,
        "sep": r"\s+" if layout.aligned else layout.delimiter,
        "header": 0,
        "index_col": False,
        "low_memory": False,
        **options,
    }
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
    if pd.api.types.infer_dtype(text, skipna=True) != "string":
        return column  # numbers, or true, false and blanks
    if text.str.contains(".", regex=False, na=False).any():
        return column
    numbers = pd.to_numeric(text.str.replace(",", "."), errors="coerce")
    return numbers.astype(object).where(numbers.notna(), text)
