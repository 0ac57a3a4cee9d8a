"""Ramola, Jain & Radivojac (2019): accuracy, balanced accuracy, F1 and Matthews correlation from noisy PU labels."""

from pumetrics.metrics import METRICS

__all__ = ["CAPTIONS", "CLIPS", "DRAWN_FROM", "MEASURES", "METHODS"]

MEASURES = {name: METRICS[name].label for name in ("accuracy", "balanced_accuracy", "f1", "mcc")}
CLIPS = {"accuracy": (0, 1), "balanced_accuracy": (0.5, 1), "f1": (0, 1), "mcc": (-1, 1)}  # Figure 2's caption
METHODS = {"none": "PU", "true": "CR", "alphamax": "CE", "alphamax_plus": "CE+"}

CAPTIONS = {
    "published": "Published and reproduced numbers and claims.",
    "figure1": "Figure 1 of the paper, exact: four measures of a threshold on two Gaussians, against the true class "
    "and against noisy positive-unlabeled labels (alpha 1/4, beta 3/4, one example in ten labeled).",
    "figure2": "Figure 2 of the paper: error of the maximum over thresholds, all data sets and repeats. PU: "
    "uncorrected; CR: corrected with the real priors; CE: with those of AlphaMax as published; CE+: as repaired.",
    "per_dataset": "Median error of each data set: where the correction works and where it does not. The four dots of "
    "a color are the four values of beta.",
    "priors": "Error of the estimated priors by true beta: median of each data set.",
    "medians": "Figure 2 in numbers: median and quartiles of the error, mean absolute error, and how often the "
    "estimate is clipped as in the paper.",
    "fixed_threshold": (
        "The same at a fixed threshold (as many examples predicted positive as there are positives): without the "
        "bias of a maximum."
    ),
    "each_set": "Median error of each set and beta, and its mean size (_size), methods side by side; "
    "PU_clean: uncorrected at beta 1.",
    "by_dataset": "Median error by data set, measure, beta and method.",
    "prior_errors": "Estimated against true priors, by data set and beta.",
    "class_choice_signs": "Which choice of the positive class makes uncorrected accuracy too high on every data set, "
    "as the paper says? Data sets (in the last two rows: choices) on which the median error of the maximum is above 0, "
    "without label noise, and the mean of how far it is below. Where alpha is above the ratio of labeled to unlabeled "
    "examples, 0.1, accuracy is expected to be best with no example predicted positive, and so too high, whatever the "
    "model; the last two rows test this.",
    "class_choices": "The same by data set: the class in the registry, the classes exchanged (with models trained on "
    "them), and each other class against the rest, for which only alpha is computed, at the paper's sizes.",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {
    "figure1": ["figure1", "figure1_maxima", "published"],
    "per_dataset": ["by_dataset"],
    "priors": ["prior_errors"],
}
