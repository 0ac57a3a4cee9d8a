"""DEDPUL: densities of the scores, made monotone, and the prior at which posteriors and prior agree."""

import numpy as np

from pumetrics.priors._types import Evidence, Share, logits

__all__ = ["dedpul"]

_SMALLER_WIDTH, _LARGER_WIDTH = 0.1, 0.05  # of the smaller and larger sample's kernel, in its standard deviations
_LEAST_COVERED = 0.9  # of the component, by places where the mixture has been seen
_CELLS = 4096
_LARGEST_RATIO = 50.0
_GRID = np.arange(1, 1001) / 1000
_TOLERANCE = 0.05
_CLOSE = 1e-5


def dedpul(component, mixture, *, rng=None):
    r"""Prior that agrees with the mean of the posteriors it implies, for smoothed densities of the scores.

    Both densities are estimated by Gaussian kernels on the logits of the scores. Their ratio r, component over
    mixture, at the mixture's examples is smoothed by running medians and made to increase with the score. With share
    a, the posterior of an example is :math:`\min(1, a r)`. The gap :math:`a - \operatorname{mean}\min(1, a r)` is 0 up
    to the share sought and grows from there; the answer is where expectation-maximisation from a = 1 stops, or, where
    it runs down to 0, where the gap bends most.

    Assumes irreducibility; smoothing keeps a few extreme scores from deciding. When the samples overlap
    everywhere it answers too much. Costs two convolutions and a running median, some hundredths of a second for ten
    thousand scores.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores, higher for the component. Scores that are not in [0, 1] are treated as logits.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Ivanov (2020), "DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning". Ratios are made fully
    monotone here, where the published code lets old maxima fade; kernel widths go by sample size rather than role, so
    that the method can be run with the roles swapped; and a component most of which the mixture lacks is absent.
    """
    ratio = _density_ratio(*logits(component, mixture))
    explained = _mean_posterior(ratio)
    gap = _GRID - explained(_GRID)
    share = _choose(ratio, explained, gap)
    evidence = Evidence("posterior gap", _GRID, gap, "share", "share minus mean posterior", share)
    return Share(share, evidence)


def _density_ratio(component, mixture):
    """Component's density over the mixture's at the mixture's examples, from the highest score to the lowest."""
    from scipy.ndimage import median_filter

    at = np.sort(mixture)[::-1]
    low, high = min(component.min(), at[-1]), max(component.max(), at[0])
    relative = (_SMALLER_WIDTH, _LARGER_WIDTH)[:: 1 if component.size <= at.size else -1]
    widths = [part * sample.std() for part, sample in zip(relative, (component, mixture), strict=True)]
    widths = [width or max(widths) or _SMALLER_WIDTH * (high - low) for width in widths]
    margin = 4 * max(widths)
    centers = np.linspace(low - margin, high + margin, _CELLS)
    top, bottom = (
        _kernel_density(sample, centers, width) for sample, width in zip((component, mixture), widths, strict=True)
    )
    ratio = np.interp(at, centers, top) / np.maximum(np.interp(at, centers, bottom), 1e-300)
    ratio = median_filter(np.minimum(ratio, _LARGEST_RATIO), 11, mode="nearest")
    # Towards the highest scores the ratio may not fall; where scores are low it is left to the medians.
    middle = int(np.searchsorted(-at, -(component.mean() + mixture.mean()) / 2, side="right"))
    ratio[:middle] = np.maximum.accumulate(ratio[:middle][::-1])[::-1]
    half = at.size // 20
    ratio = median_filter(ratio, 2 * half + 1, mode="nearest")
    return np.sort(ratio)[::-1]


def _kernel_density(sample, centers, width):
    """Gaussian kernel density on an even grid, each score split between its two neighbors there."""
    from scipy.fft import irfft, next_fast_len, rfft  # scipy.signal takes longer to import than all of the rest

    step = centers[1] - centers[0]
    place = (sample - centers[0]) / step
    left = np.clip(np.floor(place).astype(int), 0, centers.size - 2)
    part = place - left
    weight = np.bincount(left, 1 - part, minlength=centers.size) + np.bincount(left + 1, part, minlength=centers.size)
    reach = min(int(np.ceil(6 * width / step)), centers.size - 1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
    size = next_fast_len(centers.size + 2 * reach, real=True)
    spectrum = rfft(weight, size) * rfft(kernel / (kernel.sum() * step), size)
    density = irfft(spectrum, size)[reach : reach + centers.size] / sample.size
    return np.maximum(density, 0)  # the convolution leaves rounding below


def _mean_posterior(ratio):
    """Function of shares: mean of ``min(1, share * ratio)`` for each; `ratio` falls."""
    total, rising = np.concatenate([[0.0], np.cumsum(ratio)]), -ratio

    def mean_at(shares):
        certain = np.searchsorted(rising, -1 / np.maximum(shares, 1e-300), side="left")
        return (certain + shares * (total[-1] - total[certain])) / ratio.size

    return mean_at


def _choose(ratio, explained, gap):
    """Where expectation-maximisation stops, unless the sharpest bend of the gap says more."""
    if ratio.mean() < _LEAST_COVERED:
        return 0.0  # most of the component lies where there is none of the mixture at all
    share = 1.0
    for _ in range(1000):
        mean = float(explained(share))
        done = abs(mean - share) < _CLOSE or share * ratio[0] < 1
        if done:
            break
        share = mean
    inner = np.arange(1, gap.size - 1)
    inner = inner[gap[inner] < _TOLERANCE]
    bend = np.diff(gap, 2)[inner - 1]
    sharpest = float(_GRID[inner[int(np.argmax(bend))]]) if inner.size else share
    if sharpest <= share or ((gap < 0).sum() > 1 and share > _GRID[0]):
        return float(np.clip(share, 0, 1))
    return sharpest
