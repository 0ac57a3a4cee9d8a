"""Plans of rows to check: the strata of the ranking, the number of rows of each, and a random order of checking."""

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.checks._region import Region, extreme, slacks_of, widened
from pumetrics.checks._strata import Pair, Strata, ask
from pumetrics.checks._verdicts import check_rows, read_verdicts
from pumetrics.counts import place_samples
from pumetrics.metrics import AREAS, metric_at
from pumetrics.priors.upper_bound import largest_alpha
from pumetrics.validation import check_count, check_random_state, check_threshold

__all__ = ["CheckPlan", "plan_checks", "plan_comparison"]

_LEAST = 4  # rows of every stratum
_QUANTILES = (0.35, 0.8, 0.96)  # of the labeled positives' ranks, where strata are cut
_QUANTILES_OF_AREAS = (0.5, 0.8, 0.95)
_BUDGETS = (50, 100, 200, 400)
_COMMON = 100  # rows, where no number is given
_GUESSED_BETA = 0.9
_WIDEST_AT_HALF = ("alpha", "precision", "accuracy", "difference")
_WIDER, _WIDER_AREA = (
    1.2,
    1.4,
)  # than guessed: four of five of 24 simulated files of each metric were narrower


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
            verdict counts both ways, as unsure does.

        Returns
        -------
        FilledPlan
            For :func:`checked_interval`, which needs no `plan` then.

        Raises
        ------
        ValueError
            If the number of verdicts differs from the number of rows, or on any other verdict.
        """
        from pandas import DataFrame

        verdicts = list(verdicts)
        if len(verdicts) != len(self.rows):
            raise ValueError(
                f"verdicts must be as many as the {len(self.rows)} rows of the plan, got {len(verdicts)}"
            )
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
        if len(self.rows) and budget == len(self.rows):
            return self
        parts = np.asarray(self.weights) >= 0
        least, most = (
            int(sizes[parts].sum())
            for sizes in (np.minimum(self.strata.sizes, _LEAST), self.strata.sizes)
        )
        if budget is None:
            budget = max(len(self.rows), min(_COMMON, most))
        if not len(self.rows) and check_count(budget, "budget") < least:
            raise ArgumentError(
                "budget",
                f"must be at least {least}, {_LEAST} rows of each of {parts.sum()} strata, got {budget}",
            )
        budget = check_count(budget, "budget", least=max(len(self.rows), 1), most=most)
        old, rng = self.strata.count(self.rows), np.random.default_rng([self.seed, len(self.rows)])
        wanted = _allot(budget, np.asarray(self.weights), self.strata.sizes, old)
        free = np.ones(len(self.strata.of), dtype=bool)
        free[self.rows] = False
        drawn = [
            rng.choice(np.flatnonzero(free & (self.strata.of == h)), more, replace=False)
            for h, more in enumerate(wanted - old)
            if more
        ]
        rows = np.append(self.rows, rng.permutation(np.concatenate(drawn)) if drawn else []).astype(
            np.int64
        )
        return replace(self, rows=rows, budgets=(*self.budgets, budget))

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
        strata, weights = self.strata, np.asarray(self.weights)
        if not strata.labeled.any() and strata.question.measure not in _WIDEST_AT_HALF:
            return {}
        at, widths = strata.measure(strata.known), {}
        area = self.metric == "average_precision" or (self.noisy and self.metric in AREAS)
        wider = _WIDER_AREA if area else _WIDER
        least = strata.question.least
        most = int(strata.sizes[weights >= 0].sum())
        for budget in [each for each in _BUDGETS if each < most] or [most]:
            drawn = _allot(budget, weights, strata.sizes, np.zeros_like(strata.sizes))
            drawn = np.where(weights < 0, strata.sizes, drawn)
            found = np.round(drawn * self.guess).astype(np.int64)
            region = Region(strata.sizes, drawn, found, *slacks_of(0.95, area=self.metric in AREAS))
            ends = [extreme(at, region, sign, apart=strata.question.has_parts) for sign in (-1, 1)]
            if strata.question.measure == "roc_auc":
                ends = widened(strata, at, region, ends)
            width = float(min(ends[1], 1.0) - max(ends[0], least))
            widths[budget] = min(width * wider, 1.0 - least)
        return widths

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
        metric, population, noisy = (content[name] for name in ("metric", "population", "noisy"))
        if second:
            strata = Pair(*data, metric, population)
        else:
            question = ask(
                metric, *data, threshold=content["threshold"], population=population, noisy=noisy
            )
            cuts = content["cuts"]
            strata = Strata(
                *data, question, cuts, noisy=noisy, labeled_cuts=cuts if metric in AREAS else ()
            )
        kept = {name: content[name] for name in ("metric", "threshold", "seed", "noisy")}
        lists = {name: tuple(content[name]) for name in ("cuts", "weights", "budgets")}
        rows, guess = np.array(content["rows"], dtype=np.int64), np.array(content["guess"])
        return cls(rows=rows, **kept, **lists, guess=guess, strata=strata)

    def check_data(self, *data):
        """Raise ValueError if labels or scores are not those of the plan."""
        if len(data) != len(self.strata.data) or not all(
            map(np.array_equal, self.strata.data, data)
        ):
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
    if len(data) != len(content["sha256"]):
        two = "two models: give the scores of both (pumetrics compare-models)"
        one = "one model: give its scores alone (pumetrics evaluate)"
        raise ValueError(f"the plan is about {two if len(content['sha256']) > 2 else one}")
    for i in (*range(1, len(data)), 0):
        found, noted = _hash(data[i]), content["sha256"][i]
        if found != noted:
            raise ValueError(
                f"{'scores' if i else 'labels'} have changed since the plan: SHA-256 is {found[:12]}, was "
                f"{noted[:12]}: use the original {'scores in their order' if i else 'labels'}, or make a new plan"
            )


def _hash(array):
    """SHA-256 of an array's values."""
    return hashlib.sha256(
        np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
    ).hexdigest()


def _signature(content):
    """SHA-256 of a plan's content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def plan_checks(
    s,
    y_score,
    *,
    budget,
    metric,
    threshold=None,
    random_state=None,
    noisy=False,
    guaranteed=False,
    population="all",
):
    """Select rows for an expert to check, so that a metric can be estimated without assumptions about the labels.

    Unlabeled rows are divided into strata at the threshold and at quantiles of the labeled positives' scores. More rows
    are selected from strata that are large, mixed and important for the metric. How mixed a stratum is has to be
    guessed from the labels; a wrong guess makes intervals wider but not invalid.

    Parameters
    ----------
    s : array-like of shape (n,) or None
        Observed label: 1 labeled positive, 0 unlabeled; None if no row is labeled.
    y_score : array-like of shape (n,)
        Scores, higher means more positive.
    budget : int or None
        Number of rows to check, at least four for each stratum. None: 100, or all if there are fewer.
    metric : str
        "alpha" (the share of positives among the unlabeled), "precision", "recall", "f1", "accuracy",
        "balanced_accuracy", "specificity", "mcc", "roc_auc", "average_precision", "precision_at_100", "recall_at_1%"
        and the like; "beta" if `noisy`.
    threshold : float, optional
        Predict positive for scores >= threshold; all metrics but alpha, beta, areas and those of a top need it.
    random_state : int, Generator or None
        Seed of the selection.
    noisy : bool, default=False
        Whether labels can be wrong: some labeled rows are then also checked.
    guaranteed : bool, default=False
        Divide at the threshold only, for the guaranteed interval, which every further stratum makes wider.
    population : {"all", "unlabeled"}, default="all"
        Population of the metric.

    Returns
    -------
    CheckPlan

    Raises
    ------
    ValueError
        On invalid labels, scores or options, or a budget below four rows per stratum or above the number of rows.

    References
    ----------
    Neyman (1934), Section V: rows of a stratum in proportion to its size and standard deviation, here also to the
    derivative of the metric.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> s, y_score = y & (rng.random(2000) < 0.3), y + rng.normal(size=2000)
    >>> plan = plan_checks(s, y_score, budget=100, metric="f1", threshold=1.0, random_state=0)
    >>> len(plan.rows), bool((plan.extend(150).rows[:100] == plan.rows).all())
    (100, True)
    """
    labels, scores = check_rows(s, y_score)
    threshold = check_threshold(threshold, y_score)
    question = ask(metric, labels, scores, threshold=threshold, population=population, noisy=noisy)
    quantiles = _QUANTILES_OF_AREAS if metric in AREAS else _QUANTILES
    known = (
        scores[labels == 1] if labels.any() else scores
    )  # without labels, strata divide all rows
    cuts = np.quantile(known, 1 - np.array(quantiles), method="inverted_cdf")
    if guaranteed and question.cuts:
        cuts = ()
    labeled_cuts = cuts if metric in AREAS else ()  # wrong labels score low
    strata = Strata(labels, scores, question, cuts, noisy=noisy, labeled_cuts=labeled_cuts)
    guess = _guess(labels, scores, strata, noisy)
    influence = np.abs(strata.measure(strata.known)(strata.sizes * guess)[1])
    share = np.minimum(guess, 0.5)  # any smaller one may be true
    weights = influence * np.sqrt(share * (1 - share)) * strata.sizes
    weights /= max(weights.sum(), 1e-300)
    if not noisy:
        weights[strata.labeled] = -1.0  # known in full
    options = {"threshold": threshold, "noisy": bool(noisy)}
    options["cuts"] = tuple(np.unique(np.append(cuts, question.cuts)).tolist())
    seed = int(
        check_random_state(random_state).integers(2**32)
    )  # noted, so that rows can be drawn again
    return CheckPlan(metric, seed, tuple(weights.tolist()), guess, strata, **options).extend(budget)


def plan_comparison(s, first, second, *, k, budget, random_state=None, population="all"):
    """Select rows to check to find out which of two lists of k rows contains more positives.

    Rows on both lists or on neither do not affect the difference, so none of them is selected.

    Parameters
    ----------
    s : array-like of shape (n,)
        Observed label: 1 labeled positive, 0 unlabeled.
    first, second : array-like of shape (n,)
        Scores of two models for the same rows, higher means more positive.
    k : int, float or str
        Length of the lists: a number such as 100, or a share such as 0.01 or "1%", rounded to a whole number.
    budget : int or None
        Number of rows to check: at least four of each model that the other model does not list. None: 100, or all.
    random_state : int, Generator or None
        Of the draw.
    population : {"all", "unlabeled"}, default="all"
        Whether labeled rows can be on the lists.

    Returns
    -------
    CheckPlan
        Its ``filled`` table is what :func:`checked_difference` reads.

    Raises
    ------
    ValueError
        On invalid labels, scores or options, if a list ends within tied scores, if both lists are equal, or if `budget`
        is too small or too large.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> s, first, second = y & (rng.random(2000) < 0.3), y + rng.normal(size=2000), rng.normal(size=2000)
    >>> from pumetrics.checks import checked_difference
    >>> plan = plan_comparison(s, first, second, k=200, budget=60, random_state=0)
    >>> difference = checked_difference(s, first, second, plan.filled(y[plan.rows]), plan=plan)
    >>> bool(difference.lower > 0)
    True
    """
    labels, one, other = check_rows(s, first, second)
    metric = metric_at("precision_at_k", k)
    strata = Pair(labels, one, other, metric, population)
    weights = np.where((strata.flagged != 0) & ~strata.labeled, strata.sizes / len(labels), -1.0)
    if (weights < 0).all():
        raise ValueError(
            f"first and second list the same unlabeled rows at k={k}: no check can distinguish them"
        )
    guess = np.full(len(weights), 0.5)
    seed = int(check_random_state(random_state).integers(2**32))
    return CheckPlan(metric, seed, tuple(weights.tolist()), guess, strata).extend(budget)


def _guess(s, scores, strata, noisy):
    """Shares of positives: as many hidden as random labels allow, spread like the labeled ones; half without labels."""
    if not s.any():
        return np.full(len(strata.sizes), 0.5)
    counts, hidden = place_samples(scores[s == 1], scores[s == 0]).counts(), ~strata.labeled
    alpha = largest_alpha(counts, confidence=0.5)
    bottoms = [scores[strata.of == h].min() for h in np.flatnonzero(hidden)]
    place = len(bottoms) - np.searchsorted(bottoms[::-1], scores[s == 1], side="right")
    labeled = np.bincount(np.minimum(place, len(bottoms) - 1), minlength=len(bottoms)) + 0.5
    sizes = strata.sizes[hidden]
    guess = np.full(len(hidden), _GUESSED_BETA if noisy else 1.0)
    guess[hidden] = np.clip(alpha * sizes.sum() * labeled / labeled.sum() / sizes, alpha / 3, 0.9)
    return guess


def _allot(budget, weights, sizes, already):
    """Rows of each stratum: at least four, then by weight, always to the stratum that most lacks its share.

    The next row goes where weight / (rows + 1) is largest (D'Hondt), so a larger budget takes no row from any stratum.
    """
    rows, parts = already.copy(), weights >= 0
    least = np.where(parts, np.minimum(sizes, _LEAST), 0)
    rows = np.maximum(rows, least)
    for _ in range(budget - int(rows.sum())):
        open_ = parts & (rows < sizes)
        if not open_.any():
            break
        rows[np.argmax(np.where(open_, (weights + 1e-9) / (rows + 1), -1.0))] += 1
    return rows
