"""Random numbers whose seed names a thing, never a position."""

from operator import index
from zlib import crc32

import numpy as np

__all__ = ["rng_for", "seed_for"]


def seed_for(root, *names):
    """Seed sequence of a named thing.

    The same names give the same numbers on any machine, in any order and with any number of jobs. A name is
    hashed with CRC-32 (Python's own ``hash`` is salted); an integer, such as a repeat, stands for itself.

    NumPy fills up what is shorter than a root and three names with zeros: ``seed_for(1, "a", "b")`` and
    ``seed_for(1, "a", "b", 0)`` are one seed. So two things of a study that differ only in a last 0 need four names at
    least. To count the names as well would draw other numbers for every table.

    Parameters
    ----------
    root : int
        The project's seed, at least 0.
    *names : str or int
        What the numbers are for, for example study, data set, labeling and repeat.

    Returns
    -------
    numpy.random.SeedSequence

    Raises
    ------
    TypeError
        If a name is neither: 0.1 and 0.8 would both be 0, and so one seed.

    Examples
    --------
    >>> seed_for(1, "ramola2019", "pima", "beta=1", 0).entropy
    [1, 1347152526, 3885746955, 861022615, 0]
    """
    entropy = [int(root), *(crc32(name.encode()) if isinstance(name, str) else index(name) for name in names)]
    return np.random.SeedSequence(entropy)


def rng_for(root, *names):
    """Random generator of a named thing; see :func:`seed_for`."""
    return np.random.default_rng(seed_for(root, *names))
