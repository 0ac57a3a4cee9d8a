"""Bounds on contingency tables, ROC and precision-recall curves from positive and unlabeled examples.

If the share of positives among the unlabeled (``alpha``) is known and the labeled positives are a random sample of all
positives, the ranks of the labeled positives determine, within a band, how many hidden positives are among the top r.
Each band gives two contingency tables per rank, hence two curves, between which the true one lies.

Claesen, Davis, De Smet & De Moor (2015): Assessing binary classifiers using only positive and unlabeled data. What the
paper calls beta is ``alpha`` here. Ranks start at 1, highest score first.
"""

from pumetrics.bounds.bands import (
    Band,
    clipped_share,
    max_feasible_alpha,
    rank_cdf_band,
)
from pumetrics.bounds.curve_bounds import (
    CurveBounds,
    pr_bounds,
    roc_bounds,
)
from pumetrics.bounds.scores import score_bounds
from pumetrics.bounds.tables import ContingencyBounds, contingency_bounds, metric_bounds

__all__ = [
    "Band",
    "ContingencyBounds",
    "CurveBounds",
    "clipped_share",
    "contingency_bounds",
    "max_feasible_alpha",
    "metric_bounds",
    "pr_bounds",
    "rank_cdf_band",
    "roc_bounds",
    "score_bounds",
]
