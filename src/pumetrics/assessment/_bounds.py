"""Bounds of the reported scores and curves: what holds whatever the distributions, given alpha and random labels."""

import numpy as np

from pumetrics._validation import check_alphas
from pumetrics.bounds import (
    TABLE_METRICS,
    Band,
    contingency_bounds,
    of_the_unlabeled,
    pr_bounds,
    roc_bounds,
    tables_at,
    unlabeled_areas,
)
from pumetrics.counts import count_ranks, count_scores
from pumetrics.methods.defaults import LARGEST_EXACT
from pumetrics.metrics import find_metric, measures_of_tables
from pumetrics.tops import at_place

__all__ = ["band_for", "score_bounds"]


def band_for(s, y_score, *, alpha, confidence=0.95):
    """Band on the rank CDF of the hidden positives, or None where the exact one is cheap enough to be computed.

    Of many positives both samples, labeled and hidden, get a Dvoretzky-Kiefer-Wolfowitz band of half the level; their
    half-widths add up.
    """
    counts = count_scores(s, y_score)
    n_labeled = counts.n_labeled
    n_hidden = int(check_alphas(alpha)[0] * counts.n_unlabeled)
    if not n_hidden or n_labeled + n_hidden <= LARGEST_EXACT:
        return None
    return _wide_band(s, y_score, n_labeled, n_hidden, confidence)


def _wide_band(s, y_score, n_labeled, n_hidden, confidence):
    """Band of which both samples, labeled and hidden, take half of the level."""
    width = np.sqrt(np.log(4 / (1 - confidence)) / 2) * (n_labeled**-0.5 + n_hidden**-0.5)
    share = count_ranks(s, y_score).labeled / n_labeled
    return Band(np.clip(share - width, 0, 1), np.clip(share + width, 0, 1))


def score_bounds(metrics, s, y_score, *, alpha, confidence=0.95, threshold=None, population=None, band=None):
    """Bounds on scores against the true class.

    Parameters
    ----------
    metrics : list of str
        Areas, measures of predictions, and measures of the top of the ranking.
    s, y_score : array-like of shape (n_samples,)
        1 labeled, 0 unlabeled; scores, higher is more positive.
    alpha : float or (float, float)
        Share of positives among the unlabeled, or a range for it, of whose ends the outermost bounds are taken.
    confidence : float
        With which the bounds hold, at all thresholds together, in (0, 1).
    threshold : float, optional
        Scores at or above it are predicted positive; by default the maximum over all thresholds is bounded.
    population : {"all", "unlabeled"}, optional
        What metrics that depend on the class mix are about; each about its own by default.
    band : Band, optional
        From :func:`band_for`.

    Returns
    -------
    dict of str to (float, float)

    References
    ----------
    Claesen, Davis, De Smet & De Moor (2015), Section 5.
    """
    counts = count_scores(s, y_score)
    entries = {name: find_metric(name) for name in metrics}
    pairs = {name: [] for name in metrics}
    for end in check_alphas(alpha):
        tables = contingency_bounds(s, y_score, alpha=end, band=band, confidence=confidence)
        both = [tables_at(counts, table) for table in tables]
        for name, entry in entries.items():
            whom = entry.population_of(population)
            if entry.kind != "area":
                at = entry.place(counts, threshold=threshold, population=population)
                values = [_values(entry, counts, table, at, whom) for table in both]
                pairs[name].append([np.max(np.minimum(*values)), np.max(np.maximum(*values))])
            elif name == "average_precision" and whom == "unlabeled":
                hidden = (table[:, 0] - counts.labeled for table in both)
                pairs[name].append(unlabeled_areas(*hidden, counts.unlabeled))
            elif name == "average_precision":
                pairs[name].append(pr_bounds(s, y_score, alpha=end, band=band, confidence=confidence).auc)
    if "roc_auc" in pairs:
        pairs["roc_auc"].append(roc_bounds(s, y_score, alpha=alpha, band=band, confidence=confidence).auc)
    return {name: (float(np.min(ends)), float(np.max(ends))) for name, ends in pairs.items()}


def _values(entry, counts, tables, at, population):
    """A measure of contingency tables; those of :data:`TABLE_METRICS` are defined for samples of one class as well."""
    if population == "unlabeled":
        tables = of_the_unlabeled(counts, tables)
    tables = np.atleast_2d(at_place(tables, at))
    name = entry.measure
    return TABLE_METRICS[name](*tables.T) if name in TABLE_METRICS else measures_of_tables(tables)[name]
