"""Queries that tables of several studies share: choosing rows, groups, box plots, methods side by side, candidates."""

import numpy as np
import pandas as pd

from pumetrics_workflow.labelings import parameters_of

__all__ = [
    "box_statistics",
    "holm",
    "means",
    "only",
    "quartiles",
    "rule_cases",
    "side_by_side",
    "signed_rank_p_value",
    "with_parameters",
    "with_verdicts",
]

_EXACT_PAIRS = 50  # differing pairs, up to which the signed-rank test is exact


def only(table, /, **values):
    """Return the rows of a table whose columns have these values; of several values, any of them.

    Examples
    --------
    >>> table = pd.DataFrame({"method": ["direct", "indirect", "direct"], "beta": [1.0, 1.0, 0.5]})
    >>> only(table, method="direct", beta=[0.5, 0.75]).index.tolist()
    [2]
    """
    for name, value in values.items():
        chosen = (
            table[name].isin(value)
            if isinstance(value, list | tuple | dict | set)
            else table[name] == value
        )
        table = table[chosen]
    return table


def with_parameters(table, *names, **renamed):
    """Return a table with what the names of its labelings say as columns, under these or other names.

    Examples
    --------
    >>> with_parameters(pd.DataFrame({"labeling": ["alpha=0.2,beta=1"]}), "alpha", level="beta").to_dict("records")
    [{'labeling': 'alpha=0.2,beta=1', 'alpha': 0.2, 'level': 1.0}]
    """
    found = [parameters_of(labeling) for labeling in table["labeling"]]
    columns = {**dict(zip(names, names, strict=True)), **renamed}
    return table.assign(
        **{
            column: [entry.get(name, float("nan")) for entry in found]
            for column, name in columns.items()
        }
    )


def holm(p_values):
    """Return p-values adjusted for their number (Holm 1979): below a level, all together err with at most that level.

    Examples
    --------
    >>> holm(np.array([0.04, 0.01, 0.3])).tolist()
    [0.08, 0.03, 0.3]
    """
    order = np.argsort(p_values, kind="stable")
    adjusted = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1))
    return np.minimum(adjusted, 1)[np.argsort(order)]


def means(*names):
    """Arguments of an aggregation: the mean of columns, under their own names."""
    return {name: (name, "mean") for name in names}


def quartiles(name):
    """Arguments of an aggregation: a column as ``<name>_q25``, ``<name>_median`` and ``<name>_q75``."""
    return {
        f"{name}_q25": (name, lambda values: values.quantile(0.25)),
        f"{name}_median": (name, "median"),
        f"{name}_q75": (name, lambda values: values.quantile(0.75)),
    }


def signed_rank_p_value(x, y, alternative="two-sided", *, exact=True):
    """Return the p-value of Wilcoxon's signed-rank test, where pairs without a difference are dropped.

    Parameters
    ----------
    x, y : array_like of shape (n,)
        Pairs; `y` may be a number.
    alternative : {"two-sided", "greater", "less"}
        "greater": x is larger.
    exact : bool
        Of up to 50 differing pairs the exact law under the hypothesis, given the ties: a convolution over doubled
        midranks. Of more, or if False, R's normal approximation with corrections for ties and for continuity, which R
        uses where there are zeros or ties: Rider's printed p-values are of that kind.

    Returns
    -------
    float
        1 where no pair differs.

    Examples
    --------
    >>> signed_rank_p_value([1, 2, 3], 0, "greater"), signed_rank_p_value([1, 0], [1, 0])
    (0.125, 1.0)
    >>> signed_rank_p_value([1, 0, 0], 0, "greater", exact=False)
    0.5
    """
    from scipy.stats import rankdata, wilcoxon

    difference = np.subtract(x, y).astype(float)
    difference = difference[difference != 0]
    if not len(difference):
        return 1.0
    if not exact or len(difference) > _EXACT_PAIRS:
        found = wilcoxon(
            difference,
            correction=True,
            alternative=alternative,
            method="approx",
            nan_policy="raise",
        )
        return float(found.pvalue)

    doubled = np.rint(2 * rankdata(np.abs(difference), nan_policy="raise")).astype(int)
    law = np.ones(1)  # of the sum of the ranks of positive differences
    for rank in doubled:
        both = np.zeros(rank + 1)
        both[[0, rank]] = 0.5
        law = np.convolve(law, both)
    total = doubled[difference > 0].sum()
    at_least = law[total:].sum()
    at_most = law[: total + 1].sum()
    sides = {"greater": at_least, "less": at_most, "two-sided": 2 * min(at_least, at_most)}
    return float(min(sides[alternative], 1.0))


def rule_cases(rows, columns, *, tolerance):
    """Return how many random cases violate each part of a theorem, and the largest difference.

    Parameters
    ----------
    rows : list of (str, str, ndarray)
        What the part is about, the part, and by how much each case is off.
    columns : list of str
        Names of the first two.
    tolerance : float
        By how much rounding may be off.
    """
    table = [
        (*names, len(off), int((off > tolerance).sum()), round(float(off.max()), 9))
        for *names, off in rows
    ]
    return pd.DataFrame(table, columns=[*columns, "cases", "violations", "largest"])


def box_statistics(table, by, value):
    """Return what a box plot shows of each group: enough to draw it without the values.

    Parameters
    ----------
    table : pandas.DataFrame
    by : list of str
        Columns that make the groups.
    value : str
        Column of numbers; missing ones are left out.

    Returns
    -------
    pandas.DataFrame
        A row per group, sorted, with `by` and ``n``, ``least``, ``low``, ``q25``, ``median``, ``q75``, ``high``,
        ``most``: number of values, extremes, quartiles, and the last values within 1.5 interquartile ranges of the box.

    References
    ----------
    Tukey (1977), Exploratory Data Analysis.

    Examples
    --------
    >>> table = pd.DataFrame({"method": "direct", "error": [0.0, 1.0, 2.0, 3.0, 9.0]})
    >>> print(*box_statistics(table, ["method"], "error").iloc[0])
    direct 5 0.0 0.0 1.0 2.0 3.0 3.0 9.0
    """
    names = ["n", "least", "low", "q25", "median", "q75", "high", "most"]
    rows = [(*key, *_box(group[value])) for key, group in table.dropna(subset=[value]).groupby(by)]
    return pd.DataFrame(rows, columns=[*by, *names])


def _box(values):
    q25, median, q75 = values.quantile([0.25, 0.5, 0.75])
    reach = 1.5 * (q75 - q25)
    low = values[values >= q25 - reach].min()
    high = values[values <= q75 + reach].max()
    return len(values), values.min(), min(low, q25), q25, median, q75, max(high, q75), values.max()


def with_verdicts(table, *, baseline=None):
    """Return the candidates with a column ``verdict``, a sentence made of the counts.

    Parameters
    ----------
    table : pandas.DataFrame
        A row for each candidate: ``holds`` published numbers ``of`` those compared, ``mean_absolute_error``.
    baseline : pandas.Series of bool, optional
        The candidate that assumes nothing; the others are compared with it.

    Returns
    -------
    pandas.DataFrame
        A candidate reproduces if all numbers hold. If none does, the nearest has the largest share of numbers that hold
        and, of several, the smallest error.

    Examples
    --------
    >>> table = pd.DataFrame({"holds": [3, 1], "of": 4, "mean_absolute_error": [0.1, 0.2]})
    >>> with_verdicts(table)["verdict"].tolist()
    ['nearest, but 1 of 4 differs: none reproduces the paper', '3 of 4 differ']
    """
    share = table["holds"] / table["of"].where(table["of"] > 0)
    whole = int((share == 1).sum())
    nearest = (
        table.assign(share=share)
        .sort_values(["share", "mean_absolute_error"], ascending=[False, True])
        .index[:1]
    )
    floor = share[baseline].max() if baseline is not None else float("nan")
    verdicts = []
    for name, row in table.iterrows():
        verdict = _verdict(int(row["holds"]), int(row["of"]), whole, nearest=name in nearest)
        if baseline is not None and not baseline[name] and share[name] <= floor:
            verdict += "; no better than the baseline"
        verdicts.append(verdict)
    return table.assign(verdict=verdicts)


def _verdict(holds, of, whole, *, nearest):
    if not of:
        return "nothing to compare in this run"
    if holds == of:
        others = "and is the only one" if whole == 1 else f"as {whole} candidates do"
        return f"reproduces all {of}, {others}"
    verb = "differs" if of - holds == 1 else "differ"
    differ = f"{of - holds} of {of} {verb}"
    return f"nearest, but {differ}: none reproduces the paper" if nearest and not whole else differ


def side_by_side(by_dataset, measure):
    """Return errors of the methods as columns, a row for each measure, data set and beta.

    Parameters
    ----------
    by_dataset : pandas.DataFrame
        A row for each of these and each method: ``error_median``, ``absolute_error_mean``.
    measure : str
        Name of the column of measures.

    Returns
    -------
    pandas.DataFrame
        ``<method>``, the median error; ``<method>_size``, the mean absolute one; ``PU_clean``: ``PU`` at the largest
        beta.
    """
    keys = [measure, "dataset", "beta"]
    if not len(by_dataset):
        return by_dataset.reindex(columns=[*keys, "PU_clean"])
    wide, sizes = (
        by_dataset.pivot(index=keys, columns="method", values=value)
        for value in ("error_median", "absolute_error_mean")
    )
    wide = wide.join(sizes.add_suffix("_size")).rename_axis(columns=None).reset_index()
    wide = wide.rename(columns=lambda name: name.replace("+", "_plus"))
    clean = wide.loc[wide["beta"] == wide["beta"].max(), [measure, "dataset", "PU"]]
    return wide.merge(clean.rename(columns={"PU": "PU_clean"}), on=[measure, "dataset"], how="left")
