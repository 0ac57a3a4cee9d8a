"""Inversions of long rankings, counted by merging: compiled, and loaded only when a long ranking comes."""

import numba
import numpy as np

__all__ = ["count"]


@numba.njit(cache=True)
def count(truth, estimate):
    """Number of strictly discordant pairs of each row, in O(n log n).

    Parameters
    ----------
    truth, estimate : ndarray of shape (n_rankings, n_models), float64
        Finite.

    Returns
    -------
    ndarray of shape (n_rankings,), int64
    """
    found = np.empty(len(truth), dtype=np.int64)
    for row in range(len(truth)):
        found[row] = _merge(_in_order_of(truth[row], estimate[row]))
    return found


@numba.njit(cache=True)
def _in_order_of(truth, estimate):
    """Estimates by ascending truth; among equal truths they ascend themselves, so that they hold no inversion."""
    order = np.argsort(truth)
    values = estimate[order]
    start = 0
    for end in range(1, len(order) + 1):
        if end == len(order) or truth[order[end]] != truth[order[start]]:
            if end - start > 1:
                values[start:end].sort()
            start = end
    return values


@numba.njit(cache=True)
def _merge(values):
    """Sort by merging ever longer runs; when one from the right goes first, all that wait on the left are larger."""
    n, total, width = len(values), 0, 1
    merged = np.empty_like(values)
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            left, right = start, middle
            for place in range(start, end):
                if right == end or (left < middle and values[left] <= values[right]):
                    merged[place] = values[left]
                    left += 1
                else:
                    merged[place] = values[right]
                    right += 1
                    total += middle - left
        values, merged = merged, values
        width *= 2
    return total
