"""WEKA's multilayer perceptron, trained on many labelings of the same rows in lockstep.

Online gradient descent cannot be batched over rows without becoming another algorithm. It can be batched over
labelings: all of them see the same rows in the same order, so a labeling is a lane, a row's inputs are scalars shared
by all lanes, and no lane ever reads another's numbers.

With momentum m, the weights before row t are w_t = v_t - sum over earlier rows s of m^(t - s) d_s x_s, where d_s is the
rate times the gradient, over 1 - m, and v_t = w_0 + sum of d_s x_s needs no memory of past steps. The net input w_t x_t
of a row is therefore that of v before its block, plus d_s (1 - m^(t - s)) x_s x_t of the earlier rows of its block,
less d_s m^(t - s) x_s x_t of the rows before. So weights are read and written once per block, by an inner product that
all lanes share: the same sums in another order, but for a momentum that has decayed to a millionth of a step.
"""

from typing import NamedTuple

import numpy as np

from pumetrics.compiled import can_compile
from pumetrics.extras import require

__all__ = ["ROWS", "WIDTH", "Network", "initial_network", "lockstep_mlp", "predict", "train"]

ROWS = 8
"""Rows of a block."""
WIDTH = 16
"""Lanes of a vector, which is one cache line: one register with AVX-512, two with AVX2, four on ARM."""
_INITIAL = 0.05  # weights start uniform on [-_INITIAL, _INITIAL], as in WEKA
_FORGOTTEN = 1e-6


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


def lockstep_mlp(
    table, labels, folds, removed, rng, *, epochs=500, learning_rate=0.3, momentum=0.2
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

    inputs, source = table.indicators()
    sees = np.vstack([source[:, None] != removed, np.ones((1, len(removed)), bool)])
    scores = np.empty(labels.shape)
    for fold in np.unique(folds):
        train_rows = order[folds[order] != fold]
        test_rows = np.flatnonzero(folds == fold)
        x = np.hstack([_to_unit_range(inputs, train_rows), np.ones((len(inputs), 1), np.float32)])
        network = initial_network(sees, _INITIAL, np.random.default_rng(seed))
        targets = _padded(labels[:, train_rows].T.astype(np.float32))
        train(
            network, np.ascontiguousarray(x[train_rows]), targets, epochs, learning_rate, momentum
        )
        scores[:, test_rows] = predict(network, np.ascontiguousarray(x[test_rows]))[: len(labels)]
    return scores


def _to_unit_range(inputs, train_rows):
    """Scale each input to [-1, 1] by its range over the training rows; constant and missing inputs become 0."""
    with np.errstate(invalid="ignore"):
        low = np.fmin.reduce(inputs[train_rows])
        high = np.fmax.reduce(inputs[train_rows])
    half = (high - low) / 2
    scaled = (inputs - (high + low) / 2) / np.where(half > 0, half, np.inf)
    return np.nan_to_num(scaled, nan=0.0).astype(np.float32)


def _padded(lanes):
    """Repeat the last lane until the lanes fill whole vectors."""
    missing = -lanes.shape[-1] % WIDTH
    return np.ascontiguousarray(
        np.concatenate([lanes, np.repeat(lanes[..., -1:], missing, axis=-1)], axis=-1)
    )


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
    n_hidden = (n_inputs - 1 + 2) // 2
    n_lanes = sees.shape[1]
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


def train(
    network,
    x,
    targets,
    epochs,
    learning_rate,
    momentum,
):
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
    if not can_compile():
        raise ValueError(
            'model "mlp" needs compiled loops, which PUMETRICS_COMPILE=0 switches off: remove it'
        )
    from pumetrics_workflow.models.lockstep_numba import train as train_state

    groups, group = np.unique(network.sees, axis=1, return_inverse=True)
    blocks = blocks_of(x, groups.T, momentum)
    state = pack(network, group.ravel(), groups.shape[1], len(blocks.end))
    train_state(
        state,
        blocks,
        pack_targets(targets, blocks),
        epochs,
        np.float32(learning_rate),
        np.float32(momentum),
    )
    unpack(state, network, blocks, epochs * len(blocks.x))


def predict(network, x):
    """Probability of the positive class, outputs normalized to sum 1, in float64 so that sure cases do not tie.

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
        out = np.einsum(
            "rhk,chk->ckr", act, network.output[:, :-1].astype(np.float64)
        ) + network.output[:, -1:].transpose(0, 2, 1)
        negative, positive = expit(out)
        scores[:, start : start + 256] = positive / (negative + positive)
    return scores


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
    r"""Blocks of rows.

    In the algebra of the module, with :math:`m` the momentum, step :math:`t` of row :math:`x_t` and the rate times the
    gradient over :math:`1 - m` as :math:`d_s`, the net input is

    .. math:: w_t x_t = v_q x_t + \sum_{s \in q,\, s < t} (1 - m^{t-s})\, d_s\, x_s x_t
              - \sum_{s \text{ before } q} m^{t-s}\, d_s\, x_s x_t,

    where :math:`v_q = w_0 + \sum_{s \text{ before } q} d_s x_s` is kept at the beginning of block :math:`q`. The
    factors of :math:`d_s` do not depend on weights, so they are computed once: :math:`([s \in q] - m^{t-s})\, x_s x_t`.

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
    n_blocks = len(padded)
    real = step >= 0
    reach = 1 if momentum < _FORGOTTEN else int(np.log(_FORGOTTEN) / np.log(momentum))
    n_back = max(_blocks_back(real.sum(axis=1), reach), 2)
    near = np.zeros((n_blocks, len(groups), ROWS, ROWS))
    before = np.zeros((n_blocks, n_back, len(groups), ROWS, ROWS))
    for distance in range(
        n_back + 1
    ):  # of row s in the block this many before, which may be in the last epoch
        epoch, block = np.divmod(np.arange(n_blocks) - distance, n_blocks)
        lag = step[:, None, :] - (
            step[block][:, :, None] + epoch[:, None, None] * len(x)
        )  # t - s, (n_blocks, s, t)
        felt = (
            (lag > 0)
            & ((lag <= reach) | (distance == 0))
            & real[block][:, :, None]
            & real[:, None, :]
        )
        effect = np.where(
            felt, (distance == 0) - momentum ** np.abs(lag).astype(float), 0
        )  # [s in q] - m^(t - s)
        effect = effect[:, None] * _products(
            padded[block], padded, groups
        )  # times x_s x_t, (n_blocks, n_groups, s, t)
        # Training reads the last ROWS rows before t from `near`, whatever block they are in, the others from `before`.
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
    n_blocks = -(-len(x) // ROWS)
    empty = -len(x) % ROWS
    step = np.arange(n_blocks * ROWS)
    step[-ROWS:] -= empty
    step[-ROWS:][:empty] = -1
    padded = np.zeros((n_blocks * ROWS, x.shape[1]), np.float32)
    padded[step >= 0] = x
    return padded.reshape(n_blocks, ROWS, -1), step.reshape(n_blocks, ROWS)


def _blocks_back(sizes, reach):
    """How many blocks hold the `reach` rows before any block."""
    covered = np.zeros(len(sizes), np.int64)
    back = 0
    while covered.min() < reach:
        back += 1
        covered += np.roll(sizes, back)
    return back


def _products(earlier, later, groups):
    """Inner products x_s x_t over the inputs i that a group sees, (n_blocks, n_groups, ROWS, ROWS), in float64."""
    of_group = [
        np.einsum("qsi,qti->qst", (earlier * seen).astype(np.float64), later) for seen in groups
    ]
    return np.stack(of_group, axis=1)


def _at_the_end(step, n_back, n_rows, momentum):
    """Attribute `end` of the blocks: the last weights are v + sum of ([s in the last block] - m^(T - s)) d_s x_s.

    T is the step after the last, and v does not hold the last block yet.
    """
    epoch, block = np.divmod(-np.arange(1, n_back + 1), len(step))
    lag = n_rows - (step[block] + (epoch + 1)[:, None] * n_rows)
    new = (np.arange(n_back) == 0)[:, None]
    return np.where(step[block] >= 0, new - momentum ** lag.astype(float), 0).astype(np.float32)


class State(NamedTuple):
    """Arrays that training reads and changes, float32 unless said otherwise; the weights of a unit follow each other.

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
    n_hidden = network.output.shape[1] - 1
    n_vectors = n_lanes // WIDTH
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
    n_blocks = len(blocks.x)
    n_lanes = targets.shape[1]
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
    n_blocks = len(blocks.x)
    n_slots = len(blocks.end)
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
