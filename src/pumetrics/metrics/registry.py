"""Every metric by name: the only table of names, labels, ranges and formulas, and what these compute from counts.

Adding a metric of predictions is one entry of ``METRICS`` and one function of ``Rates``; its
maximum over thresholds, ``max_<name>``, comes by itself. Tables, figures, methods and the command read them here.

Measures of the top of a ranking have the form ``<name>_at_k``. Wherever a metric is named, a number or a share of
examples takes the place of k: ``precision_at_100``, ``recall_at_1%``.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from pumetrics import rates
from pumetrics.arguments import suggestion
from pumetrics.counts import count_scores
from pumetrics.curves import precision_recall, recovered, recovered_curve
from pumetrics.rates import separated, with_shares
from pumetrics.tops import Top, at_place, place_of, top_of
from pumetrics.validation import check_priors

__all__ = [
    "AREAS",
    "AT_THRESHOLD",
    "AT_TOP",
    "MEASURES",
    "METRICS",
    "SUMMARIES",
    "Metric",
    "average_precision",
    "clipped",
    "find_metric",
    "measures_of",
    "metric_at",
    "rates_at",
    "rates_of_tables",
    "roc_auc",
    "roc_auc_pu",
    "threshold_measures",
]


def roc_auc_pu(counts):
    """Area under the ROC curve of labeled against unlabeled examples."""
    return float(np.trapezoid(counts.tpr_pu, counts.fpr_pu))


def roc_auc(counts, *, alpha, beta, repair="envelope", population="all"):
    """Area under the ROC curve recovered threshold by threshold and repaired; not clipped.

    Parameters
    ----------
    counts : Counts
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    repair : str
        One of ``REPAIRS``.
    population
        Not used: this area does not depend on the prevalence.

    Returns
    -------
    float

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 2.
    """
    fpr, tpr = recovered_curve(counts, alpha=alpha, beta=beta, repair=repair)
    return float(np.trapezoid(tpr, fpr))


def average_precision(counts, *, alpha, beta, repair="envelope", population="all"):
    """Area under the recovered precision-recall curve, in [0, 1].

    Parameters
    ----------
    counts, alpha, beta, repair
        As for :func:`roc_auc`.
    population : {"all", "unlabeled"}
        Population of precision.

    Returns
    -------
    float

    References
    ----------
    Jain, White & Radivojac (2017), Eqs. 1 and 3.
    """
    precision, recall = precision_recall(
        counts, alpha=alpha, beta=beta, population=population, repair=repair
    )
    return float(min(max(np.sum(np.diff(recall) * precision[1:]), 0.0), 1.0))


@dataclass(frozen=True)
class Metric:
    """Name, range and formula of a metric.

    Attributes
    ----------
    label : str
        Its name in figures and tables.
    short : str
        The same for narrow tables.
    range : (float, float)
        To which estimates are clipped.
    kind : {"area", "threshold", "maximum", "top"}
        Area under a curve, measure of the predictions at a threshold, the maximum of one over all thresholds, or
        measure of the top of a ranking as predictions.
    population : {"any", "all"}
        Whose prevalence it depends on: "any", none; "all", that of labeled and unlabeled examples together, unless the
        caller chooses the unlabeled alone.
    formula : callable
        Of an area ``formula(counts, *, alpha, beta, repair, population)``, from ``Counts``; of
        the others ``formula(rates)``, from ``Rates``. Not clipped.
    function : str
        Name of the function of :mod:`pumetrics.metrics` for users; empty if there is none.
    top : Top or None
        What is predicted positive, for a measure of the top of a ranking with a number in place of k.
    name : str
        Its key in ``METRICS``.
    """

    label: str
    short: str
    range: tuple[float, float]
    kind: str
    population: str
    formula: Callable
    function: str = ""
    top: Top | None = None
    name: str = ""

    @property
    def measure(self):
        """Name of the measure of predictions; of an area its own."""
        return self.name.removeprefix("max_").removesuffix("_at_k")

    def numbered(self):
        """Return the entry, or raise ValueError if its name has a k without a number."""
        if self.kind == "top" and self.top is None:
            head = self.name.removesuffix("k")
            raise ValueError(
                f"{self.name} needs a number or a share of examples for k, such as {head}100 or {head}1%"
            )
        return self

    def place(self, counts, *, threshold=None, population="all"):
        """Where predictions are made among the thresholds of counts: an index, a place between two, or all of them.

        Raises
        ------
        ValueError
            If k has no number, or fewer examples are ranked.
        """
        if self.kind == "top":
            return place_of(counts, self.numbered().top, population)
        everywhere = threshold is None or self.kind == "maximum"
        return slice(None) if everywhere else int(counts.at(threshold))


_UNIT = (0.0, 1.0)
_SIGNED = (-1.0, 1.0)
_POSITIVE = (0.0, np.inf)
_AREAS = {
    "roc_auc": Metric("AUC", "AUC", _UNIT, "area", "any", roc_auc, "pu_roc_auc_score"),
    "average_precision": Metric(
        "AUC-PR", "AUC-PR", _UNIT, "area", "all", average_precision, "pu_average_precision_score"
    ),
}
_MEASURES = {
    "accuracy": Metric(
        "accuracy", "accuracy", _UNIT, "threshold", "all", rates.accuracy, "pu_accuracy_score"
    ),
    "balanced_accuracy": Metric(
        "balanced accuracy",
        "bal. acc.",
        _UNIT,
        "threshold",
        "any",
        rates.balanced_accuracy,
        "pu_balanced_accuracy_score",
    ),
    "f1": Metric("F1", "F1", _UNIT, "threshold", "all", rates.f1, "pu_f1_score"),
    "mcc": Metric("MCC", "MCC", _SIGNED, "threshold", "all", rates.mcc, "pu_matthews_corrcoef"),
}
# One alone says little: moving the threshold makes either as large as one likes, so they have no maximum.
_PARTS = {
    "precision": Metric(
        "precision", "precision", _UNIT, "threshold", "all", rates.precision, "pu_precision_score"
    ),
    "recall": Metric(
        "recall", "recall", _UNIT, "threshold", "any", rates.recall, "pu_recall_score"
    ),
}
_TOPS = {
    "precision_at_k": Metric(
        "precision at k",
        "prec. at k",
        _UNIT,
        "top",
        "all",
        rates.precision,
        "precision_at_k",
    ),
    "recall_at_k": Metric(
        "recall at k", "recall at k", _UNIT, "top", "all", rates.recall, "recall_at_k"
    ),
    "lift_at_k": Metric("lift at k", "lift at k", _POSITIVE, "top", "all", rates.lift, "lift_at_k"),
}
_MAXIMA = {
    f"max_{name}": replace(
        entry,
        label=f"best {entry.label}",
        short=f"best {entry.short}",
        kind="maximum",
        function="max_score",
    )
    for name, entry in _MEASURES.items()
}
METRICS = {
    name: replace(entry, name=name)
    for name, entry in {**_AREAS, **_MEASURES, **_MAXIMA, **_PARTS, **_TOPS}.items()
}
"""Metrics by name: areas, measures at a threshold, their maxima, and measures of the top of a ranking."""

AREAS = tuple(_AREAS)
MEASURES = {name: entry.range for name, entry in _MEASURES.items()}
"""Measures of predictions that have a maximum over thresholds, and their ranges, to which estimates are clipped."""
SUMMARIES = (*_AREAS, *_MEASURES, *_MAXIMA)
"""Metrics that can rank models: all except precision, recall and lift, which are not meaningful alone."""
AT_THRESHOLD = (*_MEASURES, *_PARTS)
"""Metrics of predictions at a threshold."""
AT_TOP = tuple(_TOPS)
"""Metrics of the top of a ranking, with k in their names."""


def metric_at(name, k):
    """Name of a measure of the top of a ranking.

    Parameters
    ----------
    name : str
        One of ``AT_TOP``.
    k : int, float or str
        Number or share of examples, see :func:`pumetrics.tops.top_of`.

    Returns
    -------
    str

    Examples
    --------
    >>> metric_at("recall_at_k", 0.01)
    'recall_at_1%'
    """
    return f"{name.removesuffix('k')}{top_of(k)}"


def find_metric(name):
    """Return the entry of a metric.

    Parameters
    ----------
    name : str
        A key of ``METRICS``; with k in it, also with a number or a percentage in its place.

    Returns
    -------
    Metric

    Raises
    ------
    ValueError
        If there is no such metric; the message suggests one.

    Examples
    --------
    >>> find_metric("max_f1").label
    'best F1'
    >>> find_metric("precision_at_1%").label
    'precision at 1%'
    """
    entry = METRICS.get(name) or _numbered(name) if isinstance(name, str) else None
    if entry is None:
        hint = suggestion(name, METRICS, ": did you mean {!r}?")
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {name!r}{hint}")
    return entry


@lru_cache(maxsize=1000)
def _numbered(name):
    """Entry of a measure of the top of a ranking with a number in place of k, or None."""
    head, found, k = name.rpartition("_at_")
    entry = METRICS.get(f"{head}_at_k") if found else None
    if entry is None:
        return None
    top = top_of(k)
    label = f"{entry.label.removesuffix('k')}{top}"
    short = f"{entry.short.removesuffix('k')}{top}"
    return replace(entry, label=label, short=short, top=top)


def clipped(name, value):
    """Clip a float or an array to the range of a metric.

    Examples
    --------
    >>> float(clipped("mcc", -1.2)), float(clipped("f1", 0.4))
    (-1.0, 0.4)
    """
    return np.clip(value, *find_metric(name).range)


def bounded(name, value, *, frames):
    """Clip an estimate to the range of a metric, with a warning if that moves it by more than rounding.

    Parameters
    ----------
    name : str
    value : float
    frames : int
        How many calls up the warning is shown.

    Returns
    -------
    float

    Warns
    -----
    UserWarning
        If the estimate is outside.
    """
    warn_if_outside(name, value, frames=frames + 1)
    return float(clipped(name, value))


def warn_if_outside(name, value, *, frames):
    """Warn if an estimate lies outside of the range of a metric: the priors do not fit, or the sample is small."""
    entry = find_metric(name)
    low, high = entry.range
    if low - _ROUNDING <= value <= high + _ROUNDING:
        return
    warnings.warn(
        f"the corrected {entry.label} is {value:.3g}, and {low:g} to {high:g} is possible: alpha is too high for these "
        "scores, or the sample is small; it is clipped, and clip=False returns it as it is",
        stacklevel=frames + 1,
    )


_ROUNDING = 1e-9


def measures_of(counts, *, alpha=0.0, beta=1.0, at=slice(None), population="all"):
    """Every measure of predictions that ``METRICS`` holds, from counts; not clipped.

    Parameters
    ----------
    counts : Counts
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1. The defaults correct
        nothing: they give uncorrected measures or, of counts of the true class, the true ones.
    at : int, float or slice
        Thresholds to take them at, by index; all by default. Between two, counts are interpolated.
    population : {"all", "unlabeled"}, default="all"
        Labeled and unlabeled examples together, or the unlabeled alone.

    Returns
    -------
    dict of str to float or ndarray

    Raises
    ------
    ValueError
        If alpha >= beta, one of them is out of range, or the population is unknown.

    Examples
    --------
    >>> measures_of(count_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]), at=2)["accuracy"]
    0.75
    """
    rates = rates_at(counts, alpha=alpha, beta=beta, at=at, population=population)
    return {name: METRICS[name].formula(rates) for name in AT_THRESHOLD}


def rates_at(counts, *, alpha=0.0, beta=1.0, at=slice(None), population="all"):
    """What measures of predictions are made of, see :func:`measures_of`.

    Returns
    -------
    Rates

    Examples
    --------
    >>> float(rates_at(count_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]), at=1.5).tpr)
    0.75
    """
    alpha, beta = check_priors(alpha, beta)
    seen = counts.tpr_pu, counts.fpr_pu
    # Shares of counts need no check; of one place alone the rates are recovered there, not at all thresholds.
    if isinstance(at, slice):
        rates = recovered(counts, alpha, beta)
        seen, rates = ([rate[at] for rate in pair] for pair in (seen, rates))
    else:
        seen = [at_place(rate, at) for rate in seen]
        rates = separated(*seen, alpha, beta)
    return with_shares(seen, rates, alpha, beta, counts.c, population)


def rates_of_tables(tables):
    """What measures of predictions are made of, from contingency tables.

    Parameters
    ----------
    tables : ndarray of shape (n_tables, 4)
        True positives, false positives, false negatives and true negatives, with examples of both classes.

    Returns
    -------
    Rates
    """
    tp, fp, fn, tn = tables.T
    positive = tp + fn
    negative = fp + tn
    c = positive / (positive + negative)
    c = float(c[0]) if (c == c[0]).all() else c
    seen = rates.check_rates(tpr_pu=tp / positive, fpr_pu=fp / negative)
    return with_shares(seen, separated(*seen, 0.0, 1.0), 0.0, 1.0, c, "all")


def threshold_measures(s, y_score, *, alpha=0.0, beta=1.0, sample_weight=None):
    """Compute accuracy, balanced accuracy, F1, Matthews correlation, precision and recall at every threshold.

    All measures refer to the whole sample, labeled and unlabeled. The default priors correct nothing: with `s` they
    give the uncorrected measures, with the true class in place of `s` the true measures at the same thresholds.

    Parameters
    ----------
    s : array-like of shape (n_samples,)
        Observed label, 1 labeled, 0 unlabeled; or the true class.
    y_score : array-like of shape (n_samples,)
        Scores, higher means more positive.
    alpha, beta : float
        Share of positives among the unlabeled and among the labeled, 0 <= alpha < beta <= 1.
    sample_weight : array-like of shape (n_samples,), optional
        Number of examples that each row represents, at least 0.

    Returns
    -------
    dict of ndarray of shape (n_thresholds,)
        "threshold" (infinity, then the distinct scores in descending order: predict positive for scores >= threshold),
        and one entry per measure of ``METRICS``, not clipped.

    Raises
    ------
    ValueError
        On invalid labels or scores, different lengths, or alpha >= beta.

    References
    ----------
    Ramola, Jain & Radivojac (2019), Eqs. 12 to 15.

    Examples
    --------
    >>> measures = threshold_measures([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> measures["threshold"], measures["accuracy"]
    (array([inf, 0.9, 0.5, 0.1]), array([0.5 , 0.75, 0.75, 0.5 ]))
    """
    counts = count_scores(s, y_score, sample_weight=sample_weight)
    return {"threshold": counts.thresholds, **measures_of(counts, alpha=alpha, beta=beta)}
