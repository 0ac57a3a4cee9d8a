"""Two samples counted in the same bins."""

import math

import numpy as np

__all__ = ["common_histogram", "quantile_histogram", "scott_bin_width"]


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
    size = edges.size + 1
    counts = [
        np.bincount(np.searchsorted(edges, sample, side="right"), minlength=size).astype(float)
        for sample in (component, mixture)
    ]
    filled = counts[0] + counts[1] > 0
    return counts[0][filled], counts[1][filled]
