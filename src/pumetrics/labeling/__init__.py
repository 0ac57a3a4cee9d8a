"""Labeling mechanisms: how labels go missing or wrong, as functions and as a registry of named labelings.

Each labeling first draws all its randomness (a permutation, or one uniform number per example), then builds the labels
from it without any more. The same seed therefore gives nested labelings: an example that is labeled, or flipped, at a
small share is so at a larger one.

``random_state`` is a seed, a SeedSequence, a Generator, a RandomState, or None.
"""

from pumetrics.labeling.flipping import flip_positives, least_correlated_feature
from pumetrics.labeling.mechanisms import partial_labels, sar, sar_propensity, scar
from pumetrics.labeling.noisy import CappedSample, LargestSample, largest_unlabeled_size, noisy_positives
from pumetrics.labeling.registry import (
    LABELINGS,
    SUPERVISED,
    Labeling,
    Scheme,
    Source,
    draw,
    kind_and_strength,
    parameters_of,
    scheme_of,
    shortage,
    situation,
)

__all__ = [
    "LABELINGS",
    "SUPERVISED",
    "CappedSample",
    "Labeling",
    "LargestSample",
    "Scheme",
    "Source",
    "draw",
    "flip_positives",
    "kind_and_strength",
    "largest_unlabeled_size",
    "least_correlated_feature",
    "noisy_positives",
    "parameters_of",
    "partial_labels",
    "sar",
    "sar_propensity",
    "scar",
    "scheme_of",
    "shortage",
    "situation",
]
