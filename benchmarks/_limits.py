"""What a core can do with vectors of sixteen float32 numbers: loops that do nothing else."""

import numpy as np
from numba import njit

from pumetrics_workflow.models.lanes import add, load, multiply_add, spread, store

__all__ = ["loads", "multiply_adds"]

_CHAINS = 10
_ROOM = np.zeros(513 * 16, np.float32)
_ROOM = _ROOM[-_ROOM.ctypes.data // 4 % 16 :]  # 32 KB that begin at a cache line


def multiply_adds(count):
    """Do about `count` multiply-adds in ten independent chains."""
    _multiply_adds(_ROOM, count // _CHAINS)


def loads(count):
    """Load about `count` vectors that lie in the first cache."""
    _loads(_ROOM, count // 256)


@njit(error_model="numpy")
def _multiply_adds(numbers, count):
    at = numbers.ctypes.data
    x = spread(np.float32(0.5))
    a, b, c, d, e = load(at, 0), load(at, 16), load(at, 32), load(at, 48), load(at, 64)
    f, g, h, i, j = load(at, 80), load(at, 96), load(at, 112), load(at, 128), load(at, 144)
    for _ in range(count):
        a, b, c, d = (
            multiply_add(a, x, x),
            multiply_add(b, x, x),
            multiply_add(c, x, x),
            multiply_add(d, x, x),
        )
        e, f, g, h = (
            multiply_add(e, x, x),
            multiply_add(f, x, x),
            multiply_add(g, x, x),
            multiply_add(h, x, x),
        )
        i, j = multiply_add(i, x, x), multiply_add(j, x, x)
    a, b, c, d = add(a, b), add(c, d), add(e, f), add(g, h)
    store(at, 0, add(add(add(a, b), add(c, d)), add(i, j)))


@njit(error_model="numpy")
def _loads(numbers, count):
    at = numbers.ctypes.data
    a = spread(np.float32(0))
    b, c, d, e, f, g, h = a, a, a, a, a, a, a
    for _ in range(count):
        for k in range(0, 256 * 16, 8 * 16):
            a, b, c, d = (
                add(a, load(at, k)),
                add(b, load(at, k + 16)),
                add(c, load(at, k + 32)),
                add(d, load(at, k + 48)),
            )
            e, f = add(e, load(at, k + 64)), add(f, load(at, k + 80))
            g, h = add(g, load(at, k + 96)), add(h, load(at, k + 112))
    store(at, 0, add(add(add(a, b), add(c, d)), add(add(e, f), add(g, h))))
