"""A request, checked once, and the priors it leads to.

:class:`Labels` says what is known of the labels, :class:`Ask` what is wanted. :class:`PriorEstimates` holds the
estimates of priors from one sample of counts, each computed when it is first needed; :func:`plan_priors` makes of
them, or of priors that are given, a :class:`PriorPlan`: which alphas and betas a sample is corrected with.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pumetrics.arguments import ArgumentError, ContradictionError
from pumetrics.inference.sample import SCORED
from pumetrics.label_frequency import alpha_from_rho
from pumetrics.metrics import METRICS, find_metric
from pumetrics.priors import combine_shares
from pumetrics.priors.calibration import LEVELS, CalibratedPriors, calibrated_priors, tells
from pumetrics.priors.estimate import described, estimate_shares, has_order, pair_of, samples_of
from pumetrics.priors.interval import check_telling
from pumetrics.priors.upper_bound import MOST_SHARE, largest_alpha, largest_shares
from pumetrics.rates import usable
from pumetrics.tops import check_population
from pumetrics.validation import (
    check_alphas,
    check_count,
    check_fraction,
    check_priors,
    check_random_state,
)

__all__ = [
    "ACCOUNTS_FOR",
    "FEW",
    "LEAST",
    "Ask",
    "Labels",
    "PriorEstimates",
    "PriorPlan",
    "ask_of",
    "check_accounted",
    "check_estimable",
    "check_metrics",
    "labels_of",
    "plan_priors",
    "stream_of_priors",
]

LEAST = 10
"""Resamples, examples or clusters of either kind below which there is no interval, and no score is identified."""

FEW = 50
"""Labeled or unlabeled examples below which a warning says so."""

UNCERTAINTIES = ("calibrated", "guaranteed", "sampling")

ACCOUNTS_FOR = {
    "known": "Intervals account for sampling error; alpha is taken as given.",
    "range": "Intervals account for sampling error at every alpha of the given range.",
    "calibrated": (
        "Intervals account for sampling error and the uncertainty of alpha, calibrated on data sets with known alpha; "
        "coverage may be lower on different data."
    ),
    "guaranteed": (
        "Intervals account for sampling error and every alpha up to the guaranteed bound, for any distribution of "
        "scores."
    ),
    "calibrated_noise": (
        "Intervals account for sampling error and the uncertainty of alpha and beta. The errors of both estimates "
        "were learned from data sets with known label noise: this is empirical, not a theorem, and coverage may be "
        "lower on different data. Wrong labels are assumed to affect negatives at random."
    ),
    "guaranteed_noise": (
        "Intervals account for sampling error and every alpha and beta that guaranteed bounds allow, for any "
        "distribution of scores. Wrong labels are assumed to affect negatives at random."
    ),
    "sampling": (
        "Intervals account for sampling error only, not for the error of the estimated priors: expect less than "
        "nominal coverage."
    ),
    "checked": "Intervals account for the rows that were not checked; they refer to the rows of this file.",
}
"""What intervals account for, by their ``uncertainty``."""


def _known_priors(alpha, beta):
    """Pairs (alpha, beta) to correct with, of a range its middle and its ends; None where they are to be estimated."""
    if alpha is None:
        if not check_fraction(beta, "beta"):
            raise ArgumentError(
                "beta",
                "must be larger than 0: nothing can be recovered from labeled examples without positives",
            )
        return None
    ends = check_alphas(alpha)
    values = ends if len(ends) == 1 else [(ends[0] + ends[1]) / 2, *ends]
    return [check_priors(value, beta) for value in values]


def check_metrics(metrics, threshold=None):
    """Return `metrics` as a list, or raise ValueError unless all of them have intervals."""
    if isinstance(metrics, str) or not metrics:
        raise ValueError(
            f"metrics must be a list of names out of {', '.join(METRICS)}, got {metrics!r}"
        )
    for name in metrics:
        entry = find_metric(name).numbered()
        if entry.kind == "threshold" and name not in SCORED and threshold is None:
            raise ArgumentError(
                "threshold",
                f"is required for {name}, which has no meaningful maximum: give a score",
            )
    return list(metrics)


@dataclass(frozen=True)
class Labels:
    """What is known or assumed of the labels.

    Attributes
    ----------
    alpha : float, (float, float) or None
        Share of positives among the unlabeled, or a range; None if it is to be estimated.
    beta : float
        Share of positives among the labeled, unless `noisy`.
    rho : float or None
        Label frequency from which alpha was computed, if any.
    method : str
        Estimator of the priors.
    noisy : bool
        Whether beta is estimated as well.
    uncertainty : str
        What an interval accounts for in addition to sampling error: "known" and "range" (alpha given), "calibrated",
        "guaranteed" or "sampling".
    calibration : dict or None
        Table of the calibration; None for the package's.
    source : str
        Where alpha comes from.
    pairs : list of (float, float) or None
        Alpha and beta, of a range its middle and its ends; None where they are to be estimated.
    """

    alpha: Any = None
    beta: float = 1.0
    rho: float | None = None
    method: str = "consensus"
    noisy: bool = False
    uncertainty: str = "calibrated"
    calibration: dict | None = field(default=None, repr=False)
    source: str = "given"
    pairs: list | None = None

    @property
    def accounts_for(self):
        """The `uncertainty` as results name it: with "_noise" where beta is uncertain, too."""
        return (
            f"{self.uncertainty}_noise"
            if self.noisy and self.uncertainty != "sampling"
            else self.uncertainty
        )


def labels_of(
    sample,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    method="consensus",
    noisy=False,
    uncertainty=None,
    calibration=None,
):
    """Check what a user says of the labels of a sample.

    Parameters
    ----------
    sample : Sample
    alpha, beta, rho, method, noisy, uncertainty, calibration
        See :func:`pumetrics.inference.corrected_intervals` and :func:`pumetrics.assessment.assess`.

    Returns
    -------
    Labels

    Raises
    ------
    ValueError
        On a value out of range, or two that contradict each other.
    """
    _check_together(alpha, beta, rho, noisy, uncertainty)
    if sample.design is not None and uncertainty == "guaranteed" and alpha is None and rho is None:
        raise ContradictionError(
            [
                ("uncertainty", uncertainty),
                ("cluster" if sample.design.weights is None else "sample_weight", True),
            ],
            "the guaranteed range rests on an exact test that counts independent rows; use calibrated, or give alpha",
        )
    source = "given"
    if rho is not None:
        alpha, source = alpha_from_rho(rho, *sample.sizes, beta=beta), f"from rho = {rho:g}"
    pairs = _known_priors(alpha, beta)
    if pairs is not None:
        uncertainty = "known" if len(pairs) == 1 else "range"
    elif uncertainty is None:
        uncertainty = "calibrated" if noisy or beta == 1 else "sampling"
    elif uncertainty not in UNCERTAINTIES:
        raise ArgumentError(
            "uncertainty", f"must be 'calibrated' or 'guaranteed', got {uncertainty!r}"
        )
    source = f"estimated ({method})" if pairs is None else source
    return Labels(alpha, beta, rho, method, noisy, uncertainty, calibration, source, pairs)


def _check_together(alpha, beta, rho, noisy, uncertainty):
    """Raise ContradictionError if two of the arguments that are given exclude each other."""
    given = [(name, value) for name, value in (("alpha", alpha), ("rho", rho)) if value is not None]
    if len(given) == 2:
        raise ContradictionError(given, "rho determines alpha; omit one of them")
    if noisy:
        for other in (*given, *([("beta", beta)] if beta != 1 else [])):
            raise ContradictionError(
                [("noisy", True), other], "noisy estimates alpha and beta; omit one of them"
            )
    if uncertainty is not None and given:
        raise ContradictionError(
            [("uncertainty", uncertainty), *given],
            "it applies only when alpha is estimated; omit one of them, or give a range of alpha such as 0.1,0.3",
        )


def check_accounted(labels):
    """Raise ValueError if intervals would leave out the error of estimated priors."""
    if labels.pairs is None and labels.beta < 1:
        raise ArgumentError(
            "beta",
            f"is {labels.beta:g} and alpha is not given: no interval accounts for the error of such an alpha; give "
            "alpha, or estimate beta as well (noisy)",
        )
    if labels.uncertainty == "sampling":
        raise ArgumentError("uncertainty", "must be 'calibrated' or 'guaranteed', got 'sampling'")


_MOST_RESAMPLES = 1_000_000  # 200 are usual


@dataclass(frozen=True)
class Ask:
    """What is wanted of a sample.

    Attributes
    ----------
    metrics : tuple of str
    threshold : float or None
        Where predictions are made; None for the best one.
    population : {"all", "unlabeled"}
        What metrics that depend on the class mix are about.
    confidence : float
    n_bootstrap : int
    random_state : int, numpy.random.Generator or None
    """

    metrics: tuple[str, ...]
    threshold: float | None = None
    population: str = "all"
    confidence: float = 0.95
    n_bootstrap: int = 200
    random_state: Any = None

    @property
    def where(self):
        """Threshold and population by name."""
        return {"threshold": self.threshold, "population": self.population}


def ask_of(
    metrics,
    *,
    threshold=None,
    population="all",
    confidence=0.95,
    n_bootstrap=200,
    least=1,
    **options,
):
    """Check what a user wants, see :class:`Ask`; `threshold` is a float or None already."""
    n_bootstrap = check_count(n_bootstrap, "n_bootstrap", least=least, most=_MOST_RESAMPLES)
    confidence = check_fraction(confidence, "confidence", inclusive=False)
    metrics = tuple(check_metrics(metrics, threshold))
    return Ask(metrics, threshold, check_population(population), confidence, n_bootstrap, **options)


def check_estimable(pair):
    """Raise ValueError unless the priors of the sample itself could be estimated."""
    if not usable(*pair):
        raise ValueError(
            "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha, or use "
            "scores of a model that separates them"
        )


def stream_of_priors(random_state):
    """Random numbers of estimators: rows of resamples have the first stream, estimators the second, methods a third."""
    return check_random_state(random_state).spawn(3)[1]


_STEPS = 7  # alphas at which an interval over a range is taken
_NOISY_STEPS = (
    4  # shares of each kind at which an interval over a region of alpha and beta is taken
)


class PriorPlan(NamedTuple):
    """Priors that a sample and its resamples are corrected with, and their ranges."""

    estimate: tuple
    """Alpha and beta that the sample itself is corrected with."""
    others: list = ()
    """Further pairs of both over which an interval goes."""
    spans: tuple = (None, None)
    """Ranges of alpha and of beta; None where it is that of the resamples, if there are any."""
    confidence: float = 0.95
    """Of the sampling error: above the nominal confidence if a guaranteed range uses part of the error."""
    calibrated: CalibratedPriors | None = None
    """How the priors are distributed, where that is calibrated; resamples draw from it if there are no others."""
    again: bool = False
    """Whether the priors are re-estimated in every resample."""


class PriorEstimates:
    """Estimates of the priors from one sample, each computed once when it is first needed.

    Parameters
    ----------
    counts : Counts
        What estimators see of the sample.
    labels : Labels
        What is known of the labels: beta, the method and the calibration.
    rng : numpy.random.Generator or None
        For methods that draw.
    """

    def __init__(self, counts, labels, rng=None):
        self.counts, self.labels, self.rng = counts, labels, rng
        self.noisy, self.centered = labels.noisy, labels.method == "consensus"

    @cached_property
    def samples(self):
        """Labeled and unlabeled scores; of many, evenly spaced ones."""
        return samples_of(self.counts)

    @cached_property
    def consensus(self):
        """Shares by the consensus of the labeled distribution among the unlabeled."""
        return estimate_shares(
            *self.samples, noisy=self.noisy, random_state=self.rng if self.centered else None
        )

    @cached_property
    def shares(self):
        """The same by the method; if noisy, also those of the unlabeled distribution among the labeled."""
        if self.centered:
            return self.consensus
        return estimate_shares(
            *self.samples, method=self.labels.method, noisy=self.noisy, random_state=self.rng
        )

    @cached_property
    def pair(self):
        """Estimates of alpha and beta; NaN where there are none."""
        if not has_order(self.counts):
            return np.nan, np.nan
        return pair_of(self.shares, self.labels.beta)

    @cached_property
    def described(self):
        """The estimates as if beta was not given, with the diagnostics of the method."""
        return described(self.shares, *self.samples, method=self.labels.method)

    @cached_property
    def calibrated(self):
        """How alpha, or alpha and beta, are distributed in samples like this one."""
        return calibrated_priors(
            self.counts, self.labels.calibration, noisy=self.noisy, shares=self.consensus
        )

    @cached_property
    def separates(self):
        """Whether labeled examples score higher than unlabeled ones: if not, the scores identify nothing."""
        separation = np.trapezoid(self.counts.tpr_pu, self.counts.fpr_pu)
        return bool(tells(self.counts.n_labeled, self.counts.n_unlabeled, separation))


def plan_priors(estimates, labels, *, confidence=0.95, resampled=True):
    """Priors to correct with, given or estimated.

    Parameters
    ----------
    estimates : PriorEstimates
        Not looked at if priors are given.
    labels : Labels
    confidence : float
    resampled : bool
        Whether there are resamples. A guaranteed range and their sampling error may each fail with half of the level.

    Returns
    -------
    PriorPlan

    Raises
    ------
    ValueError
        If priors cannot be estimated.

    Notes
    -----
    The center of a calibrated range takes the place of a consensus, which leans high, and the calibration knows by how
    much. Other estimates are moved into the range, and so is any where the range is a guaranteed one.
    """
    known, uncertainty = labels.pairs, labels.uncertainty
    if known is not None:
        alphas = [alpha for alpha, _ in known]
        return PriorPlan(known[0], known[1:], ((min(alphas), max(alphas)), None), confidence)
    if uncertainty == "sampling":
        check_estimable(estimates.pair)
        return PriorPlan(estimates.pair, confidence=confidence, again=True)
    check_telling(estimates.counts)
    if labels.noisy:
        return _noisy_plan(estimates, uncertainty, confidence)
    calibrated = estimates.calibrated if uncertainty == "calibrated" else None
    learned = calibrated is not None and confidence <= max(LEVELS) + 1e-12
    share = (1 + confidence) / 2 if resampled and not learned else confidence
    span = (
        calibrated.intervals(share)[0]
        if calibrated
        else (0.0, largest_alpha(estimates.counts, confidence=share))
    )
    if resampled:
        span = tuple(min(end, MOST_SHARE) for end in span)
    center = calibrated.center[0] if calibrated and estimates.centered else estimates.pair[0]
    alpha = min(max(center, span[0]), span[1], MOST_SHARE)
    if learned:
        return PriorPlan((alpha, 1.0), [], (span, None), confidence, calibrated)
    alphas = np.linspace(*(min(end, MOST_SHARE) for end in span), _STEPS)
    others = [(float(each), 1.0) for place, each in enumerate(alphas) if place != _STEPS // 2]
    return PriorPlan((alpha, 1.0), others, (span, None), share, calibrated)


def _noisy_plan(estimates, uncertainty, confidence):
    """Alphas and betas as the calibration distributes them, or all that bounds allow."""
    if uncertainty == "calibrated" and confidence <= max(LEVELS) + 1e-12:
        calibrated = estimates.calibrated
        spans = calibrated.intervals(confidence)
        pair = _within(calibrated.center if estimates.centered else estimates.pair, spans)
        return PriorPlan(pair, [], spans, confidence, calibrated)
    # Region of the priors and sampling error may each fail with half of the level, and so may each bound of the region.
    part = 1 - (1 - confidence) / 4
    most = [
        min(share, MOST_SHARE)
        for share in largest_shares(estimates.counts, estimates.samples, confidence=part)
    ]
    places = np.linspace(0, 1, _NOISY_STEPS)
    pairs = [combine_shares(i * most[0], j * most[1]) for i in places for j in places]
    spans = (0.0, most[0]), (1 - most[1], 1.0)
    return PriorPlan(_within(estimates.pair, spans), pairs, spans, (1 + confidence) / 2)


def _within(estimate, spans):
    """The estimate, or the middle of the ranges without one, moved into them; alpha stays below beta."""
    pair = [
        float(np.clip(np.mean(span) if np.isnan(value) else value, *span))
        for value, span in zip(estimate, spans, strict=True)
    ]
    return min(pair[0], MOST_SHARE * pair[1]), pair[1]
