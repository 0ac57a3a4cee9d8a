"""Where to put the threshold: what each one costs and finds against the true class, and which one meets a goal.

Numbers at a threshold that was chosen on the same examples are a little optimistic: check them on others.
"""

from typing import NamedTuple

import numpy as np

from pumetrics._arguments import GOALS, ArgumentError, check_together
from pumetrics._validation import check_fraction, check_range
from pumetrics.counts import count_scores
from pumetrics.inference.selection import check_selection, reweighted
from pumetrics.metrics import clipped, measures_of
from pumetrics.rates import separated
from pumetrics.tops import check_population

__all__ = ["GOALS", "ThresholdChoice", "check_goal", "choose_threshold", "threshold_table"]


class ThresholdChoice(NamedTuple):
    """A threshold that meets a goal, and what it gives on the examples it was chosen on."""

    threshold: float
    """Predict positive for scores >= threshold; infinity if it is best to predict no positives."""
    precision: float
    """Corrected share of positives among the examples predicted positive, in [0, 1]. Like recall and cost, it is NaN if
    it depends on an alpha that is not identified."""
    recall: float
    """Corrected share of the positives that are predicted positive, in [0, 1]."""
    cost: float | None
    """Expected cost per example, in units of the costs given; None if none are."""
    goal: str
    """Goal of the choice, in words."""


def threshold_table(s, y_score, *, alpha, beta=1.0, n_rows=50, population="all", sample_weight=None, selection=1.0):
    """Compute a table of thresholds: shares, corrected measures and expected counts.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label: 1 labeled, 0 unlabeled.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    n_rows : int or None, default=50
        Rows at most: thresholds at about evenly spaced shares of the labeled and of the unlabeled. None for all.
    population : {"all", "unlabeled"}, default="all"
        Population of the table: all examples, or only the unlabeled ones.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.
    selection : float, default=1.0
        How many times as often the positive that scores highest is labeled as the one that scores lowest, see
        :func:`pumetrics.inference.selection.selected_rates`.

    Returns
    -------
    pandas.DataFrame
        One row per threshold, highest first. Columns: ``threshold`` (predict positive for scores >= threshold),
        ``predicted_positive`` (share of the examples), ``precision``, ``recall``, ``f1`` (corrected, in [0, 1]), and
        the expected ``true_positives``, ``false_positives``, ``false_negatives`` and ``true_negatives``. Counts add up
        to the examples; an impossible recovered count is replaced by the nearest possible one. With a `selection`
        other than 1, also ``selection``, the same in all rows.

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, alpha >= beta, fewer than 2 rows, an unknown population, or a
        selection with a beta below 1.

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 2; Ramola, Jain & Radivojac (2019), Eq. 14.

    Examples
    --------
    >>> table = threshold_table([1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1], alpha=0.25)
    >>> table.loc[2, ["threshold", "precision", "recall", "true_positives"]].tolist()
    [4.0, 1.0, 1.0, 3.0]
    """
    import pandas as pd

    counts = count_scores(s, y_score, sample_weight=sample_weight)
    selection = check_selection(selection)
    check_together(selection=selection, beta=beta)
    shown = reweighted(counts, selection, alpha=alpha, population=check_population(population))
    measures = measures_of(shown, alpha=alpha, beta=beta, population=population)
    columns = {name: clipped(name, measures[name]) for name in ("precision", "recall", "f1")}
    tp, fp, fn, tn = _expected(counts, measures["recall"], alpha, beta, population)
    table = pd.DataFrame(
        {
            "threshold": counts.thresholds, "predicted_positive": (tp + fp) / (tp[-1] + fp[-1]), **columns,
            "true_positives": tp, "false_positives": fp, "false_negatives": fn, "true_negatives": tn,
        }
    )  # fmt: skip
    if selection != 1:
        table["selection"] = selection
    return table.iloc[_rows(counts, n_rows)].reset_index(drop=True)


def _expected(counts, tpr, alpha, beta, population):
    """Expected counts of the four cells, each possible."""
    predicted = counts.predicted if population == "all" else counts.unlabeled
    positives = alpha * counts.n_unlabeled + (beta * counts.n_labeled if population == "all" else 0.0)
    n = float(predicted[-1])
    hits = np.clip(positives * tpr, np.maximum(predicted + positives - n, 0.0), np.minimum(predicted, positives))
    return hits, predicted - hits, positives - hits, n - positives - (predicted - hits)


def _rows(counts, n_rows):
    """Thresholds to show, below infinity."""
    m = len(counts.thresholds)
    if n_rows is None or m - 1 <= check_range(n_rows, "n_rows", 2, np.inf):
        return np.arange(1, m)
    goals = np.linspace(0, 1, int(n_rows) // 2 + 1)[1:]
    kept = [np.searchsorted(share, goals * (1 - 1e-9)) for share in (counts.tpr_pu, counts.fpr_pu)]
    return np.unique(np.minimum(np.concatenate(kept), m - 1))


def check_goal(*, cost_fp=None, cost_fn=None, min_precision=None, min_recall=None):
    """Return the goal of a threshold as a dict, empty without one, or raise ValueError unless it is a single one.

    Examples
    --------
    >>> check_goal(cost_fp=1, cost_fn=20)
    {'cost_fp': 1.0, 'cost_fn': 20.0}
    """
    given = {"cost_fp": cost_fp, "cost_fn": cost_fn, "min_precision": min_precision, "min_recall": min_recall}
    given = {name: value for name, value in given.items() if value is not None}
    check_together(**given)
    if "cost_fp" in given or "cost_fn" in given:
        if len(given) == 1:
            raise ArgumentError(*given, "is one of two costs: give that of a false positive and of a false negative")
        values = {name: float(check_range(value, name, 0.0, np.inf)) for name, value in given.items()}
        if not 0 < sum(values.values()) < np.inf:
            raise ArgumentError("cost_fp", "must be finite, like the cost of a false negative, and not both must be 0")
        return values
    return {name: check_fraction(value, name) for name, value in given.items()}


def choose_threshold(
    s,
    y_score,
    *,
    alpha,
    beta=1.0,
    cost_fp=None,
    cost_fn=None,
    min_precision=None,
    min_recall=None,
    population="all",
    sample_weight=None,
):
    """Threshold with the least expected cost, or that reaches a wanted precision or recall with the most of the other.

    Parameters
    ----------
    s, y_score, alpha, beta, population, sample_weight
        See :func:`threshold_table`.
    cost_fp, cost_fn : float, optional
        Costs of a false positive and of a false negative, at least 0, in any unit.
    min_precision, min_recall : float, optional
        Wanted corrected precision or recall, in [0, 1].

    Returns
    -------
    ThresholdChoice
        Of equal ones the highest threshold.

    Raises
    ------
    ValueError
        Unless one goal is given (both costs, a precision or a recall), or if no threshold reaches it: the message says
        which comes closest. Otherwise as :func:`threshold_table`.

    References
    ----------
    Elkan (2001), "The foundations of cost-sensitive learning", Section 2, with recovered rates.

    Examples
    --------
    >>> s, y_score = [1, 1, 0, 0, 0, 0], [6, 4, 5, 3, 2, 1]
    >>> choose_threshold(s, y_score, alpha=0.25, min_recall=0.9).threshold
    4.0
    >>> choice = choose_threshold(s, y_score, alpha=0.25, cost_fp=1, cost_fn=20)
    >>> choice.threshold, choice.cost, choice.goal
    (4.0, 0.0, 'least cost (false positive 1, false negative 20)')
    """
    options = {"cost_fp": cost_fp, "cost_fn": cost_fn, "min_precision": min_precision, "min_recall": min_recall}
    goal = check_goal(**options)
    if not goal:
        raise ValueError("a threshold needs a goal: give cost_fp and cost_fn, min_precision, or min_recall")
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    measures = measures_of(counts, alpha=alpha, beta=beta, population=check_population(population))
    precision, recall = (clipped(name, measures[name]) for name in ("precision", "recall"))
    cost = None
    if "cost_fp" in goal:
        costs = _costs(counts, goal, alpha, beta, population)
        at = int(np.argmin(costs))
        cost, words = float(costs[at]), "least cost (false positive {cost_fp:g}, false negative {cost_fn:g})"
    else:
        (wanted,) = goal
        reached, other = (precision, recall) if wanted == "min_precision" else (recall, precision)
        at = _best_that_reaches(counts, wanted.removeprefix("min_"), reached, other, goal[wanted])
        words = f"{wanted.removeprefix('min_')} of at least {{{wanted}:g}}"
    chosen = float(counts.thresholds[at]), float(precision[at]), float(recall[at])
    return ThresholdChoice(*chosen, cost, words.format(**goal))


def _costs(counts, goal, alpha, beta, population):
    """Expected cost per example at every threshold."""
    tpr, fpr = separated(counts.tpr_pu, counts.fpr_pu, alpha, beta)
    prior = alpha if population == "unlabeled" else counts.c * beta + (1 - counts.c) * alpha
    return goal["cost_fp"] * (1 - prior) * np.clip(fpr, 0, 1) + goal["cost_fn"] * prior * (1 - np.clip(tpr, 0, 1))


def _best_that_reaches(counts, name, reached, other, least):
    """Index of the threshold with the most of `other` among those that reach `least`."""
    able = np.flatnonzero(reached[1:] >= least - 1e-12) + 1  # at infinity no example is predicted positive
    if able.size:
        return int(able[np.argmax(other[able])])
    best = 1 + int(np.argmax(reached[1:]))
    raise ValueError(
        f"no threshold reaches a corrected {name} of {least:g}: the largest is {reached[best]:.3g}, at the threshold "
        f"{counts.thresholds[best]:.6g}; choose a lower limit"
    )
