"""The answers of the methods: point estimates, Claesen's bounds, and intervals from resamples.

Each is a function of a sample of one model, of what is known of its labels, and of the request, which has a threshold.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pumetrics.bounds.bands import band_of
from pumetrics.bounds.scores import bounds_of, of_population
from pumetrics.bounds.tables import tables_at, tables_of
from pumetrics.counts import count_ranks
from pumetrics.inference.corrected import corrected
from pumetrics.label_frequency import f1_from_counts, lee_liu_from_counts, rho_from_alpha
from pumetrics.metrics import find_metric, rates_at, rates_of_tables, roc_auc_pu
from pumetrics.rates import usable
from pumetrics.recovery import recover_auc

__all__ = [
    "Estimate",
    "bounds_with",
    "by_auc",
    "direct",
    "f1_from_rho",
    "indirect",
    "interval",
    "lee_liu",
    "lower_bound",
    "place_of",
    "uncorrected",
    "values_of",
]


class Estimate(NamedTuple):
    """A method's answer to one metric."""

    metric: str
    value: float
    """Not clipped; NaN if there is none."""
    at: int = 0
    """Index of the threshold it belongs to; 0 for areas."""
    lower: float = np.nan
    """Lower bound; NaN if the method gives none."""
    upper: float = np.nan
    """Upper bound; NaN if the method gives none."""
    priors: tuple = (None, None)
    """Alpha and beta, if the method estimates them itself."""


def uncorrected(sample, labels, ask):
    """Labeled examples treated as positives, unlabeled ones as negatives."""
    yield from direct(sample, replace(labels, alpha=0.0, beta=1.0), replace(ask, population="all"))


def direct(sample, labels, ask):
    """Closed-form corrections of measured values: Jain's Eq. 4, unrepaired precision, Ramola's Eqs. 12 to 15."""
    priors = {"alpha": labels.alpha, "beta": labels.beta}
    known = usable(**priors)
    for metric in ask.metrics:
        values = np.nan
        if known and metric == "roc_auc":
            values = recover_auc(roc_auc_pu(sample.counts[0]), **priors)
        elif known:
            about = {"population": ask.population, "repair": "none"}
            values = values_of(metric, sample.counts[0], **priors, **about)
        yield _estimate(sample, ask, metric, values)


def indirect(sample, labels, ask):
    """Areas under curves recovered threshold by threshold and repaired (envelope)."""
    priors = {"alpha": labels.alpha, "beta": labels.beta}
    known = usable(**priors)
    for metric in ask.metrics:
        area = np.nan
        if known:
            area = values_of(metric, sample.counts[0], **priors, population=ask.population)
        yield Estimate(metric, area)


def f1_from_rho(sample, labels, ask):
    """F1 from the label frequency (Tabatabaei et al. 2020, Section 4.1)."""
    counts = sample.counts[0]
    rho = labels.rho
    values = np.nan
    if rho is None:
        rho = rho_from_alpha(labels.alpha, *sample.sizes, beta=labels.beta)
    if rho > 0:
        values = f1_from_counts(counts.labeled, counts.n_labeled, counts.predicted, rho=rho)
    yield from (_estimate(sample, ask, metric, values) for metric in ask.metrics)


def lee_liu(sample, labels, ask):
    """Lee and Liu's score, which orders models by F1 without any prior."""
    counts = sample.counts[0]
    values = lee_liu_from_counts(counts.labeled, counts.n_labeled, counts.predicted, counts.n)
    yield from (_estimate(sample, ask, metric, values) for metric in ask.metrics)


def by_auc(sample, labels, ask):
    """The same ranking for all metrics: by the uncorrected area under the ROC curve."""
    area = roc_auc_pu(sample.counts[0])
    yield from (each._replace(value=area) for each in uncorrected(sample, labels, ask))


def values_of(metric, counts, alpha=0.0, beta=1.0, *, population="all", repair="envelope"):
    """Recovered value of a metric, of a measure of predictions and its maximum at every threshold; not clipped."""
    entry = find_metric(metric)
    if entry.kind == "area":
        return entry.formula(counts, alpha=alpha, beta=beta, repair=repair, population=population)
    at = entry.place(counts, population=population) if entry.kind == "top" else slice(None)
    return entry.formula(rates_at(counts, alpha=alpha, beta=beta, at=at, population=population))


def _estimate(sample, ask, metric, *values):
    """Estimate from values, and perhaps both bounds, which are numbers or arrays over thresholds."""
    at = place_of(sample, ask, metric, values[0])
    value, *ends = (float(each[at]) if np.ndim(each) else float(each) for each in values)
    return Estimate(metric, value, at, *ends)


def place_of(sample, ask, metric, values):
    """Index of the threshold a metric is taken at: a maximum where the values are highest; areas have none."""
    entry = find_metric(metric)
    if entry.kind == "top":
        return int(np.ceil(entry.place(sample.counts[0], population=ask.population)))
    if entry.kind == "threshold":
        return _fixed(sample, ask)
    return 0 if entry.kind == "area" else int(np.argmax(values))


def _fixed(sample, ask):
    """Index of the threshold at which measures of predictions are taken."""
    return int(sample.counts[0].at(ask.threshold))


def bounds_with(band):
    """Return the method that bounds with a band.

    Parameters
    ----------
    band : {"hypergeometric", "dkw", "bootstrap"}
        See :func:`pumetrics.bounds.rank_cdf_band`.
    """

    def bounds(sample, labels, ask):
        """Midpoints of the bounds; a maximum is taken where the midpoint is highest."""
        for metric, low, high in _pairs(sample, band, labels, ask):
            yield _estimate(sample, ask, metric, (low + high) / 2, low, high)

    return bounds


def lower_bound(sample, labels, ask):
    """Lower bound with the exact band as the number to order by; a maximum is taken where that is highest."""
    for metric, low, _ in _pairs(sample, "hypergeometric", labels, ask):
        yield _estimate(sample, ask, metric, low)


def _pairs(sample, band, labels, ask):
    """Name, lower and upper bound of each metric: arrays over thresholds of measures, else numbers; or NaN."""
    alpha = labels.alpha
    counts = sample.counts[0]
    population = ask.population
    if not 0 <= alpha < 1 or int(alpha * counts.n_unlabeled + 1e-9) >= counts.n_unlabeled:
        yield from ((metric, np.nan, np.nan) for metric in ask.metrics)
        return
    key = band, alpha, ask.confidence
    if key not in sample.memory:
        ranking = count_ranks(sample.s, sample.scores[0])
        chosen = band_of(ranking, band, ask.confidence, alpha)
        tables = tables_of(ranking, alpha, chosen, "positives", ask.confidence)
        sample.memory[key] = ranking, chosen, [tables_at(counts, table) for table in tables]
    ranking, chosen, tables = sample.memory[key]
    nothing_hidden = not tables[0][0, 2] > counts.n_labeled
    for metric in ask.metrics:
        entry = find_metric(metric)
        if entry.kind != "area" and population == "unlabeled" and nothing_hidden:
            yield metric, np.nan, np.nan
        elif entry.kind in ("area", "top"):
            yield (
                metric,
                *bounds_of(
                    [metric], counts, ranking, alpha=alpha, band=chosen, population=population
                )[metric],
            )
        else:
            seen = of_population(counts, tables, population)
            first, second = (entry.formula(rates_of_tables(table)) for table in seen)
            yield metric, np.fmin(first, second), np.fmax(first, second)


def interval(sample, labels, ask):
    """Corrected scores with the ends of their intervals."""
    if any(find_metric(name).kind == "threshold" for name in ask.metrics):
        ask = replace(ask, threshold=float(sample.counts[0].thresholds[_fixed(sample, ask)]))
    found = corrected(sample, labels, ask)
    alpha, beta = priors = found.priors[:2]
    for metric, ends in found.models[0].items():
        values = values_of(metric, sample.counts[0], alpha, beta, population=ask.population)
        at = place_of(sample, ask, metric, values)
        yield Estimate(metric, ends.estimate, at, ends.lower, ends.upper, priors)
