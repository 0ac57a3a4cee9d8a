"""Compiled loops where numba is installed, the same results without it: the one place that chooses."""

import os
from functools import cache
from importlib.util import find_spec

__all__ = ["can_compile", "compiled"]

_SWITCH = "PUMETRICS_COMPILE"


@cache
def can_compile():
    """Whether loops are compiled: numba is installed and the environment does not say ``PUMETRICS_COMPILE=0``.

    Returns
    -------
    bool
    """
    return os.environ.get(_SWITCH, "1") != "0" and find_spec("numba") is not None


def compiled(function=None, /, *, otherwise=None, cache=True, **options):
    """Decorator that compiles a loop with numba, or replaces it by numpy where there is none.

    Parameters
    ----------
    function : callable
        Python that :func:`numba.njit` can compile.
    otherwise : callable, optional
        Takes the same arguments, gives the same results with numpy and runs where nothing is compiled; `function`
        itself by default, which is slow where it loops over rows.
    cache : bool
        Keep the machine code on disk.
    **options
        For :func:`numba.njit`.

    Returns
    -------
    callable

    Examples
    --------
    >>> @compiled(otherwise=lambda values: float(values.sum()), cache=False)
    ... def total(values):
    ...     result = 0.0
    ...     for value in values:
    ...         result += value
    ...     return result
    >>> import numpy as np
    >>> total(np.arange(4.0))
    6.0
    """

    def choose(loop):
        if not can_compile():
            return otherwise or loop
        from numba import njit

        return njit(cache=cache, **options)(loop)

    return choose if function is None else choose(function)
