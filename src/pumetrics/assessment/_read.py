"""Read labels and scores of a user's own file, and say in one line what is wrong with it."""

from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import numpy as np

__all__ = ["MOST_ROWS", "Scored", "read_scores", "same_labels"]

MOST_ROWS = 20_000_000  # nine gigabytes of memory, measured on ten million
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class Scored(NamedTuple):
    """Labels and scores of a file."""

    s: np.ndarray
    """1 labeled, 0 unlabeled, -1 labeled negative, int8 of shape (n,)."""
    score: np.ndarray
    """Higher is more positive, float64 of shape (n,)."""


def read_scores(path, *, score="score", label="s"):
    """Read a column of scores and one of observed labels from a CSV, TSV (also gzipped) or Parquet file.

    Parameters
    ----------
    path : path-like
    score, label : str
        Names of the columns; labels are 1, 0, -1 or true, false.

    Returns
    -------
    Scored

    Raises
    ------
    ValueError
        If the file cannot be read, lacks a column, has no rows or too many, or holds anything but finite scores and
        the labels above: one line that says where.
    """
    path = Path(path)
    columns = _columns(path, [score, label])
    n = len(columns[score])
    if not n:
        raise ValueError(f"{path} has no rows")
    if n > MOST_ROWS:
        raise ValueError(f"{path} has {n} rows, more than the {MOST_ROWS} that fit: draw a random sample of the rows")
    return Scored(_labels(path, label, columns[label]), _scores(path, score, columns[score]))


def same_labels(paths, files):
    """Raise ValueError unless two files hold the same labels, row by row.

    Parameters
    ----------
    paths : tuple of path-like
    files : list of Scored
    """
    sizes = [len(file.s) for file in files]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"{paths[0]} has {sizes[0]} rows and {paths[1]} has {sizes[1]}: both must hold the same examples"
        )
    differ = np.flatnonzero(files[0].s != files[1].s)
    if differ.size:
        raise ValueError(
            f"{paths[0]} and {paths[1]} have different labels in {_place(Path(paths[0]), differ[0])} "
            f"({differ.size} such rows): both must hold the same examples in the same order"
        )


def _columns(path, names):
    """Return the named columns as pyarrow arrays."""
    import pyarrow as pa

    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        return _from_parquet(path, names) if path.suffix == ".parquet" else _from_text(path, names)
    except (pa.ArrowInvalid, OSError) as error:
        raise ValueError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None


def _from_parquet(path, names):
    from pyarrow import parquet

    _check_names(path, parquet.read_schema(path).names, names)
    table = parquet.read_table(path, columns=list(dict.fromkeys(names)))
    return {name: table.column(name) for name in names}


def _from_text(path, names):
    from pyarrow import csv

    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix not in _DELIMITERS:
        raise ValueError(f"{path} must be a .csv, .tsv or .parquet file (.csv.gz and .tsv.gz will do)")
    layout = csv.ParseOptions(delimiter=_DELIMITERS[suffix])
    with csv.open_csv(path, parse_options=layout) as reader:
        _check_names(path, reader.schema.names, names)
    options = csv.ConvertOptions(include_columns=list(dict.fromkeys(names)))
    table = csv.read_csv(path, parse_options=layout, convert_options=options)
    return {name: table.column(name) for name in names}


def _check_names(path, found, names):
    for name in names:
        if found.count(name) > 1:
            raise ValueError(f"{path} has {found.count(name)} columns named {name!r}: keep one")
        if name not in found:
            near = get_close_matches(name, found, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ValueError(
                f"{path} has no column {name!r}: {hint}It has {', '.join(map(repr, found))}; name the columns with "
                "--score and --label"
            )


def _scores(path, name, column):
    values = _numbers(path, name, column, "numbers")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        what = "no value" if column[int(bad[0])].as_py() is None else f"{values[bad[0]]}"
        raise ValueError(
            f"column {name!r} of {path} must hold finite numbers, got {what} in {_place(path, bad[0])} "
            f"({bad.size} such rows): remove or impute them"
        )
    return values


def _labels(path, name, column):
    values = _numbers(path, name, column, "1 for labeled and 0 for unlabeled")
    bad = np.flatnonzero(~np.isin(values, (-1, 0, 1)))
    if bad.size:
        what = column[int(bad[0])].as_py()
        raise ValueError(
            f"column {name!r} of {path} must hold 1 for labeled and 0 for unlabeled, got "
            f"{'no value' if what is None else what} in {_place(path, bad[0])} ({bad.size} such rows)"
        )
    values = values.astype(np.int8)
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        if not (values == value).any():
            raise ValueError(f"column {name!r} of {path} holds no {value}: there must be {kind} examples")
    return values


def _numbers(path, name, column, wanted):
    """Return a column as float64, missing values as NaN."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    try:
        return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        position, value = _first_text(column)
        raise ValueError(
            f"column {name!r} of {path} must hold {wanted}, got {value!r} in {_place(path, position)}"
        ) from None


def _first_text(column):
    """Position and value of the first that is no number, by the rules that the whole column was read by."""
    import pyarrow as pa

    for position, value in enumerate(column):
        try:
            value.cast(pa.float64())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return position, value.as_py()
    return 0, column[0].as_py()


def _place(path, position):
    return f"row {position + 1}" if path.suffix == ".parquet" else f"line {position + 2}"
