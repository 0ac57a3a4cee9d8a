"""Measures of predictions at every threshold, in one pass over all of them."""

from pumetrics._validation import check_priors
from pumetrics.counts import count_scores
from pumetrics.curves import recovered
from pumetrics.metrics.registry import AT_THRESHOLD, METRICS
from pumetrics.rates import separated, true_rates, with_shares
from pumetrics.tops import at_place

__all__ = [
    "measures_of",
    "measures_of_tables",
    "rates_at",
    "rates_of_tables",
    "threshold_measures",
]


def measures_of(counts, *, alpha=0.0, beta=1.0, at=slice(None), population="all"):
    """Every measure of predictions that ``METRICS`` holds, from counts; not clipped.

    Parameters
    ----------
    counts : Counts
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1. The defaults correct
        nothing: they give uncorrected measures or, with ``counts.truth``, the true ones.
    at : int, float or slice
        Thresholds to take them at, by index; all by default. Between two, counts are interpolated.
    population : {"all", "unlabeled"}, default="all"
        Labeled and unlabeled examples together, or the unlabeled alone.

    Returns
    -------
    dict of str to float or ndarray

    Raises
    ------
    ValueError
        If alpha >= beta, or one of them is out of range.

    Examples
    --------
    >>> measures_of(count_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]), at=2)["accuracy"]
    0.75
    """
    return _measures(rates_at(counts, alpha=alpha, beta=beta, at=at, population=population))


def rates_at(counts, *, alpha=0.0, beta=1.0, at=slice(None), population="all"):
    """What measures of predictions are made of, see :func:`measures_of`.

    Returns
    -------
    Rates

    Examples
    --------
    >>> float(rates_at(count_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]), at=1.5).tpr)
    0.75
    """
    alpha, beta = check_priors(alpha, beta)
    seen = counts.tpr_pu, counts.fpr_pu
    # Shares of counts need no check; of one place alone the rates are recovered there, not at all thresholds.
    if isinstance(at, slice):
        rates = recovered(counts, alpha, beta)
        seen, rates = ([rate[at] for rate in pair] for pair in (seen, rates))
    else:
        seen = [at_place(rate, at) for rate in seen]
        rates = separated(*seen, alpha, beta)
    return with_shares(seen, rates, alpha, beta, counts.c, population)


def _measures(rates):
    return {name: METRICS[name].formula(rates) for name in AT_THRESHOLD}


def measures_of_tables(tables):
    """Every measure of predictions, by name, of contingency tables.

    Parameters
    ----------
    tables : ndarray of shape (n_tables, 4)
        True positives, false positives, false negatives and true negatives, with examples of both classes.

    Returns
    -------
    dict of str to ndarray of shape (n_tables,)

    Examples
    --------
    >>> import numpy as np
    >>> measures_of_tables(np.array([[3, 1, 1, 5], [4, 3, 0, 3]]))["accuracy"]
    array([0.8, 0.7])
    """
    return _measures(rates_of_tables(tables))


def rates_of_tables(tables):
    """What measures of predictions are made of, see :func:`measures_of_tables`.

    Returns
    -------
    Rates
    """
    tp, fp, fn, tn = tables.T
    positive, negative = tp + fn, fp + tn
    c = positive / (positive + negative)
    c = float(c[0]) if (c == c[0]).all() else c
    return true_rates(tp / positive, fp / negative, alpha=0.0, beta=1.0, c=c)


def threshold_measures(s, y_score, *, alpha=0.0, beta=1.0, sample_weight=None):
    """Compute accuracy, balanced accuracy, F1, Matthews correlation, precision and recall at every threshold.

    All measures refer to the whole sample, labeled and unlabeled. The default priors correct nothing: with `s` they
    give the uncorrected measures, with the true class in place of `s` the true measures at the same thresholds.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label, 1 labeled, 0 unlabeled; or the true class.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    dict of ndarray of shape (n_thresholds,)
        "threshold" (infinity, then the distinct scores in descending order: predict positive for scores >= threshold),
        and one entry per measure of ``METRICS``, not clipped.

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, or alpha >= beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eqs. 12 to 15.

    Examples
    --------
    >>> measures = threshold_measures([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> measures["threshold"], measures["accuracy"]
    (array([inf, 0.9, 0.5, 0.1]), array([0.5 , 0.75, 0.75, 0.5 ]))
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    return {"threshold": counts.thresholds, **measures_of(counts, alpha=alpha, beta=beta)}
