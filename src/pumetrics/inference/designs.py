"""Samples whose rows are no simple random sample: weights, clusters of rows, and folds scored by different models.

Weights say how many examples a row stands for. Rows of a cluster, such as the transactions of one user, are drawn into
a resample together, labeled and unlabeled. Scores of different folds come from different models, so each number is
computed within every fold and averaged, weighted by the size of the fold.

Estimators of the priors and their calibration count independent examples of one ranking. They see the ranks of the
scores within their fold, weighted, and as many examples as the sample is worth: Kish's effective size, for which all
labeled rows of a cluster are one, and all unlabeled ones. That is exact for copies of a row and cautious otherwise.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_same_index, check_same_length, check_scores
from pumetrics._weights import check_weights, effective_size
from pumetrics.counts import Counts, rank_scores
from pumetrics.inference._groups import MOST_GROUPS, grouped
from pumetrics.inference.resampling import scores_of
from pumetrics.inference.selection import reweighted
from pumetrics.metrics import find_metric, measures_of
from pumetrics.priors.effective import resized
from pumetrics.tops import ranked

__all__ = ["Design", "DesignDrawer", "Parts", "design_of", "for_priors", "scores_of_sample", "sizes_of"]

_MOST_TRIES = 1000  # to draw clusters that hold labeled and unlabeled rows in every fold


class Design(NamedTuple):
    """Weights, clusters and folds of rows, each None where there are none."""

    weights: np.ndarray | None = None
    """At least 0, float64 of shape (n,)."""
    clusters: np.ndarray | None = None
    """Numbers of clusters from 0, int64 of shape (n,)."""
    folds: np.ndarray | None = None
    """Numbers of folds from 0, int64 of shape (n,)."""

    def options(self):
        """The same as arguments of :func:`pumetrics.inference.corrected_interval`."""
        return {"sample_weight": self.weights, "cluster": self.clusters, "fold": self.folds}

    @property
    def counts_rows(self):
        """Whether every row counts as one independent example."""
        return self.weights is None and self.clusters is None


class Parts(NamedTuple):
    """Counts of each fold, and what estimators of the priors see of all of them."""

    folds: tuple
    """Counts of every fold."""
    shares: np.ndarray
    """Share of each fold in the sum of weights, of shape (n_folds,)."""
    pooled: Counts
    """Whole counts of ranks within folds, of samples of effective size."""


def design_of(s, *, sample_weight=None, cluster=None, fold=None):
    """Check weights, clusters and folds.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled, 0 unlabeled. Rows with any other label are left out.
    sample_weight : array-like of shape (n,), optional
        Weights, at least 0.
    cluster, fold : array-like of shape (n,), optional
        Values that name the cluster and the fold of each row.

    Returns
    -------
    Design or None
        Of the labeled and unlabeled rows; None if nothing is given.

    Raises
    ------
    ValueError
        On bad weights, missing values, a single cluster, or a fold without labeled or unlabeled rows.

    Examples
    --------
    >>> design_of([1, 0, -1, 0], cluster=["a", "a", "b", "c"]).clusters
    array([0, 0, 1])
    """
    if sample_weight is None and cluster is None and fold is None:
        return None
    check_same_index(s=s, sample_weight=sample_weight, cluster=cluster, fold=fold)
    labels = np.asarray(s)
    kept = np.isin(labels, (0, 1))
    given = {"sample_weight": sample_weight, "cluster": cluster, "fold": fold}
    check_same_length(s=labels, **{name: np.asarray(each) for name, each in given.items() if each is not None})
    labels = labels[kept].astype(np.int8)
    weights = None
    if sample_weight is not None:
        weights = check_weights(check_scores(sample_weight, "sample_weight")[kept], labels)
    clusters = None if cluster is None else _codes(cluster, kept, "cluster")
    if clusters is not None and not clusters.any():
        raise ValueError("cluster is the same for every row: resampling needs at least two clusters; leave it out")
    folds = None if fold is None else _codes(fold, kept, "fold")
    if folds is not None:
        _check_folds(folds, np.asarray(fold)[kept], labels, weights)
    return Design(weights, clusters, folds)


def _codes(names, kept, what):
    """Numbers from 0 in order of appearance."""
    import pandas as pd

    names = np.asarray(names)
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


def sizes_of(s, design):
    """Effective numbers of labeled and of unlabeled examples, see the module.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 and 0.
    design : Design

    Returns
    -------
    tuple of float
    """
    weights = np.ones(len(s)) if design.weights is None else design.weights
    sizes = []
    for value in (1, 0):
        kind = weights * (s == value)
        sizes.append(effective_size(kind if design.clusters is None else np.bincount(design.clusters, weights=kind)))
    return tuple(sizes)


def for_priors(sample):
    """What estimators of the priors see of :class:`Counts` or :class:`Parts`."""
    return sample.pooled if isinstance(sample, Parts) else sample


def scores_of_sample(metrics, sample, *, selection=1.0, alpha, beta, **options):
    """Corrected scores of counts, or their mean over folds, not clipped, in the order of `metrics`.

    Parameters
    ----------
    metrics : list of str
    sample : Counts or Parts
    selection : float
    alpha, beta : float
    **options
        As for :func:`pumetrics.inference.resampling.scores_of`.

    Returns
    -------
    ndarray of shape (n_metrics,)
    """
    if not isinstance(sample, Parts):
        return scores_of(metrics, reweighted(sample, selection, alpha=alpha), alpha=alpha, beta=beta, **options)
    folds = [reweighted(each, selection, alpha=alpha) for each in sample.folds]
    metrics = _within_folds(metrics, folds, options.get("population"))
    values = sample.shares @ [scores_of(metrics, each, alpha=alpha, beta=beta, **options) for each in folds]
    kinds = ("maximum", "threshold") if options.get("threshold") is None else ("maximum",)
    maxima = [place for place, name in enumerate(metrics) if find_metric(name).kind in kinds]
    if len(folds) > 1 and maxima:
        best = _at_one_share(sample, folds, alpha=alpha, beta=beta, population=options.get("population") or "all")
        values[maxima] = [best[find_metric(metrics[place]).measure] for place in maxima]
    return values


def _within_folds(metrics, folds, population):
    """Metrics with the top of a ranking as a share, the same in every fold."""
    names = []
    for name in metrics:
        entry = find_metric(name)
        if entry.top is not None:
            n = sum(ranked(each, entry.population_of(population))[-1] for each in folds)
            name = f"{entry.name.removesuffix('k')}{entry.top.as_share(n)}"
        names.append(name)
    return names


def _at_one_share(sample, folds, **options):
    """Largest mean of each measure over folds that all predict the same share of their examples positive.

    The maximum of every fold would be taken where chance helped most in each; one share for all helps chance once.
    """
    predicted = [each.predicted / each.predicted[-1] for each in sample.folds]
    shares = np.unique(np.concatenate(predicted))
    means = defaultdict(float)
    for weight, counts, reached in zip(sample.shares, folds, predicted, strict=True):
        at = np.searchsorted(reached, shares, side="right") - 1
        for name, values in measures_of(counts, **options).items():
            means[name] = means[name] + weight * values[at]
    return {name: float(np.max(values)) for name, values in means.items()}


class DesignDrawer:
    """Draws rows or clusters again and counts them for every model, by fold.

    Parameters
    ----------
    s : ndarray of shape (n,)
        1 and 0.
    scores : list of array-like of shape (n,)
        Of one or several models, which share the resampled rows.
    design : Design
    threshold : float or None
        Where predictions are made; groups of scores never straddle it.
    tops : sequence of (Top, str)
        See :func:`pumetrics.inference._groups.grouped`.

    Attributes
    ----------
    full : list of Parts
        The sample, by model.
    counts : list of Parts
        The same in at most some thousand groups of neighboring scores.
    """

    def __init__(self, s, scores, design, *, threshold=None, tops=(), most=MOST_GROUPS):
        weights = np.ones(len(s)) if design.weights is None else design.weights
        there = weights > 0  # a row of weight 0 is as good as absent
        self._weights, self._labeled = weights[there], s[there] == 1
        self._folds = np.zeros(there.sum(), np.int64) if design.folds is None else design.folds[there]
        self._clusters = None if design.clusters is None else np.unique(design.clusters[there], return_inverse=True)[1]
        strata = 2 * self._folds + self._labeled
        self._strata = [np.flatnonzero(strata == stratum) for stratum in range(strata.max() + 1)]
        self._sizes = sizes_of(s, design)
        rankings = [_Ranking(np.asarray(score)[there], self._weights, self._folds) for score in scores]
        ones = np.ones(len(self._weights))
        self.full = [self._counted(ranking, ones) for ranking in rankings]
        self._rankings = [
            ranking.merged(sample, most, threshold, tops) for ranking, sample in zip(rankings, self.full, strict=True)
        ]
        self.counts = [self._counted(ranking, ones) for ranking in self._rankings]

    def draw(self, rng):
        """Counts of one resample, one per model.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        list of Parts
        """
        times = self._rows(rng) if self._clusters is None else self._rows_of_clusters(rng)
        return [self._counted(ranking, times) for ranking in self._rankings]

    def _rows(self, rng):
        """How often each row is drawn: labeled and unlabeled rows of every fold from their own."""
        times = np.zeros(len(self._weights))
        for rows in self._strata:
            times[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        return times

    def _rows_of_clusters(self, rng):
        """How often each row is drawn, with all others of its cluster."""
        n_clusters = self._clusters.max() + 1
        for _ in range(_MOST_TRIES):
            drawn = np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
            times = drawn[self._clusters].astype(np.float64)
            if all(times[rows].any() for rows in self._strata):
                return times
        raise ValueError(
            "cluster leaves too few independent rows: hardly any resample of clusters holds labeled and unlabeled "
            "examples (in every fold); use smaller clusters"
        )

    def _counted(self, ranking, times):
        weights = self._weights * times
        folds = ranking.counted(weights, self._labeled)
        pooled = _cumulated(ranking.pooled, ranking.ranks, weights, self._labeled)
        sums = np.array([each.labeled[-1] + each.unlabeled[-1] for each in folds])
        return Parts(folds, sums / sums.sum(), resized(pooled, *self._sizes))


class _Ranking:
    """Rows of one model by fold and threshold, and by their rank within their fold."""

    def __init__(self, y_score, weights, folds):
        self._places, self._thresholds, below = np.empty(len(folds), np.int64), [], np.empty(len(folds))
        for fold in range(folds.max() + 1):
            rows = np.flatnonzero(folds == fold)
            ranked = rank_scores(y_score[rows])
            self._places[rows] = places = ranked.places
            at = np.bincount(places, weights=weights[rows])
            below[rows] = 1 - ((np.cumsum(at) - at / 2) / at.sum())[places]
            self._thresholds.append(ranked.thresholds)
        self._folds = folds
        ranked = rank_scores(below if len(self._thresholds) > 1 else y_score)
        self.pooled, self.ranks = ranked.thresholds, ranked.places

    def counted(self, weights, labeled):
        """Counts of every fold."""
        rows = [self._folds == fold for fold in range(len(self._thresholds))] if len(self._thresholds) > 1 else [...]
        return tuple(
            _cumulated(thresholds, self._places[row], weights[row], labeled[row])
            for thresholds, row in zip(self._thresholds, rows, strict=True)
        )

    def merged(self, sample, most, threshold, tops):
        """The same at at most some thousand thresholds."""
        merged = object.__new__(_Ranking)
        merged._folds, merged._places, merged._thresholds = self._folds, self._places.copy(), []
        sums = {whom: sum(ranked(each, whom)[-1] for each in sample.folds) for _, whom in tops}
        tops = [(top.as_share(sums[whom]), whom) for top, whom in tops]
        for fold, counts in enumerate(sample.folds):
            kept = grouped(counts, most=most, keep=threshold, tops=tops)
            rows = self._folds == fold
            merged._places[rows] = np.searchsorted(kept, self._places[rows])
            merged._thresholds.append(counts.thresholds[kept])
        kept = grouped(sample.pooled, most=most)
        merged.pooled, merged.ranks = self.pooled[kept], np.searchsorted(kept, self.ranks)
        return merged


def _cumulated(thresholds, places, weights, labeled):
    """Counts of weighted rows from the index of the threshold each stands at."""
    m = len(thresholds)
    kinds = (np.bincount(places, weights=weights * kind, minlength=m) for kind in (labeled, ~labeled))
    return Counts(thresholds, *(np.cumsum(kind) for kind in kinds))
