"""Best bin estimation: the ratio of both samples above the threshold at which it is known best to be small."""

import numpy as np

from pumetrics.counts import count_samples
from pumetrics.priors._types import Evidence, Share

__all__ = ["bbe"]

_DELTA = 0.1
_GAMMA = 0.01


def bbe(component, mixture, *, rng=None):
    r"""Ratio of the mixture's to the component's share above the best threshold.

    For the share :math:`q` of each sample at or above a threshold, :math:`q_u / q_p` is at least the share sought, and
    equal to it where only the component scores so high. The threshold minimises an upper confidence bound on it,

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
    counts = count_samples(component, mixture)
    known = counts.labeled > 0
    q_p, q_u = counts.tpr_pu[known], counts.fpr_pu[known]
    spread = np.sqrt(np.log(4 / _DELTA) / 2) * (mixture.size**-0.5 + component.size**-0.5)
    ratio = q_u / q_p
    best = int(np.argmin(ratio + (1 + _GAMMA) * spread / q_p))
    evidence = Evidence(
        "bin ratio",
        q_p,
        ratio,
        "component above threshold",
        "mixture / component",
        float(q_p[best]),
    )
    return Share(float(min(ratio[best], 1.0)), evidence)
