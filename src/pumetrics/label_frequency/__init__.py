"""Scores without negatives, from the label frequency: estimates, their variance, and estimates of the frequency.

The label frequency `rho` is the share of all positives that are labeled. If labels are missing completely at random,
the labeled positives show the recall, and `rho` scales them up to the number of true positives.

References
----------
Tabatabaei, Klein & Hoogendoorn (2020), Estimating the F1 Score for Learning from Positive and Unlabeled Examples.
Lee & Liu (2003), Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression.
Elkan & Noto (2008), Learning Classifiers from Only Positive and Unlabeled Data.
"""

from pumetrics.label_frequency.conversions import alpha_from_rho, rho_from_alpha
from pumetrics.label_frequency.moments import (
    Moments,
    estimated_f1_std,
    estimated_fbeta_moments,
    estimated_precision_moments,
    estimated_recall_moments,
)
from pumetrics.label_frequency.rho import (
    RHO_METHODS,
    RHO_MODELS,
    estimate_rho,
    leave_one_out_scores,
    rho_from_mean_score,
)
from pumetrics.label_frequency.scores import (
    LabeledCounts,
    estimated_f1_score,
    estimated_fbeta_score,
    estimated_precision_score,
    estimated_recall_score,
    fbeta_from_counts,
    labeled_counts,
    lee_liu_from_counts,
    lee_liu_score,
)

__all__ = [
    "RHO_METHODS",
    "RHO_MODELS",
    "LabeledCounts",
    "Moments",
    "alpha_from_rho",
    "estimate_rho",
    "estimated_f1_score",
    "estimated_f1_std",
    "estimated_fbeta_moments",
    "estimated_fbeta_score",
    "estimated_precision_moments",
    "estimated_precision_score",
    "estimated_recall_moments",
    "estimated_recall_score",
    "fbeta_from_counts",
    "labeled_counts",
    "leave_one_out_scores",
    "lee_liu_from_counts",
    "lee_liu_score",
    "rho_from_alpha",
    "rho_from_mean_score",
]
