"""A request, checked once: what is known of the labels (:class:`Labels`) and what is wanted (:class:`Ask`)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pumetrics._arguments import ArgumentError, check_together
from pumetrics._validation import as_array, check_alphas, check_count, check_fraction, check_priors
from pumetrics.counts import Counts
from pumetrics.inference.designs import ARGUMENTS, SCORED
from pumetrics.inference.selection import check_selection
from pumetrics.label_frequency import alpha_from_rho
from pumetrics.metrics import METRICS, find_metric

__all__ = [
    "FEW", "LEAST", "UNCERTAINTIES", "Ask", "Labels", "ask_of", "check_metrics", "check_threshold", "check_uncertainty",
    "known_priors", "labels_of",
]  # fmt: skip

LEAST = 10
"""Resamples, examples or clusters of either kind below which there is no interval, and no score is identified."""

FEW = 50
"""Labeled examples below which intervals are too narrow."""

UNCERTAINTIES = ("calibrated", "guaranteed", "sampling")


def known_priors(alpha, beta, noisy):
    """Pairs (alpha, beta) to correct with, of a range its ends and middle; None where they are to be estimated."""
    check_together(noisy=noisy or None, alpha=alpha, beta=beta)
    if alpha is None:
        if not check_fraction(beta, "beta"):
            raise ArgumentError(
                "beta", "must be larger than 0: nothing can be recovered from labeled examples without positives"
            )
        return None
    ends = check_alphas(alpha)
    values = ends if len(ends) == 1 else [ends[0], (ends[0] + ends[1]) / 2, ends[1]]
    return [check_priors(value, beta) for value in values]


def check_metrics(metrics, threshold=None):
    """Return `metrics` as a list, or raise ValueError unless all of them have intervals."""
    if isinstance(metrics, str) or not metrics:
        raise ValueError(f"metrics must be a list of names out of {', '.join(METRICS)}, got {metrics!r}")
    for name in metrics:
        entry = find_metric(name).numbered()
        if entry.kind == "threshold" and name not in SCORED and threshold is None:
            raise ValueError(f"{name} needs a threshold: without a fixed threshold, it has no meaningful maximum")
    return list(metrics)


def check_threshold(threshold, *scores):
    """Return `threshold` as a float or None, or raise ValueError.

    Scores of less than double precision meet it as they would in their own: 0.7 is no larger than ``float32(0.7)``.
    """
    if threshold is None:
        return None
    try:
        number = float(threshold)
    except (TypeError, ValueError):
        raise ArgumentError("threshold", f"must be a number, got {threshold!r}") from None
    except OverflowError:
        raise ArgumentError("threshold", "must be a number up to 1e308") from None
    if np.isnan(number):
        raise ArgumentError("threshold", "must be a number, got nan")
    kinds = {(each.thresholds if isinstance(each, Counts) else as_array(each)).dtype for each in scores}
    coarse = [kind for kind in kinds if kind.kind == "f" and np.abs(number) <= np.finfo(kind).max]
    return min([number, *(float(kind.type(number)) for kind in coarse)])


def check_uncertainty(uncertainty, *, alpha, beta, noisy):
    """Return what an interval accounts for in addition to sampling error, by default "calibrated" where possible."""
    if alpha is not None:
        return "known" if len(check_alphas(alpha)) == 1 else "range"
    if uncertainty is None:
        return "calibrated" if noisy or beta == 1 else "sampling"
    if uncertainty not in UNCERTAINTIES:
        raise ArgumentError("uncertainty", f"must be one of {', '.join(map(repr, UNCERTAINTIES))}, got {uncertainty!r}")
    return uncertainty


@dataclass(frozen=True)
class Labels:
    """What is known or assumed of the labels.

    Attributes
    ----------
    alpha : float, (float, float) or None
        Share of positives among the unlabeled, or a range; None if it is to be estimated.
    beta : float
        Share of positives among the labeled, unless `noisy`.
    method : str
        Estimator of the priors.
    noisy : bool
        Whether beta is estimated as well.
    uncertainty : str
        What an interval accounts for in addition to sampling error: "known" and "range" (alpha given), "calibrated",
        "guaranteed" or "sampling".
    selection : float
        Strength of a selection of labels by score; 1 for labels at random.
    calibration : dict or None
        Table of the calibration; None for the package's.
    source : str
        Where alpha comes from.
    """

    alpha: Any = None
    beta: float = 1.0
    method: str = "consensus"
    noisy: bool = False
    uncertainty: str = "calibrated"
    selection: float = 1.0
    calibration: dict | None = field(default=None, repr=False)
    source: str = "given"

    @property
    def clean(self):
        """Whether labels are taken to be right."""
        return self.beta == 1 and not self.noisy

    @property
    def accounts_for(self):
        """The `uncertainty` as results name it: with "_noise" where beta is uncertain, too."""
        return f"{self.uncertainty}_noise" if self.noisy and self.uncertainty != "sampling" else self.uncertainty

    @property
    def pairs(self):
        """Given pairs of alpha and beta; None where they are estimated."""
        return known_priors(self.alpha, self.beta, self.noisy)


def labels_of(
    sample,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    method="consensus",
    noisy=False,
    uncertainty=None,
    selection=1.0,
    calibration=None,
    populations=("all",),
):
    """Check what a user says of the labels of a sample.

    Parameters
    ----------
    sample : Sample
    alpha, beta, rho, method, noisy, uncertainty, calibration
        See :func:`pumetrics.inference.corrected_interval` and :func:`pumetrics.assessment.assess`.
    selection : float or sequence of float
    populations : collection of str
        What the scores that depend on the class mix are about.

    Returns
    -------
    Labels, or list of Labels
        One for each strength of selection if there are several.

    Raises
    ------
    ValueError
        On a value out of range, or two that contradict each other.
    """
    design = dict(zip(ARGUMENTS, sample.design or (), strict=False))
    several = np.ndim(np.asarray(selection, dtype=object)) > 0
    strengths = [check_selection(each) for each in (selection if several else [selection])]
    about = "unlabeled" if design.get("propensity") is not None and "unlabeled" in populations else None
    unknown = uncertainty if alpha is None and rho is None else None
    check_together(
        alpha=alpha, beta=beta, rho=rho, noisy=noisy or None, uncertainty=unknown, **design, population=about,
        selection=strengths if len(strengths) > 1 else strengths[0],
    )  # fmt: skip
    if rho is None:
        known_priors(alpha, beta, noisy)
        source = f"estimated ({method})" if alpha is None else "given"
    else:
        alpha, source = alpha_from_rho(rho, *sample.sizes, beta=beta), f"from rho = {rho:g}"
    uncertainty = check_uncertainty(uncertainty, alpha=alpha, beta=beta, noisy=noisy)
    labels = [Labels(alpha, beta, method, noisy, uncertainty, each, calibration, source) for each in strengths]
    return labels if several else labels[0]


_MOST_RESAMPLES = 1_000_000  # 200 are usual


@dataclass(frozen=True)
class Ask:
    """What is wanted of a sample.

    Attributes
    ----------
    metrics : tuple of str
    threshold : float or None
        Where predictions are made; None for the best one.
    population : {"all", "unlabeled"} or None
        What metrics that depend on the class mix are about; None if each is about its own.
    confidence : float
    n_bootstrap : int
    random_state : int, numpy.random.Generator or None
    """

    metrics: tuple[str, ...]
    threshold: float | None = None
    population: str | None = None
    confidence: float = 0.95
    n_bootstrap: int = 200
    random_state: Any = None

    @property
    def where(self):
        """Threshold and population by name."""
        return {"threshold": self.threshold, "population": self.population}


def ask_of(metrics, *, threshold=None, confidence=0.95, n_bootstrap=200, least=1, **options):
    """Check what a user wants, see :class:`Ask`; `threshold` is a float or None already."""
    check_count(n_bootstrap, "n_bootstrap", least=least, most=_MOST_RESAMPLES)
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    metrics = tuple(check_metrics(metrics, threshold))
    return Ask(metrics, threshold, confidence=confidence, n_bootstrap=n_bootstrap, **options)
