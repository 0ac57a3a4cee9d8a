"""The registry of methods: what each makes of one model's scores and observed labels, for every metric it answers.

Adding one is one entry of :data:`METHODS`: a function of a :class:`View` that yields an :class:`Answer` per metric and
prior. All see the same counts, sorted once.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pumetrics.curves import repaired
from pumetrics.label_frequency import fbeta_from_counts, lee_liu_from_counts
from pumetrics.recovery import recover_auc, recover_rates
from pumetrics_workflow.stages.evaluate.sample import usable
from pumetrics_workflow.studies.head_to_head.bands import band_answers, lower_answers
from pumetrics_workflow.studies.head_to_head.ranked import AREAS, MEASURES, METRICS, Ranked

__all__ = ["METHODS", "Answer", "Method", "View"]


class Answer(NamedTuple):
    """What a method says of one metric."""

    metric: str
    prior: str
    """Name of the priors it was given, "none" if it needs none."""
    estimate: float
    """Not clipped; NaN if there is none."""
    at: int = 0
    """Index of the threshold that a `max_` metric was reached at."""
    lower: float = np.nan
    upper: float = np.nan


@dataclass(frozen=True)
class View:
    """What a method may look at.

    Attributes
    ----------
    ranked : Ranked
        The true labels in it are for the controls and for nobody else.
    priors : dict of str to (alpha, beta)
        "true", and one entry per estimator.
    rhos : dict of str to float
        Label frequencies: "true" and "mean_score".
    rng : numpy.random.Generator
    first : bool
        Whether this is the first model of the pool.
    """

    ranked: Ranked
    priors: dict
    rhos: dict
    rng: object
    first: bool = False
    memory: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """How a method answers, and what its answer is good for.

    Attributes
    ----------
    answer : callable
        ``answer(view)`` yields answers.
    label : str
        What figures call it.
    ranks_only : bool
        Its number orders models but is no estimate of the metric, so that it has no error.
    control : bool
        It knows the truth, or nothing, and no table recommends it.
    picks_only : bool
        Its number names a favourite but does not order the others.
    """

    answer: callable
    label: str
    ranks_only: bool = False
    control: bool = False
    picks_only: bool = False


def _oracle(view):
    """The truth itself, also at the best threshold."""
    for metric in METRICS:
        if metric in AREAS:
            yield Answer(metric, "none", view.ranked.truth(metric))
        else:
            measure = metric.removeprefix("max_")
            values = view.ranked.true_measures[measure]
            at = view.ranked.fixed if measure == metric else int(np.argmax(values))
            yield Answer(metric, "none", float(values[at]), at)


def _random(view):
    """A number that knows nothing."""
    for metric, value in zip(METRICS, view.rng.random(len(METRICS)), strict=True):
        yield Answer(metric, "none", float(value), view.ranked.fixed)


def _first(view):
    """No selection at all: always the first model of the pool."""
    for metric in METRICS:
        yield Answer(metric, "none", float(view.first), view.ranked.fixed)


def _uncorrected(view):
    """Labeled taken for positive, unlabeled for negative."""
    ranked = view.ranked
    yield Answer("roc_auc", "none", _auc_pu(ranked))
    yield Answer("average_precision", "none", ranked.average_precision(0.0, 1.0, "none"))
    yield from _of_measures(ranked, "none", ranked.measures(0.0, 1.0))


def _by_auc(view):
    """One ranking for all metrics: the uncorrected area under the ROC curve."""
    area = _auc_pu(view.ranked)
    for metric in METRICS:
        if metric != "roc_auc":
            best = _best_of_uncorrected(view.ranked, metric)
            yield Answer(metric, "none", area, best)


def _direct(view):
    """Closed-form maps of what was measured: Jain's Eq. 4, unrepaired precision, Ramola's Eqs. 12 to 15."""
    ranked = view.ranked
    for prior, (alpha, beta) in view.priors.items():
        if not usable(alpha, beta):
            yield from (Answer(metric, prior, np.nan, ranked.fixed) for metric in METRICS)
            continue
        yield Answer("roc_auc", prior, recover_auc(_auc_pu(ranked), alpha=alpha, beta=beta))
        yield Answer("average_precision", prior, ranked.average_precision(alpha, beta, "none"))
        yield from _of_measures(ranked, prior, ranked.measures(alpha, beta))


def _indirect(view):
    """Areas under curves recovered threshold by threshold and repaired (envelope)."""
    ranked = view.ranked
    for prior, (alpha, beta) in view.priors.items():
        if not usable(alpha, beta):
            yield from (Answer(metric, prior, np.nan) for metric in AREAS)
            continue
        tpr, fpr = recover_rates(*ranked.rates_pu, alpha=alpha, beta=beta)
        fpr, tpr, _ = repaired(fpr, tpr, ranked.thresholds, "envelope")
        yield Answer("roc_auc", prior, float(np.trapezoid(tpr, fpr)))
        yield Answer("average_precision", prior, ranked.average_precision(alpha, beta, "envelope"))


def _f1_from_rho(view):
    """F1 from the label frequency (Tabatabaei et al. 2020, Section 4.1)."""
    ranked = view.ranked
    for name, rho in view.rhos.items():
        if not rho > 0:
            yield from (Answer(metric, name, np.nan, ranked.fixed) for metric in ("f1", "max_f1"))
            continue
        values = fbeta_from_counts(ranked.labeled, ranked.labeled[-1], ranked.predicted, rho=rho)
        yield from _of_measure(ranked, name, "f1", values)


def _lee_liu(view):
    """Lee and Liu's score, which orders models by F1 without any prior."""
    ranked = view.ranked
    values = lee_liu_from_counts(ranked.labeled, ranked.labeled[-1], ranked.predicted, len(ranked.s))
    yield from _of_measure(ranked, "none", "f1", values)


def _auc_pu(ranked):
    tpr_pu, fpr_pu = ranked.rates_pu
    return float(np.trapezoid(tpr_pu, fpr_pu))


def _of_measures(ranked, prior, values):
    for measure in MEASURES:
        yield from _of_measure(ranked, prior, measure, values[measure])


def _of_measure(ranked, prior, measure, values):
    best = int(np.argmax(values))
    yield Answer(measure, prior, float(values[ranked.fixed]), ranked.fixed)
    yield Answer(f"max_{measure}", prior, float(values[best]), best)


def _best_of_uncorrected(ranked, metric):
    measure = metric.removeprefix("max_")
    if measure not in MEASURES or measure == metric:
        return ranked.fixed
    return int(np.argmax(ranked.measures(0.0, 1.0)[measure]))


def _bounds(band):
    def answer(view):
        for row in band_answers(view, band):
            yield Answer(*row)

    return answer


def _lower_bound(view):
    for row in lower_answers(view, "hypergeometric"):
        yield Answer(*row)


METHODS = {
    "oracle": Method(_oracle, "oracle", control=True),
    "random": Method(_random, "random numbers", ranks_only=True, control=True),
    "first_model": Method(_first, "always the same model", ranks_only=True, control=True, picks_only=True),
    "uncorrected": Method(_uncorrected, "uncorrected"),
    "direct": Method(_direct, "direct"),
    "indirect": Method(_indirect, "indirect"),
    "f1_from_rho": Method(_f1_from_rho, "F1 from rho"),
    "lee_liu": Method(_lee_liu, "LL score", ranks_only=True),
    "by_auc": Method(_by_auc, "by uncorrected AUC", ranks_only=True),
    "bounds_hypergeometric": Method(_bounds("hypergeometric"), "bounds, exact band"),
    "bounds_dkw": Method(_bounds("dkw"), "bounds, DKW band"),
    "bounds_bootstrap": Method(_bounds("bootstrap"), "bounds, bootstrap band"),
    "lower_bound": Method(_lower_bound, "lower bound", ranks_only=True),
}
