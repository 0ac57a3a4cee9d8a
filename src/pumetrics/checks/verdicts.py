"""What an expert said of the rows of a plan, read and held against how the rows were chosen."""

from typing import NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.validation import check_sample, check_scores

__all__ = [
    "UNSURE",
    "ChosenError",
    "Verdicts",
    "by_position",
    "check_order",
    "check_rows",
    "index_of",
    "read_rows",
    "read_verdicts",
    "verdicts_of",
]


UNSURE = -1
_OPEN = -2
_RARE = 0.05  # chance that a random sample has no positive
_SURELY = 0.001  # chance that its negatives score so low
_NEVER = 1e-6  # chance of a random sample that is refused
_MANY = 10  # rows


_MEANING = {
    "1": 1,
    "1.0": 1,
    "true": 1,
    "0": 0,
    "0.0": 0,
    "false": 0,
    "?": UNSURE,
    "": _OPEN,
}


class ChosenError(ValueError):
    """Rows cannot have been chosen as they are said to; the text has a {} for each of the rows that show it."""

    def __init__(self, text, *rows):
        self._text = text
        self._rows = rows
        super().__init__(self.named(lambda row: f"row {row}"))

    def named(self, name_of):
        """The message with other names of rows than their positions."""
        return self._text.format(*map(name_of, self._rows))


class Verdicts(NamedTuple):
    """Rows that were checked."""

    rows: np.ndarray
    """Their positions, int64 of shape (n_checked,)."""
    values: np.ndarray
    """1 positive, 0 negative, -1 cannot be said."""
    look: int = 1
    """Number, from 1, of the budget of the plan that so many rows belong to."""
    n_open: int = 0
    """Rows of that budget that are not checked yet."""
    n_twice: int = 0
    """Rows with more than one verdict."""
    n_differing: int = 0
    """Those of them on which the verdicts differ: they cannot be said."""


def check_rows(s, *scores):
    """Labels, none if `s` is None, and scores of rows to check, or ValueError; zero labels are fine."""
    if s is None:
        s = np.zeros(len(check_scores(scores[0])), dtype=np.int8)
    return check_sample(s, *scores, need=(0,))


def read_verdicts(values, rows, positive=None):
    """Return verdicts as 1, 0, -1 (cannot be said) and -2 (blank), or raise ValueError that names the first bad one.

    Verdicts in words, such as PASS and FAIL, need the `positive` one; there may be one other.
    """
    import pandas as pd

    values = list(values)
    numbers = pd.Series(values)
    is_plain = numbers.dtype.kind == "i" and numbers.isin((0, 1)).all()
    if is_plain:
        return numbers.to_numpy(dtype=np.int64)

    texts = pd.Series(values, dtype=object)
    is_blank = texts.isna()
    texts = texts.astype(str).str.strip()
    meanings = texts.str.lower().map(_MEANING)
    meanings[is_blank] = _OPEN
    is_word = meanings.isna()
    words = texts[is_word].value_counts()
    if positive in words.index and len(words) <= 2:
        meanings[is_word] = (texts[is_word] == positive).astype(int)
    elif len(words):
        found = ", ".join(f"{word!r} ({count:,})" for word, count in words.items())
        remedy = f"name the positive word with --positive, such as --positive {words.index[-1]}"
        if positive is not None or len(words) > 2:
            remedy = "verdicts in words are two, the positive one named by --positive; case matters"
        raise ValueError(
            "verdict must be 1 (positive), 0 (negative), ? (unsure) or blank (not yet checked), got "
            f"{texts[is_word].iloc[0]!r} for row {rows[np.argmax(is_word)]}; it holds {found}: {remedy}"
        )
    return meanings.to_numpy(dtype=np.int64)


def index_of(*columns):
    """The pandas index by which the first Series among columns names its rows; None if that is their position."""
    import pandas as pd

    for column in columns:
        if hasattr(column, "iloc") and column.ndim == 1:
            is_position = column.index.equals(pd.RangeIndex(len(column)))
            return None if is_position else column.index
    return None


def by_position(checks, plan, *columns):
    """Checks whose rows are positions, given the columns of the same rows: labels and scores.

    Parameters
    ----------
    checks : DataFrame or array-like
        A table with the index of the columns needs no column row.
    plan : CheckPlan, "top", "random" or None
    *columns : array-like

    Raises
    ------
    ValueError
        If the columns have an index other than 0 to n - 1, and the table has a column row, which may hold its labels
        or positions.
    """
    index = index_of(*columns)
    names = getattr(checks, "columns", ())
    is_planned = not isinstance(plan, str | None)
    if index is None or "verdict" not in names:
        return checks
    if is_planned and "row" in names:
        return checks  # the rows of a plan are positions

    if "row" in names:
        raise ValueError(
            f"the scores have an index ({index[0]!r} to {index[-1]!r}), so the rows of checks may be its labels or "
            "positions: if they are labels, give checks.set_index('row'); if they are positions, give the labels and "
            "the scores as arrays, .to_numpy()"
        )
    if not index.is_unique:
        raise ValueError(
            "the index of the scores names some rows twice: use reset_index(drop=True)"
        )
    rows = index.get_indexer(checks.index)
    if (rows < 0).any():
        label = checks.index[np.argmin(rows)]
        raise ValueError(f"checks has row {label!r}, which is not in the index of the scores")
    return checks.assign(row=rows)


def check_order(verdicts, rows, index):
    """Raise ValueError if verdicts are a Series that names other rows than those of a plan, or in another order."""
    import pandas as pd

    if not hasattr(verdicts, "iloc"):
        return
    labels = pd.Index(rows if index is None else index[rows])
    is_numbered = verdicts.index.equals(pd.RangeIndex(len(rows)))
    if verdicts.index.equals(labels) or (is_numbered and not labels.isin(verdicts.index).all()):
        return
    raise ValueError(
        "verdicts is a Series whose index is not that of the rows of the plan, in their order: give y.iloc[plan.rows], "
        "or .to_numpy() if it is in the order of plan.rows"
    )


def one_for_each_row(rows, values):
    """Rows, one verdict of each, and how many have several, and several that differ: these cannot be said.

    A blank is no verdict.
    """
    unique, place, counts = np.unique(rows, return_inverse=True, return_counts=True)
    if counts.max(initial=1) == 1:
        return rows, values, 0, 0
    there = values != _OPEN
    lowest = np.full(len(unique), 2)
    highest = np.full(len(unique), _OPEN)
    np.minimum.at(lowest, place[there], values[there])
    np.maximum.at(highest, place[there], values[there])
    is_twice = np.bincount(place[there], minlength=len(unique)) > 1
    differ = is_twice & (lowest != highest)
    first = np.unique(rows, return_index=True)[1]
    order = np.argsort(first, kind="stable")  # as they came
    settled = np.where(differ, UNSURE, highest)
    return unique[order], settled[order], int(is_twice.sum()), int(differ.sum())


def read_rows(checks, n):
    """Rows and verdicts of a table or of n labels, or raise ValueError unless rows are positions below n."""
    if np.ndim(checks) == 1 and len(checks) == n and np.isin(checks, (-1, 0, 1)).all():
        rows = np.flatnonzero(checks)
        if len(rows) == n and np.isin(-1, checks):
            raise ValueError(
                "checks holds 1 or -1 for every row: if -1 means unlabeled, 1 is a label, give s == 1 without checks; "
                "if every row was verified, give a table with columns row and verdict (1 or 0)"
            )
        return rows, np.maximum(np.asarray(checks)[rows], 0)
    missing = [name for name in ("row", "verdict") if name not in getattr(checks, "columns", ())]
    if missing:
        raise ValueError(
            "checks must be a table with columns row and verdict, or hold 1, -1 or 0 (not checked) for each of the "
            f"{n} rows, got {type(checks).__name__} without a column {missing[0]}"
        )
    import pandas as pd

    rows = np.asarray(checks["row"])
    numbers = pd.to_numeric(rows, errors="coerce")
    is_row = np.isin(numbers, np.arange(n))
    if not is_row.all():
        row = rows[np.argmin(is_row)]
        raise ValueError(f"checks must name rows of the scores, 0 to {n - 1}, got row {row}")
    rows = numbers.astype(np.int64)
    return rows, read_verdicts(list(checks["verdict"]), rows)


def verdicts_of(checks, s, scores, plan):
    """Read a table of checks against how its rows were chosen.

    Parameters
    ----------
    checks : DataFrame or ndarray of shape (n,)
        Columns row and verdict; or a label of every row, 1 positive, -1 negative, 0 not verified.
    s, scores : ndarray of shape (n,)
    plan : CheckPlan, "top" or "random"
        How rows were chosen: by a plan, all of the first k unlabeled rows, or a simple random sample of these.

    Returns
    -------
    Verdicts

    Raises
    ------
    ValueError
        If the table holds a row or a verdict that cannot be, or its rows cannot have been chosen as `plan` says.
    """
    rows, values = read_rows(checks, len(s))
    is_of_all = np.ndim(checks) == 1 and len(rows) < len(s)
    is_random = plan in (None, "random")
    if is_of_all and is_random and len(rows) and values.all():
        raise ValueError(
            f"checks holds 1 for {len(rows)} rows and 0, which means not checked, for all others: if 0 means negative, "
            "give a table with columns row and verdict of the rows that were checked"
        )
    rows, values, *twice = one_for_each_row(rows, values)
    twice = dict(zip(("n_twice", "n_differing"), twice, strict=True))
    if (values == _OPEN).all():
        raise ValueError("checks contain no verdict: fill in 1, 0 or ? for some rows")
    if plan is None or isinstance(plan, str):
        _check_chosen(plan, rows, s, scores)
        if plan == "random" and not (values == 1).any():
            _check_apart(rows[values == 0], s, scores)
        return Verdicts(rows, np.where(values == _OPEN, UNSURE, values), **twice)

    is_foreign = ~np.isin(rows, plan.rows)
    if is_foreign.any():
        raise ValueError(
            f"checks contain row {rows[np.argmax(is_foreign)]}, which is not in the plan ({is_foreign.sum()} such "
            "rows): give verdicts only for rows of the plan"
        )
    # Rows are checked in the order of the draw: blanks after the last verdict are rows not drawn, others are unsure.
    table = np.full(len(s), _OPEN)
    table[rows] = values
    ordered = table[plan.rows]
    ordered = ordered[: np.flatnonzero(ordered != _OPEN)[-1] + 1]
    blank = ordered == _OPEN
    look, n_open = plan.look_at(len(ordered))
    return Verdicts(
        plan.rows[: len(ordered)],
        np.where(blank, UNSURE, ordered),
        look,
        n_open + int(blank.sum()),
        **twice,
    )


def _check_chosen(plan, rows, s, scores):
    """Raise ValueError unless rows without a plan can have been chosen as they are said to."""
    if plan not in ("top", "random"):
        raise ArgumentError(
            "plan",
            "must say how rows were chosen: the plan that drew them, 'top' (all of the first k unlabeled rows) or "
            f"'random' (a random sample of the unlabeled), got {plan!r}",
        )
    if s[rows].any():
        raise ChosenError(
            "checks without a plan must hold unlabeled rows only, got {}, which is labeled "
            f"({np.count_nonzero(s[rows])} such rows): remove rows that were labeled before; if a label comes from "
            "these checks, make it unlabeled again, since without the positives found alpha is too low; to check "
            "labeled rows, select rows with plan_checks(noisy=True) (pumetrics audit --noisy)",
            rows[np.flatnonzero(s[rows])[0]],
        )
    lowest = scores[rows].min()
    left = (s == 0) & (scores > lowest)
    left[rows] = False
    is_a_top = not left.any() and (scores[s == 0] < lowest).any()
    if plan == "random" and is_a_top and len(rows) >= _MANY:
        raise ChosenError(
            f"'random' means a random sample of the unlabeled rows, but these are the first {len(rows)} by score: say "
            "that they are the 'top'"
        )
    if plan == "random":
        _check_spread(scores[rows], scores[s == 0])
    if plan == "top" and left.any():
        raise ChosenError(
            "'top' means that all of the first k unlabeled rows were checked, but {} was not and scores higher than {} "
            f"({np.count_nonzero(left)} such rows): give such rows too, with ? if unsure",
            np.flatnonzero(left)[0],
            rows[np.argmin(scores[rows])],
        )


def _check_spread(drawn, scores):
    """Raise ValueError if a random sample of scores surely has fewer or more high ones than the sample `drawn`."""
    from scipy.stats import hypergeom

    middle = np.median(scores)
    n_high = np.count_nonzero(drawn >= middle)
    random = hypergeom(len(scores), np.count_nonzero(scores >= middle), len(drawn))
    if min(random.cdf(n_high), random.sf(n_high - 1)) < _NEVER:
        raise ChosenError(
            f"'random' means a random sample of the unlabeled rows, but of these {len(drawn)} rows {n_high} score as "
            f"high as half of the unlabeled, where about {random.mean():.0f} would: give the scores of the rows that "
            "they were drawn from, or check rows of a plan (pumetrics audit)"
        )


def _check_apart(rows, s, scores):
    """Raise ValueError if the labels are surely the positives of the random sample of which `rows` are the negatives.

    Then so many rows would hold a positive, and fewer of them score as high as half of the labeled rows than of a
    random sample of the unlabeled.
    """
    from scipy.stats import hypergeom

    n = len(rows)
    n_labeled = np.count_nonzero(s)
    if n_labeled == 0 or (n / (n_labeled + n)) ** n >= _RARE:
        return
    unlabeled = s == 0
    high = scores >= np.median(scores[s == 1])
    n_unlabeled = np.count_nonzero(unlabeled)
    n_high = np.count_nonzero(unlabeled & high)
    if hypergeom.cdf(np.count_nonzero(high[rows]), n_unlabeled, n_high, n) < _SURELY:
        raise ValueError(
            f"the random sample holds {n} negatives and no positive, and fewer of these score high than of the "
            f"unlabeled, while {n_labeled} rows are labeled: if these are the positives of the sample, give "
            "verdicts of 1 for them too, and leave them unlabeled (0)"
        )
