"""A scored sample with observed and true labels: what every metric starts from."""

from functools import cached_property

import numpy as np

from pumetrics.curves import threshold_rates
from pumetrics.metrics import threshold_measures
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
    """

    def __init__(self, s, y, score, *, supervised=None, repeat=0):
        self.s, self.y, self.score, self.repeat = np.asarray(s), np.asarray(y), np.asarray(score, dtype=float), repeat
        self._supervised = supervised
        self.alpha, self.beta = float(self.y[self.s == 0].mean()), float(self.y[self.s == 1].mean())

    @cached_property
    def true_measures(self):
        """The four measures against true labels, at every threshold."""
        return threshold_measures(self.y, self.score)

    def measures(self, alpha, beta):
        """The four measures recovered with the given priors, at the same thresholds."""
        if (alpha, beta) not in self._measures:
            self._measures[alpha, beta] = threshold_measures(self.s, self.score, alpha=alpha, beta=beta)
        return self._measures[alpha, beta]

    @cached_property
    def truths(self):
        """Rates (tpr, fpr) at every threshold against true labels, by kind of truth.

        ``same_scores``: these scores; ``supervised``: those of the model trained with true labels.
        """
        rates = {"same_scores": threshold_rates(self.y, self.score)[:2]}
        if self._supervised is not None:
            rates["supervised"] = threshold_rates(self._supervised["y"], self._supervised["score"])[:2]
        return rates

    @cached_property
    def fixed(self):
        """Index of the threshold that predicts as many positives as there are."""
        thresholds = self.true_measures["threshold"]
        predicted = np.searchsorted(np.sort(-self.score), -thresholds, side="right")
        return int(np.argmin(np.abs(predicted - self.y.sum())))

    @cached_property
    def _measures(self):
        return {}
