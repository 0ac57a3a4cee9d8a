"""Which score of the SVM gives the SVM's rows of Tables 2a and 2b, which the paper does not say."""

import pandas as pd

from pumetrics_workflow.studies.candidates import with_verdicts
from pumetrics_workflow.studies.rider2013 import SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import beside

__all__ = ["svm_readings"]

_SIGNS = {"as printed": 1, "reversed": -1}
_NONE = "none: no cell significant"


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
        Cells of the SVM from 10 % on whose verdict (1, -1, 0) is the printed one, mean absolute difference of the
        p-values, and the same count for all five classifiers, whose ranks the reading changes too. The last row is a
        baseline: no cell is significant, p = .5.
    """
    both = beside(ours, published)
    rows = [
        {"reading": label, "signs_of_table2b": signs, **_counts(_signed(both[both["svm"] == reading], sign))}
        for signs, sign in _SIGNS.items()
        for reading, label in SVM_READINGS.items()
    ]
    some = both[both["svm"] == next(iter(SVM_READINGS))]
    rows.append({"reading": _NONE, "signs_of_table2b": "", **_counts(some.assign(verdict=0.0, p_over=0.5))})
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
        "holds": int((svm["verdict"] == svm["printed"]).sum()),
        "of": len(svm),
        "significant_printed": int((svm["printed"] != 0).sum()),
        "same_sign": int((svm["verdict"] * svm["printed"] > 0).sum()),
        "opposite_sign": int((svm["verdict"] * svm["printed"] < 0).sum()),
        "mean_absolute_error": (svm["p_over"] - svm["p_printed"]).abs().mean(),
        "holds_all_five": int((cells["verdict"] == cells["printed"]).sum()),
        "of_all_five": len(cells),
    }
