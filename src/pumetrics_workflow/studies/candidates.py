"""Candidates for what a paper leaves open and what follows, and errors of methods side by side."""

__all__ = ["side_by_side", "with_verdicts"]


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
    >>> import pandas as pd
    >>> table = pd.DataFrame({"holds": [3, 1], "of": 4, "mean_absolute_error": [0.1, 0.2]})
    >>> with_verdicts(table)["verdict"].tolist()
    ['nearest, but 1 of 4 differs: none reproduces the paper', '3 of 4 differ']
    """
    share = table["holds"] / table["of"].where(table["of"] > 0)
    whole = int((share == 1).sum())
    nearest = table.assign(share=share).sort_values(["share", "mean_absolute_error"], ascending=[False, True]).index[:1]
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
        return f"reproduces all {of}" + (", and is the only one" if whole == 1 else f", as {whole} candidates do")
    differ = f"{of - holds} of {of} differ{'s' * (of - holds == 1)}"
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
