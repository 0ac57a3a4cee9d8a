"""Results of an estimator of a class prior."""

from dataclasses import dataclass, field

import numpy as np

__all__ = ["Evidence", "Priors", "Share"]


@dataclass(frozen=True)
class Evidence:
    """The curve from which an estimate was read, for plots.

    Attributes
    ----------
    kind : str
        What the curve is, for example "likelihood" or "bin ratio".
    x, y : ndarray of shape (n_points,)
        The curve.
    x_label, y_label : str
        Axis labels.
    mark : float or None
        The place on the x axis where the estimate was taken.
    members : tuple of str
        Names of the estimators at the places of a curve of the kind "members"; else empty.
    """

    kind: str
    x: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    x_label: str = field(repr=False)
    y_label: str = field(repr=False)
    mark: float | None = None
    members: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Share:
    """Largest share of one sample's distribution that fits into another's.

    Attributes
    ----------
    value : float
        The share, in [0, 1].
    evidence : Evidence or None
        The curve it was read off.
    low, high : float
        Ends of the range the method can answer within.
    notes : tuple of str
        Reasons to distrust the value, such as a flat curve; empty when there are none.
    """

    value: float
    evidence: Evidence | None = None
    low: float = 0.0
    high: float = 1.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Priors:
    """Shares of positives among the unlabeled and among the labeled, with evidence and warnings.

    Attributes
    ----------
    alpha : float
        Share of positives among the unlabeled, in [0, 1].
    beta : float
        Share of positives among the labeled, in [0, 1]; 1 unless label noise was estimated.
    method : str
        Name of the estimator.
    alpha_interval, beta_interval : tuple of (float, float) or None
        Bootstrap percentile intervals; None without a bootstrap.
    clean_p_value : float or None
        P value of a test of beta = 1, which positives that score like negatives fail as wrong labels do, see
        :func:`pumetrics.priors.plateau.clean_p_value`; None unless label noise was estimated from scores.
    status : str
        "ok", "suspect" when there are warnings, or "failed" when there is no estimate and both priors are NaN.
    warnings : tuple of str
        Each a reason to distrust the estimate.
    evidence : dict of str to Evidence
        The curves behind the estimate: "unlabeled" for the share of the labeled distribution found among the
        unlabeled and, where label noise was estimated, "labeled" for the other way round.
    """

    alpha: float
    beta: float
    method: str
    alpha_interval: tuple[float, float] | None = None
    beta_interval: tuple[float, float] | None = None
    warnings: tuple[str, ...] = ()
    evidence: dict[str, Evidence] = field(default_factory=dict, repr=False)
    clean_p_value: float | None = None

    @property
    def status(self):
        """Status of the estimate: "ok", "suspect" or "failed"."""
        if np.isnan(self.alpha):
            return "failed"
        return "suspect" if self.warnings else "ok"
