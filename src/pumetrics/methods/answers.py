"""The answers of the methods: point estimates, Claesen's bounds, intervals from resamples, and controls."""

import numpy as np

from pumetrics.bounds import rank_cdf_band
from pumetrics.bounds.scores import of_population, score_bounds, tables_between
from pumetrics.inference import corrected_intervals
from pumetrics.label_frequency import fbeta_from_counts, lee_liu_from_counts
from pumetrics.methods.sample import Estimate
from pumetrics.metrics import METRICS, find_metric, rates_of_tables
from pumetrics.rates import usable
from pumetrics.recovery import recover_auc

__all__ = [
    "bounds_with", "by_auc", "direct", "f1_from_rho", "first_model", "indirect", "interval_with", "intervals_of",
    "lee_liu", "lower_bound", "oracle", "place_of", "random", "uncorrected",
]  # fmt: skip


def uncorrected(sample, given, metrics):
    """Labeled examples treated as positives, unlabeled ones as negatives."""
    areas = {"roc_auc": lambda: sample.auc_pu}
    yield from _answers(sample, metrics, areas, population="all")


def direct(sample, given, metrics):
    """Closed-form corrections of measured values: Jain's Eq. 4, unrepaired precision, Ramola's Eqs. 12 to 15."""
    alpha, beta = given[:2]
    if not usable(alpha, beta):
        yield from (Estimate(metric, np.nan, sample.at) for metric in metrics)
        return
    areas = {"roc_auc": lambda: recover_auc(sample.auc_pu, alpha=alpha, beta=beta)}
    yield from _answers(sample, metrics, areas, alpha=alpha, beta=beta)


def indirect(sample, given, metrics):
    """Areas under curves recovered threshold by threshold and repaired (envelope)."""
    alpha, beta = given[:2]
    for metric in metrics:
        known = usable(alpha, beta)
        yield Estimate(metric, sample.area(metric, alpha, beta) if known else np.nan)


def f1_from_rho(sample, given, metrics):
    """F1 from the label frequency (Tabatabaei et al. 2020, Section 4.1)."""
    counts = sample.counts
    if not given.rho > 0:
        yield from (Estimate(metric, np.nan, sample.at) for metric in metrics)
        return
    values = fbeta_from_counts(counts.labeled, counts.n_labeled, counts.predicted, rho=given.rho)
    yield from (at_threshold(sample, metric, values) for metric in metrics)


def lee_liu(sample, given, metrics):
    """Lee and Liu's score, which orders models by F1 without any prior."""
    counts = sample.counts
    values = lee_liu_from_counts(counts.labeled, counts.n_labeled, counts.predicted, counts.n)
    yield from (at_threshold(sample, metric, values) for metric in metrics)


def by_auc(sample, given, metrics):
    """The same ranking for all metrics: by the uncorrected area under the ROC curve."""
    for metric in metrics:
        entry = METRICS[metric]
        best = int(np.argmax(sample.measures()[entry.measure])) if entry.kind == "maximum" else sample.at
        yield Estimate(metric, sample.auc_pu, best)


def at_threshold(sample, metric, values):
    """Estimate of a measure of which there is a value per threshold: at the sample's threshold, or the largest."""
    at = int(np.argmax(values)) if METRICS[metric].kind == "maximum" else sample.at
    return Estimate(metric, float(values[at]), at)


def _answers(sample, metrics, areas, *, population=None, **priors):
    """Estimates of areas, without repair where there is no closed form, and of measures."""
    population = population or sample.population
    for metric in metrics:
        entry = find_metric(metric)
        if entry.kind == "top":
            at = int(np.ceil(sample.place(metric, population=population)))
            yield Estimate(metric, sample.at_top(metric, **priors, population=population), at)
        elif entry.kind != "area":
            among = entry.population_of(population)
            yield at_threshold(sample, metric, sample.measures(**priors, population=among)[entry.measure])
        elif metric in areas:
            yield Estimate(metric, areas[metric]())
        else:
            yield Estimate(metric, sample.area(metric, repair="none", **priors, population=population))


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
            middle = (low + high) / 2
            at = _place(sample, metric, middle)
            yield Estimate(metric, *_numbers(at, middle), at, *_numbers(at, low, high))

    return bounds


def lower_bound(sample, given, metrics):
    """Lower bound with the exact band as the number to order by; a maximum is taken where that is highest."""
    for metric, low, _ in _pairs(sample, "hypergeometric", given, metrics):
        at = _place(sample, metric, low)
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
    """Name, lower and upper bound of each metric: arrays over thresholds of measures, else numbers; or NaN."""
    alpha, n_unlabeled = given.alpha, sample.counts.n_unlabeled
    if not 0 <= alpha < 1 or int(alpha * n_unlabeled + 1e-9) >= n_unlabeled:
        yield from ((metric, np.nan, np.nan) for metric in metrics)
        return
    key = (band, alpha, given.confidence)
    if key not in sample.memory:
        chosen = rank_cdf_band(None, sample.ranking, confidence=given.confidence, method=band, alpha=alpha)
        tables = tables_between(sample.counts, sample.ranking, alpha=alpha, band=chosen)
        sample.memory[key] = chosen, tables
    chosen, tables = sample.memory[key]
    nothing_hidden = not tables[0][0, 2] > sample.counts.n_labeled
    for metric in metrics:
        entry = find_metric(metric)
        among = entry.population_of(sample.population)
        if entry.kind != "area" and among == "unlabeled" and nothing_hidden:
            yield metric, np.nan, np.nan
        elif entry.kind in ("area", "top"):
            options = {"alpha": alpha, "band": chosen, "population": sample.population, "ranking": sample.ranking}
            yield metric, *score_bounds([metric], None, sample.counts, **options)[metric]
        else:
            seen = of_population(sample.counts, tables, among)
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
        found = intervals_of(sample, given, metrics, uncertainty=uncertainty, random_state=given.rng)
        for metric, each in found.items():
            yield Estimate(metric, each.estimate, place_of(sample, metric, each), each.lower, each.upper)

    return interval


def intervals_of(sample, given, metrics, *, uncertainty, random_state, **options):
    """Intervals of one sample, by metric.

    Parameters
    ----------
    sample : ScoredSample
        Whatever its population, average precision refers to the unlabeled examples unless the options say otherwise.
    given : Given
        With alpha, if it is known, its confidence, and the estimator otherwise. A beta that is NaN is estimated too.
    metrics : sequence of str
    uncertainty : {"calibrated", "guaranteed", "sampling"}
        Without effect if alpha is known.
    random_state : numpy.random.Generator
    **options
        More of :func:`pumetrics.inference.corrected_interval`.

    Returns
    -------
    dict of str to Interval

    Raises
    ------
    ValueError
        If the priors cannot be estimated.
    """
    options |= {"confidence": given.confidence, "n_bootstrap": given.n_resamples, "random_state": random_state}
    if np.isfinite(given.alpha):
        options |= {"alpha": given.alpha, "beta": given.beta}
    elif np.isfinite(given.beta):
        options |= {"beta": given.beta, "method": given.estimator, "uncertainty": uncertainty}
    else:
        options |= {"noisy": True, "method": given.estimator, "uncertainty": uncertainty}
    threshold = (
        float(sample.thresholds[sample.at]) if any(find_metric(name).kind == "threshold" for name in metrics) else None
    )
    return corrected_intervals(list(metrics), sample.s, sample.score, threshold=threshold, **options)


def place_of(sample, metric, interval):
    """Index of the threshold that an estimate belongs to; 0 for areas."""
    entry = find_metric(metric)
    if entry.kind == "top":
        return int(np.ceil(sample.place(metric)))
    if entry.kind == "maximum":
        among = entry.population_of(sample.population)
        return int(np.argmax(sample.measures(interval.alpha, interval.beta, population=among)[entry.measure]))
    return sample.at if entry.kind == "threshold" else 0


def oracle(sample, given, metrics):
    """The truth itself, also at the best threshold."""
    for metric in metrics:
        entry = find_metric(metric)
        if entry.kind == "area":
            yield Estimate(metric, sample.truth(metric))
        elif entry.kind == "top":
            yield Estimate(metric, sample.truth(metric), int(np.ceil(sample.place(metric, population="all"))))
        else:
            yield at_threshold(sample, metric, sample.true_measures[entry.measure])


def random(sample, given, metrics):
    """Random numbers."""
    for metric, value in zip(metrics, given.rng.random(len(metrics)), strict=True):
        yield Estimate(metric, float(value), sample.at)


def first_model(sample, given, metrics):
    """Always the first model of the pool."""
    for metric in metrics:
        yield Estimate(metric, float(given.first), sample.at)
