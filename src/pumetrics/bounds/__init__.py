"""Bounds on contingency tables, ROC and precision-recall curves from positive and unlabeled examples.

If the share of positives among the unlabeled (``alpha``) is known and the labeled positives are a random sample of all
positives, the ranks of the labeled positives determine, within a band, how many hidden positives are among the top r.
Each band gives two contingency tables per rank, hence two curves, between which the true one lies.

Claesen, Davis, De Smet & De Moor (2015): Assessing binary classifiers using only positive and unlabeled data. What the
paper calls beta is ``alpha`` here. Ranks start at 1, highest score first.
"""

from pumetrics.bounds.bands import (
    Band,
    ClippedShare,
    TableDerivatives,
    TableSensitivity,
    clipped_share,
    max_feasible_alpha,
    rank_cdf_band,
    sensitivity_to_alpha,
)
from pumetrics.bounds.curve_bounds import (
    CurveBounds,
    PrecisionRecallCurve,
    RocCurve,
    pr_bounds,
    roc_bounds,
    unlabeled_areas,
    unlabeled_precision_bounds,
)
from pumetrics.bounds.scores import score_bounds
from pumetrics.bounds.tables import TABLE_METRICS, ContingencyBounds, contingency_bounds, metric_bounds, tables_at

__all__ = [
    "TABLE_METRICS",
    "Band",
    "ClippedShare",
    "ContingencyBounds",
    "CurveBounds",
    "PrecisionRecallCurve",
    "RocCurve",
    "TableDerivatives",
    "TableSensitivity",
    "clipped_share",
    "contingency_bounds",
    "max_feasible_alpha",
    "metric_bounds",
    "pr_bounds",
    "rank_cdf_band",
    "roc_bounds",
    "score_bounds",
    "sensitivity_to_alpha",
    "tables_at",
    "unlabeled_areas",
    "unlabeled_precision_bounds",
]
