"""Mixed features as models take them: as a matrix of numbers, or as a table with nominal values and gaps."""

from functools import cached_property

import numpy as np

__all__ = ["MixedTable", "encode", "encoded_names", "standardized"]

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
    blocks = [np.empty((len(frame), 0), np.float32)]
    for name in frame.columns.drop(_Y, errors="ignore"):
        blocks.append(_block(frame[name]))
    return np.concatenate(blocks, axis=1)


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


def standardized(matrix):
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
    >>> standardized(np.array([[1.0, 7.0], [3.0, 7.0]]))
    array([[-1.],
           [ 1.]])
    """
    matrix = matrix.astype(np.float64)
    spread = matrix.std(axis=0)
    varying = spread > 1e-9 * np.maximum(1.0, np.abs(matrix).max(axis=0))
    return (matrix[:, varying] - matrix[:, varying].mean(axis=0)) / spread[varying]


class MixedTable:
    """Mixed features of n rows, prepared once for any number of labelings, folds and permutations.

    Parameters
    ----------
    X : pandas.DataFrame of shape (n, n_features)
        A prepared table: categorical columns are nominal, with the declared categories as values; all others are
        numeric, finite or missing.

    Attributes
    ----------
    names : list of str
        Column names, in order.
    is_nominal : ndarray of shape (n_features,), bool
    values : ndarray of shape (n_features, n), float64
        Numbers, or codes 0, 1, ... of nominal values; NaN where missing.
    n_values : ndarray of shape (n_features,), int
        Declared values of a nominal feature, 0 for a numeric one.
    kept : dict
        Label-free results that classifiers keep for the next permutation, such as neighbor lists.

    """

    def __init__(self, X):
        import pandas as pd

        self.names = [str(name) for name in X.columns]
        self.is_nominal = np.array([isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes])
        self.n_values = np.zeros(len(self.names), dtype=np.int64)
        self.values = np.empty((len(self.names), len(X)))
        for j, name in enumerate(X.columns):
            column = X[name]
            if self.is_nominal[j]:
                codes = column.cat.codes.to_numpy(np.float64)
                self.values[j] = np.where(codes < 0, np.nan, codes)
                self.n_values[j] = len(column.cat.categories)
            else:
                self.values[j] = column.to_numpy(np.float64, na_value=np.nan)
        self.kept = {}

    @property
    def n(self):
        """Number of rows."""
        return self.values.shape[1]

    @cached_property
    def sorted_rows(self):
        """Rows in ascending order of each feature, missing ones last, shape (n_features, n), int32."""
        return np.argsort(self.values, axis=1, kind="stable").astype(np.int32)

    def indicators(self):
        """Features as numbers only: a nominal feature of two values is one column, of more, one column per value.

        Returns
        -------
        numbers : ndarray of shape (n, n_columns), float64
            Every column of a missing nominal value is NaN.
        source : ndarray of shape (n_columns,), int
            The feature each column comes from.
        """
        columns = []
        source = []
        for j, column in enumerate(self.values):
            if not self.is_nominal[j] or self.n_values[j] <= 2:
                columns.append(column)
            else:
                hits = (column == np.arange(self.n_values[j])[:, None]).astype(np.float64)
                columns.extend(np.where(np.isnan(column), np.nan, hits))
            source.extend([j] * (len(columns) - len(source)))
        return np.ascontiguousarray(np.transpose(columns)), np.array(source)
