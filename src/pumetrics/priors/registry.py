"""Every estimator of a share, by name. Adding one is one entry here and one function."""

from dataclasses import dataclass

from pumetrics.priors.alphamax import alphamax
from pumetrics.priors.alphamax_plus import alphamax_plus
from pumetrics.priors.bbe import bbe
from pumetrics.priors.dedpul import dedpul
from pumetrics.priors.elkan_noto import elkan_noto_e1, elkan_noto_e3
from pumetrics.priors.roc_slope import roc_fit, roc_slope

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
    "bbe": Method(bbe),
    "dedpul": Method(dedpul),
    "elkan_noto_e1": Method(elkan_noto_e1),
    "elkan_noto_e3": Method(elkan_noto_e3),
    "roc_fit": Method(roc_fit),
    "roc_slope": Method(roc_slope),
}


def available_priors():
    """Names of all estimators, in alphabetical order.

    Returns
    -------
    list of str
    """
    return sorted(METHODS)
