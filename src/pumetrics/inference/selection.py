"""Corrections if easy positives are labeled more often, for an assumed strength of this selection.

The data do not show how labels were selected, so the strength is varied, not estimated: a sensitivity analysis.
"""

import numpy as np

from pumetrics._arguments import ArgumentError
from pumetrics._validation import check_sample
from pumetrics.counts import Counts

__all__ = [
    "ascending", "check_selection", "exchanged", "labelable_share", "rank_propensity",
    "reweighted", "selected_rates",
]  # fmt: skip


_AS_RANDOM = 1e-7  # a selection this close to 1 moves rates by less than that, and 1 / (k - 1) would lose digits


def selected_rates(labeled, selection, rho):
    """Shares of all and of the hidden positives at or above a threshold, behind the share of the labeled ones.

    If the positive that scores highest is labeled k times as often as the one that scores lowest, log-linear in the
    rank u among all positives, labels are k^u times as frequent there, and a share x of the labeled, counted from the
    end where labels are rare, is a share log(1 + (K - 1) x) / log K of all positives, K the larger of k and 1 / k. The
    hidden positives are all but the share rho that is labeled. Where the easiest would need a probability above 1, all
    of them are labeled: none is hidden there.

    Parameters
    ----------
    labeled : float or ndarray
        Share of the labeled positives at or above the threshold, in [0, 1].
    selection : float
        k > 0; 1 is SCAR, below 1 the hard positives are labeled more often.
    rho : float or ndarray
        Labeled share of the positives, in (0, 1].

    Returns
    -------
    everywhere, hidden : float or ndarray
        With ``everywhere = rho * labeled + (1 - rho) * hidden``.

    Examples
    --------
    >>> [round(float(rate), 3) for rate in selected_rates(0.5, 4.0, 0.1)]
    [0.339, 0.321]
    """
    if abs(selection - 1) < _AS_RANDOM:
        return labeled, labeled
    k = max(selection, 1 / selection)
    x = labeled if selection < 1 else 1 - labeled
    # Hidden positives up to x; their density vanishes at `last`, where every positive is labeled.
    last = np.minimum(1 / (rho * np.log(k)) - 1 / (k - 1), 1.0)
    up_to, of = (np.log1p((k - 1) * end) / np.log(k) - rho * end for end in (np.minimum(x, last), last))
    hidden = up_to / of
    everywhere = hidden + rho * (x - hidden)
    return (everywhere, hidden) if selection < 1 else (1 - everywhere, 1 - hidden)


def reweighted(counts, selection, *, alpha, population=None):
    """Counts from which every score is recovered as usual, if labels were selected by score.

    All positives take the place of the labeled ones, and in the unlabeled they take the place of the hidden ones: the
    counts that random labels would have given, with the examples at or above each threshold as many as observed. What
    is said of the unlabeled alone is recovered from the hidden positives in the place of the labeled.

    Parameters
    ----------
    counts : Counts
    selection : float
        See :func:`selected_rates`; 1 is SCAR.
    alpha : float
        Share of positives among the unlabeled, in [0, 1].
    population : {"all", "unlabeled"}, optional
        What the scores are about. By default the counts are for estimators of alpha: those of "all", made ascending.

    Returns
    -------
    Counts
        Of float64, with the same numbers of examples; `counts` itself if `selection` is 1.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> counts = count_scores([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1])
    >>> reweighted(counts, 4.0, alpha=0.25, population="all").labeled[:3].round(3)
    array([0.  , 0.71, 0.71])
    """
    if selection == 1:
        return counts
    n_labeled, n_unlabeled = counts.labeled[-1], counts.unlabeled[-1]
    everywhere, hidden = selected_rates(counts.tpr_pu, selection, n_labeled / (n_labeled + alpha * n_unlabeled))
    if population == "unlabeled":
        return Counts(counts.thresholds, hidden * n_labeled, counts.unlabeled)
    mixed = counts.fpr_pu + alpha * (everywhere - hidden)
    found = Counts(counts.thresholds, everywhere * n_labeled, mixed * n_unlabeled)
    return ascending(found) if population is None else found


def ascending(counts):
    """Counts whose unlabeled examples never decrease, as estimators of the priors need them."""
    most = counts.unlabeled[-1]
    return counts._replace(unlabeled=np.maximum.accumulate(np.clip(counts.unlabeled, 0.0, most)))


def exchanged(counts, weighted):
    """Counts with all positives in the place of the labeled ones, which the hidden positives leave to the unlabeled.

    A labeled positive of propensity e represents 1 / e positives, so that the labeled weighted by 1 / e are distributed
    as all positives F are. With G_H = (F - rho G_L) / (1 - rho) among the unlabeled, exchanging the hidden positives
    for F adds alpha (F - G_H) = n_labeled / n_unlabeled (G_L - F) to G: alpha drops out.

    Parameters
    ----------
    counts : Counts
    weighted : ndarray of shape (m,)
        Sums of the weights of the labeled examples at or above each threshold, up to a factor.

    Returns
    -------
    Counts
        Of float64, with the same numbers of examples, predicted and in all; the unlabeled may decrease by chance, see
        :func:`ascending`.

    References
    ----------
    Bekker, Robberechts & Davis (2019), "Beyond the selected completely at random assumption for learning from positive
    and unlabeled data", propensity-weighted estimator: a labeled example counts 1 / e times as positive and 1 - 1 / e
    times as negative.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> counts = exchanged(count_scores([1, 0, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]), np.array([0, 3, 3, 3, 4, 4, 4]))
    >>> counts.labeled, counts.unlabeled
    (array([0. , 1.5, 1.5, 1.5, 2. , 2. , 2. ]), array([ 0. , -0.5,  0.5,  1.5,  2. ,  3. ,  4. ]))
    """
    positives = counts.labeled[-1] * (weighted / weighted[-1])
    return Counts(counts.thresholds, positives, counts.unlabeled + counts.labeled - positives)


def rank_propensity(s, y_score, selection, *, design=None):
    """Relative propensities of labeled examples selected by one model's scores, for use with those of another.

    Parameters
    ----------
    s, y_score : array-like of shape (n,)
        Labels, 1 and 0, and scores.
    selection : float
        See :func:`reweighted`.
    design : Design, optional
        For weights and folds; ranks are within folds.

    Returns
    -------
    ndarray of shape (n,)
        1 + (k - 1) r, averaged harmonically over the ranks r in [0, 1] that a score takes among the labeled; 1 for
        unlabeled examples.

    Examples
    --------
    >>> rank_propensity(np.array([1, 0, 1]), np.array([3.0, 2.0, 1.0]), 5.0).round(2)
    array([3.92, 1.  , 1.82])
    """
    s, y_score = check_sample(s, y_score)
    selection = check_selection(selection)
    weights = np.ones(len(s)) if design is None or design.weights is None else design.weights
    folds = np.zeros(len(s), np.int64) if design is None or design.folds is None else design.folds
    propensity = np.ones(len(s))
    for fold in range(folds.max() + 1):
        rows = np.flatnonzero((folds == fold) & (s == 1) & (weights > 0))
        _, places = np.unique(y_score[rows], return_inverse=True)
        at = np.bincount(places, weights=weights[rows])
        steps = (selection - 1) * np.append(0.0, np.cumsum(at) / at.sum())
        propensity[rows] = (np.diff(steps) / np.diff(np.log1p(steps)))[places]
    return propensity


def labelable_share(selection):
    """Largest share of the positives that can be labeled: beyond it the easiest would need a probability above 1.

    Parameters
    ----------
    selection : float
        See :func:`selected_rates`.

    Returns
    -------
    float
        In (0, 1].

    Examples
    --------
    >>> labelable_share(1.0), round(labelable_share(4.0), 3)
    (1.0, 0.541)
    """
    k = max(selection, 1 / selection)
    return 1.0 if k == 1 else float((1 - 1 / k) / np.log(k))


def check_selection(selection):
    """Return `selection` as float, or raise ValueError unless it is finite and positive."""
    try:
        number = float(selection)
    except (TypeError, ValueError):
        raise ArgumentError("selection", f"must be a number, got {selection!r}") from None
    if not 0 < number < np.inf:
        raise ArgumentError(
            "selection",
            f"must be larger than 0, got {number}: it is how many times as often the positive with the highest score "
            "is labeled as the one with the lowest; 1 means labels at random",
        )
    return number
