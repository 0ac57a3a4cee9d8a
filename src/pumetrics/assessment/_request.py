"""What is requested of an assessment: its metrics, and the threshold that meets a goal."""

from dataclasses import replace
from functools import partial
from numbers import Real

import numpy as np

from pumetrics._arguments import check_together
from pumetrics.inference.answers import corrections
from pumetrics.inference.sample import ARGUMENTS, SCORED
from pumetrics.metrics import AT_THRESHOLD, AT_TOP, metric_at
from pumetrics.priors.interval import identifies
from pumetrics.thresholds import GOALS, check_goal, choose_threshold

__all__ = ["OpenThresholdError", "chosen_threshold", "metrics_for"]

_SAME = 0.9  # thresholds are nearly the same if the examples flagged by one are at least this share of the other's
_MOST_ALPHA = 0.995  # of beta: beyond, corrections divide by next to nothing


class OpenThresholdError(ValueError):
    """The threshold for a goal depends on alpha, which is not identified."""


def metrics_for(metrics=None, *, threshold=None, at=()):
    """Names of the metrics to report.

    Parameters
    ----------
    metrics : sequence of str, optional
        By default areas and measures of predictions; with a threshold, precision and recall among them.
    threshold : float, optional
    at : int, float, str or a sequence of them
        Tops of the ranking, such as 100 or "1%", for which precision, recall and lift are reported, or only the metrics
        at k that `metrics` names, if any.

    Returns
    -------
    list of str
        Metrics of tops are last, unless `metrics` begins with one.

    Raises
    ------
    ValueError
        If `at` contains anything other than numbers and shares of examples.

    Examples
    --------
    >>> metrics_for(["roc_auc"], at=[50, 0.01])  # doctest: +NORMALIZE_WHITESPACE
    ['roc_auc', 'precision_at_50', 'recall_at_50', 'lift_at_50', 'precision_at_1%', 'recall_at_1%', 'lift_at_1%']
    >>> metrics_for(["recall_at_k"], at="5%")
    ['recall_at_5%']
    """
    if isinstance(metrics, str):
        return metrics  # refused where metrics are checked
    tops = [at] if isinstance(at, str | Real) else list(at)
    names = list(SCORED if metrics is None or len(metrics) == 0 else metrics)
    if metrics is None and threshold is not None:
        names += [name for name in AT_THRESHOLD if name not in SCORED]
    if tops:
        families = [name for name in names if name in AT_TOP] or AT_TOP
        named = [metric_at(name, k) for k in tops for name in families]
        others = [name for name in names if name not in AT_TOP]
        names = named + others if names[0] in AT_TOP else others + named
    return list(dict.fromkeys(names))


def chosen_threshold(goal, sample, labels, ask, estimates):
    """Threshold that meets a goal with the priors of an assessment, None without a goal.

    Parameters
    ----------
    goal : dict or None
        See :func:`pumetrics.thresholds.choose_threshold`.
    sample : Sample
    labels : Labels
    ask : Ask
    estimates : PriorEstimates

    Returns
    -------
    ThresholdChoice or None

    Raises
    ------
    ValueError
        On an unknown goal; if a threshold is given as well, or folds, each of which has its own; if no threshold meets
        the goal; if alpha is a range, or not identified, and its ends choose different thresholds.
    """
    unknown = [name for name in goal or {} if name not in GOALS]
    if unknown:
        raise ValueError(f"goal has no key {unknown[0]!r}: use one of {', '.join(GOALS)}")
    goal = check_goal(**(goal or {}))
    if not goal:
        return None
    design = sample.design
    check_together(
        threshold=ask.threshold, selection=labels.selection, **goal, **dict(zip(ARGUMENTS, design or (), strict=False))
    )
    priors = corrections(sample, labels, replace(ask, n_bootstrap=0), estimates)
    counts = sample.full[0].folds[0]
    choose = partial(choose_threshold, None, counts, beta=priors.beta, population=ask.population, **goal)
    if priors.alpha_interval and (priors.uncertainty == "range" or not priors.alpha_identified):
        _check_ends(choose, counts, priors.alpha_interval, priors.beta)
        choice = choose(alpha=priors.alpha)
        if not identifies(*priors.alpha_interval):
            recall = choice.recall if priors.beta == 1 else np.nan
            choice = choice._replace(precision=np.nan, recall=recall, cost=choice.cost and np.nan)
        return choice
    return choose(alpha=priors.alpha)


def _check_ends(choose, counts, ends, beta):
    """Raise ValueError unless `choose` takes nearly the same threshold at both ends of alpha's range."""
    flagged, words = [], []
    for alpha in ends:
        try:
            threshold = choose(alpha=min(alpha, _MOST_ALPHA * beta)).threshold
        except ValueError:  # out of reach
            flagged.append(np.nan)
            words.append(f"at {alpha:.3g} no threshold reaches the goal")
        else:
            flagged.append(counts.predicted[counts.at(threshold)] / counts.n)
            words.append(f"at {alpha:.3g} it is {threshold:.6g}, which flags {flagged[-1]:.1%} of the examples")
    if not min(flagged) >= _SAME * max(flagged):  # also if one is NaN
        raise OpenThresholdError(
            f"alpha lies between {ends[0]:.3g} and {ends[1]:.3g}, and the threshold depends on it: "
            f"{' and '.join(words)}; give alpha (--alpha), a range of alpha from a checked random sample of the "
            "unlabeled, or one of the thresholds"
        )
