"""Every metric by name: the only table of names, labels, ranges and formulas.

Adding a metric of predictions is one entry of ``METRICS`` and one function of ``Rates``; its
maximum over thresholds, ``max_<name>``, comes by itself. Tables, figures, methods and the command read them here.

Measures of the top of a ranking have the form ``<name>_at_k``. Wherever a metric is named, a number or a share of
examples takes the place of k: ``precision_at_100``, ``recall_at_1%``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

import numpy as np

from pumetrics import rates
from pumetrics.metrics.areas import average_precision, roc_auc
from pumetrics.tops import Top, check_population, place_of, top_of

__all__ = [
    "AREAS",
    "AT_THRESHOLD",
    "AT_TOP",
    "MEASURES",
    "METRICS",
    "SUMMARIES",
    "Metric",
    "clipped",
    "find_metric",
    "metric_at",
]

_PRIORS = ("alpha", "beta")


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
    population : {"any", "all", "unlabeled"}
        Whose class mix it depends on: "any", none; otherwise its population unless the caller chooses another:
        "all", labeled and unlabeled examples together, or "unlabeled", those alone.
    needs : tuple of str
        What must be known to recover it.
    formula : callable
        Of an area ``formula(counts, *, alpha, beta, repair, population)``, from ``Counts``; of
        the others ``formula(rates)``, from ``Rates``. Not clipped.
    function : str
        Name of the function of :mod:`pumetrics.metrics` for users; empty if there is none.
    measure : str
        Name of the measure of predictions behind it; empty for areas.
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
    needs: tuple[str, ...]
    formula: Callable
    function: str = ""
    measure: str = ""
    top: Top | None = None
    name: str = ""

    def population_of(self, population=None):
        """The population for a request, "all" or "unlabeled"; None requests the default.

        Also of metrics that depend on no class mix: labels that are no random sample make them differ.
        """
        if population is not None:
            check_population(population)
        return population or ("all" if self.population == "any" else self.population)

    def numbered(self):
        """Return the entry, or raise ValueError if its name has a k without a number."""
        if self.kind == "top" and self.top is None:
            head = f"{self.measure}_at_"
            raise ValueError(f"{head}k needs a number or a share of examples for k, such as {head}100 or {head}1%")
        return self

    def place(self, counts, *, threshold=None, population=None):
        """Where predictions are made among the thresholds of counts: an index, a place between two, or all of them.

        Raises
        ------
        ValueError
            If k has no number, or fewer examples are ranked.
        """
        if self.kind == "top":
            return place_of(counts, self.numbered().top, self.population_of(population))
        everywhere = threshold is None or self.kind == "maximum"
        return slice(None) if everywhere else int(counts.at(threshold))


_WITH_C = (*_PRIORS, "c")
_UNIT, _SIGNED, _POSITIVE = (0.0, 1.0), (-1.0, 1.0), (0.0, np.inf)
_AREAS = {
    "roc_auc": Metric("AUC", "AUC", _UNIT, "area", "any", _PRIORS, roc_auc, "pu_roc_auc_score"),
    "average_precision": Metric(
        "AUC-PR", "AUC-PR", _UNIT, "area", "unlabeled", _WITH_C,
        average_precision, "pu_average_precision_score",
    ),
}  # fmt: skip
_MEASURES = {
    "accuracy": Metric(
        "accuracy", "accuracy", _UNIT, "threshold", "all", _WITH_C, rates.accuracy, "pu_accuracy_score"
    ),
    "balanced_accuracy": Metric(
        "balanced accuracy", "bal. acc.", _UNIT, "threshold", "any", _PRIORS,
        rates.balanced_accuracy, "pu_balanced_accuracy_score",
    ),
    "f1": Metric("F1", "F1", _UNIT, "threshold", "all", _WITH_C, rates.f1, "pu_f1_score"),
    "mcc": Metric("MCC", "MCC", _SIGNED, "threshold", "all", _WITH_C, rates.mcc, "pu_matthews_corrcoef"),
}  # fmt: skip
# One alone says little: moving the threshold makes either as large as one likes, so they have no maximum.
_PARTS = {
    "precision": Metric(
        "precision", "precision", _UNIT, "threshold", "all", _WITH_C, rates.precision, "pu_precision_score"
    ),
    "recall": Metric("recall", "recall", _UNIT, "threshold", "any", _PRIORS, rates.recall, "pu_recall_score"),
}
_TOPS = {
    "precision_at_k": Metric(
        "precision at k", "prec. at k", _UNIT, "top", "all", _WITH_C, rates.precision, "precision_at_k", "precision"
    ),
    "recall_at_k": Metric(
        "recall at k", "recall at k", _UNIT, "top", "all", _WITH_C, rates.recall, "recall_at_k", "recall"
    ),
    "lift_at_k": Metric("lift at k", "lift at k", _POSITIVE, "top", "all", _WITH_C, rates.lift, "lift_at_k", "lift"),
}
_MEASURES, _PARTS = (
    {name: replace(entry, measure=name) for name, entry in table.items()} for table in (_MEASURES, _PARTS)
)
_MAXIMA = {
    f"max_{name}": replace(
        entry, label=f"best {entry.label}", short=f"best {entry.short}", kind="maximum", function="max_score"
    )
    for name, entry in _MEASURES.items()
}
METRICS = {
    name: replace(entry, name=name) for name, entry in {**_AREAS, **_MEASURES, **_MAXIMA, **_PARTS, **_TOPS}.items()
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
        near = get_close_matches(str(name), METRICS, n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
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
    names = {field: f"{getattr(entry, field).removesuffix('k')}{top}" for field in ("label", "short")}
    return replace(entry, **names, top=top)


def clipped(name, value):
    """Clip a float or an array to the range of a metric.

    Examples
    --------
    >>> float(clipped("mcc", -1.2)), float(clipped("f1", 0.4))
    (-1.0, 0.4)
    """
    return np.clip(value, *find_metric(name).range)
