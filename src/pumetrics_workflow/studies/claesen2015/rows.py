"""Records and statistics of the study, and the band of each name."""

import numpy as np
import pandas as pd

from pumetrics.bounds import pr_bounds, rank_cdf_band, roc_bounds

__all__ = ["BANDS", "GRID", "area_rows", "band_of", "curve_rows", "record", "statistic", "table_of"]

GRID = np.linspace(0, 1, 201)
"""Where curves are read for figures."""

BANDS = {
    "bootstrap": {"method": "bootstrap"},
    "dkw": {"method": "dkw"},
    "hypergeometric:pointwise": {"method": "hypergeometric", "simultaneous": False},
    "hypergeometric": {"method": "hypergeometric", "simultaneous": True},
}
"""Arguments of rank_cdf_band by band; the method of its bounds is called ``bounds_<band>``."""


def band_of(name, s, score, *, alpha):
    """95% band of a ranking by its name in :data:`BANDS`."""
    return rank_cdf_band(s, score, alpha=alpha, confidence=0.95, **BANDS[name])


_SAMPLE = {"dataset": "two_normals", "model": "ranking", "labeling": "-", "repeat": 0}
_RECORD = {
    **_SAMPLE, "metric": "", "method": "", "prior": "true", "truth_kind": "same_scores", "estimate": np.nan,
    "truth": np.nan, "lower": np.nan, "upper": np.nan,
}  # fmt: skip
_STATISTIC = {
    **_SAMPLE, "metric": "none", "method": "none", "prior": "true", "statistic": "", "at": np.nan, "value": np.nan,
}  # fmt: skip

_NUMBERS = {"repeat", "estimate", "truth", "lower", "upper", "at", "value"}


def record(**columns):
    """Return columns of one or more records, single values or arrays of one length, for :func:`table_of`."""
    return _filled("records", _RECORD, columns)


def statistic(**columns):
    """Return columns of one or more statistics, single values or arrays of one length, for :func:`table_of`."""
    return _filled("statistics", _STATISTIC, columns)


def _filled(kind, defaults, columns):
    unknown = set(columns) - set(defaults)
    if unknown:
        raise ValueError(f"{kind} of this study have no column {', '.join(sorted(unknown))}")
    return {**defaults, **columns}


def table_of(rows):
    """Return records and statistics as one table, built column by column: small tables would cost too much."""
    lengths = [max(np.size(value) for value in row.values()) for row in rows]
    names = list(dict.fromkeys([*_RECORD, *_STATISTIC]))
    sized = list(zip(rows, lengths, strict=True))
    return pd.DataFrame({name: np.concatenate([_column(row, name, length) for row, length in sized]) for name in names})


def _column(row, name, length):
    """One column of some rows; empty where only the other table has it."""
    missing = np.nan if name in _NUMBERS else None
    return np.broadcast_to(np.asarray(row.get(name, missing), dtype=None if name in _NUMBERS else object), length)


def area_rows(s, score, truth, *, alpha, band, **columns):
    """Bounds on both areas next to the true areas (AUROC, average precision)."""
    areas = [bound(s, score, alpha=alpha, band=band).auc for bound in (roc_bounds, pr_bounds)]
    low, high = np.transpose(areas)
    return record(metric=["roc_auc", "average_precision"], truth=np.array(truth), lower=low, upper=high, **columns)


def curve_rows(s, y, score, *, alpha, band, **columns):
    """Bounds on both curves (ROC first), and the true curves, read on a grid of their horizontal axis.

    Three statistics for each: ``roc_curve_lower``, ``roc_curve_upper``, ``roc_curve_true``; then ``pr_curve_lower``...
    """
    rows = []
    for curve, bound in (("roc_curve", roc_bounds), ("pr_curve", pr_bounds)):
        bounds = bound(s, score, alpha=alpha, band=band)
        true = bound(y, score, alpha=0, band="dkw")  # nothing is hidden: both bounds are the curve
        if curve == "roc_curve":
            x, (low, high), height = GRID, bounds.at(GRID), true.at(GRID)[1]
        else:  # at its cuts: `at` must allow for labels within a group of ties, which a drawn curve does not show
            x = GRID[1:]
            low, high, height = (_first_precision(points, x) for points in (*bounds[:2], true.lower))
        for side, values in (("lower", low), ("upper", high), ("true", height)):
            rows.append(statistic(statistic=f"{curve}_{side}", at=x, value=values, **columns))
    return rows


def _first_precision(points, recall):
    """Precision of the first cut that reaches a recall."""
    first = np.searchsorted(points.recall[1:], recall - 1e-12, side="left")
    return points.precision[1:][np.minimum(first, len(points.precision) - 2)]
