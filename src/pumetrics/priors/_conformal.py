"""Weighted quantiles of the errors of known samples near a new one, and the margin that makes them hold."""

import numpy as np

__all__ = ["LEAST_WIDTH", "least_margin", "misses", "near_quantiles", "near_weights"]

LEAST_WIDTH = 0.1
"""Margins are measured in widths of an interval, of which the narrowest count as this."""


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


def near_quantiles(errors, weights, levels):
    """Ends of the middle of weighted errors.

    Parameters
    ----------
    errors : ndarray of shape (n_known,)
    weights : ndarray of shape (n_new, n_known)
    levels : sequence of float
        Shares of the weight between the ends.

    Returns
    -------
    dict of float to (ndarray, ndarray)
        Lower and upper ends by level, of shape (n_new,).
    """
    order = np.argsort(errors)
    reached = np.cumsum(weights[:, order], axis=1)
    reached /= reached[:, -1:]
    last = len(errors) - 1

    def quantile(tail):
        return errors[order][np.minimum((reached < tail).sum(axis=1), last)]

    return {level: (quantile((1 - level) / 2), quantile((1 + level) / 2)) for level in levels}


def misses(errors, low, high):
    """By how many widths an error lies outside its interval; negative inside."""
    return np.maximum(low - errors, errors - high) / np.maximum(high - low, LEAST_WIDTH)


def least_margin(scores, weights, level, n_families):
    """Weighted quantile of the misses, with one more family at infinity; None if it lies there."""
    order = np.argsort(scores)
    reached = np.cumsum(weights[order]) / (n_families + 1)
    place = np.searchsorted(reached, level - 1e-9)
    return None if place == len(scores) else float(scores[order][place])
