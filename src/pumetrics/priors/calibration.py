"""How far the consensus is off on data whose class prior is known, as a small table, and the fit that makes it.

The table holds, for the confidences 50, 80 and 95 %, two linear quantile regressions of the error on what a sample shows
without its truth, and a margin that makes the pair hold on data sets left out of the fit (conformalized quantile
regression). Related data sets form a family; families weigh equally, and one more stands for the unseen.
"""

import json
from functools import cache
from importlib.resources import files

import numpy as np

from pumetrics.priors.consensus import MEMBERS, consensus_of
from pumetrics.priors.upper_bound import largest_alpha

__all__ = ["FEATURES", "LEVELS", "alpha_of_scale", "features_of", "fit_table", "left_out", "quantiles", "read_table",
           "scale_of_alpha", "summarize"]  # fmt: skip

LEVELS = (0.5, 0.8, 0.95)
"""Confidences of the table."""

FEATURES = ("one", "separation", "labeled", "unlabeled", "estimate", "room", "spread")
"""What the error is regressed on, see :func:`features_of`."""

_EPSILON = 0.002  # alphas this small and smaller are told apart by no sample of some thousand
_BOUND = 0.99  # confidence of the upper bound that no interval exceeds
_LEAST_SCALE = 0.1


def scale_of_alpha(alpha):
    """Map alpha to the scale of the errors: a logit that stays finite at 0 and 1."""
    alpha = np.asarray(alpha, dtype=np.float64)
    return np.log((alpha + _EPSILON) / (1 - alpha + _EPSILON))


def alpha_of_scale(value):
    """Undo :func:`scale_of_alpha`, clipped to [0, 1]."""
    odds = np.exp(np.minimum(value, 50.0))
    return np.clip((odds * (1 + _EPSILON) - _EPSILON) / (1 + odds), 0.0, 1.0)


def summarize(counts, samples):
    """What a sample shows of alpha without its truth.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    samples : tuple of ndarray
        Labeled and unlabeled scores; of many, evenly spaced ones are enough.

    Returns
    -------
    dict
        ``n_labeled``, ``n_unlabeled``, ``separation`` (uncorrected area under the ROC curve), the estimates of the
        members of the consensus by name, ``consensus``, and ``bound`` and ``bound_50``, the guaranteed upper bounds at
        99 and 50 %.
    """
    estimates = {name: float(member(*samples).value) for name, member in MEMBERS.items()}
    return {
        "n_labeled": counts.n_labeled,
        "n_unlabeled": counts.n_unlabeled,
        "separation": float(np.trapezoid(counts.tpr_pu, counts.fpr_pu)),
        **estimates,
        "consensus": consensus_of(estimates.values()),
        "bound": largest_alpha(counts, confidence=_BOUND),
        "bound_50": largest_alpha(counts, confidence=0.5),
    }
