"""Metrics of scores against the true class, from labeled and unlabeled examples, with an interface like scikit-learn's.

Labels, priors and clipping are those of :mod:`pumetrics.metrics.predictions`. The area under the ROC curve does not
depend on the population; the area under the precision-recall curve has the argument `population`; the maximum of a
measure over all thresholds refers to the whole sample, labeled and unlabeled.
"""

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.metrics.areas import average_precision, roc_auc, roc_auc_pu
from pumetrics.metrics.registry import MEASURES, clipped
from pumetrics.metrics.thresholds import threshold_measures
from pumetrics.recovery import recover_auc

__all__ = ["max_score", "pu_average_precision_score", "pu_roc_auc_score"]


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
    if metric not in MEASURES:
        raise ValueError(f"metric must be one of {', '.join(MEASURES)}, got {metric!r}")
    measures = threshold_measures(s, y_score, alpha=alpha, beta=beta, sample_weight=sample_weight)
    best = int(np.argmax(measures[metric]))
    largest, threshold = measures[metric][best], measures["threshold"][best]
    return float(clipped(metric, largest) if clip else largest), float(threshold)


def pu_roc_auc_score(
    s, y_score, *, alpha, beta=1.0, method="indirect", repair="envelope", clip=True, sample_weight=None
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
    repair : {"envelope", "hull", "monotone", "none"}, default="envelope"
        How the recovered curve is repaired, see :func:`pu_roc_curve`; no effect if `method` is "direct".
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
        On invalid labels or scores, different lengths, alpha >= beta, or an unknown `method` or `repair`.

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
    if method == "direct":
        auc = recover_auc(roc_auc_pu(counts), alpha=alpha, beta=beta)
    else:
        auc = roc_auc(counts, alpha=alpha, beta=beta, repair=repair)
    return float(clipped("roc_auc", auc) if clip else auc)


def pu_average_precision_score(
    s,
    y_score,
    *,
    alpha,
    beta=1.0,
    population="unlabeled",
    repair="envelope",
    sample_weight=None,
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
    population : {"unlabeled", "all"}, default="unlabeled"
        Population of precision: the unlabeled examples (prior `alpha`), or labeled and unlabeled together.
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

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 3.

    Examples
    --------
    >>> pu_average_precision_score([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    1.0
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    return average_precision(counts, alpha=alpha, beta=beta, population=population, repair=repair)
