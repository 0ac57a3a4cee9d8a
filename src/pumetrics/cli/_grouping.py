"""Columns beside scores and labels: weights, groups, clusters, folds and propensities."""

__all__ = ["check_columns", "doubts_of_groups", "groups_as_dicts", "show_groups"]


def check_columns(
    scores,
    label,
    *,
    weight=None,
    cluster=None,
    fold=None,
    propensity=None,
    by=None,
    report=None,
    thresholds=None,
):
    """Raise ValueError on columns that cannot be what an option says.

    Parameters
    ----------
    scores : list of str
        Columns of scores.
    label : str
    weight, cluster, fold, propensity : str or None
    by : list of str or None
    report, thresholds : path-like or None
        Where a page and a table of thresholds are to be written.
    """
    given = [("--weight", weight), ("--cluster", cluster), ("--fold", fold), ("--propensity", propensity)]
    given += [("--by", name) for name in by or []]
    taken = {label: "--label", **dict.fromkeys(scores, "--score")}
    for option, name in given:
        if name in taken:
            raise ValueError(f"{option} {name} and {taken[name]} {name} must name different columns")
    if weight is not None and weight in (cluster, fold):
        raise ValueError(f"--weight {weight} is no {'--cluster' if weight == cluster else '--fold'} as well")
    if propensity is not None and propensity in (weight, cluster, fold):
        raise ValueError(f"--propensity {propensity} must name a column of its own")
    if propensity is not None and thresholds is not None:
        raise ValueError(
            f"--thresholds and --propensity {propensity} contradict: the table is for labels at random; leave one of "
            "them out"
        )
    if report is not None and propensity is not None:
        raise ValueError(
            f"--report draws the curves of labels at random: leave --propensity {propensity} out, or write --json"
        )


def groups_as_dicts(groups):
    """Groups of every column as a list of dicts for JSON.

    Parameters
    ----------
    groups : dict of str to GroupAssessments
        By column.

    Returns
    -------
    list of dict
    """
    return [{"by": name, **each} for name, parts in groups.items() for each in parts.as_dicts()]


def doubts_of_groups(groups):
    """What the groups of each column say of the labels, as a tuple of warnings that name the column.

    Parameters
    ----------
    groups : dict of str to GroupAssessments
        By column.

    Returns
    -------
    tuple of str
    """
    return tuple(f"{name}: {doubt}" for name, parts in groups.items() for doubt in parts.warnings)


def show_groups(console, column, groups, metrics):
    """Print a table of groups for each metric, then what is to be doubted in each.

    Parameters
    ----------
    console : rich.console.Console
    column : str
        That the groups come from.
    groups : GroupAssessments
    metrics : list of str
        Metrics to show.
    """
    from rich.markup import escape

    from pumetrics.assessment import group_table

    for metric in metrics:
        console.print(group_table(groups, metric, column=column))
    one = next(each.assessment for each in groups if each.assessment)
    priors = "the given alpha holds in every group" if one.source == "given" else f"alpha of every group: {one.source}"
    console.print(f"By {escape(column)}: {priors}; interval: {one.confidence:.0%}.")
    for each in groups:
        doubts = (each.reason,) if each.assessment is None else each.assessment.warnings
        for doubt in doubts:
            console.print(f"[yellow]Warning:[/] {escape(f'{column} {each.group}: {doubt}')}")
