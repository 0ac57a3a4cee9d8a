"""Elkan and Noto's estimators, from a calibrated classifier's scores of labeled examples."""

import numpy as np

from pumetrics.priors._curves import calibrated
from pumetrics.priors._types import Evidence, Share

__all__ = ["elkan_noto_e1", "elkan_noto_e3"]

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
    component_posterior, mixture_posterior = calibrated(component, mixture)
    return _share(float(component_posterior.mean()), component_posterior, mixture_posterior)


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
    component_posterior, mixture_posterior = calibrated(component, mixture)
    return _share(float(np.quantile(component_posterior, _HIGH)), component_posterior, mixture_posterior)


def _share(c, component_posterior, mixture_posterior):
    share = component_posterior.size * (1 - c) / (mixture_posterior.size * c) if c > 0 else 1.0
    x = np.sort(component_posterior)
    y = np.arange(1, x.size + 1) / x.size
    evidence = Evidence("posterior", x, y, "P(component | x)", "component at or below", c)
    return Share(float(np.clip(share, 0, 1)), evidence)
