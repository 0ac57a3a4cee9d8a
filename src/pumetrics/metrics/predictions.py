"""Measures of predicted classes against the true class, from labeled and unlabeled examples, in scikit-learn's manner.

Every one takes the observed labels `s` (1 labeled, 0 unlabeled) where scikit-learn takes the true class, and two
shares of positives: `alpha` among the unlabeled and `beta` among the labeled. With ``alpha=0, beta=1`` each is the
uncorrected measure, equal to scikit-learn's. Accuracy, F1 and Matthews correlation refer to the whole sample, labeled
and unlabeled together, whose labeled share is counted from `s`; precision has the argument `population`; recall and
balanced accuracy depend on no population.

With ``clip=True`` an estimate is clipped to its range. One far outside it means that the priors do not fit the data,
or that the sample is small: look at it with ``clip=False``.
"""

import numpy as np

from pumetrics._validation import check_observed, check_predictions, check_same_index, check_same_length
from pumetrics._weights import check_weights
from pumetrics.metrics.registry import METRICS, clipped
from pumetrics.rates import true_rates
from pumetrics.tops import check_population

__all__ = [
    "pu_accuracy_score",
    "pu_balanced_accuracy_score",
    "pu_f1_score",
    "pu_matthews_corrcoef",
    "pu_precision_score",
    "pu_recall_score",
]


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


def pu_precision_score(s, y_pred, *, alpha, beta=1.0, population="all", clip=True, sample_weight=None):
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
    return _measure("precision", s, y_pred, clip, sample_weight, alpha=alpha, beta=beta, population=population)


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
    s, y_pred = check_observed(s), check_predictions(y_pred)
    check_same_length(s=s, y_pred=y_pred)
    if sample_weight is not None:
        weights = check_weights(sample_weight, s)
        shares = [np.average(y_pred[s == kind], weights=weights[s == kind]) for kind in (1, 0)]
        c = weights[s == 1].sum() / weights.sum()
    else:
        n_labeled, n_predicted = int(np.count_nonzero(s)), int(np.count_nonzero(y_pred))
        hits = int(np.count_nonzero(s & y_pred))
        shares = hits / n_labeled, (n_predicted - hits) / (len(s) - n_labeled)
        c = n_labeled / len(s)
    value = METRICS[name].formula(true_rates(*shares, c=c, population=population, **priors))
    return float(clipped(name, value) if clip else value)
