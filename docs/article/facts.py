"""Numbers of the article's sentences, read from the kept tables by the queries of findings.yaml."""

import pandas as pd

from pumetrics_workflow.studies import Tables
from pumetrics_workflow.studies.rider2013 import SVM_READINGS
from pumetrics_workflow.studies.rider2013.verdicts import compared_cells

__all__ = ["accuracy_sign", "derived", "facts", "svm_readings"]

NONE = "–"


def derived(name, tables):
    """Return the tables of a study, with those that only the article's findings need."""
    more = {
        "ramola2019": {"accuracy_sign": (accuracy_sign, ("by_dataset", "prior_errors"))},
        "rider2013": {"svm_distances": (svm_readings, ("cells", "published"))},
    }.get(name, {})
    made = {key: make(*(tables[table] for table in needed)) for key, (make, needed) in more.items()}
    return Tables({**tables, **made})


def accuracy_sign(by_dataset, prior_errors):
    """Return the largest alpha with too low, and the least with too high uncorrected accuracy, in one row.

    Parameters
    ----------
    by_dataset, prior_errors : DataFrame
        Median errors of the maxima, and true priors, by data set and beta. One row of NaN where there is no such set.
    """
    if not len(by_dataset) or not len(prior_errors):
        return pd.DataFrame()
    part = by_dataset[(by_dataset["measure"] == "accuracy") & (by_dataset["method"] == "PU")]
    alpha = prior_errors.groupby(["dataset", "beta_nominal"])["alpha_true"].mean().reset_index()
    both = part.merge(alpha, left_on=["dataset", "beta"], right_on=["dataset", "beta_nominal"])
    low, high = (both.loc[both["error_median"] * sign > 0, "alpha_true"] for sign in (-1, 1))
    return pd.DataFrame({"too_low_up_to": [low.max()], "too_high_from": [high.min()]})


def svm_readings(cells, published):
    """Return the mean distance of the SVM's p-values from the printed ones, by table and reading of its scores.

    Parameters
    ----------
    cells, published : DataFrame
        As kept for Rider et al.: cells of Tables 2a and 2b, and the printed numbers.
    """
    if not len(cells):
        return pd.DataFrame()
    both = compared_cells(cells, published)
    both = both[both["classifier"] == "svm"]
    both = both.assign(
        distance=(both["p_over"] - both["p_printed"]).abs(), reading=both["svm"].map(SVM_READINGS)
    )
    return both.groupby(["table", "reading"])["distance"].mean().reset_index()


def facts(numbers, tables):
    """Return numbers of a finding as text, by the name used in braces; a dash where the tables do not have them.

    Parameters
    ----------
    numbers : dict
        By name a list: a table, a query of its rows, an expression of their columns (of several values the first), and
        how the number is written.
    tables : pumetrics_workflow.studies.Tables
        As :func:`derived` returns them.
    """
    return {name: _fact(tables[table], *rest) for name, (table, *rest) in numbers.items()}


def _fact(table, where, expression, form):
    rows = table.query(where, engine="python") if len(table) else table
    if not len(rows):
        return NONE
    value = rows.eval(expression, engine="python")
    value = value.iloc[0] if isinstance(value, pd.Series) else value
    return NONE if value != value else format(value, form)
