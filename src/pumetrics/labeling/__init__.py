"""Labeling mechanisms: how labels go missing or wrong, as functions and as a registry of named labelings.

Each labeling first draws all its randomness (a permutation, or one uniform number per example), then builds the labels
from it without any more. The same seed therefore gives nested labelings: an example that is labeled, or flipped, at a
small share is so at a larger one.

``random_state`` is a seed, a SeedSequence, a Generator, a RandomState, or None.

A study names a labeling by its kind and strength, ``bcar=0.6``. Adding a kind is one entry of :data:`LABELINGS`: a
function of a :class:`Source`, the strength and a generator that returns rows and their labels, and a sentence about the
situation that it represents.
"""

from pumetrics.labeling.mechanisms import (
    CappedSample,
    LargestSample,
    flip_positives,
    least_correlated_feature,
    noisy_positives,
    noisy_sizes,
    sar,
    scar,
)
from pumetrics.labeling.registry import (
    LABELINGS,
    SUPERVISED,
    Labeling,
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
    "Source",
    "draw",
    "flip_positives",
    "kind_and_strength",
    "least_correlated_feature",
    "noisy_positives",
    "noisy_sizes",
    "parameters_of",
    "sar",
    "scar",
    "scheme_of",
    "shortage",
    "situation",
]
