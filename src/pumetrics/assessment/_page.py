"""One model, several one after the other, or two or more side by side, as one self-contained HTML page."""

import datetime
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pumetrics import __version__
from pumetrics.assessment import _tables, _words
from pumetrics.assessment._assessment import Assessment
from pumetrics.assessment._checked import contradiction
from pumetrics.assessment._compare import Comparison
from pumetrics.assessment._pictures import pictures_of, pictures_of_models
from pumetrics.metrics import SUMMARIES
from pumetrics.validation import check_sample
from pumetrics.writing import write_whole

__all__ = [
    "Assessed",
    "Contest",
    "comparison_page",
    "date_of",
    "in_notebook",
    "models_page",
    "page",
    "write_page",
]

_FOLDER = Path(__file__).parent
_COLUMNS = ["corrected", "interval", "uncorrected", "assumes"]
_LONGEST = 28  # characters of a name in a table


def _filled(template, **content):
    """Fill a template of this folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    options = {
        "autoescape": True,
        "trim_blocks": True,
        "lstrip_blocks": True,
        "undefined": StrictUndefined,
    }
    environment = Environment(loader=FileSystemLoader(_FOLDER), **options)
    environment.filters["sentence"] = _sentence
    environment.filters["shown"] = _words.shown
    environment.globals |= {"glossary": _words.GLOSSARY, "version": __version__}
    return environment.get_template(template).render(**content)


def _sentence(text):
    """A text with a capital, unless it begins with the name of what it is about."""
    return text if getattr(text, "about", None) else text[:1].upper() + text[1:]


def _rendered(template, metrics, **content):
    """Fill the template of a page, which is given its style sheets and the meaning of its terms."""
    sheets = ("report.css", "page.css")
    style = "".join((_FOLDER / sheet).read_text(encoding="utf-8") for sheet in sheets)
    shown = {_words.term_of(metric) for metric in metrics}
    absent = {*SUMMARIES, "lift"} - shown
    terms = {key: meaning for key, meaning in _words.GLOSSARY.items() if key not in absent}
    return _filled(template, style=style, terms=terms, **content)


def in_notebook(assessment):
    """Fragment of HTML on an :class:`Assessment`, for notebooks."""
    rows = []
    for score in assessment.scores:
        name = _words.label(score.metric, assessment.threshold)
        rows.append((_tables.Cell(name, key=_words.term_of(score.metric)), score))
    return _filled(
        "notebook.html.j2",
        assessment=assessment,
        table=_tables.score_cells(rows, _COLUMNS, confidence=assessment.confidence),
        sentence=_words.headline(assessment),
        alpha=_words.priors_in_words(assessment),
    )


class Assessed(NamedTuple):
    """A model of a page."""

    name: str
    """What to call it."""
    assessment: Assessment
    s: np.ndarray
    """1 labeled, 0 unlabeled, of shape (n_samples,)."""
    y_score: np.ndarray
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
    write_whole(path, page(assessment, s, y_score, name=name, file=file, date=date))


def page(assessment, s, y_score, *, name="scores", file=None, date=None):
    """Page on one model for people who have to decide: how good it is, how certain that is, and what argues against it.

    Of rows with weights the page shows numbers without curves.

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
    parts = [
        _part(model, f"model-{place}-" if len(models) > 1 else "")
        for place, model in enumerate(models, 1)
    ]
    metrics = [score.metric for model in models for score in model.assessment.scores]
    files = {
        (model.file.get("name"), model.file.get("sha256")): model.file
        for model in models
        if model.file
    }
    return _rendered(
        "page.html.j2",
        metrics,
        models=parts,
        files=list(files.values()),
        date=date,
    )


def _part(model, prefix):
    """What a page says of one model; `prefix` begins the ids of its headings."""
    assessment = model.assessment
    at_threshold = []
    over_all = []
    for row in _tables.named_rows(assessment):
        is_at = _words.at_threshold(row[1].metric, assessment.threshold)
        (at_threshold if is_at else over_all).append(row)
    cells = partial(_tables.score_cells, names=_COLUMNS, confidence=assessment.confidence)
    scar = contradicted = None
    if assessment.scar:
        scar = _part(model._replace(assessment=assessment.scar), f"{prefix}scar-")
        contradicted = contradiction(assessment.scar, assessment.scores)
    pictures = []
    if not assessment.checked:
        pictures = pictures_of(assessment, *check_sample(model.s, model.y_score))
    return {
        "id": prefix,
        "name": model.name,
        "assessment": assessment,
        "tables": {"at": cells(at_threshold, shares=_tables.SHARES), "over": cells(over_all)},
        "headline": _words.headline(assessment),
        "alpha": _words.priors_in_words(assessment),
        "contradiction": contradicted,
        "explained": _words.explained(assessment),
        "paper": _words.paper_paragraph(assessment),
        "next": model.next,
        "scar": scar,
        "pictures": pictures,
    }


@dataclass(frozen=True)
class Contest:
    """Two models on the same examples, and which is better.

    Attributes
    ----------
    first, second : str
        Names of the models.
    s : array-like of shape (n_samples,)
        1 labeled, 0 unlabeled.
    first_score, second_score : array-like of shape (n_samples,)
    comparison : Comparison
        Of these scores.
    next : (str, str), optional
        What to do next, in words, and the command line that does it.
    """

    first: str
    second: str
    s: np.ndarray
    first_score: np.ndarray
    second_score: np.ndarray
    comparison: Comparison
    next: tuple[str, str] | None = None

    @property
    def winner(self):
        """Name of the better model, by the checked rows if there are any; None if neither is clearly better."""
        return self.comparison.winner and getattr(self, self.comparison.winner)


def comparison_page(contests, *, files=(), date=None):
    """Page on two or more models: one verdict, then the numbers side by side, warnings and pictures.

    Parameters
    ----------
    contests : sequence of Contest
        One for each pair of models, such as the first against each of the others.
    files : sequence of dict
        Facts of the files of scores to be shown, see :func:`pumetrics.assessment.page`.
    date : str, optional
        To be shown as it is; the page knows no clock.

    Returns
    -------
    str
        HTML that needs no other file.

    Raises
    ------
    ValueError
        If there is no contest.

    Notes
    -----
    Rows with weights are shown in numbers alone: curves would be those of rows with equal weights.
    """
    from pumetrics.displays import model_colors

    if not contests:
        raise ValueError("contests must hold at least one pair of models, got none")
    models = {}
    for contest in contests:
        comparison = contest.comparison
        for name, assessment, scores in (
            (contest.first, comparison.first, contest.first_score),
            (contest.second, comparison.second, contest.second_score),
        ):
            models.setdefault(name, (assessment, *check_sample(contest.s, scores)))
    shown = _shown(models)
    colors = model_colors(models)
    alphas = [
        _words.priors_in_words(contest.comparison.first, contest.comparison.second)
        for contest in contests
    ]
    one_alpha = len(set(alphas)) == 1  # if it is estimated, each pair has its own
    tables = []
    pictures = pictures_of_models(models, colors) if one_alpha else []
    for contest, alpha in zip(contests, alphas, strict=True):
        pair = f"{contest.first} against {contest.second}"
        sides = {"first": contest.first, "second": contest.second}
        names = {side: {"text": shown[name], "model": name} for side, name in sides.items()}
        numbers = _tables.compared_cells(contest.comparison, names)
        numbers = numbers.without("better")  # which the first sentence says
        tables.append((pair, None if one_alpha else alpha, numbers))
        if not one_alpha:
            own = {
                contest.first: (contest.comparison.first, *models[contest.first][1:]),
                contest.second: (contest.comparison.second, *models[contest.second][1:]),
            }
            for picture in pictures_of_models(own, colors):
                pictures.append(picture._replace(title=f"{picture.title}: {pair}"))

    whole = contests[0].comparison
    warnings = [each for contest in contests for each in _warnings(contest, contests)]
    return _rendered(
        "comparison.html.j2",
        [metric for contest in contests for metric in contest.comparison.differences],
        tables=tables,
        colors=colors,
        shown=list(shown.values()),
        comparison=whole,
        files=list(files),
        date=date,
        verdict=_words.verdict_sentence(contests),
        alpha=alphas[0] if one_alpha else None,
        next=contests[0].next,
        explained=_words.explained_of_two(whole),
        warnings=list(dict.fromkeys(warnings)),
        pictures=pictures,
    )


def _shown(names):
    """Names as tables show them: the middle of long ones is left out, unless they could then be confused."""
    half = _LONGEST // 2
    shown = {
        name: name if len(name) <= _LONGEST else f"{name[:half]}…{name[-half:]}" for name in names
    }
    return shown if len(set(shown.values())) == len(shown) else {name: name for name in names}


def _warnings(contest, contests):
    """Warnings, with the names of the models in place of first and second if there are several contests."""
    both = None if len(contests) == 1 else f"{contest.first} and {contest.second}"
    names = {"first model": contest.first, "second model": contest.second, None: both}
    for warning in contest.comparison.warnings:
        yield warning.of(names.get(warning.about, warning.about))


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
