"""Precision, recall and lift of the k examples that score highest."""

from pumetrics.counts import count_scores
from pumetrics.metrics.registry import bounded, find_metric, metric_at, rates_at
from pumetrics.tops import check_population

__all__ = ["lift_at_k", "precision_at_k", "recall_at_k"]


def precision_at_k(
    s, y_score, *, k, alpha, beta=1.0, population="all", clip=True, sample_weight=None
):
    """Compute the share of positives among the k highest-scoring examples.

    Precision at k is pi tpr / theta: the share of positives among those ranked, times the true positive rate at k,
    over the share of examples at the top.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    k : int, float or str
        Number of examples: a whole number such as 100, or a share of the ranked examples such as 0.01 or "1%". If k
        ends within an example or a group of ties, that example or group counts in part.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    population : {"all", "unlabeled"}, default="all"
        Ranked examples: labeled and unlabeled together, or the unlabeled alone.
    clip : bool, default=True
        Clip to [0, 1].
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0; k counts those.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, alpha >= beta, a k that is no number or share of examples or
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
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    return _at_k("precision", counts, k, clip, alpha=alpha, beta=beta, population=population)


def recall_at_k(s, y_score, *, k, alpha, beta=1.0, population="all", clip=True, sample_weight=None):
    """Compute the share of all positives that are among the k highest-scoring examples.

    Parameters
    ----------
    s, y_score, k, alpha, beta, population
        See :func:`precision_at_k`. Without label noise (``beta=1``) alpha has no influence: recall equals that of the
        labeled positives, a random sample of all positives.
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
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    return _at_k("recall", counts, k, clip, alpha=alpha, beta=beta, population=population)


def lift_at_k(s, y_score, *, k, alpha, beta=1.0, population="all", clip=True, sample_weight=None):
    """Compute the ratio of positives among the k highest-scoring examples to positives among k random examples.

    It is precision at k over the share of positives, and recall at k over the share of examples at the top, tpr /
    theta. Without label noise (``beta=1``) it therefore does not depend on alpha.

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
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    return _at_k("lift", counts, k, clip, alpha=alpha, beta=beta, population=population)


def _at_k(measure, counts, k, clip, *, population, **priors):
    name = metric_at(f"{measure}_at_k", k)
    entry = find_metric(name)
    place = entry.place(counts, population=check_population(population))
    value = entry.formula(rates_at(counts, at=place, population=population, **priors))
    return bounded(name, value, frames=3) if clip else float(value)
