"""Which alphas and betas a sample and its resamples are corrected with, if both are unknown."""

from typing import NamedTuple

import numpy as np

from pumetrics.priors.calibration import LEVELS
from pumetrics.priors.from_counts import samples_of
from pumetrics.priors.noise import MOST_SHARE, largest_shares
from pumetrics.priors.noise_calibration import calibrated_priors
from pumetrics.priors.two_component import combine_shares

__all__ = ["NoisyPlan", "noisy_plan"]

_STEPS = 4  # shares of each kind at which an interval over a region is taken


class NoisyPlan(NamedTuple):
    """Priors with label noise, and their ranges."""

    pairs: list
    """Of alpha and beta for the sample; the one in the middle is the estimate."""
    draw: object
    """Function of a size and a generator that draws pairs for resamples; None if each is corrected with all pairs."""
    spans: tuple
    """Ranges of alpha and of beta."""
    confidence: float
    """Of the sampling error."""


def noisy_plan(counts, uncertainty, estimate, confidence, calibration=None):
    """Priors over which an interval goes: as the calibration distributes them, or all that bounds allow.

    Parameters
    ----------
    counts : Counts
    uncertainty : {"calibrated", "guaranteed"}
    estimate : tuple of float
        Alpha and beta; NaN where there is no estimate.
    confidence : float
    calibration : dict, optional
        The table of the package by default.

    Returns
    -------
    NoisyPlan
    """
    if uncertainty == "calibrated":
        calibrated = calibrated_priors(counts, calibration)
        spans = calibrated.intervals(confidence)
        if confidence <= max(LEVELS) + 1e-12:
            return NoisyPlan([_within(estimate, spans)], calibrated.draw, spans, confidence)
    # Region of the priors and sampling error may each fail with half of the level, and so may each bound of the region.
    part = 1 - (1 - confidence) / 4
    most = [min(share, MOST_SHARE) for share in largest_shares(counts, samples_of(counts), confidence=part)]
    places = np.linspace(0, 1, _STEPS)
    pairs = [combine_shares(i * most[0], j * most[1]) for i in places for j in places]
    spans = (0.0, most[0]), (1 - most[1], 1.0)
    pairs.insert(len(pairs) // 2, _within(estimate, spans))
    return NoisyPlan(pairs, None, spans, (1 + confidence) / 2)


def _within(estimate, spans):
    """The estimate, or the middle of the ranges without one, moved into them; alpha stays below beta."""
    pair = [
        float(np.clip(np.mean(span) if np.isnan(value) else value, *span))
        for value, span in zip(estimate, spans, strict=True)
    ]
    return min(pair[0], MOST_SHARE * pair[1]), pair[1]
