"""Two or more models side by side on one self-contained HTML page, with one verdict."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pumetrics.assessment._assess import positive_and_unlabeled
from pumetrics.assessment._compare import Comparison
from pumetrics.assessment._operating import operating_point
from pumetrics.assessment._pictures import pictures_of_models
from pumetrics.assessment._plain import GLOSSARY, alpha_sentence, term_of, threshold_words
from pumetrics.assessment._templates import rendered
from pumetrics.assessment._words import FOOTNOTE, assumed_in_words, label, span, turns_in_words, verdict

__all__ = ["Contest", "comparison_page", "verdict_sentence", "write_comparison_page"]

_ALWAYS = (
    "positive", "labeled", "unlabeled", "alarm", "threshold", "corrected", "interval", "alpha", "scar", "recall",
    "precision", "lift", "chance",
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
    """

    first: str
    second: str
    s: np.ndarray
    first_score: np.ndarray
    second_score: np.ndarray
    comparison: Comparison

    @property
    def winner(self):
        """Name of the model that is better by at least one metric and worse by none; None if there is no such model."""
        found = {verdict(each.difference) for each in self.comparison.differences.values()} - {"open"}
        return {"first": self.first, "second": self.second}[found.pop()] if len(found) == 1 else None


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
    """Page on two or more models: one verdict, then the numbers side by side, doubts and pictures.

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
    """
    from pumetrics.displays import model_colors

    if not contests:
        raise ValueError("contests must hold at least one pair of models, got none")
    contests = list(contests)
    models, results = {}, {}
    for contest in contests:
        for name, scores in ((contest.first, contest.first_score), (contest.second, contest.second_score)):
            models.setdefault(name, positive_and_unlabeled(contest.s, scores)[:2])
            results.setdefault(name, contest.comparison)
    colors = model_colors(models)
    points = {name: operating_point(results[name], *models[name]) for name in models}
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
        of_gap=verdict,
        turns=turns_in_words,
        alpha=alpha_sentence(whole),
        assumed=assumed_in_words(whole),
        threshold_words=threshold_words(next(iter(points.values()))),
        footnote=FOOTNOTE,
        warnings=list(dict.fromkeys(warning for contest in contests for warning in _warnings(contest, contests))),
        pictures=pictures_of_models(whole, models, colors),
        terms={key: GLOSSARY[key] for key in GLOSSARY if key in _ALWAYS or key in metrics},
    )


def _shown(names):
    """Names as tables show them: the middle of long ones is left out, unless they could then be confused."""
    shown = {}
    for name in names:
        shown[name] = name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
    return shown if len(set(shown.values())) == len(shown) else {name: name for name in names}


def _warnings(contest, contests):
    """Doubts, with the names of the models in place of first and second where there are several contests."""
    for warning in contest.comparison.warnings:
        named = warning.replace("first model:", f"{contest.first}:").replace("second model:", f"{contest.second}:")
        yield named if len(contests) == 1 or named != warning else f"{contest.first} and {contest.second}: {warning}"


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
        "is better": [],
        "is worse": [],
        "cannot be told apart": [],
        "is better by some numbers, worse by others": [],
    }
    for contest in contests:
        groups[_standing(contest)].append(contest.second)
    plural = {"is better": "are better", "is worse": "are worse"}
    parts = []
    for words, names in groups.items():
        if names:
            said = plural.get(words, words.replace("is ", "are ")) if len(names) > 1 else words
            parts.append(f"{_listed(names)} {said}")
    return f"With {confidence:.0%} confidence in each pair, against {contests[0].first}: {'; '.join(parts)}."


def _standing(contest):
    """How the second model of a contest stands to the first."""
    if contest.winner:
        return "is better" if contest.winner == contest.second else "is worse"
    decided = any(verdict(each.difference) != "open" for each in contest.comparison.differences.values())
    return "is better by some numbers, worse by others" if decided else "cannot be told apart"


def _verdict_of_two(contest):
    comparison = contest.comparison
    by = {"first": [], "second": [], "open": []}
    for metric, difference in comparison.differences.items():
        by[verdict(difference.difference)].append(metric)
    names = {"first": contest.first, "second": contest.second}
    sure = f"With {comparison.confidence:.0%} confidence"
    if not by["first"] and not by["second"]:
        return (
            f"Which of {contest.first} and {contest.second} is better cannot be told from these scores: every interval "
            "of the difference holds 0."
        )
    if by["first"] and by["second"]:
        parts = [f"{names[side]} is better by {_labels(by[side], comparison)}" for side in ("first", "second")]
        return f"{sure}, neither model is better throughout: {parts[0]}, {parts[1]}."
    side = "first" if by["first"] else "second"
    decided = by[side]
    metric = "roc_auc" if "roc_auc" in decided else decided[0]
    gap = comparison.differences[metric].difference
    ends = (gap.lower, gap.upper) if side == "first" else (-gap.upper, -gap.lower)
    name = label(metric, comparison.threshold)
    words = f"{sure}, {names[side]} is better than {names['second' if side == 'first' else 'first']}: its {name} is "
    words += f"higher by {span(ends)}."
    if by["open"]:
        words += f" By {_labels(by['open'], comparison)} it cannot be told."
    return f"{words} {_over_alphas(comparison, decided)}"


def _over_alphas(comparison, decided):
    """Whether the order of the models depends on alpha."""
    turning = [metric for metric in decided if comparison.orders[metric].changes]
    most = f"{comparison.most_alpha:.3f}"
    if not turning:
        return f"The order does not depend on alpha, from 0 to {most}."
    return f"By {_labels(turning, comparison)} the order changes as alpha goes from 0 to {most}."


def _labels(metrics, comparison):
    return _listed([label(metric, comparison.threshold) for metric in metrics])


def _listed(names):
    """Names with commas and a last "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
