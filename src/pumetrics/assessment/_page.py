"""One model, or several one after the other, as one self-contained HTML page."""

import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pumetrics import __version__
from pumetrics.assessment._assess import Assessment, positive_and_unlabeled
from pumetrics.assessment._checked import checked_parts, contradiction
from pumetrics.assessment._operating import operating_point, operating_points
from pumetrics.assessment._pictures import pictures_of
from pumetrics.assessment._plain import (
    GLOSSARY,
    alpha_sentence,
    headline,
    percent,
    percents,
    rows_at_threshold,
    rows_over_thresholds,
    term_of,
    threshold_words,
)
from pumetrics.assessment._words import FOOTNOTE, assumed_in_words, explained, label, paper_paragraph, span
from pumetrics.counts import Counts

__all__ = ["Assessed", "date_of", "fragment", "models_page", "page", "rendered", "write_page"]

_FOLDER = Path(__file__).parent


def rendered(template, **content):
    """Fill the template of a page, which is given its style sheets.

    Parameters
    ----------
    template : str
        A file of this folder.
    **content

    Returns
    -------
    str
    """
    style = "".join((_FOLDER / sheet).read_text(encoding="utf-8") for sheet in ("report.css", "page.css"))
    return fragment(template, style=style, **content)


def fragment(template, **content):
    """Fill a template without style sheets.

    Parameters
    ----------
    template : str
    **content

    Returns
    -------
    str
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    options = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    environment = Environment(loader=FileSystemLoader(_FOLDER), **options)
    environment.filters |= {"percent": percent, "percents": percents, "span": span}
    environment.globals |= {"glossary": GLOSSARY, "term_of": term_of, "label": label, "version": __version__}
    return environment.get_template(template).render(**content)


_ALWAYS = (
    "positive", "labeled", "unlabeled", "alarm", "threshold", "corrected", "uncorrected", "interval", "bounds",
    "identified", "alpha", "scar", "recall", "precision", "new_precision", "lift",
)  # fmt: skip


class Assessed(NamedTuple):
    """A model of a page."""

    name: str
    """What to call it."""
    assessment: Assessment
    s: np.ndarray | None
    """1 labeled, 0 unlabeled, of shape (n_samples,); None of counts."""
    y_score: np.ndarray | Counts
    """What was assessed."""
    file: dict | None = None
    """Facts of the file of scores to be shown: "name", "sha256", "rows", "rows_used", or some of them."""
    next: tuple[str, str] | None = None
    """What to do next, in words, and the command line that does it."""


def write_page(path, assessment, s, y_score, *, name="scores", file=None, date=None):
    """Write :func:`page` to a file.

    Parameters
    ----------
    path : path-like
    assessment, s, y_score, name, file, date
        See :func:`page`.
    """
    content = page(assessment, s, y_score, name=name, file=file, date=date)
    Path(path).write_text(content, encoding="utf-8")


def page(assessment, s, y_score, *, name="scores", file=None, date=None):
    """Page on one model for people who have to decide: how good it is, how certain that is, and what argues against it.

    Of rows with weights or propensities, or of cross-validation folds, whose scores share no threshold, the page shows
    numbers without curves and without counts at a threshold.

    Parameters
    ----------
    assessment : Assessment
    s, y_score : array-like of shape (n_samples,)
        What was assessed.
    name : str
        What to call it.
    file : dict, optional
        Facts of the file of scores to be shown: "name", "sha256", "rows", "rows_used", or some of them.
    date : str, optional
        Of the scores, to be shown as it is; the page knows no clock, so equal input gives equal pages.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    return models_page([Assessed(name, assessment, s, y_score, file)], date=date)


def models_page(models, *, date=None):
    """Page on one or several models, a part for each.

    Parameters
    ----------
    models : sequence of Assessed
    date : str, optional
        See :func:`page`.

    Returns
    -------
    str
        HTML that needs no other file.

    Raises
    ------
    ValueError
        If there is no model.
    """
    if not models:
        raise ValueError("models must hold at least one model, got none")
    parts = [_part(model, f"model-{place}-" if len(models) > 1 else "") for place, model in enumerate(models, 1)]
    metrics = {term_of(score.metric) for model in models for score in model.assessment.scores}
    files = {(model.file.get("name"), model.file.get("sha256")): model.file for model in models if model.file}
    terms = {key: GLOSSARY[key] for key in GLOSSARY if key in _ALWAYS or key in metrics}
    return rendered(
        "page.html.j2", models=parts, files=list(files.values()), date=date, footnote=FOOTNOTE, terms=terms
    )  # fmt: skip


def _part(model, prefix):
    """What a page says of one model; `prefix` begins the ids of its headings."""
    assessment, point, points = model.assessment, None, []
    s, y_score, _ = positive_and_unlabeled(model.s, model.y_score)
    if _one_ranking(assessment) and not assessment.checked:
        point, points = operating_point(assessment, s, y_score), operating_points(assessment, s, y_score)
    return {
        "id": prefix,
        "name": model.name,
        "file": model.file or {},
        "assessment": assessment,
        "point": point,
        "points": points,
        "headline": headline(assessment, point),
        "alpha": alpha_sentence(assessment),
        "assumption": assumed_in_words(assessment),
        "contradiction": assessment.scar and contradiction(assessment.scar, assessment.scores),
        "explained": explained(assessment),
        "threshold_words": point and threshold_words(point, assessment.choice),
        "at_threshold": rows_at_threshold(assessment, point),
        "over_thresholds": rows_over_thresholds(assessment),
        "paper": paper_paragraph(assessment),
        "next": model.next,
        "checked": checked_parts(assessment),
        "scar": assessment.scar and _part(model._replace(assessment=assessment.scar), f"{prefix}scar-"),
        "pictures": [] if assessment.checked else pictures_of(assessment, s, y_score, point),
    }


def _one_ranking(assessment):
    """Whether all rows count alike, their scores share a threshold, and labels have no propensities."""
    return not any((assessment.design or {}).get(name) for name in ("weighted", "folds", "propensity"))


def date_of(source):
    """Day on which a file was last changed, as the date of a page.

    Parameters
    ----------
    source : Source

    Returns
    -------
    str or None
        In UTC, such as "2026-03-01"; None of standard input, which has no date.
    """
    if str(source.path) != source.name:
        return None
    changed = source.path.stat().st_mtime
    return datetime.datetime.fromtimestamp(changed, tz=datetime.UTC).strftime("%Y-%m-%d")
