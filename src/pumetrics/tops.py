"""The top of a ranking: the examples that score highest, by number or by share, and where they end among thresholds."""

import re
from decimal import Decimal
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError

__all__ = ["POPULATIONS", "Top", "at_place", "check_population", "place_of", "ranked", "top_of"]

POPULATIONS = ("unlabeled", "all")

_HAIR = 1e-9  # by which sums and shares may miss a whole number
_NUMBER = re.compile(r"[1-9]\d*")
_PERCENTAGE = re.compile(r"(\d+\.?\d*|\.\d+)\s*%")
_SHARE = re.compile(r"0?\.\d+")


class Top(NamedTuple):
    """The examples that score highest: so many, or such a share of those that are ranked."""

    number: int | None
    """Number of examples, at least 1; None for a share."""
    share: float | None
    """Share of the examples, in (0, 1]; None for a number."""

    def __str__(self):
        return (
            f"{self.number}" if self.share is None else f"{Decimal(f'{100 * self.share:.10g}'):f}%"
        )

    def size(self, n):
        """Number of examples of a ranking of `n`; that of a share is not rounded: no unit of weights matters.

        Raises
        ------
        ValueError
            If there are fewer examples.
        """
        if self.number is None:
            size = self.share * n
            return round(size) if abs(size - round(size)) <= _HAIR * size else size
        if self.number > n * (1 + _HAIR):
            raise ValueError(
                f"the top {self.number} is more than the {n:g} ranked examples: use a smaller k, or a share such as 1%"
            )
        return self.number

    def as_share(self, n):
        """The same of a ranking of `n` as a share, for parts of it that are ranked by themselves."""
        return self if self.number is None else Top(None, self.size(n) / n)


def top_of(k):
    """Read a number or a share of examples.

    Parameters
    ----------
    k : int, float or str
        A whole number of examples, such as 100; a share between 0 and 1, such as 0.01; or text of either kind, such as
        "100", "0.01" and "1%". 1 is one example.

    Returns
    -------
    Top

    Raises
    ------
    ValueError
        On anything else.

    Examples
    --------
    >>> str(top_of(100)), str(top_of(0.005)), str(top_of("1%"))
    ('100', '0.5%', '1%')
    >>> top_of("1%").size(5000)
    50
    """
    if isinstance(k, str):
        if _NUMBER.fullmatch(k.strip()):
            return Top(int(k), None)
        share = _PERCENTAGE.fullmatch(k.strip())
        if share and 0 < float(share[1]) <= 100:
            return Top(None, float(share[1]) / 100)
        if _SHARE.fullmatch(k.strip()) and float(k) > 0:
            return Top(None, float(k))
    elif isinstance(k, Real) and not isinstance(k, bool):
        if 0 < k < 1:
            return Top(None, float(k))
        if k >= 1 and (isinstance(k, Integral) or float(k).is_integer()):
            return Top(int(k), None)
    raise ArgumentError(
        "k",
        f"must be a number of examples such as 100, or a share of them such as 0.01 or '1%', got {k!r}",
    )


def check_population(population):
    """Return `population`, or raise ValueError unless it is "unlabeled" or "all"."""
    if population not in POPULATIONS:
        raise ValueError(f'population must be "unlabeled" or "all", got {population!r}')
    return population


def ranked(counts, population):
    """Examples of a population at or above each threshold of counts."""
    return counts.predicted if population == "all" else counts.unlabeled


def place_of(counts, top, population):
    """Where the top of a ranking ends among the thresholds of counts.

    Tied scores are in random order: of a group of which a part belongs to the top, every example does so with the
    same probability. The place then lies between two thresholds, and counts read there are expected ones.

    Parameters
    ----------
    counts : Counts
    top : Top
    population : {"all", "unlabeled"}
        Who is ranked: labeled and unlabeled together, or the unlabeled alone.

    Returns
    -------
    float
        Index into ``counts.thresholds``, whole where no group of tied scores is divided.

    Raises
    ------
    ValueError
        If fewer examples are ranked.

    Examples
    --------
    >>> from pumetrics.counts import count_scores
    >>> counts = count_scores([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    >>> float(place_of(counts, top_of(2), "all"))
    1.5
    """
    reached = ranked(counts, population)
    k = top.size(reached[-1])
    # Sums of weights may miss k by a hair.
    after = min(int(np.searchsorted(reached, k * (1 - _HAIR))), len(reached) - 1)
    part = min((k - reached[after - 1]) / (reached[after] - reached[after - 1]), 1.0)
    return float(after) if part > 1 - _HAIR else after - 1 + part


def at_place(values, place):
    """Values at a place: an index, a slice, or a number between two indices, where they are interpolated.

    Examples
    --------
    >>> float(at_place(np.array([0.0, 1.0, 3.0]), 1.5))
    2.0
    """
    if not isinstance(place, float) or place.is_integer():
        return values[int(place) if isinstance(place, float) else place]
    before = int(place)
    return values[before] + (place - before) * (values[before + 1] - values[before])
