"""Average ranks of methods across data sets, with Friedman's test and Nemenyi's critical difference."""

import numpy as np
import pandas as pd

from pumetrics_workflow.studies.head_to_head.means import candidates

__all__ = ["average_ranks", "critical_difference", "friedman"]

_LEVEL = 0.05


def average_ranks(sets):
    """Rank methods within each data set, 1 for the smallest error or regret, and average.

    Only what can be used without knowing the priors takes part; errors are means over labelings.

    Parameters
    ----------
    sets : pandas.DataFrame
        As :func:`pumetrics_workflow.studies.head_to_head.means.by_set` returns it.

    Returns
    -------
    pandas.DataFrame
        Columns ``metric``, ``by`` (absolute_error or regret), ``method``, ``prior``, ``average_rank``, ``sets``,
        ``friedman_p`` and ``critical_difference``: smaller differences of average ranks are not significant.
    """
    rows = []
    for by in ("absolute_error", "regret"):
        table = candidates(sets, known=False)
        for metric, part in table.groupby("metric"):
            wide = part.groupby(["dataset", "method", "prior"])[by].mean().unstack(["method", "prior"])
            wide = wide.dropna(axis=1, how="all").dropna()
            if wide.shape[1] < 2 or wide.empty:
                continue
            ranks = wide.round(12).rank(axis=1)
            facts = {
                "metric": metric, "by": by, "sets": len(wide), "friedman_p": friedman(ranks.to_numpy()),
                "critical_difference": critical_difference(wide.shape[1], len(wide)),
            }  # fmt: skip
            for (method, prior), rank in ranks.mean().sort_values(kind="stable").items():
                rows.append({**facts, "method": method, "prior": prior, "average_rank": rank})
    columns = ["metric", "by", "method", "prior", "average_rank", "sets", "friedman_p", "critical_difference"]
    return pd.DataFrame(rows, columns=columns)


def friedman(ranks):
    """P value of Friedman's test that all methods rank alike, by its chi-squared approximation, ties allowed for.

    Parameters
    ----------
    ranks : ndarray of shape (n_sets, n_methods)

    Returns
    -------
    float
        NaN with fewer than three methods or two data sets.

    References
    ----------
    Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", Section 3.2.2.
    """
    from scipy.stats import friedmanchisquare

    if ranks.shape[0] < 2 or ranks.shape[1] < 3:
        return np.nan
    if (ranks == ranks[:, :1]).all():
        return 1.0
    return float(friedmanchisquare(*ranks.T).pvalue)


def critical_difference(n_methods, n_sets):
    """Distance of two average ranks from which on they differ at the 5% level (Nemenyi).

    Parameters
    ----------
    n_methods, n_sets : int

    Returns
    -------
    float

    References
    ----------
    Demšar (2006), Section 3.2.2 and Table 5.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    from scipy.stats import studentized_range

    quantile = studentized_range.ppf(1 - _LEVEL, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))
