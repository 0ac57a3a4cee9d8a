"""Ramola, Jain & Radivojac (2019): accuracy, balanced accuracy, F1 and Matthews correlation from noisy PU labels."""

from pumetrics.metrics import METRICS

__all__ = ["CLIPS", "MEASURES", "METHODS", "PAPER_SETS"]

PAPER_SETS = 14

MEASURES = {name: METRICS[name].label for name in ("accuracy", "balanced_accuracy", "f1", "mcc")}
CLIPS = {
    "accuracy": (0, 1),
    "balanced_accuracy": (0.5, 1),
    "f1": (0, 1),
    "mcc": (-1, 1),
}  # Figure 2's caption
METHODS = {
    "none": "PU",
    "true": "CR",
    "alphamax": "CE",
    "alphamax_plus": "CE+",
}
