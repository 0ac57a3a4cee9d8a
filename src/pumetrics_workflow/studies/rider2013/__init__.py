"""Rider et al. (2013): AUC and AUC-PR with hidden positives among the negatives."""

from pumetrics import metrics

__all__ = [
    "CLASSIFIERS",
    "KEYS",
    "LEAST_SETS",
    "MECHANISMS",
    "METRICS",
    "PAPER_SETS",
    "SVM_READINGS",
]

PAPER_SETS = 28

METRICS = {name: metrics.METRICS[name].label for name in ("roc_auc", "average_precision")}
MECHANISMS = {"bcar": "BCAR", "bar": "BAR", "bnar": "BNAR"}

# As in Table 2. The SVM's row is filled by one of three readings of the same machines.
CLASSIFIERS = {
    "c45": "C4.5",
    "mlp": "MLP",
    "naive_bayes": "NB",
    "nearest_neighbors": "NN",
    "svm": "SVM",
}
SVM_READINGS = {"svm_class": "0/1", "svm": "decision value", "svm_logistic": "logistic"}

# With fewer data sets no signed-rank test comes below 0.01: six equal differences of one sign give 0.0098, five 0.018.
LEAST_SETS = 6

KEYS = ["metric", "mechanism", "fraction", "dataset", "model"]  # of a mean area
