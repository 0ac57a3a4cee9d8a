"""Plans of rows to check: a random order of checking that continues, and that is stored with hashes of its data."""

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.checks.allotment import LEAST, allot, expected_widths
from pumetrics.checks.strata import Pair, Strata, ask
from pumetrics.checks.verdicts import check_order, check_rows, index_of, read_verdicts
from pumetrics.metrics import AREAS
from pumetrics.validation import check_count

__all__ = ["CheckPlan", "FilledPlan", "opened"]

_COMMON = 100  # rows, where no number is given


@dataclass(frozen=True, eq=False)
class CheckPlan:
    """Rows to check, and how they were selected.

    Attributes
    ----------
    rows : ndarray of shape (budget,)
        Positions of the rows in random order, which is the order of checking.
    metric : str
        Metric for which rows were allotted to strata; the rows also serve other metrics.
    threshold : float or None
        Predict positive for scores >= threshold.
    cuts : tuple of float
        Scores at which strata of the unlabeled begin.
    weights : tuple of float
        Shares of the budget, before every stratum is given at least four rows.
    budgets : tuple of int
        Size of the plan at first and after each extension; the interval at the j-th size uses 1/j of the error.
    seed : int
        Seed of the selection.
    noisy : bool
        Whether labeled rows are also checked.
    index : pandas.Index or None
        What names the rows of the scores, if they are a Series with an index other than 0 to n - 1.
    """

    metric: str
    seed: int
    weights: tuple
    guess: np.ndarray = field(repr=False)
    strata: Strata = field(repr=False)
    threshold: float | None = None
    cuts: tuple = ()
    noisy: bool = False
    budgets: tuple = ()
    index: Any = field(default=None, repr=False)
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    def to_frame(self):
        """Return a table to fill in: columns row and verdict (blank), in random order, without scores.

        Returns
        -------
        pandas.DataFrame
        """
        return self.filled(np.full(len(self.rows), np.nan)).table

    def filled(self, verdicts):
        """Return the rows of the plan with these verdicts.

        Parameters
        ----------
        verdicts : array-like of shape (budget,)
            1, 0, "?" (unsure), NaN or blank (not yet checked), in the order of ``rows``. A blank before the last
            verdict counts both ways, as unsure does. The index of a Series has to name the rows of the plan.

        Returns
        -------
        FilledPlan
            For :func:`checked_interval`, which needs no `plan` then.

        Raises
        ------
        ValueError
            If the number of verdicts differs from the number of rows, on any other verdict, and if a Series names other
            rows.
        """
        from pandas import DataFrame

        given = verdicts
        verdicts = list(verdicts)
        if len(verdicts) != len(self.rows):
            raise ValueError(
                f"verdicts must be as many as the {len(self.rows)} rows of the plan, got {len(verdicts)}"
            )
        check_order(given, self.rows, self.index)
        read_verdicts(verdicts, self.rows)
        return FilledPlan(DataFrame({"row": self.rows, "verdict": verdicts}), self)

    def extend(self, budget):
        """Extend the selection.

        Parameters
        ----------
        budget : int or None
            Total number of rows, at least that of this plan. None: 100, or all if there are fewer.

        Returns
        -------
        CheckPlan
            Its rows begin with those of this plan, whose checks remain valid.

        Raises
        ------
        ValueError
            If the budget is smaller than the plan or larger than the number of rows.
        """
        n_before = len(self.rows)
        if n_before and budget == n_before:
            return self
        sizes = self.strata.sizes
        weights = np.asarray(self.weights)
        parts = weights >= 0
        most = int(sizes[parts].sum())
        if budget is None:
            budget = max(n_before, min(_COMMON, most))
        least = int(np.minimum(sizes[parts], LEAST).sum())
        if not n_before and check_count(budget, "budget") < least:
            raise ArgumentError(
                "budget",
                f"must be at least {least}, {LEAST} rows of each of {parts.sum()} strata, got {budget}",
            )
        budget = check_count(budget, "budget", least=max(n_before, 1), most=most)

        rng = np.random.default_rng([self.seed, n_before])
        already = self.strata.count(self.rows)
        wanted = allot(budget, weights, sizes, already)
        is_free = np.ones(len(self.strata.of), dtype=bool)
        is_free[self.rows] = False
        drawn = [np.empty(0, np.int64)]
        for h in np.flatnonzero(wanted > already):
            free = np.flatnonzero(is_free & (self.strata.of == h))
            drawn.append(rng.choice(free, wanted[h] - already[h], replace=False))
        rows = np.append(self.rows, rng.permutation(np.concatenate(drawn)))
        return replace(self, rows=rows, budgets=(*self.budgets, budget))

    def answers(self, metric, threshold, population):
        """Whether the strata are those of a metric."""
        planned = (self.metric, self.threshold, self.strata.question.population)
        return planned == (metric, threshold, population)

    def look_at(self, n_checked):
        """Number, from 1, of the budget that so many checked rows belong to, and its rows that are not checked yet."""
        budgets = np.unique(self.budgets)
        place = int(np.searchsorted(budgets, n_checked))
        return place + 1, int(budgets[place]) - n_checked

    @cached_property
    def expected(self):
        """Width of the 95% interval without assumptions that is not exceeded in four of five files, for 50 to 400 rows.

        A dict by budget, up to the number of rows that there are: the width under the guess by which rows were allotted
        (many hidden positives, distributed like the labeled ones), times a factor that was not exceeded in four of five
        simulated files. Empty without labels, except for metrics that are least certain where every other row is
        positive: there is no such guess of others.
        """
        return expected_widths(self)

    def as_dict(self):
        """Return the plan as a dict for JSON; see :meth:`from_dict`.

        Returns
        -------
        dict
            Arguments, strata and their sizes, order of the rows, seed, and SHA-256 of labels and scores and of the
            content itself.
        """
        content = {
            "metric": self.metric,
            "threshold": self.threshold,
            "noisy": self.noisy,
            "population": self.strata.question.population,
            "cuts": list(self.cuts),
            "sizes": self.strata.sizes.tolist(),
            "weights": list(self.weights),
            "guess": self.guess.tolist(),
            "seed": self.seed,
            "budgets": list(self.budgets),
            "rows": self.rows.tolist(),
            "sha256": [_hash(each) for each in self.strata.data],
        }
        return {**content, "signature": _signature(content)}

    @classmethod
    def from_dict(cls, content, s, y_score, *second):
        """Restore a plan.

        Parameters
        ----------
        content : dict
            Result of :meth:`as_dict`.
        s, y_score, *second : array-like of shape (n,)
            Labels and scores of the plan: of one model, or of two that are compared.

        Returns
        -------
        CheckPlan

        Raises
        ------
        ValueError
            If the content was edited, or labels or scores have changed since.
        """
        content = dict(content)
        if content.pop("signature", None) != _signature(content):
            raise ValueError(
                "the plan was edited since it was written: use the original, or plan_checks for a new one"
            )
        data = check_rows(s, y_score, *second)
        _check_same(content, data)
        kept = {name: content[name] for name in ("metric", "threshold", "seed", "noisy")}
        lists = {name: tuple(content[name]) for name in ("cuts", "weights", "budgets")}
        population = content["population"]
        if second:
            strata = Pair(*data, kept["metric"], population)
        else:
            named = {"threshold": kept["threshold"], "noisy": kept["noisy"]}
            question = ask(kept["metric"], *data, population=population, **named)
            cuts = lists["cuts"]
            labeled_cuts = cuts if kept["metric"] in AREAS else ()
            strata = Strata(*data, question, cuts, noisy=kept["noisy"], labeled_cuts=labeled_cuts)
        return cls(
            rows=np.array(content["rows"], dtype=np.int64),
            guess=np.array(content["guess"]),
            strata=strata,
            index=index_of(s, y_score, *second),
            **kept,
            **lists,
        )

    def check_data(self, *data):
        """Raise ValueError if labels or scores are not those of the plan."""
        planned = self.strata.data
        if len(data) != len(planned) or not all(map(np.array_equal, planned, data)):
            _check_same(self.as_dict(), data)


class FilledPlan(NamedTuple):
    """Rows that an expert has checked, and the plan that selected them."""

    table: Any
    """DataFrame with columns row and verdict."""
    plan: CheckPlan


def opened(checks, plan):
    """A table of checks and how its rows were chosen, from either or from a filled plan."""
    return checks if isinstance(checks, FilledPlan) else (checks, plan)


def _check_same(content, data):
    """Raise ValueError if labels or scores do not have the hashes that a plan notes."""
    noted = content["sha256"]
    if len(data) != len(noted):
        models = "two models: give the scores of both (pumetrics compare-models)"
        if len(noted) == 2:
            models = "one model: give its scores alone (pumetrics evaluate)"
        raise ValueError(f"the plan is about {models}")
    hashes = [_hash(each) for each in data]
    if hashes[1:] != noted[1:]:
        raise ValueError(
            "scores have changed since the plan (by SHA-256): use the original scores in their order, "
            "or make a new plan"
        )
    if hashes != noted:
        raise ValueError(
            "labels have changed since the plan (by SHA-256): use the original labels, or make a new plan"
        )


def _hash(array):
    """SHA-256 of an array's values."""
    values = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    return hashlib.sha256(values.tobytes()).hexdigest()


def _signature(content):
    """SHA-256 of a plan's content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()
