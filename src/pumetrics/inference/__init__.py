"""Inversions of rankings, and intervals of corrected scores.

Inversions count the pairs of models that an estimate puts in the wrong order. Intervals of corrected scores combine
the range of alpha that the scores allow with the sampling error of resampled examples.
"""

from pumetrics.inference.corrected import (
    Difference,
    Interval,
    Intervals,
    UsedPriors,
    corrected_intervals,
)
from pumetrics.inference.discordant import inversion_rate, inversions

__all__ = [
    "Difference",
    "Interval",
    "Intervals",
    "UsedPriors",
    "corrected_intervals",
    "inversion_rate",
    "inversions",
]
