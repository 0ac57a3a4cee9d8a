"""Values of a user's columns: numbers as text, and labels as they are."""

import numpy as np

from pumetrics.assessment._files import line_of

__all__ = ["labels_as_they_are", "marked", "numbers_of", "plain_labels", "shown"]

_UNLABELED = ("", "0", "-1", "false", "nan")
_LONGEST = 60  # characters of a value in a message


def labels_as_they_are(path, name, column, positive, unlabeled=()):
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

    Returns
    -------
    ndarray of shape (n,)
        1 labeled, 0 unlabeled, int8.

    Raises
    ------
    ValueError
        On a value of neither kind, or if no row is labeled or none unlabeled: one line that says where.
    """
    s = marked(path, name, column, positive, unlabeled)
    if not s.any():
        raise ValueError(
            f"column {name!r} of {path} holds no {positive!r}: there must be labeled examples; it holds "
            f"{', '.join(shown(value) for value in column.dropna().unique()[:5]) or 'blanks only'}"
        )
    if s.all():
        raise ValueError(f"column {name!r} of {path} holds nothing but {positive!r}: there must be unlabeled examples")
    return s


def marked(path, name, column, positive, unlabeled=(), *, start=0):
    """As :func:`labels_as_they_are`, of a part of a column that begins in row `start`; one kind may be missing."""
    import pandas as pd

    codes, values = pd.factorize(column.astype(object), use_na_sentinel=True)
    keys = [_key(value) for value in values]
    labeled = np.array([key == _key(positive) for key in keys] + [False])  # a missing value has code -1
    rest = {*_UNLABELED, *map(_key, unlabeled)}
    free = np.array([key in rest for key in keys] + [True])
    bad = np.flatnonzero(~(labeled | free)[codes])
    if bad.size:
        value = shown(column.iloc[bad[0]])
        raise ValueError(
            f"column {name!r} of {path} must hold {positive!r} for labeled and blank, 0, -1, false or NaN for "
            f"unlabeled, got {value} in {line_of(path, start + bad[0])} ({bad.size} such rows): if it means unlabeled, "
            f"give --unlabeled {value}"
        )
    return labeled[codes].astype(np.int8)


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
