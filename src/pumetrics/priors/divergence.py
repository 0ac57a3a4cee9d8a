"""Estimators that match the component, scaled by the share, to part of the mixture: Pearson and penalised L1."""

import numpy as np

from pumetrics.priors._types import Evidence, Share, logits

__all__ = ["pearson", "pen_l1"]

_FOLDS = 5
_GRID = np.arange(1, 1000) / 1000


def pearson(component, mixture, *, rng=None):
    r"""Share that minimises the Pearson divergence between the scaled component and the mixture.

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
        products = np.array([_second_moment(_gaussians(fold, centers, width)) for fold in f_folds])
        whole = products.mean(axis=0), h.mean(axis=0)
        for ridge in np.logspace(-3, 0, 7):
            score = _held_out(products, h, ridge)
            if score < best[0]:
                best = (score, (*whole, ridge))
    product, mean, ridge = best[1]
    theta = np.linalg.solve(product + ridge * np.eye(mean.size), mean)
    bend = 2 * theta @ mean - theta @ product @ theta
    share = float(np.clip(1 / bend, 0, 1)) if bend > 0 else 1.0
    curve = _GRID**2 * bend / 2 - _GRID + 0.5
    return Share(share, Evidence("divergence", _GRID, curve, "share", "Pearson divergence", share))


def pen_l1(component, mixture, *, rng=None):
    r"""Share that minimises a penalised L1 distance: taking too much of the component away costs without limit.

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
    centers = np.sort(np.concatenate([rng.choice(x, min(100, x.size), replace=False) for x in samples]))
    typical = _typical_distance(centers, samples[1])
    folds = _in_folds(samples, rng)
    best_score = np.full(_GRID.size, np.inf)
    distance = np.zeros(_GRID.size)
    for width in typical * np.logspace(-2, 1, 10):
        means = [np.array([_gaussians(fold, centers, width).mean(axis=0) for fold in sample]) for sample in folds]
        score, positive = _l1_scores(*means)
        for ridge in np.logspace(-3, 1, 10):
            better = score / ridge < best_score
            best_score = np.where(better, score / ridge, best_score)
            distance = np.where(better, positive / ridge - _GRID + 1, distance)
    share = float(_GRID[np.argmin(distance)])
    return Share(share, Evidence("divergence", _GRID, distance, "share", "penalised L1 distance", share))


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


def _second_moment(values):
    return values.T @ values / len(values)


def _held_out(products, h, ridge):
    """Cross-validated least-squares score of the density ratio."""
    score = 0.0
    for k in range(_FOLDS):
        rest = np.arange(_FOLDS) != k
        theta = np.linalg.solve(products[rest].mean(axis=0) + ridge * np.eye(h.shape[1]), h[rest].mean(axis=0))
        score += theta @ products[k] @ theta / 2 - theta @ h[k]
    return score / _FOLDS


def _l1_scores(of_component, of_mixture):
    """Held-out and full sums of ``max(0, beta) * beta`` for every share; the first with its sign turned."""
    held_out = np.zeros(_GRID.size)
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
    difference = _GRID[:, None] * of_component
    difference -= of_mixture
    return difference
