"""AlphaMax repaired: a likelihood that knows its own noise, read off over the whole of (0, 1)."""

import numpy as np

from pumetrics.priors._histogram import quantile_histogram
from pumetrics.priors._types import Evidence, Share

__all__ = ["alphamax_plus", "deviance_curve"]

_GRID = np.arange(1000) / 1000
_BINS = 10
_PER_BIN = 20  # of the smaller sample per bin, at least, on average: fewer make the deviance's distribution meaningless
_NEAR = 2.5  # standard errors within which a bin's ratio counts as exactly the share


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

    u, w = component_counts[:, None], mixture_counts[:, None]
    ratio = grid * w.sum() / u.sum()
    both, expected = u + w, ratio / (1 + ratio)
    gain = xlogy(w, w) + xlogy(u, u) - xlogy(both, both)
    deviance = np.maximum(2 * (gain - xlogy(w, expected) + np.log1p(ratio) * u), 0)
    violated = w < ratio * u
    near = violated | (deviance < _NEAR**2)
    return np.where(violated, deviance, 0).sum(axis=0), np.maximum(near.sum(axis=0) / ndtr(_NEAR) - 1, 0) / 2


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
    lost, expected = deviance_curve(*quantile_histogram(component, mixture, n_bins), _GRID)
    value = float(_GRID[np.flatnonzero(lost <= expected)[-1]])
    evidence = Evidence("deviance", _GRID, -lost, "share", "2 x log-likelihood", value)
    notes = ("its likelihood curve is flat",) if lost[-1] <= expected[-1] else ()
    return Share(value, evidence, notes=notes)
