"""One ranking of examples with observed and true labels: sorted once, and all that methods and truth are made of."""

from functools import cached_property

import numpy as np

from pumetrics.curves import precision_recall
from pumetrics.recovery import recover_measures

__all__ = ["AREAS", "MEASURES", "METRICS", "Ranked"]

AREAS = ("roc_auc", "average_precision")
MEASURES = ("accuracy", "balanced_accuracy", "f1", "mcc")
# Measures stand for themselves at one threshold that is the same for all methods; `max_` is the threshold that
# maximises a method's own estimate.
METRICS = (*AREAS, *MEASURES, *(f"max_{name}" for name in MEASURES))


class Ranked:
    """Counts at every threshold of one model's scores.

    Index 0 is the threshold at which nobody is positive; then one for each distinct score, descending.

    Parameters
    ----------
    s, y : ndarray of shape (n,)
        Observed and true labels, 0 and 1.
    score : ndarray of shape (n,)
        Higher is more positive.

    Attributes
    ----------
    labeled, unlabeled, positives, negatives : ndarray of shape (n_thresholds,)
        Examples at or above each threshold, by observed and by true label.
    alpha, beta, c : float
        The true priors of these rows, and their labeled share.
    """

    def __init__(self, s, y, score):
        self.s, self.y, self.score = s, y, score
        order = np.argsort(score, kind="stable")[::-1]
        ranked = score[order]
        ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
        self.thresholds = np.append(np.inf, ranked[ends])
        self.predicted = np.append(0, ends + 1)
        self.labeled, self.positives = (np.append(0, np.cumsum(label[order], dtype=np.int64)[ends]) for label in (s, y))
        self.unlabeled, self.negatives = self.predicted - self.labeled, self.predicted - self.positives
        self.alpha, self.beta = float(y[s == 0].mean()), float(y[s == 1].mean())
        self.c = float(s.mean())

    @cached_property
    def rates_pu(self):
        """Shares of the labeled and of the unlabeled at or above each threshold."""
        return self.labeled / self.labeled[-1], self.unlabeled / self.unlabeled[-1]

    @cached_property
    def true_measures(self):
        """The four measures against the true class at every threshold, over all rows."""
        tpr, fpr = self.positives / self.positives[-1], self.negatives / self.negatives[-1]
        return recover_measures(tpr, fpr, alpha=0.0, beta=1.0, c=float(self.y.mean()))

    @cached_property
    def true_areas(self):
        """Both areas against the true class, over all rows."""
        tpr, fpr = self.positives / self.positives[-1], self.negatives / self.negatives[-1]
        average = self.average_precision(0.0, 1.0, "none", self.positives, self.negatives)
        return {"roc_auc": float(np.trapezoid(tpr, fpr)), "average_precision": average}

    def measures(self, alpha, beta):
        """The four measures that given priors recover from the observed labels, at every threshold; not clipped."""
        return recover_measures(*self.rates_pu, alpha=alpha, beta=beta, c=self.c)

    @cached_property
    def fixed(self):
        """Index of the threshold that predicts as many positives as there are."""
        return int(np.argmin(np.abs(self.predicted - self.positives[-1])))

    def average_precision(self, alpha, beta, repair, labeled=None, unlabeled=None):
        """Area under the precision-recall curve by the step rule, over all rows."""
        counts = (self.labeled, self.unlabeled) if labeled is None else (labeled, unlabeled)
        precision, recall = precision_recall(
            *counts, self.thresholds, alpha=alpha, beta=beta, population="all", repair=repair
        )
        return float(np.clip(np.sum(np.diff(recall) * precision[1:]), 0, 1))

    def truth(self, metric, at=None):
        """True value of a metric; measures named `max_` at the index `at`, the others at the fixed threshold."""
        if metric in AREAS:
            return self.true_areas[metric]
        measure = metric.removeprefix("max_")
        return float(self.true_measures[measure][self.fixed if measure == metric else at])
