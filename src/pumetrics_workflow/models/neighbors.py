"""Nearest neighbors for many labelings and many partitions into folds, from one neighbor list per data set."""

import numpy as np

from pumetrics.compiled import compiled
from pumetrics.extras import require

__all__ = ["nearest_neighbors"]

_TIE = 1e-10  # squared distances this close, relatively, are equal: sums in another order differ in the last bits


def nearest_neighbors(
    table,
    labels,
    folds,
    removed,
    rng,
    *,
    n_neighbors=5,
    list_size=40,
):
    """Out-of-fold share of positives among the nearest neighbors outside a row's fold.

    As in WEKA's ``IBk``: Euclidean distance over features scaled to [0, 1]; a nominal feature differs by 0 or 1; a
    missing value is as far away as can be; every neighbor as near as the last one counts too; and each class starts
    with a weight of 1 / n.

    Parameters
    ----------
    table : MixedTable
        Features of the n rows. Neighbor lists do not depend on labels or folds and are kept with the table.
    labels : ndarray of shape (n_labelings, n), uint8
        0 and 1.
    folds : ndarray of shape (n,)
        Fold of each row; its neighbors are looked for in the other folds.
    removed : ndarray of shape (n_labelings,), int
        Column a labeling does not see, or -1; each such column needs a list of its own.
    rng : numpy.random.Generator
        Not used: there is nothing random.
    n_neighbors : int
    list_size : int
        Neighbors kept per row. A row whose list runs out within its own fold is searched again, so the size decides
        the time, never the result.

    Returns
    -------
    ndarray of shape (n_labelings, n), float64

    Raises
    ------
    MissingExtraError
        If numba is not installed.

    Notes
    -----
    Deviation from WEKA: features are scaled by all rows, not by a fold's training rows and the row at hand.
    """
    # Its loops are too slow without.
    require("numba", extra="fast", purpose='model "nearest_neighbors"')
    scores = np.empty(labels.shape)
    size = min(list_size, table.n - 1)
    sizes = np.bincount(folds)
    n_train = (table.n - sizes)[folds].astype(np.float64)
    for column in np.unique(removed):
        members = np.flatnonzero(removed == column)
        key = ("neighbors", size, int(column))
        numeric, nominal = _features(table, column)
        if key not in table.kept:
            table.kept[key] = _list_neighbors(numeric, nominal, size)
        votes = np.ascontiguousarray(labels[members].T)
        positive, total = _vote(*table.kept[key], votes, folds, n_neighbors, numeric, nominal)
        scores[members] = ((positive + 1 / n_train[:, None]) / (total + 2 / n_train)[:, None]).T
    return scores


def _features(table, without):
    """Numeric features scaled to [0, 1], and nominal codes, one feature a row; missing ones are NaN."""
    use = np.arange(len(table.names)) != without
    numeric = table.values[use & ~table.is_nominal]
    with np.errstate(invalid="ignore"):
        low = np.fmin.reduce(numeric, axis=1)
        high = np.fmax.reduce(numeric, axis=1)
    width = np.where(high > low, high - low, np.inf)
    scaled = (numeric - np.nan_to_num(low)[:, None]) / width[:, None]
    return scaled, table.values[use & table.is_nominal]


@compiled
def _squared_distances(numeric, nominal, row, out):
    """Squared distances of `row` to all rows; features outside, rows inside, so that the inner loops vectorize."""
    out[:] = 0.0
    for column in numeric:
        here = column[row]
        if np.isnan(here):
            for other in range(len(out)):
                there = column[other]
                far = 1.0 if np.isnan(there) else max(there, 1.0 - there)
                out[other] += far * far
        else:
            far = max(here, 1.0 - here)
            for other in range(len(out)):
                difference = here - column[other]
                difference = far if np.isnan(difference) else difference
                out[other] += difference * difference
    for column in nominal:
        here = column[row]
        for other in range(len(out)):
            # So NaN differs from everything, itself included.
            out[other] += 1.0 if column[other] != here else 0.0


@compiled
def _nearest(distances, row, size, heap):
    """Squared distance of the size-th nearest other row, by a heap of the nearest so far with the farthest on top."""
    count = 0
    for other in range(len(distances)):
        value = distances[other]
        if other == row or (count == size and value >= heap[0]):
            continue
        if count < size:
            child = count
            count += 1
            while child > 0 and heap[(child - 1) // 2] < value:
                heap[child] = heap[(child - 1) // 2]
                child = (child - 1) // 2
            heap[child] = value
        else:
            parent = 0
            child = 1
            while child < size:
                if child + 1 < size and heap[child + 1] > heap[child]:
                    child += 1
                if heap[child] <= value:
                    break
                heap[parent] = heap[child]
                parent = child
                child = 2 * child + 1
            heap[parent] = value
    return heap[0]


@compiled
def _within(distances, row, reach):
    """Other rows at most `reach` away and their squared distances, nearest first; the sort is stable."""
    near = np.empty(len(distances), np.int32)
    count = 0
    for other in range(len(distances)):
        if other != row and distances[other] <= reach:
            near[count] = other
            count += 1
    away = np.empty(count)
    for k in range(count):
        away[k] = distances[near[k]]
    by_distance = np.argsort(away, kind="mergesort")
    ids = np.empty(count, np.int32)
    for k in range(count):
        ids[k] = near[by_distance[k]]
        away[k] = distances[near[by_distance[k]]]
    return ids, away


@compiled
def _list_neighbors(numeric, nominal, size):
    """At least `size` nearest rows of every row, with all as near as the last one.

    Row i's are entries starts[i] to starts[i + 1] of their indices, nearest first, and of their squared distances.
    """
    n = numeric.shape[1]
    starts = np.zeros(n + 1, np.int64)
    indices = np.empty(n * (size + 8), np.int32)
    lengths = np.empty(n * (size + 8))
    distances = np.empty(n)
    heap = np.empty(size)
    for row in range(n):
        _squared_distances(numeric, nominal, row, distances)
        ids, away = _within(distances, row, _nearest(distances, row, size, heap) * (1 + _TIE))
        start = starts[row]
        room = len(indices)
        if start + len(ids) > room:
            room += max(room, len(ids))
            indices = _longer(indices, start, room)
            lengths = _longer(lengths, start, room)
        for k in range(len(ids)):
            indices[start + k] = ids[k]
            lengths[start + k] = away[k]
        starts[row + 1] = start + len(ids)
    return starts, _longer(indices, starts[n], starts[n]), _longer(lengths, starts[n], starts[n])


@compiled
def _longer(array, filled, length):
    """Copy of the filled part of an array in one of another length; slices would take seconds more to compile."""
    copy = np.empty(length, array.dtype)
    for k in range(filled):
        copy[k] = array[k]
    return copy


@compiled
def _vote(
    starts,
    indices,
    distances,
    votes,
    folds,
    n_neighbors,
    numeric,
    nominal,
):
    """Positives of each labeling among a row's neighbors outside its fold, and the number of these neighbors."""
    n, n_labelings = votes.shape
    positive = np.zeros((n, n_labelings))
    total = np.zeros(n)
    for row in range(n):
        ids = indices[starts[row] : starts[row + 1]]
        away = distances[starts[row] : starts[row + 1]]
        taken = _take(ids, away, votes, folds, row, n_neighbors, positive)
        if taken < n_neighbors and len(ids) < n - 1:  # the list ran out within the fold
            everyone = np.empty(n)
            _squared_distances(numeric, nominal, row, everyone)
            ids, away = _within(everyone, row, np.inf)
            positive[row] = 0
            taken = _take(ids, away, votes, folds, row, n_neighbors, positive)
        total[row] = taken
    return positive, total


@compiled
def _take(
    ids,
    away,
    votes,
    folds,
    row,
    n_neighbors,
    positive,
):
    """Count the nearest outside the row's fold, and all that tie with the last of them."""
    taken = 0
    reach = np.inf
    for k in range(len(ids)):
        if away[k] > reach:
            break
        if folds[ids[k]] == folds[row]:
            continue
        for v in range(votes.shape[1]):
            positive[row, v] += votes[ids[k], v]
        taken += 1
        if taken == n_neighbors:
            reach = away[k] * (1 + _TIE)
    return taken
