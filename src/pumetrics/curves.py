"""ROC and precision-recall curves recovered from positive-unlabeled ones, and the rates they are built from.

A threshold t predicts positive for scores >= t; tied scores share one threshold. So there is one point per distinct
score, and one more, at infinity, where no example is predicted positive.
"""

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.rates import sample_prior, separated
from pumetrics.recovery import recover_rates
from pumetrics.tops import check_population
from pumetrics.validation import check_choice, check_priors

__all__ = [
    "REPAIRS",
    "chain_above",
    "precision_recall",
    "pu_precision_recall_curve",
    "pu_roc_curve",
    "recovered",
    "recovered_curve",
    "repaired",
    "threshold_rates",
]

REPAIRS = ("envelope", "hull", "monotone", "none")


def threshold_rates(s, y_score, *, sample_weight=None):
    """Shares of the labeled and of the unlabeled examples at or above each threshold.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled. With the true class in its place, these are the true rates.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    tpr_pu, fpr_pu : ndarray of shape (n_thresholds,)
        Rates in [0, 1], ascending, from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Infinity, then the distinct scores in descending order.

    Raises
    ------
    ValueError
        If a label is not 0 or 1, one of them is missing, a score is not finite, or lengths differ.

    Examples
    --------
    >>> tpr_pu, fpr_pu, thresholds = threshold_rates([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> tpr_pu, fpr_pu, thresholds
    (array([0. , 0.5, 1. , 1. ]), array([0. , 0. , 0.5, 1. ]), array([inf, 0.9, 0.5, 0.1]))
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    return counts.tpr_pu, counts.fpr_pu, counts.thresholds


def pu_roc_curve(s, y_score, *, alpha, beta=1.0, repair="envelope", sample_weight=None):
    """ROC curve against the true class, recovered threshold by threshold.

    Recovered points are noisy: they leave the unit square and run backwards. `repair` determines the remedy:
    "envelope" clips them to the square and takes the running maximum of the true positive rate and the running minimum,
    from the far end, of the false positive rate; "hull" clips and takes the convex hull; "monotone" clips and takes the
    running maximum of both; "none" leaves them alone.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    repair : {"envelope", "hull", "monotone", "none"}, default="envelope"
        See above. On simulated scores with 20 to 1,000 labeled examples the envelope had the smallest error and
        hardly any bias; the hull lifts the area of weak classifiers, "monotone" lowers that of strong ones. For fewer
        see :func:`pumetrics.metrics.pu_average_precision_score`.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_points,)
        From (0, 0) to (1, 1); ascending unless `repair` is "none".
    thresholds : ndarray of shape (n_points,)
        Threshold of each point; the first is infinity. Under "hull" only the corners are points, by ascending rates.

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, alpha >= beta, or an unknown `repair`.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 2.

    Examples
    --------
    >>> pu_roc_curve([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25, repair="hull")
    (array([0., 0., 1.]), array([0., 1., 1.]), array([inf,  4.,  1.]))
    """
    tpr_pu, fpr_pu, thresholds = threshold_rates(s, y_score, sample_weight=sample_weight)
    tpr, fpr = recover_rates(tpr_pu, fpr_pu, alpha=alpha, beta=beta)
    return repaired(fpr, tpr, thresholds, repair)


def repaired(fpr, tpr, thresholds, repair):
    """Turn recovered points into a curve: the one place where clipping, envelope and hull are computed.

    Parameters
    ----------
    fpr, tpr, thresholds : ndarray of shape (n_thresholds,)
        Recovered rates in descending order of their thresholds, from (0, 0) to about (1, 1).
    repair : {"envelope", "hull", "monotone", "none"}
        See :func:`pu_roc_curve`.

    Returns
    -------
    fpr, tpr, thresholds : ndarray of shape (n_points,)

    Raises
    ------
    ValueError
        On an unknown `repair`.

    Examples
    --------
    >>> fpr, tpr, _ = repaired(np.array([0, -0.1, 1]), np.array([0, 0.5, 1]), np.array([np.inf, 2, 1]), "envelope")
    >>> fpr, tpr
    (array([0., 0., 1.]), array([0. , 0.5, 1. ]))
    """
    check_choice(repair, "repair", REPAIRS)
    if repair == "none":
        return fpr, tpr, thresholds
    fpr = np.clip(fpr, 0.0, 1.0)
    tpr = np.clip(tpr, 0.0, 1.0)
    fpr[-1] = tpr[-1] = 1.0  # rounding may miss it by a hair
    if repair == "monotone":
        return np.maximum.accumulate(fpr), np.maximum.accumulate(tpr), thresholds
    if repair == "envelope":
        return np.minimum.accumulate(fpr[::-1])[::-1], np.maximum.accumulate(tpr), thresholds
    corners = upper_hull(fpr, tpr)
    return fpr[corners], tpr[corners], thresholds[corners]


def recovered(counts, alpha, beta):
    """Rates of positives and of negatives at each threshold of :class:`Counts`, read-only; the priors are not checked.

    See :func:`pumetrics.recovery.recover_rates`; shares of counts need no check.
    """
    return counts.kept(
        "_rates", (alpha, beta), lambda: separated(counts.tpr_pu, counts.fpr_pu, alpha, beta)
    )


def recovered_curve(counts, *, alpha, beta, repair):
    """False and true positive rates of the recovered ROC curve of :class:`Counts`, read-only; see `pu_roc_curve`."""
    alpha, beta = check_priors(alpha, beta)

    def curve():
        tpr, fpr = recovered(counts, alpha, beta)
        return repaired(fpr, tpr, counts.thresholds, repair)[:2]

    return counts.kept("_curve", (alpha, beta, repair), curve)


def pu_precision_recall_curve(
    s, y_score, *, alpha, beta=1.0, population="all", repair="envelope", sample_weight=None
):
    """Precision and recall against the true class, recovered threshold by threshold.

    Precision depends on the share of positives in the population it is meant for: the whole sample, labeled and
    unlabeled (prior c beta + (1 - c) alpha, c the labeled share of `s`), or the unlabeled examples (prior `alpha`).

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    population : {"all", "unlabeled"}, default="all"
        Population of precision. Without a positive among the unlabeled (``alpha=0``) their precision is 0.
    repair : {"envelope", "hull", "monotone", "none"}, default="envelope"
        How the recovered ROC points are repaired first, see :func:`pu_roc_curve`. Under "hull" every recovered false
        positive rate keeps a point, lifted to the hull: straight lines between corners are no straight lines here.
        Under "none" recall may run backwards.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    precision, recall : ndarray of shape (n_points,)
        In scikit-learn's order, recall descending to 0; both clipped to [0, 1]. Unlike there, recall 0 takes the
        precision of the point before it.
    thresholds : ndarray of shape (n_points - 1,)
        The threshold of each point but the last; ascending, except under "hull", which reorders points.

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, alpha >= beta, or an unknown `population` or `repair`.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 3.

    Examples
    --------
    >>> s, y_score = [1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1]
    >>> precision, recall, _ = pu_precision_recall_curve(s, y_score, alpha=0.25, population="unlabeled")
    >>> precision.round(3), recall
    (array([0.25 , 0.333, 0.5  , 1.   , 1.   , 1.   , 1.   ]), array([1. , 1. , 1. , 1. , 0.5, 0.5, 0. ]))
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    precision, recall = precision_recall(
        counts, alpha=alpha, beta=beta, population=population, repair=repair
    )
    thresholds = counts.thresholds
    if repair == "hull":  # of which points are in the order of their false positive rates
        thresholds = thresholds[
            np.argsort(np.clip(recovered(counts, alpha, beta)[1], 0.0, 1.0), kind="stable")
        ]
    return precision[::-1], recall[::-1], thresholds[:0:-1]


def precision_recall(counts, *, alpha, beta, population, repair):
    """Precision and recall, recall ascending, from the ``Counts`` of a sample.

    See :func:`pu_precision_recall_curve`, which turns them around.
    """
    fpr, tpr = recovered_curve(counts, alpha=alpha, beta=beta, repair=repair)
    check_population(population)
    c = counts.c
    tpr_pu = counts.tpr_pu
    fpr_pu = counts.fpr_pu
    prior = alpha if population == "unlabeled" else sample_prior(alpha, beta, c)
    if repair == "none":
        # What is predicted positive can be counted; no need to add it up from noisy rates.
        predicted = fpr_pu if population == "unlabeled" else sample_prior(fpr_pu, tpr_pu, c)
    else:
        if repair == "hull":
            everywhere = np.sort(np.clip(recovered(counts, alpha, beta)[1], 0.0, 1.0))
            fpr, tpr = everywhere, np.interp(everywhere, fpr, tpr)
        predicted = prior * tpr + (1 - prior) * fpr
    true_positives = prior * tpr
    # No example of the population predicted positive: precision is 1, its limit, if any positive is recovered.
    precision = np.divide(
        true_positives, predicted, out=(true_positives > 0).astype(float), where=predicted > 0
    )
    precision = np.clip(precision, 0.0, 1.0)
    recall = np.clip(tpr, 0.0, 1.0)
    # before it no example is predicted positive
    first = np.argmax((predicted > 0) | (true_positives > 0))
    precision[:first] = precision[first]
    recall[0] = 0.0
    return precision, recall


def upper_hull(x, y):
    """Positions, by ascending x, of the corners of the upper convex hull of points in the unit square.

    The first point must be (0, 0) and the last (1, 1). Vectorized passes drop each point on or below the line between
    its neighbors as long as that drops many; the usual stack finishes the few that remain.
    """
    order = np.argsort(x, kind="stable")
    height = y[order]
    best_before = np.append(-np.inf, np.maximum.accumulate(height)[:-1])
    kept = order[height > best_before]  # a corner is higher than every point to its left
    if kept[-1] != len(x) - 1:
        kept = np.append(kept, len(x) - 1)
    shrinking = True
    while shrinking and len(kept) > 2:
        rise = np.diff(y[kept])
        run = np.diff(x[kept])
        above = np.ones(len(kept), dtype=bool)
        above[1:-1] = rise[:-1] * run[1:] > rise[1:] * run[:-1]
        shrinking = np.count_nonzero(above) < 0.9 * len(kept)
        kept = kept[above]
    return kept[chain_above(x[kept].tolist(), y[kept].tolist())]


def chain_above(x, y):
    """Places of the corners of the upper hull of points ascending in x: plain numbers, as this walks from one on."""
    stack = []
    for i in range(len(x)):
        while len(stack) > 1:
            a = stack[-2]
            b = stack[-1]
            if (y[b] - y[a]) * (x[i] - x[b]) > (y[i] - y[b]) * (x[b] - x[a]):
                break
            stack.pop()
        stack.append(i)
    return stack
