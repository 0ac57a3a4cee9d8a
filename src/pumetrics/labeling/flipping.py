"""Positives hidden among the negatives: at random, by a feature, or by a feature that is then removed."""

import numpy as np

from pumetrics._validation import check_fraction, check_labels, check_random_state, check_same_length

__all__ = ["flip_positives", "least_correlated_feature"]

_MECHANISMS = ("bcar", "bar", "bnar")


def least_correlated_feature(X):
    """Feature with the smallest sum of absolute correlations with all others.

    Nominal columns (category, text, boolean) enter as ordinal codes: categories in their order, other values sorted.
    A correlation uses the rows where both columns are present and counts 0 where it is undefined. Constant columns
    are left out; they would always win. Among equals the first column wins.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_samples, n_features)
        Mixed data; missing values are allowed.

    Returns
    -------
    hashable
        Name of the column; its position if `X` is no DataFrame.

    Raises
    ------
    ValueError
        If `X` is not two-dimensional or has no column that varies.

    References
    ----------
    Rider, Johnson, Davis, Hoens & Chawla (2013), Eq. 1.

    Examples
    --------
    >>> least_correlated_feature([[1, 2, 1], [2, 4, -1], [3, 7, -1], [4, 8, 1]])
    2
    """
    position, columns = _least_correlated(_ordinal_codes(X))
    return columns[position]


def flip_positives(X, y, fraction, *, mechanism="bcar", feature=None, random_state=None):
    """Hide a share of the positives among the negatives.

    "bcar" flips positives completely at random; "bar" those that come first in ascending order of the feature least
    correlated with the others; "bnar" does the same and removes that feature.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_samples, n_features)
        Mixed data; missing values are allowed and come last in the order.
    y : array-like of shape (n_samples,)
        True class, 0 or 1.
    fraction : float
        Share in [0, 1] of the P positives to flip, round(fraction P) of them.
    mechanism : {"bcar", "bar", "bnar"}, default="bcar"
        How the flipped ones are chosen.
    feature : hashable, optional
        Column (position, if `X` is no DataFrame) that "bar" and "bnar" sort by, where it is not to be
        :func:`least_correlated_feature`, or is known already.
    random_state : int, SeedSequence, Generator, RandomState or None
        Where the randomness comes from; under "bar" and "bnar" it orders equal values.

    Returns
    -------
    X_biased : DataFrame or ndarray
        `X` as given, without the feature under "bnar".
    y_biased : ndarray of shape (n_samples,)
        Class after the flips.

    Raises
    ------
    ValueError
        If `y` has no positive, lengths differ, `fraction` is out of range, or `mechanism` or `feature` unknown.

    References
    ----------
    Rider, Johnson, Davis, Hoens & Chawla (2013), Section 4.1.

    Examples
    --------
    >>> X = np.array([[5.0, 1.0], [1.0, 1.0], [3.0, 1.0], [4.0, 1.0]])
    >>> X_biased, y_biased = flip_positives(X, [1, 1, 0, 1], 1 / 3, mechanism="bnar")
    >>> X_biased.shape, y_biased
    ((4, 1), array([1, 0, 0, 1], dtype=int8))
    """
    y, fraction = check_labels(y, "y", need=(1,)), check_fraction(fraction, "fraction")
    check_same_length(X=X, y=y)
    if mechanism not in _MECHANISMS:
        raise ValueError(f"mechanism must be one of {', '.join(_MECHANISMS)}, got {mechanism!r}")
    order = check_random_state(random_state).permutation(np.flatnonzero(y == 1))
    if mechanism != "bcar":
        codes = _ordinal_codes(X)
        position = _least_correlated(codes)[0] if feature is None else _position(codes, feature)
        values = codes.iloc[:, position].to_numpy()
        order = order[np.argsort(values[order], kind="stable")]  # NaN sorts last, equals stay shuffled
        X = _without(X, position) if mechanism == "bnar" else X
    y_biased = y.copy()
    y_biased[order[: round(fraction * len(order))]] = 0
    return X, y_biased


def _least_correlated(codes):
    """Position of the feature of Rider's Eq. 1 in a frame of codes, and the frame's columns."""
    varying = np.flatnonzero(codes.nunique(dropna=True).to_numpy() > 1)
    if not varying.size:
        raise ValueError(f"X has no column that varies among its {codes.shape[1]}: there is no feature to sort by")
    correlation = codes.iloc[:, varying].corr().abs().fillna(0.0).to_numpy(copy=True)
    np.fill_diagonal(correlation, 0.0)
    # Rounded, lest the order of a sum decides between equals.
    return varying[np.argmin(correlation.sum(axis=1).round(12))], codes.columns


def _ordinal_codes(X):
    """`X` as a DataFrame of floats: numbers as they are, nominal columns as codes, missing values as NaN."""
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        if np.ndim(X) != 2:
            raise ValueError(f"X must be two-dimensional, (n_samples, n_features), got shape {np.shape(X)}")
        X = pd.DataFrame(np.asarray(X)).infer_objects()
    return X.apply(_ordinal_column)


def _ordinal_column(column):
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):  # booleans included
        return column.astype(float)
    codes = column.astype("category").cat.codes.astype(float)
    return codes.where(codes >= 0)


def _position(codes, feature):
    if feature not in codes.columns:
        raise ValueError(f"feature must be a column of X, one of {', '.join(map(str, codes.columns))}, got {feature!r}")
    return codes.columns.get_loc(feature)


def _without(X, position):
    if hasattr(X, "columns"):
        return X.iloc[:, [i for i in range(X.shape[1]) if i != position]]
    return np.delete(np.asarray(X), position, axis=1)
