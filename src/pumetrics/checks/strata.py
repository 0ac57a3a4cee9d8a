"""The parts of a ranking that rows are drawn from, and metrics as functions of the positives in each."""

from copy import copy
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError
from pumetrics.checks.region import Region, extreme, slacks_of
from pumetrics.counts import rank_scores
from pumetrics.metrics import AREAS, find_metric, metric_at
from pumetrics.tops import check_population
from pumetrics.validation import check_scores

__all__ = ["Pair", "Question", "Strata", "ask"]

_SHARES = ("alpha", "beta")
_AT_THRESHOLD = ("precision", "recall", "f1", "accuracy", "balanced_accuracy", "specificity", "mcc")
_METRICS = (*_SHARES, *_AT_THRESHOLD, *AREAS)


class Question(NamedTuple):
    """A metric, and what it is about."""

    measure: str
    """"difference", or one of what checks can answer, see :func:`ask`."""
    flagged: np.ndarray | None
    """Share of each row that is predicted positive: 1 or 0, or between them where k divides tied scores."""
    cuts: tuple[float, ...]
    """Scores at which `flagged` changes."""
    population: str
    """"all" or "unlabeled"."""

    @property
    def threshold(self):
        """Lowest score that is predicted positive; None if the measure needs none."""
        return self.cuts[0] if self.cuts and self.measure in _AT_THRESHOLD else None

    @property
    def least(self):
        """Smallest value that the measure can have."""
        return -1.0 if self.measure in ("difference", "mcc") else 0.0

    @property
    def has_parts(self):
        """Whether the measure, as a function of the positives, can have extremes apart from each other."""
        return self.measure in (*AREAS, "balanced_accuracy", "mcc")


def ask(metric, s, scores, *, threshold=None, population="all", noisy=False):
    """Read the name of a metric; raise ValueError unless checks can answer it."""
    known = metric in (*_SHARES, "specificity")  # others are in the registry
    entry = None if known else find_metric(metric).numbered()
    measure = metric if known else entry.measure or metric
    if measure not in _METRICS or (not known and entry.kind == "maximum"):
        raise ValueError(
            f"checks support {', '.join(_METRICS)}, precision_at_100 or recall_at_1% (any number), got {metric!r}"
        )
    if metric == "beta" and not noisy:
        raise ArgumentError("noisy", "is required for beta, so that labeled rows are checked too")
    check_population(population)
    if not known and entry.kind == "top":
        if threshold is not None:
            raise ArgumentError(
                "threshold", f"must be omitted, got {threshold!r}: {metric} has its own"
            )
        return Question(measure, *_top(entry.top, s, scores, population), population)
    if threshold is None:
        if measure in _AT_THRESHOLD:
            raise ArgumentError(
                "threshold",
                f"is required for {metric}: give the score from which rows are positive",
            )
        return Question(measure, None, (), population)
    cut = float(check_scores([threshold], "threshold")[0])
    ranked = scores if population == "all" else scores[s == 0]
    if measure == "precision" and ranked.max() < cut:
        raise ValueError(
            f"precision needs a row that is predicted positive, but none scores >= threshold={cut:g}"
        )
    return Question(measure, (scores >= cut).astype(np.float64), (cut,), population)


def _top(top, s, scores, population):
    """Share of each row that belongs to the top of the ranking, and where that changes."""
    ranked = scores if population == "all" else scores[s == 0]
    k = top.size(len(ranked))  # of a share no whole number: the last row then belongs to it in part
    place = len(ranked) - int(np.ceil(k))
    last = float(np.partition(ranked, place)[place])
    n_above = np.count_nonzero(ranked > last)
    share = (k - n_above) / np.count_nonzero(ranked == last)
    flagged = np.where(scores == last, share, (scores > last).astype(np.float64))
    above = float(np.nextafter(last, np.inf))
    if np.isneginf(last):  # among the rows that the model did not list
        return flagged, () if share == 1 else (float(scores[scores > last].min()),)
    return flagged, (last,) if share == 1 else (last, above)


class Strata:
    """Parts of scored rows, unlabeled ones from the top down, then labeled ones; and a metric of their positives.

    Parameters
    ----------
    s, scores : ndarray of shape (n,)
        Checked labels and scores.
    question : Question
    cuts : array-like
        Scores at which strata of the unlabeled begin.
    noisy : bool
        Whether labeled rows can be negative.
    labeled_cuts : array-like
        The same of the labeled if `noisy`: those of the plan, whose strata are drawn from at rates of their own.

    Attributes
    ----------
    of : ndarray of shape (n,), int64
        Stratum of each row.
    sizes : ndarray of shape (n_strata,), int64
        Rows of each.
    labeled : ndarray of shape (n_strata,), bool
        Whether a stratum is one of labeled rows.
    flagged : ndarray of shape (n_strata,)
        Share of its rows that are predicted positive; 0 without a threshold.
    inside : ndarray of shape (n_strata,)
        1 if the metric is about its rows, else 0.
    labeled_cuts : ndarray
        All scores at which strata of the labeled begin.
    """

    def __init__(self, s, scores, question, cuts, *, noisy, labeled_cuts=()):
        self.data = (s, scores)
        self.scores = scores
        self.question = question
        self.noisy = noisy
        self.labeled_cuts = np.unique(np.append(labeled_cuts if noisy else (), question.cuts))
        inner = np.unique(np.append(cuts, question.cuts))
        first_labeled = len(inner) + 1
        place = np.where(
            s == 0,
            _from_the_top(inner, scores),
            first_labeled + _from_the_top(self.labeled_cuts, scores),
        )
        self._place(place, first_labeled)
        self.known = np.where((s == 1) & (not noisy), 1, -1)

    def _place(self, place, first_labeled):
        """Strata of the places that hold rows, in ascending order."""
        counts = np.bincount(place)
        held = np.flatnonzero(counts)
        self.of = (np.cumsum(counts > 0) - 1)[place]
        self.sizes = counts[held]
        self.labeled = held >= first_labeled
        self.flagged = np.zeros(len(held))
        if self.question.flagged is not None:
            self.flagged[self.of] = self.question.flagged
        self.inside = np.where(self.labeled & (self.question.population == "unlabeled"), 0.0, 1.0)

    def count(self, chosen):
        """Rows of each stratum among the chosen ones."""
        return np.bincount(self.of[chosen], minlength=len(self.sizes))

    def split(self, rows, least):
        """The same rows in strata of at least `least` checked rows: cut at their scores, whatever their verdicts."""
        place = np.zeros(len(self.scores), dtype=np.int64)
        parts = []  # the stratum of each part
        for h in range(len(self.inside)):
            checked = np.sort(self.scores[rows[self.of[rows] == h]])
            cuts = []
            below = 0
            starts = np.unique(checked, return_index=True)  # tied scores stay together
            for cut, so_far in zip(*starts, strict=True):
                if so_far - below >= least and len(checked) - so_far >= least:
                    cuts.append(cut)
                    below = so_far
            inside = self.of == h
            place[inside] = len(parts) + np.searchsorted(cuts, self.scores[inside], side="right")
            parts += [h] * (len(cuts) + 1)
        finer = copy(self)
        held, finer.of, finer.sizes = np.unique(place, return_inverse=True, return_counts=True)
        for name in ("labeled", "flagged", "inside"):
            setattr(finer, name, getattr(self, name)[np.array(parts)[held]])
        return finer

    def truth(self, rows, values):
        """Class of each row: 1, 0, or -1 if unknown."""
        truth = self.known.copy()
        truth[rows] = values
        return truth

    def measure(self, truth, side=None):
        """The metric as a function of the positives K of each stratum.

        Parameters
        ----------
        truth : ndarray of shape (n,)
            Class of each row, 1 or 0; -1 if unknown.
        side : ndarray of shape (n_strata,), optional
            Ranks of the unknown positives among the unknown rows of a stratum, for the area under the ROC curve: as
            those found, with one extra row anywhere (0), or all at the lower (-1) or upper end (1).

        Returns
        -------
        callable
            Of K, shape (n_strata,); returns the metric and its gradient.
        """
        if self.question.measure == "roc_auc":
            return self._area(truth, np.zeros(len(self.inside), int) if side is None else side)
        if self.question.measure == "average_precision":
            return self._average_precision(truth)
        if self.question.measure in _SHARES:
            chosen = (self.labeled == (self.question.measure == "beta")).astype(np.float64)
            return _ratio(chosen, 0.0, 0.0 * chosen, self.sizes @ chosen)
        return self._of_cells(self.question.measure)

    def _of_cells(self, measure):
        """A measure of the four cells: their margins are n rows, m of them predicted positive, and p positives."""
        p = self.inside
        tp = self.flagged * p
        n = float(self.sizes @ p)
        m = float(self.sizes @ tp)
        if measure == "balanced_accuracy":
            return _balanced_accuracy(tp, p, n, m)
        if measure == "mcc":
            return _mcc(tp, p, n, m)
        ratios = {
            "precision": (tp, 0.0, 0.0 * p, m),
            "recall": (tp, 0.0, p, 0.0),
            "f1": (2 * tp, 0.0, p, m),
            "accuracy": (2 * tp - p, n - m, 0.0 * p, n),
            "specificity": (tp - p, n - m, -p, n),
        }
        return _ratio(*ratios[measure])

    def region(self, drawn, found, confidence):
        """Positives of each stratum that are possible if so many rows were drawn, and so many found positive."""
        slacks = slacks_of(confidence, area=self.question.measure in AREAS)
        return Region(self.sizes, drawn, found, *slacks)

    def ends(self, region, at, sides=None):
        """Smallest and largest value of the metric over a region, of each end with its own metric if there are `sides`.

        Of the area under the ROC curve, the unknown ranks of positives in their strata are an independent error.
        """
        apart = self.question.has_parts
        low, high = sides or (at, at)
        ends = [extreme(low, region, -1, apart=apart), extreme(high, region, 1, apart=apart)]
        if self.question.measure != "roc_auc":
            return ends
        center = at(region.point)[0]
        variance = self.variance_of_places(region.drawn, region.found, region.point)
        reach = np.sqrt(2 * region.slack * variance)
        below, above = np.hypot(np.subtract(ends, center), reach)
        return [center - below, center + above]

    @cached_property
    def _ranks(self):
        """Midranks of the rows that the metric is about, 0 of others, and the number of the first."""
        rows, ends = self._ranked
        starts = np.append(0, ends[:-1] + 1)
        ranks = np.zeros(len(self.scores))
        ranks[rows] = np.repeat(len(rows) - (starts + ends) / 2, ends - starts + 1)
        return ranks, float(len(rows))

    @cached_property
    def _ranked(self):
        """The same rows from the highest score down, and the places where groups of tied scores end."""
        rows = np.flatnonzero(self.inside[self.of] > 0)
        ranked = rank_scores(self.scores[rows])
        return rows[ranked.order], ranked.ends

    def _area(self, truth, side):
        """Area under the ROC curve from the sum of the positives' ranks (Mann & Whitney 1947).

        In each stratum the unknown rows of the class that was found less often are placed by those found; those of the
        other class have the rest of the ranks. So exchanged classes and reversed scores give the same area.
        """
        ranks, n = self._ranks
        inside = self.inside
        place = np.zeros(len(inside))
        offset = ranks[truth == 1].sum()
        positives = self.count(truth == 1)
        negatives = self.count(truth == 0)
        for h in range(len(inside)):
            unknown = ranks[(self.of == h) & (truth < 0)]
            if not unknown.size:
                continue
            rarer = 1 if side[h] or negatives[h] >= positives[h] else 0
            found = ranks[(self.of == h) & (truth == rarer)]
            middle = (unknown.mean() + found.sum()) / (1 + found.size)
            place[h] = (middle, unknown.max(), unknown.min())[side[h]]
            if not rarer:
                offset += unknown.sum() - place[h] * unknown.size
        offset -= place @ positives

        def at(k):
            p = inside @ k
            pairs = max(p * (n - p), 1e-9)
            value = (offset + place @ k - p * (p + 1) / 2) / pairs
            by_p = p + 0.5 + value * (n - 2 * p)
            return value, (place - inside * by_p) / pairs

        return at

    def lacks_class(self, k):
        """Whether the metric is an area under the ROC curve, and all rows or none are positive."""
        n = self.inside @ self.sizes
        return self.question.measure == "roc_auc" and self.inside @ k in (0, n)

    def variance_of_places(self, drawn, found, k):
        """Variance of the area if the unknown rows of the rarer class rank differently than those found, at K."""
        ranks, n = self._ranks
        p = self.inside @ k
        total = 0.0
        for h in np.flatnonzero((self.inside > 0) & (drawn > 0) & (self.sizes > drawn)):
            unknown = self.sizes[h] - drawn[h]
            seen = found[h]
            more = k[h] - seen
            if drawn[h] - seen < seen:  # negatives are rarer
                seen = drawn[h] - seen
                more = unknown - more
            spread = ranks[self.of == h].var()
            excess = more / (1 + seen) + 1
            total += spread * more * excess * (1 - more / unknown)
        return total / max(p * (n - p), 1e-9) ** 2

    def _average_precision(self, truth):
        """Expected average precision if the unknown positives of a stratum are any of its unknown rows.

        A row that is positive with probability p adds p (1 - p + C) / r, with C the expected positives and r the rows
        down to the end of its group of tied scores. In the shares z of positives among the unknown rows of each
        stratum, and 1 for known positives, the sum is quadratic.
        """
        rows, ends = self._ranked
        inside = self.inside
        positive = len(inside)  # kind of the known positives; of others it is their stratum
        known = truth[rows]
        kind = np.select([known < 0, known == 1], [self.of[rows], positive], positive + 1)
        reached = [np.cumsum(kind == b)[ends] for b in range(positive + 1)]
        reached = np.array(reached, dtype=np.float64)
        added = np.diff(reached, prepend=0) / (ends + 1)
        pairs = added @ reached.T
        alone = added.sum(axis=1)
        alone[positive] = 0.0
        found = self.count(truth == 1)
        size = np.maximum(self.count(truth < 0), 1)

        def at(k):
            z = np.append((k - found) / size, 1.0)
            total = max(inside @ k, 1e-300)
            value = (z @ pairs @ z + alone @ (z - z**2)) / total
            by_z = pairs @ z + z @ pairs + alone * (1 - 2 * z)
            slope = by_z[:-1] / size
            return value, inside * (slope - value) / total

        return at


class Pair(Strata):
    """Rows by which of two lists of k they are on, and the difference in precision of the lists.

    Parameters
    ----------
    s, first, second : ndarray of shape (n,)
        Checked labels, and scores of two models.
    metric : str
        "precision_at_100" and the like: the length of the lists, of a share to the nearest whole number of rows.
    population : {"all", "unlabeled"}
    """

    def __init__(self, s, first, second, metric, population):
        length = find_metric(metric).top.size(np.count_nonzero(s <= (population == "all")))
        whole = metric_at("precision_at_k", max(round(length), 1))
        questions = [ask(whole, s, scores, population=population) for scores in (first, second)]
        for name, question in zip(("first", "second"), questions, strict=True):
            if len(question.cuts) > 1:
                raise ValueError(
                    f"{metric} ends among rows of {name} tied at {question.cuts[0]:g}: use another k, or break ties"
                )
        listed = questions[0].flagged - questions[1].flagged
        self.data = (s, first, second)
        self.scores = first
        self.noisy = False
        self.question = Question("difference", listed, (), population)
        self._place((3 * s + 1 - listed).astype(np.int64), 3)
        self.known = np.where(s == 1, 1, -1)
        self.length = float(questions[0].flagged[s <= (population == "all")].sum())

    def measure(self, _truth, _side=None):
        """The difference in precision as a function of the positives K of each stratum."""
        return _ratio(self.flagged * self.inside, 0.0, 0.0 * self.inside, self.length)


def _from_the_top(cuts, scores):
    """Number of ascending cuts above each score."""
    return len(cuts) - np.searchsorted(cuts, scores, side="right")


def _ratio(a, d, b, c):
    """(a K + d) / (b K + c), 0 where that is 0 / 0, and its gradient."""

    def at(k):
        total = max(b @ k + c, 1e-300)
        value = (a @ k + d) / total
        return value, (a - value * b) / total

    return at


def _balanced_accuracy(true, positive, n, m):
    """Mean of recall and specificity, with t true positives of p, and its gradient."""

    def at(k):
        t = true @ k
        p = max(positive @ k, 1e-9)
        q = max(n - positive @ k, 1e-9)
        by_t = 1 / p + 1 / q
        by_p = (t - m) / q**2 - t / p**2
        value = (t / p + 1 - (m - t) / q) / 2
        return value, (by_t * true + by_p * positive) / 2

    return at


def _mcc(true, positive, n, m):
    """Matthews correlation, with t true positives of p, 0 where that is 0 / 0, and its gradient."""

    def at(k):
        p = max(positive @ k, 1e-9)
        q = max(n - positive @ k, 1e-9)
        scale = np.sqrt(max(m * (n - m) * p * q, 1e-18))
        value = (n * (true @ k) - m * (positive @ k)) / scale
        by_p = m + value * scale * (q - p) / (2 * p * q)
        return value, (n * true - by_p * positive) / scale

    return at
