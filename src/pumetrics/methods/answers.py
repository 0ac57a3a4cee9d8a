"""The answers of the methods: point estimates, Claesen's bounds, intervals from resamples, and controls."""

from typing import NamedTuple

import numpy as np

from pumetrics.bounds import rank_cdf_band
from pumetrics.bounds.scores import of_population, score_bounds, tables_between
from pumetrics.counts import count_ranks
from pumetrics.inference.corrected import intervals_of
from pumetrics.inference.request import ask_of, labels_of
from pumetrics.label_frequency import fbeta_from_counts, lee_liu_from_counts
from pumetrics.metrics import find_metric, rates_at, rates_of_tables, roc_auc_pu
from pumetrics.rates import usable
from pumetrics.recovery import recover_auc

__all__ = [
    "Estimate", "Given", "bounds_with", "by_auc", "direct", "f1_from_rho", "first_model", "indirect", "interval_with",
    "lee_liu", "lower_bound", "oracle", "random", "truth_of", "uncorrected",
]  # fmt: skip


class Given(NamedTuple):
    """Inputs of a method other than the sample; NaN if unknown."""

    alpha: float = np.nan
    """Share of positives among the unlabeled."""
    beta: float = np.nan
    """Share of positives among the labeled."""
    rho: float = np.nan
    """Label frequency: share of all positives that are labeled."""
    confidence: float = 0.95
    """Coverage of bands and intervals."""
    estimator: str = "consensus"
    """Which estimator of the priors resamples use, where alpha is unknown."""
    n_resamples: int = 200
    """Resamples behind an interval."""
    rng: np.random.Generator | None = None
    """For methods that draw."""
    first: bool | None = None
    """Whether this is the first model of a pool; None without a pool."""
    threshold: float | None = None
    """Predict positive for scores >= threshold; None for as many positive predictions as there are positives, which
    needs the true class."""
    population: str | None = None
    """What estimates that depend on the class mix are about; None for each about its own, see ``METRICS``."""


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


def uncorrected(sample, given, metrics):
    """Labeled examples treated as positives, unlabeled ones as negatives."""
    yield from direct(sample, given._replace(alpha=0.0, beta=1.0, population="all"), metrics)


def direct(sample, given, metrics):
    """Closed-form corrections of measured values: Jain's Eq. 4, unrepaired precision, Ramola's Eqs. 12 to 15."""
    alpha, beta = given[:2]
    for metric in metrics:
        values = np.nan
        if usable(alpha, beta) and metric == "roc_auc":
            values = recover_auc(roc_auc_pu(sample.counts[0]), alpha=alpha, beta=beta)
        elif usable(alpha, beta):
            values = _values(metric, sample.counts[0], alpha, beta, population=given.population, repair="none")
        yield _estimate(sample, given, metric, values)


def indirect(sample, given, metrics):
    """Areas under curves recovered threshold by threshold and repaired (envelope)."""
    alpha, beta, known = *given[:2], usable(*given[:2])
    for metric in metrics:
        area = _values(metric, sample.counts[0], alpha, beta, population=given.population) if known else np.nan
        yield Estimate(metric, area)


def f1_from_rho(sample, given, metrics):
    """F1 from the label frequency (Tabatabaei et al. 2020, Section 4.1)."""
    counts, values = sample.counts[0], np.nan
    if given.rho > 0:
        values = fbeta_from_counts(counts.labeled, counts.n_labeled, counts.predicted, rho=given.rho)
    yield from (_estimate(sample, given, metric, values) for metric in metrics)


def lee_liu(sample, given, metrics):
    """Lee and Liu's score, which orders models by F1 without any prior."""
    counts = sample.counts[0]
    values = lee_liu_from_counts(counts.labeled, counts.n_labeled, counts.predicted, counts.n)
    yield from (_estimate(sample, given, metric, values) for metric in metrics)


def by_auc(sample, given, metrics):
    """The same ranking for all metrics: by the uncorrected area under the ROC curve."""
    area = roc_auc_pu(sample.counts[0])
    yield from (each._replace(value=area) for each in uncorrected(sample, given, metrics))


def _values(metric, counts, alpha=0.0, beta=1.0, *, population=None, repair="envelope"):
    """Recovered value of a metric, of a measure of predictions and its maximum at every threshold; not clipped."""
    entry = find_metric(metric)
    among = entry.population_of(population)
    if entry.kind == "area":
        return entry.formula(counts, alpha=alpha, beta=beta, repair=repair, population=among)
    at = entry.place(counts, population=population) if entry.kind == "top" else slice(None)
    return entry.formula(rates_at(counts, alpha=alpha, beta=beta, at=at, population=among))


def _estimate(sample, given, metric, *values):
    """Estimate from values, and perhaps both bounds, which are numbers or arrays over thresholds."""
    at = _place(sample, given, metric, values[0])
    value, *ends = (float(each[at]) if np.ndim(each) else float(each) for each in values)
    return Estimate(metric, value, at, *ends)


def _place(sample, given, metric, values):
    """Index of the threshold a metric is taken at: a maximum where the values are highest; areas have none."""
    entry = find_metric(metric)
    if entry.kind == "top":
        return int(np.ceil(entry.place(sample.counts[0], population=given.population)))
    if entry.kind == "threshold":
        return _fixed(sample, given)
    return 0 if entry.kind == "area" else int(np.argmax(values))


def _fixed(sample, given):
    """Index of the threshold at which measures of predictions are taken."""
    if given.threshold is not None:
        return int(sample.counts[0].at(given.threshold))
    return int(np.argmin(np.abs(sample.counts[0].predicted - sample.truth.n_labeled)))


def bounds_with(band):
    """Return the method that bounds with a band.

    Parameters
    ----------
    band : {"hypergeometric", "dkw", "bootstrap"}
        See :func:`pumetrics.bounds.rank_cdf_band`.
    """

    def bounds(sample, given, metrics):
        """Midpoints of the bounds; a maximum is taken where the midpoint is highest."""
        for metric, low, high in _pairs(sample, band, given, metrics):
            yield _estimate(sample, given, metric, (low + high) / 2, low, high)

    return bounds


def lower_bound(sample, given, metrics):
    """Lower bound with the exact band as the number to order by; a maximum is taken where that is highest."""
    for metric, low, _ in _pairs(sample, "hypergeometric", given, metrics):
        yield _estimate(sample, given, metric, low)


def _pairs(sample, band, given, metrics):
    """Name, lower and upper bound of each metric: arrays over thresholds of measures, else numbers; or NaN."""
    alpha, counts, population = given.alpha, sample.counts[0], given.population
    if not 0 <= alpha < 1 or int(alpha * counts.n_unlabeled + 1e-9) >= counts.n_unlabeled:
        yield from ((metric, np.nan, np.nan) for metric in metrics)
        return
    key = band, alpha, given.confidence
    if key not in sample.memory:
        ranking = count_ranks(sample.s, sample.scores[0])
        chosen = rank_cdf_band(None, ranking, confidence=given.confidence, method=band, alpha=alpha)
        sample.memory[key] = ranking, chosen, tables_between(counts, ranking, alpha=alpha, band=chosen)
    ranking, chosen, tables = sample.memory[key]
    nothing_hidden = not tables[0][0, 2] > counts.n_labeled
    for metric in metrics:
        entry = find_metric(metric)
        among = entry.population_of(population)
        if entry.kind != "area" and among == "unlabeled" and nothing_hidden:
            yield metric, np.nan, np.nan
        elif entry.kind in ("area", "top"):
            options = {"alpha": alpha, "band": chosen, "population": population, "ranking": ranking}
            yield metric, *score_bounds([metric], None, counts, **options)[metric]
        else:
            seen = of_population(counts, tables, among)
            first, second = (entry.formula(rates_of_tables(table)) for table in seen)
            yield metric, np.fmin(first, second), np.fmax(first, second)


def interval_with(uncertainty):
    """Return the method whose interval accounts for an alpha that is not given in one of three ways.

    Parameters
    ----------
    uncertainty : {"calibrated", "guaranteed", "sampling"}
        See :func:`pumetrics.inference.corrected_interval`.
    """

    def interval(sample, given, metrics):
        """Corrected scores with the ends of their intervals."""
        alpha, beta = (None if np.isnan(prior) else prior for prior in given[:2])
        labels = labels_of(
            sample, alpha=alpha, beta=1.0 if beta is None else beta, noisy=beta is None, method=given.estimator,
            uncertainty=uncertainty,
        )  # fmt: skip
        threshold = None
        if any(find_metric(name).kind == "threshold" for name in metrics):
            threshold = float(sample.counts[0].thresholds[_fixed(sample, given)])
        ask = ask_of(
            metrics, threshold=threshold, population=given.population, confidence=given.confidence,
            n_bootstrap=given.n_resamples, random_state=given.rng,
        )  # fmt: skip
        for metric, found in intervals_of(sample, labels, ask).items():
            values = _values(metric, sample.counts[0], found.alpha, found.beta, population=given.population)
            yield Estimate(metric, found.estimate, _place(sample, given, metric, values), found.lower, found.upper)

    return interval


def truth_of(metric, sample, at, *, population=None):
    """True value of a metric.

    Parameters
    ----------
    metric : str
    sample : Sample
        With the true class.
    at : int
        Index of the threshold; without effect on areas and tops.
    population : {"all", "unlabeled"}, optional
        What areas are about; other metrics are always about all examples.

    Returns
    -------
    float
    """
    entry, truth = find_metric(metric), sample.truth
    if entry.kind == "area" and entry.population_of(population) == "unlabeled":
        positive, alpha = truth.tpr_pu, sample.true_priors[0]
        precision = alpha * positive[1:] / (alpha * positive[1:] + (1 - alpha) * truth.fpr_pu[1:])
        return float(np.sum(np.diff(positive) * precision))
    values = _values(metric, truth, population="all", repair="none")
    return float(values[at] if np.ndim(values) else values)


def oracle(sample, given, metrics):
    """The truth itself, also at the best threshold."""
    for metric in metrics:
        values = _values(metric, sample.truth, population="all", repair="none")
        at = _place(sample, given._replace(population="all"), metric, values)
        yield Estimate(metric, truth_of(metric, sample, at, population=given.population), at)


def random(sample, given, metrics):
    """Random numbers."""
    for metric, value in zip(metrics, given.rng.random(len(metrics)), strict=True):
        yield Estimate(metric, float(value), _fixed(sample, given))


def first_model(sample, given, metrics):
    """Always the first model of the pool."""
    for metric in metrics:
        yield Estimate(metric, float(given.first), _fixed(sample, given))
