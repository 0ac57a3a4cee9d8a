"""Rows with numeric and nominal features and missing values, and the label-free work that all classifiers share."""

from functools import cached_property

import numpy as np

__all__ = ["MixedTable"]


class MixedTable:
    """Mixed features of n rows, prepared once for any number of labelings, folds and permutations.

    Parameters
    ----------
    X : pandas.DataFrame of shape (n, n_features)
        Categorical columns are nominal, with the declared categories as values; all others must be numeric. NaN is a
        missing value.

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

    Raises
    ------
    ValueError
        If there is no row or no column, names repeat, or a column is neither numeric nor categorical.
    """

    def __init__(self, X):
        import pandas as pd

        if not isinstance(X, pd.DataFrame):
            raise ValueError(f"X must be a pandas DataFrame, got {type(X).__name__}: wrap it in pandas.DataFrame(X)")
        if not len(X) or not len(X.columns):
            raise ValueError(f"X must have at least one row and one column, got shape {X.shape}")
        if not X.columns.is_unique:
            raise ValueError(f"column names of X must be unique, got {X.columns[X.columns.duplicated()][0]!r} twice")
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
            elif pd.api.types.is_numeric_dtype(column):
                self.values[j] = column.to_numpy(np.float64, na_value=np.nan)
            else:
                raise ValueError(f"column {name!r} must be numeric or categorical, got {column.dtype} values")
        self.kept = {}
        infinite = np.isinf(self.values)
        if infinite.any():
            column, row = np.argwhere(infinite)[0]
            raise ValueError(f"column {self.names[column]!r} must be finite or missing, got infinity in row {row}")

    @property
    def n(self):
        """Number of rows."""
        return self.values.shape[1]

    @cached_property
    def sorted_rows(self):
        """Rows in ascending order of each feature, missing ones last, shape (n_features, n), int32."""
        return np.argsort(self.values, axis=1, kind="stable").astype(np.int32)

    def indicators(self, *, keep_missing):
        """Features as numbers only: a nominal feature of two values is one column, of more, one column per value.

        Parameters
        ----------
        keep_missing : bool
            Whether every column of a missing nominal value is NaN (else 0).

        Returns
        -------
        numbers : ndarray of shape (n, n_columns), float64
        source : ndarray of shape (n_columns,), int
            The feature each column comes from.
        """
        columns, source = [], []
        for j, column in enumerate(self.values):
            if not self.is_nominal[j] or self.n_values[j] <= 2:
                columns.append(column)
            else:
                hits = (column == np.arange(self.n_values[j])[:, None]).astype(np.float64)
                columns.extend(np.where(np.isnan(column), np.nan, hits) if keep_missing else hits)
            source.extend([j] * (len(columns) - len(source)))
        return np.ascontiguousarray(np.transpose(columns)), np.array(source)
