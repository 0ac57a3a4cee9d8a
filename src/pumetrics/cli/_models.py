"""Several models in one command: columns of scores, pairs of them, and headings."""

from pumetrics.cli._errors import terminal

__all__ = ["columns_named", "heading", "latest", "one_model", "pairs_of", "short_names"]


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
