"""Point estimates from the measured values and the priors."""

import numpy as np

from pumetrics.label_frequency import fbeta_from_counts, lee_liu_from_counts
from pumetrics.methods.types import Estimate
from pumetrics.metrics import METRICS, find_metric
from pumetrics.rates import usable
from pumetrics.recovery import recover_auc

__all__ = ["by_auc", "direct", "f1_from_rho", "indirect", "lee_liu", "uncorrected"]


def uncorrected(view, given, metrics):
    """Labeled examples treated as positives, unlabeled ones as negatives."""
    sample = view.sample
    areas = {"roc_auc": lambda: sample.auc_pu}
    yield from _answers(sample, metrics, areas, population="all")


def direct(view, given, metrics):
    """Closed-form corrections of measured values: Jain's Eq. 4, unrepaired precision, Ramola's Eqs. 12 to 15."""
    sample, (alpha, beta) = view.sample, given[:2]
    if not usable(alpha, beta):
        yield from (Estimate(metric, np.nan, sample.at) for metric in metrics)
        return
    areas = {"roc_auc": lambda: recover_auc(sample.auc_pu, alpha=alpha, beta=beta)}
    yield from _answers(sample, metrics, areas, alpha=alpha, beta=beta)


def indirect(view, given, metrics):
    """Areas under curves recovered threshold by threshold and repaired (envelope)."""
    alpha, beta = given[:2]
    for metric in metrics:
        known = usable(alpha, beta)
        yield Estimate(metric, view.sample.area(metric, alpha, beta) if known else np.nan)


def f1_from_rho(view, given, metrics):
    """F1 from the label frequency (Tabatabaei et al. 2020, Section 4.1)."""
    counts = view.sample.counts
    if not given.rho > 0:
        yield from (Estimate(metric, np.nan, view.sample.at) for metric in metrics)
        return
    values = fbeta_from_counts(counts.labeled, counts.n_labeled, counts.predicted, rho=given.rho)
    yield from (at_threshold(view.sample, metric, values) for metric in metrics)


def lee_liu(view, given, metrics):
    """Lee and Liu's score, which orders models by F1 without any prior."""
    counts = view.sample.counts
    values = lee_liu_from_counts(counts.labeled, counts.n_labeled, counts.predicted, counts.n)
    yield from (at_threshold(view.sample, metric, values) for metric in metrics)


def by_auc(view, given, metrics):
    """The same ranking for all metrics: by the uncorrected area under the ROC curve."""
    sample = view.sample
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
            whom = entry.population_of(population)
            yield at_threshold(sample, metric, sample.measures(**priors, population=whom)[entry.measure])
        elif metric in areas:
            yield Estimate(metric, areas[metric]())
        else:
            yield Estimate(metric, sample.area(metric, repair="none", **priors, population=population))
