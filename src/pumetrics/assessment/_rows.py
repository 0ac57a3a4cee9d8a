"""Rows of the tables of a page: each number once, as text, with what belongs to it."""

from math import isnan
from typing import NamedTuple

from pumetrics.assessment._plain import GLOSSARY, percent, percents, term_of
from pumetrics.assessment._words import label, span
from pumetrics.inference.types import informative
from pumetrics.metrics import find_metric

__all__ = ["Row", "rows_at_threshold", "rows_over_thresholds"]

_POINT = ("recall", "precision", "new_precision", "lift")
"""Numbers of an operating point that have a row."""


class Row(NamedTuple):
    """A number of a page; texts are None where there is nothing to show."""

    key: str | None
    """Of :data:`GLOSSARY`."""
    name: str
    value: str | None
    """None where it is not identified."""
    interval: str | None
    bounds: str | None = None
    uncorrected: str | None = None
    assumes: str | None = None
    nested: bool = False
    """Whether it says what another assumption makes of the row above."""


def rows_at_threshold(assessment, point):
    """What is known at the threshold in use, of the assessment where it has it, else of the operating point.

    Parameters
    ----------
    assessment : Assessment
    point : OperatingPoint or None

    Returns
    -------
    list of Row
    """
    scores = {score.metric: score for score in assessment.scores if _is_at_threshold(assessment, score)}
    precision = "precision" if assessment.population == "all" else "new_precision"
    rows = []
    for key in _POINT:
        score = scores.pop({"recall": "recall", precision: "precision"}.get(key), None)
        if score:
            rows += _rows_of(score, key, GLOSSARY[key][0], (percent, percents))
        elif point:
            rows.append(_row_of(key, getattr(point, key)))
    for score in scores.values():
        rows += _rows_of(score, term_of(score.metric), find_metric(score.metric).label)
    return rows


def rows_over_thresholds(assessment):
    """Areas, metrics at their best threshold, and metrics of the top of the ranking.

    Parameters
    ----------
    assessment : Assessment

    Returns
    -------
    list of Row
    """
    others = [score for score in assessment.scores if not _is_at_threshold(assessment, score)]
    return [row for score in others for row in _rows_of(score, term_of(score.metric), label(score.metric, None))]


def _is_at_threshold(assessment, score):
    return assessment.threshold is not None and find_metric(score.metric).kind == "threshold"


def _rows_of(score, key, name, texts=(lambda value: f"{value:.3f}", span)):
    """The row of a score, and one for each other strength of selection."""
    one, both = texts
    yield Row(
        key,
        name,
        one(score.corrected) if score.identified else None,
        score.interval and both(score.interval),
        score.bounds and both(score.bounds),
        None if isnan(score.uncorrected) else one(score.uncorrected),
        score.assumes,
    )
    for selection, value, interval in score.selected:
        known = interval is None or informative(score.metric, interval)
        about = f"selection {selection:g}"
        yield Row(None, about, one(value) if known else None, interval and both(interval), assumes=about, nested=True)


def _row_of(key, estimate):
    """The row of a number of an operating point."""
    one, both = (
        (percent, percents) if key != "lift" else ("{:.1f}".format, lambda pair: "{:.1f} to {:.1f}".format(*pair))
    )
    interval = estimate.interval and both(estimate.interval)
    return Row(key, GLOSSARY[key][0], one(estimate.value) if estimate.identified else None, interval)
