"""The registry of metrics: how one scored sample with its priors becomes records."""

from functools import cached_property

import numpy as np

from pumetrics.recovery import recover_measures

__all__ = ["METRICS", "Sample", "evaluate_sample"]

MISSING = float("nan")


class Sample:
    """A scored sample with observed and true labels, and its rates at every threshold that changes them.

    Parameters
    ----------
    s, y : ndarray of shape (n,)
        Observed and true labels, 0 and 1.
    score : ndarray of shape (n,)
        Higher is more positive.
    """

    def __init__(self, s, y, score):
        self.s, self.y, self.score = np.asarray(s), np.asarray(y), np.asarray(score, dtype=float)

    @cached_property
    def thresholds(self):
        """From "nobody is positive" (infinity) down to the smallest score; positive means at or above the threshold."""
        return np.r_[np.inf, self.score[self._order][self._last]]

    def rates(self, labels):
        """Share of the positives and of the negatives of `labels` at or above each threshold: (tpr, fpr)."""
        ranked = labels[self._order]
        positive = np.r_[0, np.cumsum(ranked)[self._last]]
        negative = np.r_[0, self._last + 1] - positive
        return positive / positive[-1], negative / negative[-1]

    @cached_property
    def observed(self):
        """Rates against observed labels."""
        return self.rates(self.s)

    @cached_property
    def true(self):
        """Rates against true labels."""
        return self.rates(self.y)

    @cached_property
    def true_measures(self):
        """The four measures at every threshold against true labels."""
        return recover_measures(*self.true, alpha=0.0, beta=1.0, c=self.y.mean())

    @cached_property
    def fixed(self):
        """Index of the threshold that predicts as many positives as there are."""
        return int(np.argmin(np.abs(np.r_[0, self._last + 1] - self.y.sum())))

    def measures(self, alpha, beta):
        """The four measures at every threshold, recovered with the given priors."""
        key = (alpha, beta)
        if key not in self._measures:
            self._measures[key] = recover_measures(*self.observed, alpha=alpha, beta=beta, c=self.s.mean())
        return self._measures[key]

    @cached_property
    def _measures(self):
        return {}

    @cached_property
    def _order(self):
        return np.argsort(-self.score, kind="stable")

    @cached_property
    def _last(self):
        """Position of the last member of each group of equal scores: nobody can cut inside a group."""
        ranked = self.score[self._order]
        return np.r_[np.flatnonzero(np.diff(ranked)), len(ranked) - 1]


def _threshold_measure(measure):
    """Metric function of one of the four measures: its maximum over thresholds, and its value at a fixed one.

    As in Ramola et al. (2019), the threshold is chosen to maximise the estimate, before any clipping, and the truth is
    taken at that threshold.
    """

    def evaluate(sample, priors):
        truth = sample.true_measures[measure]
        for prior, (alpha, beta) in priors.items():
            method = "uncorrected" if prior == "none" else "recovered"
            row = {"method": method, "prior": prior, "truth_kind": "same_scores"}
            usable = 0 <= alpha < beta <= 1
            estimate = sample.measures(alpha, beta)[measure] if usable else np.full(len(truth), MISSING)
            best = int(np.argmax(estimate)) if usable else sample.fixed
            for name, at in ((f"max_{measure}", best), (measure, sample.fixed)):
                place = {"estimate": estimate[at], "truth": truth[at], "threshold": sample.thresholds[at]}
                yield {**row, **place, "metric": name}

    return evaluate


METRICS = {name: _threshold_measure(name) for name in ("accuracy", "balanced_accuracy", "f1", "mcc")}


def evaluate_sample(scored, estimated, metrics):
    """Records of one scored sample.

    Parameters
    ----------
    scored : pandas.DataFrame
        Columns ``s``, ``y``, ``score``: one labeling and repeat of the scores door.
    estimated : pandas.DataFrame or None
        Columns ``method``, ``alpha``, ``beta``: the priors estimated from these scores.
    metrics : list of str
        Names of entries of :data:`METRICS`.

    Returns
    -------
    list of dict
        Columns of the records door, without those that name the sample. A prior that could not be estimated, or with
        alpha >= beta, gives a record without estimate.
    """
    unknown = [name for name in metrics if name not in METRICS]
    if unknown:
        raise ValueError(f"there is no metric {unknown[0]!r}; there are {', '.join(METRICS)}")
    sample = Sample(scored["s"].to_numpy(), scored["y"].to_numpy(), scored["score"].to_numpy())
    priors = {"none": (0.0, 1.0), "true": (sample.y[sample.s == 0].mean(), sample.y[sample.s == 1].mean())}
    if estimated is not None:
        priors |= {row.method: (row.alpha, row.beta) for row in estimated.itertuples()}
    return [row for name in metrics for row in METRICS[name](sample, priors)]
