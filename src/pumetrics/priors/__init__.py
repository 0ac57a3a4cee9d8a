"""Estimators of the share of positives among unlabeled and noisily labeled examples.

Every method estimates the largest share of one sample's distribution that fits into another's.
For the labeled sample in the unlabeled one this is alpha; in both directions it gives alpha and beta
(:func:`~pumetrics.priors.combine_shares`).
"""

from pumetrics.priors.estimate import estimate_priors, estimate_shares
from pumetrics.priors.interval import AlphaInterval, alpha_interval
from pumetrics.priors.registry import available_priors
from pumetrics.priors.types import Priors, combine_shares, priors_of

__all__ = [
    "AlphaInterval",
    "Priors",
    "alpha_interval",
    "available_priors",
    "combine_shares",
    "estimate_priors",
    "estimate_shares",
    "priors_of",
]
