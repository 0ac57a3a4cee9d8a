"""Two or more models side by side on one self-contained HTML page, with one verdict."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pumetrics.assessment._assess import positive_and_unlabeled
from pumetrics.assessment._checked import difference_in_words
from pumetrics.assessment._compare import Comparison
from pumetrics.assessment._operating import operating_point
from pumetrics.assessment._page import rendered
from pumetrics.assessment._pictures import pictures_of_models
from pumetrics.assessment._plain import GLOSSARY, alpha_sentence, term_of, threshold_words
from pumetrics.assessment._words import (
    FOOTNOTE,
    assumed_in_words,
    explained,
    headline_in_words,
    label,
    span,
    turns_in_words,
)

__all__ = ["Contest", "comparison_page", "verdict_sentence", "write_comparison_page"]

_ALWAYS = (
    "positive", "labeled", "unlabeled", "alarm", "threshold", "corrected", "interval", "alpha", "scar", "recall",
    "precision", "lift",
)  # fmt: skip
_LONGEST = 28  # characters of a name in a table


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
        return {"first": self.first, "second": self.second, None: None}[self.comparison.winner]

    @property
    def scar_winner(self):
        """The same if the labels are as assumed."""
        return {"first": self.first, "second": self.second, None: None}[self.comparison.scar_winner]


def write_comparison_page(path, contests, *, files=(), date=None):
    """Write :func:`comparison_page` to a file.

    Parameters
    ----------
    path : path-like
    contests, files, date
        See :func:`comparison_page`.
    """
    Path(path).write_text(comparison_page(contests, files=files, date=date), encoding="utf-8")


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
    Rows with weights or in folds, and labels under a selection or a propensity, are shown in numbers alone: curves and
    thresholds would be those of rows that count alike and of labels at random.
    """
    from pumetrics.displays import model_colors

    if not contests:
        raise ValueError("contests must hold at least one pair of models, got none")
    contests = list(contests)
    plain = not any(_designed(contest.comparison) for contest in contests)
    models, results = {}, {}
    for contest in contests:
        for name, scores in ((contest.first, contest.first_score), (contest.second, contest.second_score)):
            models.setdefault(name, positive_and_unlabeled(contest.s, scores)[:2])
            results.setdefault(name, contest.comparison)
    colors = model_colors(models)
    points = {name: operating_point(results[name], *models[name]) for name in models} if plain else {}
    whole = contests[0].comparison
    metrics = {term_of(metric) for contest in contests for metric in contest.comparison.differences}
    return rendered(
        "comparison.html.j2",
        contests=contests,
        points=points,
        colors=colors,
        shown=_shown(models),
        comparison=whole,
        files=list(files),
        date=date,
        verdict=verdict_sentence(contests),
        turns=turns_in_words,
        alpha=alpha_sentence(whole),
        assumption=assumed_in_words(whole),
        next=contests[0].next,
        threshold_words=threshold_words(next(iter(points.values()))) if points else "",
        footnote=f"{headline_in_words(whole)}. {' '.join(explained(whole))} {FOOTNOTE}",
        warnings=list(dict.fromkeys(warning for contest in contests for warning in _warnings(contest, contests))),
        pictures=pictures_of_models(whole, models, colors) if plain else [],
        terms={key: GLOSSARY[key] for key in GLOSSARY if key in _ALWAYS or key in metrics},
    )


def _designed(comparison):
    """Whether rows count differently, are scored by several models, or are not labeled at random."""
    design = comparison.design or {}
    return any(design.get(name) for name in ("weighted", "folds", "propensity"))


def _shown(names):
    """Names as tables show them: the middle of long ones is left out, unless they could then be confused."""
    shown = {}
    for name in names:
        shown[name] = name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
    return shown if len(set(shown.values())) == len(shown) else {name: name for name in names}


def _warnings(contest, contests):
    """Warnings, with the names of the models in place of first and second if there are several contests."""
    both = None if len(contests) == 1 else f"{contest.first} and {contest.second}"
    names = {"first model": contest.first, "second model": contest.second, None: both}
    for warning in contest.comparison.warnings:
        yield warning.of(names.get(warning.about, warning.about))


def verdict_sentence(contests):
    """Which model is better, in one or two sentences that claim no more than the intervals do.

    Parameters
    ----------
    contests : sequence of Contest

    Returns
    -------
    str
    """
    if len(contests) == 1:
        return _verdict_of_two(contests[0])
    confidence = contests[0].comparison.confidence
    groups = {
        "second": ("is better", "are better"),
        "first": ("is worse", "are worse"),
        None: ("cannot be distinguished", "cannot be distinguished"),
    }
    parts = []
    for winner, words in groups.items():
        names = [contest.second for contest in contests if contest.comparison.winner == winner]
        if names:
            parts.append(f"{_listed(names)} {words[len(names) > 1]}")
    name = label(contests[0].comparison.headline, contests[0].comparison.threshold)
    against = f"against {contests[0].first}, by {name}"
    return f"With {confidence:.0%} confidence in each pair, {against}: {'; '.join(parts)}."


def _verdict_of_two(contest):
    comparison, names = contest.comparison, {"first": contest.first, "second": contest.second}
    if comparison.checked:
        return difference_in_words(comparison, tuple(names.values()))
    metric = comparison.headline
    gap, name = comparison.differences[metric].difference, label(metric, comparison.threshold)
    if comparison.winner is None:
        open_ = f"These scores do not show whether {contest.first} or {contest.second} is better"
        if gap.lower <= 0 <= gap.upper:
            return f"{open_}: the interval of the difference in {name}, {span((gap.lower, gap.upper))}, holds 0."
        return f"{open_}: there are too few examples or resamples, or alpha is not identified."
    loser = names["second" if comparison.winner == "first" else "first"]
    ends = (gap.lower, gap.upper) if comparison.winner == "first" else (-gap.upper, -gap.lower)
    depends = "depends" if comparison.orders[metric].changes else "does not depend"
    return (
        f"With {comparison.confidence:.0%} confidence, {contest.winner} is better than {loser}: its {name} is higher "
        f"by {span(ends)}. The order {depends} on alpha, from 0 to {comparison.most_alpha:.3f}."
    )


def _listed(names):
    """Names with commas and a last "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
