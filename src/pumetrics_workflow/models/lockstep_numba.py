"""The perceptron's training compiled: vectors of sixteen lanes, one sweep over the weights per block of eight rows."""

from functools import partial

import numpy as np

from pumetrics.compiled import compiled
from pumetrics_workflow.models.lanes import (
    add,
    clamp,
    divide,
    load,
    multiply,
    multiply_add,
    spread,
    spread_at,
    store,
    subtract,
)
from pumetrics_workflow.models.lockstep_mlp import ROWS, WIDTH

__all__ = ["train"]

_ZERO = np.float32(0)
_HALF = np.float32(0.5)
_ONE = np.float32(1)
_EDGE = np.float32(18)
_EIGHTH = np.float32(0.125)
_A0 = np.float32(945)
_A1 = np.float32(105)
_B0 = np.float32(945)
_B1 = np.float32(420)
_B2 = np.float32(15)
_BLOCK = ROWS * WIDTH
_BYTES = 4


_inlined = partial(compiled, inline="always", error_model="numpy")


@_inlined
def _sigmoid(v):
    """1 / (1 + exp(-v)) as (1 + tanh(4 y)) / 2 at y = v / 8, one division, absolute error below 3e-7.

    tanh(y) is the Padé fraction [5/4], doubled twice by tanh(2 y) = 2 N D / (D^2 + N^2). Near 0 its values are
    differences of halves: in the lower tail their relative error reaches 33%.
    """
    y = multiply(clamp(v, spread(_EDGE)), spread(_EIGHTH))
    square = multiply(y, y)
    above = multiply(y, multiply_add(square, add(spread(_A1), square), spread(_A0)))
    below = multiply_add(square, multiply_add(square, spread(_B2), spread(_B1)), spread(_B0))
    top = multiply(add(above, above), below)
    bottom = multiply_add(below, below, multiply(above, above))
    ratio = divide(multiply(top, bottom), multiply_add(bottom, bottom, multiply(top, top)))
    return add(spread(_HALF), ratio)


@_inlined
def _eight(numbers, at):
    """Eight numbers, each in all lanes."""
    return (
        spread_at(numbers, at),
        spread_at(numbers, at + 1),
        spread_at(numbers, at + 2),
        spread_at(numbers, at + 3),
        spread_at(numbers, at + 4),
        spread_at(numbers, at + 5),
        spread_at(numbers, at + 6),
        spread_at(numbers, at + 7),
    )


@_inlined
def _with_products(sums, factor, eight):
    """Eight sums with the products of a vector."""
    return (
        multiply_add(factor, eight[0], sums[0]),
        multiply_add(factor, eight[1], sums[1]),
        multiply_add(factor, eight[2], sums[2]),
        multiply_add(factor, eight[3], sums[3]),
        multiply_add(factor, eight[4], sums[4]),
        multiply_add(factor, eight[5], sums[5]),
        multiply_add(factor, eight[6], sums[6]),
        multiply_add(factor, eight[7], sums[7]),
    )


@_inlined
def _zeros():
    zero = spread(_ZERO)
    return zero, zero, zero, zero, zero, zero, zero, zero


@_inlined
def _blend(
    numbers,
    start,
    members,
    vector,
    n_vectors,
    groups,
):
    """Eight numbers of each group of lanes, each as a vector that holds every lane's own."""
    blended = _zeros()
    for group in range(groups[vector, 0], groups[vector, 1]):
        member = load(members, (group * n_vectors + vector) * WIDTH)
        blended = _with_products(blended, member, _eight(numbers, start + group * ROWS * ROWS))
    return blended


@_inlined
def _sweep(
    weights,
    at,
    n_inputs,
    masked,
    seen,
    seen_step,
    then,
    now,
    gradients,
    g,
    nets,
):
    """Net inputs of a block's rows and, on the way, the steps that the block before owes the weights of a unit."""
    g0 = load(gradients, g)
    g1 = load(gradients, g + WIDTH)
    g2 = load(gradients, g + 2 * WIDTH)
    g3 = load(gradients, g + 3 * WIDTH)
    g4 = load(gradients, g + 4 * WIDTH)
    g5 = load(gradients, g + 5 * WIDTH)
    g6 = load(gradients, g + 6 * WIDTH)
    g7 = load(gradients, g + 7 * WIDTH)
    for i in range(n_inputs):
        inputs = _eight(then, i * ROWS)
        w = multiply_add(g0, inputs[0], load(weights, at + i * WIDTH))
        w = multiply_add(g1, inputs[1], w)
        w = multiply_add(g2, inputs[2], w)
        w = multiply_add(g3, inputs[3], w)
        v = multiply(g4, inputs[4])  # two sums: half the latency
        v = multiply_add(g5, inputs[5], v)
        v = multiply_add(g6, inputs[6], v)
        v = multiply_add(g7, inputs[7], v)
        w = add(w, v)
        if masked:  # weights a lane lacks start at 0 and stay there
            w = multiply(w, load(seen, i * seen_step))
        store(weights, at + i * WIDTH, w)
        nets = _with_products(nets, w, _eight(now, i * ROWS))
    return nets


@_inlined
def _forward(
    nets,
    gradients,
    size,
    o,
    e,
    output,
    alive,
    errors,
    target,
    row,
    vector,
    n_hidden,
    n_vectors,
    rate,
):
    """Activities of a row in place of its net inputs, and the errors of both outputs times their slope and the rate."""
    far = (n_hidden + 1) * n_vectors * WIDTH
    negative = load(output, (n_hidden * n_vectors + vector) * WIDTH)
    positive = load(output, far + (n_hidden * n_vectors + vector) * WIDTH)
    for h in range(n_hidden):
        unit = h * n_vectors + vector
        at = unit * size
        net = multiply_add(
            load(gradients, at + o[7]), e[7], load(nets, unit * _BLOCK + row * WIDTH)
        )
        net = multiply_add(load(gradients, at + o[6]), e[6], net)
        net = multiply_add(load(gradients, at + o[5]), e[5], net)
        net = multiply_add(load(gradients, at + o[4]), e[4], net)
        net = multiply_add(load(gradients, at + o[3]), e[3], net)
        net = multiply_add(load(gradients, at + o[2]), e[2], net)
        net = multiply_add(load(gradients, at + o[1]), e[1], net)
        net = multiply_add(load(gradients, at + o[0]), e[0], net)
        act = multiply(_sigmoid(net), load(alive, unit * WIDTH))
        store(nets, unit * _BLOCK + row * WIDTH, act)
        negative = multiply_add(load(output, unit * WIDTH), act, negative)
        positive = multiply_add(load(output, far + unit * WIDTH), act, positive)
    one = spread(_ONE)
    negative = _sigmoid(negative)
    positive = _sigmoid(positive)
    slope = multiply(spread(rate), multiply(negative, subtract(one, negative)))
    store(errors, 2 * vector * WIDTH, multiply(subtract(subtract(one, target), negative), slope))
    slope = multiply(spread(rate), multiply(positive, subtract(one, positive)))
    store(errors, (2 * vector + 1) * WIDTH, multiply(subtract(target, positive), slope))


@_inlined
def _backward(
    nets,
    output,
    steps,
    errors,
    gradients,
    size,
    o,
    row,
    vector,
    n_hidden,
    n_vectors,
    momentum,
    growth,
):
    """Gradients of the units in a row, and the step of the output."""
    negative = load(errors, 2 * vector * WIDTH)
    positive = load(errors, (2 * vector + 1) * WIDTH)
    m = spread(momentum)
    one = spread(_ONE)
    far = (n_hidden + 1) * n_vectors * WIDTH
    grown_negative = multiply(negative, spread(growth))
    grown_positive = multiply(positive, spread(growth))
    for h in range(n_hidden):
        unit = h * n_vectors + vector
        at = unit * WIDTH
        act = load(nets, unit * _BLOCK + row * WIDTH)
        weight = load(output, at)
        other = load(output, far + at)
        back = multiply_add(weight, grown_negative, multiply(other, grown_positive))
        store(gradients, unit * size + o, multiply(back, multiply(act, subtract(one, act))))
        step = multiply_add(m, load(steps, at), multiply(negative, act))
        store(steps, at, step)
        store(output, at, add(weight, step))
        step = multiply_add(m, load(steps, far + at), multiply(positive, act))
        store(steps, far + at, step)
        store(output, far + at, add(other, step))
    at = (n_hidden * n_vectors + vector) * WIDTH
    step = multiply_add(m, load(steps, at), negative)
    store(steps, at, step)
    store(output, at, add(load(output, at), step))
    step = multiply_add(m, load(steps, far + at), positive)
    store(steps, far + at, step)
    store(output, far + at, add(load(output, far + at), step))


@_inlined
def _felt(
    gradients,
    at,
    before,
    start,
    members,
    vector,
    n_vectors,
    groups,
    nets,
):
    """Net inputs of a block's rows with what they feel of a unit's gradients in an earlier block."""
    for row in range(ROWS):
        effects = _blend(before, start + row * ROWS, members, vector, n_vectors, groups)
        nets = _with_products(nets, load(gradients, at + row * WIDTH), effects)
    return nets


@_inlined
def _keep(nets, at, eight):
    """Store the net inputs of a block's rows."""
    store(nets, at, eight[0])
    store(nets, at + WIDTH, eight[1])
    store(nets, at + 2 * WIDTH, eight[2])
    store(nets, at + 3 * WIDTH, eight[3])
    store(nets, at + 4 * WIDTH, eight[4])
    store(nets, at + 5 * WIDTH, eight[5])
    store(nets, at + 6 * WIDTH, eight[6])
    store(nets, at + 7 * WIDTH, eight[7])


@_inlined
def _around(place, size):
    """A place that may lie before the first of `size`, counted from the end; a division would take far longer."""
    return place + size if place < 0 else place


@_inlined
def _places(here, size):
    """Where the gradients of the eight rows before one are, the nearest first."""
    return (
        _around(here - WIDTH, size),
        _around(here - 2 * WIDTH, size),
        _around(here - 3 * WIDTH, size),
        _around(here - 4 * WIDTH, size),
        _around(here - 5 * WIDTH, size),
        _around(here - 6 * WIDTH, size),
        _around(here - 7 * WIDTH, size),
        _around(here - 8 * WIDTH, size),
    )


@compiled(error_model="numpy")
def train(
    state,
    blocks,
    targets,
    epochs,
    rate,
    momentum,
):
    """Train in place by so many passes over the blocks of rows; `rate` and `momentum` are float32."""
    weights, output, steps, gradients, nets, errors, alive, seen, masked, members, groups = state
    x, first, back, near, before, _ = blocks
    n_blocks = len(x)
    n_slots = gradients.shape[2] // ROWS
    pairs = len(members) * ROWS * ROWS
    n_hidden, n_vectors, n_inputs = weights.shape[:3]
    size = n_slots * _BLOCK
    x_size = n_inputs * ROWS * _BYTES
    weights = weights.ctypes.data
    output = output.ctypes.data
    steps = steps.ctypes.data
    alive = alive.ctypes.data
    nets = nets.ctypes.data
    errors = errors.ctypes.data
    seen = seen.ctypes.data
    gradients = gradients.ctypes.data
    x = x.ctypes.data
    members = members.ctypes.data
    targets = targets.ctypes.data
    near = near.ctypes.data
    before = before.ctypes.data
    growth = _ONE / (_ONE - momentum)
    for turn in range(epochs * n_blocks):
        block = turn % n_blocks
        last = (turn + n_slots - 1) % n_slots * _BLOCK
        now = x + block * x_size
        then = x + (turn + n_blocks - 1) % n_blocks * x_size
        for unit in range(n_hidden * n_vectors):
            vector = unit % n_vectors
            eight = _zeros()
            for distance in range(back[block]):
                at = unit * size + (turn + (n_slots - 1) * (distance + 1)) % n_slots * _BLOCK
                start = (block * n_slots + distance) * pairs
                eight = _felt(
                    gradients, at, before, start, members, vector, n_vectors, groups, eight
                )
            at = unit * n_inputs * WIDTH
            mask = seen + vector * WIDTH * _BYTES
            step = n_vectors * WIDTH
            g = unit * size + last
            if masked[vector]:
                eight = _sweep(
                    weights, at, n_inputs, True, mask, step, then, now, gradients, g, eight
                )
            else:
                eight = _sweep(
                    weights, at, n_inputs, False, mask, step, then, now, gradients, g, eight
                )
            _keep(nets, unit * _BLOCK, eight)
        for row in range(first[block], ROWS):
            here = turn % n_slots * _BLOCK + row * WIDTH
            for vector in range(n_vectors):
                effects = _blend(
                    near, block * pairs + row * ROWS, members, vector, n_vectors, groups
                )
                target = load(targets, ((block * ROWS + row) * n_vectors + vector) * WIDTH)
                _forward(
                    nets,
                    gradients,
                    size,
                    _places(here, size),
                    effects,
                    output,
                    alive,
                    errors,
                    target,
                    row,
                    vector,
                    n_hidden,
                    n_vectors,
                    rate,
                )
            for vector in range(n_vectors):
                _backward(
                    nets,
                    output,
                    steps,
                    errors,
                    gradients,
                    size,
                    here,
                    row,
                    vector,
                    n_hidden,
                    n_vectors,
                    momentum,
                    growth,
                )
