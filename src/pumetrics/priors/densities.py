"""Estimators from densities of the scores.

DEDPUL makes them monotone and takes the prior at which posteriors and prior agree; the Pearson divergence and the
penalized L1 distance match the component, scaled by the share, to part of the mixture.
"""

import numpy as np

from pumetrics.priors.types import Share, logits
from pumetrics.threads import one_blas_thread

__all__ = ["dedpul", "pearson", "pen_l1"]

# of the smaller and larger sample's kernel, in its standard deviations
_SMALLER_WIDTH = 0.1
_LARGER_WIDTH = 0.05
_LEAST_COVERED = 0.9  # of the component, by places where the mixture has been seen
_CELLS = 4096
_FEW_SCORES = 50  # equally frequent ones, below which scores are coarse
_LARGEST_RATIO = 50.0
_GRID = np.arange(1, 1001) / 1000
_TOLERANCE = 0.05
_CLOSE = 1e-5


def dedpul(component, mixture, *, rng=None):
    r"""Prior that agrees with the mean of the posteriors it implies, for smoothed densities of the scores.

    Both densities are estimated by Gaussian kernels on the logits of the scores. Their ratio r, component over
    mixture, at the mixture's examples is smoothed by running medians and made to increase with the score. With share
    a, the posterior of an example is :math:`\min(1, a r)`. The gap :math:`a - \operatorname{mean}\min(1, a r)` is 0 up
    to the share sought and grows from there; the answer is where expectation-maximization from a = 1 stops, or, where
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
    that the method can be run with the roles swapped, and are equal where scores are coarse, such as ratings; and a
    component most of which the mixture lacks is absent.
    """
    ratio = _density_ratio(*logits(component, mixture))
    explained = _mean_posterior(ratio)
    gap = _GRID - explained(_GRID)
    return Share(_choose(ratio, explained, gap))


def _density_ratio(component, mixture):
    """Component's density over the mixture's at the mixture's examples, from the highest score to the lowest."""
    from scipy.ndimage import median_filter

    at = np.sort(mixture)[::-1]
    low = min(component.min(), at[-1])
    high = max(component.max(), at[0])
    relative = [_SMALLER_WIDTH, _LARGER_WIDTH]
    if component.size > at.size:
        relative.reverse()
    widths = [relative[0] * component.std(), relative[1] * mixture.std()]
    widths = [width or max(widths) or _SMALLER_WIDTH * (high - low) for width in widths]
    if _is_coarse(component) or _is_coarse(mixture):
        widths = [max(widths)] * 2  # at one score a ratio of densities would be one of widths
    margin = 4 * max(widths)
    centers = np.linspace(low - margin, high + margin, _CELLS)
    top = np.interp(at, centers, _kernel_density(component, centers, widths[0]))
    bottom = np.interp(at, centers, _kernel_density(mixture, centers, widths[1]))

    ratio = np.minimum(top / np.maximum(bottom, 1e-300), _LARGEST_RATIO)
    ratio = median_filter(ratio, 11, mode="nearest")
    # Toward the highest scores the ratio may not fall; where scores are low it is left to the medians.
    middle = int(np.searchsorted(-at, -(component.mean() + mixture.mean()) / 2, side="right"))
    ratio[:middle] = np.maximum.accumulate(ratio[:middle][::-1])[::-1]
    half = at.size // 20
    ratio = median_filter(ratio, 2 * half + 1, mode="nearest")
    return np.sort(ratio)[::-1]


def _is_coarse(sample):
    """Whether two rows have the same score as often as if there were few, equally frequent scores."""
    counts = np.unique(sample, return_counts=True)[1]
    pairs = sample.size * (sample.size - 1)
    return (counts * (counts - 1)).sum() * _FEW_SCORES > pairs


def _kernel_density(sample, centers, width):
    """Gaussian kernel density on an even grid, each score split between its two neighbors there."""
    # scipy.signal takes longer to import than all of the rest
    from scipy.fft import irfft, next_fast_len, rfft

    step = centers[1] - centers[0]
    place = (sample - centers[0]) / step
    left = np.clip(np.floor(place).astype(int), 0, centers.size - 2)
    part = place - left
    weight = np.bincount(left, 1 - part, centers.size)
    weight += np.bincount(left + 1, part, centers.size)

    reach = min(int(np.ceil(6 * width / step)), centers.size - 1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
    size = next_fast_len(centers.size + 2 * reach, real=True)
    spectrum = rfft(weight, size) * rfft(kernel / (kernel.sum() * step), size)
    density = irfft(spectrum, size)[reach : reach + centers.size] / sample.size
    return np.maximum(density, 0)  # the convolution leaves rounding below


def _mean_posterior(ratio):
    """Function of shares: mean of ``min(1, share * ratio)`` for each; `ratio` falls."""
    total = np.concatenate([[0.0], np.cumsum(ratio)])
    rising = -ratio

    def mean_at(shares):
        certain = np.searchsorted(rising, -1 / np.maximum(shares, 1e-300), side="left")
        return (certain + shares * (total[-1] - total[certain])) / ratio.size

    return mean_at


def _choose(ratio, explained, gap):
    """Where expectation-maximization stops, unless the sharpest bend of the gap says more."""
    if ratio.mean() < _LEAST_COVERED:
        return 0.0  # most of the component lies where there is none of the mixture at all
    share = 1.0
    for _ in range(1000):
        mean = float(explained(share))
        if abs(mean - share) < _CLOSE or share * ratio[0] < 1:
            break
        share = mean

    inner = np.arange(1, gap.size - 1)
    inner = inner[gap[inner] < _TOLERANCE]
    bend = np.diff(gap, 2)[inner - 1]
    sharpest = float(_GRID[inner[int(np.argmax(bend))]]) if inner.size else share
    if sharpest <= share or ((gap < 0).sum() > 1 and share > _GRID[0]):
        return float(np.clip(share, 0, 1))
    return sharpest


_FOLDS = 5
_INNER = _GRID[:-1]  # shares below 1


@one_blas_thread()
def pearson(component, mixture, *, rng=None):
    r"""Share that minimizes the Pearson divergence between the scaled component and the mixture.

    With Gaussian basis functions at examples of the component, the density ratio of component to mixture is fitted by
    least squares (width and ridge by cross-validation), and the divergence is a parabola in the share whose
    minimum is :math:`1 / (2 \theta^\top h - \theta^\top H \theta)`.

    Assumes that the two classes do not overlap. Matching the whole density, it counts whatever lies under the
    component as component: with overlap the answer is too large. A few small linear systems.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores.
    rng : Generator
        Draws the folds and the basis functions.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    du Plessis & Sugiyama (2014), "Class prior estimation from positive and unlabeled data".
    """
    h_sample, f_sample = _enough(component, mixture)
    centers = np.sort(rng.choice(h_sample, min(100, h_sample.size), replace=False))
    typical = _typical_distance(centers, f_sample)
    h_folds, f_folds = _in_folds((h_sample, f_sample), rng)
    best = (np.inf, None)
    for width in typical * np.geomspace(0.1, 3, 8):
        h = np.array([_gaussians(fold, centers, width).mean(axis=0) for fold in h_folds])
        kernels = (_gaussians(fold, centers, width) for fold in f_folds)
        products = np.array([values.T @ values / len(values) for values in kernels])
        whole = products.mean(axis=0), h.mean(axis=0)
        for ridge in np.logspace(-3, 0, 7):
            score = _held_out(products, h, ridge)
            if score < best[0]:
                best = (score, (*whole, ridge))
    product, mean, ridge = best[1]
    theta = np.linalg.solve(product + ridge * np.eye(mean.size), mean)
    bend = 2 * theta @ mean - theta @ product @ theta
    return Share(float(np.clip(1 / bend, 0, 1)) if bend > 0 else 1.0)


def pen_l1(component, mixture, *, rng=None):
    r"""Share that minimizes a penalized L1 distance: taking too much of the component away costs without limit.

    With Gaussian basis functions :math:`\varphi_l` at examples of both samples and
    :math:`\beta_l(a) = a \, \mathrm E_p \varphi_l - \mathrm E_u \varphi_l`, the distance is
    :math:`\frac1\lambda \sum_l \max(0, \beta_l)\, \beta_l - a + 1`; only where the scaled component exceeds
    the mixture does it cost anything. Width and :math:`\lambda` are cross-validated.

    Assumes irreducibility only, unlike :func:`pearson`; with little overlap at the component's end the basis
    functions blur its edge and the answer is too large. A few hundred thousand exponentials per width.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores.
    rng : Generator
        Draws the folds and the basis functions.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    du Plessis, Niu & Sugiyama (2015), "Class-prior estimation for learning from positive and unlabeled data".
    """
    samples = _enough(component, mixture)
    centers = np.sort(
        np.concatenate([rng.choice(x, min(100, x.size), replace=False) for x in samples])
    )
    typical = _typical_distance(centers, samples[1])
    folds = _in_folds(samples, rng)
    best_score = np.full(_INNER.size, np.inf)
    distance = np.zeros(_INNER.size)
    for width in typical * np.logspace(-2, 1, 10):
        means = [
            np.array([_gaussians(fold, centers, width).mean(axis=0) for fold in sample])
            for sample in folds
        ]
        score, positive = _l1_scores(*means)
        for ridge in np.logspace(-3, 1, 10):
            better = score / ridge < best_score
            best_score = np.where(better, score / ridge, best_score)
            distance = np.where(better, positive / ridge - _INNER + 1, distance)
    return Share(float(_INNER[np.argmin(distance)]))


def _enough(component, mixture):
    """Logits of both samples, repeated where there are fewer than folds."""
    return [np.resize(x, max(x.size, _FOLDS)) for x in logits(component, mixture)]


def _in_folds(samples, rng):
    """Each sample as a list of its folds, drawn at random."""
    folds = [rng.permutation(np.arange(x.size) * _FOLDS // x.size) for x in samples]
    return [[x[fold == k] for k in range(_FOLDS)] for x, fold in zip(samples, folds, strict=True)]


def _typical_distance(centers, sample):
    distance = np.abs(centers[:, None] - np.quantile(sample, np.linspace(0.005, 0.995, 100)))
    typical = float(np.median(distance))
    return typical if typical > 0 else float(np.ptp(sample)) or 1.0


def _gaussians(sample, centers, width):
    """Gaussians of a width around each center at each score, in place: fresh memory would cost more than the sums."""
    values = sample[:, None] - centers
    values /= width
    np.square(values, out=values)
    values *= -0.5
    return np.exp(values, out=values)


def _held_out(products, h, ridge):
    """Cross-validated least-squares score of the density ratio."""
    score = 0.0
    for k in range(_FOLDS):
        rest = np.arange(_FOLDS) != k
        theta = np.linalg.solve(
            products[rest].mean(axis=0) + ridge * np.eye(h.shape[1]), h[rest].mean(axis=0)
        )
        score += theta @ products[k] @ theta / 2 - theta @ h[k]
    return score / _FOLDS


def _l1_scores(of_component, of_mixture):
    """Held-out and full sums of ``max(0, beta) * beta`` for every share; the first with its sign turned."""
    held_out = np.zeros(_INNER.size)
    for k in range(_FOLDS):
        rest = np.arange(_FOLDS) != k
        train = _along_shares(of_component[rest].mean(axis=0), of_mixture[rest].mean(axis=0))
        np.maximum(train, 0, out=train)
        train *= _along_shares(of_component[k], of_mixture[k])
        held_out -= train.sum(axis=1) / _FOLDS
    beta = _along_shares(of_component.mean(axis=0), of_mixture.mean(axis=0))
    return held_out, (np.maximum(beta, 0) * beta).sum(axis=1)


def _along_shares(of_component, of_mixture):
    """Share times the mean of the component, less that of the mixture, for every share and center."""
    difference = _INNER[:, None] * of_component
    difference -= of_mixture
    return difference
