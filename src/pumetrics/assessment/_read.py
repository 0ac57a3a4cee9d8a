"""Read labels and scores of a user's own file, and say in one line what is wrong with it."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pumetrics.assessment._files import line_of, read_columns

__all__ = ["MOST_ROWS", "Scored", "read_scores", "same_labels"]

MOST_ROWS = 20_000_000  # nine gigabytes of memory, measured on ten million


class Scored(NamedTuple):
    """Labels and scores of a file."""

    s: np.ndarray
    """1 labeled, 0 unlabeled, -1 labeled negative, int8 of shape (n,)."""
    score: np.ndarray
    """Higher is more positive, float64 of shape (n,)."""


def read_scores(path, *, score="score", label="s"):
    """Read a column of scores and one of observed labels from a file.

    Text files end in .csv or .tsv, then perhaps in .gz, .bz2, .xz or .zip. Fields may be separated by commas,
    semicolons or tabs; between semicolons and tabs decimals may have a comma. The encoding is UTF-8, UTF-16 or Latin-1.
    Files in .parquet and .feather need the extra ``pumetrics[parquet]``.

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
    MissingExtraError
        If the file needs pyarrow, which is not installed.
    """
    path = Path(path)
    table = read_columns(path, [score, label])
    n = len(table)
    if not n:
        raise ValueError(f"{path} has no rows")
    if n > MOST_ROWS:
        raise ValueError(f"{path} has {n} rows, more than the {MOST_ROWS} that fit: draw a random sample of the rows")
    return Scored(_labels(path, label, table[label]), _scores(path, score, table[score]))


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
            f"{paths[0]} and {paths[1]} have different labels in {line_of(Path(paths[0]), differ[0])} "
            f"({differ.size} such rows): both must hold the same examples in the same order"
        )


def _scores(path, name, column):
    values = _numbers(path, name, column, "numbers")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {path} must hold finite numbers, got {_shown(values[bad[0]])} in "
            f"{line_of(path, bad[0])} ({bad.size} such rows): remove or impute them"
        )
    return values


def _labels(path, name, column):
    values = _numbers(path, name, column, "1 for labeled and 0 for unlabeled")
    bad = np.flatnonzero(~np.isin(values, (-1, 0, 1)))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {path} must hold 1 for labeled and 0 for unlabeled, got {_shown(values[bad[0]])} in "
            f"{line_of(path, bad[0])} ({bad.size} such rows)"
        )
    values = values.astype(np.int8)
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        if not (values == value).any():
            raise ValueError(f"column {name!r} of {path} holds no {value}: there must be {kind} examples")
    return values


def _shown(value):
    return "no value" if np.isnan(value) else f"{value:.17g}"


def _numbers(path, name, column, wanted):
    """Return a column as float64, missing values as NaN."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if pd.api.types.is_numeric_dtype(column.dtype):  # true and false as well
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    is_text = pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)
    values = (
        pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64) if is_text else np.full(len(column), np.nan)
    )
    wrong = np.flatnonzero(np.isnan(values) & column.notna().to_numpy())
    if wrong.size:
        raise ValueError(
            f"column {name!r} of {path} must hold {wanted}, got {column.iloc[wrong[0]]!r} in {line_of(path, wrong[0])}"
        )
    return values
