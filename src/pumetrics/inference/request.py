"""A request, checked once: :class:`Labels` says what is known of the labels, :class:`Ask` what is wanted."""

from dataclasses import dataclass, field
from typing import Any

from pumetrics.arguments import ArgumentError, ContradictionError
from pumetrics.inference.sample import SCORED
from pumetrics.label_frequency import alpha_from_pi, alpha_from_rho
from pumetrics.metrics import METRICS, find_metric
from pumetrics.tops import check_population
from pumetrics.validation import check_alphas, check_count, check_fraction, check_priors

__all__ = [
    "ACCOUNTS_FOR",
    "LEAST",
    "Ask",
    "Labels",
    "ask_of",
    "check_accounted",
    "check_metrics",
    "labels_of",
]

LEAST = 10
"""Resamples, examples or clusters of either kind below which there is no interval, and no score is identified."""

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
    "checked": "Intervals account for the rows that were not checked.",
}
"""What intervals account for, by their ``uncertainty``."""


def _known_alpha(alpha, beta):
    """Alpha as a float or a range, checked together with beta; None where it is to be estimated."""
    if alpha is None:
        if not check_fraction(beta, "beta"):
            raise ArgumentError(
                "beta",
                "must be larger than 0: nothing can be recovered from labeled examples without positives",
            )
        return None

    ends = check_alphas(alpha)
    known = ends[0] if len(ends) == 1 else tuple(ends)
    for each, _ in Labels(known, beta).pairs:
        check_priors(each, beta)
    return known


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
    """

    alpha: Any = None
    beta: float = 1.0
    rho: float | None = None
    method: str = "consensus"
    noisy: bool = False
    uncertainty: str = "calibrated"
    calibration: dict | None = field(default=None, repr=False)
    source: str = "given"

    @property
    def pairs(self):
        """Alpha and beta, of a range its middle and its ends; None where they are to be estimated."""
        if self.alpha is None:
            return None
        if not isinstance(self.alpha, tuple):
            return [(self.alpha, self.beta)]
        low, high = self.alpha
        return [((low + high) / 2, self.beta), (low, self.beta), (high, self.beta)]

    @property
    def accounts_for(self):
        """The `uncertainty` as results name it: with "_noise" where beta is uncertain, too."""
        if self.noisy and self.uncertainty != "sampling":
            return f"{self.uncertainty}_noise"
        return self.uncertainty


def labels_of(
    sample,
    *,
    alpha=None,
    beta=1.0,
    rho=None,
    pi=None,
    method="consensus",
    noisy=False,
    uncertainty=None,
    calibration=None,
):
    """Check what a user says of the labels of a sample.

    Parameters
    ----------
    sample : Sample
    alpha, beta, rho, pi, method, noisy, uncertainty, calibration
        See :func:`pumetrics.inference.corrected_intervals`.

    Returns
    -------
    Labels

    Raises
    ------
    ValueError
        On a value out of range, or two that contradict each other.
    """
    shares = {"alpha": alpha, "rho": rho, "pi": pi}
    given = [(name, value) for name, value in shares.items() if value is not None]
    _check_together(given, beta, noisy, uncertainty)
    if sample.design is not None and uncertainty == "guaranteed" and not given:
        raise ContradictionError(
            [
                ("uncertainty", uncertainty),
                ("cluster" if sample.design.weights is None else "sample_weight", True),
            ],
            "the guaranteed range rests on an exact test that counts independent rows; use calibrated, or give alpha",
        )
    source = "given"
    if rho is not None:
        alpha = alpha_from_rho(rho, *sample.sizes, beta=beta)
        source = f"from rho = {rho:g}"
    if pi is not None:
        ends = check_alphas(pi, "pi")
        alpha = [alpha_from_pi(end, *sample.sizes, beta=beta) for end in (ends[0], ends[-1])]
        source = f"from pi = {' to '.join(f'{end:g}' for end in ends)}"

    alpha = _known_alpha(alpha, beta)
    if alpha is None:
        source = f"estimated ({method})"
        uncertainty = _uncertainty_of(uncertainty, estimable=noisy or beta == 1)
    else:
        uncertainty = "range" if isinstance(alpha, tuple) else "known"
    return Labels(alpha, float(beta), rho, method, noisy, uncertainty, calibration, source)


def _uncertainty_of(uncertainty, *, estimable):
    """What intervals account for in addition to sampling error where alpha is estimated."""
    if uncertainty is None:
        return "calibrated" if estimable else "sampling"
    if uncertainty not in UNCERTAINTIES:
        raise ArgumentError(
            "uncertainty", f"must be 'calibrated' or 'guaranteed', got {uncertainty!r}"
        )
    return uncertainty


def _check_together(given, beta, noisy, uncertainty):
    """Raise ContradictionError if two arguments exclude each other; of alpha, rho and pi those that are given."""
    if len(given) > 1:
        raise ContradictionError(given, "each of them determines alpha; give one")

    known = given if beta == 1 else [*given, ("beta", beta)]
    if noisy and known:
        raise ContradictionError(
            [("noisy", True), known[0]], "noisy estimates alpha and beta; omit one of them"
        )
    if uncertainty is not None and given:
        raise ContradictionError(
            [("uncertainty", uncertainty), *given],
            "it applies only when alpha is estimated; omit one of them (a range of alpha needs no uncertainty)",
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
        What metrics that depend on the prevalence are about.
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
