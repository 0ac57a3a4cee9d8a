"""Scores of a classifier against the true class, from labeled and unlabeled examples, in scikit-learn's manner.

Every score takes the observed labels `s` (1 labeled, 0 unlabeled) where scikit-learn takes the true class, and two
shares of positives: `alpha` among the unlabeled and `beta` among the labeled. With ``alpha=0, beta=1`` each is the
uncorrected score, equal to scikit-learn's. Accuracy, F1 and Matthews correlation refer to the whole sample, labeled and
unlabeled together, whose labeled share is counted from `s`; precision has the argument `population`; recall, balanced
accuracy and the area under the ROC curve depend on no population.

With ``clip=True`` a score is clipped to its range. An estimate far outside it means that the priors do not fit the
data, or that the sample is small: look at it with ``clip=False``.

``METRICS`` holds the name, label, range and formula of each.
"""

from pumetrics.curves import pu_precision_recall_curve, pu_roc_curve, threshold_rates
from pumetrics.metrics.areas import average_precision, roc_auc, roc_auc_pu
from pumetrics.metrics.predictions import (
    pu_accuracy_score,
    pu_balanced_accuracy_score,
    pu_f1_score,
    pu_matthews_corrcoef,
    pu_precision_score,
    pu_recall_score,
)
from pumetrics.metrics.registry import (
    AREAS,
    AT_THRESHOLD,
    AT_TOP,
    MEASURES,
    METRICS,
    SUMMARIES,
    Metric,
    clipped,
    find_metric,
    metric_at,
)
from pumetrics.metrics.scorers import make_pu_scorer
from pumetrics.metrics.scores import max_score, pu_average_precision_score, pu_roc_auc_score
from pumetrics.metrics.thresholds import (
    measures_of,
    measures_of_tables,
    rates_at,
    rates_of_tables,
    threshold_measures,
)
from pumetrics.metrics.top import lift_at_k, precision_at_k, recall_at_k

__all__ = [
    "AREAS",
    "AT_THRESHOLD",
    "AT_TOP",
    "MEASURES",
    "METRICS",
    "SUMMARIES",
    "Metric",
    "average_precision",
    "clipped",
    "find_metric",
    "lift_at_k",
    "make_pu_scorer",
    "max_score",
    "measures_of",
    "measures_of_tables",
    "metric_at",
    "precision_at_k",
    "pu_accuracy_score",
    "pu_average_precision_score",
    "pu_balanced_accuracy_score",
    "pu_f1_score",
    "pu_matthews_corrcoef",
    "pu_precision_recall_curve",
    "pu_precision_score",
    "pu_recall_score",
    "pu_roc_auc_score",
    "pu_roc_curve",
    "rates_at",
    "rates_of_tables",
    "recall_at_k",
    "roc_auc",
    "roc_auc_pu",
    "threshold_measures",
    "threshold_rates",
]
