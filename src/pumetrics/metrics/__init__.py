"""Scores of a classifier against the true class, from labeled and unlabeled examples, in scikit-learn's manner.

Every score takes the observed labels `s` (1 labeled, 0 unlabeled) where scikit-learn takes the true class, and two
shares of positives: `alpha` among the unlabeled and `beta` among the labeled. With ``alpha=0, beta=1`` each is the
uncorrected score, equal to scikit-learn's. Accuracy, F1 and Matthews correlation refer to the whole sample, labeled and
unlabeled together, whose labeled share is counted from `s`; precision has the argument `population`; recall, balanced
accuracy and the area under the ROC curve depend on no population.

With ``clip=True`` a score is clipped to its range. An estimate far outside it means that the priors do not fit the
data, or that the sample is small: look at it with ``clip=False``. Where the k highest-scoring examples divide tied
scores, the order of these is random, and the expected value is returned.

``METRICS`` holds the name, label, range and formula of each.
"""

import warnings

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.curves import pu_precision_recall_curve, pu_roc_curve, threshold_rates
from pumetrics.metrics.registry import (
    AREAS,
    AT_THRESHOLD,
    AT_TOP,
    MEASURES,
    METRICS,
    SUMMARIES,
    average_precision,
    bounded,
    clipped,
    find_metric,
    measures_of,
    metric_at,
    rates_at,
    rates_of_tables,
    roc_auc,
    roc_auc_pu,
    threshold_measures,
    warn_if_outside,
)
from pumetrics.metrics.scorers import make_pu_scorer
from pumetrics.metrics.top import lift_at_k, precision_at_k, recall_at_k
from pumetrics.rates import true_rates
from pumetrics.recovery import recover_auc
from pumetrics.tops import check_population
from pumetrics.validation import (
    check_choice,
    check_labels,
    check_observed,
    check_same_index,
    check_same_length,
)
from pumetrics.weights import check_weights

__all__ = [
    "AREAS",
    "AT_THRESHOLD",
    "AT_TOP",
    "MEASURES",
    "METRICS",
    "SUMMARIES",
    "clipped",
    "find_metric",
    "lift_at_k",
    "make_pu_scorer",
    "max_score",
    "measures_of",
    "metric_at",
    "precision_at_k",
    "pu_accuracy_score",
    "pu_average_precision_score",
    "pu_balanced_accuracy_score",
    "pu_f1_score",
    "pu_matthews_corrcoef",
    "pu_precision_recall_curve",
    "pu_precision_score",
    "pu_recall_score",
    "pu_roc_auc_score",
    "pu_roc_curve",
    "rates_at",
    "rates_of_tables",
    "recall_at_k",
    "roc_auc_pu",
    "threshold_measures",
    "threshold_rates",
]


_FEW_LABELED = 20
"""Labeled examples below which the corrected AUC-PR is biased, see :func:`pu_average_precision_score`."""


def pu_accuracy_score(s, y_pred, *, alpha, beta=1.0, clip=True, sample_weight=None):
    """Accuracy against the true class, over labeled and unlabeled examples together.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_pred : array-like of shape (n_samples,)
        Predicted class, 0 or 1.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        On labels other than 0 and 1, only one class in `s`, different lengths, or alpha >= beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eq. 12.

    Examples
    --------
    >>> pu_accuracy_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], alpha=0.25)
    1.0
    """
    return _measure("accuracy", s, y_pred, clip, sample_weight, alpha=alpha, beta=beta)


def pu_balanced_accuracy_score(s, y_pred, *, alpha, beta=1.0, clip=True, sample_weight=None):
    """Mean of the true positive and the true negative rate against the true class; depends on no population.

    Parameters
    ----------
    s, y_pred, alpha, beta
        See :func:`pu_accuracy_score`.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`pu_accuracy_score`.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eq. 13 and Theorem 2.1.

    Examples
    --------
    >>> round(pu_balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0], alpha=0.25), 12)
    0.833333333333
    """
    return _measure("balanced_accuracy", s, y_pred, clip, sample_weight, alpha=alpha, beta=beta)


def pu_f1_score(s, y_pred, *, alpha, beta=1.0, clip=True, sample_weight=None):
    """F1 score against the true class, over labeled and unlabeled examples together.

    Parameters
    ----------
    s, y_pred, alpha, beta
        See :func:`pu_accuracy_score`.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float
        0 if no example is predicted positive.

    Raises
    ------
    ValueError
        As :func:`pu_accuracy_score`.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eq. 14.

    Examples
    --------
    >>> round(pu_f1_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0], alpha=0.25), 12)
    0.857142857143
    """
    return _measure("f1", s, y_pred, clip, sample_weight, alpha=alpha, beta=beta)


def pu_matthews_corrcoef(s, y_pred, *, alpha, beta=1.0, clip=True, sample_weight=None):
    """Correlation of predicted and true class, over labeled and unlabeled examples together.

    Parameters
    ----------
    s, y_pred, alpha, beta
        See :func:`pu_accuracy_score`.
    clip : bool, default=True
        Clip to [-1, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float
        0 if all predictions agree.

    Raises
    ------
    ValueError
        As :func:`pu_accuracy_score`.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eq. 15 and Theorem 2.1.

    Examples
    --------
    >>> round(pu_matthews_corrcoef([1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0], alpha=0.25), 12)
    0.707106781187
    """
    return _measure("mcc", s, y_pred, clip, sample_weight, alpha=alpha, beta=beta)


def pu_precision_score(
    s, y_pred, *, alpha, beta=1.0, population="all", clip=True, sample_weight=None
):
    """Share of true positives among the examples predicted positive.

    Parameters
    ----------
    s, y_pred, alpha, beta
        See :func:`pu_accuracy_score`.
    population : {"all", "unlabeled"}, default="all"
        Among all examples predicted positive, labeled and unlabeled together, or among the unlabeled ones alone.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float
        0 if no example is predicted positive.

    Raises
    ------
    ValueError
        As :func:`pu_accuracy_score`, or on an unknown population.

    References
    ----------
    Jain, White & Radivojac (2017), Theorem 1; Ramola, Jain & Radivojac (2019), Eq. 2.

    Examples
    --------
    >>> s, y_pred = [1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0]
    >>> round(pu_precision_score(s, y_pred, alpha=0.25), 12)
    0.75
    >>> pu_precision_score(s, y_pred, alpha=0.25, population="unlabeled")
    0.5
    """
    return _measure(
        "precision", s, y_pred, clip, sample_weight, alpha=alpha, beta=beta, population=population
    )


def pu_recall_score(s, y_pred, *, alpha, beta=1.0, clip=True, sample_weight=None):
    """Share of the positives that are predicted positive: the true positive rate, which depends on no population.

    Parameters
    ----------
    s, y_pred, alpha, beta
        See :func:`pu_accuracy_score`. Without label noise (``beta=1``) alpha has no influence.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`pu_accuracy_score`.

    References
    ----------
    Jain, White & Radivojac (2017), Eq. 1.

    Examples
    --------
    >>> pu_recall_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 0, 0], alpha=0.25)
    0.5
    """
    return _measure("recall", s, y_pred, clip, sample_weight, alpha=alpha, beta=beta)


def _measure(name, s, y_pred, clip, sample_weight, *, population="all", **priors):
    check_population(population)
    check_same_index(s=s, y_pred=y_pred, sample_weight=sample_weight)
    s = check_observed(s)
    y_pred = check_labels(y_pred, "y_pred", need=())
    check_same_length(s=s, y_pred=y_pred)
    if sample_weight is not None:
        weights = check_weights(sample_weight, s)
        shares = [np.average(y_pred[s == kind], weights=weights[s == kind]) for kind in (1, 0)]
        c = weights[s == 1].sum() / weights.sum()
    else:
        n_labeled = int(np.count_nonzero(s))
        n_predicted = int(np.count_nonzero(y_pred))
        hits = int(np.count_nonzero(s & y_pred))
        shares = hits / n_labeled, (n_predicted - hits) / (len(s) - n_labeled)
        c = n_labeled / len(s)
    value = METRICS[name].formula(true_rates(*shares, c=c, population=population, **priors))
    return bounded(name, value, frames=3) if clip else float(value)


def max_score(metric, s, y_score, *, alpha, beta=1.0, clip=True, sample_weight=None):
    """Compute the maximum of a measure over all thresholds, and its threshold.

    The maximum is taken before clipping: a clipped estimate has plateaus, on which the threshold would be arbitrary.
    A maximum over thresholds is optimistic; its error grows with 1 / ((beta - alpha) sqrt(n_labeled)).

    Parameters
    ----------
    metric : {"accuracy", "balanced_accuracy", "f1", "mcc"}
        Measure to maximize; see :func:`threshold_measures`.
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    clip : bool, default=True
        Clip the returned score to its range; False returns the raw estimate. The threshold is the same.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    score : float
        Maximum over all thresholds.
    threshold : float
        The highest threshold that reaches the maximum; infinity if it is best to predict no positives.

    Raises
    ------
    ValueError
        On an unknown metric, bad labels or scores, different lengths, or alpha >= beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Figure 2.

    Examples
    --------
    >>> max_score("f1", [1, 1, 0, 0, 0], [0.9, 0.6, 0.7, 0.2, 0.1], alpha=1 / 3)
    (1.0, 0.6)
    """
    check_choice(metric, "metric", MEASURES)
    measures = threshold_measures(s, y_score, alpha=alpha, beta=beta, sample_weight=sample_weight)
    best = int(np.argmax(measures[metric]))
    largest = measures[metric][best]
    threshold = measures["threshold"][best]
    return (bounded(metric, largest, frames=2) if clip else float(largest)), float(threshold)


def pu_roc_auc_score(
    s,
    y_score,
    *,
    alpha,
    beta=1.0,
    method="indirect",
    repair=None,
    clip=True,
    sample_weight=None,
):
    """Compute the area under the ROC curve against the true class.

    "direct" converts the area measured against the observed labels; "indirect" recovers the curve threshold by
    threshold, repairs it and integrates. Without a repair both are equal.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    method : {"indirect", "direct"}, default="indirect"
        See above.
    repair : {"envelope", "hull", "monotone", "none"}, optional
        How the recovered curve is repaired, see :func:`pu_roc_curve`; no effect if `method` is "direct". By default
        "envelope"; without `clip` "none", since every repair clips the points of the curve.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, alpha >= beta, an unknown `method` or, unless it is "direct",
        an unknown `repair`.

    Warns
    -----
    UserWarning
        If the area by "direct" is clipped.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1, 2 and 4.

    Examples
    --------
    >>> s, y_score = [1, 0, 1, 0, 1, 0, 0, 0], [0.986, 0.943, 0.863, 0.789, 0.699, 0.473, 0.211, 0.009]
    >>> round(pu_roc_auc_score(s, y_score, alpha=0.2, method="direct"), 12)
    0.875
    """
    if method not in ("direct", "indirect"):
        raise ValueError(f'method must be "direct" or "indirect", got {method!r}')
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    direct = recover_auc(roc_auc_pu(counts), alpha=alpha, beta=beta)
    if clip:
        warn_if_outside("roc_auc", direct, frames=2)
    if method == "direct":
        auc = direct
    else:
        repair = repair or ("envelope" if clip else "none")
        auc = roc_auc(counts, alpha=alpha, beta=beta, repair=repair)
    return float(clipped("roc_auc", auc) if clip else auc)


def pu_average_precision_score(
    s, y_score, *, alpha, beta=1.0, population="all", repair="envelope", sample_weight=None
):
    """Compute the area under the precision-recall curve against the true class.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    population : {"all", "unlabeled"}, default="all"
        Population of precision: labeled and unlabeled examples together, or the unlabeled alone (prior `alpha`).
    repair : {"envelope", "hull", "monotone", "none"}, default="envelope"
        How the recovered ROC points are repaired first, see :func:`pu_roc_curve`.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, alpha >= beta, or an unknown option.

    Warns
    -----
    UserWarning
        If fewer than 20 examples are labeled and alpha is above 0.

    Notes
    -----
    Mean error against the true classes of the same rows in 300 simulations of two normal distributions (alpha 0.2 and
    distances 0.8, 1.5 and 2.5, alpha 0.05 and distance 1.5; ten unlabeled examples per labeled one): with 20 to 200
    labeled examples the envelope is off by at most 0.03, no repair by 0.04, the hull by 0.08 and "monotone" by 0.13.
    With 3, 5 and 10 the envelope is too high by 0.11, 0.08 and 0.05 at most, and the others are not better in all four
    settings. An alpha too high or too low by a third moves all of them alike, by 0.05 to 0.2.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 3.

    Examples
    --------
    >>> pu_average_precision_score([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    1.0
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    area = average_precision(counts, alpha=alpha, beta=beta, population=population, repair=repair)
    n_labeled = np.count_nonzero(check_observed(s))
    if n_labeled < _FEW_LABELED and alpha > 0:
        warnings.warn(
            f"only {n_labeled} labeled examples: below {_FEW_LABELED} the corrected AUC-PR is biased, with the default "
            "repair upward by up to 0.1; take larger samples or folds",
            stacklevel=2,
        )
    return area
