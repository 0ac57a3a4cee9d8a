"""Compiled loops where numba is installed, the same results without it: the one place that chooses."""

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pumetrics.writing import alone

__all__ = ["can_compile", "compiled"]


@cache
def can_compile():
    """Whether loops are compiled: numba is installed and the environment does not say ``PUMETRICS_COMPILE=0``.

    Returns
    -------
    bool
    """
    return os.environ.get("PUMETRICS_COMPILE", "1") != "0" and find_spec("numba") is not None


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

        dispatcher = njit(cache=cache, **options)(loop)
        return _compiled_once(dispatcher) if cache else dispatcher

    return choose if function is None else choose(function)


def _compiled_once(dispatcher):
    """Let one process at a time compile a loop that numba keeps on disk: the others wait, and find it there."""
    from numba.core.compiler_lock import global_compiler_lock

    function = dispatcher.py_func
    compile_loop = dispatcher.compile
    source = Path(function.__code__.co_filename)
    lock = source.with_name("__pycache__") / f"{source.stem}.{function.__name__}.lock"

    def compile_alone(signature):
        # that of the threads first: in any other order two could wait forever
        with (
            global_compiler_lock,
            alone(lock),
        ):
            return compile_loop(signature)

    dispatcher.compile = compile_alone
    return dispatcher
