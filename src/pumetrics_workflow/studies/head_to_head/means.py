"""Performance of every method: means by data set and over data sets, and in which order labelings are shown."""

import pandas as pd

from pumetrics.metrics import METRICS
from pumetrics_workflow.controls import CONTROLS
from pumetrics_workflow.labelings import LABELINGS, parameters_of

__all__ = [
    "ALL_SCAR",
    "ERRORS",
    "HOME",
    "KEYS",
    "SELECTION",
    "by_set",
    "candidates",
    "place_of",
    "summary",
]

KEYS = ["metric", "labeling", "method", "prior"]
ERRORS = ("bias", "absolute_error", "failed", "coverage", "width", "interval_score")
SELECTION = ("regret", "inversions")
HOME = LABELINGS["bcar"].situation  # what all methods but those for label noise assume
ALL_SCAR = "SCAR"  # in the place of a labeling: all that draw at random and take no negative for a positive


def by_set(statistics):
    """Means over repeats.

    Parameters
    ----------
    statistics : pandas.DataFrame
        Those of the pool.

    Returns
    -------
    pandas.DataFrame
        One row per data set, labeling, metric, method and prior; a column per performance measure, which may be NaN.
    """
    kinds = [*ERRORS, *SELECTION]
    keys = [*KEYS, "dataset"]
    # Codes instead of text first: a copy of some million rows of text takes much memory.
    part = pd.DataFrame(
        {name: statistics[name].astype("category") for name in [*keys, "statistic"]}
    )
    part["value"] = statistics["value"]
    part = part[part["statistic"].isin(kinds) & part["metric"].isin(METRICS)]
    grouped = part.groupby([*keys, "statistic"], observed=True)["value"]
    means = grouped.mean().unstack("statistic").reindex(columns=kinds)
    # Failures are written only where there are any, regret always.
    failures, runs = (
        table.unstack("statistic").reindex(index=means.index, columns=["failed", "regret"])
        for table in (grouped.sum(), grouped.size())
    )
    means["failed"] = failures["failed"].fillna(0.0) / runs["regret"]
    table = means.rename_axis(columns=None).reset_index()
    return table.astype(dict.fromkeys(keys, str)).sort_values(keys, ignore_index=True)


def summary(sets, columns):
    """Means over data sets, and how many there are.

    Parameters
    ----------
    sets : pandas.DataFrame
        As :func:`by_set` returns it.
    columns : sequence of str
        What is averaged; the first must be known where the method has an answer of this sort.

    Returns
    -------
    pandas.DataFrame
        By :data:`KEYS`.
    """
    table = sets[sets["method"].isin(sets.loc[sets[columns[0]].notna(), "method"])]
    grouped = table.groupby(KEYS)
    means = grouped[list(columns)].mean()
    means.insert(0, "sets", grouped["dataset"].nunique())
    return means.reset_index()


def candidates(table, *, known=True):
    """Rows of methods that may be recommended: no controls and, unless priors are known, none that are given them.

    Parameters
    ----------
    table : pandas.DataFrame
        With columns ``method`` and ``prior``.
    known : bool
        Whether the true priors are known.
    """
    table = table[~table["method"].isin(CONTROLS)]
    return table if known else table[table["prior"] != "true"]


def place_of(labeling):
    """Order of labelings: by kind as the registry has them, then from mild to severe.

    Examples
    --------
    >>> sorted(["bcar=0.3", "beta=0.75", "beta=1"], key=place_of)
    ['beta=1', 'beta=0.75', 'bcar=0.3']
    """
    ((kind, strength),) = parameters_of(labeling).items()
    return list(LABELINGS).index(kind), -strength if kind == "beta" else strength
