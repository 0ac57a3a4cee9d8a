"""Head to head: which estimate of which metric can be trusted, and which model should be picked. Beyond the papers."""

__all__ = ["CAPTIONS", "DRAWN_FROM"]


CAPTIONS = {
    "published": (
        "Two controls, and the claims of the papers under SCAR. The truth is the metric by the true labels for the "
        "same scores, over all rows, labeled and unlabeled. max_: at the threshold that maximizes the estimate of "
        "the method; without it: at the same threshold for all methods, at which as many examples are predicted "
        "positive as there are positives."
    ),
    "decision": (
        "For each situation and metric: the simplest method and prior whose mean absolute error is within one standard "
        "error (over data sets) of the smallest; its error, the error that 9 of 10 data sets stay below, and the "
        "smallest error; the same for model selection by regret. Simple first: uncorrected, direct, indirect, bounds. "
        "Priors known: the true alpha, beta and label frequency may be used. Every name is one that estimate_score "
        "takes: with an estimator without _clean also beta=None."
    ),
    "error_by_labeling": (
        "Mean absolute error over data sets in hundredths (13 is 0.13), by method and labeling. There is a panel for "
        "each metric; metrics at a fixed threshold are on the left, their best values over all thresholds on the "
        "right. All panels have the same colors: darker cells have larger errors. The columns say which labels are "
        "wrong, which positives have no label, and which positives are labeled more often. In brackets is the source "
        "of alpha and beta: the true priors, or an estimator; with beta = 1 it assumes that no label is wrong. The "
        "table has all methods and estimators."
    ),
    "breaking": (
        "Where a method breaks: mean absolute error under each labeling; labelings under which it exceeds the error "
        "under SCAR without label noise (at_home) by more than 0.05; and labelings under which the uncorrected "
        "metric has a smaller error."
    ),
    "regret": (
        "Regret: loss in true value from selecting the model with the best estimate, mean over data sets, by the share "
        "of wrong labels or of hidden positives. Dashed: always the same model, and random numbers. Lines coincide "
        "where methods select the same models: priors shared by all models do not change the ranking by AUC or MCC."
    ),
    "coverage": (
        "Coverage of 95% bounds (circles) and intervals (squares) by labeling; line: 95%. Blue: alpha known; red: "
        "alpha estimated, its error left out; green: the uncertainty of alpha is part of the interval. Intervals of "
        "AUC-PR refer to the unlabeled examples."
    ),
    "ranks_error": (
        "Average rank of the error of each method across data sets, among all that need no known prior: the ten "
        "best and the uncorrected metric. Bars join methods that do not differ significantly by the Nemenyi test (5%), "
        "whose critical difference is in the title; p: Friedman's test that all methods are equal."
    ),
    "ranks_regret": "The same for the regret of picking a model.",
    "ranks": "The numbers behind both diagrams.",
    "intervals": (
        "95% intervals of corrected scores by metric, labeling, method and prior, means over data sets: coverage, "
        "that of the worst set, width, interval score (Winkler: the width plus 40 times the distance to a truth "
        "outside), and the error of the estimate. Rows of SCAR are all labelings at random without label noise."
    ),
    "seconds": (
        "Median seconds: training one model on one labeling, one estimate of the priors (two runs), one method's "
        "answers about one model to all metrics and priors (lower_bound reuses the exact band). They depend on the "
        "machine; nothing else does."
    ),
    "priors": "Error of the priors that all models share, by labeling.",
    "sets": "Data sets of this run; labelings for which a set is too small are left out.",
    "errors": (
        "Bias, absolute error, failures, and coverage, width and interval score of bounds: means over data sets."
    ),
    "selection": "Share of pairs of models in the wrong order (inversions) and regret: means over data sets.",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {
    "error_by_labeling": ["breaking"],
    "regret": ["selection"],
    "coverage": ["errors", "intervals"],
    "ranks_error": ["ranks"],
    "ranks_regret": ["ranks"],
}
