"""Columns beside scores and labels: weights, groups, clusters and folds."""

from typing import Annotated, NamedTuple

import numpy as np
import typer

__all__ = [
    "By",
    "Cluster",
    "Columns",
    "Fold",
    "Weight",
    "check_columns",
    "columns_beside",
    "groups_as_dicts",
    "show_groups",
]

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


class Columns(NamedTuple):
    """Values of the rows of one model, each None or empty where no column was named."""

    weight: np.ndarray | None
    cluster: np.ndarray | None
    fold: np.ndarray | None
    by: dict
    """Groups by the name of their column."""

    def options(self):
        """The same as arguments of :func:`pumetrics.assessment.assess`."""
        given = {"sample_weight": self.weight, "cluster": self.cluster, "fold": self.fold}
        return {name: values for name, values in given.items() if values is not None}


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


def columns_beside(source, samples, *, weight=None, cluster=None, fold=None, by=None):
    """Read weights, clusters, folds and groups of the rows that each model has a score of.

    Parameters
    ----------
    source : Source
    samples : list of Scored
    weight, cluster, fold : str or None
    by : list of str or None

    Returns
    -------
    list of Columns
        One for each of the samples.

    Raises
    ------
    ValueError
        If a column is missing, a weight is no number of at least 0, or a cluster or fold has no value: one line that
        says where.
    """
    from pumetrics.assessment._files import read_columns

    names = list(dict.fromkeys(by or []))
    texts = list(dict.fromkeys(name for name in (cluster, fold, *names) if name is not None))
    wanted = [*texts, *([weight] if weight else [])]
    if not wanted:
        return [Columns(None, None, None, {}) for _ in samples]
    table = read_columns(source, wanted, as_text=texts)
    weights = None if weight is None else _weights(source, weight, table[weight])
    values = {name: table[name] for name in texts}
    for option, name in (("--cluster", cluster), ("--fold", fold)):
        if name is not None:
            _check_complete(source, option, name, values[name])
    for name in names:
        _check_few(source, name, values[name])
    groups = {name: values[name].astype(object).where(values[name].notna(), "no value").astype(str) for name in names}
    beside = [weights, values.get(cluster), values.get(fold)]
    return [
        Columns(
            *(None if each is None else np.asarray(each)[sample.rows] for each in beside),
            {name: each.to_numpy()[sample.rows] for name, each in groups.items()},
        )
        for sample in samples
    ]


def _weights(source, name, column):
    from pumetrics.assessment._files import line_of
    from pumetrics.assessment._labels import numbers_of, shown

    values = numbers_of(source, name, column, "weights of at least 0")
    bad = np.flatnonzero(~(values >= 0) | np.isinf(values))
    if bad.size:
        raise ValueError(
            f"column {name!r} of {source} must hold weights of at least 0, got {shown(values[bad[0]])} in "
            f"{line_of(source, bad[0])} ({bad.size} such rows): correct or remove them"
        )
    return values


def _check_complete(source, option, name, column):
    from pumetrics.assessment._files import line_of

    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise ValueError(
            f"column {name!r} of {source} must hold a value in every row ({option}), got none in "
            f"{line_of(source, missing[0])} ({missing.size} such rows): fill it, or remove them"
        )


def _check_few(source, name, column):
    from pumetrics.assessment._by import MOST_BY

    n_values = column.nunique()
    if n_values > MOST_BY:
        raise ValueError(
            f"--by {name}: the column holds {n_values:,} different values in {source}, more than {MOST_BY}: group by a "
            "column of fewer, or join the rare ones"
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

    from pumetrics.assessment._words import label

    one = next(each.assessment for each in groups if each.assessment)
    for metric in metrics:
        table = _table(column, label(metric, one.threshold, short=True))
        for each in groups:
            sizes = (f"{size:,}" for size in (each.n_labeled, each.n_unlabeled))
            table.add_row(escape(str(each.group)), *sizes, *_cells(each, metric))
        console.print(table)
    priors = "the given alpha holds in every group" if one.source == "given" else f"alpha of every group: {one.source}"
    console.print(f"By {escape(column)}: {priors}; interval: {one.confidence:.0%}.")
    for each in groups:
        doubts = (each.reason,) if each.assessment is None else each.assessment.warnings
        for doubt in doubts:
            console.print(f"[yellow]Warning:[/] {escape(f'{column} {each.group}: {doubt}')}")


def _cells(each, metric):
    """Alpha, corrected score and interval of a group."""
    from pumetrics.assessment._words import span

    found = each.assessment
    if found is None:
        return "–", "not assessed", "–"
    score = next(score for score in found.scores if score.metric == metric)
    alpha = span(found.alpha_interval, "–") if found.alpha_interval else f"{found.alpha:.3f}"
    corrected = f"[bold]{score.corrected:.3f}[/]" if score.identified else "not identified"
    return alpha, corrected, span(score.interval, "–") if score.interval else "too few"


def _table(column, metric):
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(escape(column), overflow="fold")
    for name in ("labeled", "unlabeled", "alpha", metric, "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    return table
