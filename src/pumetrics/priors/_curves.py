"""What several estimators share: scores as posteriors, as logits and as probabilities."""

import numpy as np

from pumetrics.counts import place_samples

__all__ = ["calibrated", "logistic", "logits", "squash_scores"]


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


def squash_scores(y_score):
    """Scores that estimators may read as probabilities: logistic unless all of them lie in [0, 1] already.

    Parameters
    ----------
    y_score : ndarray of shape (n,)
        Scores of labeled and unlabeled examples together, so that both are treated alike.

    Returns
    -------
    ndarray of shape (n,)
        In [0, 1], in the same order; scores that lie there already as they are.

    Examples
    --------
    >>> squash_scores(np.array([0.2, 0.7])), squash_scores(np.array([0.0, 2.0])).round(3)
    (array([0.2, 0.7]), array([0.5  , 0.881]))
    """
    if y_score.min() < 0 or y_score.max() > 1:
        return logistic(y_score)
    return y_score


def logistic(t):
    """Logistic function, safe from overflow."""
    return 1 / (1 + np.exp(-np.clip(t, -500, 500)))
