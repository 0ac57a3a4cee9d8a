"""Verdicts on published numbers and claims by rules that fit no result: each interval is derived, none is chosen.

========  =============================  ==========================================================================
kind      what it is                     it holds if
========  =============================  ==========================================================================
number    follows without chance         our value is within half a unit of the last printed digit
drawn     the paper's value is one draw  it lies in the 95% prediction interval of one replication of its own size,
                                         from the spread of our repeats, wider by half a unit of print
sign      above or below, better, worse  our 95% interval lies on that side
claim     a statement of the text        a named table satisfies its rule
control   identity, input, built match   as a number, claim or, if we simulate it, as drawn; listed apart, never counted
own       a finding of this project      as a claim; listed apart, never counted
========  =============================  ==========================================================================

========  ==========================================================================================================
claim is  its rule, ``then`` on the rows of ``table`` with ``where``
========  ==========================================================================================================
every     each row, since the text says always, or it is a theorem; of ``published``, each row, their intervals 95%
          together
some      at least one row, since the text says that it can be so
median    comparisons with a bound: the interval of the median over data sets, 95% together for all metrics, methods and
          comparisons, lies on that side; "much" smaller is at most a third
share     more than half of the rows, with the 95% interval of their share; rows that share ``clusters`` are one thing
interval  comparison with a bound: the 95% interval in the columns ``low`` and ``high`` of each row lies on that side
alike     no p-value is below the level over the number of tests; then it is "inconclusive"
choice    each row, where the text leaves open which row it means
stand_in  none: the data are not available, and what a stand-in shows is in the note
========  ==========================================================================================================

Three numbers are chosen (:data:`CHOICES`); :func:`sensitivity` says which verdicts depend on them.
"""

from fractions import Fraction

import numpy as np

from pumetrics_workflow.intervals import Answer, median_over_sets, share_of_clusters
from pumetrics_workflow.studies import derived, load, read_tables, write_tables

__all__ = [
    "ALTERNATIVES",
    "BY_TABLE",
    "CHOICES",
    "COLUMNS",
    "COMPARE",
    "DIFFERING",
    "OPTIONAL",
    "UNCOUNTED",
    "UNTESTED",
    "VERDICTS",
    "compare_published",
    "counted",
    "in_share",
    "in_words",
    "is_about_size",
    "overall",
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
OPTIONAL = ("effect", "theirs", "clusters")
"""Of a claim: its effect as ``what it is: expression`` of columns, of a median without the expression, which is that of
the first comparison in ``then``; what the paper says of the effect, in few words; and of a share the columns, with
spaces between them, whose combinations are independent."""

COMPARE = {
    "number": {"within"},
    "control": {"within", "every"},
    "drawn": {"within"},
    "sign": {"above", "below", "side"},
    "claim": {
        "above",
        "below",
        "every",
        "some",
        "median",
        "share",
        "interval",
        "alike",
        "choice",
        "stand_in",
    },
}
BY_TABLE = COMPARE["claim"] - {"above", "below"}
COMPARE["own"] = BY_TABLE - {"stand_in"}
CHOICES = {"much": 1 / 3, "mostly": 9 / 10, "half": 1 / 2}
"""Numbers that are this project's choice: "much" is at most a third, "mostly" at least nine of ten rows, and a share is
compared with a half."""
ALTERNATIVES = {"much": (1 / 5, 1 / 2), "mostly": (8 / 10, 19 / 20), "half": (2 / 5, 3 / 5)}
"""Other values of the choices, smaller and larger."""
_LEVEL = 0.05
_GROUPS = (
    "metric",
    "measure",
    "method",
    "classifier",
    "mechanism",
    "definition",
)  # one verdict each, of a median
_POOLED = (*_GROUPS, "repair")  # an effect is of one of each
_THINGS = {"table": "tables", "classifier": "classifiers"}  # of rows without data sets
UNTESTED = ("not tested", "not testable here")
_FOUND = ("reproduced", "low", "high", "verdict", "k", "n", "note", "basis", "part", "things")
_NAMED = 8  # at most, of what does not satisfy a rule
_FLOAT = 1e-9  # an identity in floating point


def read_published(path):
    """Read ``config/published/<study>.csv``, which :func:`pumetrics_workflow.plan.check_published` has checked.

    ``unit`` is the unit of the last printed digit, 0 of a fraction.
    """
    import pandas as pd

    table = pd.read_csv(path, comment="#", dtype=dict.fromkeys(COLUMNS, str))
    printed = [_printed(*row) for row in zip(table["published"], table["compare"], strict=True)]
    texts = [name for name in COLUMNS if name != "published"]
    table = table.assign(**{name: table[name].fillna("") for name in texts})
    table = table.assign(
        **{
            name: table[name].astype(object).fillna("") if name in table else ""
            for name in OPTIONAL
        }
    )
    return table.assign(
        published=[value for value, _ in printed], unit=[unit for _, unit in printed]
    )


def _printed(text, compare):
    """Value and unit of a printed number; neither of a claim that is no number."""
    if text != text:
        return np.nan, np.nan
    return float(Fraction(text)), unit_of_print(text) if compare == "within" else np.nan


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
        The same rows with ``reproduced``, ``low`` and ``high`` (where it holds, or our interval), ``verdict``,
        ``note``, ``basis``, and of a claim that ``k`` of ``n`` rows satisfy it, how many ``things`` these rows are
        about, and the ``part`` of the rows whose effect is shown, the weakest.

    Raises
    ------
    ValueError
        If `reproduced` has an id that is not among the published ones.
    """
    unknown = sorted(set(reproduced) - set(published["id"]))
    if unknown:
        raise ValueError(f"reproduced numbers without a published one: {', '.join(unknown)}")
    judged = _all_judged(published, reproduced)
    rows = {row["id"]: row for row in judged.to_dict("records")}
    for row in published.itertuples():
        if row.id not in rows:
            rows[row.id] = _claimed(row, judged, tables or {}, CHOICES)
    return published.assign(
        **{name: [rows[key][name] for key in published["id"]] for name in _FOUND}
    )


def _all_judged(published, reproduced):
    """The rows with a value, and their verdicts."""
    part = published[~published["compare"].isin(BY_TABLE)]
    found = [_judged(row, _answer(reproduced.get(row.id))) for row in part.itertuples()]
    return part.assign(**{name: [each[name] for each in found] for name in _FOUND})


def _answer(found):
    if isinstance(found, Answer):
        return found
    return (
        Answer(*found) if isinstance(found, tuple) else Answer(np.nan if found is None else found)
    )


def _judged(row, answer):
    """A row with a value: its verdict, and the interval behind it."""
    value = answer.value
    low = answer.low
    high = answer.high
    if value != value:
        return _unknown(row, answer.note or row.needs or "not part of this run")
    if row.kind == "number" or (row.kind == "control" and not low <= high):
        half = row.unit / 2 + _FLOAT * max(1, abs(row.published))
        low = row.published - row.unit / 2
        high = row.published + row.unit / 2
        verdict = "holds" if abs(value - row.published) <= half else "does not hold"
    elif row.kind == "claim":
        verdict = _lies(value, value, row.compare, row.published)
        verdict = "holds" if verdict == "holds" else "does not hold"
    elif row.compare == "side":
        verdict = _side(row.published, value)
    elif not low <= high:
        needed = row.needs or "no table that is kept holds the spread of one replication"
        return _row(
            value,
            np.nan,
            np.nan,
            "inconclusive",
            "; ".join(filter(None, [answer.note, needed])),
            answer.basis,
        )
    elif row.kind in ("drawn", "control"):
        low = low - row.unit / 2
        high = high + row.unit / 2
        verdict = "holds" if low <= row.published <= high else "does not hold"
    else:
        verdict = _lies(low, high, row.compare, row.published)
    return _row(value, low, high, verdict, answer.note, answer.basis)


def _lies(low, high, side, bound):
    """Verdict of an interval that is said to lie above or below a bound."""
    if not low <= high:
        return "inconclusive"
    there, opposite = (
        (low > bound, high < bound) if side == "above" else (high < bound, low > bound)
    )
    return "holds" if there else "opposite" if opposite else "inconclusive"


def _compared(low, high, comparison, names):
    """Verdict of an interval by a comparison, which ends with a sign and a bound."""
    *_, sign, bound = comparison
    return _lies(low, high, {"<": "below", ">": "above"}[sign], float(names.get(bound[1:], bound)))


def _unknown(row, note=""):
    """A row without a value, or a claim without rows."""
    verdict = "not testable here" if row.needs else "not tested"
    return _row(
        np.nan, np.nan, np.nan, verdict, note or row.needs or "no such rows in this run", ""
    )


def _side(printed, ours):
    """Verdict of a printed -1, 0 (neither) or 1 and ours; if both are 0, it is "inconclusive"."""
    if printed * ours:
        return "holds" if printed == ours else "opposite"
    return "does not hold" if ours else "inconclusive"


def _row(value, low, high, verdict, note, basis, k=np.nan, n=np.nan, part="", things=""):
    return {
        "reproduced": value,
        "low": low,
        "high": high,
        "verdict": verdict,
        "note": note,
        "basis": basis,
        "k": k,
        "n": n,
        "part": part,
        "things": things,
    }


def _claimed(row, judged, tables, choices):
    """A claim by its rule: a condition on the rows of a table, or the verdicts of published rows."""
    from pandas.errors import UndefinedVariableError

    if row.table == "published":
        return _together(judged[judged["id"].str.fullmatch(row.where)], choices)
    rows = tables.get(row.table)
    names = {**choices, "level": _LEVEL, "printed": row.published}
    try:
        if rows is not None and len(rows) and row.where:
            rows = rows.query(row.where, engine="python", local_dict=names)
        if rows is None or not len(rows):
            return _unknown(row)
        return _alike(row, rows) if row.compare == "alike" else _by_rule(row, rows, names)
    except UndefinedVariableError as error:
        note = f"waits for the next run at this scale: table {row.table} was kept before the rule ({error})"
        return _row(np.nan, np.nan, np.nan, "not tested", note, row.table)


def _by_rule(row, rows, names):
    """A claim by how many rows satisfy its rule, or by a median over data sets."""
    fails = rows.drop(rows.query(row.then, engine="python", local_dict=names).index)
    k = len(rows) - len(fails)
    n = len(rows)
    part = ""
    things = _things(rows)
    if row.compare == "median":
        verdicts, size, part, note = _medians(row, rows, names)
        verdict = overall(verdicts, names["mostly"])
        note = f"{note}; {_in_words(rows, fails)}"
        if verdict in ("mostly", "partly"):
            k = verdicts.count("holds")
            n = len(verdicts)
    else:
        pooled = any(rows[name].nunique() > 1 for name in _POOLED if name in rows)
        size = Answer(np.nan) if pooled else _size(row, rows, names)
        note = _in_words(rows, fails)
        verdict = in_share(k, n, names["mostly"])
    if row.compare == "share":
        satisfied = rows.assign(satisfied=~rows.index.isin(fails.index), alone=rows.index)
        clusters = satisfied.groupby(row.clusters.split() or "alone")["satisfied"]
        size = share_of_clusters(clusters.agg(["sum", "count"]).to_numpy())
        verdict = _lies(size.low, size.high, "above", names["half"])
    elif row.compare == "interval":
        verdicts = [
            _compared(each.low, each.high, row.then.split(), names) for each in rows.itertuples()
        ]
        k = verdicts.count("holds")
        verdict = overall(verdicts, names["mostly"])
        size = (
            Answer(*rows[row.then.split()[0]], "", *rows["low"], *rows["high"])
            if n == 1
            else Answer(np.nan)
        )
    elif row.compare == "some":
        verdict = "holds" if k else "does not hold"
    elif (
        row.compare == "choice" and k < n and (k or row.then.endswith("< @level"))
    ):  # no difference is not rejected
        verdict = "inconclusive"
    elif row.compare == "stand_in":
        verdict = "not testable here"
        note = f"needs {row.needs}; a stand-in shows it {note}"
    return _row(size.value, size.low, size.high, verdict, note, row.table, k, n, part, things)


def _things(rows):
    """What the rows of a claim are about, in words, if there are fewer: data sets, or tables and classifiers."""
    names = {"dataset": "sets"} if "dataset" in rows else _THINGS
    counts = {what: rows[name].nunique() for name, what in names.items() if name in rows}
    return " and ".join(
        f"{count} {what if count > 1 else what[:-1]}"
        for what, count in counts.items()
        if count < len(rows)
    )


def _in_words(rows, fails):
    """How many rows satisfy a rule, and by the first column that tells them apart, what the others are about."""
    k = len(rows) - len(fails)
    n = len(rows)
    things = _things(rows)
    what = f"{n} rows{f' of {things}' * bool(things)}"
    said = f"in all {what}" if k == n else f"in {k or 'none'} of {what}"
    if n == 1:
        return "in the only row" if k else "not in the only row"
    for name in ("dataset", "repair", *_GROUPS, "table", "scores", "model") if 0 < k < n else ():
        if name in rows and fails[name].nunique() < rows[name].nunique():
            names = list(dict.fromkeys(fails[name].astype(str)))
            more = f" and {len(names) - _NAMED} more" * (len(names) > _NAMED)
            return f"{said}, not {', '.join(names[:_NAMED])}{more}"
    return said


def _size(row, rows, names, expression=None, tests=1):
    """Median over data sets of the effect of a claim, with its interval; without data sets, over rows."""
    expression = expression or row.effect.partition(": ")[2]
    if not expression:
        return Answer(np.nan)
    values = rows.eval(expression, engine="python", local_dict=names)
    if np.ndim(values) and "dataset" in rows:
        return median_over_sets(values.groupby(rows["dataset"]).median(), tests=tests)
    return Answer(float(np.nanmedian(values)))


def _medians(row, rows, names):
    """Verdicts of comparisons with a bound by medians over sets; size and name of the weakest group; all in words."""
    comparisons = [part.split() for part in row.then.split(" and ")]
    keys = [name for name in _GROUPS if name in rows and rows[name].nunique() > 1]
    groups = [(", ".join(key), part) for key, part in rows.groupby(keys)] if keys else [("", rows)]
    tests = len(groups) * len(comparisons)
    verdicts = []
    sizes = []
    notes = []
    for name, group in groups:
        for number, (*left, sign, bound) in enumerate(comparisons):
            size = _size(row, group, names, " ".join(left), tests)
            verdicts.append(_compared(size.low, size.high, (sign, bound), names))
            if not number:
                ends = (size.value, size.high) if sign == "<" else (-size.value, -size.low)
                sizes.append((np.nanmax(ends), len(sizes), size, name))
            said = f" ({size.low:.2g} to {size.high:.2g})" if size.low <= size.high else ""
            notes.append(
                " ".join(
                    filter(
                        None, [name, " ".join(left) if number else "", f"{size.value:.2g}{said}"]
                    )
                )
            )
    if any(not size.low <= size.high for *_, size, _ in sizes):
        notes.append("too few sets for an interval")
    _, _, size, part = max(sizes)
    return verdicts, size, part, "; ".join(notes)


def _alike(row, rows):
    """A hypothesis of no difference, by the p-values of its tests: never more than inconclusive."""
    p_values = rows.eval(row.then, engine="python").dropna()
    if not len(p_values):
        return _unknown(row)
    rejected = p_values < _LEVEL / len(p_values)
    words = _in_words(rows, rows.loc[p_values.index[~rejected]])
    verdict = "does not hold" if rejected.any() else "inconclusive"
    note = f"rejected {words}; least p {p_values.min():.2g}"
    part = ", ".join(str(rows.loc[p_values.idxmin(), name]) for name in _GROUPS if name in rows)
    return _row(
        p_values.min(),
        np.nan,
        np.nan,
        verdict,
        note,
        row.table,
        int((~rejected).sum()),
        len(rejected),
        part,
    )


def _together(rows, choices):
    """A claim on published rows that hold all: intervals of 95% each are widened until they have 95% together."""
    from scipy.stats import norm

    tested = rows[~rows["verdict"].isin(UNTESTED)]
    wider = norm.isf(0.025 / max(int(tested["kind"].isin(["drawn", "sign"]).sum()), 1)) / norm.isf(
        0.025
    )
    verdicts = [_widened(each, wider) for each in tested.itertuples()]
    k = verdicts.count("holds")
    n = len(verdicts)
    others = rows["verdict"][rows["verdict"].isin(UNTESTED)].tolist()
    note = counted(verdicts + others)
    own = int((tested["verdict"] == "holds").sum())
    if own != k:
        note += f"; {own} by their own intervals of 95%"
    return _row(
        np.nan, np.nan, np.nan, overall(verdicts + others, choices["mostly"]), note, "", k, n
    )


def _widened(row, by):
    """Verdict of a row with a wider interval; of one without an interval, its own."""
    if row.compare == "side" or row.kind not in ("drawn", "sign") or not row.low <= row.high:
        return row.verdict
    low, high = (row.reproduced + by * (end - row.reproduced) for end in (row.low, row.high))
    if row.kind == "sign":
        return _lies(low, high, row.compare, row.published)
    return "holds" if low <= row.published <= high else "does not hold"


def in_share(k, n, mostly=CHOICES["mostly"]):
    """Return the verdict of a rule that `k` of `n` rows satisfy: "mostly" is at least this share of them.

    Examples
    --------
    >>> [in_share(k, 10) for k in (10, 9, 8, 1, 0)]
    ['holds', 'mostly', 'partly', 'partly', 'does not hold']
    """
    if k in (0, n):
        return "holds" if k else "does not hold"
    return "mostly" if k >= n * mostly - _FLOAT else "partly"


def overall(verdicts, mostly=CHOICES["mostly"]):
    """Return the verdict of a claim that rests on several rows with a verdict.

    Examples
    --------
    >>> overall(["holds", "holds"]), overall(["holds", "inconclusive"]), overall(["opposite", "inconclusive"])
    ('holds', 'partly', 'does not hold')
    """
    told = [verdict for verdict in verdicts if verdict not in UNTESTED]
    if len(set(told)) < 2:
        return next(iter(told or sorted(verdicts, reverse=True)), "not tested")
    if "holds" in told:
        return in_share(told.count("holds"), len(told), mostly)
    return "does not hold" if {"does not hold", "opposite"} & set(told) else "inconclusive"


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
    judged = _all_judged(published, reproduced)
    claims = [
        row for row in published.itertuples() if row.kind == "claim" and row.compare in BY_TABLE
    ]

    def verdict(row, **choices):
        return _claimed(row, judged, tables, {**CHOICES, **choices})["verdict"]

    usual = {row.id: verdict(row) for row in claims}
    may_change = {
        "much": [row for row in claims if "@much" in row.then],
        "mostly": [row for row in claims if usual[row.id] in ("mostly", "partly")],
        "half": [row for row in claims if "@half" in row.then or row.compare == "share"],
    }
    return {
        name: [
            row.id
            for row in rows
            if any(verdict(row, **{name: to}) != usual[row.id] for to in ALTERNATIVES[name])
        ]
        for name, rows in may_change.items()
    }


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
    parts = [f"{verdicts.count('holds')} of {len(verdicts)}{what and ' '}{what} hold"]
    others = [(verdicts.count(verdict), verdict) for verdict in VERDICTS[1:]]
    return ", ".join(
        parts + [f"{count} {in_words(verdict, count)}" for count, verdict in others if count]
    )


def in_words(verdict, count=1):
    """Return a verdict as it is said of `count` claims.

    Examples
    --------
    >>> in_words("holds", 2), in_words("does not hold"), in_words("partly", 3)
    ('hold', 'does not hold', 'partly')
    """
    return (
        {"holds": "hold", "does not hold": "do not hold"}.get(verdict, verdict)
        if count != 1
        else verdict
    )


def rule_in_words(row):
    """Return when a row holds, in words."""
    if row.compare == "side":
        return "significant at 0.01 on the printed side"
    if row.compare in ("above", "below"):
        what = "our 95% interval lies" if row.kind == "sign" else "our value lies"
        return f"{what} {row.compare} {row.published:g}"
    if row.compare in BY_TABLE:
        return _rule_of_claim(row)
    if row.kind == "drawn":
        return "the printed number lies in the prediction interval"
    return f"± {row.unit / 2:g}, half a unit of print" if row.unit else "exact"


def _rule_of_claim(row):
    where, then = (
        "" if value != value else value for value in (row.where, row.then)
    )  # NaN from CSV
    if row.table == "published":
        return f"all these rows hold, their intervals 95% together: {where}"
    rows = f"{row.table}{f' with {where}' * bool(where)}: {then}"
    return {
        "every": f"in every row of {rows}",
        "some": f"in some row of {rows}",
        "median": f"by the median over data sets of {rows}",
        "share": f"in more than half of the rows of {rows}",
        "interval": f"by the 95% interval in each row of {rows}",
        "alike": f"not rejected in any row of {rows}",
        "choice": f"in every row of {rows}; inconclusive if only in some, since the text leaves the choice open",
        "stand_in": f"needs other data; a stand-in is in {rows}",
    }[row.compare]


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
    made["published"] = compare_published(published, load(study, "tables").reproduced(made), made)
    write_tables({key: table for key, table in made.items() if table is not kept.get(key)}, folder)
