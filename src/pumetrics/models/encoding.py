"""Mixed features as a matrix: what models that know only numbers are trained on."""

import numpy as np

__all__ = ["encode", "encoded_names", "standardised"]

_Y = "y"


def encode(frame):
    """Matrix for training: one column per number, one per level of a nominal feature.

    Missing numbers become the median of their column (0 where all are missing); a missing nominal value has no
    level, so all its columns are 0. Ordinal features become their rank, 0 for the lowest level. Levels that are
    documented but never occur keep their column, as in the published widths.

    Parameters
    ----------
    frame : pandas.DataFrame of shape (n_samples, n_features)
        Features as `prepare` gives them; a column ``y`` is left out.

    Returns
    -------
    ndarray of float32, shape (n_samples, n_columns)

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": [1.0, float("nan"), 3.0], "hue": pd.Categorical(["red", "blue", "red"])})
    >>> encode(frame)
    array([[1., 0., 1.],
           [2., 1., 0.],
           [3., 0., 1.]], dtype=float32)
    """
    features = frame.drop(columns=_Y, errors="ignore")
    matrix = np.empty((len(features), len(encoded_names(features))), np.float32)
    start = 0
    for name in features.columns:
        block = _block(features[name])
        matrix[:, start : start + block.shape[1]] = block
        start += block.shape[1]
    return matrix


def encoded_names(frame):
    """Names of the columns of :func:`encode`: ``feature`` or ``feature=level``."""
    names = []
    for name in frame.columns.drop(_Y, errors="ignore"):
        levels = _levels(frame[name])
        names += [str(name)] if levels is None else [f"{name}={level}" for level in levels]
    return names


def _levels(column):
    """Levels of a nominal feature, or None for numbers and ordinal features."""
    is_nominal = str(column.dtype) == "category" and not column.cat.ordered
    return list(column.cat.categories) if is_nominal else None


def _block(column):
    levels = _levels(column)
    if levels is not None:
        return column.cat.codes.to_numpy()[:, None] == np.arange(len(levels))
    if str(column.dtype) == "category":
        values = column.cat.codes.to_numpy().astype(np.float32)
        values[values < 0] = np.nan
    else:
        values = column.to_numpy(np.float32, copy=True)
    missing = np.isnan(values)
    if missing.any():
        values[missing] = np.median(values[~missing]) if not missing.all() else 0.0
    return values[:, None]


def standardised(matrix):
    """Columns brought to mean 0 and standard deviation 1, without those that are constant.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_columns)
        Finite numbers.

    Returns
    -------
    ndarray of shape (n_samples, n_varying), float64

    Examples
    --------
    >>> standardised(np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([[-1.],
           [ 1.]])
    """
    matrix = matrix.astype(np.float64)
    spread = matrix.std(axis=0)
    varying = spread > 1e-9 * np.maximum(1.0, np.abs(matrix).max(axis=0))
    return (matrix[:, varying] - matrix[:, varying].mean(axis=0)) / spread[varying]
