"""A gate for continuous integration: exit status 1 if a score is too low."""

import typer

from pumetrics.cli._errors import printable
from pumetrics.metrics import find_metric

__all__ = ["BELOW", "limits_of", "shortfalls", "stop_below"]

BELOW = 1
"""Exit status of a gate that does not pass."""


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


def shortfalls(assessment, limits, *, lower):
    """One line for each limit that is not reached, or cannot be shown to be.

    Parameters
    ----------
    assessment : Assessment
    limits : dict of str to float
    lower : bool
        Whether the lower end of the interval is compared, not the corrected score.

    Returns
    -------
    list of str
    """
    what = f"lower end of the {assessment.confidence:.0%} interval" if lower else "corrected score"
    lines = []
    for score in assessment.scores:
        if score.metric not in limits:
            continue
        limit = limits[score.metric]
        value = (score.interval or (None,))[0] if lower else score.corrected
        if not score.identified:
            lines.append(f"{score.metric} is not identified by these scores, so it is not shown to reach {limit:g}")
        elif value is None:
            lines.append(f"{score.metric} has no interval, so it is not shown to reach {limit:g}: see the warnings")
        elif not value >= limit:
            lines.append(f"{score.metric}: the {what} is {value:.4g}, below {limit:g}")
    return lines


def stop_below(failed, models):
    """Print what fell short and exit with status 1, if anything did.

    Parameters
    ----------
    failed : list of list of str
        Lines for each model.
    models : list of str
        Their names, which are said where there are several.
    """
    for model, lines in zip(models, failed, strict=True):
        whose = f"model {model}: " if len(models) > 1 else ""
        for line in lines:
            typer.echo(printable(f"--fail-under: {whose}{line}"), err=True)
    if any(failed):
        raise typer.Exit(BELOW)
