"""Labeling mechanisms: how labels go missing or wrong.

Each labeling first draws all its randomness (a permutation, or one uniform number per example), then builds the labels
from it without any more. The same seed therefore gives nested labelings: an example that is labeled, or flipped, at a
small share is so at a larger one.

``random_state`` is a seed, a SeedSequence, a Generator, a RandomState, or None.
"""

from pumetrics.labeling.mechanisms import (
    flip_positives,
    least_correlated_feature,
    noisy_positives,
    noisy_sizes,
    sar,
    scar,
)

__all__ = [
    "flip_positives",
    "least_correlated_feature",
    "noisy_positives",
    "noisy_sizes",
    "sar",
    "scar",
]
