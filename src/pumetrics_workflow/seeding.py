"""Random numbers whose seed names a thing, never a position."""

from operator import index
from zlib import crc32

import numpy as np

__all__ = ["rng_for", "seed_for"]

_LEAST = 3  # names, below which two things could have one seed


def seed_for(root, *names):
    """Seed sequence of a named thing.

    The same names give the same numbers on any machine, in any order and with any number of jobs. A name is
    hashed with CRC-32 (Python's own ``hash`` is salted); an integer, such as a repeat, is used as it is.

    NumPy fills up what is shorter than a root and three names with zeros: a root with "a" and "b" is the seed of the
    root with "a", "b" and 0. So three names are needed: what has fewer says the zeros.

    Parameters
    ----------
    root : int
        The project's seed, at least 0.
    *names : str or int
        What the numbers are for, for example study, data set, labeling and repeat; three at least.

    Returns
    -------
    numpy.random.SeedSequence

    Raises
    ------
    TypeError
        If a name is neither: 0.1 and 0.8 would both be 0, and so one seed.
    ValueError
        If there are fewer than three names.

    Examples
    --------
    >>> seed_for(1, "ramola2019", "pima", "beta=1", 0).entropy
    [1, 1347152526, 3885746955, 861022615, 0]
    """
    if len(names) < _LEAST:
        raise ValueError(
            f"a seed needs a root and at least {_LEAST} names, got {names!r}: fill them up with 0"
        )
    entropy = [
        int(root),
        *(crc32(name.encode()) if isinstance(name, str) else index(name) for name in names),
    ]
    return np.random.SeedSequence(entropy)


def rng_for(root, *names):
    """Random generator of a named thing; see :func:`seed_for`."""
    return np.random.default_rng(seed_for(root, *names))
