"""Jain, White & Radivojac (2017): the true ROC and precision-recall curve behind positive-unlabeled ones."""

from pumetrics import metrics

__all__ = ["BINS", "CAPTIONS", "DRAWN_FROM", "METRICS", "PAIRS"]

METRICS = {name: metrics.METRICS[name].label for name in ("roc_auc", "average_precision")}

# Direct and indirect recovery with the same priors: real, estimated by AlphaMax as published, by its repaired form.
PAIRS = {"true": ("DR", "IR"), "alphamax": ("DE", "IE"), "alphamax_plus": ("DE+", "IE+")}

# Figure 2, right column: absolute error of the estimate of beta - alpha.
BINS = {"[0, .1)": (0, 0.1), "[.1, .2)": (0.1, 0.2), "[.2, inf)": (0.2, float("inf"))}

CAPTIONS = {
    "published": "Published and reproduced numbers and claims.",
    "figure1": (
        "Figure 1 of the paper, exact: eight scored examples evaluated by their observed labels (area 0.8) and by "
        "their true ones (0.9375)."
    ),
    "figure2": (
        "Figure 2 of the paper: error of AUC and AUC-PR, all data sets and repeats, by beta (left) and by the "
        "absolute error of the estimate of beta - alpha (right). D and I are direct and indirect recovery, R and E "
        "real priors and those of AlphaMax. The truth is the area of the supervised ensemble; indirect recovery uses "
        "the envelope."
    ),
    "repairs": (
        "Effect of the repair of the recovered curve: median error of the indirect area with real priors, against the "
        "true labels of the same scores. Without repair indirect recovery is direct recovery; the AUC-PR from the "
        "observed precision is then the same."
    ),
    "example_curves": (
        "ROC and precision-recall curves of two data sets (first repeat, smallest beta): uncorrected, recovered with "
        "real priors, and true."
    ),
    "medians": (
        "Median, quartiles and mean absolute error of each method, by beta, repair and kind of truth. AUC-PR is the "
        "average precision (step rule); repair pu_precision recovers it from the PU precision, without repair."
    ),
    "by_gap": "Median error by the error of the estimate of beta - alpha.",
    "sign_tests": (
        "Is indirect recovery better than direct? Pairs of data set and beta in which its mean absolute error is "
        "smaller, with the one-sided binomial p-value, per repair and kind of truth. Without repair both are "
        "equal, so any difference is due to the repair: the envelope and the hull lift a curve whose noise lowers "
        "the area, which helps where the direct area is too low and hurts elsewhere. The paper's 36 "
        "pairs gave 31 and 26."
    ),
    "repair_candidates": (
        "Which repair gives the paper's p-values? For real and for AlphaMax priors a repair reproduces up to two "
        "numbers each: p is below 0.05, and the share of pairs won does not differ from the printed 31 and 26 of 36 by "
        "Fisher's exact test. The table also has the mean absolute error of that share. 'Area clipped' compares the "
        "direct area clipped to [0, 1] with the direct area as it is, without any curve. The paper takes the "
        "supervised ensemble as the truth. If several repairs reproduce all numbers, the p-values do not show which "
        "one the paper used."
    ),
    "each_set": "Median error of each set and beta, and its mean size (_size), "
    "methods side by side, against the supervised truth; PU_clean: "
    "uncorrected at beta 1.",
    "estimated_priors": "Do estimated priors do as well as real ones? Median over sets of the mean absolute error, and "
    "the two-sided signed rank test of the pairs.",
    "gap_steps": "Change of the mean absolute error (IE) from one bin of the error of beta - alpha to the next.",
    "by_dataset": "Median error by data set, beta and method (indirect by the envelope).",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {"repairs": ["medians"]}
