"""The tables of the head-to-head, as queries on records and statistics.

Means are taken over the repeats of a data set first and over data sets then, so that each data set counts the same.
"""

import numpy as np
import pandas as pd

from pumetrics.inference.request import Ask
from pumetrics_workflow.intervals import Answer, prediction
from pumetrics_workflow.labelings import situation
from pumetrics_workflow.stages.evaluate_pool import interval_performance
from pumetrics_workflow.studies.head_to_head.decision import decisions
from pumetrics_workflow.studies.head_to_head.means import (
    ALL_SCAR,
    ERRORS,
    HOME,
    KEYS,
    SELECTION,
    by_set,
    candidates,
    summary,
)
from pumetrics_workflow.studies.queries import only

__all__ = [
    "LEAST_SETS",
    "average_ranks",
    "breaking",
    "critical_difference",
    "friedman",
    "reproduced",
    "tables",
]

LEAST_SETS = 6  # means over fewer data sets do not decide a claim
_FAR = 0.05  # of a score between 0 and 1: enough to change a decision
_LEVEL = 0.05
_F1_AGAINST_LL = ("f1_from_rho", "true"), ("lee_liu", "none")


def tables(results):
    """Return the tables of the study by name."""
    statistics = results.statistics
    sets = by_set(statistics)
    errors = summary(sets, ERRORS)
    selection = summary(sets, SELECTION)
    return {
        "decision": decisions(sets, errors, selection),
        "breaking": breaking(errors),
        "ranks": average_ranks(sets),
        "intervals": _intervals(results.records),
        "errors": errors,
        "selection": selection,
    }


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
    wide = table.pivot(
        index=["metric", "method", "prior"], columns="labeling", values="absolute_error"
    )
    labelings = list(wide.columns)
    home = [name for name in labelings if situation(name) == HOME]
    at_home = wide[home].mean(axis=1) if home else pd.Series(float("nan"), index=wide.index)
    uncorrected = only(table, method="uncorrected").pivot(
        index="metric", columns="labeling", values="absolute_error"
    )
    plain = uncorrected.reindex(index=wide.index.get_level_values("metric"), columns=labelings)
    broken = wide.gt(at_home + _FAR, axis=0)
    worse = wide.gt(plain.to_numpy())
    marked = wide.assign(
        breaks_under=_columns_where(broken), worse_than_uncorrected=_columns_where(worse)
    )
    marked.insert(0, "at_home", at_home)
    return marked.rename_axis(columns=None).reset_index()


def _columns_where(flags):
    return [", ".join(flags.columns[row]) for row in flags.to_numpy()]


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
            wide = (
                part.groupby(["dataset", "method", "prior"])[by].mean().unstack(["method", "prior"])
            )
            wide = wide.dropna(axis=1, how="all").dropna()
            if wide.shape[1] < 2 or wide.empty:
                continue
            ranks = wide.round(12).rank(axis=1)
            facts = {
                "metric": metric,
                "by": by,
                "sets": len(wide),
                "friedman_p": friedman(ranks.to_numpy()),
                "critical_difference": critical_difference(wide.shape[1], len(wide)),
            }
            for (method, prior), rank in ranks.mean().sort_values(kind="stable").items():
                rows.append(
                    {
                        **facts,
                        "method": method,
                        "prior": prior,
                        "average_rank": rank,
                    }
                )
    columns = [
        "metric",
        "by",
        "method",
        "prior",
        "average_rank",
        "sets",
        "friedman_p",
        "critical_difference",
    ]
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


def _intervals(records):
    """Quality of intervals by metric, labeling, method and prior: means over data sets, and the least coverage.

    The rows of ``SCAR`` are those of all labelings at random without label noise together.
    """
    found = {name: records[name].to_numpy(float) for name in ("lower", "upper", "truth")}
    table = records[["dataset", "labeling", "metric", "method", "prior"]].assign(
        **interval_performance(**found, confidence=Ask.confidence),
        absolute_error=np.abs(records["estimate"] - records["truth"]),
        identified=records["estimate"].notna(),
    )
    table["coverage_identified"] = table["coverage"].where(table["identified"])
    at_home = table[[situation(name) == HOME for name in table["labeling"]]].assign(
        labeling=ALL_SCAR
    )
    return _means_by_set(pd.concat([table, at_home]))


def _means_by_set(table):
    measured = [
        "coverage",
        "width",
        "interval_score",
        "absolute_error",
        "identified",
        "coverage_identified",
    ]
    grouped = (
        table.groupby([*KEYS, "dataset"], observed=True)[measured]
        .mean()
        .groupby(KEYS, observed=True)
    )
    means = grouped.mean()
    means.insert(1, "worst_set", grouped["coverage"].min())
    means.insert(0, "sets", grouped.size())
    means.insert(0, "intervals", table.groupby(KEYS, observed=True).size())
    return means.reset_index()


def reproduced(tables):
    """Return the value of each control, and of each claim if there are enough data sets."""
    if tables["errors"].empty:
        return {}
    errors, selection = (
        tables[name].set_index(["metric", "method", "prior"]) for name in ("errors", "selection")
    )
    random = selection.xs("random", level="method")["inversions"]
    ends = prediction(random.mean(), random.std(), len(random))  # of one metric and labeling
    controls = {
        "oracle_error": errors.xs("oracle", level="method")["absolute_error"].max(),
        "oracle_regret": selection.xs("oracle", level="method")["regret"].max(),
        "random_inversions": Answer(
            random.mean(), "", *ends, f"selection: {len(random)} metrics and labelings"
        ),
    }
    at_home = (
        table[[situation(name) == HOME for name in table["labeling"]]]
        for table in (errors, selection)
    )
    claims = _claims(*at_home)
    sets = int(errors["sets"].max())
    if sets < LEAST_SETS:
        claims = dict.fromkeys(claims, (np.nan, f"{sets} data sets are too few for a verdict"))
    return {**controls, **claims}


def _claims(errors, selection):
    """The claims of the papers under SCAR without label noise."""
    if errors.empty:
        return {}
    values = {}
    for metric in ("roc_auc", "balanced_accuracy", "f1", "mcc"):
        values[f"uncorrected_{metric}"] = errors.loc[(metric, "uncorrected", "none"), "bias"].max()
        recovered = errors.loc[(metric, "direct", "true"), "bias"].abs().max()
        least = errors.loc[(metric, "uncorrected", "none"), "bias"].abs().min()
        values[f"recovered_{metric}"] = recovered - least, f"{recovered:.3f} against {least:.3f}"
    exact = errors.loc[(slice(None), "bounds_hypergeometric", "true"), "coverage"]
    values["exact_band"] = exact.min(), f"{exact.idxmin()[0]} has the least"
    ours, theirs = (selection.loc[("max_f1", *key), "inversions"].mean() for key in _F1_AGAINST_LL)
    values["f1_against_ll"] = ours - theirs, f"{ours:.3f} against {theirs:.3f}"
    return values
