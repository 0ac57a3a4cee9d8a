"""Jain, White & Radivojac (2017): the true ROC and precision-recall curve behind positive-unlabeled ones."""

from pumetrics import metrics

__all__ = ["BINS", "METRICS", "PAIRS", "PAPER_SETS"]

PAPER_SETS = 12

METRICS = {name: metrics.METRICS[name].label for name in ("roc_auc", "average_precision")}

# Direct and indirect recovery with the same priors: real, estimated by AlphaMax as published, by its repaired form.
PAIRS = {"true": ("DR", "IR"), "alphamax": ("DE", "IE"), "alphamax_plus": ("DE+", "IE+")}

# Figure 2, right column: absolute error of the estimate of beta - alpha.
BINS = {"[0, .1)": (0, 0.1), "[.1, .2)": (0.1, 0.2), "[.2, inf)": (0.2, float("inf"))}
