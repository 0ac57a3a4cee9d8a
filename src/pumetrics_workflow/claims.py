"""Claims on the rows of a table: one class for each kind of rule, which checks its row and gives the verdict.

========  ==========================================================================================================
claim is  its rule, ``then`` on the rows of ``table`` with ``where``
========  ==========================================================================================================
every     each row, since the text says always, or it is a theorem; of ``published``, each row, their intervals 95%
          together; rows that fail and satisfy ``open`` decide nothing
some      at least one row, since the text says that it can be so
median    comparisons with a bound: the interval of the median over data sets, 95% together for all metrics, methods and
          comparisons, lies on that side; "much" smaller is at most a third
tested    comparison with 0: an exact signed-rank test over data sets, of each metric, method and so on, adjusted for
          their number (Holm), where the paper tests too, and for the side on which corrected estimates err
share     more than half of the rows, with the 95% interval of their share; rows that share ``clusters`` are one thing
interval  comparison with a bound: the 95% interval in the columns ``low`` and ``high`` of each row lies on that side
alike     no p-value is below the level over the number of tests; then it is "inconclusive"
choice    each row, where the text leaves open which row it means
stand_in  none: the data are not available, and what a stand-in shows is in the note
========  ==========================================================================================================

A lack of power is no failure: a claim of which no part is false and some part is open is "inconclusive". Four numbers
are chosen: :data:`CHOICES`.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from pumetrics.metrics import METRICS
from pumetrics_workflow.intervals import Answer, median_over_sets, share_of_clusters
from pumetrics_workflow.studies.queries import holm, signed_rank_p_value

__all__ = [
    "CHOICES",
    "LEVEL",
    "RULES",
    "UNTESTED",
    "Found",
    "Rule",
    "in_share",
    "lies",
    "name_in_words",
    "overall",
    "unknown",
]

UNTESTED = ("not tested", "not testable here")
CHOICES = {"much": 1 / 3, "mostly": 9 / 10, "half": 1 / 2, "visible": 0.005}
"""Numbers that are this project's choice: "much" is at most a third, "mostly" at least nine of ten rows, a share is
compared with a half, and what a picture shows is at least 0.005 of its axis."""
LEVEL = 0.05

# One verdict each, of a median.
_GROUPS = ("metric", "measure", "method", "classifier", "mechanism", "definition")
_POOLED = (*_GROUPS, "repair")  # an effect is of one of each
_THINGS = {"table": "tables", "classifier": "classifiers"}  # of rows without data sets
_NAMED = 8  # at most, of what does not satisfy a rule
_FAILS = ("does not hold", "opposite")
_OTHERWISE = {"opposite": "on the other side", "inconclusive": "not told apart"}
_NAMES = {
    **{name: metric.label for name, metric in METRICS.items()},
    "bcar": "BCAR",
    "bar": "BAR",
    "bnar": "BNAR",
    "c45": "C4.5",
    "mlp": "MLP",
    "naive_bayes": "naive Bayes",
    "nearest_neighbors": "nearest neighbors",
    "svm": "SVM",
    "DR": "direct, real priors",
    "IR": "indirect, real priors",
    "DE": "direct, AlphaMax",
    "IE": "indirect, AlphaMax",
    "DC": "direct, consensus",
    "IC": "indirect, consensus",
}
_DIGITS = 10  # lest rounding breaks ties of a signed-rank test
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
    by : str
        What `k` of `n` counts, or what the verdict rests on: "rows", "sign", "size", "test", "share", "interval".
    reason : str
        Of a claim that does not hold, why, in one line.
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
    by: str = ""
    reason: str = ""


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
    """Return the verdict of a claim that rests on several parts with a verdict.

    A part that is open is no failure: without a false part the claim is "inconclusive".

    Examples
    --------
    >>> overall(["holds", "holds"]), overall(["holds", "inconclusive"]), overall(["holds", "inconclusive", "opposite"])
    ('holds', 'inconclusive', 'partly')
    >>> overall(["opposite", "inconclusive"])
    'does not hold'
    """
    tested = [verdict for verdict in verdicts if verdict not in UNTESTED]
    if not tested:
        return max(verdicts, default="not tested")
    if len(set(tested)) == 1:
        return tested[0]
    if {*tested} <= {"holds", "inconclusive"}:
        return "inconclusive"
    if {*tested} <= {"inconclusive", *_FAILS}:
        return "does not hold"
    held = tested.count("holds")
    return in_share(held, len(tested), mostly) if held else "partly"


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
    by = "rows"
    part = ""

    def __init__(self, row, rows, names):
        super().__init__(row, rows, names)
        satisfying = rows.query(row.then, engine="python", local_dict=names)
        self.fails = rows.drop(satisfying.index)
        self.n = len(rows)
        self.k = self.n - len(self.fails)
        self.false = self.fails
        if row.open:
            undecided = self.fails.query(row.open, engine="python", local_dict=names)
            self.false = self.fails.drop(undecided.index)

    def found(self):
        size = self.size()
        verdict = self.verdict(size)
        return Found(
            reproduced=size.value,
            low=size.low,
            high=size.high,
            verdict=verdict,
            k=self.k,
            n=self.n,
            note=self.note(),
            basis=self.row.table,
            part=self.part,
            things=_things(self.rows),
            by=self.by,
            reason="" if verdict == "holds" else self.reason(),
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
        if len(self.fails) and not len(self.false):
            return "inconclusive"
        return in_share(self.k, self.n, self.names["mostly"])

    def note(self):
        return _in_words(self.rows, self.fails)

    def reason(self):
        if not len(self.false):
            return f"no row contradicts; {self.said_of('undecided', self.fails)}"
        return self.said_of("not so", self.false)

    def said_of(self, words, rows):
        """Words about some of the rows, with what these are about, or how many they are."""
        which = _which(self.rows, rows)
        if which:
            return f"{words}: {which}"
        number = "any row" if len(rows) == self.n else f"{len(rows)} of {self.n} rows"
        return f"{words} in {number}"

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

    def reason(self):
        if not self.k:
            return self.said_of("not significant", self.fails)
        return f"the text leaves open which is meant; {self.said_of('not so', self.fails)}"


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

    def reason(self):
        return f"needs {self.row.needs}"


class Share(Every):
    """More than half of the rows satisfy the rule."""

    words = "in more than half of the rows of {rows}"
    by = "share"

    def size(self):
        failing = self.rows.index.isin(self.fails.index)
        rows = self.rows.assign(satisfied=~failing, alone=self.rows.index)
        clusters = rows.groupby(self.row.clusters.split() or "alone")["satisfied"]
        return share_of_clusters(clusters.agg(["sum", "count"]).to_numpy())

    def verdict(self, size):
        return lies(size.low, size.high, "above", self.names["half"])

    def reason(self):
        size = self.size()
        return f"the interval of the share, {size.low:.0%} to {size.high:.0%}, includes a half"


class Interval(Every):
    """The interval of each row, in its columns ``low`` and ``high``, lies on the side of a bound."""

    words = "by the 95% interval in each row of {rows}"
    by = "interval"

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
        """The effect of the row whose interval reaches farthest to the wrong side."""
        name, sign, _ = self.row.then.split()
        if not self.rows["low"].notna().any():
            return Answer(np.nan)
        weakest = self.rows["low"].idxmin() if sign == ">" else self.rows["high"].idxmax()
        row = self.rows.loc[weakest]
        self.part = _name_of(row) if self.n > 1 else ""
        return Answer(row[name], low=row["low"], high=row["high"])

    def verdict(self, size):
        return overall(self.verdicts, self.names["mostly"])

    def reason(self):
        names = [_name_of(each) for _, each in self.rows.iterrows()]
        return _reason(names, self.verdicts)


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
        parts = []
        sizes = []
        notes = []
        weakest = []
        for name, rows in groups:
            for number, (*left, sign, bound) in enumerate(comparisons):
                expression = " ".join(left)
                size = self.effect(rows, expression, tests)
                shown = expression if number else ""
                parts.append((", ".join(filter(None, [name, shown])), sign, bound))
                sizes.append(size)
                notes.append(_size_in_words(name, shown, size))
                if number == 0:
                    ends = (size.value, size.high) if sign == "<" else (-size.value, -size.low)
                    weakest.append((np.nanmax(ends), len(weakest), size, name))
        verdicts = self.verdicts(groups, parts, sizes)
        if any(not size.low <= size.high for *_, size, _ in weakest):
            notes.append("too few sets for an interval")
        _, _, size, part = max(weakest)

        verdict = overall(verdicts, self.names["mostly"])
        several = len(verdicts) > 1
        return Found(
            reproduced=size.value,
            low=size.low,
            high=size.high,
            verdict=verdict,
            k=verdicts.count("holds") if several else self.k,
            n=len(verdicts) if several else self.n,
            note="; ".join([*notes, self.note()]),
            basis=self.row.table,
            part=part,
            things=_things(self.rows),
            by=self.by_what(parts),
            reason=_reason([name for name, *_ in parts], verdicts),
        )

    def verdicts(self, groups, parts, sizes):
        """A verdict for each part: of each group, by each comparison."""
        return [
            self.compared(size, sign, bound)
            for (_, sign, bound), size in zip(parts, sizes, strict=True)
        ]

    def by_what(self, parts):
        """Whether medians are compared with 0, their sign, or with another bound, their size."""
        return "sign" if {bound for *_, bound in parts} == {"0"} else "size"

    def _groups(self):
        """Rows by metric, method and so on, with their names in words."""
        keys = [name for name in _GROUPS if name in self.rows and self.rows[name].nunique() > 1]
        if not keys:
            return [("", self.rows)]
        groups = self.rows.groupby(keys)
        return [(", ".join(map(name_in_words, key)), rows) for key, rows in groups]


class Tested(Median):
    """The values of data sets lie on a side of 0, of each metric, method and so on, by an exact signed-rank test."""

    words = "by exact signed-rank tests over data sets (Holm) of {rows}"

    @staticmethod
    def flaws(row):
        yield from Median.flaws(row)
        if " and " in row["then"] or row["then"].split()[-1:] != ["0"]:
            yield f"then: {row['then']!r} must be one comparison with 0"

    def found(self):
        found = super().found()
        tested = f"signed-rank tests: p {self.greatest:.2g} at most"
        return replace(found, reason=found.reason or tested)

    def verdicts(self, groups, parts, sizes):
        expression = self.row.then.rsplit(maxsplit=2)[0]
        sides = []
        p_values = []
        for _, rows in groups:
            values = rows.eval(expression, engine="python", local_dict=self.names)
            if "dataset" in rows:
                values = values.groupby(rows["dataset"]).median()
            values = values.dropna().round(_DIGITS)
            above, below = (signed_rank_p_value(values, 0, side) for side in ("greater", "less"))
            sides.append(">" if above < below else "<")
            p_values.append(min(2 * min(above, below), 1.0))
        adjusted = holm(np.array(p_values))
        self.greatest = max(adjusted)
        self.p_values = dict(zip([name for name, _ in groups], p_values, strict=True))

        verdicts = []
        for (_, sign, _), side, p_value in zip(parts, sides, adjusted, strict=True):
            significant = "holds" if side == sign else "opposite"
            verdicts.append(significant if p_value < LEVEL else "inconclusive")
        return verdicts

    def by_what(self, parts):
        return "test"

    def note(self):
        tests = [f"{name} p {value:.2g}".strip() for name, value in self.p_values.items()]
        return f"signed-rank tests: {', '.join(tests)}; {super().note()}"


class Alike(Rule):
    """A hypothesis of no difference, by the p-values of its tests: never more than inconclusive."""

    words = "not rejected in any row of {rows}"

    def found(self):
        p_values = self.rows.eval(self.row.then, engine="python").dropna()
        if not len(p_values):
            return unknown(self.row)
        is_rejected = p_values < LEVEL / len(p_values)
        others = self.rows.loc[p_values.index[~is_rejected]]
        rejected = self.rows.loc[p_values.index[is_rejected]]
        least = self.rows.loc[p_values.idxmin()]
        names = [_name_of(each) for _, each in rejected.iterrows()]
        return Found(
            reproduced=p_values.min(),
            verdict="does not hold" if names else "inconclusive",
            k=len(others),
            n=len(p_values),
            note=f"rejected {_in_words(self.rows, others)}; least p {p_values.min():.2g}",
            basis=self.row.table,
            part=_name_of(least),
            by="test",
            reason=f"rejected: {'; '.join(names)}"
            if names
            else "not rejected, which shows nothing",
        )


RULES = {
    "every": Every,
    "some": Some,
    "median": Median,
    "tested": Tested,
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

    which = _which(rows, fails)
    return f"in {k} of {what}" + f", not {which}" * bool(which)


def _which(rows, some):
    """What some rows are about, by the first column that tells them apart from the others; "" without one."""
    for name in ("dataset", "repair", *_GROUPS, "entry", "table", "scores", "model"):
        if name in rows and some[name].nunique() < rows[name].nunique():
            names = [name_in_words(each) for each in dict.fromkeys(some[name].astype(str))]
            shown = ", ".join(names[:_NAMED])
            return shown + f" and {len(names) - _NAMED} more" * (len(names) > _NAMED)
    return ""


def name_in_words(name):
    """Return a metric, method, mechanism or data set of a table as pages call it.

    Examples
    --------
    >>> name_in_words("roc_auc"), name_in_words("bnar"), name_in_words("heart_c")
    ('AUC', 'BNAR', 'heart c')
    """
    return _NAMES.get(name, str(name).replace("_", " "))


def _name_of(row):
    """What one row is about, in words."""
    return ", ".join(
        name_in_words(row[name])
        for name in ("dataset", *_GROUPS)
        if row.get(name) == row.get(name) and name in row
    )


def _reason(names, verdicts):
    """Why a claim on parts does not hold: those on the wrong side, and those not told apart."""
    parts = []
    for verdict, words in _OTHERWISE.items():
        found = [name for name, each in zip(names, verdicts, strict=True) if each == verdict]
        which = "; ".join(filter(None, found))
        if found:
            parts.append(f"{words}: {which}" if which else words)
    return "; ".join(parts)


def _size_in_words(name, expression, size):
    interval = f" ({size.low:.2g} to {size.high:.2g})" if size.low <= size.high else ""
    return " ".join(filter(None, [name, expression, f"{size.value:.2g}{interval}"]))
