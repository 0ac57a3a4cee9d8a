"""Estimators from counts above thresholds: the end of a ROC curve, and calibrated posteriors of the labeled examples.

Of the curve its best bin, its slope, and a fitted curve; of the posteriors their mean and the highest (Elkan and Noto).
"""

import numpy as np

from pumetrics.counts import place_samples
from pumetrics.priors.types import Share

__all__ = ["bbe", "calibrated", "elkan_noto_e1", "elkan_noto_e3", "roc_fit", "roc_slope"]

_DELTA = 0.1
_GAMMA = 0.01
_THRESHOLDS = 200
_DISTANCES = np.geomspace(1, 1e4, 161)


def bbe(component, mixture, *, rng=None):
    r"""Ratio of the mixture's to the component's share above the best threshold.

    For the share :math:`q` of each sample at or above a threshold, :math:`q_u / q_p` is at least the share sought, and
    equal to it where only the component scores so high. The threshold minimizes an upper confidence bound on it,

    .. math:: \frac{q_u}{q_p} + \frac{1+\gamma}{q_p}
              \left(\sqrt{\frac{\log 4/\delta}{2 n_u}} + \sqrt{\frac{\log 4/\delta}{2 n_p}}\right),
              \qquad \gamma = 0.01, \delta = 0.1.

    Assumes that the highest scores are nearly pure ("top bin"). When they are not, the answer is too large, by as
    much as the negatives among the highest scores. Sorting is all it costs.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores, higher for the component.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Garg, Wu, Smola, Balakrishnan & Lipton (2021), "Mixture proportion estimation and PU learning: a modern approach",
    Algorithm 1.
    """
    counts = place_samples(component, mixture).counts()
    known = counts.labeled > 0
    q_p = counts.tpr_pu[known]
    q_u = counts.fpr_pu[known]
    spread = np.sqrt(np.log(4 / _DELTA) / 2) * (mixture.size**-0.5 + component.size**-0.5)
    ratio = q_u / q_p
    best = int(np.argmin(ratio + (1 + _GAMMA) * spread / q_p))
    return Share(float(min(ratio[best], 1.0)))


def roc_slope(component, mixture, *, rng=None):
    """Smallest slope of a line from the end of the ROC curve to any of its points, each moved by its uncertainty.

    The share is the infimum, over all score thresholds, of the mixture's share above them over the component's. The
    first is replaced by its upper and the second by its lower confidence limit, each by exact inversion of the
    binomial tail at 10%, so thresholds with few examples above cannot win by luck. The limits are not corrected for
    the number of thresholds: that would be a valid bound, but a far too high one.

    Assumes that scores somewhere single out the component. When they do not, the answer is too large; with small
    samples too, because of the limits. Costs one sort.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores, higher for the component.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Blanchard, Lee & Scott (2010), "Semi-supervised novelty detection"; Scott (2015), "A rate of convergence for
    mixture proportion estimation, with application to learning from noisy labels".
    """
    counts = place_samples(component, mixture).counts()
    wanted = np.linspace(0, component.size, _THRESHOLDS + 1)[1:]  # evenly spread over the component
    keep = np.unique(np.searchsorted(counts.labeled, wanted))
    above = counts.labeled[keep]
    mixture_above = counts.unlabeled[keep]
    upper = _tail_limit(mixture_above, mixture.size)
    lower = 1 - _tail_limit(component.size - above, component.size)
    slope = np.divide(upper, lower, out=np.full_like(upper, np.inf), where=lower > 0)
    return Share(float(min(slope.min(), 1.0)))


def _tail_limit(count, size):
    """Success probability at which so few successes have probability 10%."""
    from scipy.special import betaincinv

    few = count < size
    return np.where(few, betaincinv(count + 1, np.maximum(size - count, 1), 1 - _DELTA), 1.0)


def roc_fit(component, mixture, *, rng=None):
    r"""Slope of a fitted ROC curve: a share of pure chance, and a rest whose curve has two parameters in all.

    With x and y the component's and the mixture's share above a threshold, the model is

    .. math:: y = \gamma x + (1 - \gamma) \frac{x}{x + \Delta (1 - x)}, \qquad \Delta \ge 1,

    the curve of two logistic distributions shifted against each other. It is fitted by least squares; for each of 161
    values of :math:`\Delta` the share :math:`\gamma` has a closed form.

    Uses all of the curve, so it has little variance, and a bias where the curve has another shape. It does not need any
    region to be pure, but answers too much or too little when the model is wrong. Costs one sort.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores, higher for the component.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Sanderson & Scott (2014), "Class proportion estimation with application to multiclass anomaly rejection".
    """
    counts = place_samples(component, mixture).counts()
    x = np.arange(1, _THRESHOLDS) / _THRESHOLDS
    y = np.interp(x, counts.tpr_pu, counts.fpr_pu)
    rest = x / (x + _DISTANCES[:, None] * (1 - x))
    gap = x - rest
    squares = (gap**2).sum(axis=1)
    products = (gap * (y - rest)).sum(axis=1)
    share = np.divide(products, squares, out=np.ones_like(squares), where=squares > 0)
    share = np.clip(share, 0, 1)
    misfit = ((y - rest - share[:, None] * gap) ** 2).sum(axis=1)
    return Share(float(share[np.argmin(misfit)]))


_HIGH = 0.9  # quantile over the component that replaces the highest posterior


def elkan_noto_e1(component, mixture, *, rng=None):
    r"""Share from the mean posterior of the component's own examples.

    If no point of the component's support belongs to the rest as well, P(labeled | x) is the same number c there, and
    its mean over the component estimates c. Then :math:`a = \frac{n_p (1-c)}{n_u c}`. Posteriors are the scores after
    isotonic calibration, so any score with the right order will do.

    Assumes exactly that separability. Any overlap lowers the mean and raises the share, and the more so the smaller it
    is. Costs one sort.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Out-of-sample scores, higher for the component.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Elkan & Noto (2008), "Learning classifiers from only positive and unlabeled data", estimator e1.
    """
    return _share(component, mixture, np.mean)


def elkan_noto_e3(component, mixture, *, rng=None):
    """Share from the highest posterior of any example.

    As :func:`elkan_noto_e1`, but only some points need to be free of the rest. The maximum itself would rest on one
    example (after calibration it is 1 as soon as the highest score is labeled), so the 90% quantile over the
    component's examples replaces it. Overlap among the highest tenth makes the share too large; where much more
    than a tenth is certain, luck makes it a little too small.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Out-of-sample scores, higher for the component.
    rng : ignored
        The method is deterministic.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Elkan & Noto (2008), "Learning classifiers from only positive and unlabeled data", estimator e3.
    """
    return _share(component, mixture, lambda posterior: np.quantile(posterior, _HIGH))


def calibrated(component, mixture):
    """Posteriors of belonging to the component, by isotonic regression on the scores.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores, higher for the component.

    Returns
    -------
    component_posterior, mixture_posterior : ndarray of shape (n,) and (m,)
        P(component | score) for samples of these sizes; the same for equal scores.
    """
    from scipy.optimize import isotonic_regression

    places = place_samples(component, mixture)
    m = len(places.thresholds)
    in_component, in_mixture = (np.bincount(place, minlength=m)[:0:-1] for place in places[1:])
    in_both = in_component + in_mixture
    # ascending, then as thresholds
    posterior = isotonic_regression(in_component / in_both, weights=in_both).x[::-1]
    return posterior[places.labeled - 1], posterior[places.unlabeled - 1]


def _share(component, mixture, middle):
    posterior, _ = calibrated(component, mixture)
    c = float(middle(posterior))
    share = component.size * (1 - c) / (mixture.size * c) if c > 0 else 1.0
    return Share(float(np.clip(share, 0, 1)))
