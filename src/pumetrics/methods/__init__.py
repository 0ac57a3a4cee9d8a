"""All methods to estimate a score against the true class, called by one function: :func:`estimate_score`.

``METHODS`` lists for each method what it needs, what it assumes and which metrics it estimates.
"""

from pumetrics.methods.estimate import Answer, estimate_score
from pumetrics.methods.registry import METHODS, available_methods

__all__ = ["METHODS", "Answer", "available_methods", "estimate_score"]
