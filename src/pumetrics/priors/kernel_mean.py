"""KM1 and KM2: how far the mixture, with some of the component taken away, is from being a distribution."""

from functools import lru_cache

import numpy as np

from pumetrics.priors.types import Share, logits
from pumetrics.threads import one_blas_thread

__all__ = ["km1", "km2"]

_ATOMS = 256  # points that summarize the scores
_SAMPLE = 800  # feature vectors drawn from each sample
_WIDTHS = np.logspace(-1, 1, 5)  # in medians of the pairwise distance
_RANK = 120
_RESIDUE = 1e-7
_FIRST_STEP = 0.05
_MIXED = 0.2  # KM1's threshold lies this far between the first slope and the last
_HALVINGS = 11
_SUM_WEIGHT = 100.0


def km1(component, mixture, *, rng=None):
    r"""Kernel mean embedding, with the threshold on the gradient that mixes its two ends.

    Take the component away from the mixture until what is left is no distribution any more: with
    :math:`\lambda = 1/(1-a)`, the signed measure :math:`\lambda F - (\lambda-1) H` has distance :math:`d(\lambda)` to
    the nearest distribution on the observed points. It is 0, up to noise, as long as the share a is in the mixture, and
    in the end grows with a slope that is the distance of F and H. The share is where the slope passes
    0.8 times its first plus 0.2 times its last value.

    Assumes that the component is not contained in the rest of the mixture, and that the kernel (Gaussian, of the width
    that separates the samples best) sees it. When that fails it answers too much. A quadratic program per step, some
    tenths of a second in all.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,), or (n, n_features) and (m, n_features)
        Scores or features. Logits of scores are gathered in 256 points; of features at most 800 rows per sample are
        drawn.
    rng : Generator
        Draws rows of features; not used for scores.

    Returns
    -------
    Share
        In [0, 1]; 1 if both samples look the same.

    References
    ----------
    Ramaswamy, Scott & Tewari (2016), "Mixture proportion estimation via kernel embedding of distributions". The
    gradient is exact here, where the published code takes a difference.
    """
    return _kernel_mean(component, mixture, rng, mixed=True)


def km2(component, mixture, *, rng=None):
    """Kernel mean embedding, with a threshold on the gradient that shrinks with the sample.

    As :func:`km1`, but the threshold is one over the root of the smaller sample size, the size of the noise.

    Parameters
    ----------
    component, mixture : ndarray
        As for :func:`km1`.
    rng : Generator
        As for :func:`km1`.

    Returns
    -------
    Share
        In [0, 1]; 1 if both samples look the same.

    References
    ----------
    Ramaswamy, Scott & Tewari (2016), "Mixture proportion estimation via kernel embedding of distributions".
    """
    return _kernel_mean(component, mixture, rng, mixed=False)


@one_blas_thread()
def _kernel_mean(component, mixture, rng, *, mixed):
    smaller = min(len(component), len(mixture))
    if component.ndim == 1:
        points, h, f = _atoms(component, mixture)
    else:
        points, h, f = _drawn(component, mixture, rng)
    half = _kernel_root(points, h, f)
    images = half @ f, half @ h
    last = float(np.linalg.norm(images[0] - images[1]))
    if last <= 0:
        return Share(1.0)
    nearest = _Nearest(half, images)
    threshold = smaller**-0.5
    if mixed:
        first, _ = nearest.distance(1 + _FIRST_STEP)
        threshold = (1 - _MIXED) * first / _FIRST_STEP + _MIXED * last
    low = 0.0
    high = 1.0
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        slope = nearest.distance(1 / (1 - share))[1]
        if slope >= threshold * (1 - 1e-6):
            high = share
        else:
            low = share
    return Share((low + high) / 2)


def _atoms(component, mixture):
    """Points with weights that summarize the logits: means of bins that hold equally much of both samples."""
    samples = [np.sort(sample) for sample in logits(component, mixture)]
    before = [
        np.searchsorted(samples[1], samples[0]),
        np.searchsorted(samples[0], samples[1], side="right"),
    ]
    both, weight = np.empty((2, component.size + mixture.size))
    for sample, others in zip(samples, before, strict=True):
        place = others + np.arange(sample.size)
        both[place] = sample
        weight[place] = 0.5 / sample.size
    middle = np.cumsum(weight) - weight / 2
    edges = np.unique(np.interp(np.arange(1, _ATOMS) / _ATOMS, middle, both))
    starts = np.append(0, np.searchsorted(both, edges))
    starts = starts[np.diff(starts, append=both.size) > 0]
    points = np.add.reduceat(both, starts) / np.diff(starts, append=both.size)

    shares = []
    for each in samples:
        reached = np.searchsorted(each, both[starts])
        shares.append(np.diff(reached, append=each.size) / each.size)
    return points[:, None], *shares


def _drawn(component, mixture, rng):
    """Rows of both samples with equal weights, standardized with the mixture's moments."""
    scale = mixture.std(axis=0)
    rows = []
    for sample in (component, mixture):
        if len(sample) > _SAMPLE:
            sample = sample[rng.choice(len(sample), _SAMPLE, replace=False)]
        rows.append(sample / np.where(scale > 0, scale, 1))
    n, m = map(len, rows)
    h = np.repeat([1 / n, 0], [n, m])
    f = np.repeat([0, 1 / m], [n, m])
    return np.concatenate(rows), h, f


def _kernel_root(points, h, f):
    """Factor R with R'R the Gaussian kernel of the width that keeps the two weightings furthest apart."""
    # or squares of a large offset would swallow the distances
    points = points - points.mean(axis=0)
    squares = (points**2).sum(axis=1)
    distance = np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0)
    first, second = _pairs(len(points))
    apart = distance[first, second]
    gap = f - h
    positive = apart[apart > 0]
    typical = np.median(positive) if positive.size else 1.0
    product = gap[first] * gap[second]
    scales = [2 * width**2 * typical for width in _WIDTHS]
    gaps = [product @ np.exp(-apart / scale) for scale in scales]
    return _pivoted_cholesky(distance, scales[np.argmax(gaps)])


@lru_cache(maxsize=2)
def _pairs(n):
    """Places of the pairs of `n` points."""
    return np.triu_indices(n, 1)


def _pivoted_cholesky(distance, scale):
    """Rows of a low-rank root of the kernel of these squared distances, largest residue first."""
    left = np.exp(-np.diagonal(distance) / scale)
    rows = np.empty((min(_RANK, left.size), left.size))
    for rank in range(len(rows)):
        pivot = int(np.argmax(left))
        if left[pivot] <= _RESIDUE:
            return rows[:rank]
        known = rows[:rank, pivot] @ rows[:rank]
        row = np.exp(-distance[pivot] / scale) - known
        rows[rank] = row / np.sqrt(left[pivot])
        left = np.maximum(left - rows[rank] ** 2, 0)
    return rows


class _Nearest:
    """The distribution nearest to a signed measure."""

    def __init__(self, half, images):
        self.half = half
        self.images = images
        self.system = np.vstack([half, np.full(half.shape[1], _SUM_WEIGHT)])

    def distance(self, multiplier):
        """Distance of ``multiplier F - (multiplier - 1) H`` from the nearest distribution, and its slope."""
        from scipy.optimize import nnls  # takes long to import

        f, h = self.images
        target = multiplier * f - (multiplier - 1) * h
        weights, _ = nnls(self.system, np.append(target, _SUM_WEIGHT))
        gap = target - self.half @ (weights / weights.sum())
        distance = float(np.linalg.norm(gap))
        # At the optimum moving the nearest distribution changes nothing, so only the target's motion counts.
        slope = float(gap @ (f - h)) / distance if distance > 1e-12 else 0.0
        return distance, slope
