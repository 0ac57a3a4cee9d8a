"""Coverage of intervals from checked rows, enumerated over the hypergeometric distribution.

``python -m benchmarks.coverage_of_checks`` prints the table of docs/checked_sample.md.
"""

import sys
from itertools import product

import numpy as np
from scipy.stats import hypergeom

from pumetrics.checks import plan_checks
from pumetrics.checks.region import Region, extreme, slacks_of
from pumetrics.checks.strata import Strata, ask

__all__ = ["BUDGETS", "Design", "planned", "random_rows"]

BUDGETS = (50, 100, 200, 400)
_UNLIKELY = 1e-7  # samples that are left out, in a stratum
_FOUND = (
    0.5,
    1,
    1.5,
    2,
    2.3,
    2.36,
    2.5,
    2.8,
    3,
    3.2,
    3.4,
    3.6,
    3.8,
    4,
    4.5,
    5,
    6,
    7,
    8,
    10,
)  # expected, around the dips


class Design:
    """Strata of which some rows are checked, and a metric of their positives.

    Parameters
    ----------
    strata : Strata
    drawn : ndarray of shape (n_strata,)
        Checked rows of each.
    metric : str
    confidence : float
    """

    def __init__(self, strata, drawn, metric, confidence=0.95):
        strata.question = strata.question._replace(measure=metric)
        self.sizes = strata.sizes
        self.drawn = drawn
        self.hidden = ~strata.labeled
        self.flagged = strata.flagged
        self.at = strata.measure(strata.known)
        self.confidence = confidence
        self.known = {}

    def interval(self, found):
        """Ends for the positives found in each stratum."""
        if found not in self.known:
            region = Region(self.sizes, self.drawn, np.array(found), *slacks_of(self.confidence))
            self.known[found] = [extreme(self.at, region, sign) for sign in (-1, 1)]
        return self.known[found]

    def coverage(self, positives):
        """Probability that the interval contains the metric, for the positives of each stratum."""
        truth = self.at(positives)[0]
        samples = []
        held = 0.0
        for size, drawn, k in zip(self.sizes, self.drawn, positives, strict=True):
            found = np.arange(max(0, drawn - (size - k)), min(drawn, k) + 1)
            chances = hypergeom.pmf(found, size, k, drawn)
            samples.append(
                [each for each in zip(found.tolist(), chances, strict=True) if each[1] > _UNLIKELY]
            )
        for sample in product(*samples):
            lower, upper = self.interval(tuple(found for found, _ in sample))
            held += (lower - 1e-9 <= truth <= upper + 1e-9) * np.prod(
                [chance for _, chance in sample]
            )
        return float(held)

    def with_positives_in(self, stratum, others=0):
        """Positives of each stratum: some in one of them, such that few are found, and all or none of the others."""
        labeled = np.where(self.hidden, others * self.flagged * self.sizes, self.sizes).astype(
            np.int64
        )
        size = self.sizes[stratum]
        drawn = self.drawn[stratum]
        for k in sorted({round(found * size / drawn) for found in _FOUND}):
            if k <= size:
                # Where all others are positive, few are negative.
                inside = size - k if others * self.flagged[stratum] else k
                yield np.where(np.arange(len(labeled)) == stratum, inside, labeled)

    def least(self, strata=None, others=(0,)):
        """Least coverage with hidden positives in one stratum, of all those or of some."""
        partly = (
            np.flatnonzero(self.hidden & (self.drawn < self.sizes)) if strata is None else strata
        )
        return min(
            self.coverage(k)
            for h, other in product(partly, others)
            for k in self.with_positives_in(h, other)
        )


def _file():
    """Labels and scores of 200 labeled and 4,000 unlabeled rows, and a threshold that 5% exceed; alpha is 0.05."""
    y = np.arange(4200) < 400
    score = np.random.default_rng(0).normal(1.987 * y)
    return (np.arange(4200) < 200).astype(int), score, float(np.quantile(score, 0.95))


def random_rows(budget, confidence=0.95):
    """The share of positives from a random sample of 4,000 rows."""
    s, score, _ = _file()
    strata = Strata(s, score, ask("alpha", s, score), (), noisy=False)
    return Design(strata, np.where(strata.labeled, strata.sizes, budget), "alpha", confidence)


def planned(metric, budget, confidence=0.95):
    """A metric from the rows of a plan that was made for it."""
    s, score, threshold = _file()
    plan = plan_checks(s, score, budget=budget, metric=metric, threshold=threshold, random_state=0)
    drawn = np.where(plan.strata.labeled, plan.strata.sizes, plan.strata.count(plan.rows))
    return Design(plan.strata, drawn, metric, confidence)


def table():
    """Lines of the table: least coverage by metric and number of checked rows."""
    rows = {"alpha, random rows": [random_rows(budget).least() for budget in BUDGETS]}
    for metric in ("alpha", "precision", "recall"):
        others = (0, 1) if metric == "precision" else (0,)
        rows[f"{metric}, rows of a plan"] = [
            planned(metric, budget).least(others=others) for budget in BUDGETS
        ]
    yield f"| least coverage | {' | '.join(map(str, BUDGETS))} |"
    yield "|---" * (len(BUDGETS) + 1) + "|"
    for name, values in rows.items():
        yield f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in table())
