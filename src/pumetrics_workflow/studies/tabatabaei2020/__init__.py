"""Tabatabaei, Klein & Hoogendoorn (2020): F1 without negatives, and how often it selects the wrong model."""

__all__ = ["CAPTIONS", "DRAWN_FROM", "METHODS", "NAME", "SHOWN_RHOS", "SOURCES"]

NAME = "tabatabaei2020"
METHODS = {"estimated_f1": "estimated F1", "lee_liu": "LL score"}
SOURCES = {
    "generated": "generated data",
    "iris": "Iris",
    "iris_bundled": "Iris (bundled copy)",
    "heart_c": "Heart disease",
    "breast_cancer": "Breast cancer (bundled)",
    "health_stand_in": "Health (a stand-in, generated)",
}
# Label frequencies whose medians were read off the published curves.
SHOWN_RHOS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)

CAPTIONS = {
    "published": "Published and reproduced numbers and claims.",
    "figure1": "Figure 1 of the paper: a generated set (positive above the dashed line; rings mark labeled points) and "
    "some of the random lines that serve as classifiers.",
    "figure2": "Figure 2: the label frequency estimated from leave-one-out scores. Mean, 10 to 90% (band) and range "
    "(dotted) over label draws, by model and formula. The published formula subtracts one where it should add one.",
    "figure3": "Figure 3: estimated F1 of one classifier. Points: label draws; dashes: their mean and one standard "
    "deviation; dotted lines: the same from the hypergeometric law; cross: the F1 that the paper states.",
    "figure4": "Figure 4: pairs of classifiers in the wrong order, by label frequency: median and 10 to 90%. "
    "Gray: without the rule that flips a line if it misses most labeled points, which the published code applies "
    "to generated data and the paper does not mention. At 0.01 half of the generated sets have no label, so no "
    "ranking.",
    "figure5": "Figure 5: the same if the label frequency is wrong by a factor. Mean over all label frequencies, with "
    "the 10 to 90% band over repeats; the LL score does not depend on the factor. Crosses and hatching are the final "
    "of three runs, of 25 lines each, whose results were published with the paper.",
    "table2": "Table 2: root mean squared error at a label frequency of 0.30, over draws of data, models and labels. "
    "share_below: draws with less error than printed. The LL score of Iris was printed without the factor M.",
    "medians": "Median share of inversions (%) at six label frequencies. As published: each positive labeled with "
    "probability rho and lines flipped, as in the published code. For comparison: exactly rho P labels, as in the "
    "text; and lines not flipped.",
    "significance": "Where the estimated F1 makes significantly fewer inversions (two-sided signed rank test of 200 "
    "pairs, 0.05): first label frequency, label frequency from which on all are significant, and number of them.",
    "figure5_means": "Figure 5 in numbers: mean share of inversions (%) by error factor.",
    "turning_rules": "Which rule for flipping a classifier gives Figure 4? For each rule and way to label: mean "
    "absolute error of the printed medians (read off the curves, in percentage points) and both errors of Table 2. "
    "Rules that use the true classes show what flipping by labels approximates.",
    "beside_lee_liu": "Mean share of inversions (%) by both scores at every label frequency, their gap and the p-value "
    "of the signed rank test.",
    "gap_growth": "Does the gap to the LL score grow with the label frequency? Rank correlation of both.",
    "rmse": "Table 2: mean error of each score over draws.",
    "bias": "Figure 3: mean error of the estimated F1 over all label frequencies as a standard normal score.",
    "counts": "Figure 3: confusion matrices of the classifiers.",
    "spread": "Figure 3: simulated over hypergeometric variance of the estimated F1, over all label frequencies.",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {
    "figure1": ["figure1", "figure1_lines"],
    "figure3": ["figure3", "figure3_points", "published"],
    "figure4": ["figure4", "published"],
    "figure5": ["figure5", "published"],
}
