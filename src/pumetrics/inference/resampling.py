"""Resamples of scored examples, counted in groups of neighboring scores, and what corrected scores they give."""

import numpy as np

from pumetrics.counts import Counts, Places, count_scores, place_scores, rank_scores
from pumetrics.inference.designs import SCORED, Design, Parts, scores_of, scores_of_sample, sizes_of
from pumetrics.inference.selection import ascending, exchanged
from pumetrics.priors.effective import resized
from pumetrics.tops import ranked

__all__ = ["MOST_GROUPS", "SCORED", "DesignDrawer", "Drawer", "grouped", "scores_of", "scores_of_sample"]


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


class Drawer:
    """Draws labeled and unlabeled examples again, each from their own, and counts them for every model.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        None if scores are counts.
    scores : list of array-like of shape (n_samples,)
        Of one or several models, which share the resampled rows; or the Counts of one.
    threshold : float or None
        Where predictions are made; groups never straddle it.
    tops : sequence of (Top, str)
        See :func:`grouped`.
    most : int
        Groups of scores at most.
    """

    def __init__(self, s, scores, *, threshold=None, tops=(), most=MOST_GROUPS):
        if len(scores) == 1:
            self.full = [count_scores(s, scores[0])]
            self._places = None
            few_rows = self.full[0].n <= _MOST_ROWS and not isinstance(scores[0], Counts)
        else:
            few_rows = True
        if few_rows:
            places = [place_scores(s, score) for score in scores]
            self.full = [place.counts() for place in places]
        kept = [grouped(counts, most=most, keep=threshold, tops=tops) for counts in self.full]
        self.counts = [_at(counts, rows) for counts, rows in zip(self.full, kept, strict=True)]
        if few_rows:
            self._places = [_merged(place, rows) for place, rows in zip(places, kept, strict=True)]
        self._sizes = self.full[0].n_labeled, self.full[0].n_unlabeled

    def draw(self, rng):
        """Counts of one resample, one per model.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        list of Counts
        """
        if self._places is not None:
            rows = [rng.integers(size, size=size) for size in self._sizes]
            return [places.counts(*rows) for places in self._places]
        counts = self.counts[0]
        drawn = [_multinomial(rng, count) for count in (counts.labeled, counts.unlabeled)]
        return [Counts(counts.thresholds, *drawn)]


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


def _at(counts, kept):
    return Counts(counts.thresholds[kept], counts.labeled[kept], counts.unlabeled[kept])


def _merged(places, kept):
    """Places among the thresholds kept: an example stands at the next one that does not exceed its own."""
    if len(kept) == len(places.thresholds):
        return places
    return Places(places.thresholds[kept], *(np.searchsorted(kept, each) for each in places[1:]))


_MOST_TRIES = 1000  # to draw clusters that hold labeled and unlabeled rows in every fold


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
        See :func:`grouped`.

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
            "cluster leaves too few independent rows: hardly any resample of clusters contains both labeled and "
            "unlabeled examples; use smaller clusters"
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
