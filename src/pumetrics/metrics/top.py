"""Precision, recall and lift of the examples that score highest: what a list of the top k is worth.

Predicted positive are the k highest scores. Of tied scores that k divides, the examples come in random order, and the
expected value is returned. With ``population="all"``, labeled and unlabeled examples are ranked together; with
"unlabeled" the unlabeled alone, those one would act upon.
"""

from pumetrics.counts import count_scores
from pumetrics.metrics.registry import clipped, find_metric, metric_at
from pumetrics.metrics.thresholds import rates_at
from pumetrics.tops import check_population

__all__ = ["lift_at_k", "precision_at_k", "recall_at_k"]


def precision_at_k(s, y_score, *, k, alpha, beta=1.0, population="all", clip=True, sample_weight=None):
    """Share of true positives among the k examples that score highest.

    Precision at k is pi tpr / theta: the share of positives among those ranked, times the true positive rate at k,
    over the share of examples at the top.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher is more positive.
    k : int, float or str
        How many examples: a whole number such as 100, or a share of those that are ranked such as 0.01 or "1%".
        Where it ends within an example or a group of tied ones, that counts in part.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    population : {"all", "unlabeled"}, default="all"
        Who is ranked: labeled and unlabeled examples together, or the unlabeled alone.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row stands for, at least 0; k counts those.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        On bad labels or scores, lengths that differ, alpha >= beta, a k that is no number or share of examples or
        larger than their number, or an unknown population.

    References
    ----------
    Jain, White & Radivojac (2017), Eq. 1, at the threshold where k examples are predicted positive.

    Examples
    --------
    >>> s, y_score = [1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    >>> round(precision_at_k(s, y_score, k=2, alpha=0.25), 12)
    0.75
    >>> precision_at_k(s, y_score, k="50%", alpha=0.25, population="unlabeled")
    0.25
    """
    return _at_k("precision_at_k", s, y_score, k, alpha, beta, population, clip, sample_weight)


def recall_at_k(s, y_score, *, k, alpha, beta=1.0, population="all", clip=True, sample_weight=None):
    """Share of all positives that are among the k examples that score highest.

    Parameters
    ----------
    s, y_score, k, alpha, beta, population
        See :func:`precision_at_k`. Without label noise (``beta=1``) alpha has no influence: recall is that of the
        labeled positives, a random sample of all.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight
        See :func:`precision_at_k`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`precision_at_k`.

    References
    ----------
    Jain, White & Radivojac (2017), Eq. 1.

    Examples
    --------
    >>> recall_at_k([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], k=2, alpha=0.25)
    0.5
    """
    return _at_k("recall_at_k", s, y_score, k, alpha, beta, population, clip, sample_weight)


def lift_at_k(s, y_score, *, k, alpha, beta=1.0, population="all", clip=True, sample_weight=None):
    """How many times as many positives the k examples that score highest hold as k examples chosen at random.

    It is precision at k over the share of positives, and recall at k over the share of examples at the top, tpr /
    theta. Without label noise (``beta=1``) it can thus be told without alpha.

    Parameters
    ----------
    s, y_score, k, alpha, beta, population
        See :func:`precision_at_k`.
    clip : bool, default=True
        Clip to [0, infinity).
    sample_weight
        See :func:`precision_at_k`.

    Returns
    -------
    float
        1 for scores at random.

    Raises
    ------
    ValueError
        As :func:`precision_at_k`.

    References
    ----------
    Jain, White & Radivojac (2017), Eq. 1.

    Examples
    --------
    >>> round(lift_at_k([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], k=2, alpha=0.25), 12)
    1.5
    """
    return _at_k("lift_at_k", s, y_score, k, alpha, beta, population, clip, sample_weight)


def _at_k(name, s, y_score, k, alpha, beta, population, clip, sample_weight):
    entry, counts = find_metric(metric_at(name, k)), count_scores(s, y_score, sample_weight=sample_weight)
    place = entry.place(counts, population=check_population(population))
    rates = rates_at(counts, alpha=alpha, beta=beta, at=place, population=population)
    value = entry.formula(rates)
    return float(clipped(name, value)) if clip else float(value)
