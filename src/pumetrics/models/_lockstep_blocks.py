"""Rows in blocks of eight: what rows owe to each other, from their inner products alone.

With momentum m, the weights before row t are w_t = v_t - sum over earlier rows s of m^(t - s) d_s x_s, where d_s is the
rate times the gradient, over 1 - m, and v_t = w_0 + sum of d_s x_s needs no memory of past steps. The net input w_t x_t
of a row is therefore that of v before its block, plus d_s (1 - m^(t - s)) x_s x_t of the earlier rows of its block,
less d_s m^(t - s) x_s x_t of the rows before. So weights are read and written once per block, by an inner product that
all lanes share: the same sums in another order, but for a momentum that has decayed to a millionth of a step.
"""

from typing import NamedTuple

import numpy as np

__all__ = ["ROWS", "Blocks", "blocks_of"]

ROWS = 8
"""Rows of a block."""

_FORGOTTEN = 1e-6


class Blocks(NamedTuple):
    """Rows in the order they are presented; a last block that is not full begins with places that stay empty.

    Attributes
    ----------
    x : ndarray of shape (n_blocks, n_inputs * ROWS), float32
        Inputs; the row varies fastest. Zeros where a place is empty.
    first : ndarray of shape (n_blocks,), int64
        The first place of a block that holds a row.
    back : ndarray of shape (n_blocks,), int64
        How many blocks of `before` are not zero.
    near : ndarray of shape (n_blocks, n_groups, ROWS, ROWS), float32
        Effect of the row (1 + last index) places before on the net input of a row, for each group of lanes.
    before : ndarray of shape (n_blocks, n_back, n_groups, ROWS, ROWS), float32
        Effect of row s of the blocks before, the nearest first, on row t, where `near` does not hold it.
    end : ndarray of shape (n_back, ROWS), float32
        Effect of the rows of the last blocks, the last first, on the weights that training ends with.
    """

    x: np.ndarray
    first: np.ndarray
    back: np.ndarray
    near: np.ndarray
    before: np.ndarray
    end: np.ndarray


def blocks_of(x, groups, momentum):
    """Blocks of rows.

    Parameters
    ----------
    x : ndarray of shape (n_rows, n_inputs), float32
        At least one row.
    groups : ndarray of shape (n_groups, n_inputs), bool
        Inputs that each group of lanes sees.
    momentum : float
        In [0, 1).

    Returns
    -------
    Blocks
    """
    padded, step = _placed(x)
    n_blocks, real = len(padded), step >= 0
    reach = 1 if momentum < _FORGOTTEN else int(np.log(_FORGOTTEN) / np.log(momentum))
    n_back = max(_blocks_back(real.sum(axis=1), reach), 2)
    near = np.zeros((n_blocks, len(groups), ROWS, ROWS))
    before = np.zeros((n_blocks, n_back, len(groups), ROWS, ROWS))
    for distance in range(n_back + 1):
        epoch, block = np.divmod(np.arange(n_blocks) - distance, n_blocks)
        lag = step[:, None, :] - (step[block][:, :, None] + epoch[:, None, None] * len(x))
        felt = (lag > 0) & ((lag <= reach) | (distance == 0)) & real[block][:, :, None] & real[:, None, :]
        effect = np.where(felt, (distance == 0) - momentum ** np.abs(lag).astype(float), 0)
        effect = effect[:, None] * _products(padded[block], padded, groups)
        for t, place in np.ndindex(ROWS, ROWS):
            s = t - place - 1 + distance * ROWS
            if 0 <= s < ROWS:
                near[:, :, t, place] = effect[:, :, s, t]
                effect[:, :, s, t] = 0
        if distance:
            before[:, distance - 1] = effect
    return Blocks(
        np.ascontiguousarray(padded.transpose(0, 2, 1).reshape(n_blocks, -1)),
        np.argmax(real, axis=1),
        np.where(before.any(axis=(2, 3, 4)), np.arange(1, n_back + 1), 0).max(axis=1),
        near.astype(np.float32),
        before.astype(np.float32),
        _at_the_end(step, n_back, len(x), momentum),
    )


def _placed(x):
    """Rows in their places, (n_blocks, ROWS, n_inputs), and the step in which each is presented, -1 for none."""
    n_blocks, empty = -(-len(x) // ROWS), -len(x) % ROWS
    step = np.arange(n_blocks * ROWS)
    step[-ROWS:] -= empty
    step[-ROWS:][:empty] = -1
    padded = np.zeros((n_blocks * ROWS, x.shape[1]), np.float32)
    padded[step >= 0] = x
    return padded.reshape(n_blocks, ROWS, -1), step.reshape(n_blocks, ROWS)


def _blocks_back(sizes, reach):
    """How many blocks hold the `reach` rows before any block."""
    covered, back = np.zeros(len(sizes), np.int64), 0
    while covered.min() < reach:
        back += 1
        covered += np.roll(sizes, back)
    return back


def _products(earlier, later, groups):
    """Inner products of rows over the inputs that a group sees, (n_blocks, n_groups, ROWS, ROWS), in float64."""
    of_group = [np.einsum("qsi,qti->qst", (earlier * seen).astype(np.float64), later) for seen in groups]
    return np.stack(of_group, axis=1)


def _at_the_end(step, n_back, n_rows, momentum):
    """Attribute `end` of the blocks."""
    epoch, block = np.divmod(-np.arange(1, n_back + 1), len(step))
    lag = n_rows - (step[block] + (epoch + 1)[:, None] * n_rows)
    new = (np.arange(n_back) == 0)[:, None]
    return np.where(step[block] >= 0, new - momentum ** lag.astype(float), 0).astype(np.float32)
