"""Areas under the ROC and precision-recall curve, uncorrected and recovered, and the curves themselves."""

import numpy as np

from pumetrics.curves import REPAIRS, pu_precision_recall_curve, pu_roc_curve
from pumetrics.metrics import pu_average_precision_score, pu_roc_auc_score
from pumetrics.recovery import recover_precision, recover_rates
from pumetrics_workflow.stages.evaluate.sample import usable

__all__ = ["average_precision", "precision_recall_points", "roc_auc", "roc_points"]

_POINTS = 100


def roc_auc(sample, priors):
    """Area under the ROC curve (Jain et al. 2017): PU, direct, and indirect with each repair; not clipped."""
    truths = {kind: float(np.trapezoid(tpr, fpr)) for kind, (tpr, fpr) in sample.truths.items()}
    for method, prior, options in _ways(priors, direct=True):
        estimate = _estimate(pu_roc_auc_score, sample, priors[prior], clip=False, **options)
        for kind, truth in truths.items():
            yield _row("roc_auc", method, prior, kind, estimate, truth)


def average_precision(sample, priors):
    """Area under the precision-recall curve by the step rule, all brought to the prior of the unlabeled.

    The uncorrected area is the usual one, of labeled against unlabeled.
    """
    truths = {
        kind: float(np.sum(np.diff(tpr) * _precision(tpr, fpr, sample.alpha)[1:]))
        for kind, (tpr, fpr) in sample.truths.items()
    }
    for method, prior, options in _ways(priors, direct=False):
        population = "all" if prior == "none" else "unlabeled"
        estimate = _estimate(pu_average_precision_score, sample, priors[prior], population=population, **options)
        for kind, truth in truths.items():
            yield _row("average_precision", method, prior, kind, estimate, truth)
    for prior in priors:
        if prior != "none":
            estimate = _from_pu_precision(sample, *priors[prior])
            for kind, truth in truths.items():
                yield _row("average_precision", "indirect:pu_precision", prior, kind, estimate, truth)


def _from_pu_precision(sample, alpha, beta):
    """Area from the PU precision at every threshold, recovered by Theorem 1 instead of Eq. 3; no repair."""
    if not usable(alpha, beta):
        return np.nan
    c, tpr_pu, fpr_pu = sample.counts.c, sample.counts.tpr_pu, sample.counts.fpr_pu
    precision_pu = (
        c * tpr_pu[1:] / (c * tpr_pu[1:] + (1 - c) * fpr_pu[1:])
    )  # no example is predicted positive at the first
    precision = np.clip(recover_precision(precision_pu, alpha=alpha, beta=beta, c=c), 0, 1)
    recall = np.clip(recover_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta)[0], 0, 1)
    return float(np.clip(np.sum(np.diff(recall) * precision), 0, 1))


def roc_points(sample, priors):
    """Statistics: the curves of the first repeat, at 100 false positive rates."""
    if sample.repeat != 0:
        return
    at = np.linspace(0, 1, _POINTS)
    tpr, fpr = sample.truths["same_scores"]
    yield from _points("true_roc_curve", at, np.interp(at, fpr, tpr))
    for prior, (alpha, beta) in _usable(priors):
        fpr, tpr, _ = pu_roc_curve(sample.s, sample.score, alpha=alpha, beta=beta, repair="envelope")
        yield from _points("roc_curve", at, np.interp(at, fpr, tpr), prior)


def precision_recall_points(sample, priors):
    """Statistics: the curves of the first repeat, at 100 recalls."""
    if sample.repeat != 0:
        return
    at = np.linspace(0.01, 1, _POINTS)
    tpr, fpr = sample.truths["same_scores"]
    yield from _points("true_precision_recall_curve", at, np.interp(at, tpr, _precision(tpr, fpr, sample.alpha)))
    for prior, (alpha, beta) in _usable(priors):
        population = "all" if prior == "none" else "unlabeled"
        precision, recall, _ = pu_precision_recall_curve(
            sample.s, sample.score, alpha=alpha, beta=beta, population=population, repair="envelope"
        )
        yield from _points("precision_recall_curve", at, np.interp(at, recall[::-1], precision[::-1]), prior)


def _ways(priors, *, direct):
    """Ways to an area as (method, prior, options)."""
    for prior in priors:
        if prior == "none":
            yield "uncorrected", prior, {"repair": "none"}
            continue
        if direct:
            yield "direct", prior, {"method": "direct"}
        for repair in REPAIRS:
            yield f"indirect:{repair}", prior, {"repair": repair}


def _estimate(score, sample, priors, **options):
    alpha, beta = priors
    return score(sample.s, sample.score, alpha=alpha, beta=beta, **options) if usable(alpha, beta) else np.nan


def _row(metric, method, prior, kind, estimate, truth):
    return {
        "metric": metric, "method": method, "prior": prior, "truth_kind": kind, "estimate": estimate, "truth": truth
    }  # fmt: skip


def _precision(tpr, fpr, prior):
    """Precision at a class prior; where no example is predicted positive, that of the next threshold."""
    predicted = prior * tpr + (1 - prior) * fpr
    precision = np.divide(prior * tpr, predicted, out=np.zeros_like(predicted), where=predicted > 0)
    precision[0] = precision[1]
    return precision


def _usable(priors):
    """Priors whose curves are kept, by name."""
    return [(name, pair) for name, pair in priors.items() if usable(*pair)]


def _points(statistic, at, values, prior=None):
    """Points of a curve as statistics, corrected with a prior unless it is "none"; a true curve has no prior."""
    method = {None: "none", "none": "uncorrected"}.get(prior, "indirect:envelope")
    fixed = {"method": method, "prior": prior or "none", "statistic": statistic}
    for x, value in zip(at, values, strict=True):
        yield {**fixed, "at": x, "value": value}
