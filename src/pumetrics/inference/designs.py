"""Samples whose rows do not count alike: weights, clusters, folds scored by different models, and propensities.

Weights say how many examples a row stands for. Rows of a cluster, such as the transactions of one user, are drawn into
a resample together, labeled and unlabeled. Scores of different folds come from different models, so each number is
computed within every fold and averaged, weighted by the size of the fold. A labeled row of propensity e stands for
1 / e positives, see :func:`pumetrics.inference.selection.exchanged`.

Estimators of the priors and their calibration count independent examples of one ranking. They see the ranks of the
scores within their fold, weighted, and as many examples as the sample is worth: Kish's effective size over the design
effect of the clusters, by which these multiply the variance of the distribution of the ranks.
"""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_same_index, check_same_length, check_scores
from pumetrics._weights import check_weights, design_effect, effective_size
from pumetrics.counts import Counts, rank_scores
from pumetrics.inference._groups import MOST_GROUPS, grouped
from pumetrics.inference.resampling import scores_of
from pumetrics.inference.selection import ascending, exchanged, reweighted
from pumetrics.metrics import find_metric, rates_at
from pumetrics.priors.effective import resized

__all__ = ["Design", "DesignDrawer", "Parts", "design_of", "for_priors", "scores_of_sample", "sizes_of"]

_LEAST_PROPENSITY = 1e-9  # as a share of the largest
_MOST_TRIES = 1000  # to draw clusters that hold labeled and unlabeled rows in every fold


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

    def options(self):
        """The same as arguments of :func:`pumetrics.inference.corrected_interval`."""
        names = ("sample_weight", "cluster", "fold", "propensity")
        return dict(zip(names, self, strict=True))

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
    labels = np.asarray(s)
    kept = np.isin(labels, (0, 1))
    check_same_length(s=labels, **{name: np.asarray(each) for name, each in given.items()})
    if propensity is not None:
        propensity = _relative(propensity, labels)
        propensity = None if propensity is None else propensity[kept]
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
    design = Design(weights, clusters, folds, propensity)
    return None if all(each is None for each in design) else design


def _relative(propensity, labels):
    """Propensities of the labeled rows as shares of the largest, 1 for all others; None if all are equal."""
    values = np.asarray(propensity)
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        raise ValueError(
            f"propensity must be a list of numbers, got {values.dtype} of shape {values.shape}: the probability of a "
            "positive of each row to be labeled, up to a factor"
        )
    labeled = labels == 1
    bad = np.flatnonzero(labeled & ~((values > 0) & np.isfinite(values)))
    if bad.size:
        raise ValueError(
            f"propensity must be larger than 0 and finite for every labeled row, got {values[bad[0]]:g} at position "
            f"{bad[0]} ({bad.size} such rows): what is never labeled cannot have been"
        )
    relative = np.ones(len(labels))
    relative[labeled] = values[labeled] / values[labeled].max(initial=0)
    if relative.min() < _LEAST_PROPENSITY:
        raise ValueError(
            f"propensity must not be below {_LEAST_PROPENSITY:g} of its largest value in a labeled row, got "
            f"{relative.min():g} of it: that row would stand for all positives"
        )
    return None if (relative == 1).all() else relative


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
    whom = entry.population_of(population)
    for weight, counts, reached in zip(sample.shares, sample.folds, predicted, strict=True):
        seen = reweighted(counts, selection, alpha=alpha, population=whom)
        values = entry.formula(rates_at(seen, alpha=alpha, beta=beta, population=whom))
        means = means + weight * values[np.searchsorted(reached, shares, side="right") - 1]
    return float(np.max(means))


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
        self._stands_for = None if design.propensity is None else 1 / design.propensity[there]
        self._folds = np.zeros(there.sum(), np.int64) if design.folds is None else design.folds[there]
        self._clusters = None if design.clusters is None else np.unique(design.clusters[there], return_inverse=True)[1]
        strata = 2 * self._folds + self._labeled
        self._strata = [np.flatnonzero(strata == stratum) for stratum in range(2 * self._folds.max() + 2)]
        self._ranked = tuple(
            {"all": self._weights[rows].sum(), "unlabeled": self._weights[rows & ~self._labeled].sum()}
            for rows in (self._folds == fold for fold in range(self._folds.max() + 1))
        )
        rankings = [_Ranking(np.asarray(score)[there], self._weights, self._folds) for score in scores]
        present = Design(self._weights, self._clusters)
        for ranking in rankings:
            ranking.effective = sizes_of(self._labeled, ranking.ranks, present)
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
        """How often each row is drawn, with all others of its cluster: some folds may be left out."""
        n_clusters = self._clusters.max() + 1
        for _ in range(_MOST_TRIES):
            drawn = np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
            times = drawn[self._clusters].astype(np.float64)
            some = [times[rows].any() for rows in self._strata]
            if any(unlabeled and labeled for unlabeled, labeled in zip(some[::2], some[1::2], strict=True)):
                return times
        raise ValueError(
            "cluster leaves too few independent rows: hardly any resample of clusters holds labeled and unlabeled "
            "examples; use smaller clusters"
        )

    def _counted(self, ranking, times):
        weights = self._weights * times
        folds = ranking.counted(weights, self._labeled, self._stands_for)
        pooled = _cumulated(ranking.pooled, ranking.ranks, weights, self._labeled, self._stands_for)
        both = [fold for fold, each in enumerate(folds) if each.labeled[-1] > 0 and each.unlabeled[-1] > 0]
        folds, ranked = (tuple(each[fold] for fold in both) for each in (folds, self._ranked))
        sums = np.array([each.labeled[-1] + each.unlabeled[-1] for each in folds])
        pooled = pooled if self._stands_for is None else ascending(pooled)
        return Parts(folds, sums / sums.sum(), resized(pooled, *ranking.effective), ranked)


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

    def counted(self, weights, labeled, stands_for):
        """Counts of every fold."""
        rows = [self._folds == fold for fold in range(len(self._thresholds))] if len(self._thresholds) > 1 else [...]
        return tuple(
            _cumulated(
                thresholds,
                self._places[row],
                weights[row],
                labeled[row],
                None if stands_for is None else stands_for[row],
            )
            for thresholds, row in zip(self._thresholds, rows, strict=True)
        )

    def merged(self, sample, most, threshold, tops):
        """The same at at most some thousand thresholds."""
        merged = object.__new__(_Ranking)
        merged.effective = self.effective
        merged._folds, merged._places, merged._thresholds = self._folds, self._places.copy(), []
        for fold, (counts, sizes) in enumerate(zip(sample.folds, sample.sizes, strict=True)):
            ends = [(top.as_share(sizes[whom]), whom) for top, whom in tops]
            kept = grouped(counts, most=most, keep=threshold, tops=ends)
            rows = self._folds == fold
            merged._places[rows] = np.searchsorted(kept, self._places[rows])
            merged._thresholds.append(counts.thresholds[kept])
        kept = grouped(sample.pooled, most=most)
        merged.pooled, merged.ranks = self.pooled[kept], np.searchsorted(kept, self.ranks)
        return merged


def _cumulated(thresholds, places, weights, labeled, stands_for):
    """Counts of weighted rows from the index of the threshold each stands at, labeled ones for so many positives."""
    kinds = [weights * labeled, weights * ~labeled] + ([] if stands_for is None else [weights * labeled * stands_for])
    sums = [np.cumsum(np.bincount(places, weights=kind, minlength=len(thresholds))) for kind in kinds]
    counts = Counts(thresholds, *sums[:2])
    return counts if stands_for is None else exchanged(counts, sums[2])
