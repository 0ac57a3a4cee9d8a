"""Every method by name. Adding one is one entry of ``METHODS`` and one function."""

from collections.abc import Callable
from dataclasses import dataclass

from pumetrics.arguments import suggestion
from pumetrics.methods import answers
from pumetrics.metrics import AREAS, METRICS, SUMMARIES, find_metric

__all__ = ["METHODS", "Method", "available_methods", "find_method"]


@dataclass(frozen=True)
class Method:
    """A method: how it answers, what it needs and assumes, and the use of its answer.

    Attributes
    ----------
    answer : callable
        ``answer(sample, labels, ask)`` yields an ``Estimate`` for each requested metric of a sample of one model.
    label : str
        Its name in figures and tables.
    needs : tuple of str
        What must be known or estimated, of "alpha", "beta" and "rho". A method that needs alpha and not beta assumes
        no label noise.
    assumes : str
        The conditions under which its answer is valid.
    metrics : tuple of str
        Names of the metrics it answers.
    ranks_only : bool
        Its number ranks models but does not estimate the metric, so it has no error.
    uncertainty : str
        Of a method with an interval from resamples, what that accounts for where alpha is unknown: "calibrated",
        "guaranteed" or "sampling"; see :func:`pumetrics.inference.corrected_intervals`. Empty for others. Such a method
        costs hundreds of times as much, so studies ask it apart.
    band : str
        Of a method with bounds, the band they come from; empty for others.
    """

    answer: Callable
    label: str
    needs: tuple[str, ...]
    assumes: str
    metrics: tuple[str, ...]
    ranks_only: bool = False
    uncertainty: str = ""
    band: str = ""


_ALL = tuple(METRICS)
_F1 = ("f1", "max_f1")
_PRIORS = ("alpha", "beta")
_SCAR = "SCAR: the labeled positives are a random sample of all positives"
_CLEAN = f"{_SCAR}; no label noise"

METHODS = {
    "uncorrected": Method(
        answers.uncorrected,
        "uncorrected",
        (),
        "every unlabeled example is negative and every labeled one positive",
        _ALL,
    ),
    "direct": Method(answers.direct, "direct", _PRIORS, f"{_SCAR}; alpha and beta are right", _ALL),
    "indirect": Method(
        answers.indirect, "indirect", _PRIORS, f"{_SCAR}; alpha and beta are right", AREAS
    ),
    "f1_from_rho": Method(
        answers.f1_from_rho, "F1 from rho", ("rho",), f"{_CLEAN}; rho is right", _F1
    ),
    "lee_liu": Method(answers.lee_liu, "LL score", (), _CLEAN, _F1, ranks_only=True),
    "by_auc": Method(
        answers.by_auc,
        "by uncorrected AUC",
        (),
        "models rank by this metric as they do by uncorrected AUROC",
        tuple(name for name in SUMMARIES if name != "roc_auc"),
        ranks_only=True,
    ),
    "bounds_hypergeometric": Method(
        answers.bounds_with("hypergeometric"),
        "bounds, exact band",
        ("alpha",),
        f"{_CLEAN}; alpha is right",
        _ALL,
        band="hypergeometric",
    ),
    "bounds_dkw": Method(
        answers.bounds_with("dkw"),
        "bounds, DKW band",
        ("alpha",),
        f"{_CLEAN}; alpha is right; many positives are hidden",
        _ALL,
        band="dkw",
    ),
    "bounds_bootstrap": Method(
        answers.bounds_with("bootstrap"),
        "bounds, bootstrap band",
        ("alpha",),
        f"{_CLEAN}; alpha is right; the band holds rank by rank, not at all ranks together",
        _ALL,
        band="bootstrap",
    ),
    "lower_bound": Method(
        answers.lower_bound,
        "lower bound",
        ("alpha",),
        f"{_CLEAN}; alpha is right",
        _ALL,
        ranks_only=True,
    ),
    "interval_calibrated": Method(
        answers.interval,
        "calibrated interval",
        (),
        f"{_CLEAN}; data like the sets of the calibration",
        _ALL,
        uncertainty="calibrated",
    ),
    "interval_guaranteed": Method(
        answers.interval, "guaranteed interval", (), _CLEAN, _ALL, uncertainty="guaranteed"
    ),
    "interval_sampling": Method(
        answers.interval,
        "sampling interval",
        (),
        f"{_SCAR}; alpha and beta are right",
        _ALL,
        uncertainty="sampling",
    ),
}
"""Methods by name, in the order of tables."""


def available_methods(metric=None):
    """Names of the methods that answer a metric, or of all methods.

    Parameters
    ----------
    metric : str, optional
        An entry of ``METRICS``.

    Returns
    -------
    list of str

    Examples
    --------
    >>> available_methods("max_f1")[:4]
    ['uncorrected', 'direct', 'f1_from_rho', 'lee_liu']
    """
    wanted = None if metric is None else find_metric(metric).name
    return [name for name, entry in METHODS.items() if wanted in (None, *entry.metrics)]


def find_method(name):
    """Return the entry of a method.

    Raises
    ------
    ValueError
        If there is no such method; the message suggests one.
    """
    if name not in METHODS:
        hint = suggestion(name, METHODS, ": did you mean {!r}?")
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {name!r}{hint}")
    return METHODS[name]
