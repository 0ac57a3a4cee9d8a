"""Exact band for a finite sample: which positions the labeled positives can take among all positives.

Under random labeling the ``n_labeled`` labeled positives are a uniformly random subset of all ``n_positives``
positives, whatever the scores. So the number of labeled ones among the first ``j`` positives is hypergeometric,
and the whole path ``j = 0 ... n_positives`` is a Markov chain without unknowns. Whether it ever leaves a band
is therefore a probability that a recursion gives exactly: no simulation, no seed.
"""

from functools import lru_cache
from itertools import count
from math import exp, floor, log, log1p

import numpy as np
from scipy.special import gammaln

from pumetrics.compiled import compiled

__all__ = ["path_probability", "positives_at_top"]

# levels per rank to choose from: relative precision better than 0.1%, always on the safe side
_GRID = 1 << 16
_SMALLER = 0.7  # levels of some thousand labeled than their limit
_SECANTS = 8  # levels tried before halving
_NOTHING = 1e-300  # for the logarithm of no rejected path


@lru_cache(maxsize=512)
def positives_at_top(n_labeled, n_positives, confidence, simultaneous):
    """Bounds on the number of positives at the top of a ranking, given the labeled ones seen there.

    Parameters
    ----------
    n_labeled, n_positives : int
        Labeled positives and all positives, 1 <= n_labeled <= n_positives.
    confidence : float
        Coverage in (0, 1): of each rank by itself, or of all ranks together if `simultaneous`.
    simultaneous : bool
        Whether to hold at all ranks together.

    Returns
    -------
    fewest, most : ndarray of shape (n_labeled + 1,)
        Bounds if 0, 1, ..., n_labeled labeled positives are at the top. Read-only, as they are cached.
    """
    level = 1 - confidence
    log_factorials = gammaln(np.arange(n_positives + 1) + 1.0)
    if simultaneous:
        level = _local_level(n_labeled, n_positives, level, log_factorials)
    low, high = _acceptance(n_labeled, n_positives, level, log_factorials)
    seen = np.arange(n_labeled + 1)
    fewest = np.searchsorted(high, seen, side="left")
    most = np.searchsorted(low, seen, side="right") - 1
    fewest.flags.writeable = most.flags.writeable = False
    return fewest, most


def _local_level(n_labeled, n_positives, level, log_factorials):
    """Largest level per rank, of a grid of its logarithm, whose joint coverage is still ``1 - level``.

    The search starts near the limit for many labeled, -log(1 - level) / (2 log log n log n). The share of rejected
    paths grows about in proportion to the level, so a secant of the logarithms of both ends next to the level sought;
    where it does not, as with few positives, halving the rest is quicker.

    References
    ----------
    Gontscharuk, Landwehr & Finner (2016), Goodness of fit tests in terms of local levels with special emphasis on
    higher criticism tests, Bernoulli 22(3):1331-1363, doi 10.3150/14-BEJ694.
    """
    # Union bound over ranks: below this nothing can be rejected too often.
    low = log(level / (n_positives + 1))
    high = log(level)
    step = (high - low) / _GRID
    looks = 2 * log(max(log(n_labeled + 1), 2)) * log(n_labeled + 2)
    place = min(max(round((log(_SMALLER * -log1p(-level) / looks) - low) / step), 1), _GRID - 1)
    holds = 0
    fails = _GRID
    slope = step
    before = None
    for probe in count():
        limits = _acceptance(n_labeled, n_positives, exp(low + step * place), log_factorials)
        coverage = path_probability(n_labeled, *limits)
        if coverage >= 1 - level:
            holds = place
        else:
            fails = place
        if fails - holds == 1:
            break
        rejected = log(max(1 - coverage, _NOTHING))
        if before is not None:
            slope = max((rejected - before[1]) / (place - before[0]), step / 10)
        before = place, rejected
        place += floor((high - rejected) / slope)
        place = min(max(place, holds + 1), fails - 1) if probe < _SECANTS else (holds + fails) // 2
    return exp(low + step * holds)


def _acceptance(n_labeled, n_positives, level, log_factorials):
    """Fewest and most labeled positives, among the first 0, 1, ..., n_positives, that `level` does not reject."""
    low = _lower_quantiles(n_labeled, n_positives, level / 2, log_factorials)
    return low, n_labeled - low[::-1]  # read from the end, the subset is again a uniform one


@compiled
def _lower_quantiles(n_labeled, n_positives, tail, log_factorials):
    """Smallest x with P(X_j <= x) > tail, for X_j hypergeometric, j = 0 ... n_positives."""
    low = np.zeros(n_positives + 1, dtype=np.int64)
    x = 0
    mass = 1.0
    cdf = 1.0
    for j in range(1, n_positives + 1):
        cdf -= mass * (n_labeled - x) / (n_positives - j + 1)  # those at x that move on to x + 1
        mass = _mass(x, j, n_labeled, n_positives, log_factorials)
        if x == 0:  # a difference of numbers near 1 would keep their rounding errors
            cdf = mass
        least = n_labeled - (n_positives - j)
        while (cdf <= tail or x < least) and x < n_labeled:
            x += 1
            mass = _mass(x, j, n_labeled, n_positives, log_factorials)
            cdf += mass
        low[j] = x
    return low


@compiled
def _mass(x, j, n_labeled, n_positives, log_factorials):
    """P(X_j = x), that is C(j, x) C(n_positives - j, n_labeled - x) / C(n_positives, n_labeled)."""
    if x > j or n_labeled - x > n_positives - j:
        return 0.0
    head = log_factorials[j] - log_factorials[x] - log_factorials[j - x]
    rest = n_positives - j
    left = n_labeled - x
    tail = log_factorials[rest] - log_factorials[left] - log_factorials[rest - left]
    spare = n_positives - n_labeled
    whole = log_factorials[n_positives] - log_factorials[n_labeled] - log_factorials[spare]
    return np.exp(head + tail - whole)


def _path_probability_numpy(n_labeled, low, high):
    total = len(low) - 1
    numbers = np.arange(n_labeled + 2.0)
    mass = np.zeros(n_labeled + 3)
    mass[1] = 1.0
    first = 0
    last = 0
    for j in range(total):
        first = max(first, low[j + 1])
        last = min(last + 1, n_labeled, high[j + 1])
        if first > last:
            return 0.0
        x = numbers[first : last + 1]
        stay = mass[first + 1 : last + 2] * (total - j - n_labeled + x) / (total - j)
        mass[first + 1 : last + 2] = stay + mass[first : last + 1] * (n_labeled + 1 - x) / (
            total - j
        )
        mass[first] = mass[last + 2] = 0.0
    return mass[first + 1 : last + 2].sum()


@compiled(otherwise=_path_probability_numpy)
def path_probability(n_labeled, low, high):
    """P(low[j] <= X_j <= high[j] for all j): the mass of paths that never leave, pushed on step by step."""
    total = len(low) - 1
    numbers = np.arange(n_labeled + 2.0)
    # x in place x + 1; places next to the window are 0
    mass = np.zeros(n_labeled + 3)
    moved = np.zeros(n_labeled + 3)
    mass[1] = 1.0
    first = 0
    last = 0
    for j in range(total):
        first = max(first, low[j + 1])
        last = min(last + 1, n_labeled, high[j + 1])
        size = max(last - first + 1, 0)  # slices of a size not below 0 become vector instructions
        rest = float(total - j)
        stay = float(total - j - n_labeled + first)
        come = float(n_labeled + 1 - first)
        before = mass[first : first + size + 1]
        after = moved[first : first + size + 2]
        for i in range(size):
            after[i + 1] = (
                before[i + 1] * (stay + numbers[i]) / rest + before[i] * (come - numbers[i]) / rest
            )
        after[0] = after[size + 1] = 0.0
        mass, moved = moved, mass
    return mass[first + 1 : last + 2].sum()
