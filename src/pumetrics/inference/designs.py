"""Weights, clusters, folds and propensities of rows: what makes rows count differently, checked."""

from typing import NamedTuple

import numpy as np

from pumetrics._arguments import ArgumentError
from pumetrics._validation import as_array, check_same_index, check_same_length, check_scores
from pumetrics._weights import check_weights

__all__ = ["ARGUMENTS", "Design", "design_of"]

ARGUMENTS = ("sample_weight", "cluster", "fold", "propensity")
"""What makes a :class:`Design`, by the names of arguments."""

_LEAST_PROPENSITY = 1e-9  # as a share of the largest


class Design(NamedTuple):
    """Weights, clusters, folds and propensities of rows, each None where there are none."""

    weights: np.ndarray | None = None
    """At least 0, float64 of shape (n,)."""
    clusters: np.ndarray | None = None
    """Numbers of clusters from 0, int64 of shape (n,)."""
    folds: np.ndarray | None = None
    """Numbers of folds from 0, int64 of shape (n,)."""
    propensity: np.ndarray | None = None
    """Relative probability of a positive like the labeled row to be labeled, in (0, 1], float64 of shape (n,)."""

    @property
    def counts_rows(self):
        """Whether every row counts as one independent example."""
        return self.weights is None and self.clusters is None and self.propensity is None


def design_of(s, *, sample_weight=None, cluster=None, fold=None, propensity=None):
    """Check weights, clusters, folds and propensities.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled. Rows with any other label are left out.
    sample_weight : array-like of shape (n,), optional
        Weights, at least 0.
    cluster, fold : array-like of shape (n,), optional
        Values that name the cluster and the fold of each row.
    propensity : array-like of shape (n,), optional
        Above 0 for labeled rows, up to a factor: where all are equal there are none. Not used of other rows.

    Returns
    -------
    Design or None
        Of the labeled and unlabeled rows; None if nothing is given.

    Raises
    ------
    ValueError
        On bad weights or propensities, missing values, a single cluster, or a fold without labeled or unlabeled rows.

    Examples
    --------
    >>> design_of([1, 0, -1, 0], cluster=["a", "a", "b", "c"]).clusters
    array([0, 0, 1])
    """
    given = {"sample_weight": sample_weight, "cluster": cluster, "fold": fold, "propensity": propensity}
    given = {name: each for name, each in given.items() if each is not None}
    if not given:
        return None
    check_same_index(s=s, **given)
    labels = as_array(s, "s")
    kept = np.isin(labels, (0, 1))
    check_same_length(s=labels, **{name: as_array(each, name) for name, each in given.items()})
    if propensity is not None:
        propensity = _relative(propensity, labels)
        propensity = None if propensity is None else propensity[kept]
    labels = labels[kept].astype(np.int8)
    weights = None
    if sample_weight is not None:
        weights = check_weights(check_scores(sample_weight, "sample_weight")[kept], labels)
    clusters = None if cluster is None else _codes(cluster, kept, "cluster")
    if clusters is not None and not clusters.any():
        raise ArgumentError("cluster", "is the same for every row: resampling needs at least two clusters; omit it")
    folds = None if fold is None else _codes(fold, kept, "fold")
    if folds is not None:
        _check_folds(folds, as_array(fold)[kept], labels, weights)
    design = Design(weights, clusters, folds, propensity)
    return None if all(each is None for each in design) else design


def _relative(propensity, labels):
    """Propensities of the labeled rows as shares of the largest, 1 for all others; None if all are equal."""
    values = as_array(propensity)
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        raise ArgumentError(
            "propensity",
            f"must be a list of numbers, got {values.dtype} of shape {values.shape}: the probability of a "
            "positive of each row to be labeled, up to a factor",
        )
    labeled = labels == 1
    bad = np.flatnonzero(labeled & ~((values > 0) & np.isfinite(values)))
    if bad.size:
        raise ArgumentError(
            "propensity",
            f"must be larger than 0 and finite for every labeled row, got {values[bad[0]]:g} at position "
            f"{bad[0]} ({bad.size} such rows): an example with propensity 0 cannot be labeled",
        )
    relative = np.ones(len(labels))
    relative[labeled] = values[labeled] / values[labeled].max(initial=0)
    if relative.min() < _LEAST_PROPENSITY:
        raise ArgumentError(
            "propensity",
            f"must not be below {_LEAST_PROPENSITY:g} of its largest value in a labeled row, got "
            f"{relative.min():g} of it: that row would represent all positives",
        )
    return None if (relative == 1).all() else relative


def _codes(names, kept, what):
    """Numbers from 0 in order of appearance."""
    import pandas as pd

    names = as_array(names)
    if names.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got shape {names.shape}")
    codes, _ = pd.factorize(names[kept])
    missing = np.flatnonzero(codes < 0)
    if missing.size:
        raise ValueError(
            f"{what} must hold a value for every row, got none at position {np.flatnonzero(kept)[missing[0]]} "
            f"({missing.size} such rows)"
        )
    return codes.astype(np.int64)


def _check_folds(folds, names, labels, weights):
    present = np.ones(len(labels)) if weights is None else weights > 0
    for value, kind in ((1, "labeled"), (0, "unlabeled")):
        rows = np.bincount(folds, weights=present * (labels == value))
        empty = np.flatnonzero(rows == 0)
        if empty.size:
            name = names[np.flatnonzero(folds == empty[0])[0]]
            raise ValueError(
                f"fold {name!s} holds no {kind} example: scores are compared within folds only; join it with another "
                "fold, or leave its rows out"
            )
