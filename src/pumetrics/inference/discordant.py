"""Inversions of rankings: pairs of models in the wrong order."""

import numpy as np

__all__ = ["inversion_rate", "inversions"]

# Up to this many models all pairs are compared at once, which needs no compiled code. Counting by merging is twice as
# fast at 100 models, six times at 300.
_PAIRWISE_LIMIT = 64
# Bytes of the largest temporary of the pairwise comparison: it fits into the cache of one core.
_BLOCK_BYTES = 1 << 19


def inversions(truth, estimate):
    """Count the pairs of models that the estimate ranks in the wrong order.

    A pair counts if it is strictly discordant: one model is truly better, and the other has the higher estimate. Pairs
    tied in either do not count.

    Parameters
    ----------
    truth, estimate : array-like of shape (..., n_models)
        True and estimated scores, any finite numbers. Leading axes are batches (data sets, label frequencies) and
        broadcast against each other.

    Returns
    -------
    int or ndarray of int64
        Between 0 and n_models (n_models - 1) / 2; an array of the batch's shape if the input has more than one axis.

    Raises
    ------
    ValueError
        If the numbers of models differ, there is none, or a score is NaN or infinite.

    Notes
    -----
    Batches of few models are compared pair by pair; longer rankings take O(n log n).

    References
    ----------
    Tabatabaei, Klein & Hoogendoorn (2020), Section 5.2.

    Examples
    --------
    >>> inversions([0.2, 0.5, 0.9], [0.3, 0.1, 0.8])
    1
    >>> inversions([0.2, 0.5, 0.9], [[0.2, 0.5, 0.9], [0.9, 0.5, 0.2], [0.4, 0.4, 0.4]])
    array([0, 3, 0])
    """
    truth, estimate = _check_rankings(truth, estimate)
    if truth.shape[-1] <= _PAIRWISE_LIMIT:
        count = _inversions_by_pairs(truth, estimate)
    else:
        count = _inversions_by_merging(truth, estimate)
    return int(count) if count.ndim == 0 else count


def inversion_rate(truth, estimate):
    """Compute the share of all pairs of models that the estimate ranks in the wrong order.

    Parameters
    ----------
    truth, estimate : array-like of shape (..., n_models)
        As in :func:`inversions`; at least two models.

    Returns
    -------
    float or ndarray of float64
        Inversions divided by n_models (n_models - 1) / 2, in [0, 1].

    Raises
    ------
    ValueError
        As :func:`inversions`, and if there are fewer than two models.

    References
    ----------
    Tabatabaei, Klein & Hoogendoorn (2020), Section 5.2.

    Examples
    --------
    >>> inversion_rate([1, 2, 3, 4], [2, 1, 4, 3])
    0.3333333333333333
    """
    n_models = np.shape(truth)[-1] if np.ndim(truth) else 0
    if n_models < 2:
        raise ValueError(f"inversion_rate needs at least 2 models to compare, got {n_models}")
    return inversions(truth, estimate) / (n_models * (n_models - 1) / 2)


def _check_rankings(truth, estimate):
    """Return both as broadcast float64 arrays of at least one axis, the last one the models."""
    arrays = []
    for name, given in (("truth", truth), ("estimate", estimate)):
        array = np.asarray(given, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] == 0:
            raise ValueError(
                f"{name} must hold at least one model's score, got shape {array.shape}"
            )
        bad = ~np.isfinite(array)
        if bad.any():
            raise ValueError(
                f"{name} must be finite, got {array[bad][0]} at position {np.argwhere(bad)[0].tolist()}"
            )
        arrays.append(array)
    if arrays[0].shape[-1] != arrays[1].shape[-1]:
        raise ValueError(
            f"truth has {arrays[0].shape[-1]} models, estimate has {arrays[1].shape[-1]}"
        )
    return np.broadcast_arrays(*arrays)


def _inversions_by_pairs(truth, estimate):
    """Compare all pairs of each batch, a few batches at a time so that the comparison stays in the cache."""
    *shape, n_models = truth.shape
    truth = truth.reshape(-1, n_models)
    estimate = estimate.reshape(-1, n_models)
    count = np.empty(len(truth), dtype=np.int64)
    step = max(1, _BLOCK_BYTES // n_models**2)
    for start in range(0, len(truth), step):
        t = truth[start : start + step]
        e = estimate[start : start + step]
        wrong = t[:, :, None] > t[:, None, :]
        wrong &= e[:, :, None] < e[:, None, :]
        count[start : start + step] = np.count_nonzero(wrong.reshape(len(t), -1), axis=1)
    return count.reshape(shape)


def _inversions_by_merging(truth, estimate):
    """Count them while sorting the estimates of each batch from the order of the truth."""
    from pumetrics.inference.merging import count  # numba takes long to import

    *shape, n_models = truth.shape
    rows = (
        np.ascontiguousarray(each.reshape(-1, n_models), dtype=np.float64)
        for each in (truth, estimate)
    )
    return count(*rows).reshape(shape)
