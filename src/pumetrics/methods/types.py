"""Input and output of a method, and its properties."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pumetrics.methods.sample import ScoredSample

__all__ = ["Estimate", "Given", "Method", "View"]


class Given(NamedTuple):
    """What a method may use besides the scores; NaN where it is unknown."""

    alpha: float = np.nan
    """Share of positives among the unlabeled."""
    beta: float = np.nan
    """Share of positives among the labeled."""
    rho: float = np.nan
    """Label frequency: share of all positives that are labeled."""
    confidence: float = 0.95
    """Coverage of bands."""


class Estimate(NamedTuple):
    """A method's answer to one metric."""

    metric: str
    value: float
    """Not clipped; NaN if there is none."""
    at: int = 0
    """Index of the threshold it belongs to; 0 for areas."""
    lower: float = np.nan
    """Lower bound; NaN if the method gives none."""
    upper: float = np.nan
    """Upper bound; NaN if the method gives none."""


@dataclass(frozen=True)
class View:
    """Input of a method.

    Attributes
    ----------
    sample : ScoredSample
        The true class in it is for controls alone.
    rng : numpy.random.Generator or None
        For methods that draw.
    first : bool or None
        Whether this is the first model of a pool; None without a pool.
    """

    sample: ScoredSample
    rng: Any = None
    first: bool | None = None


@dataclass(frozen=True)
class Method:
    """A method: how it answers, what it needs and assumes, and the use of its answer.

    Attributes
    ----------
    answer : callable
        ``answer(view, given, metrics)`` yields an ``Estimate`` for each of the metrics.
    label : str
        Its name in figures and tables.
    needs : tuple of str
        What must be known or estimated, of "alpha", "beta" and "rho"; or "truth" (the true class) and "pool" (other
        models), which only a study has. A method that needs alpha and not beta assumes no label noise.
    assumes : str
        The conditions under which its answer is valid.
    metrics : tuple of str
        Names of the metrics it answers.
    ranks_only : bool
        Its number ranks models but does not estimate the metric, so it has no error.
    control : bool
        It uses the truth, or no information: for comparison only.
    picks_only : bool
        Its number selects a model but does not rank the others.
    """

    answer: Callable
    label: str
    needs: tuple[str, ...]
    assumes: str
    metrics: tuple[str, ...]
    ranks_only: bool = False
    control: bool = False
    picks_only: bool = False
