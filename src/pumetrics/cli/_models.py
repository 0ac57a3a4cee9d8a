"""Models and groups of one command: columns of scores, pairs of them, headings, and tables."""

import numpy as np

from pumetrics.cli._errors import terminal

__all__ = [
    "columns_named",
    "groups_as_dicts",
    "heading",
    "latest",
    "one_model",
    "pairs_of",
    "short_names",
    "show_groups",
    "table_of",
    "warnings_of_groups",
]  # fmt: skip


def columns_named(score):
    """Return the columns of scores, "score" by default; ValueError if one is named twice."""
    columns = list(score or ["score"])
    for column in columns:
        if columns.count(column) > 1:
            raise ValueError(f"--score {column} is named {columns.count(column)} times: name each model once")
    return columns


def one_model(option, columns):
    """Raise ValueError if an option that takes one model is given several."""
    if len(columns) > 1:
        raise ValueError(
            f"{option} takes one model, and --score names {len(columns)} ({', '.join(columns)}): give one --score"
        )


def pairs_of(score, first, second):
    """Return the columns and files that are compared.

    Parameters
    ----------
    score : list of str or None
        From the command line.
    first : path-like
    second : path-like or None

    Returns
    -------
    list of ((path, str), (path, str))
        Files and columns: of two files one pair; of one file its first column against each of the others.

    Raises
    ------
    ValueError
        If there are too few or too many models to compare.
    """
    if second is None:
        columns = columns_named(score)
        if len(columns) < 2:
            raise ValueError(
                f"only one model is given, column {columns[0]!r} of {first}: give a second file, or two columns of "
                "this file with --score twice"
            )
        return [((first, columns[0]), (first, column)) for column in columns[1:]]
    columns = score or ["score"]
    if len(columns) > 2:
        raise ValueError(
            f"--score names {len(columns)} columns ({', '.join(columns)}): with two files, give one column or one for "
            "each file; a single file may have any number"
        )
    if columns[0] == columns[-1] and first == second and score is not None:
        raise ValueError(
            f"{first} and its column {columns[0]!r} are given twice, and a model cannot be compared with itself; give "
            "two files, or --score twice"
        )
    return [((first, columns[0]), (second, columns[-1]))]


def short_names(sources, scores):
    """Return the names of two models for a page: columns of one file, or files, with their columns if these differ.

    Parameters
    ----------
    sources : sequence of Source
    scores : sequence of str
        Columns.

    Returns
    -------
    list of str
    """
    if sources[0] == sources[1]:
        return list(scores)
    names = [source.path.name if str(source.path) == source.name else source.name for source in sources]
    if names[0] == names[1]:
        names = [source.name for source in sources]
    return names if scores[0] == scores[1] else [f"{n}, {c}" for n, c in zip(names, scores, strict=True)]


def latest(sources):
    """Return the day on which the newest file was changed; None if no file has a date."""
    from pumetrics.assessment import date_of

    return max((date for date in map(date_of, sources) if date), default=None)


def heading(text, *, first):
    """Print a heading for one model, with a blank line before all but the first."""
    from rich.markup import escape

    terminal().print(f"{'' if first else chr(10)}[bold]{escape(text)}[/]")


def table_of(assessment, sample):
    """Return a table of thresholds with the priors of an assessment, see :func:`pumetrics.thresholds.threshold_table`.

    Parameters
    ----------
    assessment : Assessment
    sample : Scored

    Returns
    -------
    pandas.DataFrame
        NaN for numbers that depend on alpha if it is not identified.
    """
    from pumetrics.priors.interval import identifies
    from pumetrics.thresholds import threshold_table

    if sample.options.get("fold") is not None:
        raise ValueError("--thresholds needs scores of one model: scores of different folds have no common threshold")
    if sample.s is None:  # counted, not read row by row
        s, y_score = None, sample.score
    else:
        kept = sample.s != -1
        s, y_score = sample.s[kept], sample.score[kept]
    weight = sample.options.get("sample_weight")
    weight = None if weight is None else weight[kept]
    priors = {"alpha": assessment.alpha, "beta": assessment.beta, "selection": assessment.selection}
    where = {"population": assessment.population, "sample_weight": weight}
    table = threshold_table(s, y_score, **priors, **where)
    if not (identifies(*assessment.alpha_interval) if assessment.alpha_interval else assessment.alpha_identified):
        random = assessment.selection == 1 and assessment.beta == 1  # recall is then that of the labeled
        kept = {"threshold", "predicted_positive", "selection"} | ({"recall"} if random else set())
        table[[name for name in table if name not in kept]] = np.nan
    return table


def groups_as_dicts(groups):
    """Return the groups of every column as a list of dicts for JSON.

    Parameters
    ----------
    groups : dict of str to GroupAssessments
        By column.

    Returns
    -------
    list of dict
    """
    return [{"by": name, **each} for name, parts in groups.items() for each in parts.as_dicts()]


def warnings_of_groups(groups):
    """Return warnings on the labels of groups, each with the name of its column.

    Parameters
    ----------
    groups : dict of str to GroupAssessments
        By column.

    Returns
    -------
    tuple of str
    """
    return tuple(f"{name}: {warning}" for name, parts in groups.items() for warning in parts.warnings)


def show_groups(console, column, groups, metrics):
    """Print a table of groups for each metric, then the warnings of each group.

    Parameters
    ----------
    console : rich.console.Console
    column : str
        Column that defines the groups.
    groups : GroupAssessments
    metrics : list of str
        Metrics to show.
    """
    from rich.markup import escape

    from pumetrics.assessment import group_table

    for metric in metrics:
        console.print(group_table(groups, metric, column=column))
    one = next(each.assessment for each in groups if each.assessment)
    priors = "all groups have the given alpha" if one.source == "given" else f"alpha of every group: {one.source}"
    console.print(f"By {escape(column)}: {priors}; interval: {one.confidence:.0%}.")
    for each in groups:
        warnings = (each.reason,) if each.assessment is None else each.assessment.warnings
        for warning in warnings:
            console.print(f"[yellow]Warning:[/] {escape(f'{column} {each.group}: {warning}')}")
