"""What a user asks of corrected scores, checked: priors, metrics, threshold, resamples."""

import numpy as np

from pumetrics._validation import as_array, check_alphas, check_fraction, check_priors
from pumetrics.counts import Counts
from pumetrics.inference.resampling import SCORED
from pumetrics.metrics import METRICS, find_metric
from pumetrics.priors.noise_calibration import has_noise_table

__all__ = [
    "UNCERTAINTIES",
    "check_enough",
    "check_estimable",
    "check_metrics",
    "check_threshold",
    "check_uncertainty",
    "known_priors",
]

UNCERTAINTIES = ("calibrated", "guaranteed", "sampling")


def known_priors(alpha, beta, noisy):
    """Pairs (alpha, beta) to correct with, or None where they are to be estimated."""
    if noisy and (alpha is not None or beta != 1):
        raise ValueError(
            f"noisy=True estimates alpha and beta, but alpha={alpha} and beta={beta} are given: leave them out, or "
            "set noisy=False"
        )
    if alpha is None:
        if not check_fraction(beta, "beta"):
            raise ValueError(
                "beta must be larger than 0: nothing can be recovered from labeled examples without positives"
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
            raise ValueError(f"{name} needs a threshold: moving the threshold makes it as large as one likes")
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
        raise ValueError(f"threshold must be a number, got {threshold!r}") from None
    except OverflowError:
        raise ValueError("threshold must be a number up to 1e308") from None
    if np.isnan(number):
        raise ValueError("threshold must be a number, got nan")
    kinds = {(each.thresholds if isinstance(each, Counts) else as_array(each)).dtype for each in scores}
    coarse = [kind for kind in kinds if kind.kind == "f" and np.abs(number) <= np.finfo(kind).max]
    return min([number, *(float(kind.type(number)) for kind in coarse)])


def check_uncertainty(uncertainty, *, alpha, beta, noisy, design=None):
    """Return what an interval accounts for beside sampling error: the default is "calibrated" where that is defined."""
    if alpha is not None:
        return "known" if len(check_alphas(alpha)) == 1 else "range"
    if uncertainty is None:
        calibrated = has_noise_table() if noisy else beta == 1
        return "calibrated" if calibrated else "sampling"
    if uncertainty not in UNCERTAINTIES:
        raise ValueError(f"uncertainty must be one of {', '.join(map(repr, UNCERTAINTIES))}, got {uncertainty!r}")
    if uncertainty != "sampling" and beta != 1:
        raise ValueError(
            f"uncertainty={uncertainty!r} is not defined for beta={beta:g} with alpha unknown: give alpha, estimate "
            "beta too (noisy=True), or use uncertainty='sampling', which leaves out the error of the estimated alpha"
        )
    if uncertainty == "guaranteed" and design is not None and not design.counts_rows:
        raise ValueError(
            "uncertainty='guaranteed' rests on an exact test that counts independent rows, which weights, clusters "
            "and propensities rule out: use 'calibrated', or give alpha"
        )
    return uncertainty


def check_estimable(pairs):
    """Raise ValueError unless the priors of the sample itself could be estimated."""
    if not all(0 <= low < high <= 1 for low, high in pairs):  # also catches NaN
        raise ValueError(
            "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha, or use "
            "scores of a model that tells them apart"
        )


def check_enough(n_used, n_bootstrap):
    """Raise ValueError if fewer than half of the resamples gave priors."""
    if 2 * n_used < n_bootstrap:
        raise ValueError(
            f"the priors could be estimated in {n_used} of {n_bootstrap} resamples only: give alpha, or another method"
        )
