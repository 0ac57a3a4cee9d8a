"""One sample: labels and scores of one or several models, ranked and counted once, and drawn again for resamples."""

from copy import copy
from functools import cached_property

import numpy as np

from pumetrics._validation import check_labels, check_sample
from pumetrics.counts import Counts, Places, count_scores, rank_scores
from pumetrics.inference.designs import Design, Parts, for_priors, sizes_of
from pumetrics.inference.selection import ascending, exchanged
from pumetrics.priors.from_counts import resized
from pumetrics.tops import ranked

__all__ = ["MOST_GROUPS", "Sample", "grouped"]


MOST_GROUPS = 4000
"""Thresholds kept. Merging the others moves areas by less than 0.0005, which the intervals take back."""

_STEPS = 201  # thresholds kept around the end of the top of a ranking
_MOST_ROWS = 100_000  # beyond, groups are drawn (multinomial) instead of rows: a millisecond instead of thirty


def grouped(counts, *, most=MOST_GROUPS, keep=None, tops=()):
    """Keep at most some thousand thresholds, so that neighbors hold about equally many of either sample.

    Parameters
    ----------
    counts : Counts
    most : int
        Number of thresholds to keep in addition to infinity, the last and `keep`.
    keep : float, optional
        A threshold at which predictions are made.
    tops : sequence of (Top, str)
        Tops of rankings that are predicted positive, with the population that is ranked.

    Returns
    -------
    kept : ndarray of int
        Indices of the thresholds kept, ascending; all if there are no more than `most`.
    """
    m = len(counts.thresholds)
    if m <= most + 1:
        return np.arange(m)
    goals = (np.arange(most // 2) + 1) / (most // 2)
    kept = [np.searchsorted(count, goals * count[-1]) for count in (counts.labeled, counts.unlabeled)]
    extra = [] if keep is None else [counts.at(keep)]
    extra += [place for top, population in tops for place in _around(counts, top, population)]
    return np.unique(np.concatenate([[0, m - 1], *kept, extra]).astype(np.int64))


class Sample:
    """Labeled and unlabeled examples, scored by one model or several.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled, 0 unlabeled. None if `scores` holds counts.
    scores : list of array-like of shape (n,), or of one Counts
        Of each model, higher is more positive; resamples share their rows.
    design : Design, optional
        Weights, clusters, folds and propensities, if rows do not count alike.
    y : array-like of shape (n,), optional
        True class, 0 and 1, which only studies know.

    Attributes
    ----------
    s, y : ndarray of shape (n,) or None
    scores : list of ndarray of shape (n,)
    design : Design or None
    full : list of Counts or Parts
        What scores of each model are computed from.
    memory : dict
        What methods compute of the sample more than once.

    Raises
    ------
    ValueError
        On bad labels or scores, or lengths that differ.
    """

    def __init__(self, s, scores, design=None, *, y=None):
        self.s, self.y, self.scores, self.memory = None, None if y is None else check_labels(y, "y"), scores, {}
        self.design, self._rows, (first, *others) = design, None, scores
        if isinstance(first, Counts):
            self.full = [count_scores(s, first)]
            return
        s, *scores = self.s, *self.scores = check_sample(s, *scores)
        if design is not None:
            self._rows = _DesignedRows(s, scores, design)
        elif others or len(s) <= _MOST_ROWS:
            self._rows = _AlikeRows(s, scores)
        self.full = [count_scores(s, *scores)] if self._rows is None else self._rows.counted()

    @cached_property
    def truth(self):
        """Counts of the true class in the place of the observed labels, of the first model."""
        return count_scores(self.y, self.scores[0])

    @cached_property
    def true_priors(self):
        """Shares of positives among the unlabeled and among the labeled by the true class."""
        return tuple(float(self.y[self.s == kind].mean()) for kind in (0, 1))

    @property
    def counts(self):
        """What estimators of the priors see of each model: counts of one ranking, of a sample of effective size."""
        return [for_priors(each) for each in self.full]

    @property
    def sizes(self):
        """Numbers of labeled and of unlabeled examples, or the sums of their weights."""
        if self.design is None:
            return self.full[0].n_labeled, self.full[0].n_unlabeled
        return self._rows.sizes

    @property
    def n_rows(self):
        """Numbers of labeled and of unlabeled rows."""
        return self.sizes if self.design is None else tuple(int(np.count_nonzero(self.s == kind)) for kind in (1, 0))

    @property
    def n_clusters(self):
        """Clusters with labeled and with unlabeled rows; empty without clusters."""
        return () if self.design is None else self._rows.n_clusters

    @property
    def n_drawn(self):
        """Labeled or unlabeled examples, or clusters with some, whichever are fewest: what resamples draw."""
        return min(self.counts[0].n_labeled, self.counts[0].n_unlabeled, *self.n_clusters)

    def merged(self, *, threshold=None, tops=(), most=MOST_GROUPS):
        """The same sample at at most some thousand thresholds, so that resamples cost little.

        Parameters
        ----------
        threshold : float or None
            Where predictions are made; groups of neighboring scores never straddle it.
        tops : sequence of (Top, str)
            See :func:`grouped`.
        most : int
            Groups of scores at most.

        Returns
        -------
        Sample
        """
        merged = copy(self)
        if self._rows is None:
            kept = grouped(self.full[0], most=most, keep=threshold, tops=tops)
            merged.full = [Counts(*(each[kept] for each in self.full[0][:3]))]
            return merged
        merged._rows = self._rows.merged(self.full, most, threshold, tops)
        merged.full = merged._rows.counted()
        return merged

    def draw(self, rng):
        """Counts of one resample, one per model.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        list of Counts or Parts
        """
        if self._rows is not None:
            return self._rows.counted(self._rows.draw(rng))
        counts = self.full[0]
        return [Counts(counts.thresholds, *(_multinomial(rng, count) for count in (counts.labeled, counts.unlabeled)))]


class _AlikeRows:
    """Rows that count alike: labeled and unlabeled ones are drawn, each from their own."""

    def __init__(self, s, scores):
        self.places = []
        for model in map(rank_scores, scores):
            places = model.places
            self.places.append(Places(model.thresholds, places[s == 1], places[s == 0]))

    def counted(self, rows=(None, None)):
        return [places.counts(*rows) for places in self.places]

    def draw(self, rng):
        """Rows of the labeled and of the unlabeled."""
        return [rng.integers(len(places), size=len(places)) for places in self.places[0][1:]]

    def merged(self, full, most, threshold, tops):
        """The same at some thousand thresholds: each example moves to the next one that does not exceed its own."""
        merged, kinds = copy(self), zip(self.places, full, strict=True)
        merged.places = []
        for places, counts in kinds:
            kept = grouped(counts, most=most, keep=threshold, tops=tops)
            merged.places.append(Places(places.thresholds[kept], *(np.searchsorted(kept, each) for each in places[1:])))
        return merged


_MOST_TRIES = 1000  # to draw clusters that hold labeled and unlabeled rows in every fold


class _DesignedRows:
    """Rows with weights, clusters, folds or propensities: they are drawn within their fold, or by clusters.

    Attributes
    ----------
    sizes : tuple of float
        Sums of the weights of the labeled and of the unlabeled rows.
    n_clusters : tuple of int
        Clusters with labeled and with unlabeled rows; empty without clusters.
    """

    def __init__(self, s, scores, design):
        weights = np.ones(len(s)) if design.weights is None else design.weights
        there = weights > 0  # a row of weight 0 is as good as absent
        self._weights, self._labeled = weights[there], s[there] == 1
        self.sizes = tuple(float(weights[s == kind].sum()) for kind in (1, 0))
        self.n_clusters = (
            () if design.clusters is None else tuple(len(np.unique(design.clusters[s == kind])) for kind in (1, 0))
        )
        self._stands_for = None if design.propensity is None else 1 / design.propensity[there]
        self._folds = np.zeros(there.sum(), np.int64) if design.folds is None else design.folds[there]
        self._clusters = None if design.clusters is None else np.unique(design.clusters[there], return_inverse=True)[1]
        strata = 2 * self._folds + self._labeled
        self._strata = [np.flatnonzero(strata == stratum) for stratum in range(2 * self._folds.max() + 2)]
        self._ranked = tuple(
            {"all": self._weights[rows].sum(), "unlabeled": self._weights[rows & ~self._labeled].sum()}
            for rows in (self._folds == fold for fold in range(self._folds.max() + 1))
        )
        self._rankings = [_Ranking(np.asarray(score)[there], self._weights, self._folds) for score in scores]
        present = Design(self._weights, self._clusters)
        for ranking in self._rankings:
            ranking.effective = sizes_of(self._labeled, ranking.ranks, present)

    def merged(self, full, most, threshold, tops):
        """The same at at most some thousand thresholds."""
        merged = copy(self)
        merged._rankings = [
            ranking.merged(sample, most, threshold, tops) for ranking, sample in zip(self._rankings, full, strict=True)
        ]
        return merged

    def draw(self, rng):
        """How often each row is drawn."""
        return self._of_strata(rng) if self._clusters is None else self._of_clusters(rng)

    def counted(self, times=1.0):
        """Parts of each model, of the sample itself or of rows drawn."""
        return [self._counted(ranking, self._weights * times) for ranking in self._rankings]

    def _of_strata(self, rng):
        """How often each row is drawn: labeled and unlabeled rows of every fold from their own."""
        times = np.zeros(len(self._weights))
        for rows in self._strata:
            times[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        return times

    def _of_clusters(self, rng):
        """How often each row is drawn, with all others of its cluster: some folds may be left out."""
        n_clusters = self._clusters.max() + 1
        for _ in range(_MOST_TRIES):
            drawn = np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
            times = drawn[self._clusters].astype(np.float64)
            some = [times[rows].any() for rows in self._strata]
            if any(unlabeled and labeled for unlabeled, labeled in zip(some[::2], some[1::2], strict=True)):
                return times
        raise ValueError(
            "cluster leaves too few independent rows: hardly any resample of clusters contains both labeled and "
            "unlabeled examples; use smaller clusters"
        )

    def _counted(self, ranking, weights):
        folds = ranking.counted(weights, self._labeled, self._stands_for)
        pooled = _cumulated(ranking.pooled, ranking.ranks, weights, self._labeled, self._stands_for)
        both = [fold for fold, each in enumerate(folds) if each.labeled[-1] > 0 and each.unlabeled[-1] > 0]
        folds, ranked = (tuple(each[fold] for fold in both) for each in (folds, self._ranked))
        sums = np.array([each.labeled[-1] + each.unlabeled[-1] for each in folds])
        pooled = pooled if self._stands_for is None else ascending(pooled)
        return Parts(folds, sums / sums.sum(), resized(pooled, *ranking.effective), ranked)


def _around(counts, top, population):
    """Thresholds at which the top of a ranking may end in a resample: five standard deviations on either side."""
    reached = ranked(counts, population)
    k = top.size(reached[-1])
    ends = np.clip(k + np.linspace(-5, 5, _STEPS) * np.sqrt(k), 0, reached[-1])
    return np.searchsorted(reached, ends)


def _multinomial(rng, count):
    """Cumulative counts of a resample, from those of the sample."""
    sizes = np.diff(count, prepend=0)
    some = sizes > 0
    drawn = np.zeros_like(sizes)
    drawn[some] = rng.multinomial(count[-1], sizes[some] / count[-1])
    return np.cumsum(drawn)


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
        merged = copy(self)
        merged._places, merged._thresholds = self._places.copy(), []
        for fold, (counts, sizes) in enumerate(zip(sample.folds, sample.sizes, strict=True)):
            ends = [(top.as_share(sizes[among]), among) for top, among in tops]
            kept = grouped(counts, most=most, keep=threshold, tops=ends)
            rows = self._folds == fold
            merged._places[rows] = np.searchsorted(kept, self._places[rows])
            merged._thresholds.append(counts.thresholds[kept])
        kept = grouped(sample.pooled, most=most)
        merged.pooled, merged.ranks = self.pooled[kept], np.searchsorted(kept, self.ranks)
        return merged


def _cumulated(thresholds, places, weights, labeled, stands_for):
    """Counts of weighted rows from the index of their threshold; a labeled row counts as `stands_for` positives."""
    kinds = [weights * labeled, weights * ~labeled] + ([] if stands_for is None else [weights * labeled * stands_for])
    sums = [np.cumsum(np.bincount(places, weights=kind, minlength=len(thresholds))) for kind in kinds]
    counts = Counts(thresholds, *sums[:2])
    return counts if stands_for is None else exchanged(counts, sums[2])
