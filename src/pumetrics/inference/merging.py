"""Discordant pairs of long rankings, counted while they are merged; compiled, so imported where it is used."""

import numpy as np

from pumetrics.compiled import compiled

__all__ = ["count"]


def _count_numpy(truth, estimate):
    """The same merges, all runs of one width and all rankings at once: a sort by (run, value) counts the pairs."""
    n_models = truth.shape[1]
    order = np.lexsort((estimate, truth), axis=1)
    values = np.take_along_axis(estimate, order, axis=1)
    places = np.arange(n_models)
    total = np.zeros(len(truth), dtype=np.int64)
    width = 1
    while width < n_models:
        run = places // (2 * width)
        on_left = places % (2 * width) < width
        # Stable, so that equal values of the left half come first: they are no inversions.
        merged = np.lexsort((values, np.broadcast_to(run, values.shape)), axis=1)
        left = on_left[merged]
        passed = np.cumsum(left, axis=1)
        before = (
            np.bincount(run, weights=on_left).astype(np.int64).cumsum()[run]
        )  # left ones up to the end of the run
        total += ((before - passed) * ~left).sum(axis=1)
        values = np.take_along_axis(values, merged, axis=1)
        width *= 2
    return total


@compiled(otherwise=_count_numpy)
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
    inversions = np.empty(len(truth), dtype=np.int64)
    for row in range(len(truth)):
        inversions[row] = _merge(_in_order_of(truth[row], estimate[row]))
    return inversions


@compiled
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


@compiled
def _merge(values):
    """Sort by merging ever longer runs; when one from the right goes first, all that wait on the left are larger."""
    n = len(values)
    total = 0
    width = 1
    merged = np.empty_like(values)
    while width < n:
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            end = min(start + 2 * width, n)
            left = start
            right = middle
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
