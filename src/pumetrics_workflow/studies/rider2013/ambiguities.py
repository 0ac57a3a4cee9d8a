"""Which score of the SVM gives the SVM's rows of Tables 2a and 2b, which the paper does not say."""

import numpy as np
import pandas as pd

from pumetrics_workflow.studies.candidates import with_verdicts
from pumetrics_workflow.studies.rider2013 import SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import compared_cells

__all__ = ["svm_readings"]

_SIGNS = {"as printed": 1, "reversed": -1}
_NONE = "none: one side for all cells"


def svm_readings(ours, published):
    """Return the candidates, each a reading of the SVM and of the signs of Table 2b.

    Parameters
    ----------
    ours : pandas.DataFrame
        As made by :func:`pumetrics_workflow.studies.rider2013.verdicts.cells`.
    published : pandas.DataFrame
        As in ``config/published``.

    Returns
    -------
    pandas.DataFrame
        Cells of the SVM from 10% on that lean to the printed side (p at most or above 0.5, or no changed rank), those
        whose verdict (1, -1, 0) is the printed one, and the mean absolute difference of the p-values; then the same
        counts for all five classifiers, whose ranks the reading changes too. The last row is a baseline: all cells lean
        to the side that most printed ones lean to, none is significant, p = 0.5.
    """
    both = compared_cells(ours, published)
    rows = [
        {"reading": label, "signs_of_table2b": signs, **_counts(_signed(both[both["svm"] == reading], sign))}
        for signs, sign in _SIGNS.items()
        for reading, label in SVM_READINGS.items()
    ]
    some = both[both["svm"] == next(iter(SVM_READINGS))]
    nothing = _counts(some.assign(verdict=0.0, p_over=0.5))
    for name, part in (("holds", some[some["classifier"] == "svm"]), ("holds_all_five", some)):
        nothing[name] = int(_lean(part["p_printed"], part["printed"]).value_counts().max()) if len(part) else 0
    rows.append({"reading": _NONE, "signs_of_table2b": "", **nothing})
    table = pd.DataFrame(rows)
    return with_verdicts(table, baseline=table["reading"] == _NONE)


def _signed(cells, sign):
    """Cells with those of Table 2b the other way round, if `sign` is -1."""
    turned = (cells["table"] == "2b") & (sign == -1)
    return cells.assign(
        verdict=cells["verdict"].where(~turned, -cells["verdict"]),
        p_over=cells["p_over"].where(~turned, cells["p_under"]),
    )


def _counts(cells):
    svm = cells[cells["classifier"] == "svm"]
    return {
        "holds": _leaning_alike(svm),
        "of": len(svm),
        "mean_absolute_error": (svm["p_over"] - svm["p_printed"]).abs().mean(),
        "same_verdict": int((svm["verdict"] == svm["printed"]).sum()),
        "significant_printed": int((svm["printed"] != 0).sum()),
        "holds_all_five": _leaning_alike(cells),
        "of_all_five": len(cells),
        "same_verdict_all_five": int((cells["verdict"] == cells["printed"]).sum()),
    }


def _leaning_alike(cells):
    ours, printed = _lean(cells["p_over"], cells["verdict"]), _lean(cells["p_printed"], cells["printed"])
    return int((ours == printed).sum())


def _lean(p_value, verdict):
    """Return 1 and -1 for the side that a cell leans to; 0 for p = 1 on both sides, where no rank changes.

    With R's continuity correction a single changed set gives 0.500 on the side it leans to and 0.977 on the other.
    """
    unchanged = (p_value > 0.9995) & (verdict == 0)
    return pd.Series(np.where(p_value <= 0.5, 1.0, -1.0), index=p_value.index).where(~unchanged, 0.0)
