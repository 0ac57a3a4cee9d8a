"""Samples whose truth is known, the same in all tests: normal scores, and labels at random, selected or wrong.

They are drawn once per process and cannot be changed; the names of the arguments are those of the library.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    precision_score,
    recall_score,
    roc_auc_score,
)

from pumetrics.checks import checked_interval
from pumetrics.counts import count_scores
from pumetrics.inference import corrected_intervals
from pumetrics.metrics import find_metric, rates_at


class Sample(NamedTuple):
    """Observed label, score and true class of examples, labeled ones first where nothing else is said."""

    s: np.ndarray
    y_score: np.ndarray
    y: np.ndarray


def _fixed(s, y_score, y):
    sample = Sample(np.asarray(s), np.asarray(y_score), np.asarray(y).astype(int))
    for array in sample:
        array.flags.writeable = False
    return sample


@cache
def gaussian(
    seed=0, n_labeled=200, n_unlabeled=1000, *, alpha=0.3, beta=1.0, distance=2.0, digits=None
):
    """Scores of variance 1 and means 0 and `distance`: the AUC is Phi(distance / sqrt 2). Shares are exact."""
    right, hidden = round(beta * n_labeled), round(alpha * n_unlabeled)
    y = np.repeat([1, 0, 1, 0], [right, n_labeled - right, hidden, n_unlabeled - hidden])
    y_score = np.random.default_rng(seed).normal(distance * y)
    return _fixed(
        np.repeat([1, 0], [n_labeled, n_unlabeled]),
        y_score if digits is None else y_score.round(digits),
        y,
    )


@cache
def selected(
    seed=0, n_positive=20_000, n_negative=40_000, *, strength, rho=0.4, distance=1.5, chance=False
):
    """A share `rho` of the positives is labeled, log-linear in their rank: `strength` times as often at its top.

    Which of them is systematic, every so many, or left to chance.
    """
    rng = np.random.default_rng(seed)
    positive = np.sort(rng.normal(distance, size=n_positive))
    propensity = strength ** ((np.arange(n_positive) + 0.5) / n_positive)
    wanted = rho * propensity / propensity.mean()
    labeled = (
        rng.random(n_positive) < wanted
        if chance
        else np.diff(np.floor(np.cumsum(wanted)), prepend=0) > 0
    )
    s = np.append(labeled, np.zeros(n_negative)).astype(int)
    return _fixed(
        s,
        np.append(positive, rng.normal(size=n_negative)),
        np.repeat([1, 0], [n_positive, n_negative]),
    )


@cache
def checkable(seed, n=600, alpha=0.15, n_labeled=40, shift=2.0, ties=False, kind="random"):
    """Classes by chance; labels of random positives, or (`kind` "by score") four times as often of those above `shift`.

    So many rows are added to `n` as are labeled.
    """
    rng = np.random.default_rng(seed)
    y = np.append(np.ones(n_labeled, dtype=int), (rng.random(n) < alpha).astype(int))
    y_score = rng.normal(y * shift)
    s = np.repeat([1, 0], [n_labeled, n])
    if kind == "by score":
        positives = np.flatnonzero(y)
        weights = np.where(y_score[positives] > shift, 4.0, 1.0)
        s = np.zeros(len(y), dtype=int)
        s[rng.choice(positives, n_labeled, replace=False, p=weights / weights.sum())] = 1
    return _fixed(s, np.round(y_score, 1) if ties else y_score, y)


def interval_of(metric, s, y_score, **options):
    """The corrected interval of one metric."""
    return corrected_intervals([metric], s, y_score, **options)[metric]


CHECKED = (
    "alpha",
    "precision",
    "recall",
    "f1",
    "accuracy",
    "balanced_accuracy",
    "specificity",
    "mcc",
    "roc_auc",
    "average_precision",
    "precision_at_50",
    "recall_at_10%",
)
"""Metrics that checks can answer."""


def options_of(metric, threshold=1.0):
    """The threshold that a checked metric needs, as an option."""
    return (
        {}
        if metric in ("roc_auc", "average_precision") or "_at_" in metric
        else {"threshold": threshold}
    )


def answer_of(plan, metric, y, **options):
    """The interval of a metric where an expert finds these classes in the rows of a plan."""
    return checked_interval(metric, *plan.strata.data, plan.filled(y[plan.rows]), **options)


def covers(case, runs):
    """How many of the intervals of a case, a function of the seed, hold the true value that it returns with them."""
    held = 0
    for seed in range(runs):
        answer, truth = case(seed)
        held += answer.lower <= truth <= answer.upper
    return held


def truth_of(metric, y, y_score, threshold=1.0):
    """The metric of the true classes, by scikit-learn, or by the registry for the top of a ranking."""
    if "_at_" in metric:
        counts, entry = count_scores(y, y_score), find_metric(metric)
        return entry.formula(rates_at(counts, at=entry.place(counts)))
    areas = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}
    if metric in areas:
        return areas[metric](y, y_score)
    measures = {
        "precision": precision_score,
        "recall": recall_score,
        "f1": f1_score,
        "accuracy": accuracy_score,
        "balanced_accuracy": balanced_accuracy_score,
        "mcc": matthews_corrcoef,
        "specificity": lambda *classes: recall_score(*classes, pos_label=0),
    }
    return measures[metric](y, y_score >= threshold)
