"""One ranking of examples with observed and true labels: sorted once, and all that methods and truth are made of."""

from functools import cached_property

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.curves import measures_of, precision_recall

__all__ = ["AREAS", "MEASURES", "METRICS", "Ranked"]

AREAS = ("roc_auc", "average_precision")
MEASURES = ("accuracy", "balanced_accuracy", "f1", "mcc")
# Measures stand for themselves at one threshold that is the same for all methods; `max_` is the threshold that
# maximises a method's own estimate.
METRICS = (*AREAS, *MEASURES, *(f"max_{name}" for name in MEASURES))


class Ranked:
    """Counts at every threshold of one model's scores.

    Index 0 is the threshold at infinity; then one for each distinct score, descending.

    Parameters
    ----------
    s, y : ndarray of shape (n,)
        Observed and true labels, 0 and 1.
    score : ndarray of shape (n,)
        Higher is more positive.

    Attributes
    ----------
    counts : Counts
        Examples at or above each threshold, by observed label and by true class.
    labeled, unlabeled, positives, negatives, predicted, thresholds : ndarray of shape (n_thresholds,)
        What the counts hold.
    alpha, beta : float
        The true priors of these rows.
    """

    def __init__(self, s, y, score):
        self.s, self.y, self.score = s, y, score
        self.counts = count_scores(s, score, y)
        self.thresholds, self.labeled, self.unlabeled, self.positives, self.negatives = self.counts
        self.predicted = self.counts.predicted
        self.alpha, self.beta = float(y[s == 0].mean()), float(y[s == 1].mean())

    @cached_property
    def rates_pu(self):
        """Shares of the labeled and of the unlabeled at or above each threshold."""
        return self.counts.tpr_pu, self.counts.fpr_pu

    @cached_property
    def true_measures(self):
        """The four measures against the true class at every threshold, over all rows."""
        return measures_of(self.counts.truth)

    @cached_property
    def true_areas(self):
        """Both areas against the true class, over all rows."""
        truth = self.counts.truth
        average = self.average_precision(0.0, 1.0, "none", truth)
        return {"roc_auc": float(np.trapezoid(truth.tpr_pu, truth.fpr_pu)), "average_precision": average}

    def measures(self, alpha, beta):
        """The four measures that given priors recover from the observed labels, at every threshold; not clipped."""
        return measures_of(self.counts, alpha=alpha, beta=beta)

    @cached_property
    def fixed(self):
        """Index of the threshold that predicts as many positives as there are."""
        return int(np.argmin(np.abs(self.predicted - self.positives[-1])))

    def average_precision(self, alpha, beta, repair, counts=None):
        """Area under the precision-recall curve by the step rule, over all rows."""
        precision, recall = precision_recall(
            counts or self.counts, alpha=alpha, beta=beta, population="all", repair=repair
        )
        return float(np.clip(np.sum(np.diff(recall) * precision[1:]), 0, 1))

    def truth(self, metric, at=None):
        """True value of a metric; measures named `max_` at the index `at`, the others at the fixed threshold."""
        if metric in AREAS:
            return self.true_areas[metric]
        measure = metric.removeprefix("max_")
        return float(self.true_measures[measure][self.fixed if measure == metric else at])
