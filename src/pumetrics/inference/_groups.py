"""Resamples of scored examples, counted in at most some thousand groups of neighboring scores."""

import numpy as np

from pumetrics.counts import Counts, Places, count_scores, place_scores
from pumetrics.tops import ranked

__all__ = ["MOST_GROUPS", "Drawer", "grouped"]

MOST_GROUPS = 4000
"""Thresholds kept. Merging the others moves areas by less than .0005, which the intervals take back."""

_STEPS = 201  # thresholds kept around the end of the top of a ranking
_MOST_ROWS = 100_000  # beyond, groups are drawn (multinomial) instead of rows: a millisecond instead of thirty


def grouped(counts, *, most=MOST_GROUPS, keep=None, tops=()):
    """Keep at most some thousand thresholds, so that neighbors hold about equally many of either sample.

    Parameters
    ----------
    counts : Counts
    most : int
        Thresholds to keep beside infinity, the last and `keep`.
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
