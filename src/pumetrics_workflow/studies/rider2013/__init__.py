"""Rider et al. (2013): AUROC and AUPR with hidden positives among the negatives."""

from pumetrics import metrics

__all__ = ["CAPTIONS", "CLASSIFIERS", "DRAWN_FROM", "LEAST_SETS", "MECHANISMS", "METRICS", "SVM_READINGS"]

METRICS = {name: metrics.METRICS[name].label for name in ("roc_auc", "average_precision")}
MECHANISMS = {"bcar": "BCAR", "bar": "BAR", "bnar": "BNAR"}

# As in Table 2. The SVM's row is filled by one of three readings of the same machines.
CLASSIFIERS = {"c45": "C4.5", "mlp": "MLP", "naive_bayes": "NB", "nearest_neighbors": "NN", "svm": "SVM"}
SVM_READINGS = {"svm_class": "0/1", "svm": "decision value", "svm_logistic": "logistic"}

# With fewer data sets no signed-rank test comes below 0.01: six equal differences of one sign give 0.0098, five 0.018.
LEAST_SETS = 6

CAPTIONS = {
    "published": (
        "Published and reproduced: for each cell of Tables 2a and 2b the verdict, 1 for 'the bias class area "
        "overestimates', -1 for 'underestimates', 0 for neither, then the paper's claims. The SVM answers 0 or 1, as "
        "in WEKA by default. All areas come from this project's implementations of the five classifiers (backend "
        "'own'), which are checked against WEKA's on each data set."
    ),
    "table2": (
        "Tables 2a and 2b as printed (left) and reproduced (right): signed-rank tests across data sets of each "
        "classifier's rank by true class against its rank by bias class area. The color is the p-value: purple where "
        "the bias class area overestimates, brown where it underestimates; a dot marks a one-sided p-value below 0.01. "
        "Positives are hidden at random (BCAR), by a feature (BAR), or by a feature that is then removed (BNAR). The "
        "SVM answers 0 or 1."
    ),
    "p_values": "The 270 cells of Tables 2a and 2b from 10% on: p-values as printed and as reproduced. On the dashed "
    "line both agree; on the falling diagonal the sides are reversed.",
    "bias_size": (
        "Size of the bias: bias class minus true class area, mean over data sets with 95% "
        "interval, by share of flipped positives. The tables compare ranks of five classifiers; the areas "
        "themselves change together."
    ),
    "corrections": (
        "Error of the positive-unlabeled correction with the true alpha: recovered minus true class area. The "
        "correction assumes that positives were flipped completely at random (BCAR); under BAR and BNAR it is "
        "biased."
    ),
    "figure1a": (
        "Figure 1a redrawn on a stand-in, which contradicts the paper: the bias class areas are below the true class "
        "areas, and in the paper they are above. A naive Bayes classifier is trained on five versions of a public data "
        "set with fewer and fewer hidden positives, and evaluated by the labels of the same version (bias class) and "
        "of the last one (true class). The paper's protein interactions are not used: of the five versions of the "
        "repository only the interactions are available, not the 8 million sampled pairs with their features."
    ),
    "figure1b": (
        "Figure 1b redrawn: predicted probabilities of the classifier trained on the first version. Predictions (0.5 "
        "or more is positive) and labels of the last version define true and false positives and negatives. Counts are "
        "on a logarithmic axis, in ranges of unequal width; a range without a bar has no example."
    ),
    "table2a": (
        "Table 2a in the paper's layout, AUROC: p-value, in brackets the printed one; * where either one-sided p-value "
        "is below 0.01 (bold in the paper). The SVM answers 0 or 1."
    ),
    "table2b": "Table 2b: the same for AUPR.",
    "agreement": (
        "Cells of Tables 2a and 2b (10 to 90%) in which published and reproduced verdict agree, by classifier, "
        "output of the SVM, and printed signs as they are or reversed; trivial: cells in which 'neither' everywhere "
        "would agree; kappa: agreement beyond chance; and the rank correlation of published and reproduced p-values, "
        "and of z, 0 where no set changed rank."
    ),
    "significant": "Significant cells (10 to 90%) of both tables by mechanism, printed and reproduced, by sign.",
    "gaps": "Case study on a stand-in: does the difference between the bias class and true class areas shrink with "
    "every version?",
    "beside": "The 270 cells from 10% on, printed and reproduced: the one-sided p-value and -1, 0 or 1 at 0.01.",
    "sign_of_table2b": (
        "Is Table 2b printed with reversed signs? Rank correlation of printed and reproduced p-values, and "
        "significant cells of equal and opposite sign, per table. No sign is adjusted to fit."
    ),
    "svm_readings": (
        "Which output of the SVM gives the SVM's rows of Tables 2a and 2b, with the signs of Table 2b as they are and "
        "reversed? Cells from 10% on that lean to the printed side (p at most or above 0.5, or no changed rank), mean "
        "absolute difference of the p-values, and cells whose verdict is the printed one, of the SVM and of all five "
        "classifiers, whose ranks the output changes too. Few printed cells are significant, so verdicts say little. "
        "Baseline: every cell leans to the more frequent side. An output is settled only if it reproduces all cells, "
        "and is supported only if it does better than the baseline."
    ),
    "table1": (
        "Table 1: the data sets of this run and the printed sizes, and the feature that BAR and BNAR sort by (Eq. "
        "1) with the share of positives that have its most frequent value: near 1, ties in random order make BAR "
        "nearly BCAR. credit_a and crx are the same data, counted twice as in the paper; estate is not public."
    ),
    "undefined": (
        "Test folds without a labeled positive, whose bias class area is not defined: they are left out of the "
        "averages. Mean number of 10 folds, by data set and share of flipped positives."
    ),
    "sizes": "Bias before and after the correction: the numbers behind both figures.",
    "cells": "Every cell of Tables 2a and 2b with both one-sided p-values.",
    "areas": "Mean areas per data set, classifier and labeling.",
    "case_study": "The areas of Figure 1a.",
    "case_study_histogram": "The counts of Figure 1b.",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {
    "table2": ["cells", "published"],
    "p_values": ["beside"],
    "bias_size": ["sizes"],
    "corrections": ["sizes"],
    "figure1a": ["case_study"],
    "figure1b": ["case_study_histogram"],
}
