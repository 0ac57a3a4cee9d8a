"""Errors of the commands: one line on stderr that names options, and the exit status."""

import math
import os
import sys
from contextlib import contextmanager, suppress

import typer
from typer.core import TyperGroup

from pumetrics._arguments import GOALS, ArgumentError
from pumetrics._extras import MissingExtraError
from pumetrics.metrics import find_metric

__all__ = [
    "OPTIONS", "OneLineGroup", "limits_of", "one_line_errors", "shortfalls", "stop_below", "terminal", "writing",
    "written_or_refused",
]  # fmt: skip

BAD_INPUT = 2


class OneLineGroup(TyperGroup):
    """Commands that report wrong or missing options in one line on stderr, with exit status 2."""

    def make_context(self, *args, **extra):
        with _one_line_usage():
            return super().make_context(*args, **extra)

    def invoke(self, ctx):
        with _one_line_usage():
            return super().invoke(ctx)


@contextmanager
def _one_line_usage():
    try:
        yield
    except Exception as error:
        # typer brings the classes of click along in some versions and imports them in others
        if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
            raise
        context = getattr(error, "ctx", None)
        command = ["pumetrics", *context.command_path.split()[1:], "--help"] if context else []
        refuse(error.format_message().rstrip(".") + (f"; see {' '.join(command)}" if command else ""))


@contextmanager
def one_line_errors():
    """Turn errors of a user's input into one line on stderr and exit status 2."""
    try:
        yield
    except MemoryError:
        refuse("not enough memory: use a random sample of the rows")
    except OSError as error:
        where = f"{error.filename}: " if error.filename is not None else ""
        refuse(f"{where}{error.strerror or error}")
    except ArgumentError as error:
        refuse(error.named(OPTIONS))
    except (ValueError, MissingExtraError) as error:
        refuse(str(error))


@contextmanager
def written_or_refused():
    """Turn an error of standard output, such as a full disk, into one line on stderr and exit status 2."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, such as head, has had enough; a gate still decides
        _close_output()
    except OSError as error:
        _close_output()
        refuse(f"standard output cannot be written: {error.strerror or error}; free some space or write elsewhere")


@contextmanager
def writing(option, path):
    """Name the option and the file in an error of writing, such as a full disk."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"{option} {path} cannot be written: {error.strerror or error}") from None


def terminal():
    """Return a console for tables; a closed pipe does not end the command, which may still have a limit to check."""
    from rich.console import Console

    class _Terminal(Console):
        def on_broken_pipe(self):
            self.quiet = True
            _close_output()

    return _Terminal(highlight=False)


def refuse(message):
    """Print one line on stderr and exit with status 2."""
    typer.echo(printable(message), err=True)
    raise typer.Exit(BAD_INPUT) from None


def printable(text):
    """Text on one line: line breaks and control characters, such as those of a file's name, are escaped."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def _close_output():
    """Send to nowhere what Python would try to write again when it ends."""
    with suppress(OSError, ValueError):  # an output of a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_SAME = (
    *("alpha", "beta", "rho", "noisy", "selection", "propensity", "selected_by", "population"),
    *("confidence", "threshold", "thresholds", "uncertainty", "checks", "label_odds", "budget", "fold", "cluster"),
    *GOALS,
)
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SAME} | {
    "method": "--priors",
    "n_bootstrap": "--bootstrap",
    "random_state": "--seed",
    "sample_weight": "--weight",
    "k": "--at",
}
"""Options by the arguments of functions that they set."""


BELOW = 1
"""Exit status if a score is below its limit."""

UNKNOWN = 3
"""Exit status if no score is known to be below its limit and at least one is undecided."""


def limits_of(texts, metrics, *, lower, intervals):
    """Parse ``roc_auc=0.85``, given once or several times.

    Parameters
    ----------
    texts : list of str or None
    metrics : list of str
        Those that are computed.
    lower : bool
        Whether lower ends of intervals are compared.
    intervals : bool
        Whether there are any.

    Returns
    -------
    dict of str to float

    Raises
    ------
    ValueError
        On any other text, a metric that is not computed, a limit outside the range of the metric, or lower ends without
        intervals.
    """
    limits = {}
    for text in texts or []:
        name, equals, number = text.partition("=")
        try:
            limit = float(number)
        except ValueError:
            limit = float("nan")
        if not equals or limit != limit:
            raise ValueError(f"--fail-under must be a metric and a number such as roc_auc=0.85, got {text!r}")
        if name not in metrics:
            raise ValueError(f"--fail-under must name one of {', '.join(metrics)}, got {name!r}")
        low, high = find_metric(name).range
        if not low <= limit <= high:
            raise ValueError(f"--fail-under {text}: {name} lies in [{low:g}, {high:g}]; use a limit within")
        limits[name] = limit
    if lower and not limits:
        raise ValueError("--lower needs --fail-under, such as --fail-under roc_auc=0.85")
    if lower and not intervals:
        raise ValueError("--lower needs intervals: give --bootstrap; 200 is common")
    return limits


def shortfalls(assessment, limits, *, lower, remedy=""):
    """Describe each limit that is not reached in one line, by exit status.

    Parameters
    ----------
    assessment : Assessment
    limits : dict of str to float
    lower : bool
        Whether to compare the lower end of the interval instead of the corrected score.
    remedy : str
        Another remedy for a score that is not identified.

    Returns
    -------
    dict of int to list of str
        ``BELOW`` holds scores below their limits, ``UNKNOWN`` undecided scores. A score that is not identified is below
        its limit if its whole interval is.
    """
    scores, lines = {score.metric: score for score in assessment.scores}, {BELOW: [], UNKNOWN: []}
    for metric, limit in limits.items():
        if metric not in scores:
            why = "the checked rows do not determine it; use a metric that they determine"
            lines[UNKNOWN].append(f"{metric} is undecided: {why}, or omit --checks")
            continue
        found = _shortfall(scores[metric], limit, assessment, lower=lower, remedy=remedy)
        if found:
            lines[found[0]].append(f"{metric}{found[1]}")
    return lines


_WAYS = {"checked": "check more rows", "known": "label more rows", "range": "give a narrower --alpha"}


def _shortfall(score, limit, assessment, *, lower, remedy):
    """Return the status and line of a limit that is not reached, or None."""
    what = f"lower end of the {assessment.confidence:.0%} interval" if lower else "corrected score"
    least, most = score.interval or (None, math.inf)
    value = least if lower else score.corrected
    ways = _WAYS.get("checked" if assessment.checked else assessment.uncertainty, "give --alpha")
    n_open = assessment.checked[score.metric][0].n_open if assessment.checked else 0
    if n_open:
        return UNKNOWN, f" is undecided: {n_open:,} rows of the plan have no verdict yet, and a claim needs all of them"
    if most < limit:
        return BELOW, f": its whole interval, up to {most:.4g}, is below {limit:g}"
    if assessment.checked and least >= limit:
        return None
    if not score.identified:
        return UNKNOWN, (
            f" is undecided: these scores do not identify it, so it may or may not reach {limit:g}; "
            f"{ways}{remedy and ', or '}{remedy}"
        )
    if value is None:
        return UNKNOWN, " is undecided: it has no interval, see the warnings"
    if math.isnan(value):  # no point, as where a part of the rows was not checked at all
        return UNKNOWN, f" is undecided: it is between {least:.4g} and {most:.4g}; use --lower, or {ways}"
    return None if value >= limit else (BELOW, f": the {what} is {value:.4g}, below {limit:g}")


def stop_below(failed, models):
    """Print scores that are below their limits or undecided, and exit with the status if there are any.

    Parameters
    ----------
    failed : list of dict
        From :func:`shortfalls`, for each model.
    models : list of str
        Their names, which are printed if there are several.
    """
    for model, lines in zip(models, failed, strict=True):
        whose = f"model {model}: " if len(models) > 1 else ""
        for line in (*lines[BELOW], *lines[UNKNOWN]):
            typer.echo(printable(f"--fail-under: {whose}{line}"), err=True)
    for status in (BELOW, UNKNOWN):
        if any(lines[status] for lines in failed):
            raise typer.Exit(status)
