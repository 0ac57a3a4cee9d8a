"""Nonnegative least squares for a row of similar problems, each started from the answer to the last."""

import numpy as np

from pumetrics._compiled import compiled

__all__ = ["nonnegative_weights"]

_ROUNDS = 50  # per column, after which the search gives up
_SINGULAR = 1e-12  # part of a column's length, below which it counts as a combination of the others


def _by_scipy(system, target, start):
    """The same without a compiler; it knows no start."""
    from scipy.optimize import nnls

    return nnls(system, target, maxiter=_ROUNDS * system.shape[1])[0]


@compiled(otherwise=_by_scipy)
def nonnegative_weights(system, target, start):
    """Weights at or above 0 that bring the columns' sum nearest to the target.

    The active-set method, on an orthogonal basis of the columns in use. A start that holds the right columns leaves
    one least-squares problem to solve, where a search from nothing adds them one by one.

    Parameters
    ----------
    system : ndarray of shape (n_rows, n_columns)
    target : ndarray of shape (n_rows,)
    start : ndarray of shape (n_columns,)
        Weights at or above 0, such as the answer for another target; zeros if there is none.

    Returns
    -------
    ndarray of shape (n_columns,)

    References
    ----------
    Lawson & Hanson (1974), "Solving Least Squares Problems", Chapter 23.
    """
    n_rows, n_columns = system.shape
    most = min(n_rows, n_columns)
    columns, triangle, basis = np.empty(most, np.int64), np.zeros((most, most)), np.zeros((n_rows, most))
    weights, barred = np.zeros(n_columns), np.zeros(n_columns, np.bool_)
    size, wanted = 0, np.flatnonzero(start > 0)
    for column in wanted:
        if size < most and _extend(system, column, columns, triangle, basis, size):
            weights[column] = start[column]
            size += 1
    entering = size > 0
    for _ in range(_ROUNDS * n_columns):
        rest = target.copy()
        if not entering:
            _solve(triangle, basis, rest, size)
            column = _steepest(system, rest, columns[:size], barred)
            if column < 0 or size == most:
                break
            if not _extend(system, column, columns, triangle, basis, size):
                barred[column] = True
                continue
            rest = target.copy()
            if _solve(triangle, basis, rest, size + 1)[size] <= 0:
                barred[column] = True  # its slope was rounding
                continue
            size += 1
            rest = target.copy()
        solution = _solve(triangle, basis, rest, size)
        size, entering = _step(system, weights, columns, triangle, basis, size, solution)
        barred[:] = False
    return weights


@compiled
def _extend(system, column, columns, triangle, basis, size):
    """Add a column to the basis; False if the basis spans it already."""
    vector = system[:, column].copy()
    length = np.sqrt((vector**2).sum())
    triangle[:size, size] = 0
    for _ in range(2):  # once more takes back what rounding left
        part = np.zeros(size)
        for i in range(len(vector)):
            for j in range(size):
                part[j] += basis[i, j] * vector[i]
        for i in range(len(vector)):
            for j in range(size):
                vector[i] -= basis[i, j] * part[j]
        for j in range(size):  # not of slices, which take seconds more to compile
            triangle[j, size] += part[j]
    left = np.sqrt((vector**2).sum())
    if left <= _SINGULAR * length:
        return False
    triangle[size, size] = left
    for i in range(len(vector)):
        basis[i, size] = vector[i] / left
    columns[size] = column
    return True


@compiled
def _solve(triangle, basis, rest, size):
    """Least-squares weights of the columns in use; what they leave of the target stays in `rest`."""
    part = np.zeros(size)
    for j in range(size):
        for i in range(len(rest)):
            part[j] += basis[i, j] * rest[i]
        for i in range(len(rest)):
            rest[i] -= basis[i, j] * part[j]
    for j in range(size - 1, -1, -1):
        for k in range(j + 1, size):
            part[j] -= triangle[j, k] * part[k]
        part[j] /= triangle[j, j]
    return part


@compiled
def _steepest(system, rest, used, barred):
    """Column outside the basis along which the rest shrinks fastest, -1 if there is none."""
    slope = np.zeros(system.shape[1])
    for i in range(len(rest)):
        for j in range(len(slope)):
            slope[j] += system[i, j] * rest[i]
    slope[used] = 0
    slope[barred] = 0
    best = int(np.argmax(slope))
    return best if slope[best] > 0 else -1


@compiled
def _step(system, weights, columns, triangle, basis, size, solution):
    """Move to the solution, or to where the first weights become 0, whose columns then leave the basis."""
    share, reach = 1.0, np.full(size, 2.0)  # how far towards the solution each weight stays above 0
    for j in range(size):
        if solution[j] <= 0:
            gap = weights[columns[j]] - solution[j]
            reach[j] = weights[columns[j]] / gap if gap > 0 else 0.0
        share = min(share, reach[j])
    kept, before = 0, columns[:size].copy()
    for j in range(size):
        column = before[j]
        weights[column] += share * (solution[j] - weights[column])
        if reach[j] > share and (kept == j or _extend(system, column, columns, triangle, basis, kept)):
            kept += 1
        else:
            weights[column] = 0.0
    return kept, share < 1
