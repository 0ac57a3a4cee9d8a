"""Claesen's bounds as methods: every metric at both contingency tables of a band, the midpoint as the estimate."""

from typing import NamedTuple

import numpy as np

from pumetrics.bounds import (
    contingency_bounds,
    of_the_unlabeled,
    pr_bounds,
    rank_cdf_band,
    roc_bounds,
    tables_at,
    unlabeled_areas,
)
from pumetrics.methods.types import Estimate
from pumetrics.metrics import METRICS, find_metric, measures_of_tables, rates_of_tables
from pumetrics.tops import at_place

__all__ = ["bounds_with", "lower_bound"]


def bounds_with(band):
    """Return the method that bounds with a band.

    Parameters
    ----------
    band : {"hypergeometric", "dkw", "bootstrap"}
        See :func:`pumetrics.bounds.rank_cdf_band`.
    """

    def bounds(view, given, metrics):
        """Midpoints of the bounds; a maximum is taken where the midpoint is highest."""
        for metric, low, high in _pairs(view.sample, band, given, metrics):
            middle = (low + high) / 2
            at = _place(view.sample, metric, middle)
            yield Estimate(metric, *_numbers(at, middle), at, *_numbers(at, low, high))

    return bounds


def lower_bound(view, given, metrics):
    """Lower bound with the exact band as the number to order by; a maximum is taken where that is highest."""
    for metric, low, _ in _pairs(view.sample, "hypergeometric", given, metrics):
        at = _place(view.sample, metric, low)
        yield Estimate(metric, *_numbers(at, low), at)


def _place(sample, metric, values):
    """Index of the threshold a metric is taken at; areas have none."""
    kind = find_metric(metric).kind
    if kind == "top":
        return int(np.ceil(sample.place(metric)))
    if np.ndim(values) == 0:
        return 0 if kind == "area" else sample.at
    return int(np.argmax(values)) if kind == "maximum" else sample.at


def _numbers(at, *values):
    return [float(value[at]) if np.ndim(value) else float(value) for value in values]


def _pairs(sample, band, given, metrics):
    """Name, lower and upper bound of each metric: numbers of areas, arrays over thresholds of measures; or NaN."""
    key = (band, given.alpha, given.confidence)
    if key not in sample.memory:
        sample.memory[key] = _Bounds.of(sample, band, given.alpha, given.confidence)
    bounds = sample.memory[key]
    for metric in metrics:
        yield metric, *((np.nan, np.nan) if bounds is None else bounds.pair(sample, metric))


class _Bounds(NamedTuple):
    """Lower and upper contingency table at every threshold, and bounds of areas and measures made of them."""

    tables: list
    areas: dict
    measures: dict

    @classmethod
    def of(cls, sample, band, alpha, confidence):
        """Bounds of a sample, None without a usable alpha."""
        n_unlabeled = sample.counts.n_unlabeled
        if not 0 <= alpha < 1 or int(alpha * n_unlabeled + 1e-9) >= n_unlabeled:
            return None
        ranking = sample.ranking
        chosen = rank_cdf_band(None, ranking, confidence=confidence, method=band, alpha=alpha)
        options = {"alpha": alpha, "band": chosen}
        tables = [tables_at(sample.counts, table) for table in contingency_bounds(None, ranking, **options)]
        areas = {"roc_auc": roc_bounds(None, ranking, **options).auc}
        if METRICS["average_precision"].population_of(sample.population) == "all":
            areas["average_precision"] = pr_bounds(None, ranking, **options).auc
        else:
            hidden = (table[:, 0] - sample.counts.labeled for table in tables)
            areas["average_precision"] = unlabeled_areas(*hidden, sample.counts.unlabeled)
        return cls(tables, areas, {})

    def pair(self, sample, metric):
        """Lower and upper bound of a metric: numbers, or arrays of one value per threshold."""
        entry = find_metric(metric)
        if entry.kind == "area":
            return self.areas[metric]
        whom = entry.population_of(sample.population)
        if whom == "unlabeled" and not self.tables[0][0, 2] > sample.counts.n_labeled:
            return np.nan, np.nan  # no positive is hidden
        if entry.kind == "top":
            place = sample.place(metric)
            rates = [rates_of_tables(at_place(table, place)[None]) for table in self._tables(sample, whom)]
            return tuple(sorted(float(entry.formula(each)[0]) for each in rates))
        if whom not in self.measures:
            lower, upper = (measures_of_tables(table) for table in self._tables(sample, whom))
            self.measures[whom] = {
                name: (np.fmin(lower[name], upper[name]), np.fmax(lower[name], upper[name])) for name in lower
            }
        return self.measures[whom][entry.measure]

    def _tables(self, sample, population):
        return self.tables if population == "all" else [of_the_unlabeled(sample.counts, each) for each in self.tables]
