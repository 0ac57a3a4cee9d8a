"""Corrected scores of resampled examples: sort once, then count."""

from typing import NamedTuple

import numpy as np

from pumetrics import counts as counts_module
from pumetrics._validation import check_same_length, check_scores
from pumetrics.curves import check_observed
from pumetrics.metrics import AREAS, MEASURES, METRICS, measures_of
from pumetrics.priors.from_counts import priors_from_counts, spread

__all__ = ["SCORED", "Counts", "Ranking", "estimated_priors", "rank", "scores_of", "spread"]

SCORED = (*AREAS, *MEASURES)  # measures are taken at a threshold, or at their maximum


class Counts(NamedTuple):
    """Labeled and unlabeled examples at or above each threshold, int64 of shape (n_thresholds,)."""

    labeled: np.ndarray
    unlabeled: np.ndarray


class Ranking(NamedTuple):
    """Thresholds, infinity and then the distinct scores descending, and the place of every example among them."""

    thresholds: np.ndarray
    labeled: np.ndarray
    unlabeled: np.ndarray

    def counts(self, labeled_rows=None, unlabeled_rows=None):
        """Counts of the given rows of either sample, with repetitions, or of all."""
        places = self.labeled, self.unlabeled
        if labeled_rows is not None:
            places = self.labeled[labeled_rows], self.unlabeled[unlabeled_rows]
        return Counts(*(np.cumsum(np.bincount(place, minlength=len(self.thresholds))) for place in places))


def rank(s, y_score):
    """Sort examples by score and keep labeled and unlabeled apart, each in the order given."""
    s, y_score = check_observed(s), check_scores(y_score)
    check_same_length(s=s, y_score=y_score)
    order = np.argsort(y_score)[::-1]
    ranked = y_score[order]
    first = np.append(True, ranked[1:] != ranked[:-1])
    place = np.empty(len(s), dtype=np.int64)
    place[order] = np.cumsum(first)
    return Ranking(np.append(np.inf, ranked[first]), place[s == 1], place[s == 0])


def scores_of(metrics, counts, thresholds, *, alpha, beta, threshold=None, population="unlabeled"):
    """Corrected scores, not clipped, in the order of `metrics`: areas as :mod:`pumetrics.metrics` computes them.

    The other measures are taken at `threshold`, or at their maximum. Average precision speaks of `population`.
    """
    counts = counts_module.Counts(thresholds, *counts[:2])
    measured = {}
    if not MEASURES.keys().isdisjoint(metrics):
        at = slice(None) if threshold is None else counts.at(threshold)
        measured = measures_of(counts.tpr_pu[at], counts.fpr_pu[at], alpha=alpha, beta=beta, c=counts.c)
    values = [
        np.max(measured[name])
        if name in measured
        else METRICS[name].formula(counts, alpha=alpha, beta=beta, population=population)
        for name in metrics
    ]
    return np.array(values, dtype=np.float64)


def estimated_priors(rankings, counts, *, beta, method, noisy, rng):
    """Priors (alpha, beta) from the scores of one or several models, in the mean; NaN where there is no estimate.

    Unless `noisy`, beta is known, and the labeled share found among the unlabeled is alpha / beta.
    """
    options = {"beta": beta, "method": method, "noisy": noisy, "rng": rng}
    pairs = [
        priors_from_counts(counts_module.Counts(ranking.thresholds, *count), **options)
        for ranking, count in zip(rankings, counts, strict=True)
    ]
    alpha, beta = np.mean(pairs, axis=0)
    return float(alpha), float(beta)
