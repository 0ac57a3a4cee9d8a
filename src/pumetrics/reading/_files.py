"""Columns of a file of any supported format, compression, encoding and delimiter; Parquet and Arrow by pyarrow."""

import json

from pumetrics.arguments import suggestion
from pumetrics.extras import require
from pumetrics.reading._sources import ESCAPES, check_path, reading, source_of, unpacked
from pumetrics.reading._text import columns_of_text, layout_of, named

__all__ = ["NO_LISTS", "columns_of", "read_columns"]

NO_LISTS = "write the element that is meant, such as the probability of the positive class, to a column of its own"
_LISTED = 10  # columns of a file in a message


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
    check_path(source)
    wanted = list(dict.fromkeys(names))
    if source.is_json:
        return _read_json(source, wanted)
    if source.is_columnar:
        return _read_columnar(source, wanted)
    with reading(source):
        layout = layout_of(source, wanted)
    _check_names(source, layout.names, wanted)
    with reading(source):
        return columns_of_text(source, layout, wanted, as_text)


def columns_of(path, names):
    """Names of all columns of a file; `names`, those to be read, decide what separates them."""
    source = source_of(path)
    check_path(source)
    if source.is_json:
        return named(_objects(source).columns, names)
    if source.is_columnar:
        columns, _ = _columnar(source)
        return named(columns, names)
    with reading(source):
        return layout_of(source, names).names


def _check_names(source, columns, names):
    """Raise ValueError unless each of the names is that of one column."""
    for name in names:
        if columns.count(name) > 1:
            raise ValueError(f"{source} has {columns.count(name)} columns named {name!r}: keep one")
        if name not in columns:
            shown = ", ".join(f"{each[:40]!r}" for each in columns[:_LISTED])
            if len(columns) > _LISTED:
                shown += f" and {len(columns) - _LISTED} more"
            raise ValueError(
                f"{source} has no column {name!r}: {_hint(source, columns, name)}it has {shown}; "
                "options such as --score and --label name the columns"
            )
        if ESCAPES.search(name):
            raise ValueError(
                f"{source} has a control character in the name of its column {name!r}: rename it"
            )


def _hint(source, columns, name):
    """Why a name may be none of the columns, blank or with a semicolon at its end."""
    import pandas as pd

    numbers = pd.to_numeric(pd.Series(columns), errors="coerce")
    if not source.has_types and numbers.notna().any():
        return (
            "its first line seems to contain values, add a line of names such as score,s above it; "
        )
    if len(columns) == 1 and len(columns[0].split()) > 1:
        return f"if blanks separate its columns, rename it to end in .txt{source.compression}; "
    return suggestion(name, columns, "did you mean {!r}? ")


def _objects(source):
    """A table of the objects of a file, one a line, as they are."""
    import pandas as pd

    with reading(source), unpacked(source) as lines:
        rows = []
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise ValueError(
                    f'line {number} is no JSON object such as {{"score": 0.9, "s": 1}}'
                )
            rows.append(row)
    return pd.DataFrame(rows, dtype=object).infer_objects()


def _read_json(source, wanted):
    """Columns of JSON objects; lists and objects in them are refused."""
    table = _objects(source)
    names = named(table.columns, wanted)
    _check_names(source, names, wanted)
    for name, place in zip(wanted, map(names.index, wanted), strict=True):
        is_nested = table.iloc[:, place].map(lambda value: isinstance(value, list | dict))
        if is_nested.any():
            raise ValueError(f"column {name!r} of {source} holds lists or objects: {NO_LISTS}")
    return table.set_axis(names, axis=1)[wanted]


def _read_columnar(source, wanted):
    """Columns of pyarrow; whole numbers stay whole where some are missing, and lists are refused."""
    columns, read = _columnar(source)
    import pandas as pd
    import pyarrow as pa

    names = named(columns, wanted)
    _check_names(source, names, wanted)
    places = [columns[names.index(name)] for name in wanted]
    with reading(source):
        table = read(columns=places)
    for name in places:
        kind = table.schema.field(name).type
        if pa.types.is_nested(kind):
            raise ValueError(f"column {name!r} of {source} holds {kind}: {NO_LISTS}")
    whole = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
    # by metadata, a column that was the index of the table that was written would be none
    frame = table.to_pandas(types_mapper=whole.get, ignore_metadata=True)
    return frame[places].set_axis(wanted, axis=1)


def _columnar(source):
    """Names of the columns of a Parquet or Arrow file, and what reads some of them."""
    require("pyarrow", extra="parquet", purpose=f"reading {source}")
    from pyarrow import dataset, parquet

    with reading(source, f"it is damaged, or not a {source.kind} file: write it again"):
        if source.kind == ".parquet":
            file = parquet.ParquetFile(source.path, buffer_size=1 << 20)
            return file.schema_arrow.names, file.read
        file = dataset.dataset(source.path, format="feather")
        return file.schema.names, file.to_table
