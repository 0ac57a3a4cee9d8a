"""Compiled inner loops of the numba engine: one network, a block of its rows, sums kept in registers.

Rows lie along the last axis of every array, so each loop over rows becomes vector instructions. Tiles of 4 (or 3)
hidden units by 4 features are written out by hand: their 16 weights or 16 sums stay in registers, and each value
loaded is used four times. `fastmath` allows sums in any order and fused multiply-add, but no assumption about NaN.
"""

import numpy as np

from pumetrics._compiled import compiled

__all__ = ["STRIDE", "forward", "gradients", "jit", "log_loss", "output_errors"]

# Rows of a block at most, and the distance of two features in memory: not a power of two, or all features of a row
# would fight for the same places of the cache.
BLOCK, STRIDE = 512, 528

jit = compiled(fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")
_F0 = np.float32(0)
# tanh(x) = x P(x^2) / Q(x^2): our own minimax fit (Lawson's reweighted least squares) on [-8.3, 8.3], relative error
# 3e-8, and 4e-7 in single precision; beyond, tanh is 1 to the last bit.
_TANH_END = np.float32(8.3)
_P = tuple(
    np.float32(c) for c in (0.9999999727, 0.129617865, 2.966812824e-3, 9.695964531e-6, -1.410756495e-8, 2.179813756e-11)
)
_Q = tuple(np.float32(c) for c in (1.0, 0.462950956, 2.395082606e-2, 2.345166899e-4))


@jit
def _tanh(x):
    x = min(max(x, -_TANH_END), _TANH_END)
    t = x * x
    p = ((((_P[5] * t + _P[4]) * t + _P[3]) * t + _P[2]) * t + _P[1]) * t + _P[0]
    q = ((_Q[3] * t + _Q[2]) * t + _Q[1]) * t + _Q[0]
    return x * p / q


@jit
def _forward_4(units, h, x, j, w, size):
    """Add the inputs of features j to j + 3 to hidden units h to h + 3."""
    a0, a1, a2, a3 = w[h, j], w[h, j + 1], w[h, j + 2], w[h, j + 3]
    b0, b1, b2, b3 = w[h + 1, j], w[h + 1, j + 1], w[h + 1, j + 2], w[h + 1, j + 3]
    c0, c1, c2, c3 = w[h + 2, j], w[h + 2, j + 1], w[h + 2, j + 2], w[h + 2, j + 3]
    d0, d1, d2, d3 = w[h + 3, j], w[h + 3, j + 1], w[h + 3, j + 2], w[h + 3, j + 3]
    for r in range(size):
        x0, x1, x2, x3 = x[j, r], x[j + 1, r], x[j + 2, r], x[j + 3, r]
        units[h, r] = units[h, r] + a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
        units[h + 1, r] = units[h + 1, r] + b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
        units[h + 2, r] = units[h + 2, r] + c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3
        units[h + 3, r] = units[h + 3, r] + d0 * x0 + d1 * x1 + d2 * x2 + d3 * x3


@jit
def _forward_3(units, h, x, j, w, size):
    """Add the inputs of features j to j + 3 to hidden units h to h + 2."""
    a0, a1, a2, a3 = w[h, j], w[h, j + 1], w[h, j + 2], w[h, j + 3]
    b0, b1, b2, b3 = w[h + 1, j], w[h + 1, j + 1], w[h + 1, j + 2], w[h + 1, j + 3]
    c0, c1, c2, c3 = w[h + 2, j], w[h + 2, j + 1], w[h + 2, j + 2], w[h + 2, j + 3]
    for r in range(size):
        x0, x1, x2, x3 = x[j, r], x[j + 1, r], x[j + 2, r], x[j + 3, r]
        units[h, r] = units[h, r] + a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
        units[h + 1, r] = units[h + 1, r] + b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3
        units[h + 2, r] = units[h + 2, r] + c0 * x0 + c1 * x1 + c2 * x2 + c3 * x3


@jit
def _backward_4(delta, h, x, j, g, size):
    """Add delta times x, summed over rows, to the gradients of hidden units h to h + 3 and features j to j + 3."""
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = c0 = c1 = c2 = c3 = d0 = d1 = d2 = d3 = _F0
    for r in range(size):
        x0, x1, x2, x3 = x[j, r], x[j + 1, r], x[j + 2, r], x[j + 3, r]
        a, b, c, d = delta[h, r], delta[h + 1, r], delta[h + 2, r], delta[h + 3, r]
        a0 += a * x0
        a1 += a * x1
        a2 += a * x2
        a3 += a * x3
        b0 += b * x0
        b1 += b * x1
        b2 += b * x2
        b3 += b * x3
        c0 += c * x0
        c1 += c * x1
        c2 += c * x2
        c3 += c * x3
        d0 += d * x0
        d1 += d * x1
        d2 += d * x2
        d3 += d * x3
    _add_4(g, h, j, a0, a1, a2, a3)
    _add_4(g, h + 1, j, b0, b1, b2, b3)
    _add_4(g, h + 2, j, c0, c1, c2, c3)
    _add_4(g, h + 3, j, d0, d1, d2, d3)


@jit
def _backward_3(delta, h, x, j, g, size):
    """Add delta times x, summed over rows, to the gradients of hidden units h to h + 2 and features j to j + 3."""
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = c0 = c1 = c2 = c3 = _F0
    for r in range(size):
        x0, x1, x2, x3 = x[j, r], x[j + 1, r], x[j + 2, r], x[j + 3, r]
        a, b, c = delta[h, r], delta[h + 1, r], delta[h + 2, r]
        a0 += a * x0
        a1 += a * x1
        a2 += a * x2
        a3 += a * x3
        b0 += b * x0
        b1 += b * x1
        b2 += b * x2
        b3 += b * x3
        c0 += c * x0
        c1 += c * x1
        c2 += c * x2
        c3 += c * x3
    _add_4(g, h, j, a0, a1, a2, a3)
    _add_4(g, h + 1, j, b0, b1, b2, b3)
    _add_4(g, h + 2, j, c0, c1, c2, c3)


@jit
def _add_4(g, h, j, s0, s1, s2, s3):
    g[h, j] += s0
    g[h, j + 1] += s1
    g[h, j + 2] += s2
    g[h, j + 3] += s3


@jit
def forward(units, x, w, bias, size):
    """Write tanh(w x + bias) of `size` rows into `units`; features in fours, hidden units in fours and threes."""
    n_hidden, n_features = w.shape
    for h in range(n_hidden):
        for r in range(size):
            units[h, r] = bias[h]
    for j in range(0, n_features, 4):
        h = 0
        while n_hidden - h >= 4 and n_hidden - h != 6:
            _forward_4(units, h, x, j, w, size)
            h += 4
        while h < n_hidden:
            _forward_3(units, h, x, j, w, size)
            h += 3
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
    loss, product = 0.0, 1.0
    for r in range(start, stop):
        right = max(1 - 0.5 * abs(np.float64(error[r])), floor)
        for _ in range(int(weights[r])):
            product *= right
        if product < 1e-200:
            loss -= np.log(product)
            product = 1.0
    return loss - np.log(product)


@jit
def gradients(units, error, weights, x, g, g_bias, g_output, size):
    """Add the gradients of `size` rows; the hidden ones still lack their factor, the output weight. Spoils `units`."""
    n_hidden, n_features = g.shape
    total = _F0
    for r in range(size):
        error[r] *= weights[r]
        total += error[r]
    g_output[n_hidden] += total
    for h in range(n_hidden):
        with_unit, with_slope = _F0, _F0
        for r in range(size):
            unit, e = units[h, r], error[r]
            slope = e - unit * unit * e
            with_unit += unit * e
            with_slope += slope
            units[h, r] = slope
        g_output[h] += with_unit
        g_bias[h] += with_slope
    for j in range(0, n_features, 4):
        h = 0
        while n_hidden - h >= 4 and n_hidden - h != 6:
            _backward_4(units, h, x, j, g, size)
            h += 4
        while h < n_hidden:
            _backward_3(units, h, x, j, g, size)
            h += 3
