"""Verdicts on published numbers and claims by rules that fit no result: each interval is derived, none is chosen.

========  =============================  ==========================================================================
kind      what it is                     it holds if
========  =============================  ==========================================================================
number    follows without chance         our value is within half a unit of the last printed digit
drawn     the paper's value is one draw  it lies in the 95% prediction interval of one replication of its own size,
                                         from the spread of our repeats, wider by half a unit of print
sign      above or below, better, worse  our 95% interval lies on that side
claim     a statement of the text        a named table satisfies its rule
control   identity, input, built match   as a number; listed apart and never counted
========  =============================  ==========================================================================
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

__all__ = [
    "COLUMNS", "KINDS", "VERDICTS", "Answer", "compare_published", "counted", "in_words",
    "median_over_sets", "overall", "prediction", "prediction_of_median", "read_published", "rule_in_words",
    "unit_of_print",
]  # fmt: skip

KINDS = ("claim", "number", "drawn", "sign", "control")
VERDICTS = (
    "holds", "in part", "does not hold", "opposite", "not told apart", "undetermined", "not testable here",
)  # fmt: skip
COLUMNS = ("id", "kind", "quantity", "published", "compare", "table", "where", "then", "needs", "source")
"""Columns of ``config/published/<study>.csv``: no tolerance among them. A study may have more, as a printed p-value."""

_COMPARE = {
    "number": {"within"},
    "control": {"within"},
    "drawn": {"within"},
    "sign": {"above", "below", "side"},
    "claim": {"above", "below", "every", "choice", "yes"},
}
_FLOAT = 1e-9  # an identity in floating point


@dataclass(frozen=True)
class Answer:
    """What a study found for a published number or claim.

    Attributes
    ----------
    value : float
    note : str
        Additional information for readers.
    low, high : float
        Of a drawn number the prediction interval, of a sign our 95% interval; NaN if no table holds the spread.
    basis : str
        What the interval is computed from, and of how many repeats.
    """

    value: float
    note: str = ""
    low: float = float("nan")
    high: float = float("nan")
    basis: str = ""


def read_published(path):
    """Read ``config/published/<study>.csv``; ``unit`` is the unit of the last printed digit, 0 of a fraction.

    Raises
    ------
    ValueError
        If a column is missing, or a kind, a way to compare or a printed number is none.
    """
    import pandas as pd

    table = pd.read_csv(path, comment="#", dtype=dict.fromkeys(COLUMNS, str))
    if missing := [name for name in COLUMNS if name not in table]:
        raise ValueError(f"{path}: without the columns {', '.join(missing)}; needed are {', '.join(COLUMNS)}")
    for key, kind, compare in zip(table["id"], table["kind"], table["compare"], strict=True):
        if compare not in _COMPARE.get(kind, ()):
            allowed = "; ".join(f"{name}: {', '.join(sorted(ways))}" for name, ways in _COMPARE.items())
            raise ValueError(f"{path}: {key} is of kind {kind!r}, compared {compare!r}; allowed are {allowed}")
    printed = [_printed(path, *row) for row in zip(table["id"], table["published"], table["compare"], strict=True)]
    texts = [name for name in COLUMNS if name != "published"]
    table = table.assign(**{name: table[name].fillna("") for name in texts})
    return table.assign(published=[value for value, _ in printed], unit=[unit for _, unit in printed])


def _printed(path, key, text, compare):
    """Value and unit of a printed number; neither of a claim that is no number."""
    if text != text and compare in ("every", "choice", "yes"):
        return np.nan, np.nan
    try:
        return float(Fraction(text)), unit_of_print(text) if compare == "within" else np.nan
    except (TypeError, ValueError):
        raise ValueError(f"{path}: published of {key} must be a number as printed, got {text!r}") from None


def unit_of_print(text):
    """Return the unit of the last printed digit; of a fraction, which is exact, 0.

    Examples
    --------
    >>> [unit_of_print(text) for text in (".420", "72.5", "15", "12/15")]
    [0.001, 0.1, 1.0, 0.0]
    """
    if "/" in text:
        return 0.0
    return 10.0 ** -len(text.partition(".")[2])


def prediction(mean, deviation, ours, theirs=1):
    """Return the 95% prediction interval for the mean of a replication.

    Student's t: mean +/- t(ours - 1) * deviation * sqrt(1 / theirs + 1 / ours) (Patil, Peng & Leek 2016).

    Parameters
    ----------
    mean, deviation : float
        Of our repeats, each one draw.
    ours, theirs : int
        Number of our repeats, and of those behind the published number.

    Examples
    --------
    >>> [round(float(end), 2) for end in prediction(0, 1, 10_000)]
    [-1.96, 1.96]
    """
    from scipy.stats import t

    half = t.ppf(0.975, ours - 1) * deviation * np.sqrt(1 / theirs + 1 / ours) if ours > 1 else np.nan
    return mean - half, mean + half


def prediction_of_median(median, low, high, ours, theirs):
    """Return the 95% prediction interval for the median of a replication, from our deciles.

    Each side as of a normal law: its deviation is the distance of the decile over 1.28, and the standard error of a
    median is sqrt(pi / 2) of that of a mean.
    """
    from scipy.stats import norm

    half = norm.ppf(0.975) * np.sqrt(np.pi / 2 * (1 / theirs + 1 / ours)) / norm.ppf(0.9)
    return median - half * (median - low), median + half * (high - median)


def median_over_sets(values, note="", basis="data sets"):
    """Return the median with its 95% interval by order statistics, free of any law, as an :class:`Answer`.

    Fewer than six values have no such interval.

    Examples
    --------
    >>> answer = median_over_sets(range(11))
    >>> answer.value, answer.low, answer.high, answer.basis
    (5.0, 1.0, 9.0, '11 data sets')
    """
    from scipy.stats import binom

    values = np.sort(np.asarray(list(values), dtype=float))
    values = values[~np.isnan(values)]
    if not len(values):
        return Answer(np.nan)
    outside = int(binom.ppf(0.025, len(values), 0.5))  # values that may lie beyond either end
    low, high = (values[outside - 1], values[-outside]) if outside else (np.nan, np.nan)
    return Answer(float(np.median(values)), note, float(low), float(high), f"{len(values)} {basis}")


def compare_published(published, reproduced, tables=None):
    """Compare published numbers and claims with ours, in the order of the rows, claims last.

    Parameters
    ----------
    published : pandas.DataFrame
        As :func:`read_published` returns it.
    reproduced : dict
        By id a number, a pair (number, note) or an :class:`Answer`; claims with a rule on a table need none.
    tables : dict of DataFrame, optional
        The study's tables, which claims are about; ``published`` is the rows with their verdicts.

    Returns
    -------
    pandas.DataFrame
        The same rows with ``reproduced``, ``low`` and ``high`` (where it holds, or our interval), ``verdict``,
        ``note`` and ``basis``.

    Raises
    ------
    ValueError
        If `reproduced` has an id that is not among the published ones.
    """
    unknown = sorted(set(reproduced) - set(published["id"]))
    if unknown:
        raise ValueError(f"reproduced numbers without a published one: {', '.join(unknown)}")
    rows = {}
    for row in published.itertuples():
        if row.compare not in ("every", "choice"):
            rows[row.id] = _judged(row, _answer(reproduced.get(row.id)))
    judged = published.assign(verdict=[rows.get(key, {}).get("verdict") for key in published["id"]])
    for row in published.itertuples():
        if row.id not in rows:
            rows[row.id] = _claimed(row, judged, tables or {})
    names = ("reproduced", "low", "high", "verdict", "note", "basis")
    return published.assign(**{name: [rows[key][name] for key in published["id"]] for name in names})


def _answer(found):
    if isinstance(found, Answer):
        return found
    return Answer(np.nan) if found is None else Answer(*found) if isinstance(found, tuple) else Answer(found)


def _judged(row, answer):
    """A row with a value: its verdict, and the interval behind it."""
    value, low, high = answer.value, answer.low, answer.high
    if value != value:
        note = answer.note or row.needs or "not part of this run"
        return _row(np.nan, np.nan, np.nan, "not testable here", note, "")
    if row.kind in ("number", "control"):
        half = row.unit / 2 + _FLOAT * max(1, abs(row.published))
        low, high = row.published - row.unit / 2, row.published + row.unit / 2
        verdict = "holds" if abs(value - row.published) <= half else "does not hold"
    elif row.kind == "claim":
        verdict = "holds" if _is_so(row, value) else "does not hold"
    elif row.compare == "side":
        verdict = _side(row.published, value)
    elif not low <= high:
        needed = row.needs or "no table that is kept holds the spread of one replication"
        return _row(value, np.nan, np.nan, "undetermined", "; ".join(filter(None, [answer.note, needed])), answer.basis)
    elif row.kind == "drawn":
        low, high = low - row.unit / 2, high + row.unit / 2
        verdict = "holds" if low <= row.published <= high else "does not hold"
    else:
        sides = {"above": (low > row.published, high < row.published)}
        sides["below"] = sides["above"][::-1]
        there, opposite = sides[row.compare]
        verdict = "holds" if there else "opposite" if opposite else "not told apart"
    return _row(value, low, high, verdict, answer.note, answer.basis)


def _is_so(row, value):
    return {"yes": value == 1, "above": value > row.published, "below": value < row.published}[row.compare]


def _side(printed, ours):
    """Verdict of a printed -1, 0 (neither) or 1 and ours; if both are 0, it is "not told apart"."""
    if printed * ours:
        return "holds" if printed == ours else "opposite"
    return "does not hold" if ours else "not told apart"


def _row(value, low, high, verdict, note, basis):
    return {"reproduced": value, "low": low, "high": high, "verdict": verdict, "note": note, "basis": basis}


def _claimed(row, judged, tables):
    """A claim by its rule: a condition on the rows of a table, or the verdicts of published rows."""
    if row.table == "published":
        part = judged[judged["id"].str.fullmatch(row.where) & judged["verdict"].notna()]
        return _row(np.nan, np.nan, np.nan, overall(part["verdict"]), counted(part["verdict"]), "")
    table = tables.get(row.table)
    rows = table.query(row.where, engine="python") if table is not None and len(table) and row.where else table
    if rows is None or not len(rows):
        return _row(np.nan, np.nan, np.nan, "not testable here", row.needs or "no such rows in this run", "")
    fails = rows.drop(rows.query(row.then, engine="python").index)
    mixed = "undetermined" if row.compare == "choice" else "in part"
    verdict = "holds" if not len(fails) else "does not hold" if len(fails) == len(rows) else mixed
    note = "" if not len(fails) else f"not so in {len(fails)} of {len(rows)} rows{_where(rows, fails)}"
    return _row(np.nan, np.nan, np.nan, verdict, note or f"in all {len(rows)} rows", row.table)


def _where(rows, fails):
    """Name what the failing rows are about: the first column of names that has more than one in the table."""
    for name in ("dataset", "repair", "metric", "measure", "mechanism", "table", "scores", "model"):
        if name in rows and rows[name].nunique() > 1:
            return ": " + ", ".join(map(str, dict.fromkeys(fails[name])))
    return ""


def overall(verdicts):
    """Return the verdict of a claim that rests on several rows with a verdict.

    Examples
    --------
    >>> overall(["holds", "holds"]), overall(["holds", "not told apart"]), overall(["opposite", "not told apart"])
    ('holds', 'in part', 'does not hold')
    """
    kinds = set(verdicts) - {"not testable here"}
    if len(kinds) < 2:
        return next(iter(kinds), "not testable here")
    if "holds" in kinds or "in part" in kinds:
        return "in part"
    return "does not hold" if kinds & {"does not hold", "opposite"} else "undetermined"


def counted(verdicts, what=""):
    """Return how many of several claims or rows hold, and what became of the others.

    Parameters
    ----------
    verdicts : sequence of str
    what : str
        What they are verdicts on.

    Examples
    --------
    >>> counted(["holds", "holds", "does not hold", "in part"], "claims")
    '2 of 4 claims hold, 1 in part, 1 does not hold'
    """
    verdicts = list(verdicts)
    parts = [f"{verdicts.count('holds')} of {len(verdicts)}{what and ' '}{what} hold"]
    others = [(verdicts.count(verdict), verdict) for verdict in VERDICTS[1:]]
    return ", ".join(parts + [f"{count} {in_words(verdict, count)}" for count, verdict in others if count])


def in_words(verdict, count=1):
    """Return a verdict as it is said of `count` claims.

    Examples
    --------
    >>> in_words("holds", 2), in_words("does not hold"), in_words("in part", 3)
    ('hold', 'does not hold', 'in part')
    """
    return {"holds": "hold", "does not hold": "do not hold"}.get(verdict, verdict) if count != 1 else verdict


def rule_in_words(row):
    """Return when a row holds, in words."""
    if row.compare == "side":
        return "significant at 0.01 on the printed side"
    if row.compare in ("above", "below"):
        what = "our 95% interval lies" if row.kind == "sign" else "our value lies"
        return f"{what} {row.compare} {row.published:g}"
    if row.compare == "yes":
        return "the statement is true of our table"
    if row.compare in ("every", "choice"):
        return _rule_of_claim(row)
    if row.kind == "drawn":
        return "the printed number lies in the prediction interval"
    return f"± {row.unit / 2:g}, half a unit of print" if row.unit else "exact"


def _rule_of_claim(row):
    table, where = ("" if value != value else value for value in (row.table, row.where))  # NaN if read back from CSV
    if not table:
        return "needs what is not here"
    if table == "published":
        return f"all these rows hold: {where}"
    choice = "; undetermined if only in some, since the text leaves the choice open" * (row.compare == "choice")
    return f"in every row of {table}{f' with {where}' * bool(where)}: {row.then}{choice}"
