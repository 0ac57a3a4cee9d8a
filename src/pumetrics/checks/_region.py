"""Numbers of positives in strata that checked rows leave possible, and extremes of a metric over them."""

import numpy as np
from scipy.special import gammaincinv

__all__ = ["Region", "exact_ends", "extreme", "slack_of", "widened"]

_LARGER = 4.6 / 3.8414588206941236  # than the quantile of chi-squared: holds better from 100 checks on, 10% wider
_FEW = 8  # strata, up to which an area may have extremes apart that matter: of more, each moves it little


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
