"""Head to head: which estimate of which metric can be trusted, and which model should be picked. Beyond the papers."""

from pumetrics.metrics import METRICS

__all__ = ["CAPTIONS"]


def _error_caption(entry):
    """Caption of the heat map of a metric."""
    where = " at a fixed threshold" if entry.kind == "threshold" else ""
    return (
        f"Mean absolute error of {entry.label}{where} over data sets, by method (with the priors it was given) and "
        "labeling; methods with the smallest error under SCAR come first. <name>: alpha and beta from that estimator; "
        "<name>_clean: beta set to 1, alpha estimated; <name>_own: priors estimated from the scores of each model "
        "instead of those of one reference model."
    )


CAPTIONS = {
    "published": (
        "Two controls, and what the papers claim where labels are a random part of the positives. The truth is the "
        "metric by the true labels for the same scores, over all rows, labeled and unlabeled together. max_: at the "
        "threshold that maximises the method's own estimate; without it: at one threshold for all, at which as many "
        "are predicted positive as there are."
    ),
    "decision": (
        "I have ... and I need ...: the method with the smallest mean absolute error, what to expect of it, what "
        "nine data sets in ten stay below, and by which method a model is picked with the least regret. Priors known: "
        "the true alpha, beta and label frequency may be used. Computed from the tables errors and selection."
    ),
    **{f"error_{name}": _error_caption(entry) for name, entry in METRICS.items()},
    "breaking": (
        "Where a method breaks: mean absolute error under each labeling, under which it is more than .05 above the "
        "error at home (right labels of a random part of the positives), and under which plain uncorrected numbers "
        "err less."
    ),
    "regret": (
        "True value lost by picking the model with the best estimate, mean over data sets, as more labels are wrong or "
        "more positives hidden. Dashed: always the same model, and random numbers. Lines coincide where methods pick "
        "alike: priors that all models share do not change the order by AUC or MCC."
    ),
    "coverage": (
        "How often 95 % bounds (lines) and bootstrap intervals (markers, a few sets) hold the truth. Solid: alpha "
        "known; dotted: alpha estimated, labels taken for right. Bootstrap intervals of AUC-PR speak of the unlabeled."
    ),
    "ranks_error": (
        "Average rank of each method's error across data sets among all that need no known prior: the ten best and "
        "the uncorrected one. Bars join what the Nemenyi test cannot tell apart at the 5 % level (CD); p of Friedman's "
        "test that all are alike."
    ),
    "ranks_regret": "The same for the regret of picking a model.",
    "ranks": "The numbers behind both diagrams.",
    "intervals": "Bootstrap intervals of corrected scores: coverage, width and error by metric, priors and labeling.",
    "seconds": (
        "Median seconds: training one model on one labeling, one estimate of the priors (two runs), one method's "
        "answers about one model to all metrics and priors (lower_bound reuses the exact band). They belong to the "
        "machine; everything else does not."
    ),
    "priors": "Error of the priors that all models share, by labeling.",
    "sets": "Data sets of this run; labelings that a set is too small for are left out.",
    "errors": "Bias, absolute error, failures, and coverage and width of bounds: means over data sets.",
    "selection": "Share of pairs of models in the wrong order (inversions) and regret: means over data sets.",
}
