"""What labels add to checked rows: the odds of being labeled above the threshold against below it."""

from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from pumetrics.checks._region import costs_of

__all__ = ["Sides", "interval_of_odds", "possible_totals"]

_POINTS, _ZOOMS = 240, 4
_TABLE = np.linspace(-40, 40, 20001)  # log odds


class Sides(NamedTuple):
    """Unlabeled and labeled positives above the threshold and below it."""

    start: tuple[int, int]
    """Fewest unlabeled positives A above and B below."""
    costs: tuple[np.ndarray, np.ndarray]
    """How far the likelihood of the checked rows falls with each more of them."""
    labeled: tuple[int, int]
    """Labeled positives above and below."""

    @classmethod
    def of(cls, region, above, below, labeled):
        """Totals of the strata above and of those below, each spread over its strata as is most likely."""
        costs = [
            costs_of(np.sort(np.concatenate([np.empty(0), *(region.falls[h] for h in chosen)]), kind="stable"))
            for chosen in (above, below)
        ]
        return cls(tuple(int(region.found[chosen].sum()) for chosen in (above, below)), tuple(costs), labeled)

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
