"""AlphaMax as published: the likelihood of every mixing proportion, and the elbow where it starts to fall."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from pumetrics.priors._histogram import common_histogram, scott_bin_width
from pumetrics.priors._types import Evidence, Share

__all__ = ["GRID", "alphamax", "elbow", "elbow_scores", "likelihood_curve", "likelihood_of_shares", "smoothed"]

GRID = np.arange(1, 100) / 100
_LINE_POINTS = 10  # points per line of the elbow rule
_MEDIAN_POINTS = 5
_BISECTIONS = 62  # the bracket is narrower than 2 * 10**4, so this leaves less than a rounding error


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
    exact solution in place of their general optimiser is this project's.
    """
    grid = np.asarray(grid, dtype=np.float64)
    used = mixture_share > 0
    w, u = mixture_share[used, None], component_share[used, None]
    low, high = -1 / (1 - grid), 1 / grid  # at these the masses sum to at least and at most the share
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        too_much = _masses(middle, u, w, grid).sum(axis=0) > grid
        low, high = np.where(too_much, middle, low), np.where(too_much, high, middle)
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
    with np.errstate(divide="ignore", invalid="ignore"):  # the form that is not taken may divide by zero
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
    return None if span <= 1e-12 * max(1.0, float(np.abs(y).max())) else (y - y.min()) / span


def elbow_scores(grid, y, *, stale_slope=True):
    """How sharply the curve bends at each grid point: slope to the right minus slope to the left, over the level.

    Both slopes are of least-squares lines through 10 points that must stay below the whole curve.

    Parameters
    ----------
    grid, y : ndarray of shape (n_grid,)
        A curve from :func:`smoothed`.
    stale_slope : bool
        The published code forgets to move the left line after the first ten points; True does the same.

    Returns
    -------
    ndarray of shape (n_grid,)
        0 where there are no 10 points on both sides.
    """
    n, k = grid.size, _LINE_POINTS
    slopes = _slopes_below(grid, y, k)  # slopes[i] belongs to the points i .. i+k-1
    j = np.arange(k - 1, n - k)
    left = slopes[j - k + 1]
    if stale_slope:
        left = np.where(j < 2 * k - 1, left, slopes[k - 1])
    level = np.median(sliding_window_view(y, k), axis=1)[j - k + 1]
    scores = np.zeros(n)
    scores[j] = (slopes[j + 1] - left) / (level + 0.01)
    return scores


def _slopes_below(x, y, k):
    """Slope of the best line through each `k` neighboring points among all lines that pass below the whole curve.

    Such a line touches the curve's lower convex hull, in a corner or along an edge: for each corner the best slope
    is known in closed form, clipped to the slopes possible there, and the best corner wins.
    """
    corners = _lower_hull(x, y)
    cx, cy = x[corners], y[corners]
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


def _lower_hull(x, y):
    """Indices of the corners of the lower convex hull, from left to right."""
    hull = []
    for i in range(x.size):
        while len(hull) > 1:
            a, b = hull[-2:]
            if (y[b] - y[a]) * (x[i] - x[a]) < (y[i] - y[a]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(i)
    return np.array(hull)


def elbow(grid, curve, *, stale_slope=True):
    """Grid point at which a likelihood curve starts to fall, and whether the curve was flat.

    Parameters
    ----------
    grid, curve : ndarray of shape (n_grid,)
        A curve from :func:`likelihood_curve`.
    stale_slope : bool
        See :func:`elbow_scores`.

    Returns
    -------
    estimate : float
        The first grid point when the curve is flat or bends nowhere.
    flat : bool
    """
    y = smoothed(curve)
    if y is None:
        return float(grid[0]), True
    return float(grid[elbow_scores(grid, y, stale_slope=stale_slope).argmax()]), False


def alphamax(component, mixture, *, rng=None):
    """AlphaMax, as its authors' code does it.

    Assumes that the component is not itself contained in the rest of the mixture (irreducibility), and that scores
    keep that so. When that fails it answers with the largest share the histograms allow, which is too much.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores of the labeled and of the unlabeled sample (or the other way round, see
        :mod:`pumetrics.priors.two_component`). Used as they are: no cap on the sample size.
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
    value, flat = elbow(GRID, curve)
    notes = ("its likelihood curve is flat",) if flat else ()
    evidence = Evidence("likelihood", GRID, curve, "share", "log-likelihood", value)
    return Share(value, evidence, low=0.10, high=0.89, notes=notes)
