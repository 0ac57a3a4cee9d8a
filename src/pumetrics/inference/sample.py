"""One sample: labels and scores of one or several models, ranked and counted once, and drawn again for resamples.

A weight is the number of examples that a row represents; rows of weight 0 are left out. Rows of a cluster, such as the
transactions of one user, are drawn into a resample together, labeled and unlabeled.

Estimators of the priors and their calibration count independent examples. They see weighted counts of the effective
sample size: Kish's effective size over the design effect of the clusters, by which these multiply the variance of the
distribution of the scores.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from pumetrics.counts import Counts, Places, place_samples, rank_scores
from pumetrics.inference.designs import Design
from pumetrics.metrics import AREAS, MEASURES, find_metric, rates_at
from pumetrics.priors.estimate import resized
from pumetrics.tops import ranked
from pumetrics.validation import check_sample
from pumetrics.weights import design_effect, effective_size

__all__ = [
    "MOST_GROUPS",
    "SCORED",
    "Counted",
    "Sample",
    "grouped",
    "is_best",
    "optimism_of",
    "scores_of",
]

SCORED = (*AREAS, *MEASURES)  # measures are taken at a threshold, or at their maximum
MOST_GROUPS = 4000
"""Thresholds kept. Merging the others moves areas by less than 0.0005, which the intervals take back."""

_STEPS = 201  # thresholds kept around the end of the top of a ranking
_MOST_ROWS = 100_000  # beyond, groups are drawn (multinomial) instead of rows: a millisecond instead of thirty
_MOST_TRIES = 1000  # to draw clusters that hold labeled and unlabeled rows


class Counted(NamedTuple):
    """One model's counts, of a sample or a resample."""

    counts: Counts
    """What scores are computed from; sums of weights if rows are weighted."""
    effective: Counts
    """What estimators of the priors see: the same shares, of whole samples of the effective size."""
    trials: Callable | None = None
    """With weights or clusters: successes and trials of the labeled and of the unlabeled, of a place among the
    thresholds."""
    labeled: tuple | None = None
    """With clusters, of which few or many rows may be labeled: successes and trials of the share of labeled rows."""


class Sample:
    """Labeled and unlabeled examples, scored by one model or several.

    Parameters
    ----------
    s : array-like of shape (n,)
        1 labeled, 0 unlabeled.
    scores : list of array-like of shape (n,)
        Of each model, higher is more positive; resamples share their rows.
    design : Design, optional
        Weights and clusters, if rows do not count alike.

    Attributes
    ----------
    s : ndarray of shape (n,)
    scores : list of ndarray of shape (n,)
    design : Design or None
    full : list of Counted
        What scores of each model are computed from.
    sizes : (int, int) or (float, float)
        Numbers of labeled and of unlabeled examples, or the sums of their weights.
    tops_of : dict of str to int or float
        Number of examples, or sum of weights, by population: what tops of the ranking are shares of.
    memory : dict
        What methods compute of the sample more than once.

    Raises
    ------
    ValueError
        On bad labels or scores, or lengths that differ.
    """

    def __init__(self, s, scores, design=None):
        self.memory = {}
        self.s, *self.scores = check_sample(s, *scores)
        if design is not None and design.weights is not None and not design.weights.all():
            kept = design.weights > 0
            self.s = self.s[kept]
            self.scores = [each[kept] for each in self.scores]
            design = Design(*(each if each is None else each[kept] for each in design))
        self.design = design
        self._rows = (
            _Rows(self.s, self.scores)
            if design is None
            else _DesignedRows(self.s, self.scores, design)
        )
        if design is None and len(scores) == 1 and len(self.s) > _MOST_ROWS:
            self._rows = _Groups(self._rows.counted()[0].counts)
        self.full = self._rows.counted()
        counts = self.full[0].counts
        self.sizes = counts.n_labeled, counts.n_unlabeled
        self.tops_of = {"all": counts.n, "unlabeled": counts.n_unlabeled}

    @property
    def counts(self):
        """What estimators of priors see of each model: counts of a sample of effective size."""
        return [each.effective for each in self.full]

    @property
    def n_rows(self):
        """Numbers of labeled and of unlabeled rows."""
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
        return min(*self.effective_sizes, *self.n_clusters)

    @property
    def effective_sizes(self):
        """Effective numbers of labeled and of unlabeled examples, of several models the smallest ones."""
        sizes = [(each.n_labeled, each.n_unlabeled) for each in self.counts]
        return tuple(np.min(sizes, axis=0).tolist())

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
        ends = [(top.as_share(self.tops_of[population]), population) for top, population in tops]
        kept = [grouped(model.counts, most=most, keep=threshold, tops=ends) for model in self.full]
        merged = copy(self)
        merged._rows = self._rows.merged(kept)
        merged.full = merged._rows.counted()
        return merged

    def draw(self, rng):
        """Counts of one resample, one per model.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        list of Counted
        """
        return self._rows.counted(self._rows.draw(rng))


class _Groups:
    """Groups of equal scores that count alike, of which so many labeled and unlabeled examples are drawn."""

    def __init__(self, counts):
        self._counts = counts

    def counted(self, drawn=None):
        """Counts of the sample itself or of a resample."""
        counts = self._counts if drawn is None else drawn
        return [Counted(counts, counts)]

    def draw(self, rng):
        """Counts of a resample."""
        drawn = []
        for count in self._counts[1:]:
            sizes = np.diff(count, prepend=0)
            some = sizes > 0
            times = np.zeros_like(sizes)
            times[some] = rng.multinomial(count[-1], sizes[some] / count[-1])
            drawn.append(np.cumsum(times))
        return Counts(self._counts.thresholds, *drawn)

    def merged(self, kept):
        """The same at some thousand thresholds."""
        return _Groups(Counts(*(each[kept[0]] for each in self._counts)))


class _Rows:
    """Rows that count alike: labeled and unlabeled ones are drawn, each from their own."""

    def __init__(self, s, scores):
        self._models = [place_samples(score[s == 1], score[s == 0]) for score in scores]

    def counted(self, drawn=(None, None)):
        """Counts of the sample itself or of rows drawn, by model."""
        return [
            Counted(counts, counts) for counts in (places.counts(*drawn) for places in self._models)
        ]

    def draw(self, rng):
        """Rows of the labeled and of the unlabeled."""
        return [rng.integers(len(places), size=len(places)) for places in self._models[0][1:]]

    def merged(self, kept):
        """The same at some thousand thresholds: each example moves to the next one that does not exceed its own."""
        merged = copy(self)
        merged._models = [
            Places(model.thresholds[places], *(np.searchsorted(places, each) for each in model[1:]))
            for model, places in zip(self._models, kept, strict=True)
        ]
        return merged


class _DesignedRows:
    """Rows with weights or clusters: labeled and unlabeled ones are drawn from their own, or whole clusters."""

    def __init__(self, s, scores, design):
        self._weights = np.ones(len(s)) if design.weights is None else design.weights
        self._labeled = s == 1
        self._kinds = [np.flatnonzero(~self._labeled), np.flatnonzero(self._labeled)]
        self._clusters = (
            None if design.clusters is None else np.unique(design.clusters, return_inverse=True)[1]
        )
        self._models = [self._ranked(score) for score in scores]

    def _ranked(self, y_score):
        """One model's rows by threshold, and the effective numbers of labeled and unlabeled examples."""
        model = rank_scores(y_score)
        effective = []
        for rows in (self._labeled, ~self._labeled):
            weights = self._weights[rows]
            alike = 1.0
            if self._clusters is not None:
                alike = design_effect(weights, self._clusters[rows], model.places[rows])
            effective.append(effective_size(weights) / alike)
        return _Ranking(model.thresholds, model.places, effective)

    def merged(self, kept):
        """The same at at most some thousand thresholds."""
        merged = copy(self)
        merged._models = [
            _Ranking(
                model.thresholds[chosen], np.searchsorted(chosen, model.places), model.effective
            )
            for model, chosen in zip(self._models, kept, strict=True)
        ]
        return merged

    def draw(self, rng):
        """How often each row is drawn."""
        if self._clusters is not None:
            return self._of_clusters(rng)
        times = np.zeros(len(self._weights))
        for rows in self._kinds:
            times[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
        return times

    def _of_clusters(self, rng):
        """How often each row is drawn, with all others of its cluster."""
        n_clusters = self._clusters.max() + 1
        for _ in range(_MOST_TRIES):
            drawn = np.bincount(rng.integers(n_clusters, size=n_clusters), minlength=n_clusters)
            times = drawn[self._clusters].astype(np.float64)
            if all(times[rows].any() for rows in self._kinds):
                return times
        raise ValueError(
            "cluster leaves too few independent rows: hardly any resample of clusters contains both labeled and "
            "unlabeled examples; use smaller clusters"
        )

    def counted(self, drawn=1.0):
        """Counts of the sample itself or of rows drawn so often, by model."""
        weights = self._weights * drawn
        found = []
        kinds = weights * self._labeled, weights * ~self._labeled
        for thresholds, places, effective in self._models:
            sums = (
                np.cumsum(np.bincount(places, weights=kind, minlength=len(thresholds)))
                for kind in kinds
            )
            counts = Counts(thresholds, *sums)
            trials = partial(self._trials, places, effective)
            found.append(Counted(counts, resized(counts, *effective), trials, self._labeled_trials))
        return found

    @cached_property
    def _labeled_trials(self):
        """Successes and trials of independent rows of which the labeled are a share that varies as much as here."""
        if self._clusters is None:
            return None
        everything = slice(None)
        return self._as_independent(everything, self._labeled, len(self._weights))

    def _trials(self, places, effective, place):
        """Successes and trials of independent rows whose share at a place varies as much as that of these rows."""
        last = int(np.ceil(place))
        above = np.where(places < last, 1.0, np.where(places == last, 1 - (last - place), 0.0))
        return [
            self._as_independent(rows, above[rows], known)
            for rows, known in zip((self._labeled, ~self._labeled), effective, strict=True)
        ]

    def _as_independent(self, rows, hits, known):
        """Successes and trials, `known` ones if the share of hits does not vary, and at most as many as there are rows.

        Korn & Graubard (1998), "Confidence intervals for proportions with small expected number of positive counts
        estimated from survey data".
        """
        weights = self._weights[rows] / self._weights[rows].max()
        share = np.average(hits, weights=weights)
        residuals = weights * (hits - share)
        if self._clusters is not None:
            residuals = np.bincount(self._clusters[rows], residuals)
        spread = np.sum(residuals**2) / weights.sum() ** 2
        n = known
        if spread > 1e-15:
            n = min(share * (1 - share) / spread, len(hits))
        return share * n, n


class _Ranking(NamedTuple):
    """Rows of one model by threshold."""

    thresholds: np.ndarray
    places: np.ndarray
    """Index of each row's score among the thresholds."""
    effective: list
    """Effective numbers of labeled and of unlabeled examples."""


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
    kept = [
        np.searchsorted(count, goals * count[-1]) for count in (counts.labeled, counts.unlabeled)
    ]
    extra = [] if keep is None else [counts.at(keep)]
    extra += [place for top, population in tops for place in _around(counts, top, population)]
    return np.unique(np.concatenate([[0, m - 1], *kept, extra]).astype(np.int64))


def _around(counts, top, population):
    """Thresholds at which the top of a ranking may end in a resample: five standard deviations on either side."""
    reached = ranked(counts, population)
    k = top.size(reached[-1])
    ends = np.clip(k + np.linspace(-5, 5, _STEPS) * np.sqrt(k), 0, reached[-1])
    return np.searchsorted(reached, ends)


def scores_of(metrics, counts, *, alpha, beta, threshold=None, population="all", sizes=None):
    """Corrected scores, not clipped, in the order of `metrics`: areas as :mod:`pumetrics.metrics` computes them.

    Measures are taken at `threshold`, or at their maximum; ``max_<measure>`` is always the maximum, and those of the
    top of a ranking are taken where it ends. `sizes` are the numbers of examples, by population, of the sample that was
    drawn again: of a resample the top is the same share.
    """
    rates = {}
    values = []
    for name in metrics:
        entry = find_metric(name)
        if entry.top and sizes:
            entry = replace(entry, top=entry.top.as_share(sizes[population]))
        if entry.kind == "area":
            values.append(entry.formula(counts, alpha=alpha, beta=beta, population=population))
            continue
        if is_best(entry, threshold):
            everywhere = _at_all_thresholds(entry, counts, alpha, beta, population)
            values.append(everywhere.max())
            continue
        if entry.top not in rates:
            at = entry.place(counts, threshold=threshold, population=population)
            rates[entry.top] = rates_at(
                counts, alpha=alpha, beta=beta, at=at, population=population
            )
        values.append(entry.formula(rates[entry.top]))
    return np.array(values, dtype=np.float64)


def is_best(entry, threshold):
    """Whether a metric is taken at its best threshold."""
    return entry.kind == "maximum" or (entry.kind == "threshold" and threshold is None)


def _at_all_thresholds(entry, counts, alpha, beta, population):
    """A measure of predictions at every threshold."""
    key = alpha, beta, population
    rates_everywhere = partial(rates_at, counts, alpha=alpha, beta=beta, population=population)

    def measured():
        return (entry.formula(counts.kept("_rates", key, rates_everywhere)),)

    (values,) = counts.kept(f"_{entry.measure}", key, measured)
    return values


def optimism_of(
    metrics, counts, resample, scores, *, alpha, beta, threshold=None, population="all"
):
    """By how much metrics of a sample at the best thresholds of a resample are lower than at its own.

    Of areas, a part of what the repair of the curve adds to that of the resample: 1 - (beta - alpha), which is nothing
    where labels are classes and all where they say nothing. Without any repair AUC-PR is too low.

    Parameters
    ----------
    metrics : sequence of str
    counts, resample : Counts
        At the same thresholds.
    scores : sequence of float
        Of the resample, from :func:`scores_of`.
    alpha, beta, threshold, population
        As for :func:`scores_of`.

    Returns
    -------
    ndarray of shape (n_metrics,)
        0 for other metrics.
    """
    lost = np.zeros(len(metrics))
    for place, entry in enumerate(map(find_metric, metrics)):
        if entry.kind == "area":
            plain = entry.formula(
                resample, alpha=alpha, beta=beta, population=population, repair="none"
            )
            lost[place] = (1 - (beta - alpha)) * (scores[place] - plain)
        if is_best(entry, threshold):
            own, drawn = (
                _at_all_thresholds(entry, each, alpha, beta, population)
                for each in (counts, resample)
            )
            lost[place] = own.max() - own[np.argmax(drawn)]
    return lost
