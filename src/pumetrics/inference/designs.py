"""Weights and clusters of rows: what makes rows count differently, checked."""

from typing import NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.validation import as_array, check_observed, check_same_index, check_same_length
from pumetrics.weights import check_weights

__all__ = ["Design", "design_of"]


class Design(NamedTuple):
    """Weights and clusters of rows, each None where there are none."""

    weights: np.ndarray | None = None
    """At least 0, float64 of shape (n,)."""
    clusters: np.ndarray | None = None
    """Numbers of clusters from 0, int64 of shape (n,)."""


def design_of(s, *, sample_weight=None, cluster=None, **others):
    """Check weights and clusters, and that all columns name their rows alike.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled.
    sample_weight : array-like of shape (n,), optional
        Weights, at least 0.
    cluster : array-like of shape (n,), optional
        Values that name the cluster of each row.
    **others : array-like of shape (n,)
        Further columns of these rows, by the name of their argument.

    Returns
    -------
    Design or None
        None if nothing is given.

    Raises
    ------
    ValueError
        On bad weights, missing values, a single cluster, or Series with different indexes.

    Examples
    --------
    >>> design_of([1, 0, 0], cluster=["a", "b", "a"]).clusters
    array([0, 1, 0])
    """
    given = {"sample_weight": sample_weight, "cluster": cluster}
    given = {name: each for name, each in given.items() if each is not None}
    check_same_index(s=s, **others, **given)
    if not given:
        return None
    labels = as_array(s, "s")
    check_same_length(s=labels, **{name: as_array(each, name) for name, each in given.items()})
    weights = (
        None if sample_weight is None else check_weights(sample_weight, check_observed(s, need=()))
    )
    return Design(weights, None if cluster is None else _codes(cluster))


def _codes(cluster):
    """Numbers from 0 in order of appearance."""
    import pandas as pd

    names = as_array(cluster)
    if names.ndim != 1:
        raise ValueError(f"cluster must be one-dimensional, got shape {names.shape}")
    codes, values = pd.factorize(names)
    missing = np.flatnonzero(codes < 0)
    if missing.size:
        raise ValueError(
            f"cluster must hold a value for every row, got none at position {missing[0]} ({missing.size} such rows)"
        )
    if len(values) < 2:
        raise ArgumentError(
            "cluster", "is the same for every row: resampling needs at least two clusters; omit it"
        )
    return codes.astype(np.int64)
