"""Networks laid out for training: a vector of lanes is one cache line, the weights of a unit follow each other."""

from typing import NamedTuple

import numpy as np

from pumetrics.models._lockstep_blocks import ROWS

__all__ = ["WIDTH", "State", "pack", "pack_targets", "unpack"]

WIDTH = 16
"""Lanes of a vector: one register with AVX-512, two with AVX2, four on ARM."""


class State(NamedTuple):
    """Arrays that training reads and changes, float32 unless said otherwise.

    Attributes
    ----------
    weights : ndarray of shape (n_hidden, n_vectors, n_inputs, WIDTH)
    output, steps : ndarray of shape (2, n_hidden + 1, n_vectors, WIDTH)
        Weights of the outputs and their last steps.
    gradients : ndarray of shape (n_hidden, n_vectors, n_back * ROWS, WIDTH)
        Of the rows of the last blocks, in turn, times the rate.
    nets : ndarray of shape (n_hidden, n_vectors, ROWS, WIDTH)
        Net inputs of a block's rows; once a row is presented, its activities.
    errors : ndarray of shape (n_vectors, 2, WIDTH)
    alive : ndarray of shape (n_hidden, n_vectors, WIDTH)
    seen : ndarray of shape (n_inputs, n_vectors, WIDTH)
        0 where a lane does not see an input.
    masked : ndarray of shape (n_vectors,), bool
        Whether some lane does not see an input.
    members : ndarray of shape (n_groups, n_vectors, WIDTH)
        1 for the lanes of a group, which see the same inputs.
    groups : ndarray of shape (n_vectors, 2), int64
        First group that a vector may hold, and the one after the last.
    """

    weights: np.ndarray
    output: np.ndarray
    steps: np.ndarray
    gradients: np.ndarray
    nets: np.ndarray
    errors: np.ndarray
    alive: np.ndarray
    seen: np.ndarray
    masked: np.ndarray
    members: np.ndarray
    groups: np.ndarray


def pack(network, group, n_groups, n_back):
    """State before training.

    Parameters
    ----------
    network : Network
    group : ndarray of shape (n_lanes,), int
        Lanes that see the same inputs.
    n_groups, n_back : int

    Returns
    -------
    State
    """
    n_inputs, n_lanes = network.sees.shape
    n_hidden, n_vectors = network.output.shape[1] - 1, n_lanes // WIDTH
    hidden = network.hidden.reshape(n_inputs, n_hidden, n_vectors, WIDTH)
    group = group.reshape(n_vectors, WIDTH)
    seen = network.sees.reshape(n_inputs, n_vectors, WIDTH)
    return State(
        _aligned(hidden.transpose(1, 2, 0, 3)),
        _aligned(network.output.reshape(2, n_hidden + 1, n_vectors, WIDTH)),
        _aligned(np.zeros((2, n_hidden + 1, n_vectors, WIDTH))),
        _aligned(np.zeros((n_hidden, n_vectors, n_back * ROWS, WIDTH))),
        _aligned(np.zeros((n_hidden, n_vectors, ROWS, WIDTH))),
        _aligned(np.zeros((n_vectors, 2, WIDTH))),
        _aligned(network.alive.reshape(n_hidden, n_vectors, WIDTH)),
        _aligned(seen),
        ~seen.all(axis=(0, 2)),
        _aligned(np.arange(n_groups)[:, None, None] == group),
        np.stack([group.min(axis=1), group.max(axis=1) + 1], axis=1).astype(np.int64),
    )


def pack_targets(targets, blocks):
    """Targets of shape (n_rows, n_lanes) in the rows' places, (n_blocks, ROWS, n_vectors, WIDTH), float32."""
    n_blocks, n_lanes = len(blocks.x), targets.shape[1]
    placed = np.zeros((n_blocks * ROWS, n_lanes), np.float32)
    placed[np.arange(n_blocks * ROWS) % ROWS >= np.repeat(blocks.first, ROWS)] = targets
    return _aligned(placed.reshape(n_blocks, ROWS, n_lanes // WIDTH, WIDTH))


def unpack(state, network, blocks, turns):
    """Write the weights into the network, with the steps that the last blocks still owe them.

    Parameters
    ----------
    state : State
    network : Network
        Changed in place.
    blocks : Blocks
    turns : int
        Blocks that have been presented.
    """
    n_blocks, n_slots = len(blocks.x), len(blocks.end)
    weights = state.weights.transpose(2, 0, 1, 3).copy()
    for back in range(n_slots):
        x = blocks.x[(turns - 1 - back) % n_blocks].reshape(-1, ROWS)
        start = (turns - 1 - back) % n_slots * ROWS
        for row in range(ROWS):
            gradient = blocks.end[back, row] * state.gradients[:, :, start + row]
            weights += np.multiply.outer(x[:, row], gradient) * state.seen[:, None]
    network.hidden[:] = weights.reshape(network.hidden.shape)
    network.output[:] = state.output.reshape(network.output.shape)


def _aligned(values):
    """The values as float32 that begin at a cache line."""
    room = np.empty(values.size + WIDTH, np.float32)
    start = -room.ctypes.data // 4 % WIDTH
    array = room[start : start + values.size].reshape(values.shape)
    array[:] = values
    return array
