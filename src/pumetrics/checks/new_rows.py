"""Intervals of a metric for new rows of the same kind, of which the checked rows are a random sample.

Of new rows a share t is flagged; of the flagged ones a share p is positive, of the others q. Each share is that of a
binomial sample: t of all unlabeled rows of the file, p and q of the checked ones. If the file has labeled rows, their
share c is taken as fixed, and a share g of them is flagged. The region of shares is that of
:class:`pumetrics.checks.region.Region`, with binomial likelihoods in the place of hypergeometric ones.
"""

from itertools import product

import numpy as np

from pumetrics.checks.region import Region, extreme

__all__ = ["MEASURES", "NewRows", "Shares", "area_of_new_rows", "share_by_score"]

MEASURES = (
    "alpha",
    "precision",
    "recall",
    "f1",
    "accuracy",
    "balanced_accuracy",
    "specificity",
    "mcc",
)
"""What is answered for new rows. Tops of the ranking, average precision and, where rows are labeled, the area under the
ROC curve are those of the rows of the file."""

_STEPS = 2000  # of a share between the ends of its grid
_WIDE = 12  # standard deviations of a share within its grid
_NEAR = 1e-12  # to 0 and 1, where a likelihood has no logarithm
_STEP = 1e-7  # of a derivative
_PLACES = 5  # of each share within its exact interval
_LEAST = 1e-15  # of what is divided by
_AREAS = 10_001  # that are tried
_SURE = 10**12  # rows of a share that is known
_STRATA = 5  # by score: with more a share is hardly narrower
_FEWEST = 10  # rows drawn of a stratum, and rows found of either class, for a share by strata


def area_of_new_rows(y, scores, confidence):
    """Area under the ROC curve of a random sample, with an interval for new rows: 0 to 1 if a class was not found.

    Newcombe (2006), "Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Part 2",
    Statistics in Medicine 25, method 5: the areas from which the one found is less than a quantile of the normal
    distribution away, by the standard deviation that Hanley & McNeil (1982) give for each of them. Theirs is that of
    one kind of positive; where DeLong et al. (1988) find a larger variance in the sample, as where a model misses some
    kind of positive, all of them are larger by the same factor.
    """
    from scipy.special import ndtri

    n_positive = np.count_nonzero(y == 1)
    n_negative = len(y) - n_positive
    if not n_positive or not n_negative:
        return float("nan"), [0.0, 1.0]
    above = _shares_below(scores[y == 1], scores[y == 0])
    below = _shares_below(scores[y == 0], scores[y == 1])
    area = above.mean()
    possible = np.linspace(0, 1, _AREAS)
    variance = _variance_of_areas(possible, n_positive, n_negative)
    usual = _variance_of_areas(area, n_positive, n_negative)
    if usual > 0 and min(n_positive, n_negative) > 1:
        found = above.var(ddof=1) / n_positive
        found += below.var(ddof=1) / n_negative
        variance = variance * max(found / usual, 1.0)

    quantile = ndtri((1 + confidence) / 2)
    is_near = (area - possible) ** 2 <= quantile**2 * variance
    inside = np.append(possible[is_near], area)
    return float(area), [float(inside.min()), float(inside.max())]


def _shares_below(scores, others):
    """Share of the other scores below each score, half of equal ones."""
    others = np.sort(others)
    less = np.searchsorted(others, scores, "left")
    not_more = np.searchsorted(others, scores, "right")
    below = (less + not_more) / 2
    return below / len(others)


def _variance_of_areas(area, n_positive, n_negative):
    """Variance of an area that is found, given the true one (Hanley & McNeil 1982, with the mean of both sizes)."""
    mean_size = (n_positive + n_negative) / 2
    more = mean_size - 1
    two_positives = (1 - area) / (2 - area)
    two_negatives = area / (1 + area)
    spread = 1 + more * (two_positives + two_negatives)
    return area * (1 - area) * spread / (n_positive * n_negative)


class Shares(Region):
    """Shares of binomial samples, each in small steps of a grid around what was found.

    Parameters
    ----------
    drawn, found : ndarray of shape (n_shares,)
        Rows of each sample, and those among them that count; a share without rows may be anything.
    slack, edge : float
        See :func:`pumetrics.checks.region.slacks_of`.
    """

    def __init__(self, drawn, found, slack, edge):
        share = found / np.maximum(drawn, 1)
        reach = np.full(len(share), 1.0)
        some = drawn > 0
        spread = np.sqrt((share * (1 - share))[some] / drawn[some])
        reach[some] = _WIDE * spread + _WIDE**2 / drawn[some]
        self.low = np.maximum(share - reach, 0.0)
        self.step = (np.minimum(share + reach, 1.0) - self.low) / _STEPS
        self.middle = np.where(some, share, 0.5)
        falls = [self._falls_of(h, drawn[h], found[h]) for h in range(len(share))]
        start = np.zeros(len(share), dtype=np.int64)
        super().__init__(start + _STEPS, start, start, slack, falls=falls)
        self.edges = edge / (1 + np.minimum(found, drawn - found))

    def _falls_of(self, h, drawn, found):
        """By how much the log likelihood falls from step to step."""
        grid = self.low[h] + self.step[h] * np.arange(_STEPS + 1)
        grid = np.clip(grid, _NEAR, 1 - _NEAR)
        return -np.diff(found * np.log(grid) + (drawn - found) * np.log1p(-grid))

    @property
    def point(self):
        """The shares that were found, in steps of their grids."""
        return (self.middle - self.low) / self.step

    def shares_at(self, k):
        """The shares at steps of their grids."""
        return np.clip(self.low + self.step * k, 0.0, 1.0)


def share_by_score(y, drawn, scores, slack, edge):
    """Share of positives in new rows by a random sample that is stratified by score after the draw (post-stratified).

    The likelihood is that of the share of positives in each stratum, and of the shares of the strata in all unlabeled
    rows of the file, whose scores are known. Holt & Smith (1979), "Post stratification", JRSS A 142.

    Parameters
    ----------
    y : ndarray of shape (n_drawn,)
        1 positive, 0 negative.
    drawn : ndarray of shape (n_drawn,)
        Scores of the rows drawn.
    scores : ndarray of shape (n_unlabeled,)
    slack, edge : float
        See :func:`pumetrics.checks.region.slacks_of`.

    Returns
    -------
    tuple of float or None
        Estimate, lower and upper end; None if fewer than ten rows of a class were found, or scores make no strata.
    """
    strata = min(_STRATA, len(y) // _FEWEST)
    if strata < 2 or min(np.count_nonzero(y), np.count_nonzero(y == 0)) < _FEWEST:
        return None
    places = np.arange(1, strata) / strata
    cuts = np.unique(np.quantile(drawn, places, method="higher"))
    cuts = cuts[cuts > drawn.min()]
    if not cuts.size:
        return None

    stratum = np.searchsorted(cuts, drawn, side="right")
    sizes = np.bincount(np.searchsorted(cuts, scores, side="right"), minlength=len(cuts) + 1)
    not_below = len(scores) - np.append(0, np.cumsum(sizes[:-1]))
    region = Shares(
        np.append(not_below[:-1], np.bincount(stratum)),
        np.append(sizes[:-1], np.bincount(stratum, weights=y)),
        slack,
        edge,
    )

    def at(k):
        share, slopes = _over_strata(region.shares_at(k))
        return share, slopes * region.step

    estimate, _ = at(region.point)
    return float(estimate), extreme(at, region, -1), extreme(at, region, 1)


def _over_strata(shares):
    """Share of positives over strata, and its derivatives.

    The first shares are those of each stratum but the last in the rows of no stratum before; the others are those of
    the positives in each stratum.
    """
    inside, positive = np.split(shares, [len(shares) // 2])
    left = np.append(1.0, np.cumprod(1 - inside))
    weights = left * np.append(inside, 1.0)
    after = positive[-1]
    slopes = np.empty(len(inside))
    for h in reversed(range(len(inside))):
        slopes[h] = left[h] * (positive[h] - after)
        after = inside[h] * positive[h] + (1 - inside[h]) * after
    return after, np.append(slopes, weights)


class NewRows:
    """What new rows are like, as far as checked rows tell.

    Parameters
    ----------
    measure : str
        One of :data:`MEASURES`.
    flagged : ndarray of shape (n,), bool, or None
        Whether rows are predicted positive; None if the measure does not depend on it.
    s : ndarray of shape (n,)
        1 labeled, 0 unlabeled.
    population : {"all", "unlabeled"}
    """

    def __init__(self, measure, flagged, s, population):
        self.measure = measure
        self.flagged = flagged
        self.unlabeled = s == 0
        self.c = 0.0
        if population == "all" and measure != "alpha":
            self.c = 1 - self.unlabeled.mean()

    def samples(self, rows, values):
        """Rows and those that count, of the four shares: of the flagged labeled and unlabeled, and of the positives."""
        if self.flagged is None:
            n_positive = np.count_nonzero(values == 1)
            return np.array([_SURE, _SURE, 0, len(rows)]), np.array([0, 0, 0, n_positive])
        labeled = self.flagged[~self.unlabeled]
        unlabeled = self.flagged[self.unlabeled]
        drawn = [len(labeled), len(unlabeled)]
        found = [np.count_nonzero(labeled), np.count_nonzero(unlabeled)]
        for is_flagged in (True, False):
            inside = self.flagged[rows] == is_flagged
            drawn.append(np.count_nonzero(inside))
            found.append(np.count_nonzero(values[inside] == 1))
        return np.array(drawn), np.array(found)

    def estimate(self, drawn, found):
        """The measure at the shares found; NaN if it depends on one without rows, or has no value."""
        shares = np.where(drawn > 0, found / np.maximum(drawn, 1), 0.5)
        is_unknown = (drawn == 0) & (self._slopes(shares) != 0)
        if is_unknown.any():
            return float("nan")
        return float(self._value(shares))

    def ends(self, drawn, found, slack, edge):
        """Smallest and largest value over the shares that are possible."""
        if self._has_no_value(found, drawn):
            return [-1.0 if self.measure == "mcc" else 0.0, 1.0]
        region = Shares(drawn, found, slack, edge)
        at = self._at(region)
        apart = self.measure in ("balanced_accuracy", "mcc")
        return [extreme(at, region, sign, apart=apart) for sign in (-1, 1)]

    def guaranteed_ends(self, drawn, found, confidence):
        """The same over exact intervals of all shares that matter, together."""
        from scipy.stats import beta

        if self._has_no_value(found, drawn):
            return [-1.0 if self.measure == "mcc" else 0.0, 1.0]
        middle = (found + 0.5) / (drawn + 1)
        matters = self._slopes(middle) != 0
        tail = (1 - confidence ** (1 / max(matters.sum(), 1))) / 2
        low = np.nan_to_num(beta.ppf(tail, found, drawn - found + 1), nan=0.0)
        high = np.nan_to_num(beta.ppf(1 - tail, found + 1, drawn - found), nan=1.0)
        low = np.where(matters, low, middle)
        width = np.where(matters, high, middle) - low
        # measures are extreme at corners, but for some that turn slowly between them
        places = np.array([*product(np.linspace(0, 1, _PLACES), repeat=len(low))])
        values = self._value((low + width * places).T)
        return [float(values.min()), float(values.max())]

    def _has_no_value(self, found, drawn):
        """Whether a class that the measure is about was not found."""
        positive = found[2] + found[3] + (self.c > 0)
        negative = (drawn - found)[2:].sum()
        flagged = found[1] + (found[0] if self.c else 0)
        of_all = drawn[1] + (drawn[0] if self.c else 0)
        lacks = {
            "recall": not positive,
            "f1": not positive and not flagged,
            "specificity": not negative,
            "balanced_accuracy": not (positive and negative),
            "mcc": not (positive and negative) or flagged in (0, of_all),
        }
        return bool(lacks.get(self.measure, False))

    def _at(self, region):
        def at(k):
            shares = region.shares_at(k)
            return self._value(shares), self._slopes(shares) * region.step

        return at

    def _slopes(self, shares):
        """Derivatives of the measure."""
        steps = np.diag(np.full(len(shares), _STEP))
        below = np.maximum(shares - steps, 0.0)
        above = np.minimum(shares + steps, 1.0)
        rise = self._value(above.T) - self._value(below.T)
        return rise / np.diagonal(above - below)

    def _value(self, shares):
        """The measure, of one set of shares or of the columns of several."""
        g, t, p, q = shares
        u = 1 - self.c
        both = self.c * g + u * t * p
        positive = self.c + u * (t * p + (1 - t) * q)
        flagged = self.c * g + u * t
        if self.measure == "alpha":
            return positive
        if self.measure == "precision":
            return both / np.maximum(flagged, _LEAST)
        if self.measure == "recall":
            return both / np.maximum(positive, _LEAST)
        if self.measure == "f1":
            return 2 * both / np.maximum(positive + flagged, _LEAST)

        negative = 1 - positive
        rejected = negative - flagged + both
        if self.measure == "accuracy":
            return both + rejected
        if self.measure == "mcc":
            variance = positive * negative * flagged * (1 - flagged)
            return (both - positive * flagged) / np.maximum(
                np.sqrt(np.maximum(variance, 0)), _LEAST
            )
        specificity = rejected / np.maximum(negative, _LEAST)
        if self.measure == "specificity":
            return specificity
        return (both / np.maximum(positive, _LEAST) + specificity) / 2
