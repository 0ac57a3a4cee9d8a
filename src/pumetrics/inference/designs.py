"""Samples whose rows do not count alike: weights, clusters, folds scored by different models, and propensities.

A weight is the number of examples that a row represents. Rows of a cluster, such as the transactions of one user, are
drawn into a resample together, labeled and unlabeled. Scores of different folds come from different models, so each
number is computed within every fold and averaged, weighted by the size of the fold. A labeled row of propensity e
represents 1 / e positives, see :func:`pumetrics.inference.selection.exchanged`.

Estimators of the priors and their calibration count independent examples of one ranking. They see the ranks of the
scores within their fold, weighted, and the effective sample size: Kish's effective size over the design
effect of the clusters, by which these multiply the variance of the distribution of the ranks.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pumetrics._arguments import ArgumentError
from pumetrics._validation import as_array, check_same_index, check_same_length, check_scores
from pumetrics._weights import check_weights, design_effect, effective_size
from pumetrics.counts import Counts
from pumetrics.inference.selection import reweighted
from pumetrics.metrics import AREAS, MEASURES, find_metric, rates_at

__all__ = ["SCORED", "Design", "Parts", "design_of", "for_priors", "scores_of", "scores_of_sample", "sizes_of"]

SCORED = (*AREAS, *MEASURES)  # measures are taken at a threshold, or at their maximum


_LEAST_PROPENSITY = 1e-9  # as a share of the largest


ARGUMENTS = ("sample_weight", "cluster", "fold", "propensity")
"""What makes a :class:`Design`, by the names of arguments."""


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


class Parts(NamedTuple):
    """Counts of each fold, and what estimators of the priors see of all of them."""

    folds: tuple
    """Counts of every fold."""
    shares: np.ndarray
    """Share of each fold in the sum of weights, of shape (n_folds,)."""
    pooled: Counts
    """Whole counts of ranks within folds, of samples of effective size."""
    sizes: tuple
    """Numbers of examples of every fold of the sample, resampled or not, by population: what its tops are shares of."""


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


def sizes_of(s, ranks, design):
    """Effective numbers of labeled and of unlabeled examples, see the module.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 and 0.
    ranks : ndarray of shape (n,)
        Scores, or their ranks within folds.
    design : Design

    Returns
    -------
    tuple of float
    """
    sizes = []
    for value in (1, 0):
        rows = s == value
        weights = np.ones(rows.sum()) if design.weights is None else design.weights[rows]
        if value and design.propensity is not None:
            weights = weights / design.propensity[rows]
        alike = 1.0 if design.clusters is None else design_effect(weights, design.clusters[rows], ranks[rows])
        sizes.append(effective_size(weights) / alike)
    return tuple(sizes)


def for_priors(sample):
    """What estimators of the priors see of :class:`Counts` or :class:`Parts`."""
    return sample.pooled if isinstance(sample, Parts) else sample


def scores_of(metrics, counts, *, alpha, beta, selection=1.0, threshold=None, population=None, sizes=None):
    """Corrected scores, not clipped, in the order of `metrics`: areas as :mod:`pumetrics.metrics` computes them.

    Measures are taken at `threshold`, or at their maximum; ``max_<measure>`` is always the maximum, and those of the
    top of a ranking are taken where it ends. All speak of `population`, or each of its default. `sizes` are the numbers
    of examples, by population, of the sample that was drawn again: of a resample the top is the same share.
    """
    rates, seen = {}, {}
    values = []
    for name in metrics:
        entry = find_metric(name)
        among = entry.population_of(population)
        if entry.top and sizes:
            entry = replace(entry, top=entry.top.as_share(sizes[among]))
        if among not in seen:
            seen[among] = reweighted(counts, selection, alpha=alpha, population=among)
        if entry.kind == "area":
            values.append(entry.formula(seen[among], alpha=alpha, beta=beta, population=among))
            continue
        key = among, entry.top, entry.kind == "maximum"
        if key not in rates:
            at = entry.place(seen[among], threshold=threshold, population=population)
            rates[key] = rates_at(seen[among], alpha=alpha, beta=beta, at=at, population=among)
        values.append(np.max(entry.formula(rates[key])))
    return np.array(values, dtype=np.float64)


def scores_of_sample(metrics, sample, *, selection=1.0, alpha, beta, **options):
    """Corrected scores of counts, or their mean over folds, not clipped, in the order of `metrics`.

    Parameters
    ----------
    metrics : list of str
    sample : Counts or Parts
    selection : float
    alpha, beta : float
    **options
        As for :func:`scores_of`.

    Returns
    -------
    ndarray of shape (n_metrics,)
    """
    options |= {"selection": selection, "alpha": alpha, "beta": beta}
    if not isinstance(sample, Parts):
        return scores_of(metrics, sample, **options)
    folds = zip(sample.folds, sample.sizes, strict=True)
    values = sample.shares @ [scores_of(metrics, each, sizes=sizes, **options) for each, sizes in folds]
    kinds = ("maximum", "threshold") if options.pop("threshold", None) is None else ("maximum",)
    if len(sample.folds) > 1:
        for place, entry in enumerate(map(find_metric, metrics)):
            if entry.kind in kinds:
                values[place] = _at_one_share(entry, sample, **options)
    return values


def _at_one_share(entry, sample, *, selection, alpha, beta, population=None):
    """Largest mean of a measure over folds that all predict the same share of their examples positive.

    The maximum of every fold would be taken where chance helped most in each; one share for all helps chance once.
    """
    predicted = [each.predicted / each.predicted[-1] for each in sample.folds]
    shares, means = np.unique(np.concatenate(predicted)), 0.0
    among = entry.population_of(population)
    for weight, counts, reached in zip(sample.shares, sample.folds, predicted, strict=True):
        seen = reweighted(counts, selection, alpha=alpha, population=among)
        values = entry.formula(rates_at(seen, alpha=alpha, beta=beta, population=among))
        means = means + weight * values[np.searchsorted(reached, shares, side="right") - 1]
    return float(np.max(means))
