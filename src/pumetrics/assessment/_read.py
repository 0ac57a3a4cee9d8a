"""Labels, scores and other columns of a user's file, with errors of one line."""

import re
from typing import NamedTuple

import numpy as np

from pumetrics._validation import LARGEST, SMALLEST, check_distinct, check_magnitude
from pumetrics.assessment._by import MOST_BY
from pumetrics.assessment._files import line_of, read_columns, source_of
from pumetrics.counts import Counts

__all__ = [
    "RowColumns", "Scored", "check_spread", "finite_scores", "marked", "plain_labels", "read_beside", "read_models",
    "read_scores", "skipped_note",
]  # fmt: skip

_UNLABELED = ("", "0", "-1", "false", "nan")
_LONGEST = 60  # characters of a value in a message


def labels_as_they_are(path, name, column, positive, unlabeled=(), negative=()):
    """Labels of a column whose values are a user's: one of them means labeled.

    Parameters
    ----------
    path : pathlib.Path
    name : str
        Of the column, for messages.
    column : pandas.Series
    positive : str
    unlabeled : sequence of str
        Values that mean unlabeled in addition to blank, 0, -1, false and NaN.
    negative : sequence of str
        Values that mean labeled negative.

    Returns
    -------
    ndarray of shape (n,)
        1 labeled, 0 unlabeled, -1 labeled negative, int8.

    Raises
    ------
    ValueError
        On a value of neither kind, or if no row is labeled or none unlabeled: one line that says where.
    """
    s = marked(path, name, column, positive, unlabeled, negative)
    if not (s == 1).any():
        raise ValueError(
            f"column {name!r} of {path} does not contain {positive!r}: there must be labeled examples; it contains "
            f"{', '.join(shown(value) for value in column.dropna().unique()[:5]) or 'blanks only'}"
        )
    if s.all():
        values = " or ".join(map(repr, (positive, *negative)))
        raise ValueError(f"column {name!r} of {path} contains only {values}: there must be unlabeled examples")
    return s


def marked(path, name, column, positive, unlabeled=(), negative=(), *, start=0):
    """As :func:`labels_as_they_are`, of a part of a column that begins in row `start`; one kind may be missing."""
    import pandas as pd

    codes, values = pd.factorize(column.astype(object), use_na_sentinel=True)
    keys = [_key(value) for value in values]
    labeled = np.array([key == _key(positive) for key in keys] + [False])  # a missing value has code -1
    against = {*map(_key, negative)}
    rest = {*_UNLABELED, *map(_key, unlabeled)} - against
    free, opposed = (np.array([key in some for key in keys] + [some is rest]) for some in (rest, against))
    bad = np.flatnonzero(~(labeled | free | opposed)[codes])
    if bad.size:
        value = shown(column.iloc[bad[0]])
        raise ValueError(
            f"column {name!r} of {path} must hold {positive!r} for labeled and blank, 0, -1, false or NaN for "
            f"unlabeled, got {value} in {line_of(path, start + bad[0])} ({bad.size} such rows): if it means unlabeled, "
            f"give --unlabeled {value}; if it means labeled negative: --negative {value}"
        )
    return labeled[codes].astype(np.int8) - opposed[codes].astype(np.int8)


def plain_labels(path, name, column, *, start=0):
    """Labels 1, 0 and -1, or true and false, of a part of a column that begins in row `start`, as int8."""
    wanted = "1 for labeled and 0 for unlabeled"
    values = numbers_of(path, name, column, wanted, "give the value that means labeled with --positive", start=start)
    bad = np.flatnonzero(~np.isin(values, (-1, 0, 1)))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {path} must hold {wanted}, got {shown(values[bad[0]])} in "
            f"{line_of(path, start + bad[0])} ({bad.size} such rows): give the value that means labeled with "
            "--positive; blank then means unlabeled"
        )
    return values.astype(np.int8)


def numbers_of(path, name, column, wanted, remedy="correct or remove it", *, start=0):
    """A column as float64, missing values as NaN; ValueError on text, with its line and a remedy."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if pd.api.types.is_complex_dtype(column.dtype):
        raise ValueError(f"column {name!r} of {path} must hold {wanted}, got complex numbers: {remedy}")
    if pd.api.types.is_numeric_dtype(column.dtype):  # true and false as well
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    is_text = pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)
    values = (
        pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64) if is_text else np.full(len(column), np.nan)
    )
    wrong = np.flatnonzero(np.isnan(values) & column.notna().to_numpy())
    if wrong.size:
        if re.search(r"\d[,'_\s]\d", str(column.iloc[wrong[0]])):
            remedy = "write numbers without thousands separators, and a point before decimals"
        raise ValueError(
            f"column {name!r} of {path} must hold {wanted}, got {shown(column.iloc[wrong[0]])} in "
            f"{line_of(path, start + wrong[0])} ({wrong.size} such rows): {remedy}"
        )
    return values


def shown(value):
    """A value in a message: no value, a number in full, a text shortened."""
    if isinstance(value, (float, np.floating)):
        return "no value" if np.isnan(value) else f"{value:.17g}"
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"


def _key(value):
    """A value for comparison: 1, 1.0 and "1" are one, as are False and "false"."""
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        return f"{float(text):.17g}"
    except ValueError:
        return text


MOST_ROWS = 20_000_000  # nine gigabytes of memory, measured on ten million


class Scored(NamedTuple):
    """Labels and scores of a file without the rows that have no score."""

    s: np.ndarray | None
    """1 labeled, 0 unlabeled, -1 labeled negative, int8 of shape (n,); None if the file was read in batches."""
    score: np.ndarray | Counts
    """Higher means more positive, of shape (n,), float64 or, as in the file, float32; counts if the file was read in
    batches."""
    rows: np.ndarray | None
    """Positions of the rows in the file, from 0, int64 of shape (n,); None if the file was read in batches."""
    n_rows: int
    """Number of rows of the file."""
    ids: np.ndarray | None = None
    """Values of the column of ids, str of shape (n,); None if no column was given."""
    notes: tuple = ()
    """Notes on rows that were left out."""

    @property
    def n_used(self):
        """Number of rows used."""
        return self.score.n if self.s is None else len(self.s)


def read_scores(path, *, score="score", label="s", positive=None, unlabeled=(), negative=(), id=None):
    """Read a column of scores and one of observed labels from a file.

    Names of text files end in .csv, .tsv or .txt, optionally followed by .gz, .bz2, .xz, .zip or .zst. Fields are
    separated by commas, semicolons, tabs or vertical bars; decimal commas are allowed unless commas separate fields.
    The encoding is UTF-8, UTF-16 or Latin-1. Files in .parquet, .feather and, before Python 3.14, .zst need the extra
    ``pumetrics[parquet]``.

    Parameters
    ----------
    path : path-like
    score, label : str
        Names of the columns. Labels are 1, 0, -1 or true, false, unless `positive` defines them. Rows without a score
        are left out, with a note.
    positive : str, optional
        The value that marks labeled examples, such as "fraud". Blank, 0, -1, false and NaN then mean unlabeled.
    unlabeled : sequence of str
        Further values that mean unlabeled, such as "legitimate"; only with `positive`.
    negative : sequence of str
        Values that mean labeled negative, such as "checked"; only with `positive`.
    id : str, optional
        Name of a column of row names; each value may occur once.

    Returns
    -------
    Scored

    Raises
    ------
    ValueError
        If the file cannot be read, lacks a column, has no rows or too many, or contains anything other than finite
        scores and the labels above: one line that gives the position.
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
    """Read several columns of scores, one for each model, and one column of observed labels from a file.

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
        One for each column of scores, without the rows that lack that score.

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
                f"--score {score}, --label {label}" + (f" and --id {id}" if id else "") + " must name different columns"
            )
    table = read_columns(source, [*scores, label, *([id] if id else [])], as_text=[id] if id else [])
    n = len(table)
    if not n:
        raise ValueError(f"{source} has no rows")
    if n > MOST_ROWS:
        raise ValueError(
            f"{source} has {n} rows, more than the limit of {MOST_ROWS}: use a random sample of the rows, or a "
            "Parquet file, which is read in batches"
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
    values, n = finite_scores(source, score, column), len(s)
    known = np.flatnonzero(~np.isnan(values))
    extreme = check_magnitude(values[known]) if known.size else None
    check_spread(source, score, values[known], None if extreme is None else known[extreme])
    if column.dtype == np.float32:
        values = values.astype(np.float32)  # as a threshold has to meet them
    if known.size == n:
        return Scored(s, values, known, n, ids)
    missing = np.flatnonzero(np.isnan(values))
    note = skipped_note(source, score, missing.size, n, np.count_nonzero(s[missing] == 1), missing[0])
    _check_kinds(source, label, s[known], "a score")
    return Scored(s[known], values[known], known, n, None if ids is None else ids[known], (note,))


def skipped_note(path, name, n_missing, n_rows, n_labeled, first):
    """A line on the rows that have no score."""
    return (
        f"{n_missing} of {n_rows} rows of {path} have no value in column {name!r} and are skipped ({n_labeled} of "
        f"them labeled; first in {line_of(path, first)})"
    )


def finite_scores(path, name, column, *, start=0):
    """Scores of a part of a column that begins in row `start`, float64, missing ones as NaN; ValueError on infinity."""
    values = numbers_of(path, name, column, "numbers", start=start)
    bad = np.flatnonzero(np.isinf(values))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {path} must hold finite numbers, got {shown(values[bad[0]])} in "
            f"{line_of(path, start + bad[0])} ({bad.size} such rows): remove or impute them"
        )
    if column.dtype.kind in "iu":
        there = column.notna().to_numpy()
        check_distinct(
            column[there].to_numpy(dtype=column.dtype.name.lower()), values[there], f"column {name!r} of {path}"
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
        raise ValueError(f"column {name!r} of {path} is empty: give the column of scores with --score")
    if (values == values[0]).all():
        raise ValueError(
            f"column {name!r} of {path} holds {values[0]:g} in every row: constant scores contain no information "
            "about a model; give the column of scores with --score"
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
            f"column {name!r} of {path} does not contain 0: there must be unlabeled examples; -1, as in "
            f"{line_of(path, first)}, means labeled negative (if it means unlabeled: --positive 1)"
        )
    _check_kinds(path, name, values)
    return values


def _check_kinds(path, name, s, where=None):
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        if not (s == value).any():
            among = f" among the rows with {where}" if where else ""
            raise ValueError(
                f"column {name!r} of {path} does not contain {value}{among}: there must be {kind} examples"
            )


def _ids(path, name, column):
    import pandas as pd

    absent = np.flatnonzero(column.isna().to_numpy())
    if absent.size:
        raise ValueError(
            f"column {name!r} of {path} must have a value in every row, got none in {line_of(path, absent[0])} "
            f"({absent.size} such rows): fill it, or give another column with --id"
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


class RowColumns(NamedTuple):
    """Values of the rows of one model, each None or empty where no column was named."""

    weight: np.ndarray | None
    cluster: np.ndarray | None
    fold: np.ndarray | None
    by: dict
    """Groups by the name of their column."""
    propensity: np.ndarray | None = None

    def options(self):
        """The same as arguments of :func:`pumetrics.assessment.assess`."""
        given = {"sample_weight": self.weight, "cluster": self.cluster, "fold": self.fold}
        given["propensity"] = self.propensity
        return {name: values for name, values in given.items() if values is not None}


def read_beside(source, samples, *, weight=None, cluster=None, fold=None, by=None, propensity=None):
    """Read weights, clusters, folds, propensities and groups of the rows that each model has a score of.

    Parameters
    ----------
    source : Source
    samples : list of Scored or Pairs
    weight, cluster, fold : str or None
    by : list of str or None
    propensity : str or None

    Returns
    -------
    list of RowColumns
        One for each of the samples.

    Raises
    ------
    ValueError
        If a column is missing, a weight is no number of at least 0, the propensity of a labeled row no number above 0,
        or a cluster or fold has no value: one line that says where.
    """
    names = list(dict.fromkeys(by or []))
    texts = list(dict.fromkeys(name for name in (cluster, fold, *names) if name is not None))
    wanted = [*texts, *([weight] if weight else []), *([propensity] if propensity else [])]
    if not wanted:
        return [RowColumns(None, None, None, {}) for _ in samples]
    table = read_columns(source, wanted, as_text=texts)
    weights = None if weight is None else _weights(source, weight, table[weight])
    values = {name: table[name] for name in texts}
    for option, name in (("--cluster", cluster), ("--fold", fold)):
        if name is not None:
            _check_complete(source, option, name, values[name])
    for name in names:
        _check_few(source, name, values[name])
    groups = {name: values[name].astype(object).where(values[name].notna(), "no value").astype(str) for name in names}
    propensities = None if propensity is None else _propensities(source, propensity, table[propensity], samples)
    beside = [weights, values.get(cluster), values.get(fold)]
    return [
        RowColumns(
            *(None if each is None else np.asarray(each)[sample.rows] for each in beside),
            {name: each.to_numpy()[sample.rows] for name, each in groups.items()},
            None if propensities is None else propensities[sample.rows],
        )
        for sample in samples
    ]


def _weights(source, name, column):
    values = numbers_of(source, name, column, "weights of at least 0")
    bad = np.flatnonzero(~(values >= 0) | np.isinf(values))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {source} must hold weights of at least 0, got {shown(values[bad[0]])} in "
            f"{line_of(source, bad[0])} ({bad.size} such rows): correct or remove them"
        )
    return values


def _propensities(source, name, column, samples):
    values = numbers_of(source, name, column, "propensities above 0")
    for sample in samples:
        labeled = sample.rows[sample.s == 1]
        bad = labeled[~(values[labeled] > 0) | np.isinf(values[labeled])]
        if bad.size:
            raise ValueError(
                f"column {name!r} of {source} must hold propensities above 0 in labeled rows, got "
                f"{shown(values[bad[0]])} in {line_of(source, bad[0])} ({bad.size} such rows): an example with "
                "propensity 0 cannot be labeled"
            )
    return values


def _check_complete(source, option, name, column):
    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"column {name!r} of {source} must hold a value in every row ({option}), got none in "
            f"{line_of(source, missing[0])} ({missing.size} such rows): fill it, or remove them"
        )


def _check_few(source, name, column):
    n_values = column.nunique()
    if n_values > MOST_BY:
        raise ValueError(
            f"--by {name}: the column holds {n_values:,} different values in {source}, more than {MOST_BY}: use a "
            "column with fewer values, or merge the rare ones"
        )
