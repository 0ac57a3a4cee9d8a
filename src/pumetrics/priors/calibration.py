"""How far the consensus is off on data whose class prior is known, as a small table, and the fit that makes it.

The table holds, for the confidences 50, 80 and 95 %, two linear quantile regressions of the error on what a sample
shows without its truth, and a margin that makes the pair hold on data sets left out of the fit (conformalized quantile
regression). Related data sets form a family; families weigh equally, and one more stands for the unseen.
"""

import json
from functools import cache
from importlib.resources import files

import numpy as np

from pumetrics.priors.consensus import MEMBERS, consensus_of
from pumetrics.priors.upper_bound import largest_alpha

__all__ = ["FEATURES", "LEVELS", "alpha_of_scale", "features_of", "fit_table", "left_out", "quantiles", "read_table",
           "scale_of_alpha", "summarize", "tells"]  # fmt: skip

LEVELS = (0.5, 0.8, 0.95)
"""Confidences of the table."""

FEATURES = ("one", "separation", "labeled", "unlabeled", "estimate", "room", "spread")
"""What the error is regressed on, see :func:`features_of`."""

_EPSILON = 0.002  # alphas this small and smaller are told apart by no sample of some thousand
_BOUNDS = (0.5, *((1 + level) / 2 for level in LEVELS))  # one side of an interval is its share of the level
_LEAST_SCALE = 0.1


def scale_of_alpha(alpha):
    """Map alpha to the scale of the errors: a logit that stays finite at 0 and 1."""
    alpha = np.asarray(alpha, dtype=np.float64)
    return np.log((alpha + _EPSILON) / (1 - alpha + _EPSILON))


def alpha_of_scale(value):
    """Undo :func:`scale_of_alpha`, clipped to [0, 1]."""
    odds = np.exp(np.minimum(value, 50.0))
    alpha = np.clip((odds * (1 + _EPSILON) - _EPSILON) / (1 + odds), 0.0, 1.0)
    return np.where(alpha < 1e-12, 0.0, alpha)[()]  # rounding may miss 0 by a hair


def summarize(counts, samples):
    """What a sample shows of alpha without its truth.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    samples : tuple of ndarray
        Labeled and unlabeled scores; of many, evenly spaced ones are enough.

    Returns
    -------
    dict
        ``n_labeled``, ``n_unlabeled``, ``separation`` (uncorrected area under the ROC curve), the estimates of the
        members of the consensus by name, ``consensus``, and ``bound_0.5`` to ``bound_0.975``, the guaranteed upper
        bounds at these confidences.
    """
    estimates = {name: float(member(*samples).value) for name, member in MEMBERS.items()}
    return {
        "n_labeled": counts.n_labeled,
        "n_unlabeled": counts.n_unlabeled,
        "separation": float(np.trapezoid(counts.tpr_pu, counts.fpr_pu)),
        **estimates,
        "consensus": consensus_of(estimates.values()),
        **{f"bound_{level:g}": largest_alpha(counts, confidence=level) for level in _BOUNDS},
    }


def tells(n_labeled, n_unlabeled, separation):
    """Whether labeled examples score significantly higher than unlabeled ones (one-sided, 5 %).

    Parameters
    ----------
    n_labeled, n_unlabeled : int or array-like
    separation : float or array-like
        Uncorrected area under the ROC curve.

    Returns
    -------
    bool or ndarray of bool
        If not, no alpha can be told from the scores.
    """
    n, m = np.asarray(n_labeled, dtype=np.float64), np.asarray(n_unlabeled, dtype=np.float64)
    return separation >= 0.5 + 1.645 * np.sqrt((n + m + 1) / (12 * n * m))


def features_of(summary):
    """Features of the regression, in the order of :data:`FEATURES`.

    Parameters
    ----------
    summary : mapping
        From :func:`summarize`; a DataFrame gives one row per sample.

    Returns
    -------
    ndarray of shape (len(FEATURES),) or (len(FEATURES), n_samples)
    """
    center = scale_of_alpha(summary["consensus"])
    members = np.array([scale_of_alpha(summary[name]) for name in MEMBERS])
    separation = np.clip(summary["separation"], 0.5, 0.995)
    return np.array(
        [
            np.ones_like(center),
            -np.log(2 * (1 - separation)),
            np.log(np.asarray(summary["n_labeled"]) / 200),
            np.log(np.asarray(summary["n_unlabeled"]) / 2000),
            center,
            scale_of_alpha(summary["bound_0.5"]) - center,
            members.std(axis=0),
        ]
    )


def fit_table(pool, *, levels=LEVELS, version=1):
    """Fit the table to samples whose alpha is known.

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
        Ready for JSON: ``version``, ``features``, ``families``, ``samples`` and, by level, coefficients ``lower`` and
        ``upper`` and the ``margin``, None where there are too few families for the level.

    References
    ----------
    Romano, Patterson & Candes (2019), "Conformalized quantile regression"; Dunn, Wasserman & Ramdas (2022),
    "Distribution-free prediction sets for two-layer hierarchical models", for the weights of families.
    """
    errors, features, weights, families = _prepared(pool)
    table = {"version": version, "features": list(FEATURES), "families": len(set(families)), "samples": len(pool)}
    table["levels"] = {}
    for level in levels:
        lower, upper = (_regression(features, errors, weights, tail) for tail in ((1 - level) / 2, (1 + level) / 2))
        scores = np.full(len(errors), np.nan)
        for fold in range(min(_FOLDS, len(set(families)))):
            rest = np.searchsorted(np.unique(families), families) % _FOLDS != fold
            ends = [
                _regression(features[:, rest], errors[rest], weights[rest], tail) @ features[:, ~rest]
                for tail in ((1 - level) / 2, (1 + level) / 2)
            ]
            scores[~rest] = _misses(errors[~rest], *ends)
        table["levels"][f"{level:g}"] = {
            "lower": lower.tolist(),
            "upper": upper.tolist(),
            "margin": _margin(scores, weights, level, len(set(families))),
        }
    return table


def quantiles(summary, table=None):
    """Calibrated ends for alpha, by level.

    Parameters
    ----------
    summary : mapping
        From :func:`summarize`: separation, numbers of examples, estimates and upper bounds.
    table : dict, optional
        From :func:`fit_table`; the one of the package by default.

    Returns
    -------
    dict of float to (float, float)
        Nested intervals of alpha by confidence, each within 0 and its guaranteed bound.
    """
    table = read_table() if table is None else table
    center, features = scale_of_alpha(summary["consensus"]), features_of(summary)
    ends, inner = {}, None
    for level, entry in sorted(table["levels"].items(), key=lambda item: float(item[0])):
        low, high = (np.dot(entry[side], features) for side in ("lower", "upper"))
        if entry["margin"] is None:
            lower, upper = np.zeros_like(center), np.ones_like(center)
        else:
            room = entry["margin"] * np.maximum(high - low, _LEAST_SCALE)
            lower, upper = alpha_of_scale(center + low - room), alpha_of_scale(center + high + room)
        blind = ~tells(summary["n_labeled"], summary["n_unlabeled"], summary["separation"])
        upper = np.minimum(np.where(blind, 1.0, np.maximum(lower, upper)), summary[_bound_of(level)])
        lower = np.where(blind, 0.0, np.minimum(lower, upper))
        if inner is not None:
            lower, upper = np.minimum(lower, inner[0]), np.maximum(upper, inner[1])
        inner = ends[float(level)] = (lower, upper)
    return ends


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

    parts = []
    for family, rows in pool.groupby("family", sort=True):
        ends = quantiles(rows, fit_table(pool[pool["family"] != family], levels=levels))
        columns = {f"{side}_{level:g}": pair[i] for level, pair in ends.items() for i, side in enumerate(_SIDES)}
        parts.append(pd.DataFrame(columns, index=rows.index))
    return pd.concat(parts).loc[pool.index]


@cache
def read_table():
    """Return the table of the package, as :func:`fit_table` gives it."""
    return json.loads(files("pumetrics.priors").joinpath("calibration.json").read_text(encoding="utf-8"))


_SIDES = ("lower", "upper")


def _bound_of(level):
    """Key of the guaranteed bound that an interval does not exceed: that which fails with half of its level."""
    return f"bound_{(1 + float(level)) / 2:g}"


def _prepared(pool):
    """Errors on the scale, features, weights by which families count the same, and families."""
    families = pool["family"].to_numpy()
    sizes = pool.groupby("family")["alpha"].transform("size").to_numpy()
    errors = scale_of_alpha(pool["alpha"]) - scale_of_alpha(pool["consensus"])
    return errors, features_of(pool), 1 / sizes, families


def _regression(features, errors, weights, tail):
    """Coefficients of a weighted linear quantile regression with a small L1 penalty, from its dual linear program."""
    from scipy.optimize import linprog

    share = weights / weights.sum()
    slopes, free = features[1:], np.full(len(features) - 1, _PENALTY)
    solved = linprog(
        -errors,
        A_ub=np.concatenate([slopes, -slopes]),
        b_ub=np.concatenate([free, free]),
        A_eq=features[:1],
        b_eq=[0.0],
        bounds=np.transpose([(tail - 1) * share, tail * share]),
        method="highs-ds",
    )
    above, below = np.split(solved.ineqlin.marginals, 2)
    return -np.append(solved.eqlin.marginals, above - below)


_PENALTY = 0.002
_FOLDS = 10  # of whole families, for the margins


def _misses(errors, low, high):
    """By how many widths an error lies outside its interval; negative inside."""
    return np.maximum(low - errors, errors - high) / np.maximum(high - low, _LEAST_SCALE)


def _margin(scores, weights, level, n_families):
    """Weighted quantile of the misses, with one more family at infinity; None if it lies there."""
    order = np.argsort(scores)
    reached = np.cumsum(weights[order]) / (n_families + 1)
    place = np.searchsorted(reached, level - 1e-12)
    return None if place == len(scores) else float(scores[order][place])
