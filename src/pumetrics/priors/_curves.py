"""What several estimators share: how much of each sample lies at or above every threshold."""

import numpy as np

__all__ = ["calibrated", "logits", "shares_above"]


def shares_above(component, mixture):
    """Counts at or above every threshold that can tell two samples apart, from the highest threshold to the lowest.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores.

    Returns
    -------
    component_above, mixture_above : ndarray of shape (n_thresholds,)
        Number of scores at or above each distinct score of either sample. The last entries are the sample sizes.
    """
    thresholds = np.unique(np.concatenate([component, mixture]))[::-1]
    return tuple(
        sample.size - np.searchsorted(np.sort(sample), thresholds, side="left") for sample in (component, mixture)
    )


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

    scores, place = np.unique(np.concatenate([component, mixture]), return_inverse=True)
    both = np.bincount(place, minlength=scores.size)
    own = np.bincount(place[: component.size], minlength=scores.size)
    posterior = isotonic_regression(own / both, weights=both).x[place]
    return posterior[: component.size], posterior[component.size :]


def logits(component, mixture):
    """Scores on a scale without ends: logits if all of them lie in [0, 1], as they are otherwise.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,)
        Scores.

    Returns
    -------
    component_logit, mixture_logit : ndarray of shape (n,) and (m,)
        Finite: scores of 0 and 1 count as half a step of 1e-6 away from them.
    """
    if min(component.min(), mixture.min()) < 0 or max(component.max(), mixture.max()) > 1:
        return component, mixture
    inner = [np.clip(scores, 5e-7, 1 - 5e-7) for scores in (component, mixture)]
    return tuple(np.log(scores) - np.log1p(-scores) for scores in inner)
