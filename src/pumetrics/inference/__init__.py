"""Inversions of rankings, tests that compare methods, and intervals of corrected scores.

Inversions count the pairs of models that an estimate puts in the wrong order. The tests are the ones the papers
use, in the variants they used: the signed-rank test as R computes it, and the one-sided sign test. Intervals of
corrected scores combine the range of alpha that the scores allow with the sampling error of resampled examples.
"""

from pumetrics.inference._tests import SignedRank, inversion_rate, inversions, sign_test, signed_rank_test
from pumetrics.inference.corrected import (
    Difference,
    Interval,
    corrected_differences,
    corrected_interval,
    corrected_intervals,
)

__all__ = [
    "Difference",
    "Interval",
    "SignedRank",
    "corrected_differences",
    "corrected_interval",
    "corrected_intervals",
    "inversion_rate",
    "inversions",
    "sign_test",
    "signed_rank_test",
]
