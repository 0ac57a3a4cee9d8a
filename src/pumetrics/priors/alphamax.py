"""AlphaMax: the likelihood of every mixing proportion, and where it starts to fall.

Twice: as published, by the elbow of a curve, and repaired, by a likelihood that knows its own noise.
"""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from pumetrics.curves import chain_above
from pumetrics.priors.types import Share

__all__ = [
    "GRID",
    "alphamax",
    "alphamax_plus",
    "common_histogram",
    "deviance_curve",
    "elbow",
    "elbow_scores",
    "likelihood_curve",
    "likelihood_of_shares",
    "quantile_histogram",
    "scott_bin_width",
    "smoothed",
]

GRID = np.arange(1, 100) / 100
_LINE_POINTS = 10  # points per line of the elbow rule
_MEDIAN_POINTS = 5
_BISECTIONS = (
    62  # the bracket is narrower than 2 * 10**4, so this leaves less than a rounding error
)
_SHARES = np.arange(1000) / 1000
_BINS = 10
_PER_BIN = 20  # of the smaller sample per bin, at least, on average: fewer make the deviance's distribution meaningless
_NEAR = 2.5  # standard errors within which a bin's ratio counts as exactly the share


def scott_bin_width(sample):
    """Bin width MATLAB's ``histogram`` picks by itself: Scott's rule, rounded to 1, 2, 3, 5 or 10 times a power of ten.

    Parameters
    ----------
    sample : ndarray of shape (n,)
        Scores.

    Returns
    -------
    float
        The width in the units of the scores; 0 when all scores are equal.

    Examples
    --------
    >>> import numpy as np
    >>> scott_bin_width(np.linspace(0, 1, 1000))
    0.1
    """
    if sample.size < 2 or sample.min() == sample.max():
        return 0.0
    raw = 3.5 * float(sample.std(ddof=1)) / sample.size ** (1 / 3)
    power = 10.0 ** math.floor(math.log10(raw))
    for limit, step in ((1.5, 1), (2.5, 2), (4, 3), (7.5, 5)):
        if raw < limit * power:
            return step * power
    return 10 * power


def common_histogram(component, mixture, width):
    """Shares of two samples in the bins that hold any of the first, and in all other bins together.

    Bins start at the smallest score of both samples. Bins without any of the `component` behave as one in
    everything this package computes, so they are merged: however far outliers reach, there are at most as many
    bins as component scores, and one more.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores.
    width : float
        Bin width, above 0.

    Returns
    -------
    component_share, mixture_share : ndarray of shape (n_bins + 1,)
        Each sums to 1; the last entry is the merged bin, where the component's share is 0.
    """
    start = min(component.min(), mixture.min())
    bins, counts = np.unique(np.floor((component - start) / width), return_counts=True)
    mixture_bin = np.floor((mixture - start) / width)
    place = np.minimum(np.searchsorted(bins, mixture_bin), bins.size - 1)
    place[bins[place] != mixture_bin] = bins.size
    mixture_counts = np.bincount(place, minlength=bins.size + 1)
    return np.append(counts, 0) / component.size, mixture_counts / mixture.size


def likelihood_curve(component_share, mixture_share, grid=GRID):
    r"""Best joint log-likelihood for each share of the component in the mixture.

    The mixture's histogram :math:`w` is split into a part of mass :math:`m_i \le w_i` per bin, :math:`\sum m_i = a`,
    that plays the component, and the rest. The curve is

    .. math::  \ell(a) = \max_m \sum_i w_i \log(w_i - m_i + a u_i) + u_i \log(m_i / a)

    with :math:`u` the component's histogram. Bins share nothing but the sum of :math:`m`, so for a given multiplier
    every :math:`m_i` is the root of a quadratic, and one bisection finds the multipliers of all grid points at once.

    Parameters
    ----------
    component_share, mixture_share : ndarray of shape (n_bins,)
        Histograms over the same bins, each with sum 1.
    grid : ndarray of shape (n_grid,)
        Shares to evaluate, each in (0, 1).

    Returns
    -------
    ndarray of shape (n_grid,)
        Log-likelihood per example, up to a constant. Bins without any of the mixture only add a constant and are
        left out.

    References
    ----------
    Jain, White, Trosset & Radivojac (2016), "Nonparametric semi-supervised learning of class proportions"; the
    exact solution in place of their general optimizer is this project's.
    """
    grid = np.asarray(grid, dtype=np.float64)
    used = mixture_share > 0
    w = mixture_share[used, None]
    u = component_share[used, None]
    # at these the masses sum to at least and at most the share
    low = -1 / (1 - grid)
    high = 1 / grid
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        too_much = _masses(middle, u, w, grid).sum(axis=0) > grid
        low = np.where(too_much, middle, low)
        high = np.where(too_much, high, middle)
    return likelihood_of_shares(_masses((low + high) / 2, u, w, grid), u, w, grid)


def _masses(multiplier, u, w, grid):
    """Mass each bin gives to the component at these multipliers, in [0, w]: the root of ``u/m - w/(t-m) = multiplier``.

    The root is taken in whichever of its two forms adds numbers of one sign, so no digits cancel.
    """
    t = w + grid * u
    slope = multiplier * t
    b = slope + u + w
    root = np.hypot(slope + w - u, 2 * np.sqrt(u * w))
    positive = b > 0
    bottom = np.where(positive, b + root, 1.0)
    # the form that is not taken may divide by zero
    with np.errstate(divide="ignore", invalid="ignore"):
        mass = np.where(positive, 2 * u * t / bottom, (b - root) / (2 * multiplier))
    return np.clip(mass, 0, w)


def likelihood_of_shares(mass, u, w, grid):
    """Joint log-likelihood of given masses, shape (n_bins, n_grid); see :func:`likelihood_curve`."""
    rest = np.log(np.maximum(w - mass + grid * u, 1e-300))
    taken = np.log(np.maximum(mass / grid, 1e-300))
    return (w * rest + u * taken).sum(axis=0)


def smoothed(curve):
    """Falling curve turned upside down, medians of 5 neighbors, scaled to [0, 1]; None where it is flat."""
    falling = np.maximum.accumulate(curve[::-1])[::-1]  # it can only fall; what rises is rounding
    n = falling.size
    first = np.clip(np.arange(n) - _MEDIAN_POINTS // 2, 0, n - _MEDIAN_POINTS)
    y = np.median(sliding_window_view(-falling, _MEDIAN_POINTS)[first], axis=1)
    span = y.max() - y.min()
    if span <= 1e-12 * max(1.0, float(np.abs(y).max())):
        return None
    return (y - y.min()) / span


def elbow_scores(grid, y):
    """How sharply the curve bends at each grid point: slope to the right minus slope to the left, over the level.

    Both slopes are of least-squares lines through 10 points that must stay below the whole curve. Like the published
    code, this forgets to move the left line after the first ten points.

    Parameters
    ----------
    grid, y : ndarray of shape (n_grid,)
        A curve from :func:`smoothed`.

    Returns
    -------
    ndarray of shape (n_grid,)
        0 where there are no 10 points on both sides.
    """
    n = grid.size
    k = _LINE_POINTS
    slopes = _slopes_below(grid, y, k)  # slopes[i] belongs to the points i .. i+k-1
    j = np.arange(k - 1, n - k)
    left = slopes[np.minimum(j, 2 * k - 2) - k + 1]
    level = np.median(sliding_window_view(y, k), axis=1)[j - k + 1]
    scores = np.zeros(n)
    scores[j] = (slopes[j + 1] - left) / (level + 0.01)
    return scores


def _slopes_below(x, y, k):
    """Slope of the best line through each `k` neighboring points among all lines that pass below the whole curve.

    Such a line touches the curve's lower convex hull, in a corner or along an edge: for each corner the best slope
    is known in closed form, clipped to the slopes possible there, and the best corner wins.
    """
    corners = np.array(chain_above(x.tolist(), (-y).tolist()))
    cx = x[corners]
    cy = y[corners]
    edges = np.diff(cy) / np.diff(cx)
    least = (y[-1] - y[0]) / (x[-1] - x[0]) / 100
    lowest = np.maximum(np.concatenate([[-np.inf], edges]), least)
    highest = np.concatenate([edges, [np.inf]])
    dx = sliding_window_view(x, k)[:, None, :] - cx[:, None]
    dy = sliding_window_view(y, k)[:, None, :] - cy[:, None]
    best = (dx * dy).sum(axis=2) / (dx * dx).sum(axis=2)
    slope = np.minimum(np.maximum(best, lowest), highest)
    misfit = ((dy - slope[..., None] * dx) ** 2).sum(axis=2)
    misfit[:, highest < lowest] = np.inf  # every line through this corner falls too steeply
    return slope[np.arange(slope.shape[0]), misfit.argmin(axis=1)]


def elbow(grid, curve):
    """Grid point at which a likelihood curve starts to fall, and whether the curve was flat.

    Parameters
    ----------
    grid, curve : ndarray of shape (n_grid,)
        A curve from :func:`likelihood_curve`.

    Returns
    -------
    estimate : float
        The first grid point when the curve is flat or bends nowhere.
    flat : bool
    """
    y = smoothed(curve)
    if y is None:
        return float(grid[0]), True
    return float(grid[elbow_scores(grid, y).argmax()]), False


def alphamax(component, mixture, *, rng=None):
    """AlphaMax, as its authors' code does it.

    Assumes that the component is not itself contained in the rest of the mixture (irreducibility), and that scores
    keep that so. When that fails it answers with the largest share the histograms allow, which is too much.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores of the labeled and of the unlabeled sample (or the other way round, see
        :func:`pumetrics.priors.combine_shares`). Used as they are: no cap on the sample size.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        On the grid 0.01, 0.02 ... 0.99. By construction of the elbow rule it lies in [0.10, 0.89], or is 0.01 when
        the curve bends nowhere. Half a millisecond per bin of the histogram at most; milliseconds in practice.

    References
    ----------
    Jain, White, Trosset & Radivojac (2016), "Nonparametric semi-supervised learning of class proportions",
    arXiv:1601.01944. The published rule keeps the slope of its left line from the twentieth grid point on; this
    function does so too, because published numbers rest on it. `alphamax_plus` does not.
    """
    width = scott_bin_width(component) or scott_bin_width(np.concatenate([component, mixture]))
    curve = likelihood_curve(*common_histogram(component, mixture, width), GRID)
    return Share(elbow(GRID, curve)[0], low=0.10, high=0.89)


def quantile_histogram(component, mixture, n_bins):
    """Counts of two samples in bins that each hold about the same number of the first.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores; bins are closed to the left, and equal scores are never separated.
    n_bins : int
        Number of bins, at most; ties make it fewer.

    Returns
    -------
    component_counts, mixture_counts : ndarray of shape (n_bins,)
        Float counts; every bin holds at least one of either sample.
    """
    edges = np.unique(np.quantile(component, np.arange(1, n_bins) / n_bins, method="higher"))
    counts = []
    for sample in (component, mixture):
        place = np.searchsorted(edges, sample, side="right")
        counts.append(np.bincount(place, minlength=edges.size + 1).astype(float))
    counts = np.array(counts)
    return tuple(counts[:, counts.sum(axis=0) > 0])


def deviance_curve(component_counts, mixture_counts, grid):
    """Twice the log-likelihood lost when the component must fit into the mixture, and what noise alone would lose.

    A share `a` fits when every bin holds at least `a` times as much of the mixture as of the component. A bin where it
    does not loses what a binomial test of that ratio loses. Where the ratio is exactly `a` this happens half of the
    time and costs half a chi-squared, 1/2 on average; elsewhere hardly ever. One bin fewer counts, since the
    share itself is fitted: with one bin near the share it is that bin's ratio.

    Parameters
    ----------
    component_counts, mixture_counts : ndarray of shape (n_bins,)
        Counts in the same bins.
    grid : ndarray of shape (n_grid,)
        Shares, each in [0, 1).

    Returns
    -------
    lost, expected : ndarray of shape (n_grid,)
        The deviance, which never decreases and is 0 as long as the share fits, and its expectation given the bins
        that are near the share.
    """
    from scipy.special import ndtr, xlogy

    u = component_counts[:, None]
    w = mixture_counts[:, None]
    ratio = grid * w.sum() / u.sum()
    both = u + w
    expected = ratio / (1 + ratio)
    gain = xlogy(w, w) + xlogy(u, u) - xlogy(both, both)
    deviance = np.maximum(2 * (gain - xlogy(w, expected) + np.log1p(ratio) * u), 0)
    violated = w < ratio * u
    near = violated | (deviance < _NEAR**2)
    lost = np.where(violated, deviance, 0).sum(axis=0)
    n_near = near.sum(axis=0) / ndtr(_NEAR)
    return lost, np.maximum(n_near - 1, 0) / 2


def alphamax_plus(component, mixture, *, rng=None):
    """Largest share of the component that the mixture can hold without losing more likelihood than noise would.

    Where `alphamax` compares every share with a fixed histogram of the component and looks for an elbow, here
    both histograms are fitted for every share and every example weighs the same. The lost likelihood is then on a known
    scale, so it is enough to see where it passes what noise loses. There is no elbow to find: 0, values near 0 and
    values near 1 are all possible, a component that does not occur at all included. Bins hold equal numbers of the
    component, so small samples get few bins rather than empty ones.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1).

    References
    ----------
    Jain, White, Trosset & Radivojac (2016), "Nonparametric semi-supervised learning of class proportions", for the
    question; likelihood and rule are this project's.
    """
    n_bins = int(np.clip(min(component.size, mixture.size) // _PER_BIN, 2, _BINS))
    lost, expected = deviance_curve(*quantile_histogram(component, mixture, n_bins), _SHARES)
    return Share(float(_SHARES[np.flatnonzero(lost <= expected)[-1]]))
