"""Soft-margin linear support vector machines, for many labelings of the same rows: a primal-dual interior point.

The problem of each labeling is min |w|^2 / 2 + C sum(xi), y (x w + b) >= 1 - xi, xi >= 0, with dual variables a and
u = C - a. Its Newton steps need one symmetric system of the size of w, however many rows there are (Ferris & Munson
2003); predictor, corrector and the weight of the center are Mehrotra's (1992).
"""

import numpy as np

__all__ = ["linear_machines"]

_STEPS = 200  # real sets need 5 to 40
_SHARE = 0.9  # of the longest step that keeps all variables positive
_CELLS = 30_000  # labelings times rows worked on together, so that their variables stay in the cache


def linear_machines(x, labels, C, *, tolerance=1e-4):
    """Weights and intercepts of soft-margin machines whose intercept is not penalised.

    Parameters
    ----------
    x : ndarray of shape (n, d)
        Inputs, about 1 in size.
    labels : ndarray of shape (n_labelings, n)
        0 and 1, both present in each labeling.
    C : float
        Cost of a unit of slack.
    tolerance : float
        A machine is finished when s a and xi u of no row exceed this times C, and no equation is further from holding:
        its objective is then within 2 n C times this of the optimum.

    Returns
    -------
    ndarray of shape (n_labelings, d + 1), float64
        The intercept comes last. A labeling's machine does not depend on the others.

    Raises
    ------
    ArithmeticError
        If a machine is not finished after 200 steps.

    References
    ----------
    Ferris & Munson (2003), "Interior-point methods for massive support vector machines", SIAM J. Optim. 13:783-804.
    Mehrotra (1992), "On the implementation of a primal-dual interior point method", SIAM J. Optim. 2:575-601.
    """
    columns = np.vstack([x.T, np.ones(len(x))])
    signs = np.where(labels, 1.0, -1.0)
    together = max(1, _CELLS // len(x))
    blocks = [
        _solve(columns, signs[start : start + together], C, tolerance) for start in range(0, len(signs), together)
    ]
    return np.concatenate(blocks)


def _solve(columns, y, C, tolerance):
    """Machines of one block of labelings; those finished leave the block."""
    state = _start(y, len(columns), C)
    solved, open_ = np.empty_like(state[0]), np.arange(len(y))
    for _ in range(_STEPS):
        residuals = _residuals(columns, y, C, state)
        finished = _finished(tolerance * C, state, residuals)
        if finished.any():
            solved[open_[finished]] = state[0][finished]
            open_, y = open_[~finished], y[~finished]
            state, residuals = ([part[~finished] for part in parts] for parts in (state, residuals))
        if not len(open_):
            return solved
        state = _stepped(columns, y, state, residuals)
    raise ArithmeticError(f"{len(open_)} support vector machines are not finished after {_STEPS} steps")


def _start(y, size, C):
    """Weights w (the last is the intercept), a, u, xi and s = y (x w + b) - 1 + xi of each labeling."""
    half = np.full(y.shape, C / 2)
    return [np.zeros((len(y), size)), half, half, np.full(y.shape, 2.0), np.ones(y.shape)]


def _residuals(columns, y, C, state):
    """How far the equations w = sum(a y x), 0 = sum(a y), and the definitions of s and u are from holding."""
    w, a, u, xi, s = state
    dual = w * _penalised(w.shape[1]) - _each(a * y, columns.T)
    return [dual, y * _each(w, columns) - 1 + xi - s, C - a - u]


def _each(rows, matrix):
    """rows @ matrix, each row by itself: in one product the last digits of a row would depend on how many there are."""
    return (rows[:, None, :] @ matrix)[:, 0]


def _penalised(size):
    return np.append(np.ones(size - 1), 0)


def _finished(limit, state, residuals):
    _, a, u, xi, s = state
    return (
        np.max([(s * a).max(axis=1), (xi * u).max(axis=1), *(np.abs(r).max(axis=1) for r in residuals)], axis=0)
        <= limit
    )


def _products(a, u, xi, s):
    """The duality gap: sum of s a + xi u."""
    return np.einsum("ij,ij->i", s, a) + np.einsum("ij,ij->i", xi, u)


def _stepped(columns, y, state, residuals):
    """The variables after one predictor and corrector."""
    _, a, u, xi, s = state
    direction = _directions(columns, y, state, residuals)
    predicted = direction(s * a, xi * u)
    length = _longest(state, predicted)
    _, *ahead = (part + length * move for part, move in zip(state, predicted, strict=True))
    gap, gap_ahead = _products(a, u, xi, s), _products(*ahead)
    centre = ((gap_ahead / gap) ** 3 * gap / (2 * y.shape[1]))[:, None]
    corrected = direction(s * a + predicted[4] * predicted[1] - centre, xi * u + predicted[3] * predicted[2] - centre)
    length = _longest(state, corrected)
    length = np.where(length < 1, _SHARE * length, 1)
    return [part + length * move for part, move in zip(state, corrected, strict=True)]


def _longest(state, moves):
    """Longest step, at most 1, that keeps a, u, xi and s from becoming negative."""
    ratios = [(-move / part).max(axis=1) for part, move in zip(state[1:], moves[1:], strict=True)]
    return 1 / np.maximum(np.max(ratios, axis=0), 1)[:, None]


def _directions(columns, y, state, residuals):
    """Return the function from the products s a and xi u to take away to the changes of all variables."""
    _, a, u, xi, s = state
    of_weights, of_margins, of_box = residuals
    weight = 1 / (xi / u + s / a)
    system, scale = _system(columns, weight)

    def direction(of_s, of_xi):
        aim = -of_margins + (of_xi + xi * of_box) / u - of_s / a
        right = _each(y * weight * aim, columns.T) - of_weights
        dw = scale * np.linalg.solve(system, (scale * right)[:, :, None])[:, :, 0]
        da = weight * (aim - y * _each(dw, columns))
        du = of_box - da
        return [dw, da, du, -(of_xi + xi * du) / u, -(of_s + s * da) / a]

    return direction


def _system(columns, weight):
    """The matrices x' diag(weight) x, 1 added for penalised weights, scaled to a diagonal of ones; and that scale."""
    size = len(columns)
    system, weighted = np.empty((len(weight), size, size)), np.empty_like(columns)
    for labeling, each in enumerate(weight):
        np.matmul(np.multiply(columns, each, out=weighted), columns.T, out=system[labeling])
    diagonal = np.arange(size)
    system[:, diagonal, diagonal] += _penalised(size)
    scale = 1 / np.sqrt(system[:, diagonal, diagonal])
    return system * scale[:, :, None] * scale[:, None, :], scale
