"""WEKA's multilayer perceptron, trained on many labelings of the same rows in lockstep.

Online gradient descent cannot be batched over rows without becoming another algorithm. It can be batched over
labelings: all of them see the same rows in the same order, so a labeling is a lane, a row's inputs are scalars shared
by all lanes, and no lane ever reads another's numbers.
"""

from typing import NamedTuple

import numpy as np

from pumetrics._compiled import compiled

__all__ = ["LANE_BLOCK", "Network", "initial_network", "lockstep_mlp", "predict", "train"]

LANE_BLOCK = 16
"""Lanes are padded to whole vectors, so that a lane passes through the same instructions however many there are."""

# No reassociation and no fused multiply-add: a lane's numbers must not depend on its neighbours, nor on the machine.
# NaN and infinity are not met: weights are finite.
_FLAGS = {"nnan", "ninf", "nsz"}
_ZERO, _HALF, _ONE, _TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
_EDGE = np.float32(18)


class Network(NamedTuple):
    """Weights of one hidden layer for all lanes.

    Attributes
    ----------
    hidden : ndarray of shape (n_inputs, n_hidden * n_lanes), float32
        Lane varies fastest. The bias is the last input.
    output : ndarray of shape (2, n_hidden + 1, n_lanes), float32
        Negative and positive class; the bias comes last.
    alive : ndarray of shape (n_hidden * n_lanes,), float32
        0 where a lane has fewer hidden units than the widest.
    masked : ndarray of shape (n_inputs,), bool
        Whether some lane does not see an input.
    masks : ndarray of shape (n_inputs, n_hidden * n_lanes), float32
        0 where a lane does not see an input; read only where `masked`.
    """

    hidden: np.ndarray
    output: np.ndarray
    alive: np.ndarray
    masked: np.ndarray
    masks: np.ndarray


def lockstep_mlp(
    table, labels, folds, removed, rng, *, epochs=500, learning_rate=0.3, momentum=0.2, initial_range=0.05
):
    """Out-of-fold probability of the positive class by a multilayer perceptron trained row by row.

    The algorithm is that of WEKA's ``MultilayerPerceptron``: inputs scaled to [-1, 1] by the training rows, nominal
    features as indicators (two values as one input), missing values as 0, one hidden layer of (inputs + classes) / 2
    sigmoid units, one sigmoid output per class, squared error, a step after every row, `epochs` passes in one order.

    Parameters
    ----------
    table : MixedTable
        Features of the n rows.
    labels : ndarray of shape (n_labelings, n), uint8
        0 and 1.
    folds : ndarray of shape (n,)
        Fold of each row; a row is scored by the networks of the other folds.
    removed : ndarray of shape (n_labelings,), int
        Column a labeling does not see, or -1. Its networks have fewer inputs and hidden units, as if trained alone.
    rng : numpy.random.Generator
        Draws the order of the rows and the initial weights, the same for all labelings and folds.
    epochs, learning_rate, momentum, initial_range
        WEKA's defaults. Weights start uniform on [-initial_range, initial_range].

    Returns
    -------
    ndarray of shape (n_labelings, n), float64

    Notes
    -----
    Deviations from WEKA: float32 in training, other initial weights, and no restart at a smaller rate on divergence
    (sigmoid outputs cannot diverge).
    """
    order = rng.permutation(len(folds))
    seed = int(rng.integers(2**63))
    inputs, source = table.indicators(keep_missing=True)
    sees = np.vstack([source[:, None] != removed, np.ones((1, len(removed)), bool)])
    scores = np.empty(labels.shape)
    for fold in np.unique(folds):
        train_rows, test_rows = order[folds[order] != fold], np.flatnonzero(folds == fold)
        x = np.hstack([_to_unit_range(inputs, train_rows), np.ones((len(inputs), 1), np.float32)])
        network = initial_network(sees, initial_range, np.random.default_rng(seed))
        targets = _padded(labels[:, train_rows].T.astype(np.float32))
        train(network, np.ascontiguousarray(x[train_rows]), targets, epochs, learning_rate, momentum)
        scores[:, test_rows] = predict(network, np.ascontiguousarray(x[test_rows]))[: len(labels)]
    return scores


def _to_unit_range(inputs, train_rows):
    """Scale each input to [-1, 1] by its range over the training rows; constant and missing inputs become 0."""
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(inputs[train_rows]), np.fmax.reduce(inputs[train_rows])
    half = (high - low) / 2
    scaled = (inputs - (high + low) / 2) / np.where(half > 0, half, np.inf)
    return np.nan_to_num(scaled, nan=0.0).astype(np.float32)


def _padded(lanes):
    """Repeat the last lane until the lanes fill whole blocks."""
    missing = -lanes.shape[-1] % LANE_BLOCK
    return np.ascontiguousarray(np.concatenate([lanes, np.repeat(lanes[..., -1:], missing, axis=-1)], axis=-1))


def initial_network(sees, initial_range, rng):
    """Networks before training.

    Parameters
    ----------
    sees : ndarray of shape (n_inputs, n_labelings), bool
        Whether a labeling sees an input; the last input is the bias, always seen.
    initial_range : float
    rng : numpy.random.Generator
        Weights are drawn as for a labeling that sees everything, so that all lanes start from the same ones.

    Returns
    -------
    Network
    """
    n_inputs = len(sees)
    sees = _padded(sees)
    units = (sees.sum(axis=0) - 1 + 2) // 2  # (attributes + classes) / 2, the bias not counted
    n_hidden, n_lanes = (n_inputs - 1 + 2) // 2, sees.shape[1]
    hidden = rng.uniform(-initial_range, initial_range, (n_inputs, n_hidden, 1)) * sees[:, None, :]
    output = rng.uniform(-initial_range, initial_range, (2, n_hidden + 1, 1)) * np.ones(n_lanes)
    alive = np.arange(n_hidden)[:, None] < units
    masks = np.repeat(sees[:, None, :], n_hidden, axis=1)
    flat = n_hidden * n_lanes
    return Network(
        hidden.reshape(n_inputs, flat).astype(np.float32),
        output.astype(np.float32),
        alive.reshape(flat).astype(np.float32),
        ~sees.all(axis=1),
        masks.reshape(n_inputs, flat).astype(np.float32),
    )


def train(network, x, targets, epochs, learning_rate, momentum):
    """Train all lanes in place.

    Parameters
    ----------
    network : Network
    x : ndarray of shape (n_rows, n_inputs), float32
        Rows in the order they are presented.
    targets : ndarray of shape (n_rows, n_lanes), float32
        1 for the positive class.
    epochs : int
    learning_rate, momentum : float
    """
    if len(x) and epochs:
        _train(*network, x, targets, epochs, np.float32(learning_rate), np.float32(momentum))


@compiled(cache=False, inline="always")
def _sigmoid(x):
    """1 / (1 + exp(-x)) as (1 + tanh(4 y)) / 2 at y = x / 8, one division, error below 3e-7.

    tanh(y) is the Padé fraction [5/4], doubled twice by tanh(2 y) = 2 N D / (D^2 + N^2).
    """
    y = np.maximum(np.minimum(x, _EDGE), -_EDGE) * np.float32(0.125)
    square = y * y
    above = y * (np.float32(945) + square * (np.float32(105) + square))
    below = np.float32(945) + square * (np.float32(420) + square * np.float32(15))
    above, below = _TWO * above * below, below * below + above * above
    return _HALF + above * below / (below * below + above * above)


def _train_numpy(hidden, output, alive, masked, masks, x, targets, epochs, rate, momentum):
    """The same steps on whole arrays: sums over inputs and units run in the same order, lanes side by side."""
    n_rows, n_hidden = len(x), output.shape[1] - 1
    steps, output_steps = np.zeros_like(hidden), np.zeros_like(output)
    seen = masks if masked.any() else _ONE
    net = (hidden * x[0][:, None]).sum(axis=0)
    for step in range(epochs * n_rows):
        row = step % n_rows
        act = _sigmoid(net) * alive
        units = np.concatenate([act.reshape(n_hidden, -1), np.ones((1, output.shape[2]), np.float32)])
        out = np.concatenate([output[:, -1:], output[:, :-1] * units[:-1]], axis=1).sum(axis=1)
        answer = _sigmoid(out)
        error = rate * (np.stack([_ONE - targets[row], targets[row]]) - answer) * answer * (_ONE - answer)
        delta = (output[0, :-1] * error[0] + output[1, :-1] * error[1]).ravel() * (act * (_ONE - act))
        output_steps = momentum * output_steps + error[:, None] * units
        output += output_steps
        steps *= momentum
        steps += delta * x[row][:, None] * seen
        hidden += steps
        net = (hidden * x[(row + 1) % n_rows][:, None]).sum(axis=0)


@compiled(otherwise=_train_numpy, fastmath=_FLAGS, error_model="numpy")
def _train(hidden, output, alive, masked, masks, x, targets, epochs, rate, momentum):
    n_rows, n_inputs = x.shape
    n_flat = hidden.shape[1]
    steps, output_steps = np.zeros_like(hidden), np.zeros_like(output)
    net, act, delta = np.zeros(n_flat, np.float32), np.zeros(n_flat, np.float32), np.zeros(n_flat, np.float32)
    error = np.empty((2, targets.shape[1]), np.float32)
    for i in range(n_inputs):
        for e in range(n_flat):
            net[e] += hidden[i, e] * x[0, i]
    for step in range(epochs * n_rows):
        row = step % n_rows
        for e in range(n_flat):
            act[e] = _sigmoid(net[e]) * alive[e]
        _output_errors(output, act, error, targets[row], rate)
        _output_step(output, output_steps, act, delta, error, momentum)
        for e in range(n_flat):
            delta[e] *= act[e] * (_ONE - act[e])
            net[e] = _ZERO
        _hidden_step(hidden, steps, delta, net, masked, masks, x[row], x[(row + 1) % n_rows], momentum)


# Each inner loop below touches at most four arrays: with more, the compiler gives up proving that they do not overlap
# and does not vectorise.


@compiled(fastmath=_FLAGS, error_model="numpy")
def _output_errors(output, act, error, target, rate):
    """Errors of the two outputs times their slope and the rate."""
    n_hidden, n_lanes = output.shape[1] - 1, len(target)
    for c in range(2):
        for k in range(n_lanes):
            error[c, k] = output[c, n_hidden, k]
        for h in range(n_hidden):
            for k in range(n_lanes):
                error[c, k] += output[c, h, k] * act[h * n_lanes + k]
    for k in range(n_lanes):
        negative, positive = _sigmoid(error[0, k]), _sigmoid(error[1, k])
        error[0, k] = rate * (_ONE - target[k] - negative) * negative * (_ONE - negative)
        error[1, k] = rate * (target[k] - positive) * positive * (_ONE - positive)


@compiled(fastmath=_FLAGS, error_model="numpy")
def _output_step(output, steps, act, delta, error, momentum):
    """Errors handed back to the hidden units, and the step of the output weights."""
    n_hidden, n_lanes = output.shape[1] - 1, output.shape[2]
    for h in range(n_hidden):
        for k in range(n_lanes):
            delta[h * n_lanes + k] = output[0, h, k] * error[0, k] + output[1, h, k] * error[1, k]
    for c in range(2):
        for h in range(n_hidden):
            for k in range(n_lanes):
                step = momentum * steps[c, h, k] + error[c, k] * act[h * n_lanes + k]
                steps[c, h, k] = step
                output[c, h, k] += step
        for k in range(n_lanes):
            step = momentum * steps[c, n_hidden, k] + error[c, k]
            steps[c, n_hidden, k] = step
            output[c, n_hidden, k] += step


@compiled(fastmath=_FLAGS, error_model="numpy")
def _hidden_step(hidden, steps, delta, net, masked, masks, row, following, momentum):
    """Step of the hidden weights and, while they are at hand, the net input of the following row."""
    n_flat = len(delta)
    for i in range(len(row)):
        now, then = row[i], following[i]
        if masked[i]:
            for e in range(n_flat):  # weights a lane lacks start at 0 and stay there
                step = momentum * steps[i, e] + delta[e] * now * masks[i, e]
                weight = hidden[i, e] + step
                steps[i, e] = step
                hidden[i, e] = weight
                net[e] += weight * then
            continue
        for e in range(n_flat):
            step = momentum * steps[i, e] + delta[e] * now
            weight = hidden[i, e] + step
            steps[i, e] = step
            hidden[i, e] = weight
            net[e] += weight * then


def predict(network, x):
    """Probability of the positive class, outputs normalised to sum 1, in float64 so that sure cases do not tie.

    Parameters
    ----------
    network : Network
    x : ndarray of shape (n_rows, n_inputs), float32

    Returns
    -------
    ndarray of shape (n_lanes, n_rows), float64
    """
    from scipy.special import expit

    _, n_units, n_lanes = network.output.shape
    scores = np.empty((n_lanes, len(x)))
    for start in range(0, len(x), 256):  # bounds the memory, not the result
        block = x[start : start + 256]
        net = np.einsum("ri,ie->re", block.astype(np.float64), network.hidden, optimize=False)
        act = (expit(net) * network.alive).reshape(len(block), n_units - 1, n_lanes)
        out = np.einsum("rhk,chk->ckr", act, network.output[:, :-1].astype(np.float64)) + network.output[
            :, -1:
        ].transpose(0, 2, 1)
        negative, positive = expit(out)
        scores[:, start : start + 256] = positive / (negative + positive)
    return scores
