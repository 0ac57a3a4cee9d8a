"""One BLAS thread for problems so small that several threads only wait for each other."""

import sys
from contextlib import contextmanager
from functools import cache
from threading import Lock

__all__ = ["one_blas_thread"]

_lock = Lock()
_limits = []  # one per caller that is inside; the first sets, the last restores


@contextmanager
def one_blas_thread():
    """Limit linear algebra to one thread, as a context or a decorator.

    On small problems further threads spin: the share behind 11,000 scores costs up to twenty times the CPU seconds
    with two threads, and more with more. The limit is that of the process, so where callers overlap the first sets it
    and the last restores what was there.

    Notes
    -----
    scipy brings a library of its own: import what needs it before the limit is set.
    """
    with _lock:
        if not _limits:
            _limits.append(_libraries("scipy.linalg" in sys.modules).limit(limits=1))
        else:
            _limits.append(_limits[0])
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()


@cache
def _libraries(with_scipy):
    """Return what controls the libraries that are loaded; to look for them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
