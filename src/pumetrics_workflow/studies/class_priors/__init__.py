"""Class priors: all estimators on samples with known priors. Beyond the papers."""

__all__ = ["CAPTIONS", "DEFAULT", "DRAWN_FROM"]

DEFAULT = "consensus"  # what estimate_priors takes; the table "methods" is why

CAPTIONS = {
    "published": (
        "The errors of our estimators, compared with those of the published code of these estimators on samples of the "
        "same kind."
    ),
    "error_by_alpha": (
        "Mean absolute error of alpha by true alpha: two Gaussians, two runs (with label noise). Each panel shows one "
        "estimator against all others (gray); green is the default."
    ),
    "error_by_method": "Mean absolute error of alpha and beta by estimator, on two Gaussians.",
    "real_data": (
        "Error of alpha by estimator on real data, scored by a logistic regression: each dot is the mean over repeats "
        "of one data set."
    ),
    "methods": (
        "Mean absolute error and bias per method on two Gaussians: share is alpha/beta from one run, alpha and "
        "beta come from two; clean_beta is the error of beta without label noise."
    ),
    "settings": ("Mean absolute error of alpha by distance of the classes, true beta and number of labeled examples."),
    "coverage": ("Measured coverage and width of 95% bootstrap intervals."),
    "real": "Mean absolute error and bias of alpha and beta on real data, by scoring model and method.",
    "real_by_dataset": "Mean error of alpha by data set, scores, method and beta.",
    "real_bars": (
        "Mean absolute error of alpha/beta from one run on the four sets of the comparison with published code "
        "(landsat, mushroom, page-blocks, spambase), by scoring model: a linear model cannot separate some of their "
        "classes, networks can."
    ),
    "seconds": ("Median seconds of one estimate with two runs. They depend on the machine; nothing else does."),
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {"error_by_alpha": ["by_alpha"], "error_by_method": ["by_size"], "real_data": ["real_by_dataset"]}
