"""WEKA's multilayer perceptron, trained on many labelings of the same rows in lockstep.

Online gradient descent cannot be batched over rows without becoming another algorithm. It can be batched over
labelings: all of them see the same rows in the same order, so a labeling is a lane, a row's inputs are scalars shared
by all lanes, and no lane ever reads another's numbers. Weights are read once per eight rows: see ``_lockstep_blocks``.
"""

from typing import NamedTuple

import numpy as np

from pumetrics._extras import require
from pumetrics.models._lockstep_blocks import blocks_of
from pumetrics.models._lockstep_state import WIDTH, pack, pack_targets, unpack

__all__ = ["Network", "initial_network", "lockstep_mlp", "predict", "train"]


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
    sees : ndarray of shape (n_inputs, n_lanes), bool
        Whether a lane sees an input; weights of those it does not see are 0 and stay 0.
    """

    hidden: np.ndarray
    output: np.ndarray
    alive: np.ndarray
    sees: np.ndarray


_INITIAL = 0.05  # weights start uniform on [-_INITIAL, _INITIAL], as in WEKA


def lockstep_mlp(table, labels, folds, removed, rng, *, epochs=500, learning_rate=0.3, momentum=0.2):
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
    epochs, learning_rate, momentum
        WEKA's defaults.

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
        network = initial_network(sees, _INITIAL, np.random.default_rng(seed))
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
    """Repeat the last lane until the lanes fill whole vectors."""
    missing = -lanes.shape[-1] % WIDTH
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
    flat = n_hidden * n_lanes
    return Network(
        hidden.reshape(n_inputs, flat).astype(np.float32),
        output.astype(np.float32),
        alive.reshape(flat).astype(np.float32),
        sees,
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

    Raises
    ------
    ValueError
        If `momentum` is not in [0, 1).
    MissingExtraError
        If numba is not installed.
    """
    if not 0 <= momentum < 1:
        raise ValueError(f"momentum must be at least 0 and below 1, got {momentum}")
    if not (len(x) and epochs):
        return
    require("numba", extra="fast", purpose='model "mlp"')
    from pumetrics.models._lockstep_numba import train as train_state

    groups, group = np.unique(network.sees, axis=1, return_inverse=True)
    blocks = blocks_of(x, groups.T, momentum)
    state = pack(network, group.ravel(), groups.shape[1], len(blocks.end))
    train_state(state, blocks, pack_targets(targets, blocks), epochs, np.float32(learning_rate), np.float32(momentum))
    unpack(state, network, blocks, epochs * len(blocks.x))


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
