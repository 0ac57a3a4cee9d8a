"""All methods to estimate a score against the true class, called by one function: :func:`estimate_score`.

``METHODS`` lists for each method what it needs, what it assumes and which metrics it estimates. Three methods are
controls, which use the truth or no information; studies compare the others with them.
"""

from pumetrics.methods.answers import Estimate, truth_of
from pumetrics.methods.estimate import Answer, estimate_score
from pumetrics.methods.registry import METHODS, Method, available_methods, find_method

__all__ = ["METHODS", "Answer", "Estimate", "Method", "available_methods", "estimate_score", "find_method", "truth_of"]
