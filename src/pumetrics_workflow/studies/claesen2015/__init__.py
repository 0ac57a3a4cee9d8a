"""Claesen, Davis, De Smet & De Moor (2015): bounds on any metric from positive and unlabeled examples."""

__all__ = ["BAND_LABELS", "MEASURES"]

BAND_LABELS = {
    "bootstrap": "bootstrap (the paper's)",
    "dkw": "DKW",
    "hypergeometric_pointwise": "hypergeometric, rank by rank",
    "hypergeometric": "hypergeometric, all ranks (default)",
}
# Of models that are compared.
MEASURES = {"roc_auc": "AUC", "average_precision": "AUC-PR", "max_f1": "best F1"}
