"""Input and output of a method, its properties, and the answer to a user."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pumetrics.methods.sample import ScoredSample

__all__ = ["Answer", "Estimate", "Given", "Method", "View"]


class Given(NamedTuple):
    """What a method may use besides the scores; NaN where it is unknown."""

    alpha: float = np.nan
    """Share of positives among the unlabeled."""
    beta: float = np.nan
    """Share of positives among the labeled."""
    rho: float = np.nan
    """Label frequency: share of all positives that are labeled."""
    confidence: float = 0.95
    """Coverage of bands and intervals."""
    estimator: str = "consensus"
    """Which estimator of the priors resamples use, where alpha is unknown."""
    n_resamples: int = 200
    """Resamples behind an interval."""


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


class Answer(NamedTuple):
    """Estimate of a metric by a method, with what it is based on."""

    estimate: float
    """Clipped to the range of the metric; of a method that ranks only, a number to order models by."""
    lower: float | None
    """Lower end of the bounds or of the interval; None if there is none."""
    upper: float | None
    """Upper end; None if there is none."""
    threshold: float | None
    """Predict positive for scores >= threshold: where a measure of predictions is taken; None for areas."""
    alpha: float | None
    """Share of positives among the unlabeled that the method used; None if it used none."""
    beta: float | None
    """Share of positives among the labeled that the method used; None if it used none."""
    method: str
    """Name in ``METHODS``; "checks" of checked rows."""
    prior: str
    """Where alpha comes from: "given", "rho", "none", or the estimator, with "_clean" where labels are right."""
    notes: tuple[str, ...]
    """What the number assumes and leaves out, one sentence each."""


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
    uncertainty : str
        Of a method with an interval from resamples, what that accounts for where alpha is unknown: "calibrated",
        "guaranteed" or "sampling"; see :func:`pumetrics.inference.corrected_interval`. Empty for others. Such a method
        costs hundreds of times as much, so studies ask it apart.
    """

    answer: Callable
    label: str
    needs: tuple[str, ...]
    assumes: str
    metrics: tuple[str, ...]
    ranks_only: bool = False
    control: bool = False
    picks_only: bool = False
    uncertainty: str = ""
