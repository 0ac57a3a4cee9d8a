"""A scored sample with observed and true labels: what every metric starts from."""

from functools import cached_property

import numpy as np

from pumetrics.counts import count_scores
from pumetrics.curves import threshold_rates
from pumetrics.metrics import measures_of
from pumetrics.rates import usable

__all__ = ["Sample", "usable"]


class Sample:
    """A scored sample.

    Parameters
    ----------
    s, y : ndarray of shape (n,)
        Observed and true labels, 0 and 1.
    score : ndarray of shape (n,)
        Higher is more positive.
    supervised : pandas.DataFrame or None
        Columns ``y`` and ``score`` of the same model trained with true labels.
    repeat : int

    Attributes
    ----------
    counts : Counts
        Examples at or above each threshold, by observed label and by true class.
    """

    def __init__(self, s, y, score, *, supervised=None, repeat=0):
        self.s, self.y, self.score, self.repeat = np.asarray(s), np.asarray(y), np.asarray(score, dtype=float), repeat
        self._supervised = supervised
        self.counts = count_scores(self.s, self.score, self.y)
        self.alpha, self.beta = float(self.y[self.s == 0].mean()), float(self.y[self.s == 1].mean())

    @cached_property
    def true_measures(self):
        """The four measures against true labels, at every threshold."""
        return {"threshold": self.counts.thresholds, **measures_of(self.counts.truth)}

    def measures(self, alpha, beta):
        """The four measures recovered with the given priors, at the same thresholds."""
        if (alpha, beta) not in self._measures:
            self._measures[alpha, beta] = measures_of(self.counts, alpha=alpha, beta=beta)
        return self._measures[alpha, beta]

    @cached_property
    def truths(self):
        """Rates (tpr, fpr) at every threshold against true labels, by kind of truth.

        ``same_scores``: these scores; ``supervised``: those of the model trained with true labels.
        """
        truth = self.counts.truth
        rates = {"same_scores": (truth.tpr_pu, truth.fpr_pu)}
        if self._supervised is not None:
            rates["supervised"] = threshold_rates(self._supervised["y"], self._supervised["score"])[:2]
        return rates

    @cached_property
    def fixed(self):
        """Index of the threshold that predicts as many positives as there are."""
        return int(np.argmin(np.abs(self.counts.predicted - self.counts.positives[-1])))

    @cached_property
    def _measures(self):
        return {}
