"""What a user asks of corrected scores, checked: the priors to correct with, the metrics, the threshold."""

import numpy as np

from pumetrics._validation import check_alphas, check_fraction, check_priors
from pumetrics.inference.resampling import SCORED

__all__ = ["check_metrics", "check_threshold", "known_priors"]


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


def check_metrics(metrics):
    """Return `metrics` as a list, or raise ValueError unless all of them have intervals."""
    if isinstance(metrics, str) or not metrics:
        raise ValueError(f"metrics must be a list of names out of {', '.join(SCORED)}, got {metrics!r}")
    for name in metrics:
        if name not in SCORED:
            raise ValueError(f"metric must be one of {', '.join(SCORED)}, got {name!r}")
    return list(metrics)


def check_threshold(threshold):
    """Return `threshold` as a float or None, or raise ValueError."""
    if threshold is None:
        return None
    try:
        number = float(threshold)
    except (TypeError, ValueError):
        raise ValueError(f"threshold must be a number, got {threshold!r}") from None
    if np.isnan(number):
        raise ValueError("threshold must be a number, got nan")
    return number
