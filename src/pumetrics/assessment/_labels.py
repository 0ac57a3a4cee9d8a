"""Values of a user's columns: numbers as text, and labels as they are."""

import re

import numpy as np

from pumetrics.assessment._files import line_of

__all__ = ["labels_as_they_are", "marked", "numbers_of", "plain_labels", "shown"]

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
        Values that mean unlabeled beside blank, 0, -1, false and NaN.
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
            f"column {name!r} of {path} holds no {positive!r}: there must be labeled examples; it holds "
            f"{', '.join(shown(value) for value in column.dropna().unique()[:5]) or 'blanks only'}"
        )
    if s.all():
        values = " or ".join(map(repr, (positive, *negative)))
        raise ValueError(f"column {name!r} of {path} holds nothing but {values}: there must be unlabeled examples")
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
    values = numbers_of(path, name, column, wanted, "say which value means labeled with --positive", start=start)
    bad = np.flatnonzero(~np.isin(values, (-1, 0, 1)))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {path} must hold {wanted}, got {shown(values[bad[0]])} in "
            f"{line_of(path, start + bad[0])} ({bad.size} such rows): say which value means labeled with --positive; "
            "blank then means unlabeled"
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
    text = repr(value)
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
