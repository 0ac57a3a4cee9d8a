"""Areas under curves, and measures at every threshold, from counts of labeled and unlabeled examples.

All scores of this package, the methods, the bootstrap and the assessment are computed here.
"""

import numpy as np

from pumetrics.curves import precision_recall, recovered_curve

__all__ = ["average_precision", "roc_auc", "roc_auc_pu"]


def roc_auc_pu(counts):
    """Area under the ROC curve of labeled against unlabeled examples."""
    return float(np.trapezoid(counts.tpr_pu, counts.fpr_pu))


def roc_auc(counts, *, alpha, beta, repair="envelope", population="all"):
    """Area under the ROC curve recovered threshold by threshold and repaired; not clipped.

    Parameters
    ----------
    counts : Counts
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    repair : str
        One of ``REPAIRS``.
    population
        Not used: this area depends on no class mix.

    Returns
    -------
    float

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 2.
    """
    fpr, tpr = recovered_curve(counts, alpha=alpha, beta=beta, repair=repair)
    return float(np.trapezoid(tpr, fpr))


def average_precision(counts, *, alpha, beta, repair="envelope", population="unlabeled"):
    """Area under the recovered precision-recall curve, in [0, 1].

    Parameters
    ----------
    counts, alpha, beta, repair
        As for :func:`roc_auc`.
    population : {"unlabeled", "all"}
        Population of precision.

    Returns
    -------
    float

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 3.
    """
    precision, recall = precision_recall(counts, alpha=alpha, beta=beta, population=population, repair=repair)
    return float(min(max(np.sum(np.diff(recall) * precision[1:]), 0.0), 1.0))
