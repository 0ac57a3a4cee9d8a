"""How far the consensus is off on data whose class prior is known, and the intervals that follow.

A table holds samples with known alpha from many data sets. For a new sample, those weigh most that separate labeled
from unlabeled examples as well and have the same estimate; weighted quantiles of their errors give the ends of
intervals for 50, 80 and 95%, and a margin makes these hold on data sets that were left out (conformal prediction).
Related data sets form a family; families weigh equally, and one more represents unseen families.
"""

import json
from functools import cache
from importlib.resources import files

import numpy as np

from pumetrics.priors._conformal import fit, near_weights, nested, separation_place
from pumetrics.priors.consensus import MEMBERS
from pumetrics.priors.estimate import estimate_shares
from pumetrics.priors.upper_bound import largest_alpha

__all__ = [
    "LEVELS",
    "alpha_of_scale",
    "fit_table",
    "left_out",
    "quantiles",
    "read_table",
    "scale_of_alpha",
    "summarize",
    "tells",
]

LEVELS = (0.5, 0.8, 0.95)
"""Confidences of the table."""

_EPSILON = 0.002  # smaller alphas are indistinguishable in samples of some thousands
_BOUNDS = (0.5, *((1 + level) / 2 for level in LEVELS))  # one side of an interval is its share of the level
_FOLDS = 10  # of whole families
# In standard deviations. Features and kernel were chosen by the pinball loss of seven quantiles on families left out:
# sample sizes, the spread of the members and the guaranteed bound did not lower it, nor did linear quantile regression
# or a forest. Of two bandwidths with about the same loss this one has the better interval score at 95%.
_BANDWIDTH = 0.2


def scale_of_alpha(alpha):
    """Map alpha to the scale of the errors: a logit that stays finite at 0 and 1."""
    alpha = np.asarray(alpha, dtype=np.float64)
    return np.log((alpha + _EPSILON) / (1 - alpha + _EPSILON))


def alpha_of_scale(value):
    """Undo :func:`scale_of_alpha`, clipped to [0, 1]."""
    odds = np.exp(np.minimum(value, 50.0))
    alpha = np.clip((odds * (1 + _EPSILON) - _EPSILON) / (1 + odds), 0.0, 1.0)
    return np.where(alpha < 1e-12, 0.0, alpha)[()]  # rounding may miss 0 by a hair


def summarize(counts, samples, *, share=None):
    """What a sample shows of alpha without its truth.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    samples : tuple of ndarray
        Labeled and unlabeled scores; of many, evenly spaced ones are enough.
    share : Share, optional
        The consensus on these samples, if it is there already.

    Returns
    -------
    dict
        ``n_labeled``, ``n_unlabeled``, ``separation`` (uncorrected area under the ROC curve), the estimates of the
        members of the consensus by name, ``consensus``, and ``bound_0.5`` to ``bound_0.975``, the guaranteed upper
        bounds at these confidences.
    """
    if share is None:
        (share,) = estimate_shares(*samples, method="consensus")
    return {
        "n_labeled": counts.n_labeled,
        "n_unlabeled": counts.n_unlabeled,
        "separation": float(np.trapezoid(counts.tpr_pu, counts.fpr_pu)),
        **dict(zip(MEMBERS, share.evidence.y.tolist(), strict=True)),
        "consensus": share.value,
        **{f"bound_{level:g}": largest_alpha(counts, confidence=level) for level in _BOUNDS},
    }


def tells(n_labeled, n_unlabeled, separation):
    """Whether labeled examples score significantly higher than unlabeled ones (one-sided, 5%).

    Parameters
    ----------
    n_labeled, n_unlabeled : int or array-like
    separation : float or array-like
        Uncorrected area under the ROC curve.

    Returns
    -------
    bool or ndarray of bool
        If not, the scores do not identify alpha.
    """
    n, m = np.asarray(n_labeled, dtype=np.float64), np.asarray(n_unlabeled, dtype=np.float64)
    return separation >= 0.5 + 1.645 * np.sqrt((n + m + 1) / (12 * n * m))


def fit_table(pool, *, levels=LEVELS, version=1):
    """Fit a table to samples whose alpha is known.

    Parameters
    ----------
    pool : pandas.DataFrame
        A row per sample: ``family``, the true ``alpha``, and the entries of :func:`summarize`.
    levels : sequence of float
        Confidences.
    version : int
        Of the table.

    Returns
    -------
    dict
        Ready for JSON: ``version``, numbers of ``families`` and ``samples``, ``margins`` by level, None where there are
        too few families, the ``scales`` of the features, and the ``errors``, ``weights`` and ``places`` of the samples.

    References
    ----------
    Romano, Patterson & Candes (2019), "Conformalized quantile regression", for the margins; Dunn, Wasserman & Ramdas
    (2022), "Distribution-free prediction sets for two-layer hierarchical models", for the weights of families.
    """
    errors = scale_of_alpha(pool["alpha"]) - scale_of_alpha(pool["consensus"])
    table = fit(pool, _places(pool), {"alpha": errors}, _BANDWIDTH, levels=levels, version=version)
    return table | {"errors": table["errors"]["alpha"]}


def quantiles(summary, table=None):
    """Calibrated ends for alpha, by level.

    Parameters
    ----------
    summary : mapping
        From :func:`summarize`: separation, numbers of examples, consensus and upper bounds.
    table : dict, optional
        From :func:`fit_table`; the one of the package by default.

    Returns
    -------
    dict of float to (float, float)
        Nested intervals of alpha by confidence, each within 0 and its guaranteed bound.
    """
    table = read_table() if table is None else table
    center, places = scale_of_alpha(summary["consensus"]), _places(summary)
    return nested(
        table["errors"], table["margins"], near_weights(table, places.reshape(len(places), -1), _BANDWIDTH),
        center=center, undo=alpha_of_scale, bound=lambda level: summary[f"bound_{(1 + level) / 2:g}"],
        blind=~tells(summary["n_labeled"], summary["n_unlabeled"], summary["separation"]),
    )  # fmt: skip


def left_out(pool, *, levels=LEVELS):
    """Intervals of every sample by a table that was fitted without its family.

    Parameters
    ----------
    pool, levels
        As for :func:`fit_table`.

    Returns
    -------
    pandas.DataFrame
        Columns ``lower_<level>`` and ``upper_<level>``, indexed like `pool`.
    """
    import pandas as pd

    families, parts = np.sort(pool["family"].unique()), []
    for fold in range(min(_FOLDS, len(families))):
        out = pool["family"].isin(families[fold::_FOLDS])
        ends = quantiles(pool[out], fit_table(pool[~out], levels=levels))
        columns = {f"{side}_{level:g}": pair[i] for level, pair in ends.items() for i, side in enumerate(_SIDES)}
        parts.append(pd.DataFrame(columns, index=pool.index[out]))
    return pd.concat(parts).loc[pool.index]


@cache
def read_table():
    """Return the table of the package, as :func:`fit_table` gives it, with its ``coverage`` on families left out."""
    return json.loads(files("pumetrics.priors").joinpath("calibration.json").read_text(encoding="utf-8"))


_SIDES = ("lower", "upper")


def _places(summary):
    """Separation and estimate on the scales of the errors, shape (2,) or (2, n_samples)."""
    return np.array([separation_place(summary), scale_of_alpha(summary["consensus"])])
