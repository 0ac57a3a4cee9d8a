"""What several estimators share: scores in one unit, as logits and as probabilities."""

import numpy as np

__all__ = ["logistic", "logits", "standardized"]

_TAIL = 0.05  # of both samples, each weighing the same, outside the width on either side
_FAR = 3.0  # widths from the middle, beyond which a score is an outlier
_LEAST_WIDTH = 1e-300  # by which the largest score can still be divided
_LEAST_SPREAD = 1e-5  # of probabilities: scores in [0, 1] that lie closer together are in a small unit


def standardized(component, mixture):
    """Samples in their own unit, without far outliers; probabilities stay as they are.

    The middle and the width of the central 90% of both samples, each weighing the same, become 0 and 1, so that the
    unit and the origin of the scores do not matter. Of the distance beyond three widths the logarithm is taken twice.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,), or (n, n_features) and (m, n_features)
        Finite, however large or small. Scores that all lie in [0, 1] are read as probabilities, unless their central
        90% differ by no more than 1e-5. Of features only the order of magnitude is taken out.

    Returns
    -------
    component, mixture : ndarray
        In the same order. Either probabilities, or scores of which some lie below 0.
    """
    both, n = np.concatenate([component, mixture]), len(component)
    exponent = np.frexp(np.abs(both).max(axis=0))[1]
    scaled = np.ldexp(both, -exponent)  # exact, and differences of it cannot overflow
    if both.ndim > 1:
        return scaled[:n], scaled[n:]
    weights = np.repeat([1 / n, 1 / len(mixture)], [n, len(mixture)])
    low, high = np.quantile(scaled, [_TAIL, 1 - _TAIL], weights=weights, method="inverted_cdf")
    if high - low < _LEAST_WIDTH:
        low, high = scaled.min(), scaled.max()
    if both.min() >= 0 and both.max() <= 1 and np.ldexp(high - low, exponent) > _LEAST_SPREAD:
        return component, mixture
    place = (scaled - (low + high) / 2) / (high - low or 1.0)
    beyond = np.log1p(np.log1p(np.maximum(np.abs(place) - _FAR, 0)))
    place = np.clip(place, -_FAR, _FAR) + np.copysign(beyond, place)
    return place[:n], place[n:]


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


def logistic(t):
    """Logistic function, safe from overflow."""
    return 1 / (1 + np.exp(-np.clip(t, -500, 500)))
