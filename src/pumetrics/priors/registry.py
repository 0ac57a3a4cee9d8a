"""Every estimator of a share, by name. Adding one is one entry here and one function."""

from collections.abc import Callable
from dataclasses import dataclass

from pumetrics.priors._types import Share
from pumetrics.priors.alphamax import alphamax
from pumetrics.priors.alphamax_plus import alphamax_plus
from pumetrics.priors.bbe import bbe
from pumetrics.priors.consensus import consensus
from pumetrics.priors.dedpul import dedpul
from pumetrics.priors.divergence import pearson, pen_l1
from pumetrics.priors.elkan_noto import elkan_noto_e1, elkan_noto_e3
from pumetrics.priors.kernel_mean import km1, km2
from pumetrics.priors.plateau import plateau
from pumetrics.priors.roc_slope import roc_fit, roc_slope
from pumetrics.priors.tice import tice

__all__ = ["METHODS", "Method", "available_priors"]


@dataclass(frozen=True)
class Method:
    """An estimator of the largest share of a component in a mixture, and what it needs.

    Attributes
    ----------
    estimate : Callable
        ``estimate(component, mixture, rng=Generator) -> Share``.
    oriented : bool
        Whether the component must have the higher scores. If so, scores are turned around when roles are swapped.
    features : bool
        Whether it accepts rows of features as well as scores.
    """

    estimate: Callable[..., Share]
    oriented: bool = True
    features: bool = False


METHODS = {
    "alphamax": Method(alphamax, oriented=False),
    "alphamax_plus": Method(alphamax_plus),
    "bbe": Method(bbe),
    "consensus": Method(consensus),
    "dedpul": Method(dedpul),
    "elkan_noto_e1": Method(elkan_noto_e1),
    "elkan_noto_e3": Method(elkan_noto_e3),
    "km1": Method(km1, oriented=False, features=True),
    "km2": Method(km2, oriented=False, features=True),
    "pearson": Method(pearson, oriented=False),
    "pen_l1": Method(pen_l1, oriented=False),
    "plateau": Method(plateau),
    "roc_fit": Method(roc_fit),
    "roc_slope": Method(roc_slope),
    "tice": Method(tice, oriented=False, features=True),
}


def available_priors():
    """Names of all estimators, in alphabetical order.

    Returns
    -------
    list of str
    """
    return sorted(METHODS)
