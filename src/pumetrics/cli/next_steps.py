"""Commands to run next, as they are typed."""

import shlex
from contextlib import contextmanager

from pumetrics.cli.options import reading_of
from pumetrics.validation import VerifiedError

__all__ = ["check_rows_of", "command_line", "next_steps", "ways_named"]


def command_line(command, files, columns, **options):
    """Return a command line; options without a value, and the default population, are left out.

    Examples
    --------
    >>> command_line("audit", ["my scores.csv"], ["score"], label="s", id=None, threshold=0.5)
    "pumetrics audit 'my scores.csv' --score score --label s --threshold 0.5"
    """
    words = ["pumetrics", command]
    for file in map(str, files):
        is_like_an_option = len(file) > 1 and file.startswith("-")
        words.append(f"./{file}" if is_like_an_option else file)
    if options.get("population") == "all":
        del options["population"]
    for name, value in {"score": columns, **options}.items():
        flag = f"--{name}" if len(name) > 1 else f"-{name}"
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is True:
                words.append(flag)
            elif each is not None and each is not False:
                words += [flag, str(each)]
    return shlex.join(words)


def check_rows_of(given, files, columns, **wanted):
    """The command that selects rows of these files to check."""
    options = {**reading_of(given), **wanted, "population": given.population}
    return command_line("audit", files, columns, **options, o="checks.csv")


def next_steps(given, files, columns, **wanted):
    """What to do next, in words, and its command, with the paths of files and with their names for a page.

    Twice None where rows are checked already or have weights.
    """
    if given.checks is not None or given.weight is not None:
        return None, None
    words = "if rows were labeled because they scored high, check some rows"
    names = [file.name for file in files]
    return tuple((words, check_rows_of(given, each, columns, **wanted)) for each in (files, names))


@contextmanager
def ways_named(file, columns, given, *, two=False):
    """Add the commands that evaluate verified rows to the error that labels of -1 are no labels."""
    try:
        yield
    except VerifiedError as error:
        options = {
            **reading_of(given),
            "threshold": given.threshold,
            "population": given.population,
            "checks": file,
        }
        if error.every:
            unlabeled = command_line(
                "evaluate", [file], columns[:1], **options | {"checks": None, "positive": 1}
            )
            raise ValueError(
                f"{error}: if -1 means unlabeled: {unlabeled}. If every row was verified, put 1 and 0 into a column "
                f"named verdict: {command_line('evaluate', [file], columns[:1], **options, checked='random')}"
            ) from None
        random, top = (
            command_line("evaluate", [file], columns[:1], **options, checked=checked)
            for checked in ("random", "top")
        )
        alone = ""
        if two or len(columns) > 1:
            alone = "Such rows do not compare two models: evaluate each by itself. "
        raise ValueError(
            f"{error}. {alone}If a random part of the rows was verified, and labeled rows are verdicts too: {random}. "
            f"If all of the first k by score were: {top}"
        ) from None
