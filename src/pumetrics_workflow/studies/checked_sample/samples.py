"""Scored samples with known classes: two Gaussians, and models trained on real data; labels chosen in four ways."""

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import out_of_sample_scores

__all__ = ["LABELS", "Scored", "draw_gaussians", "draw_real"]

LABELS = ("random", "fourfold", "subgroup", "noise", "none")
"""Which positives are labeled: any; the one that scores highest four times as often as the one that scores lowest; none
of a subgroup of 30%; any, but 10% of the labeled are negative; no row."""

_SUBGROUP = 0.3
_NOISE = 0.1
_LEAST_HIDDEN = 20


class Scored(NamedTuple):
    """Rows with their label, class and score, each of shape (n,)."""

    s: np.ndarray
    y: np.ndarray
    score: np.ndarray
    threshold: float
    """Predicted positive are scores >= threshold."""

    @property
    def noisy(self):
        """Whether some labels are wrong."""
        return bool((self.s > self.y).any())


def draw_gaussians(
    rng,
    *,
    alpha,
    labels,
    n_rows,
    n_labeled,
    n_alarms,
    separation,
):
    """Positives N(separation, 1) and negatives N(0, 1); a subgroup that is never labeled scores 1 lower.

    Parameters
    ----------
    rng : Generator
    alpha : float
        Share of positives among the unlabeled.
    labels : str
        One of :data:`LABELS`.
    n_rows, n_labeled, n_alarms : int
        Rows, labeled rows, and rows predicted positive.
    separation : float

    Returns
    -------
    Scored
    """
    n_labeled = 0 if labels == "none" else n_labeled
    n_wrong = _wrong(labels, n_labeled)
    positives = n_labeled - n_wrong + round(alpha * (n_rows - n_labeled))
    y = np.repeat(np.array([1, 0], dtype=np.int8), [positives, n_rows - positives])
    group = np.arange(n_rows) < (labels == "subgroup") * _SUBGROUP * positives
    score = rng.normal(size=n_rows) + separation * y - group
    weights = _weights(labels, score[y == 1], group[y == 1])
    s = _label(rng, y, weights, n_labeled, n_wrong)
    return Scored(s, y, score, float(np.partition(score, n_rows - n_alarms)[n_rows - n_alarms]))


def draw_real(
    rng,
    frame,
    *,
    alpha,
    labels,
    model,
    n_rows,
    n_labeled,
    n_folds=4,
    **options,
):
    """Rows of a data set with a given alpha, scored by a model that was trained on their labels, out of sample.

    Parameters
    ----------
    rng : Generator
    frame : DataFrame
        Prepared data, features and ``y``.
    alpha, labels
        As in :func:`draw_gaussians`. A subgroup is the 30% of the positives that lie farthest along the direction in
        which positives vary most; the score that labels prefer is that of a logistic regression trained on the classes.
    model : str
        An entry of :data:`pumetrics_workflow.models.registry.MODELS`, with its `options`.
    n_rows, n_labeled : int
        Unlabeled and labeled rows at most.
    n_folds : int

    Returns
    -------
    Scored or None
        None if the set is too small for 20 hidden positives. The threshold is the median score of the labeled.
    """
    y = frame["y"].to_numpy()
    positives, negatives = (rng.permutation(np.flatnonzero(y == each)) for each in (1, 0))
    hidden = int(min(len(positives) // 2, alpha * n_rows, alpha / (1 - alpha) * len(negatives)))
    if hidden < _LEAST_HIDDEN:
        return None
    n_labeled = min(n_labeled, hidden)
    n_wrong = _wrong(labels, n_labeled)
    others = min(round(hidden / alpha) - hidden + n_wrong, len(negatives))
    rows = np.concatenate([positives[: n_labeled - n_wrong + hidden], negatives[:others]])
    data = frame.iloc[rows].drop(columns="y")
    y = y[rows]
    state = int(rng.integers(2**31))
    known = np.empty(0)
    if labels == "fourfold":
        known = _out_of_sample(data, y, "logistic_regression", n_folds, state)[y == 1]
    weights = _weights(
        labels, known, _farthest(data, y) if labels == "subgroup" else np.zeros(y.sum(), dtype=bool)
    )
    s = _label(rng, y, weights, n_labeled, n_wrong)
    score = _out_of_sample(data, s, model, n_folds, state, **options)
    return Scored(s, y, score, float(np.median(score[s == 1])))


def _wrong(labels, n_labeled):
    """Labeled rows that are negative."""
    return round(_NOISE * n_labeled) if labels == "noise" else 0


def _weights(labels, scores, group):
    """How often each positive is labeled, up to a factor."""
    if labels == "fourfold":
        return 1 + 3 * (rankdata(scores) - 1) / max(len(scores) - 1, 1)
    return np.where(group, 0.0, 1.0)


def _label(rng, y, weights, n_labeled, n_wrong):
    """Labels: positives by their weights, and negatives at random."""
    s = np.zeros(len(y), dtype=np.int8)
    s[
        rng.choice(
            np.flatnonzero(y == 1), n_labeled - n_wrong, replace=False, p=weights / weights.sum()
        )
    ] = 1
    s[rng.choice(np.flatnonzero(y == 0), n_wrong, replace=False)] = 1
    return s


def _out_of_sample(
    data,
    labels,
    model,
    n_folds,
    state,
    **options,
):
    """Scores of a model for rows it was not trained on."""
    folds = stratified_folds(labels, n_folds=n_folds, random_state=state)
    return out_of_sample_scores(data, labels, folds, model=model, random_state=state, **options)[0]


def _farthest(data, y):
    """Which positives lie farthest along their first principal component, toward its largest loading."""
    from pumetrics_workflow.models.encoding import encode, standardized

    X = standardized(encode(data))[y == 1]
    X = X - X.mean(axis=0)
    direction = np.linalg.svd(X, full_matrices=False)[2][0]
    place = X @ direction * np.sign(direction[np.argmax(np.abs(direction))])
    return rankdata(place, method="ordinal") > (1 - _SUBGROUP) * len(place)
