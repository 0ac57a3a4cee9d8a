"""Data sets that need no file: bundled with scikit-learn, or generated from a seed and the set's own name."""

import numpy as np

from pumetrics_workflow.seeding import rng_for

__all__ = [
    "EMBEDDED",
    "GENERATORS",
    "artificial",
    "gaussians",
    "generate",
    "load_embedded",
    "threenorm",
    "twonorm",
]


EMBEDDED = {
    "breast_cancer": "load_breast_cancer",
    "diabetes_progression": "load_diabetes",
    "digits_even": "load_digits",
    "digits_high": "load_digits",
    "iris_bundled": "load_iris",
    "wine_bundled": "load_wine",
}


def load_embedded(name):
    """Raw table of a bundled data set and the name of its target column.

    Raises
    ------
    ValueError
        If no bundled set goes by that name.
    """
    import sklearn.datasets

    if name not in EMBEDDED:
        raise ValueError(
            f"no set bundled with scikit-learn is named {name!r}, known are {', '.join(EMBEDDED)}"
        )
    frame = getattr(sklearn.datasets, EMBEDDED[name])(as_frame=True).frame
    return frame.rename(columns=lambda column: str(column).replace(" ", "_")), "target"


def generate(name, options=None, *, seed=0):
    """Rows of a generated data set in random order, with the class in ``y``.

    The generator is the one whose name the set's name begins with, so ``gaussians_rare`` is made by ``gaussians``.

    Parameters
    ----------
    name : str
        Name of the set; it also seeds the random numbers.
    options : mapping
        Arguments of the generator.
    seed : int
        Root of the random numbers.

    Returns
    -------
    pandas.DataFrame of shape (n_samples, n_features + 1)

    Examples
    --------
    >>> frame = generate("twonorm", {"size": 300})
    >>> frame.shape, int(frame["y"].sum())
    ((300, 21), 150)
    """
    import pandas as pd

    maker = max((key for key in GENERATORS if name.startswith(key)), key=len, default=None)
    if maker is None:
        raise ValueError(
            f"no generator for {name!r}: its name must begin with one of {', '.join(GENERATORS)}"
        )
    options = dict(options or {})
    nominal = options.pop("nominal_features", 0)
    rng = rng_for(seed, "dataset", name, 0)
    features, y = GENERATORS[maker](rng, **options)
    order = rng.permutation(len(y))
    names = [f"x{i}" for i in range(1, features.shape[1] + 1)]
    frame = pd.DataFrame(features[order], columns=names)
    for name in names[len(names) - nominal :]:
        edges = [-np.inf, -0.5, 0.5, np.inf]
        frame[name] = pd.cut(frame[name], edges, labels=["low", "middle", "high"], ordered=False)
    return frame.assign(y=y[order].astype(np.int8))


def _labels(size, share):
    """Exactly round(size * share) ones, then zeros."""
    return (np.arange(size) < round(size * share)).astype(int)


def gaussians(rng, size=2000, dimension=10, share=0.5, distance=2.0):
    """Two Gaussian clouds with unit covariance whose means lie `distance` apart along the diagonal."""
    return _two_clouds(rng, size, dimension, share, distance / (2 * np.sqrt(dimension)))


def twonorm(rng, size=300, dimension=20, share=0.5):
    """Breiman's twonorm: means (a, ..., a) and (-a, ..., -a), a = 2 / sqrt(20), unit covariance (Breiman, 1996)."""
    return _two_clouds(rng, size, dimension, share, 2 / np.sqrt(20))


def _two_clouds(rng, size, dimension, share, shift):
    y = _labels(size, share)
    return rng.standard_normal((size, dimension)) + np.where(y == 1, shift, -shift)[:, None], y


def threenorm(rng, size=300, dimension=20, share=0.5):
    """Breiman's threenorm: one class at (a, ..., a) or (-a, ..., -a), the other at (a, -a, a, -a, ...)."""
    y = _labels(size, share)
    shift = 2 / np.sqrt(20)
    sign = np.where(rng.random(size) < 0.5, shift, -shift)[:, None] * np.ones(dimension)
    alternating = np.where(np.arange(dimension) % 2 == 0, shift, -shift)
    return rng.standard_normal((size, dimension)) + np.where(y[:, None] == 1, sign, alternating), y


def artificial(rng, size=2000, dimension=8, share=0.25, distance=2.0):
    """A stand-in for the artificial set of Rider et al. (2013), of which only the size is printed.

    The positive class is a mixture of two Gaussian clouds at opposite corners of the first two features, which no
    linear classifier separates; the other features shift with the class by a quarter of `distance`.
    """
    y = _labels(size, share)
    features = rng.standard_normal((size, dimension))
    corner = np.where(rng.random(size) < 0.5, distance, -distance)
    features[:, :2] += np.where(y == 1, corner, 0.0)[:, None]
    features[:, 2:] += np.where(y == 1, distance / 4, 0.0)[:, None]
    return features, y


GENERATORS = {
    "artificial": artificial,
    "gaussians": gaussians,
    "threenorm": threenorm,
    "twonorm": twonorm,
}
