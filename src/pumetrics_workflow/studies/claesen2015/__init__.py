"""Claesen, Davis, De Smet & De Moor (2015): bounds on any metric from positive and unlabeled examples."""

__all__ = ["BAND_LABELS", "CAPTIONS", "DRAWN_FROM"]

BAND_LABELS = {
    "bootstrap": "bootstrap (the paper's)",
    "dkw": "DKW",
    "hypergeometric_pointwise": "hypergeometric, rank by rank",
    "hypergeometric": "hypergeometric, all ranks (default)",
}

CAPTIONS = {
    "published": "Published and reproduced numbers and claims.",
    "figure1": "Figure 1 of the paper, exact: rank CDF of two sets of positives in the ranking BEDGHAFCI.",
    "figure2": "Figure 2: bounds on the AUROC against the number of known positives. Lines are mean bounds, "
    "shades hold 95% of the repeats, and the black line is the true area. The bootstrap band is narrow because its "
    "coverage is lower.",
    "figure3": (
        "Figure 3: bounds on one ROC curve by the estimated alpha (true alpha 0.3). Bounds lie below the true curve "
        "(black) if the estimate is too small and above it if it is too large. Left: bootstrap band; right: "
        "hypergeometric."
    ),
    "figure4": (
        "Figure 4: two models whose order by AUROC changes with the estimated alpha. Without clipping both would "
        "follow the dashed lines, which never cross: the change is due to clipping alone. Lower right: two models that "
        "are never clipped; AUROC and AUC-PR keep their order, the best F1 does not."
    ),
    "figure5": "Figure 5: rank CDF, ROC and precision-recall curves with 5% of the positives labeled. Black: the true "
    "curve; dashed: alpha set to 0; dark: bounds at the true alpha; light: bounds if alpha is known up to 20%.",
    "figure6_8": "Figures 6 to 8: the lemmas. More true positives at a rank mean fewer false ones (1); a union lies "
    "between its parts (2); at one true positive rate, more positives move the false positive rate away from it (4).",
    "table1": "Table 1: bounds on the AUROC (%) from known positives, by the shares of known positives and negatives "
    "and an estimate of alpha that is 20% too small, exact or 20% too large. Bootstrap bands as in the paper, means "
    "over repeats.",
    "table2": "Table 2: the same from known positives or from known negatives, whichever bounds are tighter.",
    "coverage": "Which band has 95% coverage (dashed line)? Probability that a band holds at all ranks (exact), that "
    "it holds at one rank (exact), and that the interval for the AUROC holds the true area (simulated). Only the "
    "default band has this coverage at all ranks in every cell. The bootstrap band rarely holds at all ranks, since it "
    "was designed for one rank and assumes infinitely many hidden positives.",
    "coverage_cells": "Coverage in numbers: exact values are named so, others are shares of simulated rankings.",
    "figure2_bounds": "Figure 2 in numbers: mean bounds on the AUROC, their mean width, and the share of repeats whose "
    "interval holds the true area.",
    "figure3_areas": "Figure 3 in numbers: bounds on both areas by the estimated alpha.",
    "figure4_areas": "Figure 4 in numbers (%): areas, best F1, AUROC without clipping, share of clipped ranks.",
    "figure5_areas": "Figure 5 in numbers: mean bounds over draws of the labeled positives, how often they contain the "
    "truth, and the share of cuts, and of draws, where the band on the rank CDF holds.",
    "known_bounds": "Tables 1 and 2 in numbers: mean bounds on the AUROC.",
}

# The tables behind a figure, where it is not the one of its name.
DRAWN_FROM = {
    "figure2": ["figure2_bounds"],
    "figure3": ["figure3_curves"],
    "figure4": ["figure4_curves", "figure4_areas", "published"],
    "figure5": ["figure5_curves"],
    "figure6_8": ["lemmas"],
    "table1": ["known_bounds"],
    "table2": ["known_bounds"],
    "coverage": ["coverage_cells"],
}
