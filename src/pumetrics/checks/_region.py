"""Numbers of positives in strata that checked rows and labels leave possible, and extremes of a metric over them."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, xlogy

__all__ = ["Region", "Sides", "exact_ends", "extreme", "interval_of_odds", "possible_totals", "slack_of", "widened"]

_LARGER = 4.6 / 3.8414588206941236  # than the quantile of chi-squared: holds better from 100 checks on, 10% wider
_FEW = 8  # strata, up to which an area may have extremes apart that matter: of more, each moves it little
_POINTS, _ZOOMS = 240, 4
_TABLE = np.linspace(-40, 40, 20001)  # log odds


def slack_of(confidence):
    """How far the log likelihood may lie below its maximum."""
    return float(_LARGER * gammaincinv(0.5, confidence))  # half the quantile of chi-squared


class Region:
    """Positives K_h of strata of N_h rows, of which n_h were drawn and x_h found positive, by their likelihood.

    The log likelihood l_h(K) = ln C(K, x) + ln C(N - K, n - x) of each stratum is concave. The region holds the K whose
    sum of l_h is at least its maximum less a slack, with l_h linear between whole numbers.

    Parameters
    ----------
    sizes, drawn, found : ndarray of shape (n_strata,)
        N, n and x.
    """

    def __init__(self, sizes, drawn, found):
        self.sizes, self.drawn, self.found = sizes, drawn, found
        self.falls = [_falls(*each) for each in zip(sizes, drawn, found, strict=True)]
        self.costs = [_costs_of(falls) for falls in self.falls]

    @classmethod
    def box(cls, low, high):
        """Region of all K from `low` to `high`."""
        region = cls(high - low, np.zeros_like(low), np.zeros_like(low))
        region.found = low
        return region

    @property
    def point(self):
        """The sample's share of positives in each stratum, times its size; half of it where no row was drawn."""
        share = np.where(self.drawn > 0, self.found / np.maximum(self.drawn, 1), 0.5)
        return self.found + (self.sizes - self.drawn) * share

    def farthest(self, weights, slack):
        """The K of the region with the largest `weights` K.

        By a Lagrange multiplier t: K_h takes every step by which l_h + t w_h K does not fall. Where t jumps over the
        slack, part of the last step is taken; so the result exceeds that of whole numbers by less than one row.
        """
        scale = np.abs(weights).max()
        if scale == 0:
            return self._tilted(weights)
        weights = weights / scale
        smallest = np.abs(weights[weights != 0]).min()
        steepest = max((max(-falls[0], falls[-1]) for falls in self.falls if falls.size), default=0.0)
        low, high = np.log(1e-12), np.log(2 * steepest / smallest + 1.0)
        inner, outer = self._tilted(np.exp(low) * weights), self._tilted(np.exp(high) * weights)
        spent, over = self._cost(inner), self._cost(outer)
        if over <= slack:
            return outer
        while high - low > 1e-7 and np.abs(outer - inner).sum() > 1:
            middle = (low + high) / 2
            between = self._tilted(np.exp(middle) * weights)
            cost = self._cost(between)
            if cost <= slack:
                low, inner, spent = middle, between, cost
            else:
                high, outer, over = middle, between, cost
        return inner + (outer - inner) * max((slack - spent) / (over - spent), 0.0)

    def _tilted(self, tilts):
        """K that maximizes the sum of l_h(K) + tilt K: the most where several do."""
        taken = [
            falls.searchsorted(tilt, side="right" if tilt >= 0 else "left")
            for falls, tilt in zip(self.falls, tilts, strict=True)
        ]
        return self.found + np.array(taken)

    def _cost(self, k):
        """How far the log likelihood of whole numbers K lies below its maximum."""
        return sum(cost[int(i)] for cost, i in zip(self.costs, k - self.found, strict=True))


def _falls(size, drawn, found):
    """l(K - 1) - l(K) for every possible K but the smallest; rising."""
    if drawn == 0:
        return np.zeros(size)
    k = np.arange(found + 1, size - (drawn - found) + 1, dtype=np.float64)
    return np.log((k - found) / k) + np.log((size - k + 1) / (size - k + 1 - (drawn - found)))


def _costs_of(falls):
    """How far a concave log likelihood lies below its maximum, from how it falls from step to step."""
    costs = np.append(0.0, np.cumsum(falls))
    return costs - costs.min()


def exact_ends(size, drawn, found, confidence):
    """Exact interval for the positives of a stratum: ends at which `found` is at the edge of what is probable.

    Parameters
    ----------
    size, drawn, found : int
        Rows, rows drawn and positives among these.
    confidence : float
        Coverage in (0, 1), in equal tails.

    Returns
    -------
    low, high : int
    """
    from scipy.stats import hypergeom

    tail, least, most = (1 - confidence) / 2, found, size - (drawn - found)

    def first(holds):
        low, high = least, most
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle + 1, high)
        return low

    low = first(lambda k: hypergeom.sf(found - 1, size, k, drawn) > tail)
    beyond = first(lambda k: hypergeom.cdf(found, size, k, drawn) <= tail)
    return low, beyond if hypergeom.cdf(found, size, beyond, drawn) > tail else beyond - 1


def extreme(at, region, slack, sign, *, apart=False):
    """Largest (`sign` 1) or smallest (-1) value of a metric over a region.

    From each start, the metric is replaced by its tangent, whose extreme over the region is exact; a step is taken that
    far, or half as far and so on until the metric gains. For a ratio of linear functions this is the method of
    Dinkelbach (1967), and the result is exact. A metric may have extremes `apart` from each other: then some starts
    have as many positives as possible in the strata where these move it that way most, and as few in all others.
    """
    best, ones, slope = -np.inf, np.ones(len(region.sizes)), sign * at(region.point)[1]
    ways, rank = [slope, ones, -ones], np.argsort(np.argsort(-slope))
    if apart and len(ones) <= _FEW:
        ways += [np.where(rank < first, 1.0, -1.0) for first in range(1, len(ones))]
    starts = {tuple(start): start for start in (region.farthest(way, slack) for way in ways)}
    for k in starts.values():
        value, gradient = at(k)
        for _ in range(100):
            goal = region.farthest(sign * gradient, slack)
            tries = [k + (goal - k) * 0.5**halvings for halvings in range(8)]
            values = [sign * at(each)[0] for each in tries]
            chosen = int(np.argmax(values))
            if values[chosen] <= sign * value + 1e-10:
                break
            k = tries[chosen]
            value, gradient = at(k)
        best = max(best, sign * value)
    return float(sign * best)


def widened(strata, at, region, ends, slack):
    """Ends of an area's interval, with the unknown ranks of positives in their strata as an independent error."""
    center, variance = at(region.point)[0], strata.variance_of_places(region.drawn, region.found, region.point)
    reach = np.sqrt(2 * slack * variance)
    return [center + sign * np.hypot(end - center, reach) for sign, end in zip((-1, 1), ends, strict=True)]


class Sides(NamedTuple):
    """Unlabeled and labeled positives above the threshold and below it."""

    start: tuple[int, int]
    """Fewest unlabeled positives A above and B below."""
    costs: tuple[np.ndarray, np.ndarray]
    """How far the likelihood of the checked rows falls with each more of them."""
    labeled: tuple[int, int]
    """Labeled positives above and below."""

    @classmethod
    def of(cls, region, strata):
        """Totals of the strata above and of those below, each spread over its strata as is most likely."""
        found, costs, labeled = [], [], []
        for flag in (1, 0):
            chosen = np.flatnonzero(~strata.labeled & (strata.flagged == flag))
            falls = np.concatenate([np.empty(0), *(region.falls[h] for h in chosen)])
            found.append(int(region.found[chosen].sum()))
            costs.append(_costs_of(np.sort(falls, kind="stable")))
            labeled.append(int(strata.sizes[strata.labeled & (strata.flagged == flag)].sum()))
        return cls(tuple(found), tuple(costs), tuple(labeled))

    def cost(self, a, b, label_odds):
        """How far the log likelihood of totals lies below the largest possible, shape of the two broadcast."""
        cost = self.costs[0][a] + self.costs[1][b]
        if label_odds == np.inf or not sum(self.labeled):
            return cost
        above, below = self.positives(a, b)
        up, down = self.labeled
        share = up / (up + down)
        least, most = (above / np.maximum(above + odds * below, 1e-300) for odds in (label_odds, 1 / label_odds))
        q = np.clip(share, least, most)
        with np.errstate(divide="ignore"):
            return cost + xlogy(up, share) + xlogy(down, 1 - share) - xlogy(up, q) - xlogy(down, 1 - q)

    def positives(self, a, b):
        """All positives above and below the threshold."""
        return self.start[0] + a + self.labeled[0], self.start[1] + b + self.labeled[1]


def possible_totals(sides, label_odds, slack):
    """Numbers A and B of unlabeled positives above and below the threshold that checks and labels leave possible.

    Labels take part by ln Bin(L_above; L, q) with q = w P_above / (w P_above + P_below), for the best w in
    [1 / label_odds, label_odds]. That sum is not concave in both, so a grid is searched: first all of it, coarsely,
    then what was possible, four times in all. Up to 240 values of each are searched in full.

    Parameters
    ----------
    sides : Sides
    label_odds : float
        At least 1.
    slack : float
        How far the log likelihood may lie below its maximum.

    Returns
    -------
    a, b : ndarray of shape (n_possible,)
        Totals A and B.
    costs : ndarray of shape (n_possible,)
        How far the log likelihood of each lies below its maximum.
    """
    values = [_coarse(costs) for costs in sides.costs]
    for zoom in range(_ZOOMS):
        costs = sides.cost(values[0][:, None], values[1][None, :], label_odds)
        costs -= costs.min()
        possible = costs <= slack
        if zoom == _ZOOMS - 1:
            break
        values = [_within(each, possible.any(axis=1 - axis)) for axis, each in enumerate(values)]
    a, b = np.nonzero(possible)
    return sides.start[0] + values[0][a], sides.start[1] + values[1][b], costs[possible]


def _coarse(costs):
    """Totals spread evenly, and ever closer towards the most likely one and towards 0."""
    last, best = len(costs) - 1, int(np.argmin(costs))
    near = np.append(0, np.geomspace(1, max(last, 1), _POINTS // 2))
    spread = [np.linspace(0, last, _POINTS), near, best + near, best - near]
    return np.unique(np.clip(np.round(np.concatenate(spread)), 0, last).astype(np.int64))


def _within(values, possible):
    """Totals spread evenly over what is possible, and one value beyond at either end."""
    held = np.flatnonzero(possible)
    low, high = values[max(held[0] - 1, 0)], values[min(held[-1] + 1, len(values) - 1)]
    return np.unique(np.round(np.linspace(low, high, _POINTS)).astype(np.int64))


def interval_of_odds(sides, slack):
    """Odds of a positive of being labeled above the threshold against below it: lower and upper end.

    The profile likelihood of w: what the totals leave of the slack, the binomial of the labels may use.
    """
    a, b, costs = possible_totals(sides, np.inf, slack)
    up, down = sides.labeled
    share = up / (up + down)
    above = np.logaddexp(0, -_TABLE)  # -ln q
    deviance = xlogy(up, share) + xlogy(down, 1 - share) + up * above + down * (above + _TABLE)
    best = int(np.argmin(deviance))
    deviance -= deviance[best]
    left = slack - costs
    low = np.interp(-left, -deviance[: best + 1], _TABLE[: best + 1]) if best else np.full(len(left), -np.inf)
    last = len(_TABLE) - 1
    high = np.interp(left, deviance[best:], _TABLE[best:]) if best < last else np.full(len(left), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(b + float(down)) - np.log(a + float(up))
        low, high = low + ratio, high + ratio
    # Not a number where a side has neither labels nor positives: then any odds are possible.
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return float(np.exp(low.min())), float(np.exp(high.max()))
