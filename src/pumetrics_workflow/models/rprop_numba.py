"""One network at a time on its own rows, gathered once and kept in cache through all its epochs; sums in registers.

About twice as fast as the shared product while a network's rows (4 bytes x rows in the bag x features) fit in a core's
cache: no work is spent on rows that are not in the bag, and nothing leaves the cache between the passes of a block.

Rows lie along the last axis of every array, so each loop over rows becomes vector instructions. Tiles of 4 (or 3)
hidden units by 4 features are written out by hand: their 16 weights or 16 sums stay in registers, and each value
loaded is used four times. `fastmath` allows fused multiply-add, but neither sums in an order that the compiler chooses
by the machine nor assumptions about NaN.
"""

from functools import partial

import numpy as np

from pumetrics.compiled import compiled
from pumetrics_workflow.models.lanes import (
    add,
    load,
    load_8,
    multiply,
    multiply_add,
    spread,
    spread_8,
    store,
    subtract,
    total,
)
from pumetrics_workflow.models.rprop import (
    LOSS_FLOOR,
    STEP_GROWTH,
    STEP_MAX,
    STEP_MIN,
    STEP_SHRINK,
    Trained,
)

__all__ = ["train"]

# Rows of a block at most, and the distance of two features in memory: not a power of two, or all features of a row
# would fight for the same places of the cache.
BLOCK = 512
STRIDE = 528

jit = partial(compiled, fastmath={"contract", "nsz"}, error_model="numpy")
inlined = partial(jit, inline="always")
_GROWTH, _SHRINK, _MIN, _MAX = (
    np.float32(v) for v in (STEP_GROWTH, STEP_SHRINK, STEP_MIN, STEP_MAX)
)
_F0 = np.float32(0)
# tanh(x) = x P(x^2) / Q(x^2): our own minimax fit (Lawson's reweighted least squares) on [-8.3, 8.3], relative error
# 3e-8, and 4e-7 in single precision; beyond, tanh is 1 to the last bit.
_TANH_END = np.float32(8.3)
_P = tuple(
    np.float32(c)
    for c in (
        0.9999999727,
        0.129617865,
        2.966812824e-3,
        9.695964531e-6,
        -1.410756495e-8,
        2.179813756e-11,
    )
)
_Q = tuple(np.float32(c) for c in (1.0, 0.462950956, 2.395082606e-2, 2.345166899e-4))


@jit
def _tanh(x):
    x = min(max(x, -_TANH_END), _TANH_END)
    t = x * x
    p = ((((_P[5] * t + _P[4]) * t + _P[3]) * t + _P[2]) * t + _P[1]) * t + _P[0]
    q = ((_Q[3] * t + _Q[2]) * t + _Q[1]) * t + _Q[0]
    return x * p / q


@inlined
def _weights_of(w, h, j):
    """Weights of features j to j + 3 into a hidden unit."""
    return w[h, j], w[h, j + 1], w[h, j + 2], w[h, j + 3]


@inlined
def _features_of(x, j, r):
    """Features j to j + 3 of a row."""
    return x[j, r], x[j + 1, r], x[j + 2, r], x[j + 3, r]


@inlined
def _plus(unit, w, x):
    return unit + w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3] * x[3]


@jit
def _forward_4(
    units,
    h,
    x,
    j,
    w,
    size,
):
    """Add the inputs of features j to j + 3 to hidden units h to h + 3."""
    a = _weights_of(w, h, j)
    b = _weights_of(w, h + 1, j)
    c = _weights_of(w, h + 2, j)
    d = _weights_of(w, h + 3, j)
    for r in range(size):
        four = _features_of(x, j, r)
        units[h, r] = _plus(units[h, r], a, four)
        units[h + 1, r] = _plus(units[h + 1, r], b, four)
        units[h + 2, r] = _plus(units[h + 2, r], c, four)
        units[h + 3, r] = _plus(units[h + 3, r], d, four)


@jit
def _forward_3(
    units,
    h,
    x,
    j,
    w,
    size,
):
    """Add the inputs of features j to j + 3 to hidden units h to h + 2."""
    a = _weights_of(w, h, j)
    b = _weights_of(w, h + 1, j)
    c = _weights_of(w, h + 2, j)
    for r in range(size):
        four = _features_of(x, j, r)
        units[h, r] = _plus(units[h, r], a, four)
        units[h + 1, r] = _plus(units[h + 1, r], b, four)
        units[h + 2, r] = _plus(units[h + 2, r], c, four)


@inlined
def _loaded(rows, at):
    """Eight rows of four features."""
    return (
        load_8(rows, at),
        load_8(rows, at + STRIDE),
        load_8(rows, at + 2 * STRIDE),
        load_8(rows, at + 3 * STRIDE),
    )


@inlined
def _with_products(sums, deltas, at, x):
    """Sums of four features with the products of eight rows."""
    delta = load_8(deltas, at)
    return (
        multiply_add(delta, x[0], sums[0]),
        multiply_add(delta, x[1], sums[1]),
        multiply_add(delta, x[2], sums[2]),
        multiply_add(delta, x[3], sums[3]),
    )


@jit
def _backward_4(
    delta,
    h,
    x,
    j,
    g,
    size,
):
    """Add delta times x, summed over rows, to the gradients of hidden units h to h + 3 and features j to j + 3."""
    deltas = delta.ctypes.data
    rows = x.ctypes.data
    zero = spread_8(_F0)
    a = b = c = d = (zero, zero, zero, zero)
    for r in range(0, size, 8):
        four = _loaded(rows, j * STRIDE + r)
        a = _with_products(a, deltas, h * STRIDE + r, four)
        b = _with_products(b, deltas, (h + 1) * STRIDE + r, four)
        c = _with_products(c, deltas, (h + 2) * STRIDE + r, four)
        d = _with_products(d, deltas, (h + 3) * STRIDE + r, four)
    _add_4(g, h, j, a)
    _add_4(g, h + 1, j, b)
    _add_4(g, h + 2, j, c)
    _add_4(g, h + 3, j, d)


@jit
def _backward_3(
    delta,
    h,
    x,
    j,
    g,
    size,
):
    """Add delta times x, summed over rows, to the gradients of hidden units h to h + 2 and features j to j + 3."""
    deltas = delta.ctypes.data
    rows = x.ctypes.data
    zero = spread_8(_F0)
    a = b = c = (zero, zero, zero, zero)
    for r in range(0, size, 8):
        four = _loaded(rows, j * STRIDE + r)
        a = _with_products(a, deltas, h * STRIDE + r, four)
        b = _with_products(b, deltas, (h + 1) * STRIDE + r, four)
        c = _with_products(c, deltas, (h + 2) * STRIDE + r, four)
    _add_4(g, h, j, a)
    _add_4(g, h + 1, j, b)
    _add_4(g, h + 2, j, c)


@inlined
def _add_4(g, h, j, sums):
    g[h, j] += total(sums[0])
    g[h, j + 1] += total(sums[1])
    g[h, j + 2] += total(sums[2])
    g[h, j + 3] += total(sums[3])


def padded_units(n_hidden):
    """Number of units after adding such with zero weights, which stay zero: a sum of fours and threes."""
    return {1: 3, 2: 3, 5: 6}.get(n_hidden, n_hidden)


@jit
def _in_fours(n_hidden):
    """How many of `padded_units` go into tiles of four; the rest fills tiles of three."""
    return n_hidden - 3 * (-n_hidden % 4)


@jit
def forward(units, x, w, bias, size):
    """Write tanh(w x + bias) of `size` rows into `units`; features in fours, hidden units in fours and threes."""
    n_hidden, n_features = w.shape
    fours = _in_fours(n_hidden)
    for h in range(n_hidden):
        for r in range(size):
            units[h, r] = bias[h]
    for j in range(0, n_features, 4):
        for h in range(0, fours, 4):
            _forward_4(units, h, x, j, w, size)
        for h in range(fours, n_hidden, 3):
            _forward_3(units, h, x, j, w, size)
    for h in range(n_hidden):
        for r in range(size):
            units[h, r] = _tanh(units[h, r])


@jit
def output_errors(error, units, output, target, size):
    """Write tanh(output) - target of `size` rows into `error`."""
    n_hidden = len(output) - 1
    for r in range(size):
        error[r] = output[n_hidden]
    for h in range(n_hidden):
        v = output[h]
        for r in range(size):
            error[r] += v * units[h, r]
    for r in range(size):
        error[r] = _tanh(error[r]) - target[r]


@jit
def log_loss(error, weights, start, stop, floor):
    """Log-loss of rows `start` to `stop`, each counted `weights` times: one logarithm for many factors."""
    loss = 0.0
    product = 1.0
    for r in range(start, stop):
        right = max(1 - 0.5 * abs(np.float64(error[r])), floor)
        for _ in range(int(weights[r])):
            product *= right
        if product < 1e-200:
            loss -= np.log(product)
            product = 1.0
    return loss - np.log(product)


@jit
def _weighted(error, weights, size):
    """Multiply the errors by their weights and return their sum."""
    for r in range(size):
        error[r] *= weights[r]
    lanes = np.zeros(32, np.float32)
    whole = size // 32 * 32
    for start in range(0, whole, 32):
        for lane in range(32):
            lanes[lane] += error[start + lane]
    eight = lanes[:8] + lanes[8:16] + lanes[16:24] + lanes[24:]
    four = eight[:4] + eight[4:]
    four[0] = (four[0] + four[2]) + (four[1] + four[3])
    four[1:] = _F0
    for start in range(whole, size, 4):  # the 16 rows that may be left
        for lane in range(4):
            four[lane] += error[start + lane]
    return (four[0] + four[2]) + (four[1] + four[3])


@jit
def _slopes(units, error, size):
    """Put e - u^2 e in the place of a unit's u; return the sums of u e and of that over the rows."""
    unit_at = units.ctypes.data
    error_at = error.ctypes.data
    zero = spread(_F0)
    with_unit = with_slope = zero
    for r in range(0, size, 16):
        u = load(unit_at, r)
        e = load(error_at, r)
        with_unit = multiply_add(u, e, with_unit)
        slope = multiply_add(multiply(u, u), subtract(zero, e), e)
        store(unit_at, r, slope)
        with_slope = add(with_slope, slope)
    return total(with_unit), total(with_slope)


@jit
def gradients(
    units,
    error,
    weights,
    x,
    g,
    g_bias,
    g_output,
    size,
):
    """Add the gradients of `size` rows; the hidden ones still lack their factor, the output weight. Spoils `units`."""
    n_hidden, n_features = g.shape
    fours = _in_fours(n_hidden)
    g_output[n_hidden] += _weighted(error, weights, size)
    for h in range(n_hidden):
        with_unit, with_slope = _slopes(units[h], error, size)
        g_output[h] += with_unit
        g_bias[h] += with_slope
    for j in range(0, n_features, 4):
        for h in range(0, fours, 4):
            _backward_4(units, h, x, j, g, size)
        for h in range(fours, n_hidden, 3):
            _backward_3(units, h, x, j, g, size)


def train(problem, settings):
    """Train every network of `problem` until its own patience ends.

    Parameters
    ----------
    problem : Problem
    settings : Settings

    Returns
    -------
    Trained
    """
    draws = problem.draws
    trained = Trained.start(problem.draws)
    n_hidden, n_networks, n_inputs = draws.hidden.shape
    n_features = _padded(n_inputs - 1, 4)
    work = _work_space(draws, n_features)
    weights = np.zeros((padded_units(n_hidden), n_features), dtype=np.float32)
    bias = np.zeros(len(weights), dtype=np.float32)
    output = np.zeros(len(weights) + 1, dtype=np.float32)
    steps = np.float32(settings.hidden_step), np.float32(settings.output_step)
    for m in range(n_networks):
        weights[:n_hidden, : n_inputs - 1] = draws.hidden[:, m, :-1]
        bias[:n_hidden] = draws.hidden[:, m, -1]
        output[:n_hidden] = draws.output[:-1, m]
        output[-1] = draws.output[-1, m]
        trained.loss[m], trained.epochs[m] = _train_network(
            problem.X,
            problem.target,
            draws.counts[m],
            draws.held_out[m],
            weights,
            bias,
            output,
            settings.max_epochs,
            settings.patience,
            steps,
            work,
        )
        trained.hidden[:, m, :-1] = weights[:n_hidden, : n_inputs - 1]
        trained.hidden[:, m, -1] = bias[:n_hidden]
        trained.output[:-1, m] = output[:n_hidden]
        trained.output[-1, m] = output[-1]
    return trained


def _padded(n, multiple):
    return -(-n // multiple) * multiple


def _work_space(draws, n_features):
    """Arrays for the rows of the largest bag in blocks, and for the units and errors of one block."""
    n_blocks = _padded(np.count_nonzero(draws.counts, axis=1).max(), BLOCK) // BLOCK
    n_units = padded_units(len(draws.hidden))
    return (
        np.zeros((n_blocks, n_features, STRIDE), dtype=np.float32),
        # Target, training weight, validation weight.
        np.zeros((3, n_blocks, STRIDE), dtype=np.float32),
        np.empty((n_units, STRIDE), dtype=np.float32),
        np.empty(STRIDE, dtype=np.float32),
    )


@jit
def _train_network(
    data, target, counts, held_out, weights, bias, output, max_epochs, patience, initial_steps, work
):
    """Train in place; leaves the best weights and returns their validation loss and the epochs run."""
    x, rows, units, error = work
    n_training, n_rows, size, total = _gather(data, target, counts, held_out, x, rows)
    parameters = (weights, bias, output)
    best = (weights.copy(), bias.copy(), output.copy())
    gradient = (np.zeros_like(weights), np.zeros_like(bias), np.zeros_like(output))
    previous = (np.zeros_like(weights), np.zeros_like(bias), np.zeros_like(output))
    steps = (
        np.full_like(weights, initial_steps[0]),
        np.full_like(bias, initial_steps[0]),
        np.full_like(output, initial_steps[1]),
    )
    best_loss = np.inf
    failures = 0
    epoch = 0
    while True:
        last = epoch == max_epochs
        loss = (
            _pass(
                x, rows, units, error, parameters, gradient, 0 if last else n_training, n_rows, size
            )
            / total
        )
        if loss < best_loss:
            best_loss = loss
            failures = 0
            _copy(parameters, best)
        else:
            failures += 1
        if failures == patience or last:
            break
        for h in range(len(bias)):
            gradient[1][h] *= output[h]
            for j in range(weights.shape[1]):
                gradient[0][h, j] *= output[h]
        _step(weights.ravel(), gradient[0].ravel(), previous[0].ravel(), steps[0].ravel())
        _step(bias, gradient[1], previous[1], steps[1])
        _step(output, gradient[2], previous[2], steps[2])
        epoch += 1
    _copy(best, parameters)
    return best_loss, epoch


@jit
def _gather(
    data,
    target,
    counts,
    held_out,
    x,
    rows,
):
    """Copy the rows of a bag into blocks, those to train on first.

    Returns the number of rows to train on, of rows in the bag, of rows per block, and the copies of validation rows.
    """
    order = np.empty(len(counts), dtype=np.int64)
    n_training = 0
    for i in range(len(counts)):
        if counts[i] > 0 and not held_out[i]:
            order[n_training] = i
            n_training += 1
    n_rows = n_training
    total = 0
    for i in range(len(counts)):
        if held_out[i]:
            order[n_rows] = i
            n_rows += 1
            total += counts[i]
    n_blocks = -(-n_rows // BLOCK)
    size = -(-n_rows // (16 * n_blocks)) * 16
    rows[:] = 0
    for b in range(n_blocks):
        used = min(size, n_rows - b * size)
        for r in range(used):
            i = order[b * size + r]
            rows[0, b, r] = target[i]
            rows[2 if held_out[i] else 1, b, r] = counts[i]
            for j in range(data.shape[1] - 1):  # the bias has no column of ones here
                x[b, j, r] = data[i, j]
        x[b, :, used:size] = 0
    return n_training, n_rows, size, total


@jit
def _pass(
    x,
    rows,
    units,
    error,
    parameters,
    gradient,
    n_training,
    n_rows,
    size,
):
    """Validation loss, and the gradient over the training rows, of one pass over a network's rows."""
    weights, bias, output = parameters
    gradient[0][:] = 0
    gradient[1][:] = 0
    gradient[2][:] = 0
    loss = 0.0
    for b in range(-(-n_rows // size)):
        used = min(size, n_rows - b * size)
        to_train = min(size, max(n_training - b * size, 0))
        forward(units, x[b], weights, bias, size)
        output_errors(error, units, output, rows[0, b], size)
        loss += log_loss(error, rows[2, b], to_train, used, LOSS_FLOOR)
        if to_train > 0:
            # Up to the next full vector: the rows between have weight 0.
            whole = -(-to_train // 16) * 16
            gradients(units, error, rows[1, b], x[b], gradient[0], gradient[1], gradient[2], whole)
    return loss


@jit
def _step(weights, gradient, previous, steps):
    """Move each weight by its own step against the sign of its gradient; forget a gradient that changed sign."""
    for i in range(len(weights)):
        agreement = gradient[i] * previous[i]
        if agreement > 0:
            steps[i] = min(steps[i] * _GROWTH, _MAX)
        elif agreement < 0:
            steps[i] = max(steps[i] * _SHRINK, _MIN)
            gradient[i] = 0
        if gradient[i] > 0:
            weights[i] -= steps[i]
        elif gradient[i] < 0:
            weights[i] += steps[i]
        previous[i] = gradient[i]


@jit
def _copy(source, destination):
    """Copy weights, bias and output by loops: slices bring a message about shapes that takes seconds to compile."""
    for i in range(len(source[1])):
        for j in range(source[0].shape[1]):
            destination[0][i, j] = source[0][i, j]
        destination[1][i] = source[1][i]
    for i in range(len(source[2])):
        destination[2][i] = source[2][i]
