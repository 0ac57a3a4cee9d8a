"""The stage that turns scores and priors into records and statistics, for each scored sample; and its metrics."""

from functools import cached_property

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.curves import REPAIRS, pu_precision_recall_curve, pu_roc_curve, threshold_rates
from pumetrics.labeling import SUPERVISED
from pumetrics.metrics import MEASURES, measures_of, pu_average_precision_score, pu_roc_auc_score
from pumetrics.rates import usable
from pumetrics.recovery import recover_precision, recover_rates

__all__ = ["METRICS", "Sample", "evaluate_sample", "evaluate_samples"]

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
    supervised = dict(iter(scores[scores["labeling"] == SUPERVISED].groupby("repeat")))
    for (labeling, repeat), part in scores[scores["labeling"] != SUPERVISED].groupby(["labeling", "repeat"]):
        key, options = (labeling, repeat), {"supervised": supervised.get(repeat), "repeat": repeat}
        answers = evaluate_sample(part, known.get(key), metrics, **options)
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
    sample = Sample(*(scored[name].to_numpy() for name in ("s", "y", "score")), supervised=supervised, repeat=repeat)
    priors = {"none": (0.0, 1.0), "true": (sample.alpha, sample.beta)}
    if estimated is not None:
        priors |= {row.method: (row.alpha, row.beta) for row in estimated.itertuples()}
    return [row for name in metrics for row in METRICS[name](sample, priors)]


class Sample:
    """A scored sample with observed and true labels: what every metric starts from.

    Parameters
    ----------
    s, y : ndarray of shape (n,)
        Observed and true labels, 0 and 1.
    score : ndarray of shape (n,)
        Higher is more positive.
    supervised : pandas.DataFrame or None
        Columns ``y`` and ``score`` of the same model trained with true labels.
    repeat : int

    Attributes
    ----------
    counts : Counts
        Examples at or above each threshold, by observed label and by true class.
    alpha, beta : float
        Shares of positives among the unlabeled and among the labeled.
    """

    def __init__(self, s, y, score, *, supervised=None, repeat=0):
        self.s, self.y, self.score, self.repeat, self._supervised = s, y, score, repeat, supervised
        self.counts = count_scores(s, score, y)
        self.alpha, self.beta = float(y[s == 0].mean()), float(y[s == 1].mean())
        self._measures = {}

    def measures(self, priors=None):
        """Measures of predictions at every threshold: recovered with priors (alpha, beta), or by the true class."""
        if priors not in self._measures:
            alpha, beta = priors or (0.0, 1.0)
            self._measures[priors] = measures_of(self.counts if priors else self.counts.truth, alpha=alpha, beta=beta)
        return self._measures[priors]

    @cached_property
    def truths(self):
        """Rates (tpr, fpr) at every threshold against true labels, by kind of truth.

        ``same_scores``: these scores; ``supervised``: those of the model trained with true labels.
        """
        truth = self.counts.truth
        rates = {"same_scores": (truth.tpr_pu, truth.fpr_pu)}
        if self._supervised is not None:
            rates["supervised"] = threshold_rates(self._supervised["y"], self._supervised["score"])[:2]
        return rates

    @cached_property
    def fixed(self):
        """Index of the threshold that predicts as many positives as there are."""
        return int(np.argmin(np.abs(self.counts.predicted - self.counts.positives[-1])))


def _threshold_measure(measure):
    """Metric function of accuracy, balanced accuracy, F1 or Matthews correlation.

    As in Ramola et al. (2019), the threshold is the one that maximises the estimate, before any clipping, and the truth
    is taken at that threshold. The record ``max_<measure>`` holds it; ``<measure>`` holds the fixed threshold, which is
    free of a maximum's optimism.
    """

    def evaluate(sample, priors):
        truth = sample.measures()[measure]
        for prior, (alpha, beta) in priors.items():
            method = "uncorrected" if prior == "none" else "direct"
            if usable(alpha, beta):
                estimate = sample.measures((alpha, beta))[measure]
                best = int(np.argmax(estimate))
            else:
                estimate, best = np.full(len(truth), np.nan), sample.fixed
            for name, at in ((f"max_{measure}", best), (measure, sample.fixed)):
                row = _row(name, method, prior, "same_scores", estimate[at], truth[at])
                yield {**row, "threshold": sample.counts.thresholds[at]}

    return evaluate


def _roc_auc(sample, priors):
    """Area under the ROC curve (Jain et al. 2017): PU, direct, and indirect with each repair; not clipped."""
    truths = {kind: float(np.trapezoid(tpr, fpr)) for kind, (tpr, fpr) in sample.truths.items()}
    for method, prior, options in _ways(priors, direct=True):
        estimate = _estimate(pu_roc_auc_score, sample, priors[prior], clip=False, **options)
        yield from _rows("roc_auc", method, prior, estimate, truths)


def _average_precision(sample, priors):
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
        yield from _rows("average_precision", method, prior, estimate, truths)
    for prior in priors:
        if prior != "none":
            estimate = _from_pu_precision(sample, *priors[prior])
            yield from _rows("average_precision", "indirect:pu_precision", prior, estimate, truths)


def _from_pu_precision(sample, alpha, beta):
    """Area from the PU precision at every threshold, recovered by Theorem 1 instead of Eq. 3; no repair."""
    if not usable(alpha, beta):
        return np.nan
    c, tpr_pu, fpr_pu = sample.counts.c, sample.counts.tpr_pu, sample.counts.fpr_pu
    # No example is predicted positive at the first threshold.
    precision_pu = c * tpr_pu[1:] / (c * tpr_pu[1:] + (1 - c) * fpr_pu[1:])
    precision = np.clip(recover_precision(precision_pu, alpha=alpha, beta=beta, c=c), 0, 1)
    recall = np.clip(recover_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta)[0], 0, 1)
    return float(np.clip(np.sum(np.diff(recall) * precision), 0, 1))


def _roc_points(sample, priors):
    """Statistics: the curves of the first repeat, at 100 false positive rates."""
    at = np.linspace(0, 1, _POINTS)
    tpr, fpr = sample.truths["same_scores"]

    def recovered(prior, **options):
        fpr, tpr, _ = pu_roc_curve(sample.s, sample.score, **options)
        return np.interp(at, fpr, tpr)

    return _points("roc_curve", sample, priors, at, np.interp(at, fpr, tpr), recovered)


def _precision_recall_points(sample, priors):
    """Statistics: the curves of the first repeat, at 100 recalls."""
    at = np.linspace(0.01, 1, _POINTS)
    tpr, fpr = sample.truths["same_scores"]

    def recovered(prior, **options):
        population = "all" if prior == "none" else "unlabeled"
        precision, recall, _ = pu_precision_recall_curve(sample.s, sample.score, population=population, **options)
        return np.interp(at, recall[::-1], precision[::-1])

    true = np.interp(at, tpr, _precision(tpr, fpr, sample.alpha))
    return _points("precision_recall_curve", sample, priors, at, true, recovered)


def _points(name, sample, priors, at, true, recovered):
    """Rows of the true curve, the uncorrected one, and those that priors recover."""
    if sample.repeat != 0:
        return
    curves = {("none", "none", f"true_{name}"): true}
    for prior, (alpha, beta) in priors.items():
        if usable(alpha, beta):
            method = "uncorrected" if prior == "none" else "indirect:envelope"
            curves[method, prior, name] = recovered(prior, alpha=alpha, beta=beta, repair="envelope")
    for (method, prior, statistic), values in curves.items():
        fixed = {"method": method, "prior": prior, "statistic": statistic}
        yield from ({**fixed, "at": x, "value": value} for x, value in zip(at, values, strict=True))


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


def _rows(metric, method, prior, estimate, truths):
    return [_row(metric, method, prior, kind, estimate, truth) for kind, truth in truths.items()]


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


# Each entry takes a Sample and the priors (alpha, beta) by name and yields rows of the records or statistics table.
METRICS = {
    **{name: _threshold_measure(name) for name in MEASURES},
    "roc_auc": _roc_auc,
    "average_precision": _average_precision,
    "roc_curve": _roc_points,
    "precision_recall_curve": _precision_recall_points,
}
