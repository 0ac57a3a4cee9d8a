"""The stage that turns scores and priors into records and statistics, for each scored sample; and its metrics."""

import numpy as np

from pumetrics.curves import REPAIRS, pu_precision_recall_curve, pu_roc_curve, threshold_rates
from pumetrics.inference.answers import shortest_threshold
from pumetrics.metrics import MEASURES, measures_of, pu_average_precision_score, pu_roc_auc_score
from pumetrics.rates import usable
from pumetrics.recovery import recover_precision, recover_rates
from pumetrics_workflow.controls import KnownSample
from pumetrics_workflow.labelings import SUPERVISED

__all__ = ["METRICS", "evaluate_sample", "evaluate_samples"]

_POINTS = 100


def evaluate_samples(scores, priors, metrics):
    """Records of every labeling and repeat of a model's scores.

    Parameters
    ----------
    scores : pandas.DataFrame
        Columns ``labeling``, ``repeat``, ``s``, ``y`` and ``score``. Scores of the supervised labeling are a second
        kind of truth of the other ones.
    priors : pandas.DataFrame
        Columns ``labeling``, ``repeat``, ``method``, ``alpha`` and ``beta``: the priors estimated from these scores.
    metrics : list of str
        Names of entries of :data:`METRICS`.

    Returns
    -------
    list of dict
        Records, and statistics where a row has a ``statistic``, without study, data set and model.
    """
    rows = []
    known = dict(iter(priors.groupby(["labeling", "repeat"]))) if len(priors) else {}
    is_supervised = scores["labeling"] == SUPERVISED
    supervised = dict(iter(scores[is_supervised].groupby("repeat")))
    for key, part in scores[~is_supervised].groupby(["labeling", "repeat"]):
        labeling, repeat = key
        answers = evaluate_sample(
            part, known.get(key), metrics, supervised=supervised.get(repeat), repeat=repeat
        )
        rows += [{"labeling": labeling, "repeat": repeat, **row} for row in answers]
    return rows


def evaluate_sample(scored, estimated, metrics, *, supervised=None, repeat=0):
    """Records of one scored sample.

    Parameters
    ----------
    scored : pandas.DataFrame
        Columns ``s``, ``y``, ``score``: one labeling and repeat of the scores table.
    estimated : pandas.DataFrame or None
        Columns ``method``, ``alpha``, ``beta``: the priors estimated from these scores.
    metrics : list of str
        Names of entries of :data:`METRICS`.
    supervised : pandas.DataFrame or None
        Columns ``y`` and ``score`` of the same model trained with true labels: a second kind of truth.
    repeat : int
        Which repeat this is; curves are kept of the first only.

    Returns
    -------
    list of dict
        Records, and statistics where a row has a ``statistic``, without the columns that name the sample. A prior that
        could not be estimated, or with alpha >= beta, gives a record without estimate.
    """
    sample = KnownSample(*(scored[name].to_numpy() for name in ("s", "score", "y")))
    priors = {"none": (0.0, 1.0), "true": sample.true_priors}
    if estimated is not None:
        for row in estimated.itertuples():
            priors.setdefault(row.method, (row.alpha, row.beta))

    truths = {"same_scores": (sample.truth.tpr_pu, sample.truth.fpr_pu)}
    if supervised is not None:
        truths["supervised"] = threshold_rates(supervised["y"], supervised["score"])[:2]

    rows = []
    for name in metrics:
        if repeat == 0 or name not in CURVES:
            rows += METRICS[name](sample, priors, truths)
    return rows


def _measures(sample, priors=None):
    """Measures of predictions at every threshold: recovered with priors (alpha, beta), or by the true class."""
    known = sample.memory.setdefault("measures", {})
    if priors not in known:
        counts = sample.counts[0] if priors else sample.truth
        alpha, beta = priors or (0.0, 1.0)
        known[priors] = measures_of(counts, alpha=alpha, beta=beta)
    return known[priors]


def _threshold_measure(measure):
    """Metric function of accuracy, balanced accuracy, F1 or Matthews correlation.

    As in Ramola et al. (2019), the threshold is the one that maximizes the estimate, before any clipping, and the truth
    is taken at that threshold. The record ``max_<measure>`` holds it; ``<measure>`` holds the fixed threshold, which is
    free of a maximum's optimism.
    """

    def evaluate(sample, priors, truths):
        truth = _measures(sample)[measure]
        for prior, (alpha, beta) in priors.items():
            method = "uncorrected" if prior == "none" else "direct"
            estimate = np.full(len(truth), np.nan)
            best = sample.fixed
            if usable(alpha, beta):
                estimate = _measures(sample, (alpha, beta))[measure]
                best = int(np.argmax(estimate))
            for name, at in ((f"max_{measure}", best), (measure, sample.fixed)):
                row = _row(name, method, prior, "same_scores", estimate[at], truth[at])
                yield {**row, "threshold": shortest_threshold(sample.counts[0].thresholds, at)}

    return evaluate


def _roc_auc(sample, priors, truths):
    """Area under the ROC curve (Jain et al. 2017): PU, direct, and indirect with each repair; not clipped."""
    truths = {kind: float(np.trapezoid(tpr, fpr)) for kind, (tpr, fpr) in truths.items()}
    for method, prior, options in _ways(priors, direct=True):
        estimate = _estimate(pu_roc_auc_score, sample, priors[prior], clip=False, **options)
        yield from _rows("roc_auc", method, prior, estimate, truths)


def _average_precision(sample, priors, truths):
    """Area under the precision-recall curve by the step rule, all brought to the prior of the unlabeled.

    The uncorrected area is the usual one, of labeled against unlabeled.
    """
    truths = {
        kind: float(np.sum(np.diff(tpr) * _precision(tpr, fpr, sample.true_priors[0])[1:]))
        for kind, (tpr, fpr) in truths.items()
    }
    for method, prior, options in _ways(priors, direct=False):
        population = "all" if prior == "none" else "unlabeled"
        estimate = _estimate(
            pu_average_precision_score, sample, priors[prior], population=population, **options
        )
        yield from _rows("average_precision", method, prior, estimate, truths)
    for prior, (alpha, beta) in priors.items():
        if prior != "none":
            estimate = _from_pu_precision(sample, alpha, beta)
            yield from _rows("average_precision", "indirect:pu_precision", prior, estimate, truths)


def _from_pu_precision(sample, alpha, beta):
    """Area from the PU precision at every threshold, recovered by Theorem 1 instead of Eq. 3; no repair."""
    if not usable(alpha, beta):
        return np.nan
    (counts,) = sample.counts
    c = counts.c
    tpr_pu = counts.tpr_pu
    fpr_pu = counts.fpr_pu
    # No example is predicted positive at the first threshold.
    precision_pu = c * tpr_pu[1:] / (c * tpr_pu[1:] + (1 - c) * fpr_pu[1:])
    precision = np.clip(recover_precision(precision_pu, alpha=alpha, beta=beta, c=c), 0, 1)
    recall = np.clip(recover_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta)[0], 0, 1)
    return float(np.clip(np.sum(np.diff(recall) * precision), 0, 1))


def _roc_points(sample, priors, truths):
    """Statistics: the curves of the first repeat, at 100 false positive rates."""
    at = np.linspace(0, 1, _POINTS)
    tpr, fpr = truths["same_scores"]

    def recovered(prior, **options):
        fpr, tpr, _ = pu_roc_curve(sample.s, sample.scores[0], **options)
        return np.interp(at, fpr, tpr)

    return _points("roc_curve", priors, at, np.interp(at, fpr, tpr), recovered)


def _precision_recall_points(sample, priors, truths):
    """Statistics: the curves of the first repeat, at 100 recalls."""
    at = np.linspace(0.01, 1, _POINTS)
    tpr, fpr = truths["same_scores"]

    def recovered(prior, **options):
        population = "all" if prior == "none" else "unlabeled"
        precision, recall, _ = pu_precision_recall_curve(
            sample.s, sample.scores[0], population=population, **options
        )
        return np.interp(at, recall[::-1], precision[::-1])

    true = np.interp(at, tpr, _precision(tpr, fpr, sample.true_priors[0]))
    return _points("precision_recall_curve", priors, at, true, recovered)


def _points(name, priors, at, true, recovered):
    """Rows of the true curve, the uncorrected one, and those that priors recover."""
    curves = [("none", "none", f"true_{name}", true)]
    for prior, (alpha, beta) in priors.items():
        if usable(alpha, beta):
            method = "uncorrected" if prior == "none" else "indirect:envelope"
            values = recovered(prior, alpha=alpha, beta=beta, repair="envelope")
            curves.append((method, prior, name, values))
    for method, prior, statistic, values in curves:
        fixed = {"method": method, "prior": prior, "statistic": statistic}
        for x, value in zip(at, values, strict=True):
            yield {**fixed, "at": x, "value": value}


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
    if not usable(alpha, beta):
        return np.nan
    return score(sample.s, sample.scores[0], alpha=alpha, beta=beta, **options)


def _rows(metric, method, prior, estimate, truths):
    return [_row(metric, method, prior, kind, estimate, truth) for kind, truth in truths.items()]


def _row(
    metric,
    method,
    prior,
    kind,
    estimate,
    truth,
):
    return {
        "metric": metric,
        "method": method,
        "prior": prior,
        "truth_kind": kind,
        "estimate": estimate,
        "truth": truth,
    }


def _precision(tpr, fpr, prior):
    """Precision at a class prior; where no example is predicted positive, that of the next threshold."""
    predicted = prior * tpr + (1 - prior) * fpr
    precision = np.divide(prior * tpr, predicted, out=np.zeros_like(predicted), where=predicted > 0)
    precision[0] = precision[1]
    return precision


CURVES = {"roc_curve": _roc_points, "precision_recall_curve": _precision_recall_points}
# Each entry takes a KnownSample, the priors (alpha, beta) by name, and the true rates (tpr, fpr) at every
# threshold by kind of truth; it yields rows of the records or statistics table.
METRICS = {
    **{name: _threshold_measure(name) for name in MEASURES},
    "roc_auc": _roc_auc,
    "average_precision": _average_precision,
    **CURVES,
}
