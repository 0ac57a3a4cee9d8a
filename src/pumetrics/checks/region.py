"""Numbers of positives in strata that checked rows leave possible, and extremes of a metric over them."""

from bisect import bisect_left
from functools import lru_cache

import numpy as np
from scipy.special import gammaincinv

__all__ = ["Region", "exact_ends", "extreme", "slacks_of"]

# How far the log likelihood may fall, chosen by enumeration (docs/checked_sample.md): half the quantile of chi-squared
# times _LARGER, and _EDGE / (1 + e) more if one stratum decides in which e of the rarer class were found, because
# the likelihood ratio of few positives, or of few negatives, is too often beyond the quantile. Areas depend on many
# strata.
_LARGER = 1.0934
_EDGE = 1.4
_LARGER_OF_AREAS = 4.6 / 3.8414588206941236
_FEW = 8  # strata, up to which an area may have extremes apart that matter: of more, each moves it little
_SORTED = 1000  # steps, up to which sorting them is faster than halving their number


def slacks_of(confidence, *, area=False):
    """How far the log likelihood may lie below its maximum, and how much farther for a stratum without one class."""
    half = float(gammaincinv(0.5, confidence))  # of the quantile of chi-squared
    return (_LARGER_OF_AREAS * half, 0.0) if area else (_LARGER * half, _EDGE)


class Region:
    """Positives K_h of strata of N_h rows, of which n_h were drawn and x_h found positive, by their likelihood.

    The log likelihood l_h(K) = ln C(K, x) + ln C(N - K, n - x) of each stratum is concave. The region holds the K whose
    sum of l_h is at least its maximum less a slack, with l_h linear between whole numbers. The slack is larger in
    directions in which a stratum with few positives or few negatives decides, see :meth:`farthest`.

    Parameters
    ----------
    sizes, drawn, found : ndarray of shape (n_strata,)
        N, n and x.
    slack, edge : float
        See :func:`slacks_of`.
    """

    def __init__(self, sizes, drawn, found, slack, edge=0.0, falls=None):
        self.sizes = sizes
        self.drawn = drawn
        self.found = found
        self.slack = slack
        self.edges = edge / (1 + np.minimum(found, drawn - found))
        if falls is None:
            falls = [_falls(*each) for each in zip(sizes, drawn, found, strict=True)]
        self.falls = falls
        costs = [_costs_of(falls) for falls in self.falls]
        self.costs = np.concatenate(costs)
        self.steps = np.array([len(falls) for falls in self.falls])
        ends = np.cumsum(self.steps + 1)
        self.starts = ends - self.steps - 1  # of each stratum in costs
        # Steps up to the first and to the last K with the largest log likelihood.
        self.peaks = [
            np.array([falls.searchsorted(0.0, side) for falls in self.falls])
            for side in ("left", "right")
        ]
        share = (found + 0.5) / (drawn + 1)
        spread = sizes * (sizes - drawn) * share * (1 - share) / (drawn + 1)
        self.variances = np.where(drawn > 0, spread, 0.0)  # of K, roughly

    @classmethod
    def box(cls, low, high):
        """Region of all K from `low` to `high`."""
        region = cls(high - low, np.zeros_like(low), np.zeros_like(low), 0.0)
        region.found = low
        return region

    @property
    def point(self):
        """The sample's share of positives in each stratum, times its size; half of it where no row was drawn."""
        share = np.where(self.drawn > 0, self.found / np.maximum(self.drawn, 1), 0.5)
        return self.found + (self.sizes - self.drawn) * share

    def farthest(self, weights):
        """The K of the region with the largest `weights` K.

        A stratum that causes the share f of the fall of the log likelihood there enlarges the slack by f^1.5 of what it
        would add alone.
        """
        reached = self._within(weights, self.slack)
        if not self.edges.any():
            return reached
        spent = self._costs_at(reached)
        shares = spent / max(spent.sum(), 1e-300)
        return self._within(weights, self.slack + shares**1.5 @ self.edges)

    def _within(self, weights, slack):
        """The K with the largest `weights` K whose log likelihood falls by `slack`.

        By a Lagrange multiplier t: K_h takes every step by which l_h + t w_h K does not fall. Where t jumps over the
        slack, part of the last step is taken; so the result exceeds that of whole numbers by less than one row.
        """
        scale = np.abs(weights).max()
        if scale == 0:
            return self.found + self.peaks[1]
        weights = weights / scale

        is_down = weights < 0
        inner = np.where(is_down, self.peaks[0], self.peaks[1])
        outer = np.where(is_down, 0, inner)
        outer = np.where(weights > 0, self.steps, outer)
        if self._cost(outer) <= slack:
            return self.found + outer

        inner, outer = self._bracket(weights, slack, inner, outer)
        inner, outer = self._last_step(weights, slack, inner, outer)
        spent = self._cost(inner)
        over = self._cost(outer)
        part = max((slack - spent) / (over - spent), 0.0)
        return self.found + inner + (outer - inner) * part

    def _bracket(self, weights, slack, inner, outer):
        """Steps taken at a lower and a higher t, with few between them: the root of the cost grows about as t does."""
        goal = np.sqrt(slack)
        variance = weights**2 @ self.variances
        variance = max(variance, 1e-300)
        t = goal * np.sqrt(2 / variance)
        low = 0.0
        low_root = 0.0
        high = np.inf
        high_root = np.inf
        for _ in range(30):
            between = np.abs(outer - inner).sum()
            if between <= _SORTED:
                break
            taken = self._tilted(t * weights)
            cost = self._cost(taken)
            root = np.sqrt(cost)
            if root <= goal:
                inner = taken
                low = t
                low_root = root
            else:
                outer = taken
                high = t
                high_root = root

            if high == np.inf:
                root = max(root, 0.1 * goal)
                t *= 1.03 * goal / root
            elif low == 0:
                t *= 0.97 * goal / root
            else:
                share = (goal - low_root) / (high_root - low_root)
                share = min(max(share, 0.1), 0.9)
                t = low + (high - low) * share
        return inner, outer

    def _last_step(self, weights, slack, inner, outer):
        """Steps taken before and after the one that exceeds the slack; steps at the same t are taken together."""
        firsts = np.minimum(inner, outer).tolist()
        ends = np.maximum(inner, outer).tolist()
        between = [
            falls[first:end]
            for falls, first, end in zip(
                self.falls,
                firsts,
                ends,
                strict=True,
            )
        ]
        falls = np.concatenate(between)
        n = len(between)

        steps = np.abs(outer - inner)
        strata = np.repeat(np.arange(n), steps)
        tilts = falls / weights[strata]

        order = np.argsort(tilts, kind="stable")
        losses = np.abs(falls[order])
        costs = self._cost(inner) + np.cumsum(losses)
        place = costs.searchsorted(slack, "right")
        place = min(place, len(order) - 1)
        t = tilts[order[place]]

        is_before = tilts < t * (1 - 1e-9)
        is_after = tilts > t * (1 + 1e-9)
        before = np.bincount(strata[is_before], minlength=n)
        until = np.bincount(strata[~is_after], minlength=n)
        sign = np.sign(outer - inner)
        return inner + sign * before, inner + sign * until

    def _tilted(self, tilts):
        """Steps up to the K that maximizes the sum of l_h(K) + tilt K: the most where several do."""
        taken = [
            falls.searchsorted(tilt, "right" if tilt >= 0 else "left")
            for falls, tilt in zip(self.falls, tilts.tolist(), strict=True)
        ]
        return np.array(taken)

    def _cost(self, taken):
        """How far the log likelihood of all strata lies below its maximum after whole steps."""
        return self.costs[self.starts + taken].sum()

    def _costs_at(self, k):
        """How far the log likelihood of each stratum lies below its maximum, linear between whole numbers."""
        taken = k - self.found
        below = np.minimum(np.floor(taken).astype(np.int64), self.steps)
        above = np.minimum(below + 1, self.steps)
        start = self.costs[self.starts + below]
        end = self.costs[self.starts + above]
        return start + (taken - below) * (end - start)


def _falls(size, drawn, found):
    """l(K - 1) - l(K) for every possible K but the smallest; rising."""
    if drawn == 0:
        return np.zeros(size)
    negative = drawn - found
    k = np.arange(found + 1, size - negative + 1, dtype=np.float64)
    rest = size - k + 1
    return np.log((k - found) / k) + np.log(rest / (rest - negative))


def _costs_of(falls):
    """How far a concave log likelihood lies below its maximum, from how it falls from step to step."""
    costs = np.append(0.0, np.cumsum(falls))
    return costs - costs.min()


@lru_cache(maxsize=1024)  # both ends of an interval ask for the same
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

    tail = (1 - confidence) / 2
    possible = range(found, size - (drawn - found))

    def is_likely_so_many(k):
        return hypergeom.sf(found - 1, size, k, drawn) > tail

    def is_unlikely_so_few(k):
        return hypergeom.cdf(found, size, k, drawn) <= tail

    low = found + bisect_left(possible, True, key=is_likely_so_many)
    beyond = found + bisect_left(possible, True, key=is_unlikely_so_few)
    return low, beyond - 1 if is_unlikely_so_few(beyond) else beyond


def extreme(at, region, sign, *, apart=False):
    """Largest (`sign` 1) or smallest (-1) value of a metric over a region.

    From each start, the metric is replaced by its tangent, whose extreme over the region is exact; a step is taken that
    far, or half as far and so on until the metric gains. For a ratio of linear functions this is the method of
    Dinkelbach (1967), and the result is exact. A metric may have extremes `apart` from each other: then some starts
    have as many positives as possible in the strata where these move it that way most, and as few in all others.
    """
    ones = np.ones(len(region.sizes))
    slope = sign * at(region.point)[1]
    ways = [slope, ones, -ones]
    if apart and len(ones) <= _FEW:
        rank = np.argsort(np.argsort(-slope))
        ways += [np.where(rank < first, 1.0, -1.0) for first in range(1, len(ones))]
    starts = {tuple(start): start for start in map(region.farthest, ways)}
    return float(sign * max(_climbed(at, region, sign, start) for start in starts.values()))


def _climbed(at, region, sign, k):
    """`sign` times the value of a metric where no step from K along a tangent gains."""
    value, gradient = at(k)
    for _ in range(100):
        goal = region.farthest(sign * gradient)
        tries = [k + (goal - k) * 0.5**halvings for halvings in range(8)]
        values = [sign * at(each)[0] for each in tries]
        chosen = int(np.argmax(values))
        if values[chosen] <= sign * value + 1e-10:
            break
        k = tries[chosen]
        value, gradient = at(k)
    return sign * value
