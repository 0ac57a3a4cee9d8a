"""Records of the study, and the band of each name."""

import numpy as np
import pandas as pd

from pumetrics.bounds import pr_bounds, rank_cdf_band, roc_bounds

__all__ = ["BANDS", "GRID", "area_rows", "band_of", "curve_rows", "record", "table_of"]

GRID = np.linspace(0, 1, 201)
"""Where curves are read for figures."""

BANDS = {
    "bootstrap": {"method": "bootstrap"},
    "dkw": {"method": "dkw"},
    "hypergeometric_pointwise": {"method": "hypergeometric", "simultaneous": False},
    "hypergeometric": {"method": "hypergeometric", "simultaneous": True},
}
"""Bands by the name they have in records, as arguments of rank_cdf_band."""


def band_of(name, s, score, *, alpha):
    """95 % band of a ranking by its name in :data:`BANDS`."""
    return rank_cdf_band(s, score, alpha=alpha, confidence=0.95, **BANDS[name])


COMMON = {
    "dataset": "two_normals",
    "model": "ranking",
    "labeling": "-",
    "repeat": 0,
    "metric": "",
    "method": "exact",
    "prior": "true",
    "truth_kind": "true_classes",
    "estimate": np.nan,
    "truth": np.nan,
    "lower": np.nan,
    "upper": np.nan,
    "threshold": np.nan,
}
"""What a record holds unless it says otherwise."""


def record(**columns):
    """Return columns of one or more records, single values or arrays of one length, for :func:`table_of`."""
    unknown = set(columns) - set(COMMON)
    if unknown:
        raise ValueError(f"records have no column {', '.join(sorted(unknown))}")
    return {**COMMON, **columns}


def table_of(rows):
    """Return the table of many records, built column by column: small tables would cost more than the study."""
    lengths = [max(np.size(value) for value in row.values()) for row in rows]
    sized = list(zip(rows, lengths, strict=True))
    return pd.DataFrame(
        {name: np.concatenate([np.broadcast_to(row[name], length) for row, length in sized]) for name in COMMON}
    )


def area_rows(s, score, truth, *, alpha, band, **columns):
    """Bounds on both areas beside the true areas (AUROC, average precision)."""
    found = [bound(s, score, alpha=alpha, band=band).auc for bound in (roc_bounds, pr_bounds)]
    low, high = np.transpose(found)
    return record(metric=["roc_auc", "average_precision"], truth=np.array(truth), lower=low, upper=high, **columns)


def curve_rows(s, y, score, *, alpha, band, **columns):
    """Bounds on both curves (ROC first), and the true curves, read on a grid of their horizontal axis."""
    rows = []
    for metric, bound in (("roc_curve", roc_bounds), ("pr_curve", pr_bounds)):
        found = bound(s, score, alpha=alpha, band=band)
        true = bound(y, score, alpha=0, band="dkw")  # nothing is hidden: both bounds are the curve
        if metric == "roc_curve":
            x, (low, high), height = GRID, found.at(GRID), true.at(GRID)[1]
        else:  # at its cuts: `at` must allow for labels within a group of ties, which a drawn curve does not show
            x = GRID[1:]
            low, high, height = (_first_precision(curve, x) for curve in (*found[:2], true.lower))
        rows.append(record(metric=metric, threshold=x, lower=low, upper=high, truth=height, **columns))
    return rows


def _first_precision(curve, recall):
    """Precision of the first cut that reaches a recall."""
    first = np.searchsorted(curve.recall[1:], recall - 1e-12, side="left")
    return curve.precision[1:][np.minimum(first, len(curve.precision) - 2)]
