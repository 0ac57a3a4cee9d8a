"""Bounds on scores against the true class: the one place where areas, measures of predictions and tops are bounded."""

import numpy as np

from pumetrics.bounds.bands import Band
from pumetrics.bounds.curve_bounds import at_cuts, pr_between, roc_between, unlabeled_areas
from pumetrics.bounds.tables import (
    TABLE_METRICS,
    Room,
    alphas_within,
    between,
    tables_at,
    tables_of,
)
from pumetrics.counts import count_ranks, count_scores
from pumetrics.metrics import AREAS, find_metric, rates_of_tables
from pumetrics.tops import at_place, check_population
from pumetrics.validation import check_alphas, check_threshold

__all__ = ["band_for", "bounds_of", "of_population", "score_bounds"]

_LARGEST_EXACT = 50_000  # positives up to which the exact band takes about a second
_MOST = 20_000  # thresholds that are all looked at over a range of alpha


def band_for(ranking, *, alpha, confidence=0.95):
    """Band on the rank CDF of the hidden positives, or None where the exact one is cheap enough to be computed.

    Of many positives both samples, labeled and hidden, get a Dvoretzky-Kiefer-Wolfowitz band of half the level; their
    half-widths add up.
    """
    n_labeled = ranking.n_labeled
    n_hidden = int(check_alphas(alpha)[0] * ranking.n_unlabeled)
    if not n_hidden or n_labeled + n_hidden <= _LARGEST_EXACT:
        return None
    sizes = n_labeled**-0.5 + n_hidden**-0.5
    width = np.sqrt(np.log(4 / (1 - confidence)) / 2) * sizes
    share = ranking.labeled / n_labeled
    return Band(np.clip(share - width, 0, 1), np.clip(share + width, 0, 1))


def score_bounds(
    metrics, s, y_score, *, alpha, confidence=0.95, threshold=None, population="all", band=None
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
    population : {"all", "unlabeled"}, default="all"
        What metrics that depend on the prevalence are about.
    band : Band, optional
        From :func:`band_for`.

    Returns
    -------
    dict of str to (float, float)

    Raises
    ------
    ValueError
        On invalid labels, scores or options, and of AUC if alpha may leave no negative example.

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 5.
    """
    return bounds_of(
        metrics,
        count_scores(s, y_score),
        count_ranks(s, y_score),
        alpha=alpha,
        confidence=confidence,
        threshold=check_threshold(threshold, y_score),
        population=population,
        band=band,
    )


def bounds_of(
    metrics, counts, ranking, *, alpha, confidence=0.95, threshold=None, population="all", band=None
):
    """The same from counts of a sample at thresholds and at ranks."""
    ends = check_alphas(alpha)
    population = check_population(population)
    entries = {name: find_metric(name) for name in metrics}
    alphas = alphas_within(ends, counts.n_unlabeled)
    places = {}
    for name, entry in entries.items():
        if name not in AREAS:
            place = entry.place(counts, threshold=threshold, population=population)
            places[name] = _thinned(place, counts, len(alphas))
    distinct = {str(place): place for place in places.values()}
    rows = {key: [] for key in distinct}
    precisions = []
    pairs_of_cuts = []

    for each in alphas:  # of many rows, tables of all alphas at once fill the memory
        (pair,) = at_cuts(
            ranking, [tables_of(ranking, each, band, "positives", confidence, clipped=False)]
        )
        wholes = [tables_at(counts, table) for table in pair]
        for key, at in distinct.items():
            rows[key].append(
                [np.asfortranarray(np.atleast_2d(at_place(whole, at))) for whole in wholes]
            )
        if "average_precision" in entries:
            precisions.append(_average_precisions(ranking, counts, pair, each, population))
        if "roc_auc" in entries:
            # all at once: half the memory
            pairs_of_cuts.append([table.astype(np.int32) for table in pair])
    bounds = {}
    for name, entry in entries.items():
        if name == "roc_auc":
            pairs = [_roc_area(ranking, pairs_of_cuts, alpha, population)]
        elif name == "average_precision":
            pairs = precisions
        else:
            at = places[name]
            pairs = [
                _extremes(entry.measure, of_population(counts, pair, population, at))
                for pair in between(rows[str(at)], _room(counts, at))
            ]
        bounds[name] = float(np.min(pairs)), float(np.max(pairs))
    return bounds


def _average_precisions(ranking, counts, tables, alpha, population):
    """Least and largest average precision between the lower and the upper table of one alpha."""
    if population == "all":
        return pr_between(ranking, [tables], alpha).auc
    hidden = [
        _room(counts).fitted(tables_at(counts, table))[:, 0] - counts.labeled for table in tables
    ]
    return unlabeled_areas(*hidden, counts.unlabeled)


def _roc_area(ranking, tables, alpha, population):
    """Bounds on the area under the ROC curve; of the unlabeled alone without the labeled in the tables of the cuts."""
    if population == "unlabeled":
        above = ranking.labeled[ranking.ends]
        known = _labeled_table(above, above[-1])
        ranking = ranking._replace(labeled=0 * ranking.labeled)
        tables = [[table - known for table in pair] for pair in tables]
        if not min(pair[0][-1, [0, 2]].sum() for pair in tables):
            return 0.0, 1.0  # no positive may be hidden
    return roc_between(ranking, tables, alpha).auc


def _thinned(place, counts, n_alphas):
    """A place among the thresholds; of very many, for a range of alpha only some at even ranks and log ranks."""
    n = len(counts.thresholds)
    few_enough = n <= _MOST or n_alphas == 1
    if few_enough or not isinstance(place, slice):
        return place
    evenly = np.linspace(0, n - 1, _MOST // 2)
    toward_the_top = np.geomspace(1, n - 1, _MOST // 2)
    return np.unique(np.append(evenly, toward_the_top).astype(int))


def _room(counts, at=slice(None)):
    """How many positives fit above a place among the thresholds, or above several."""
    known, head = (
        np.atleast_1d(at_place(values, at)) for values in (counts.labeled, counts.unlabeled)
    )
    return Room(known, counts.n_labeled - known, head, counts.n_unlabeled - head)


def of_population(counts, tables, population, at=slice(None)):
    """Tables of a population at places among the thresholds: of the unlabeled alone, without the labeled examples."""
    if population == "all":
        return tables
    known = np.atleast_1d(at_place(counts.labeled, at))
    labeled = _labeled_table(known, counts.n_labeled)
    # rounding may leave a hair below 0
    return [np.maximum(table - labeled, 0.0) for table in tables]


def _labeled_table(above, n_labeled):
    """Table of the labeled examples alone, of which so many are above each place."""
    none = np.zeros_like(above)
    return np.column_stack([above, none, n_labeled - above, none])


def _extremes(measure, tables):
    """The least and the largest bound of a measure at both tables; over several thresholds, bounds of the maximum."""
    if measure in TABLE_METRICS:
        values = [TABLE_METRICS[measure](*each.T) for each in tables]
    else:  # a metric that was added
        values = [find_metric(measure).formula(rates_of_tables(each)) for each in tables]
    return np.max(np.minimum(*values)), np.max(np.maximum(*values))
