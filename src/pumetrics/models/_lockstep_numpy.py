"""The perceptron's training where nothing is compiled: the same sums in the same order, on whole arrays."""

import numpy as np

from pumetrics.models._lockstep_blocks import ROWS

__all__ = ["train"]

_HALF, _ONE = np.float32(0.5), np.float32(1)
_EDGE = np.float32(18)


def train(state, blocks, targets, epochs, rate, momentum):
    """Train in place.

    Parameters
    ----------
    state : State
    blocks : Blocks
    targets : ndarray of shape (n_blocks, ROWS, n_vectors, WIDTH), float32
    epochs : int
    rate, momentum : float32
    """
    group = state.members.argmax(axis=0)
    for turn in range(epochs * len(blocks.x)):
        block = turn % len(blocks.x)
        nets = _sweep(state, blocks, group, turn)
        effects = np.moveaxis(blocks.near[block][group], 1, -1)  # (n_vectors, t, lag, WIDTH)
        for row in range(blocks.first[block], ROWS):
            _step(state, nets, effects[:, row], targets[block, row], turn * ROWS + row, rate, momentum)


def _multiply_add(a, b, c):
    """a b + c, rounded once: the product of two float32 is a float64 (rounded twice once in half a billion times)."""
    return (np.float64(1) * a * b + c).astype(np.float32)


def _sigmoid(x):
    """1 / (1 + exp(-x)) as (1 + tanh(4 y)) / 2 at y = x / 8, one division, error below 3e-7.

    tanh(y) is the Padé fraction [5/4], doubled twice by tanh(2 y) = 2 N D / (D^2 + N^2).
    """
    y = np.maximum(np.minimum(x, _EDGE), -_EDGE) * np.float32(0.125)
    square = y * y
    above = y * _multiply_add(square, np.float32(105) + square, np.float32(945))
    below = _multiply_add(square, _multiply_add(square, np.float32(15), np.float32(420)), np.float32(945))
    top, bottom = (above + above) * below, _multiply_add(below, below, above * above)
    return _HALF + top * bottom / _multiply_add(bottom, bottom, top * top)


def _sweep(state, blocks, group, turn):
    """Net inputs of a block's rows, (n_hidden, n_vectors, ROWS, WIDTH), and the weights after the block before."""
    n_blocks, n_slots = len(blocks.x), state.gradients.shape[2] // ROWS
    nets = np.zeros_like(state.nets)
    for distance in range(blocks.back[turn % n_blocks]):
        effects = np.moveaxis(blocks.before[turn % n_blocks, distance][group], 1, -1)
        gradients = _slot(state.gradients, (turn - 1 - distance) % n_slots)
        for row in range(ROWS):
            nets = _multiply_add(gradients[:, :, row, None], effects[:, row], nets)
    gradients = _slot(state.gradients, (turn - 1) % n_slots)[:, :, :, None]
    then = blocks.x[(turn - 1) % n_blocks].reshape(-1, ROWS, 1)
    weights, others = state.weights, gradients[:, :, 4] * then[:, 4]
    for row in (0, 1, 2, 3):
        weights = _multiply_add(gradients[:, :, row], then[:, row], weights)
    for row in (5, 6, 7):
        others = _multiply_add(gradients[:, :, row], then[:, row], others)
    state.weights[:] = (weights + others) * state.seen.transpose(1, 0, 2)
    for i, now in enumerate(blocks.x[turn % n_blocks].reshape(-1, ROWS, 1)):
        nets = _multiply_add(state.weights[:, :, i, None], now, nets)
    return nets


def _slot(gradients, slot):
    """A block's gradients."""
    return gradients[:, :, slot * ROWS : (slot + 1) * ROWS]


def _step(state, nets, effects, target, place, rate, momentum):
    """One row: its units' gradients, and the step of the output."""
    n_places, net = state.gradients.shape[2], nets[:, :, place % ROWS]
    for lag in range(ROWS, 0, -1):
        net = _multiply_add(state.gradients[:, :, (place - lag) % n_places], effects[:, lag - 1], net)
    act = _sigmoid(net) * state.alive
    units = np.concatenate([act, np.ones_like(act[:1])])
    answer = state.output[:, -1]
    for h in range(len(act)):
        answer = _multiply_add(state.output[:, h], act[h], answer)
    answer = _sigmoid(answer)
    slope = rate * (answer * (_ONE - answer))
    error = np.stack([(_ONE - target) - answer[0], target - answer[1]]) * slope
    grown = error * (_ONE / (_ONE - momentum))
    back = _multiply_add(state.output[0, :-1], grown[0], state.output[1, :-1] * grown[1])
    state.gradients[:, :, place % n_places] = back * (act * (_ONE - act))
    state.steps[:] = _multiply_add(momentum, state.steps, error[:, None] * units)
    state.output[:] += state.steps
