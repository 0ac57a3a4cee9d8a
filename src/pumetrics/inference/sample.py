"""One sample: labels and scores of one or several models, ranked and counted once, and drawn again for resamples.

A weight is the number of examples that a row represents. Rows of a cluster, such as the transactions of one user, are
drawn into a resample together, labeled and unlabeled. Scores of different folds come from different models, so each
number is computed within every fold and averaged, weighted by the size of the fold. A labeled row of propensity e
represents 1 / e positives, see :func:`pumetrics.inference.selection.exchanged`.

Estimators of the priors and their calibration count independent examples of one ranking. They see the ranks of the
scores within their fold, weighted, and the effective sample size: Kish's effective size over the design
effect of the clusters, by which these multiply the variance of the distribution of the ranks.
"""

from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_labels, check_sample
from pumetrics._weights import design_effect, effective_size
from pumetrics.counts import Counts, Places, count_scores, rank_scores
from pumetrics.inference.selection import ascending, exchanged, reweighted
from pumetrics.metrics import AREAS, MEASURES, find_metric, rates_at
from pumetrics.priors.estimate import resized
from pumetrics.tops import ranked

__all__ = [
    "MOST_GROUPS", "SCORED", "Parts", "Sample", "grouped", "scores_of",
    "scores_of_sample",
]  # fmt: skip

SCORED = (*AREAS, *MEASURES)  # measures are taken at a threshold, or at their maximum
MOST_GROUPS = 4000
"""Thresholds kept. Merging the others moves areas by less than 0.0005, which the intervals take back."""

_STEPS = 201  # thresholds kept around the end of the top of a ranking
_MOST_ROWS = 100_000  # beyond, groups are drawn (multinomial) instead of rows: a millisecond instead of thirty
_MOST_TRIES = 1000  # to draw clusters that hold labeled and unlabeled rows in every fold


class Parts(NamedTuple):
    """Counts of each fold, one if rows have none, and what estimators of the priors see of all of them."""

    folds: tuple
    """Counts of every fold."""
    shares: np.ndarray
    """Share of each fold in the sum of weights, of shape (n_folds,)."""
    pooled: Counts
    """Whole counts of ranks within folds, of samples of effective size."""
    sizes: tuple
    """Numbers of examples of every fold of the sample, resampled or not, by population: what its tops are shares of."""


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
    first : bool, optional
        Whether this is the first model of a pool, which only studies have.

    Attributes
    ----------
    s, y : ndarray of shape (n,) or None
    scores : list of ndarray of shape (n,)
    design : Design or None
    full : list of Parts
        What scores of each model are computed from.
    memory : dict
        What methods compute of the sample more than once.

    Raises
    ------
    ValueError
        On bad labels or scores, or lengths that differ.
    """

    def __init__(self, s, scores, design=None, *, y=None, first=None):
        self.s, self.scores, self.design, self.first, self.memory = None, scores, design, first, {}
        self.y = None if y is None else check_labels(y, "y")
        if isinstance(scores[0], Counts):
            self._rows = _Groups(count_scores(s, scores[0]))
        else:
            self.s, *self.scores = check_sample(s, *scores)
            self._rows = _Rows(self.s, self.scores) if design is None else _DesignedRows(self.s, self.scores, design)
            if design is None and len(scores) == 1 and len(self.s) > _MOST_ROWS:
                self._rows = _Groups(self._rows.counted()[0].pooled)
        self.full = self._rows.counted()

    @property
    def counts(self):
        """What estimators of priors see of each model: counts of one ranking, of a sample of effective size."""
        return [each.pooled for each in self.full]

    @cached_property
    def truth(self):
        """Counts of the true class in the place of the observed labels, of the first model."""
        return count_scores(self.y, self.scores[0])

    @cached_property
    def true_priors(self):
        """Shares of positives among the unlabeled and among the labeled by the true class."""
        return tuple(float(self.y[self.s == kind].mean()) for kind in (0, 1))

    @property
    def sizes(self):
        """Numbers of labeled and of unlabeled examples, or the sums of their weights."""
        if self.design is None or self.design.weights is None:
            return self.n_rows
        return tuple(float(self.design.weights[self.s == kind].sum()) for kind in (1, 0))

    @property
    def n_rows(self):
        """Numbers of labeled and of unlabeled rows."""
        if self.s is None:
            return self.counts[0].n_labeled, self.counts[0].n_unlabeled
        return tuple(int(np.count_nonzero(self.s == kind)) for kind in (1, 0))

    @property
    def n_clusters(self):
        """Clusters with labeled and with unlabeled rows; empty without clusters."""
        if self.design is None or self.design.clusters is None:
            return ()
        return tuple(len(np.unique(self.design.clusters[self.s == kind])) for kind in (1, 0))

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
        merged, kept = copy(self), []
        for model in self.full:
            of_folds = []
            for counts, sizes in zip(model.folds, model.sizes, strict=True):
                ends = [(top.as_share(sizes[population]), population) for top, population in tops]
                of_folds.append(grouped(counts, most=most, keep=threshold, tops=ends))
            kept.append((of_folds, grouped(model.pooled, most=most)))
        merged._rows = self._rows.merged(kept)
        merged.full = merged._rows.counted()
        return merged

    def draw(self, rng):
        """Parts of one resample, one per model.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        list of Parts
        """
        return self._rows.counted(self._rows.draw(rng))


def _whole(counts):
    """Parts of a sample without folds."""
    return Parts((counts,), np.ones(1), counts, ({"all": counts.n, "unlabeled": counts.n_unlabeled},))


class _Groups:
    """Groups of equal scores that count alike, of which so many labeled and unlabeled examples are drawn."""

    def __init__(self, counts):
        self._counts = counts

    def counted(self, counts=None):
        return [_whole(self._counts if counts is None else counts)]

    def draw(self, rng):
        """Counts of a resample."""
        drawn = []
        for count in self._counts[1:]:
            sizes = np.diff(count, prepend=0)
            some, times = sizes > 0, np.zeros_like(sizes)
            times[some] = rng.multinomial(count[-1], sizes[some] / count[-1])
            drawn.append(np.cumsum(times))
        return Counts(self._counts.thresholds, *drawn)

    def merged(self, kept):
        """The same at some thousand thresholds."""
        (((places,), _),) = kept
        return _Groups(Counts(*(each[places] for each in self._counts)))


class _Rows:
    """Rows that count alike: labeled and unlabeled ones are drawn, each from their own."""

    def __init__(self, s, scores):
        self._models = []
        for model in map(rank_scores, scores):
            places = model.places
            self._models.append(Places(model.thresholds, places[s == 1], places[s == 0]))

    def counted(self, rows=(None, None)):
        return [_whole(places.counts(*rows)) for places in self._models]

    def draw(self, rng):
        """Rows of the labeled and of the unlabeled."""
        return [rng.integers(len(places), size=len(places)) for places in self._models[0][1:]]

    def merged(self, kept):
        """The same at some thousand thresholds: each example moves to the next one that does not exceed its own."""
        merged = copy(self)
        merged._models = [
            Places(model.thresholds[places], *(np.searchsorted(places, each) for each in model[1:]))
            for model, ((places,), _) in zip(self._models, kept, strict=True)
        ]
        return merged


class _DesignedRows:
    """Rows with weights, clusters, folds or propensities: they are drawn within their fold, or by clusters."""

    def __init__(self, s, scores, design):
        weights = np.ones(len(s)) if design.weights is None else design.weights
        there = weights > 0  # a row of weight 0 is as good as absent
        self._weights, self._labeled = weights[there], s[there] == 1
        self._represents = None if design.propensity is None else 1 / design.propensity[there]
        self._clusters = None if design.clusters is None else np.unique(design.clusters[there], return_inverse=True)[1]
        folds = np.zeros(there.sum(), np.int64) if design.folds is None else design.folds[there]
        strata = 2 * folds + self._labeled
        self._strata = [np.flatnonzero(strata == stratum) for stratum in range(2 * folds.max() + 2)]
        self._folds = [folds == fold for fold in range(folds.max() + 1)] if folds.any() else [slice(None)]
        self._sizes = [
            {"all": weights.sum(), "unlabeled": weights[~labeled].sum()}
            for weights, labeled in ((self._weights[rows], self._labeled[rows]) for rows in self._folds)
        ]
        self._models = [self._ranked(np.asarray(score)[there]) for score in scores]

    def _ranked(self, y_score):
        """One model's rows by fold and threshold, and by their rank within their fold."""
        places, thresholds, below = np.empty(len(y_score), np.int64), [], np.empty(len(y_score))
        for rows in self._folds:
            model = rank_scores(y_score[rows])
            places[rows] = at = model.places
            weights = np.bincount(at, weights=self._weights[rows])
            below[rows] = 1 - ((np.cumsum(weights) - weights / 2) / weights.sum())[at]
            thresholds.append(model.thresholds)
        pooled = rank_scores(below if len(thresholds) > 1 else y_score)
        ranks, effective = pooled.places, []
        for rows in (self._labeled, ~self._labeled):
            weights, alike = self._weights[rows], 1.0
            if self._clusters is not None:
                alike = design_effect(weights, self._clusters[rows], ranks[rows])
            effective.append(effective_size(weights) / alike)
        return _Ranking(thresholds, places, pooled.thresholds, ranks, effective)

    def merged(self, kept):
        """The same at at most some thousand thresholds."""
        merged = copy(self)
        merged._models = []
        for model, (of_folds, of_all) in zip(self._models, kept, strict=True):
            places, thresholds = model.places.copy(), []
            for rows, before, chosen in zip(self._folds, model.thresholds, of_folds, strict=True):
                places[rows] = np.searchsorted(chosen, places[rows])
                thresholds.append(before[chosen])
            ranks = np.searchsorted(of_all, model.ranks)
            merged._models.append(_Ranking(thresholds, places, model.pooled[of_all], ranks, model.effective))
        return merged

    def draw(self, rng):
        """How often each row is drawn: labeled and unlabeled rows of every fold from their own, or whole clusters."""
        if self._clusters is not None:
            return self._of_clusters(rng)
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

    def counted(self, times=1.0):
        """Parts of each model, of the sample itself or of rows drawn."""
        weights = self._weights * times
        kinds = [weights * self._labeled, weights * ~self._labeled]
        kinds += [] if self._represents is None else [kinds[0] * self._represents]
        found = []
        for model in self._models:
            folds = [
                _cumulated(thresholds, model.places[rows], [kind[rows] for kind in kinds])
                for thresholds, rows in zip(model.thresholds, self._folds, strict=True)
            ]
            both = [fold for fold, each in enumerate(folds) if each.labeled[-1] > 0 and each.unlabeled[-1] > 0]
            sums = np.array([folds[fold].labeled[-1] + folds[fold].unlabeled[-1] for fold in both])
            pooled = _cumulated(model.pooled, model.ranks, kinds)
            pooled = resized(pooled if self._represents is None else ascending(pooled), *model.effective)
            folds, sizes = (tuple(each[fold] for fold in both) for each in (folds, self._sizes))
            found.append(Parts(folds, sums / sums.sum(), pooled, sizes))
        return found


class _Ranking(NamedTuple):
    """Rows of one model by fold and threshold, and by their rank within their fold."""

    thresholds: list
    """Of every fold."""
    places: np.ndarray
    """Index of each row's score among the thresholds of its fold."""
    pooled: np.ndarray
    """Thresholds of the ranks."""
    ranks: np.ndarray
    """Index of each row's rank among those."""
    effective: list
    """Effective numbers of labeled and of unlabeled examples."""


def _cumulated(thresholds, places, kinds):
    """Counts of weighted rows from the index of their threshold, and from what labeled rows represent, if it is given.

    The weights are of the labeled, of the unlabeled, and perhaps of all positives.
    """
    sums = [np.cumsum(np.bincount(places, weights=kind, minlength=len(thresholds))) for kind in kinds]
    counts = Counts(thresholds, *sums[:2])
    return counts if len(sums) == 2 else exchanged(counts, sums[2])


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


def _around(counts, top, population):
    """Thresholds at which the top of a ranking may end in a resample: five standard deviations on either side."""
    reached = ranked(counts, population)
    k = top.size(reached[-1])
    ends = np.clip(k + np.linspace(-5, 5, _STEPS) * np.sqrt(k), 0, reached[-1])
    return np.searchsorted(reached, ends)


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
    """Mean corrected scores over folds, not clipped, in the order of `metrics`.

    Parameters
    ----------
    metrics : list of str
    sample : Parts
    selection : float
    alpha, beta : float
    **options
        As for :func:`scores_of`.

    Returns
    -------
    ndarray of shape (n_metrics,)
    """
    options |= {"selection": selection, "alpha": alpha, "beta": beta}
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
