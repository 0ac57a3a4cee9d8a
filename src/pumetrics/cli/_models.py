"""Models and groups of one command: columns of scores, pairs of them, headings, and tables."""

import numpy as np

from pumetrics.cli._errors import terminal

__all__ = [
    "columns_named", "doubts_of_groups", "groups_as_dicts", "heading", "latest", "one_model", "pairs_of",
    "short_names", "show_groups", "table_of",
]  # fmt: skip


def columns_named(score):
    """Columns of scores, "score" by default; ValueError if one is named twice."""
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
    """Which columns of which files are compared.

    Parameters
    ----------
    score : list of str or None
        As typed.
    first : path-like
    second : path-like or None

    Returns
    -------
    list of ((path, str), (path, str))
        Files and columns: of two files one pair; of one file its first column against each of the others.

    Raises
    ------
    ValueError
        If there is nothing to compare, or too much.
    """
    if second is None:
        columns = columns_named(score)
        if len(columns) < 2:
            raise ValueError(
                f"one model is named, column {columns[0]!r} of {first}: name another file, or two columns of this one "
                "with --score twice"
            )
        return [((first, columns[0]), (first, column)) for column in columns[1:]]
    columns = score or ["score"]
    if len(columns) > 2:
        raise ValueError(
            f"--score names {len(columns)} columns ({', '.join(columns)}): give one, or one for each file; of one file "
            "alone, any number"
        )
    if columns[0] == columns[-1] and first == second and score is not None:
        raise ValueError(
            f"{first} and its column {columns[0]!r} are named twice: a model is not compared with itself; give two "
            "files, or --score twice"
        )
    return [((first, columns[0]), (second, columns[-1]))]


def short_names(sources, scores):
    """Names of two models for a page: columns of one file, or files, with their columns where these differ.

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
    """Day on which the newest of the files was changed; None if none has a date."""
    from pumetrics.assessment import date_of

    return max((date for date in map(date_of, sources) if date), default=None)


def heading(text, *, first):
    """Print a line above what is said of one model, with a blank line before all but the first."""
    from rich.markup import escape

    terminal().print(f"{'' if first else chr(10)}[bold]{escape(text)}[/]")


def table_of(assessment, sample, row):
    """Table of thresholds with the priors of an assessment, see :func:`pumetrics.thresholds.threshold_table`.

    Parameters
    ----------
    assessment : Assessment
    sample : Scored
    row : RowColumns
        Columns beside the scores.

    Returns
    -------
    pandas.DataFrame
        NaN where alpha is not identified and a number depends on it.
    """
    from pumetrics.priors.interval import identifies
    from pumetrics.thresholds import threshold_table

    options = row.options()
    if options.get("fold") is not None:
        raise ValueError("--thresholds needs scores of one model: scores of different folds share no threshold")
    if sample.s is None:  # counted, not read row by row
        s, y_score = None, sample.score
    else:
        kept = sample.s != -1
        s, y_score = sample.s[kept], sample.score[kept]
    weight = options.get("sample_weight")
    weight = None if weight is None else np.asarray(weight)[kept]
    priors = {"alpha": assessment.alpha, "beta": assessment.beta, "selection": assessment.selection}
    where = {"population": assessment.population, "sample_weight": weight}
    table = threshold_table(s, y_score, **priors, **where)
    if not (identifies(*assessment.alpha_interval) if assessment.alpha_interval else assessment.alpha_identified):
        random = assessment.selection == 1 and assessment.beta == 1  # recall is then that of the labeled
        kept = {"threshold", "predicted_positive", "selection"} | ({"recall"} if random else set())
        table[[name for name in table if name not in kept]] = np.nan
    return table


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
