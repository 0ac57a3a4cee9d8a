"""A gate for continuous integration: exit status 1 if a score is too low, 3 if these scores cannot tell."""

import math

import typer

from pumetrics.cli._errors import printable
from pumetrics.inference.types import informative
from pumetrics.metrics import find_metric

__all__ = ["BELOW", "UNKNOWN", "limits_of", "shortfalls", "stop_below"]

BELOW = 1
"""Exit status if a score is below its limit."""

UNKNOWN = 3
"""Exit status if no score is known to be below its limit, and one cannot be told."""


def limits_of(texts, metrics, *, lower, n_bootstrap):
    """Parse ``roc_auc=.85``, once or several times.

    Parameters
    ----------
    texts : list of str or None
    metrics : list of str
        Those that are computed.
    lower : bool
        Whether lower ends of intervals are compared.
    n_bootstrap : int

    Returns
    -------
    dict of str to float

    Raises
    ------
    ValueError
        On anything else, a metric that is not computed, a limit that no score can fall below or reach, or lower ends
        without intervals.
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
    if lower and not n_bootstrap:
        raise ValueError("--lower needs intervals: give --bootstrap, 200 are usual")
    return limits


def shortfalls(assessment, limits, *, lower, remedy=""):
    """One line for each limit that is not reached, by exit status.

    Parameters
    ----------
    assessment : Assessment
    limits : dict of str to float
    lower : bool
        Whether the lower end of the interval is compared, not the corrected score.
    remedy : str
        What else to do about a score that is not identified.

    Returns
    -------
    dict of int to list of str
        Under ``BELOW`` what is below its limit, under ``UNKNOWN`` what cannot be told. A score that is not identified
        is below its limit if all of its interval is. Where rows were checked, their answer without assumption counts.
    """
    what = f"lower end of the {assessment.confidence:.0%} interval" if lower else "corrected score"
    lines = {BELOW: [], UNKNOWN: []}
    for score in assessment.scores:
        if score.metric not in limits:
            continue
        limit = limits[score.metric]
        value, interval, identified = score.corrected, score.interval, score.identified
        if score.metric in assessment.checked:
            answer = assessment.checked[score.metric][0]
            value, interval = answer.estimate, (answer.lower, answer.upper)
            identified = informative(score.metric, interval)
        value = (interval or (None,))[0] if lower else value
        most = interval[1] if interval else math.inf
        if most < limit:
            lines[BELOW].append(f"{score.metric}: all of its interval, up to {most:.4g}, is below {limit:g}")
        elif not identified:
            lines[UNKNOWN].append(
                f"{score.metric} cannot be told: it is not identified by these scores, so it may or may not reach "
                f"{limit:g}; give --alpha{remedy and ', or '}{remedy}"
            )
        elif value is None:
            lines[UNKNOWN].append(f"{score.metric} cannot be told: it has no interval, see the warnings")
        elif not value >= limit:
            lines[BELOW].append(f"{score.metric}: the {what} is {value:.4g}, below {limit:g}")
    return lines


def stop_below(failed, models):
    """Print what fell short, or cannot be told, and exit with its status, if anything did.

    Parameters
    ----------
    failed : list of dict
        From :func:`shortfalls`, for each model.
    models : list of str
        Their names, which are said where there are several.
    """
    for model, lines in zip(models, failed, strict=True):
        whose = f"model {model}: " if len(models) > 1 else ""
        for line in (*lines[BELOW], *lines[UNKNOWN]):
            typer.echo(printable(f"--fail-under: {whose}{line}"), err=True)
    for status in (BELOW, UNKNOWN):
        if any(lines[status] for lines in failed):
            raise typer.Exit(status)
