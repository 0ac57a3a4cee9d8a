"""Tables of a pickle of lists and numpy arrays, read without running any code that it names."""

import pickle
from pathlib import Path

import numpy as np

__all__ = ["read_pickled"]

_LARGEST = 1 << 28  # bytes of a pickle
_TYPES = ("b1", "i4", "i8", "f4", "f8")  # none of them can hold an object


def read_pickled(path):
    """Content of a pickle that holds dictionaries, tuples, lists, text, numbers and plain numpy arrays.

    Parameters
    ----------
    path : path
        The file. Text of Python 2 is read as Latin-1.

    Returns
    -------
    object
        What was pickled, with arrays in the place of numpy's.

    Raises
    ------
    ValueError
        If the file is no pickle, or names anything but an array of truth values or numbers.
    """
    if Path(path).stat().st_size > _LARGEST:
        raise ValueError(f"it is larger than {_LARGEST >> 20} MiB")
    with open(path, "rb") as stream:
        try:
            return _arrays(_Unpickler(stream, encoding="latin1").load())
        except (pickle.UnpicklingError, EOFError, AttributeError, TypeError, MemoryError) as error:
            raise ValueError(f"it is no pickle of numbers: {error}") from error


class _Array:
    """Stands for ``numpy.ndarray`` while a pickle is read; nothing of numpy is called before its parts are checked."""

    parts = None

    def __setstate__(self, parts):
        self.parts = parts

    def array(self):
        _, shape, dtype, by_column, data = self.parts
        if not isinstance(dtype, _Type) or dtype.name not in _TYPES or by_column:
            raise ValueError(f"an array is of type {getattr(dtype, 'name', dtype)}, not one of {', '.join(_TYPES)}")
        data = data.encode("latin1") if isinstance(data, str) else data
        return np.frombuffer(data, dtype.order + dtype.name).reshape(shape)


class _Type:
    """Stands for ``numpy.dtype``: its name and the order of its bytes."""

    order = "|"

    def __init__(self, name, *_):
        self.name = name

    def __setstate__(self, state):
        self.order = state[1]


def _encoded(text, encoding):
    """Stands for ``codecs.encode``, by which Python 3 writes bytes into the older kinds of pickles."""
    if encoding != "latin1":
        raise ValueError(f"it is text in {encoding!r}, not latin1")
    return text.encode("latin1")


_NAMES = {
    ("_codecs", "encode"): _encoded,
    ("numpy.core.multiarray", "_reconstruct"): lambda *_: _Array(),
    ("numpy._core.multiarray", "_reconstruct"): lambda *_: _Array(),
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
}


class _Unpickler(pickle.Unpickler):
    """Knows a few names, and for each of them something of this module."""

    def find_class(self, module, name):
        try:
            return _NAMES[module, name]
        except KeyError:
            raise ValueError(f"it names {module}.{name}, which is not read from a file") from None


def _arrays(value):
    if isinstance(value, dict):
        return {key: _arrays(item) for key, item in value.items()}
    return value.array() if isinstance(value, _Array) else value
