"""Class priors: every estimator on samples whose priors are known. Beyond the papers."""

__all__ = ["CAPTIONS", "DEFAULT"]

DEFAULT = "consensus"  # what estimate_priors takes; the table "methods" is why

CAPTIONS = {
    "published": (
        "Bars, set from what the estimators' published code reaches on samples of the same kind, against ours."
    ),
    "error_by_alpha": (
        "Mean absolute error of alpha by true alpha, per method: two Gaussians, two runs (noise allowed for)."
    ),
    "error_by_method": "Mean absolute error of alpha and beta on two Gaussians, by number of labeled examples.",
    "real_data": (
        "Error of alpha on real data, scored by a logistic regression, per method: each dot is the mean over repeats "
        "of one data set."
    ),
    "methods": (
        "Mean absolute error and bias per method on two Gaussians: share is alpha/beta from one run, alpha and "
        "beta come from two; clean_beta is the error of beta where all labels are right."
    ),
    "settings": ("Mean absolute error of alpha by distance of the classes, true beta and number of labeled examples."),
    "coverage": (
        "How often 95 % bootstrap intervals hold the truth, and how wide they are: no promise, a measurement."
    ),
    "real": "Mean absolute error and bias of alpha and beta on real data, by what made the scores, and per method.",
    "real_by_dataset": "Mean error of alpha by data set, scores, method and beta.",
    "real_bars": (
        "Mean absolute error of alpha/beta from one run on the four sets of the bar (landsat, mushroom, page-blocks, "
        "spambase), by what made the scores: a linear model cannot tell some of their classes apart, networks can."
    ),
    "seconds": ("Median seconds of one estimate with two runs. These belong to the machine; everything else does not."),
}
