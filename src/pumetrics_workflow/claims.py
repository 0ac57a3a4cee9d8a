"""Claims on the rows of a table: one class for each kind of rule, which checks its row and gives the verdict.

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

Three numbers are chosen: :data:`CHOICES`.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from pumetrics_workflow.intervals import Answer, median_over_sets, share_of_clusters

__all__ = [
    "CHOICES",
    "LEVEL",
    "RULES",
    "UNTESTED",
    "Found",
    "Rule",
    "in_share",
    "lies",
    "overall",
    "unknown",
]

UNTESTED = ("not tested", "not testable here")
CHOICES = {"much": 1 / 3, "mostly": 9 / 10, "half": 1 / 2}
"""Numbers that are this project's choice: "much" is at most a third, "mostly" at least nine of ten rows, and a share is
compared with a half."""
LEVEL = 0.05

# One verdict each, of a median.
_GROUPS = ("metric", "measure", "method", "classifier", "mechanism", "definition")
_POOLED = (*_GROUPS, "repair")  # an effect is of one of each
_THINGS = {"table": "tables", "classifier": "classifiers"}  # of rows without data sets
_NAMED = 8  # at most, of what does not satisfy a rule
_ROUNDING = 1e-9  # of a product of floating-point numbers
_COMPARISON = r".+ [<>] (@\w+|[-+.\deE]+)"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What is found of a published number or claim.

    Attributes
    ----------
    reproduced, low, high : float
        Our value, and where it holds, or our interval.
    verdict : str
    k, n : float
        Of a claim, how many of its rows satisfy it, and how many there are.
    note, basis : str
        Additional information, and what the interval is computed from.
    part, things : str
        The rows whose effect is shown, the weakest; and how many things the rows are about.
    """

    reproduced: float = np.nan
    low: float = np.nan
    high: float = np.nan
    verdict: str
    k: float = np.nan
    n: float = np.nan
    note: str = ""
    basis: str = ""
    part: str = ""
    things: str = ""


def unknown(row, note=""):
    """Return what is found of a row without a value, or of a claim without rows."""
    verdict = "not testable here" if row.needs else "not tested"
    return Found(verdict=verdict, note=note or row.needs or "no such rows in this run")


def lies(low, high, side, bound):
    """Return the verdict of an interval that is said to lie above or below a bound."""
    if not low <= high:
        return "inconclusive"
    is_above = low > bound
    is_below = high < bound
    if is_above if side == "above" else is_below:
        return "holds"
    return "opposite" if is_above or is_below else "inconclusive"


def in_share(k, n, mostly=CHOICES["mostly"]):
    """Return the verdict of a rule that `k` of `n` rows satisfy: "mostly" is at least this share of them.

    Examples
    --------
    >>> [in_share(k, 10) for k in (10, 9, 8, 1, 0)]
    ['holds', 'mostly', 'partly', 'partly', 'does not hold']
    """
    if k == 0:
        return "does not hold"
    if k == n:
        return "holds"
    return "mostly" if k >= n * mostly - _ROUNDING else "partly"


def overall(verdicts, mostly=CHOICES["mostly"]):
    """Return the verdict of a claim that rests on several rows with a verdict.

    Examples
    --------
    >>> overall(["holds", "holds"]), overall(["holds", "inconclusive"]), overall(["opposite", "inconclusive"])
    ('holds', 'partly', 'does not hold')
    """
    tested = [verdict for verdict in verdicts if verdict not in UNTESTED]
    if not tested:
        return max(verdicts, default="not tested")
    if len(set(tested)) == 1:
        return tested[0]
    if "holds" in tested:
        return in_share(tested.count("holds"), len(tested), mostly)
    return "does not hold" if {"does not hold", "opposite"} & set(tested) else "inconclusive"


class Rule(ABC):
    """A claim on the rows of a table.

    Parameters
    ----------
    row : namedtuple
        Of the published claims.
    rows : pandas.DataFrame
        The rows that the claim is about, at least one.
    names : dict
        What an expression may name with @: the choices, the level and the printed number.
    """

    words: str

    def __init__(self, row, rows, names):
        self.row = row
        self.rows = rows
        self.names = names

    @staticmethod
    def flaws(row):
        """Yield what is wrong with a row of this kind, a dict, apart from what is wrong with a row of any."""
        return ()

    @abstractmethod
    def found(self):
        """Return what is :class:`Found`."""


class Every(Rule):
    """Each row satisfies the rule."""

    words = "in every row of {rows}"

    def __init__(self, row, rows, names):
        super().__init__(row, rows, names)
        satisfying = rows.query(row.then, engine="python", local_dict=names)
        self.fails = rows.drop(satisfying.index)
        self.n = len(rows)
        self.k = self.n - len(self.fails)

    def found(self):
        size = self.size()
        return Found(
            reproduced=size.value,
            low=size.low,
            high=size.high,
            verdict=self.verdict(size),
            k=self.k,
            n=self.n,
            note=self.note(),
            basis=self.row.table,
            things=_things(self.rows),
        )

    def size(self):
        """The effect, where the rows are of one metric, method and so on."""
        if any(self.rows[name].nunique() > 1 for name in _POOLED if name in self.rows):
            return Answer(np.nan)
        return self.effect(self.rows, self.row.effect.partition(": ")[2])

    def effect(self, rows, expression, tests=1):
        """Median of an expression over data sets, with its interval; without data sets, over rows."""
        if not expression:
            return Answer(np.nan)
        values = rows.eval(expression, engine="python", local_dict=self.names)
        if np.ndim(values) and "dataset" in rows:
            return median_over_sets(values.groupby(rows["dataset"]).median(), tests=tests)
        return Answer(float(np.nanmedian(values)))

    def verdict(self, size):
        return in_share(self.k, self.n, self.names["mostly"])

    def note(self):
        return _in_words(self.rows, self.fails)

    def compared(self, answer, sign, bound):
        """Verdict of an interval by a comparison with a bound."""
        side = "below" if sign == "<" else "above"
        return lies(answer.low, answer.high, side, float(self.names.get(bound[1:], bound)))


class Some(Every):
    """At least one row satisfies the rule."""

    words = "in some row of {rows}"

    def verdict(self, size):
        return "holds" if self.k else "does not hold"


class Choice(Every):
    """Each row satisfies the rule, and the text leaves open which row it means."""

    words = "in every row of {rows}; inconclusive if only in some, since the text leaves the choice open"

    def verdict(self, size):
        no_difference_is_not_rejected = not self.k and self.row.then.endswith("< @level")
        if 0 < self.k < self.n or no_difference_is_not_rejected:
            return "inconclusive"
        return super().verdict(size)


class StandIn(Every):
    """The data are not available; a note says what other data show."""

    words = "needs other data; a stand-in is in {rows}"

    @staticmethod
    def flaws(row):
        if not row["needs"]:
            yield "needs is empty: what data does it need?"

    def verdict(self, size):
        return "not testable here"

    def note(self):
        return f"needs {self.row.needs}; a stand-in shows it {super().note()}"


class Share(Every):
    """More than half of the rows satisfy the rule."""

    words = "in more than half of the rows of {rows}"

    def size(self):
        failing = self.rows.index.isin(self.fails.index)
        rows = self.rows.assign(satisfied=~failing, alone=self.rows.index)
        clusters = rows.groupby(self.row.clusters.split() or "alone")["satisfied"]
        return share_of_clusters(clusters.agg(["sum", "count"]).to_numpy())

    def verdict(self, size):
        return lies(size.low, size.high, "above", self.names["half"])


class Interval(Every):
    """The interval of each row, in its columns ``low`` and ``high``, lies on the side of a bound."""

    words = "by the 95% interval in each row of {rows}"

    @staticmethod
    def flaws(row):
        yield from Median.flaws(row)
        if " and " in row["then"]:
            yield f"then: {row['then']!r} must be one comparison"

    def __init__(self, row, rows, names):
        super().__init__(row, rows, names)
        sign, bound = row.then.split()[-2:]
        self.verdicts = [self.compared(each, sign, bound) for each in rows.itertuples()]
        self.k = self.verdicts.count("holds")

    def size(self):
        if self.n > 1:
            return Answer(np.nan)
        value = self.rows[self.row.then.split()[0]]
        return Answer(*value, low=self.rows["low"].item(), high=self.rows["high"].item())

    def verdict(self, size):
        return overall(self.verdicts, self.names["mostly"])


class Median(Every):
    """The median over data sets lies on the side of a bound, of each metric, method and so on."""

    words = "by the median over data sets of {rows}"

    @staticmethod
    def flaws(row):
        parts = row["then"].split(" and ")
        if row["then"] and not all(re.fullmatch(_COMPARISON, part) for part in parts):
            yield (
                f"then: {row['then']!r} must compare with a bound, for example `error < 0` or `ratio < @much`"
            )

    def found(self):
        comparisons = [part.split() for part in self.row.then.split(" and ")]
        groups = self._groups()
        tests = len(groups) * len(comparisons)
        verdicts = []
        notes = []
        weakest = []
        for name, rows in groups:
            for number, (*left, sign, bound) in enumerate(comparisons):
                expression = " ".join(left)
                size = self.effect(rows, expression, tests)
                verdicts.append(self.compared(size, sign, bound))
                notes.append(_size_in_words(name, expression if number else "", size))
                if number == 0:
                    ends = (size.value, size.high) if sign == "<" else (-size.value, -size.low)
                    weakest.append((np.nanmax(ends), len(weakest), size, name))
        if any(not size.low <= size.high for *_, size, _ in weakest):
            notes.append("too few sets for an interval")
        _, _, size, part = max(weakest)

        verdict = overall(verdicts, self.names["mostly"])
        counts_groups = verdict in ("mostly", "partly")
        return Found(
            reproduced=size.value,
            low=size.low,
            high=size.high,
            verdict=verdict,
            k=verdicts.count("holds") if counts_groups else self.k,
            n=len(verdicts) if counts_groups else self.n,
            note="; ".join([*notes, self.note()]),
            basis=self.row.table,
            part=part,
            things=_things(self.rows),
        )

    def _groups(self):
        """Rows by metric, method and so on, with their names in words."""
        keys = [name for name in _GROUPS if name in self.rows and self.rows[name].nunique() > 1]
        if not keys:
            return [("", self.rows)]
        return [(", ".join(key), rows) for key, rows in self.rows.groupby(keys)]


class Alike(Rule):
    """A hypothesis of no difference, by the p-values of its tests: never more than inconclusive."""

    words = "not rejected in any row of {rows}"

    def found(self):
        p_values = self.rows.eval(self.row.then, engine="python").dropna()
        if not len(p_values):
            return unknown(self.row)
        rejected = p_values < LEVEL / len(p_values)
        words = _in_words(self.rows, self.rows.loc[p_values.index[~rejected]])
        least = self.rows.loc[p_values.idxmin()]
        return Found(
            reproduced=p_values.min(),
            verdict="does not hold" if rejected.any() else "inconclusive",
            k=int((~rejected).sum()),
            n=len(rejected),
            note=f"rejected {words}; least p {p_values.min():.2g}",
            basis=self.row.table,
            part=", ".join(str(least[name]) for name in _GROUPS if name in self.rows),
        )


RULES = {
    "every": Every,
    "some": Some,
    "median": Median,
    "share": Share,
    "interval": Interval,
    "alike": Alike,
    "choice": Choice,
    "stand_in": StandIn,
}
"""Rules by what the column ``compare`` calls them."""


def _things(rows):
    """What the rows of a claim are about, in words, if there are fewer: data sets, or tables and classifiers."""
    names = {"dataset": "sets"} if "dataset" in rows else _THINGS
    parts = []
    for name, what in names.items():
        count = rows[name].nunique() if name in rows else len(rows)
        if count < len(rows):
            parts.append(f"{count} {what if count > 1 else what[:-1]}")
    return " and ".join(parts)


def _in_words(rows, fails):
    """How many rows satisfy a rule, and by the first column that tells them apart, what the others are about."""
    n = len(rows)
    k = n - len(fails)
    if n == 1:
        return "in the only row" if k else "not in the only row"
    things = _things(rows)
    what = f"{n} rows of {things}" if things else f"{n} rows"
    if k == n:
        return f"in all {what}"
    if k == 0:
        return f"in none of {what}"

    for name in ("dataset", "repair", *_GROUPS, "table", "scores", "model"):
        if name in rows and fails[name].nunique() < rows[name].nunique():
            names = list(dict.fromkeys(fails[name].astype(str)))
            shown = ", ".join(names[:_NAMED])
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            return f"in {k} of {what}, not {shown}{more}"
    return f"in {k} of {what}"


def _size_in_words(name, expression, size):
    interval = f" ({size.low:.2g} to {size.high:.2g})" if size.low <= size.high else ""
    return " ".join(filter(None, [name, expression, f"{size.value:.2g}{interval}"]))
