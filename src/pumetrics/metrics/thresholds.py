"""Measures of predictions at every threshold, in one pass over all of them."""

from pumetrics.counts import count_scores
from pumetrics.metrics.registry import MEASURES, METRICS
from pumetrics.rates import true_rates

__all__ = ["measures_of", "threshold_measures"]


def measures_of(tpr_pu, fpr_pu, *, alpha=0.0, beta=1.0, c):
    """Every measure of predictions that :data:`~pumetrics.metrics.METRICS` holds, not clipped.

    Parameters
    ----------
    tpr_pu, fpr_pu : float or ndarray
        Shares of the labeled and of the unlabeled examples that are predicted positive; with ``alpha=0, beta=1`` the
        rates of positives and of negatives.
    alpha, beta, c : float
        Priors and labeled share of the sample, see :func:`pumetrics.rates.true_rates`.

    Returns
    -------
    dict of str to float or ndarray

    Raises
    ------
    ValueError
        As :func:`pumetrics.rates.true_rates`.

    Examples
    --------
    >>> {name: round(value, 3) for name, value in measures_of(0.7, 0.3, alpha=0.25, beta=0.75, c=0.1).items()}
    {'accuracy': 0.9, 'balanced_accuracy': 0.9, 'f1': 0.844, 'mcc': 0.774}
    """
    rates = true_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta, c=c)
    return {name: METRICS[name].formula(rates) for name in MEASURES}


def threshold_measures(s, y_score, *, alpha=0.0, beta=1.0):
    """Accuracy, balanced accuracy, F1 and Matthews correlation at every threshold, in one pass.

    All of them speak of the whole sample, labeled and unlabeled. As they stand, the priors correct nothing: with
    `s` that gives the uncorrected measures, with the true class in place of `s` the true ones, at the same thresholds.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label, 1 labeled, 0 unlabeled; or the true class.
    y_score : array-like of shape (n_samples,)
        Scores, higher is more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.

    Returns
    -------
    dict of ndarray of shape (n_thresholds,)
        "threshold" (infinity, then the distinct scores in descending order: predict positive for scores >= threshold),
        and one entry per measure of :data:`~pumetrics.metrics.METRICS`, not clipped.

    Raises
    ------
    ValueError
        On bad labels or scores, lengths that differ, or alpha >= beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eqs. 12 to 15.

    Examples
    --------
    >>> measures = threshold_measures([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> measures["threshold"], measures["accuracy"]
    (array([inf, 0.9, 0.5, 0.1]), array([0.5 , 0.75, 0.75, 0.5 ]))
    """
    counts = count_scores(s, y_score)
    measures = measures_of(counts.tpr_pu, counts.fpr_pu, alpha=alpha, beta=beta, c=counts.c)
    return {"threshold": counts.thresholds, **measures}
