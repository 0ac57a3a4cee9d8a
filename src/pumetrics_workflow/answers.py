"""Records and statistics: how they are split and written, and which names they may use.

A metric, method or prior in a table is an entry of the library's registry, or one of the few names below.
"""

from pumetrics.metrics import METRICS
from pumetrics.priors import available_priors
from pumetrics_workflow.config import nearest
from pumetrics_workflow.controls import METHODS
from pumetrics_workflow.tables import SCHEMAS, complete, empty, write_checked

__all__ = [
    "NONE",
    "PRIORS",
    "TRUTHS",
    "VARIANTS",
    "allowed",
    "check_names",
    "split_answers",
    "write_answers",
]

NONE = "none"
"""Value of a column that does not apply: no prior was used, or a statistic does not refer to a metric or method."""

PRIORS = {
    "true": "the true alpha, beta or label frequency",
    "assumed": "a value that the study assumes; the labeling or a statistic says which",
    "interval": "an interval around the true alpha",
    "mean_score": "the label frequency by the mean score (Tabatabaei et al. 2020)",
}
"""Priors other than those of an estimator, whose name denotes both priors, alpha and beta."""

SUFFIXES = {"clean": "beta taken as 1, only alpha estimated", "own": "from each model's own scores"}
"""What may follow an estimator's name, after an underscore."""

TRUTHS = {
    "same_scores": "the metric by the true classes, for the same scores",
    "supervised": "the metric by the true classes, for scores of the model trained with the true classes",
    "exact": "a closed form",
}
"""Truth with which a record is compared."""

VARIANTS = {
    "indirect": ("none", "monotone", "envelope", "hull", "pu_precision"),
    "bounds_bootstrap": ("positives", "negatives", "tightest"),
    "bounds_hypergeometric": ("pointwise", "positives", "negatives", "tightest"),
    "lee_liu": ("without_m",),
    "mean_score": ("elkan_noto", "published", "corrected"),
    "average_precision": (
        "trapezoid",
        "davis_goadrich",
        "negative_step",
        "negative_trapezoid",
        "negative_davis_goadrich",
    ),
}
"""Variants of a metric, method or prior that studies compare; a table names one as ``entry:variant``."""


def check_names(kind, table):
    """Raise ValueError if a column of names holds one that is not allowed.

    Parameters
    ----------
    kind : {"records", "statistics"}
        A statistic need not refer to a metric and a method; a record must.
    table : pandas.DataFrame
        Its columns ``metric``, ``method``, ``prior`` and ``truth_kind`` are checked, those that it has.
    """
    for column in ("metric", "method", "prior", "truth_kind"):
        if column not in table:
            continue
        names = allowed(column)
        extra = {NONE} if kind == "statistics" or column == "prior" else set()
        for name in table[column].unique():
            if name not in names and name not in extra:
                hint = nearest(name, sorted(names))
                if kind == "statistics":
                    hint += f"; or make it part of statistic, with {column} {NONE!r}"
                raise ValueError(f"{kind}: {column} {name!r} is not in any registry{hint}")


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
    estimators = available_priors()
    priors = {
        *PRIORS,
        *estimators,
        *(f"{name}_{suffix}" for name in estimators for suffix in SUFFIXES),
    }
    names = {"metric": METRICS, "method": METHODS, "prior": priors}[column]
    variants = {
        f"{name}:{variant}"
        for name, known in VARIANTS.items()
        if name in names
        for variant in known
    }
    return frozenset({*names, *variants})


def split_answers(rows):
    """Split rows into records (without a ``statistic``) and statistics (with one).

    Parameters
    ----------
    rows : pandas.DataFrame or list of dict
        Rows of records and statistics, in any order.

    Returns
    -------
    records, statistics : pandas.DataFrame
        Each with the columns of its schema, without required columns that `rows` lacks.

    Raises
    ------
    ValueError
        If a record has a value in a column of statistics, or the other way round.

    Examples
    --------
    >>> rows = [{"metric": "f1", "estimate": 0.5}, {"statistic": "regret", "value": 0.1}]
    >>> records, statistics = split_answers(rows)
    >>> records[["metric", "estimate", "lower"]].to_numpy().tolist()
    [['f1', 0.5, nan]]
    >>> statistics[["statistic", "metric", "value"]].to_numpy().tolist()
    [['regret', 'none', 0.1]]
    """
    import pandas as pd

    table = pd.DataFrame(rows)
    is_statistic = table.get("statistic", pd.Series(index=table.index, dtype=object)).notna()
    return tuple(
        _part(kind, table[chosen])
        for kind, chosen in (("records", ~is_statistic), ("statistics", is_statistic))
    )


def _part(kind, table):
    """Rows of one schema with all its columns, without those of the other, which must be empty."""
    if not len(table):
        return empty(kind)
    others = {name for other in ("records", "statistics") for name in SCHEMAS[other]} - set(
        SCHEMAS[kind]
    )
    filled = [name for name in table.columns if name in others and table[name].notna().any()]
    if filled:
        raise ValueError(
            f"{kind}: a row has a value in column {filled[0]}; allowed are {', '.join(SCHEMAS[kind])}"
        )
    table = table[[name for name in table.columns if name not in others]]
    return complete(kind, table)


def write_answers(rows, path, **provenance):
    """Write the records and the statistics of a job into its file.

    Parameters
    ----------
    rows : pandas.DataFrame or list of dict
        See :func:`split_answers`.
    path : path-like
    **provenance
        See :func:`pumetrics_workflow.tables.write`.

    Raises
    ------
    ValueError
        If a name is in no registry, or as :func:`split_answers` and :func:`pumetrics_workflow.tables.write`.
    """
    tables = dict(zip(("records", "statistics"), split_answers(rows), strict=True))
    for kind, table in tables.items():
        check_names(kind, table)
    write_checked(tables, path, {"kind": "answers", **provenance})
