"""Where a method breaks: its error under each labeling against its error where its assumption holds."""

import pandas as pd

from pumetrics.labeling import LABELINGS, situation
from pumetrics_workflow.studies.head_to_head.means import candidates

__all__ = ["ALL_SCAR", "HOME", "breaking"]

_FAR = 0.05  # of a score between 0 and 1: enough to change a decision
HOME = LABELINGS["bcar"].situation  # what all methods but those for label noise assume
ALL_SCAR = "SCAR"  # in the place of a labeling: all that draw at random and take no negative for a positive


def breaking(errors):
    """Errors of every method by labeling, and under which labelings it breaks.

    Parameters
    ----------
    errors : pandas.DataFrame
        The table ``errors``.

    Returns
    -------
    pandas.DataFrame
        One row per metric, method and prior: ``at_home`` (mean absolute error under SCAR without label
        noise), one column per labeling, ``breaks_under`` (labelings under which the error is more than 0.05
        above that) and ``worse_than_uncorrected`` (labelings under which the uncorrected metric has a smaller error).
    """
    table = candidates(errors)
    wide = table.pivot(index=["metric", "method", "prior"], columns="labeling", values="absolute_error")
    labelings = list(wide.columns)
    home = [name for name in labelings if situation(name) == HOME]
    at_home = wide[home].mean(axis=1) if home else pd.Series(float("nan"), index=wide.index)
    uncorrected = table[table["method"] == "uncorrected"].pivot(
        index="metric", columns="labeling", values="absolute_error"
    )
    plain = uncorrected.reindex(index=wide.index.get_level_values("metric"), columns=labelings)
    broken, worse = wide.gt(at_home + _FAR, axis=0), wide.gt(plain.to_numpy())
    marked = wide.assign(breaks_under=_named(broken), worse_than_uncorrected=_named(worse))
    marked.insert(0, "at_home", at_home)
    return marked.rename_axis(columns=None).reset_index()


def _named(flags):
    return [", ".join(flags.columns[row]) for row in flags.to_numpy()]
