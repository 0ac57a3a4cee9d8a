"""Every metric by name: the only table of names, labels, ranges and formulas.

Adding a metric of predictions is one entry of ``METRICS`` and one function of ``Rates``; its
maximum over thresholds, ``max_<name>``, comes by itself. Tables, figures, methods and the command read them here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from pumetrics import rates
from pumetrics.metrics.areas import average_precision, roc_auc

__all__ = ["AREAS", "MEASURES", "METRICS", "Metric", "clipped", "find_metric"]

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
    kind : {"area", "threshold", "maximum"}
        Area under a curve, measure of the predictions at a threshold, or the maximum of one over all thresholds.
    population : {"any", "all", "chosen"}
        The class mix it depends on: "any", none; "all", that of the whole sample, labeled and unlabeled; or
        "chosen", that of the whole sample or of the unlabeled.
    needs : tuple of str
        What must be known to recover it.
    formula : callable
        Of an area ``formula(counts, *, alpha, beta, repair, population)``, from ``Counts``; of
        the others ``formula(rates)``, from ``Rates``. Not clipped.
    function : str
        Name of the function of :mod:`pumetrics.metrics` for users; empty if there is none.
    measure : str
        Name of the measure of predictions behind it; empty for areas.
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


_WITH_C = (*_PRIORS, "c")
_UNIT, _SIGNED = (0.0, 1.0), (-1.0, 1.0)
_AREAS = {
    "roc_auc": Metric("AUC", "AUC", _UNIT, "area", "any", _PRIORS, roc_auc, "pu_roc_auc_score"),
    "average_precision": Metric(
        "AUC-PR", "AUC-PR", _UNIT, "area", "chosen", _WITH_C,
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
_MEASURES = {name: replace(entry, measure=name) for name, entry in _MEASURES.items()}
METRICS = {
    **_AREAS,
    **_MEASURES,
    **{
        f"max_{name}": replace(
            entry, label=f"best {entry.label}", short=f"best {entry.short}", kind="maximum", function="max_score"
        )
        for name, entry in _MEASURES.items()
    },
}
"""Metrics by name: areas, measures at a threshold, and their maxima."""

AREAS = tuple(_AREAS)
MEASURES = {name: entry.range for name, entry in _MEASURES.items()}
"""Measures of predictions and their ranges, to which estimates are clipped."""


def find_metric(name):
    """Return the entry of a metric.

    Parameters
    ----------
    name : str
        A key of ``METRICS``.

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
    """
    if name not in METRICS:
        near = get_close_matches(str(name), METRICS, n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {name!r}{hint}")
    return METRICS[name]


def clipped(name, value):
    """Clip a float or an array to the range of a metric.

    Examples
    --------
    >>> float(clipped("mcc", -1.2)), float(clipped("f1", 0.4))
    (-1.0, 0.4)
    """
    return np.clip(value, *find_metric(name).range)
