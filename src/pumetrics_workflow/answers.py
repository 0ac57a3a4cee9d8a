"""The names that records and statistics may use: entries of the library's registries, and what a study adds to them.

The registries are looked up by name when a table is written: which names are allowed changes no number, so a new metric,
method or estimator must not count in the code hash of every stage that writes a table.
"""

import difflib
from functools import cache
from importlib import import_module

__all__ = ["NONE", "PRIORS", "TRUTHS", "VARIANTS", "allowed", "check_names"]

NONE = "none"
"""Where a column does not apply: no prior was used, or a statistic is about no metric or no method."""

PRIORS = {
    "true": "the true alpha, beta or label frequency",
    "assumed": "a value that the study assumes; the labeling or a statistic says which",
    "interval": "an interval around the true alpha",
    "mean_score": "the label frequency by the mean score (Tabatabaei et al. 2020)",
}
"""Priors besides those of an estimator, whose name stands for both priors, alpha and beta."""

SUFFIXES = {"clean": "beta taken as 1, only alpha estimated", "own": "from each model's own scores"}
"""What may follow an estimator's name, after an underscore."""

TRUTHS = {
    "same_scores": "the metric by the true classes, for the same scores",
    "supervised": "the metric by the true classes, for scores of the model trained with the true classes",
    "exact": "a closed form",
}
"""Which truth a record stands beside."""

VARIANTS = {
    "indirect": ("none", "monotone", "envelope", "hull", "pu_precision"),
    "bounds_bootstrap": ("positives", "negatives", "tightest"),
    "bounds_hypergeometric": ("pointwise", "positives", "negatives", "tightest"),
    "lee_liu": ("without_m",),
    "mean_score": ("elkan_noto", "published", "corrected"),
}
"""Variants of a method or prior that studies compare; a table names one as ``entry:variant``."""


def check_names(door, table):
    """Raise ValueError if a column of names holds one that is not allowed.

    Parameters
    ----------
    door : {"records", "statistics"}
        A statistic may be about no metric and no method, a record not.
    table : pandas.DataFrame
        With the columns ``metric``, ``method``, ``prior`` and, of records, ``truth_kind``.
    """
    for column in ("metric", "method", "prior", *(["truth_kind"] if door == "records" else [])):
        names = allowed(column)
        extra = {NONE} if door == "statistics" or column == "prior" else set()
        for name in table[column].unique():
            if name not in names and name not in extra:
                near = difflib.get_close_matches(name, names, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(names))}"
                raise ValueError(f"{door}: {column} {name!r} is in no registry; {hint}")


@cache
def allowed(column):
    """Return the names that a column of records may hold, as a frozenset, without "none".

    Parameters
    ----------
    column : {"metric", "method", "prior", "truth_kind"}

    Examples
    --------
    >>> {"roc_auc", "max_f1"} <= allowed("metric"), "indirect:hull" in allowed("method")
    (True, True)
    """
    if column == "truth_kind":
        return frozenset(TRUTHS)
    names = {"metric": _metrics, "method": _methods, "prior": _priors}[column]()
    variants = {f"{name}:{variant}" for name, known in VARIANTS.items() if name in names for variant in known}
    return frozenset(names | variants)


def _metrics():
    return set(import_module("pumetrics.metrics").METRICS)


def _methods():
    return set(import_module("pumetrics.methods").METHODS)


def _priors():
    estimators = import_module("pumetrics.priors.registry").available_priors()
    return {*PRIORS, *estimators, *(f"{name}_{suffix}" for name in estimators for suffix in SUFFIXES)}
