"""Elkan and Noto's estimators, from a calibrated classifier's scores of labeled examples."""

import numpy as np

from pumetrics.counts import place_samples
from pumetrics.priors._types import Evidence, Share

__all__ = ["calibrated", "elkan_noto_e1", "elkan_noto_e3"]

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
    posterior = isotonic_regression(in_component / in_both, weights=in_both).x[::-1]  # ascending, then as thresholds
    return posterior[places.labeled - 1], posterior[places.unlabeled - 1]


def _share(component, mixture, middle):
    posterior, _ = calibrated(component, mixture)
    c = float(middle(posterior))
    share = component.size * (1 - c) / (mixture.size * c) if c > 0 else 1.0
    evidence = Evidence(
        "posterior", np.sort(posterior), np.arange(1, posterior.size + 1) / posterior.size, "P(component | x)",
        "component at or below", c,
    )  # fmt: skip
    return Share(float(np.clip(share, 0, 1)), evidence)
