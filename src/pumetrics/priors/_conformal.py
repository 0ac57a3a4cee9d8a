"""Calibration of one estimate or several: errors of known samples near a new one, and margins that make them hold."""

import numpy as np
from scipy.special import ndtri

__all__ = ["fit", "interpolated", "near_weights", "nested", "separation_place"]

_LEAST_WIDTH = 0.1  # margins are measured in widths of an interval, of which the narrowest count as this


def fit(pool, places, errors, bandwidth, *, levels, version):
    """Fit a table to known samples.

    Parameters
    ----------
    pool : pandas.DataFrame
        A row per sample, with its ``family``.
    places : ndarray of shape (n_features, n_samples)
    errors : dict of str to ndarray of shape (n_samples,)
        By which of the estimates; one margin makes the intervals of all of them hold together.
    bandwidth : float
        See :func:`near_weights`.
    levels : sequence of float
    version : int

    Returns
    -------
    dict
        See :func:`pumetrics.priors.calibration.fit_table`; its ``errors`` are a dict.
    """
    families = pool["family"].to_numpy()
    n_families = len(set(families))
    table = {
        "version": version,
        "families": n_families,
        "samples": len(pool),
        "scales": np.maximum(places.std(axis=1), 1e-9).tolist(),
        "places": places.round(4).tolist(),
        "errors": {side: np.round(each, 4).tolist() for side, each in errors.items()},
        "weights": (1 / pool.groupby("family")["family"].transform("size")).round(6).tolist(),
    }
    errors, weights = {side: np.array(each) for side, each in table["errors"].items()}, np.array(table["weights"])
    near = near_weights(table, np.array(table["places"]), bandwidth) * (families[:, None] != families)
    ends = {side: _near_quantiles(each, near, levels) for side, each in errors.items()}
    worst = {level: np.max([_misses(errors[side], *ends[side][level]) for side in errors], axis=0) for level in levels}
    table["margins"] = {f"{level:g}": _least_margin(worst[level], weights, level, n_families) for level in levels}
    return table


def nested(errors, margins, near, *, center, undo, blind, bound):
    """Nested intervals of one share, by level.

    Parameters
    ----------
    errors : sequence of float
        Of the known samples, on the scale of the errors.
    margins : dict of str to float or None
        By level; None where there were too few families.
    near : ndarray of shape (n_new, n_known)
        From :func:`near_weights`.
    center : ndarray
        The estimates of the new samples on that scale.
    undo : callable
        From that scale to the share.
    blind : bool or ndarray of bool
        Where the scores tell nothing.
    bound : callable
        Guaranteed upper bound of the share by level.

    Returns
    -------
    dict of float to (ndarray, ndarray)
    """
    levels = sorted(map(float, margins))
    quantiles = _near_quantiles(np.array(errors), near, levels)
    ends, inner = {}, None
    for level in levels:
        low, high = (error.reshape(center.shape) for error in quantiles[level])
        margin = margins[f"{level:g}"]
        unidentified = blind | (margin is None)
        room = (margin or 0.0) * np.maximum(high - low, _LEAST_WIDTH)
        lower, upper = undo(center + low - room), undo(center + high + room)
        upper = np.minimum(np.where(unidentified, 1.0, np.maximum(lower, upper)), bound(level))
        lower = np.where(unidentified, 0.0, np.minimum(lower, upper))
        if inner is not None:
            lower, upper = np.minimum(lower, inner[0]), np.maximum(upper, inner[1])
        inner = ends[level] = (lower, upper)
    return ends


def interpolated(ends, probability, *, scale, undo):
    """Quantile between nested intervals, on the scales of the normal quantile and of the errors.

    Parameters
    ----------
    ends : dict of float to (float, float)
        From :func:`nested`, of one sample.
    probability : float or ndarray
        In (0, 1). Beyond the outermost quantile known, that is returned.
    scale, undo : callable
        To the scale of the errors and back.

    Returns
    -------
    float or ndarray
    """
    levels = sorted(ends)
    tails = [(1 - level) / 2 for level in reversed(levels)] + [(1 + level) / 2 for level in levels]
    values = [ends[level][0] for level in reversed(levels)] + [ends[level][1] for level in levels]
    return undo(np.interp(ndtri(probability), ndtri(tails), scale(np.array(values, dtype=np.float64))))


def separation_place(summary):
    """Uncorrected area under the ROC curve, on a scale on which distances mean the same everywhere."""
    return -np.log(2 * (1 - np.clip(np.asarray(summary["separation"], dtype=np.float64), 0.5, 0.995)))


def near_weights(table, places, bandwidth):
    """Weights of known samples for new ones.

    They fall with the sixth power of the distance, so that where no sample is near many count a little.

    Parameters
    ----------
    table : mapping
        ``places`` of shape (n_features, n_known), ``scales`` of shape (n_features,) and ``weights`` of shape (n_known,)
        of the known samples.
    places : ndarray of shape (n_features, n_new)
    bandwidth : float
        In units of the scales.

    Returns
    -------
    ndarray of shape (n_new, n_known)
    """
    known, scales = np.array(table["places"]), np.array(table["scales"])[:, None]
    squares = (((places / scales)[:, :, None] - (known / scales)[:, None, :]) ** 2).mean(axis=0)
    return np.array(table["weights"]) * (1 + squares / bandwidth**2) ** -3.0


def _near_quantiles(errors, weights, levels):
    """Ends of the middle of weighted errors by level: the share of the weight between them."""
    order = np.argsort(errors)
    reached = np.cumsum(weights[:, order], axis=1)
    reached /= reached[:, -1:]
    last = len(errors) - 1

    def quantile(tail):
        return errors[order][np.minimum((reached < tail).sum(axis=1), last)]

    return {level: (quantile((1 - level) / 2), quantile((1 + level) / 2)) for level in levels}


def _misses(errors, low, high):
    """By how many widths an error lies outside its interval; negative inside."""
    return np.maximum(low - errors, errors - high) / np.maximum(high - low, _LEAST_WIDTH)


def _least_margin(scores, weights, level, n_families):
    """Weighted quantile of the misses, with one more family at infinity; None if it lies there."""
    order = np.argsort(scores)
    reached = np.cumsum(weights[order]) / (n_families + 1)
    place = np.searchsorted(reached, level - 1e-9)
    return None if place == len(scores) else float(scores[order][place])
