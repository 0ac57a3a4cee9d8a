"""Verdicts on published numbers and claims by rules that fit no result: each interval is derived, none is chosen.

========  =============================  ==========================================================================
kind      what it is                     it holds if
========  =============================  ==========================================================================
number    follows without chance         our value is within half a unit of the last printed digit
drawn     the paper's value is one draw  it lies in the 95% prediction interval of one replication of its own size,
                                         from the spread of our repeats, wider by half a unit of print
sign      above or below, better, worse  our 95% interval lies on that side
claim     a statement of the text        a named table satisfies its rule (:mod:`pumetrics_workflow.claims`)
control   identity, input, built match   as a number, claim or, if we simulate it, as drawn; listed apart, never counted
own       a finding of this project      as a claim; listed apart, never counted
========  =============================  ==========================================================================
"""

import ast
import dataclasses
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

from pumetrics_workflow.claims import (
    CHOICES,
    LEVEL,
    RULES,
    UNTESTED,
    Found,
    lies,
    overall,
    unknown,
)
from pumetrics_workflow.config import ConfigError, nearest
from pumetrics_workflow.intervals import Answer
from pumetrics_workflow.studies import derived, load, read_tables, write_tables

__all__ = [
    "ALTERNATIVES",
    "COLUMNS",
    "COMPARE",
    "DIFFERING",
    "OPTIONAL",
    "UNCOUNTED",
    "VERDICTS",
    "check_published",
    "compare_published",
    "counted",
    "in_words",
    "is_about_size",
    "read_published",
    "rule_in_words",
    "sensitivity",
    "unit_of_print",
    "write_verdicts",
]

UNCOUNTED = ("control", "own")
VERDICTS = (
    "holds",
    "mostly",
    "partly",
    "does not hold",
    "opposite",
    "inconclusive",
    "not tested",
    "not testable here",
)
DIFFERING = ("mostly", "partly", "does not hold", "opposite")
COLUMNS = (
    "id",
    "kind",
    "quantity",
    "published",
    "compare",
    "table",
    "where",
    "then",
    "needs",
    "source",
)
"""Columns of ``config/published/<study>.csv``: no tolerance among them. Rider's has printed p-values too."""
OPTIONAL = ("effect", "theirs", "clusters", "open")
"""Of a claim: its effect as ``what it is: expression`` of columns, of a median without the expression, which is that of
the first comparison in ``then``; what the paper says of the effect, in few words; of a share the columns, with
spaces between them, whose combinations are independent; and which of the rows that fail decide nothing, for example
since they are not significant."""

COMPARE = {
    "number": {"within"},
    "control": {"within", "every"},
    "drawn": {"within"},
    "sign": {"above", "below", "side"},
    "claim": {"above", "below", *RULES},
    "own": {*RULES} - {"stand_in"},
}
"""What the column ``compare`` may say of a row, by its kind."""
ALTERNATIVES = {
    "much": (1 / 5, 1 / 2),
    "mostly": (8 / 10, 19 / 20),
    "half": (2 / 5, 3 / 5),
    "visible": (1 / 500, 1 / 100),
}
"""Other values of the choices, smaller and larger."""
_MAY_NAME = (*CHOICES, "level", "printed")  # what a rule names with @
_FOUND = [field.name for field in dataclasses.fields(Found)]
_FLOAT = 1e-9  # an identity in floating point
_NAMED = 2  # rows that a reason names


def check_published(path, tables):
    """Check the published numbers and claims of a study before anything is computed from them.

    Parameters
    ----------
    path : path-like
        ``config/published/<study>.csv``.
    tables : iterable of str
        Names of the study's tables.

    Raises
    ------
    ConfigError
        One line per mistake, with file and id.
    """
    where = f"published/{Path(path).name}"
    try:
        table = _read(path)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None
    lacking = [name for name in COLUMNS if name not in table]
    if lacking:
        raise ConfigError(
            f"{where}: without the columns {', '.join(lacking)}; needed are {', '.join(COLUMNS)}"
        )

    known = [*COLUMNS, *OPTIONAL, "p_value"]
    wrong = [f"{name!r} is no column{nearest(name, known)}" for name in table if name not in known]
    ids = table["id"]
    wrong += [f"{key}: the id occurs twice" for key in ids[ids.duplicated()].unique()]
    for row in table.to_dict("records"):
        wrong += [f"{row['id']}: {flaw}" for flaw in _flaws(row, ids, list(tables))]
    if wrong:
        raise ConfigError("\n".join(f"{where}: {line}" for line in wrong))


def _flaws(row, ids, tables):
    """A line for each mistake in a published number or claim."""
    kind = row["kind"]
    compare = row["compare"]
    yield from (f"{name} is empty" for name in ("id", "quantity") if not row[name].strip())
    if kind not in COMPARE:
        yield f"kind: {kind!r} is no kind{nearest(kind, list(COMPARE))}"
        return
    if compare not in COMPARE[kind]:
        allowed = sorted(COMPARE[kind])
        yield f"compare: {compare!r} is no way to compare a {kind}{nearest(compare, allowed)}"
        return

    if row["published"] or compare not in RULES:
        try:
            Fraction(row["published"])
        except (ValueError, ZeroDivisionError):
            yield f"published: {row['published']!r} must be a number as printed"
    if compare not in RULES:
        return

    if row["table"] == "published":
        yield from _flaws_of_pattern(row["where"], ids[ids != row["id"]])
        return
    if row["table"] not in tables:
        yield f"table: there is no table {row['table']!r}{nearest(row['table'], tables)}"
    effect = row.get("effect", "").partition(": ")[2]
    expressions = {name: row.get(name, "") for name in ("where", "then", "open")}
    for name, text in {**expressions, "effect": effect}.items():
        yield from (f"{name}: {flaw}" for flaw in _flaws_of_expression(text))
    if not row["then"]:
        yield "then is empty: it is the rule"
    yield from RULES[compare].flaws(row)


def _flaws_of_pattern(pattern, ids):
    """What is wrong with a regular expression of ids."""
    try:
        if not any(re.fullmatch(pattern, key) for key in ids):
            yield f"where: no id matches {pattern!r}"
    except re.error as error:
        yield f"where: {pattern!r} is no regular expression ({error})"


def _flaws_of_expression(text):
    """What is wrong with a query of pandas."""
    for name in re.findall(r"@(\w+)", text):
        if name not in _MAY_NAME:
            yield f"@{name} is unknown{nearest(name, list(_MAY_NAME))}"
    try:
        ast.parse(re.sub(r"`[^`]*`", "column", text.replace("@", "")) or "0", mode="eval")
    except SyntaxError as error:
        yield f"{text!r} cannot be read ({error.msg})"


def _read(path):
    """A file of published numbers as text, with empty text where a field is empty."""
    import pandas as pd

    table = pd.read_csv(path, comment="#", dtype=str)
    if not isinstance(table.index, pd.RangeIndex):  # made of what is more than the first line has
        raise ValueError(f"more than the {len(table.columns)} fields of the first line")
    return table.fillna("")


def read_published(path):
    """Read ``config/published/<study>.csv``, which :func:`check_published` has checked.

    ``unit`` is the unit of the last printed digit, 0 of a fraction.
    """
    import pandas as pd

    table = _read(path)
    if "p_value" in table:
        table["p_value"] = pd.to_numeric(table["p_value"])
    for name in OPTIONAL:
        if name not in table:
            table[name] = ""
    within = table["compare"] == "within"
    printed = table["published"]
    values = [float(Fraction(text)) if text else np.nan for text in printed]
    return table.assign(published=values, unit=printed[within].map(unit_of_print).astype(float))


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
        The same rows, with what is :class:`pumetrics_workflow.claims.Found` of each as columns.

    Raises
    ------
    ValueError
        If `reproduced` has an id that is not among the published ones.
    """
    others = sorted(set(reproduced) - set(published["id"]))
    if others:
        raise ValueError(f"reproduced numbers without a published one: {', '.join(others)}")
    valued = _valued(published, reproduced)
    found = {}
    for row in published.itertuples():
        if row.compare in RULES:
            found[row.id] = _claimed(row, valued, tables or {}, CHOICES)
        else:
            found[row.id] = _of_value(row, _answer(reproduced.get(row.id)))
    return _with_found(published, list(found.values()))


def _valued(published, reproduced):
    """The rows with a value, and what is found of them."""
    part = published[~published["compare"].isin(RULES)]
    found = [_of_value(row, _answer(reproduced.get(row.id))) for row in part.itertuples()]
    return _with_found(part, found)


def _with_found(published, found):
    return published.assign(**{name: [getattr(each, name) for each in found] for name in _FOUND})


def _answer(found):
    if isinstance(found, Answer):
        return found
    if isinstance(found, tuple):
        return Answer(*found)
    return Answer(np.nan if found is None else found)


def _of_value(row, answer):
    """What is found of a row with a value: its verdict, and the interval behind it."""
    value = answer.value
    low = answer.low
    high = answer.high
    has_interval = low <= high
    note = answer.note

    if np.isnan(value):
        return unknown(row, answer.note or row.needs or "not part of this run")
    if row.kind == "number" or (row.kind == "control" and not has_interval):
        half = row.unit / 2
        low = row.published - half
        high = row.published + half
        rounding = _FLOAT * max(1, abs(row.published))
        is_near = abs(value - row.published) <= half + rounding
        verdict = "holds" if is_near else "does not hold"
    elif row.kind == "claim":
        verdict = lies(value, value, row.compare, row.published)
        verdict = verdict if verdict == "holds" else "does not hold"
    elif row.compare == "side":
        verdict = _side(row.published, value)
    elif not has_interval:
        low = high = np.nan
        verdict = "inconclusive"
        needed = row.needs or "no table that is kept holds the spread of one replication"
        note = f"{note}; {needed}" if note else needed
    elif row.kind == "sign":
        verdict = lies(low, high, row.compare, row.published)
    else:
        low -= row.unit / 2
        high += row.unit / 2
        verdict = "holds" if low <= row.published <= high else "does not hold"
    return Found(
        reproduced=value, low=low, high=high, verdict=verdict, note=note, basis=answer.basis
    )


def _side(printed, ours):
    """Verdict of a printed -1, 0 (neither) or 1 and ours; if both are 0, it is "inconclusive"."""
    if printed * ours:
        return "holds" if printed == ours else "opposite"
    return "does not hold" if ours else "inconclusive"


def _claimed(row, valued, tables, choices):
    """What is found of a claim: by a condition on the rows of a table, or the verdicts of published rows."""
    from pandas.errors import UndefinedVariableError

    if row.table == "published":
        return _together(valued[valued["id"].str.fullmatch(row.where)], choices)
    rows = tables.get(row.table)
    names = {**choices, "level": LEVEL, "printed": row.published}
    try:
        if rows is not None and len(rows) and row.where:
            rows = rows.query(row.where, engine="python", local_dict=names)
        if rows is None or not len(rows):
            return unknown(row)
        return RULES[row.compare](row, rows, names).found()
    except UndefinedVariableError as error:
        note = f"waits for the next run at this scale: table {row.table} was kept before the rule ({error})"
        return Found(verdict="not tested", note=note, basis=row.table)


def _together(rows, choices):
    """A claim on published rows that hold all: intervals of 95% each are widened until they have 95% together."""
    from scipy.stats import norm

    is_tested = ~rows["verdict"].isin(UNTESTED)
    tested = rows[is_tested]
    intervals = max(int(tested["kind"].isin(["drawn", "sign"]).sum()), 1)
    wider = norm.isf(0.025 / intervals) / norm.isf(0.025)
    verdicts = [_widened(each, wider) for each in tested.itertuples()]
    k = verdicts.count("holds")
    n = len(verdicts)
    everything = verdicts + rows["verdict"][~is_tested].tolist()

    note = counted(everything)
    by_own_intervals = int((tested["verdict"] == "holds").sum())
    if by_own_intervals != k:
        note += f"; {by_own_intervals} by their own intervals of 95%"
    verdict = overall(everything, choices["mostly"])
    others = [
        row.quantity
        for row, each in zip(tested.itertuples(), verdicts, strict=True)
        if each != "holds"
    ]
    reason = f"not so: {'; '.join(others)}" if 0 < len(others) <= _NAMED else ""
    return Found(verdict=verdict, note=note, k=k, n=n, by="rows", reason=reason)


def _widened(row, by):
    """Verdict of a row with a wider interval; of one without an interval, its own."""
    has_interval = row.kind in ("drawn", "sign") and row.compare != "side" and row.low <= row.high
    if not has_interval:
        return row.verdict
    low = row.reproduced + by * (row.low - row.reproduced)
    high = row.reproduced + by * (row.high - row.reproduced)
    if row.kind == "sign":
        return lies(low, high, row.compare, row.published)
    return "holds" if low <= row.published <= high else "does not hold"


def sensitivity(published, reproduced, tables):
    """Return which claims have another verdict with the alternatives of each choice.

    Parameters
    ----------
    published, reproduced, tables
        See :func:`compare_published`.

    Returns
    -------
    dict of str to list of str
        By the name of the choice, the ids of claims with another verdict at one of its :data:`ALTERNATIVES` or both.
    """
    valued = _valued(published, reproduced)
    claims = [row for row in published.itertuples() if row.kind == "claim" and row.compare in RULES]

    def verdict(row, **choices):
        return _claimed(row, valued, tables, {**CHOICES, **choices}).verdict

    usual = {row.id: verdict(row) for row in claims}
    may_change = {
        "much": [row for row in claims if "@much" in row.then],
        "mostly": [row for row in claims if usual[row.id] in ("mostly", "partly")],
        "half": [row for row in claims if "@half" in row.then or row.compare == "share"],
        "visible": [row for row in claims if "@visible" in row.then],
    }
    changed = {}
    for name, rows in may_change.items():
        others = {
            row.id: {verdict(row, **{name: value}) for value in ALTERNATIVES[name]} for row in rows
        }
        changed[name] = [key for key, each in others.items() if each != {usual[key]}]
    return changed


def is_about_size(row):
    """Whether a row is a claim that its effect, a ratio or a difference of relative errors, is at most a third."""
    rule = row.then if isinstance(row.then, str) else ""
    return row.compare in ("every", "median") and rule.endswith("< @much") and " and " not in rule


def counted(verdicts, what=""):
    """Return how many of several claims or rows hold, and what became of the others.

    Parameters
    ----------
    verdicts : sequence of str
    what : str
        What they are verdicts on.

    Examples
    --------
    >>> counted(["holds", "holds", "does not hold", "partly"], "claims")
    '2 of 4 claims hold, 1 partly, 1 does not hold'
    """
    verdicts = list(verdicts)
    of = f"of {len(verdicts)} {what}" if what else f"of {len(verdicts)}"
    parts = [f"{verdicts.count('holds')} {of} hold"]
    for verdict in VERDICTS[1:]:
        count = verdicts.count(verdict)
        if count:
            parts.append(f"{count} {in_words(verdict, count)}")
    return ", ".join(parts)


def in_words(verdict, count=1):
    """Return a verdict as it is said of `count` claims.

    Examples
    --------
    >>> in_words("holds", 2), in_words("does not hold"), in_words("partly", 3)
    ('hold', 'does not hold', 'partly')
    """
    several = {"holds": "hold", "does not hold": "do not hold"}
    return verdict if count == 1 else several.get(verdict, verdict)


def rule_in_words(row):
    """Return when a row holds, in words."""
    if row.compare == "side":
        return "significant at 0.01 on the printed side"
    if row.compare in ("above", "below"):
        what = "our 95% interval lies" if row.kind == "sign" else "our value lies"
        return f"{what} {row.compare} {row.published:g}"
    if row.compare in RULES:
        return _rule_of_claim(row)
    if row.kind == "drawn":
        return "the printed number lies in the prediction interval"
    return f"± {row.unit / 2:g}, half a unit of print" if row.unit else "exact"


def _rule_of_claim(row):
    where = row.where if isinstance(row.where, str) else ""  # NaN from CSV
    then = row.then if isinstance(row.then, str) else ""
    if row.table == "published":
        return f"all these rows hold, their intervals 95% together: {where}"
    rows = f"{row.table} with {where}" if where else row.table
    return RULES[row.compare].words.format(rows=f"{rows}: {then}")


def write_verdicts(study, folder, published):
    """Write the tables of a study that follow from others, and the verdicts, next to the tables that they follow from.

    Parameters
    ----------
    study : str
    folder : path-like
        With the tables as CSV: verdicts use the same numbers that a page shows.
    published : pandas.DataFrame
        The published numbers.
    """
    kept = read_tables(folder)
    made = derived(study, kept, published)
    reproduced = load(study).published(made)
    made["published"] = compare_published(published, reproduced, made)
    write_tables({key: table for key, table in made.items() if table is not kept.get(key)}, folder)
