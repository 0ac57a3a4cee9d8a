"""Answers from rows that an expert has checked."""

from pumetrics.checks import checked_interval
from pumetrics.methods.types import Answer

__all__ = ["checked_answer"]


def checked_answer(metric, s, y_score, checks, *, label_odds, threshold, confidence, population, given):
    """The answer of :func:`pumetrics.checks.checked_interval`.

    Parameters
    ----------
    metric, s, y_score, checks, label_odds, threshold, population
        See :func:`pumetrics.checks.checked_interval`.
    confidence : float or None
        .95 by default.
    given : dict
        Options that say how to do without checks, those that are as by default left out.

    Returns
    -------
    Answer

    Raises
    ------
    ValueError
        As :func:`pumetrics.checks.checked_interval`, or if other options are given.
    """
    if given:
        name, value = next(iter(given.items()))
        raise ValueError(f"{name}={value!r} and checks contradict: checked rows alone give the answer; leave one out")
    level = 0.95 if confidence is None else confidence
    options = {"threshold": threshold, "label_odds": label_odds, "confidence": level, "population": population}
    found = checked_interval(metric, s, y_score, checks, **options)
    labels = {float("inf"): "nothing on how labels came about", 1.0: "labels at random (SCAR), which no test confirms"}
    within = f"odds of being labeled that differ at most {label_odds:g} times across the threshold"
    notes = (
        f"assumes {labels.get(found.label_odds, within)}",
        f"from {found.n_checked} checked rows, {found.n_positive} of them positive, {found.n_unsure} not sure",
        "about these rows: no sampling error of further ones is included",
    )
    return Answer(found.estimate, found.lower, found.upper, found.threshold, None, None, "checks", "none", notes)
