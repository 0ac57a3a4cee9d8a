"""An assessment, or several models side by side, as one self-contained HTML page."""

import datetime
from pathlib import Path

from pumetrics.assessment._assess import positive_and_unlabeled
from pumetrics.assessment._operating import operating_point, operating_points
from pumetrics.assessment._pictures import pictures_of
from pumetrics.assessment._plain import GLOSSARY, alpha_sentence, headline, term_of, threshold_words
from pumetrics.assessment._templates import rendered
from pumetrics.assessment._words import FOOTNOTE, assumed_in_words, paper_paragraph

__all__ = ["date_of", "page", "write_page"]

_ALWAYS = (
    "positive", "labeled", "unlabeled", "alarm", "threshold", "corrected", "uncorrected", "interval", "bounds", "alpha",
    "scar", "recall", "precision", "new_precision", "lift",
)  # fmt: skip


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
    """Page on one model for people who have to decide: what it is worth, how sure that is, and what speaks against it.

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
    s, y_score, _ = positive_and_unlabeled(s, y_score)
    point = operating_point(assessment, s, y_score)
    metrics = {term_of(score.metric) for score in assessment.scores}
    return rendered(
        "page.html.j2",
        assessment=assessment,
        name=name,
        file=file or {},
        date=date,
        point=point,
        points=operating_points(assessment, s, y_score),
        headline=headline(assessment, point),
        alpha=alpha_sentence(assessment),
        assumed=assumed_in_words(assessment),
        threshold_words=threshold_words(point),
        footnote=FOOTNOTE,
        paper=paper_paragraph(assessment),
        pictures=pictures_of(assessment, s, y_score, point),
        terms={key: GLOSSARY[key] for key in GLOSSARY if key in _ALWAYS or key in metrics},
    )


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
