"""Bounds of the reported scores and curves: what holds whatever the distributions, given alpha and random labels."""

import numpy as np

from pumetrics._validation import check_alphas
from pumetrics.bounds import TABLE_METRICS, Band, tables_at, unlabeled_areas
from pumetrics.bounds.curve_bounds import at_cuts, pr_between, roc_between
from pumetrics.bounds.tables import Room, alphas_within, between, tables_of
from pumetrics.counts import count_ranks, count_scores
from pumetrics.methods.estimate import LARGEST_EXACT
from pumetrics.metrics import find_metric, measures_of_tables
from pumetrics.tops import at_place

__all__ = ["band_for", "score_bounds"]

_MOST = 20_000  # thresholds that are all looked at over a range of alpha


def band_for(s, y_score, *, alpha, confidence=0.95):
    """Band on the rank CDF of the hidden positives, or None where the exact one is cheap enough to be computed.

    Of many positives both samples, labeled and hidden, get a Dvoretzky-Kiefer-Wolfowitz band of half the level; their
    half-widths add up.
    """
    ranking = count_ranks(s, y_score)
    n_labeled = int(ranking.labeled[-1])
    n_hidden = int(check_alphas(alpha)[0] * int(ranking.unlabeled[-1]))
    if not n_hidden or n_labeled + n_hidden <= LARGEST_EXACT:
        return None
    width = np.sqrt(np.log(4 / (1 - confidence)) / 2) * (n_labeled**-0.5 + n_hidden**-0.5)
    share = ranking.labeled / n_labeled
    return Band(np.clip(share - width, 0, 1), np.clip(share + width, 0, 1))


def score_bounds(
    metrics, s, y_score, *, alpha, confidence=0.95, threshold=None, population=None, band=None, ranking=None
):
    """Bounds on scores against the true class.

    Parameters
    ----------
    metrics : list of str
        Areas, measures of predictions, and measures of the top of the ranking.
    s, y_score : array-like of shape (n_samples,)
        1 labeled, 0 unlabeled; scores, higher is more positive.
    alpha : float or (float, float)
        Share of positives among the unlabeled, or a range for it, of which the outermost bounds are taken.
    confidence : float
        With which the bounds hold, at all thresholds together, in (0, 1).
    threshold : float, optional
        Scores at or above it are predicted positive; by default the maximum over all thresholds is bounded.
    population : {"all", "unlabeled"}, optional
        What metrics that depend on the class mix are about; each about its own by default.
    band : Band, optional
        From :func:`band_for`.
    ranking : RankCounts, optional
        Of the same sample, if it is there already.

    Returns
    -------
    dict of str to (float, float)

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 5.
    """
    counts = count_scores(s, y_score)
    ranking = count_ranks(s, y_score) if ranking is None else ranking
    ends = check_alphas(alpha)
    alphas = alphas_within(ends, counts.n_unlabeled)
    unfitted = [tables_of(ranking, each, band, "positives", confidence, clipped=False) for each in alphas]
    tables = at_cuts(ranking, unfitted)
    bounds, rows = {}, {}
    for name in metrics:
        entry = find_metric(name)
        whom = entry.population_of(population)
        if name == "roc_auc":
            pairs = [roc_between(ranking, [tables[0], tables[-1]][: len(ends)], alpha).auc]
        elif name == "average_precision" and whom == "all":
            pairs = [pr_between(ranking, [pair], each).auc for pair, each in zip(tables, alphas, strict=True)]
        elif name == "average_precision":
            fitted = [[_room(counts).fitted(tables_at(counts, table))[:, 0] for table in pair] for pair in tables]
            hidden = [[found - counts.labeled for found in pair] for pair in fitted]
            pairs = [unlabeled_areas(*each, counts.unlabeled) for each in hidden]
        else:
            place = entry.place(counts, threshold=threshold, population=population)
            at = _thinned(place, counts)
            if str(place) not in rows:
                rows[str(place)] = [[_rows(counts, table, at) for table in pair] for pair in tables]
            within = between(rows[str(place)], _room(counts, at))
            pairs = [_extremes(entry, counts, pair, at, whom) for pair in within]
        bounds[name] = float(np.min(pairs)), float(np.max(pairs))
    return bounds


def _thinned(place, counts):
    """A place among the thresholds; of very many, those at evenly spaced ranks and log ranks stand for all."""
    n = len(counts.thresholds)
    if not isinstance(place, slice) or n <= _MOST:
        return place
    return np.unique(np.append(np.linspace(0, n - 1, _MOST // 2), np.geomspace(1, n - 1, _MOST // 2)).astype(int))


def _rows(counts, table, at):
    """Rows of a table of cuts at a place among the thresholds, of which the first has no cut."""
    if isinstance(at, slice):
        return tables_at(counts, table)[at]
    if np.ndim(at):
        none = table[-1] @ np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]])  # all are missed
        return np.where(at[:, None] > 0, table[np.maximum(at, 1) - 1], none).astype(np.float64)
    around = np.minimum([int(at), int(at) + 1], len(table))
    return np.atleast_2d(at_place(_rows(counts, table, around), at - int(at)))


def _room(counts, at=slice(None)):
    """Room for positives at a place among the thresholds, or at several."""
    known, head = (np.atleast_1d(at_place(values, at)) for values in (counts.labeled, counts.unlabeled))
    return Room(known, counts.n_labeled - known, head, counts.n_unlabeled - head)


def _extremes(entry, counts, tables, at, population):
    """The measure at both tables of a population, lower first; over several thresholds the largest of each."""
    if population == "unlabeled":
        known = np.atleast_1d(at_place(counts.labeled, at))
        labeled = np.column_stack([known, 0 * known, counts.n_labeled - known, 0 * known])
        tables = [table - labeled for table in tables]
    name = entry.measure
    values = [
        TABLE_METRICS[name](*each.T) if name in TABLE_METRICS else measures_of_tables(each)[name] for each in tables
    ]
    return np.max(np.minimum(*values)), np.max(np.maximum(*values))
