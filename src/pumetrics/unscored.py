"""Rows without a score, such as those that a ranker did not list: ranked lowest, left out, or refused."""

from typing import NamedTuple

import numpy as np

from pumetrics.validation import as_array, check_choice, check_same_index, check_same_length

__all__ = ["UNSCORED", "Unscored", "UnscoredError", "check_unscored", "settled"]

UNSCORED = ("lowest", "skip")
"""What may be done with rows without a score."""


class UnscoredError(ValueError):
    """Rows have no score, and nothing says what that means; a command says how to give it."""

    def named(self, lowest, skip):
        """The message with both ways, as a command or an argument."""
        return (
            f"{self}: give {lowest} if the model did not list them, so that they rank below all others, tied; or "
            f"{skip} for a result about the scored rows only"
        )


class Unscored(NamedTuple):
    """Rows without a score, and what is done with them."""

    rows: int
    """Rows without a score."""
    labeled: int
    """Those of them that are labeled."""
    of: int
    """Rows with and without a score."""
    treated: str
    """"lowest" or "skip"."""

    @classmethod
    def of_rows(cls, s, missing, treated):
        """Count the rows of labels `s` that miss a score."""
        labels = as_array(s)[missing].astype(str)
        n_labeled = int(np.isin(labels, ["1", "1.0", "True"]).sum())
        return cls(int(missing.sum()), n_labeled, len(missing), treated)

    def __str__(self):
        return f"{self.rows:,} of {self.of:,} rows ({self.labeled:,} labeled, {self.rows - self.labeled:,} unlabeled)"


def check_unscored(unscored):
    """Raise ValueError unless `unscored` is None or says what to do with rows without a score."""
    if unscored is not None:
        check_choice(unscored, "unscored", UNSCORED)


def settled(unscored, s, scores, columns):
    """Labels, scores and other columns of rows of which each has a score, and which of them had none.

    Parameters
    ----------
    unscored : {"lowest", "skip"} or None
        Rank rows without a score (NaN) below all others, or leave them out.
    s : array-like of shape (n,)
    scores : dict of str to array-like of shape (n,)
        Of each model, by the name of the argument.
    columns : dict of str to array-like of shape (n,) or None
        Further columns of these rows.

    Returns
    -------
    s, scores, columns, facts
        As they were given if every row has a score. The last is a list, an :class:`Unscored` or None for each model.

    Raises
    ------
    ValueError
        If a row has no score and `unscored` is None.

    Examples
    --------
    >>> _, scores, _, facts = settled("lowest", [1, 0, 0], {"y_score": [0.5, 0.2, np.nan]}, {})
    >>> scores["y_score"], facts[0].rows
    (array([ 0.5,  0.2, -inf]), 1)
    """
    check_unscored(unscored)
    missing = {name: _missing(each, name) for name, each in scores.items()}
    if not any(each.any() for each in missing.values()):
        return s, scores, columns, [None] * len(scores)

    given = {name: each for name, each in columns.items() if each is not None}
    check_same_index(s=s, **scores, **given)
    labels = as_array(s, "s")
    check_same_length(s=labels, **{name: as_array(each) for name, each in (scores | given).items()})
    facts = []
    for name, each in missing.items():
        facts.append(Unscored.of_rows(labels, each, unscored) if each.any() else None)
        if facts[-1] and unscored is None:
            where = f"first at position {np.argmax(each)}"
            error = UnscoredError(f"{name} is NaN in {facts[-1]}, {where}")
            raise ValueError(error.named("unscored='lowest'", "unscored='skip'"))
    if unscored == "lowest":
        lowest = {name: _lowest(each, missing[name]) for name, each in scores.items()}
        return s, lowest, columns, facts

    kept = ~np.logical_or.reduce([*missing.values()])
    left_out = Unscored.of_rows(labels, ~kept, unscored)
    scored = {name: as_array(each)[kept] for name, each in scores.items()}
    columns = columns | {name: as_array(each, name)[kept] for name, each in given.items()}
    return labels[kept], scored, columns, [left_out] * len(facts)


def _missing(y_score, name):
    """Which scores are missing; none of what is no column of numbers, which is refused later."""
    import pandas as pd

    values = as_array(y_score, name)
    if values.ndim != 1 or values.dtype.kind not in "fO":
        return np.zeros(values.shape[:1], dtype=bool)
    return np.isnan(values) if values.dtype.kind == "f" else pd.isna(values)


def _lowest(y_score, missing):
    """Scores with -inf where they are missing."""
    values = as_array(y_score).copy()
    values[missing] = -np.inf
    return values
