"""Read labels and scores of a user's own file, and say in one line what is wrong with it."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import LARGEST, SMALLEST, check_magnitude
from pumetrics.assessment._files import line_of, read_columns
from pumetrics.assessment._labels import labels_as_they_are, numbers_of, plain_labels, shown
from pumetrics.assessment._sources import source_of
from pumetrics.counts import Counts

__all__ = ["MOST_ROWS", "Scored", "check_spread", "finite_scores", "read_models", "read_scores", "skipped_note"]

MOST_ROWS = 20_000_000  # nine gigabytes of memory, measured on ten million


class Scored(NamedTuple):
    """Labels and scores of a file, rows without a score left out."""

    s: np.ndarray | None
    """1 labeled, 0 unlabeled, -1 labeled negative, int8 of shape (n,); None of a file that was streamed."""
    score: np.ndarray | Counts
    """Higher is more positive, of shape (n,), float64 or, as in the file, float32; of a streamed file, counts."""
    rows: np.ndarray | None
    """Positions of the rows in the file, from 0, int64 of shape (n,); None of a file that was streamed."""
    n_rows: int
    """Rows of the file."""
    ids: np.ndarray | None = None
    """Values of the column that names the rows, str of shape (n,); None if none was asked for."""
    notes: tuple = ()
    """Lines on rows that were left out."""

    @property
    def n_used(self):
        """Number of rows that results rest on."""
        return self.score.n if self.s is None else len(self.s)


def read_scores(path, *, score="score", label="s", positive=None, unlabeled=(), negative=(), id=None):
    """Read a column of scores and one of observed labels from a file.

    Text files end in .csv, .tsv or .txt, then perhaps in .gz, .bz2, .xz, .zip or .zst. Fields may be separated by
    commas, semicolons, tabs or vertical bars; unless by commas, decimals may have a comma. The encoding is UTF-8,
    UTF-16 or Latin-1. Files in .parquet, .feather and, before Python 3.14, .zst need the extra
    ``pumetrics[parquet]``.

    Parameters
    ----------
    path : path-like
    score, label : str
        Names of the columns. Labels are 1, 0, -1 or true, false, unless `positive` says what they are. Rows without a
        score are left out, which a note says.
    positive : str, optional
        The value that marks labeled examples, such as "fraud". Blank, 0, -1, false and NaN then mean unlabeled.
    unlabeled : sequence of str
        Further values that mean unlabeled, such as "legitimate"; only with `positive`.
    negative : sequence of str
        Values that mean labeled negative, such as "checked"; only with `positive`.
    id : str, optional
        Name of a column whose values name the rows; each value may occur once.

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

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("score,class\\n0.9,fraud\\n0.2,\\n,\\n0.4,0\\n")
    ...     file.flush()
    ...     scored = read_scores(file.name, label="class", positive="fraud")
    >>> scored.s, scored.score
    (array([1, 0, 0], dtype=int8), array([0.9, 0.2, 0.4]))
    """
    options = {"label": label, "positive": positive, "unlabeled": unlabeled, "negative": negative, "id": id}
    return read_models(path, [score], **options)[0]


def read_models(path, scores, *, label="s", positive=None, unlabeled=(), negative=(), id=None):
    """Read several columns of scores, one for each model, and one of observed labels from a file.

    Parameters
    ----------
    path : path-like
    scores : list of str
        Names of the columns of scores.
    label, positive, unlabeled, negative, id
        See :func:`read_scores`.

    Returns
    -------
    list of Scored
        One for each column of scores, each without the rows that lack that score.

    Raises
    ------
    ValueError, MissingExtraError
        As :func:`read_scores`.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("old,new,s\\n0.9,3,1\\n0.2,,0\\n0.4,1,0\\n")
    ...     file.flush()
    ...     models = read_models(file.name, ["old", "new"])
    >>> [scored.score for scored in models]
    [array([0.9, 0.2, 0.4]), array([3., 1.])]
    """
    source = source_of(path)
    for score in scores:
        if len({score, label, id}) < 3:
            raise ValueError(
                f"--score {score}, --label {label}"
                + (f" and --id {id}" if id else "")
                + " must name different columns: a label is no score, and neither names a row"
            )
    table = read_columns(source, [*scores, label, *([id] if id else [])], as_text=[id] if id else [])
    n = len(table)
    if not n:
        raise ValueError(f"{source} has no rows")
    if n > MOST_ROWS:
        raise ValueError(
            f"{source} has {n} rows, more than the {MOST_ROWS} that fit: draw a random sample of the rows, or "
            "evaluate a Parquet file, which is streamed"
        )
    if positive is None:
        if unlabeled or negative:
            raise ValueError("values that mean unlabeled or negative need --positive, the value that means labeled")
        s = _labels(source, label, table[label])
    else:
        others = ([str(value) for value in values] for values in (unlabeled, negative))
        s = labels_as_they_are(source, label, table[label], str(positive), *others)
    ids = _ids(source, id, table[id]) if id else None
    return [_scored(source, score, table[score], s, ids, label) for score in scores]


def _scored(source, score, column, s, ids, label):
    """One model's scores with the labels of the rows that have one."""
    values, n = _scores(source, score, column), len(s)
    if column.dtype == np.float32:
        values = values.astype(np.float32)  # as a threshold has to meet them
    there = ~np.isnan(values)
    if there.all():
        return Scored(s, values, np.arange(n), n, ids)
    note = _skipped(source, score, s, there)
    _check_kinds(source, label, s[there], "a score")
    return Scored(s[there], values[there], np.flatnonzero(there), n, None if ids is None else ids[there], (note,))


def _skipped(path, name, s, there):
    missing = np.flatnonzero(~there)
    return skipped_note(path, name, missing.size, s.size, np.count_nonzero(s[missing] == 1), missing[0])


def skipped_note(path, name, n_missing, n_rows, n_labeled, first):
    """A line on the rows that have no score."""
    return (
        f"{n_missing} of {n_rows} rows of {path} have no value in column {name!r} and are skipped ({n_labeled} of "
        f"them labeled; first in {line_of(path, first)}): results describe the rest"
    )


def _scores(path, name, column):
    values = finite_scores(path, name, column)
    known = np.flatnonzero(~np.isnan(values))
    extreme = check_magnitude(values[known]) if known.size else None
    check_spread(path, name, values[known], None if extreme is None else known[extreme])
    return values


def finite_scores(path, name, column, *, start=0):
    """Scores of a part of a column that begins in row `start`, float64, missing ones as NaN; ValueError on infinity."""
    values = numbers_of(path, name, column, "numbers", start=start)
    bad = np.flatnonzero(np.isinf(values))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {path} must hold finite numbers, got {shown(values[bad[0]])} in "
            f"{line_of(path, start + bad[0])} ({bad.size} such rows): remove or impute them"
        )
    return values


def check_spread(path, name, values, extreme):
    """Raise ValueError on no scores, equal scores, and scores out of the range that arithmetic allows.

    Parameters
    ----------
    path : Source
    name : str
    values : ndarray
        Finite scores.
    extreme : int or None
        Row of a score too large, or of the largest where all are too small.
    """
    if not values.size:
        raise ValueError(f"column {name!r} of {path} holds no value in any row: name the column of scores with --score")
    if (values == values[0]).all():
        raise ValueError(
            f"column {name!r} of {path} holds {values[0]:g} in every row: constant scores say nothing about a "
            "model; name the column of scores with --score"
        )
    if extreme is not None:
        raise ValueError(
            f"column {name!r} of {path} must have its largest absolute value between {SMALLEST:g} and {LARGEST:g}, "
            f"got {max(values, key=abs):g} in {line_of(path, extreme)}: rescale the scores"
        )


def _labels(path, name, column):
    values = plain_labels(path, name, column)
    if (values == -1).any() and not (values == 0).any():
        first = np.flatnonzero(values == -1)[0]
        raise ValueError(
            f"column {name!r} of {path} holds no 0: there must be unlabeled examples; -1, as in "
            f"{line_of(path, first)}, means labeled negative (if it means unlabeled: --positive 1)"
        )
    _check_kinds(path, name, values)
    return values


def _check_kinds(path, name, s, where=None):
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        if not (s == value).any():
            among = f" among the rows with {where}" if where else ""
            raise ValueError(f"column {name!r} of {path} holds no {value}{among}: there must be {kind} examples")


def _ids(path, name, column):
    import pandas as pd

    absent = np.flatnonzero(column.isna().to_numpy())
    if absent.size:
        raise ValueError(
            f"column {name!r} of {path} must name every row, got no value in {line_of(path, absent[0])} "
            f"({absent.size} such rows): fill it, or name another column with --id"
        )
    whole = pd.api.types.is_float_dtype(column.dtype) and (column % 1 == 0).all()
    ids = (column.astype("int64") if whole else column).astype(str)
    repeated = np.flatnonzero(ids.duplicated().to_numpy())
    if repeated.size:
        value = ids.iloc[repeated[0]]
        first = np.flatnonzero((ids == value).to_numpy())[0]
        raise ValueError(
            f"column {name!r} of {path} holds {value!r} in {line_of(path, first)} and in {line_of(path, repeated[0])} "
            f"({repeated.size} such rows): each example may occur once; remove the copies"
        )
    return ids.to_numpy(dtype=object)
