"""Scores and labels out of a pickle in text (protocol 0), read operation by operation: nothing that it names is run."""

import pickletools
from pathlib import Path

import numpy as np

__all__ = ["read_pickled"]

_LARGEST = 1 << 26  # bytes


def read_pickled(path):
    """Content of a pickle of dictionaries, tuples, lists, text, numbers and numpy arrays of truth values.

    Parameters
    ----------
    path : path
        A file of protocol 0, as Python 2 wrote it.

    Returns
    -------
    object
        What was pickled.

    Raises
    ------
    ValueError
        If the file is no such pickle, or holds anything else.
    """
    if Path(path).stat().st_size > _LARGEST:
        raise ValueError(f"it is larger than {_LARGEST >> 20} MiB")
    machine = _Machine()
    try:
        for operation, value, _ in pickletools.genops(Path(path).read_bytes()):
            machine.step(operation.name, value)
        return _with_arrays(machine.stack.pop())
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError("it is a damaged pickle") from error


class _Made:
    """What a pickle makes by a name, such as an array: the name, its arguments, and the state that it is given."""

    def __init__(self, name, arguments):
        self.name, self.arguments, self.state = name, arguments, ()


class _Machine:
    """A stack of values, and those that the pickle refers to again."""

    def __init__(self):
        self.stack, self.marks, self.kept = [], [], {}

    def step(self, name, value):
        """Do one operation; ValueError for one that such a file has no need of."""
        if name in ("INT", "LONG", "FLOAT", "NONE", "STRING", "UNICODE", "GLOBAL"):
            self.stack.append(value)
        elif name == "MARK":
            self.marks.append(len(self.stack))
        elif name == "PUT":
            self.kept[value] = self.stack[-1]
        elif name == "GET":
            self.stack.append(self.kept[value])
        elif name in ("TUPLE", "LIST", "DICT"):
            self._collect(name)
        elif name in ("APPEND", "SETITEM", "BUILD", "REDUCE"):
            self._combine(name, self.stack.pop())
        elif name != "STOP":
            raise ValueError(f"it holds {name}, which is not read from a file")

    def _collect(self, name):
        start = self.marks.pop()
        items = self.stack[start:]
        if name == "DICT":
            items = zip(items[::2], items[1::2], strict=True)
        self.stack[start:] = [{"TUPLE": tuple, "LIST": list, "DICT": dict}[name](items)]

    def _combine(self, name, last):
        if name == "SETITEM":
            key = self.stack.pop()
            self.stack[-1][key] = last
        elif name == "APPEND":
            self.stack[-1].append(last)
        elif name == "BUILD":
            _must_be(self.stack[-1], _Made).state = last
        else:
            self.stack.append(_made(self.stack.pop(), _must_be(last, tuple)))


def _must_be(value, kind):
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _made(name, arguments):
    """What a name gives: bytes as Python 3 writes them, or an array or a type that is filled later."""
    if name == "_codecs encode":
        return _must_be(arguments[0], str).encode("latin1")
    if name not in ("numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct", "numpy dtype"):
        raise ValueError(f"it names {name}, which is not read from a file")
    return _Made(name, arguments)


def _with_arrays(value):
    if isinstance(value, dict):
        return {key: _with_arrays(item) for key, item in value.items()}
    return _array(value) if isinstance(value, _Made) else value


def _array(made):
    _, shape, dtype, _, data = made.state
    if not isinstance(dtype, _Made) or dtype.arguments[0] != "b1":
        raise ValueError("it holds an array of something other than truth values")
    return np.frombuffer(data.encode("latin1") if isinstance(data, str) else data, bool).reshape(shape)
