"""The priors of a method: given, derived from the label frequency, or estimated from the scores."""

from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_fraction, check_priors
from pumetrics.inference.plan import selected_priors
from pumetrics.label_frequency import alpha_from_rho, rho_from_alpha
from pumetrics.methods.types import Given
from pumetrics.priors import available_priors

__all__ = ["Request", "resolve"]

_CLEAN = "_clean"


class Request(NamedTuple):
    """The priors that a user gave or asked for; see :func:`pumetrics.methods.estimate_score`."""

    alpha: float | None = None
    beta: float | None = 1.0
    rho: float | None = None
    prior: str = "consensus"

    @property
    def known(self):
        """Whether alpha is known, or follows from the label frequency."""
        return self.alpha is not None or self.rho is not None

    @property
    def estimator(self):
        """Name of the estimator, without the suffix of clean labels."""
        return self.prior.removesuffix(_CLEAN)

    def checked(self):
        """Return the request, or raise ValueError if its parts contradict each other."""
        if self.alpha is not None and self.rho is not None:
            raise ValueError(f"rho={self.rho} gives alpha, so do not give alpha={self.alpha} as well")
        if self.beta is not None and not check_fraction(self.beta, "beta"):
            raise ValueError("beta must lie in (0, 1], got 0: labeled examples without positives carry no information")
        if self.beta is None and self.known:
            raise ValueError("beta=None estimates alpha and beta together: leave alpha and rho out, or give beta")
        if not isinstance(self.prior, str) or self.estimator not in available_priors():
            raise ValueError(f"prior must be one of {', '.join(available_priors())}, got {self.prior!r}")
        if self.prior.endswith(_CLEAN) and self.beta != 1:
            raise ValueError(f"prior={self.prior!r} assumes no label noise, so beta must be 1, got {self.beta}")
        return self


def resolve(request, entry, counts, confidence, rng, *, selection=1.0):
    """Priors for a method.

    Parameters
    ----------
    request : Request
    entry : Method
    counts : Counts
    confidence : float
    rng : numpy.random.Generator
        For estimators that draw.
    selection : float
        Strength of a selection of labels by score, see :mod:`pumetrics.inference.selection`.

    Returns
    -------
    given : Given
    source : str
        "none", "given", "rho", or the name of the estimator as docs/choosing.md writes it.
    notes : tuple of str

    Raises
    ------
    ValueError
        If the priors are out of range, contradict the method, or cannot be estimated.
    """
    if not {"alpha", "rho"} & set(entry.needs):
        return Given(confidence=confidence), "none", ()
    if "beta" not in entry.needs and request.beta != 1:
        raise ValueError(
            f"{entry.label} assumes no label noise, so beta must be 1, got {request.beta}: use direct or indirect"
        )
    sizes = counts.n_labeled, counts.n_unlabeled
    if "rho" in entry.needs and request.rho is not None:
        alpha_from_rho(request.rho, *sizes)  # checks it
        return Given(rho=float(request.rho), confidence=confidence), "rho", ()
    alpha, beta, source, notes = _alpha(request, counts, sizes, rng, selection)
    alpha, beta = check_priors(alpha, beta)
    rho = rho_from_alpha(alpha, *sizes, beta=beta) if "rho" in entry.needs else np.nan
    return Given(alpha, beta, rho, confidence), source, notes


def _alpha(request, counts, sizes, rng, selection):
    """Alpha and beta with their source, and notes."""
    if request.alpha is not None:
        return request.alpha, request.beta, "given", ()
    if request.rho is not None:
        return alpha_from_rho(request.rho, *sizes, beta=request.beta), request.beta, "rho", ()
    noisy = request.beta is None
    source = request.estimator if noisy or request.beta < 1 else f"{request.estimator}{_CLEAN}"
    options = {"method": request.estimator, "noisy": noisy, "rng": rng}
    beta = 1.0 if noisy else request.beta
    alpha, beta = selected_priors(counts, selection=selection, beta=beta, **options)
    if not 0 <= alpha < beta <= 1:  # also catches NaN
        raise ValueError(
            "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha, or use "
            "scores of a model that separates them"
        )
    pair = f"alpha = {alpha:.3g}" + (f" and beta = {beta:.3g} were" if noisy else " was")
    return alpha, beta, source, (f"{pair} estimated from the scores ({source})",)
