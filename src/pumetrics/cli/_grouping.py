"""Columns beside scores and labels: weights, groups, clusters and folds."""

from typing import Annotated

import typer

__all__ = ["By", "Cluster", "Fold", "Weight", "check_columns", "groups_as_dicts", "show_groups"]

Weight = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of weights, at least 0: how many examples a row stands for."),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of groups, such as country: each value is assessed by itself as well, with its own alpha unless "
        "--alpha is given. May be repeated.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that says which rows belong together, such as user_id: intervals resample them together.",
    ),
]
Fold = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column of cross-validation folds: scores are compared within folds only, numbers averaged over them.",
    ),
]


def check_columns(scores, label, *, weight=None, cluster=None, fold=None, by=None, report=None):
    """Raise ValueError on columns that cannot be what an option says.

    Parameters
    ----------
    scores : list of str
        Columns of scores.
    label : str
    weight, cluster, fold : str or None
    by : list of str or None
    report : path-like or None
        Where a page is to be written.
    """
    given = [("--weight", weight), ("--cluster", cluster), ("--fold", fold), *(("--by", name) for name in by or [])]
    taken = {label: "--label", **dict.fromkeys(scores, "--score")}
    for option, name in given:
        if name in taken:
            raise ValueError(f"{option} {name} and {taken[name]} {name} must name different columns")
    if weight is not None and weight in (cluster, fold):
        raise ValueError(f"--weight {weight} is no {'--cluster' if weight == cluster else '--fold'} as well")
    for option, name in (("--weight", weight), ("--fold", fold)):
        if report is not None and name is not None:
            raise ValueError(
                f"--report draws the curves of rows that count alike, scored by one model: leave {option} {name} out, "
                "or write --json"
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
