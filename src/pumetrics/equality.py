"""Equality of results: equal numbers, and NaN equals NaN."""

import math

__all__ = ["ComparedByValue"]


class ComparedByValue:
    """A dataclass made with ``eq=False`` whose instances are equal if all their values are, NaN included.

    The equality that :mod:`dataclasses` writes compares tuples before Python 3.13 and values from then on, so that a
    result that holds NaN equals its copy on some versions only.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(eq=False)
    ... class Point(ComparedByValue):
    ...     x: float
    >>> Point(float("nan")) == Point(float("nan")), Point(1.0) == Point(2.0)
    (True, False)
    """

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return _same(vars(self), vars(other))

    __hash__ = None


def _same(first, second):
    """Whether two values, or all values in two containers, are equal."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            _same(first[key], second[key]) for key in first
        )

    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(_same, first, second))

    if isinstance(first, float) and isinstance(second, float) and math.isnan(first):
        return math.isnan(second)

    return bool(first == second)
