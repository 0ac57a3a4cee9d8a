"""Every estimator of a share, by name. Adding one is one entry here and one function."""

from dataclasses import dataclass

from pumetrics.priors.alphamax import alphamax
from pumetrics.priors.alphamax_plus import alphamax_plus

__all__ = ["METHODS", "Method", "available_priors"]


@dataclass(frozen=True)
class Method:
    """An estimator of the largest share of a component in a mixture, and what it needs.

    Attributes
    ----------
    estimate : callable
        ``estimate(component, mixture, rng=Generator) -> Share``.
    oriented : bool
        Whether the component must have the higher scores. If so, scores are turned around when roles are swapped.
    """

    estimate: callable
    oriented: bool = True


METHODS = {
    "alphamax": Method(alphamax, oriented=False),
    "alphamax_plus": Method(alphamax_plus),
}


def available_priors():
    """Names of all estimators, in alphabetical order.

    Returns
    -------
    list of str
    """
    return sorted(METHODS)
