"""The scores behind counts, as estimators of priors take them."""

import numpy as np

__all__ = ["samples_of"]

# Estimators of priors see at most this many evenly spaced quantiles of either sample: what they cannot tell from ten
# thousand scores is a matter of their assumptions, not of more scores.
_MOST_SCORES = 10_000


def samples_of(counts):
    """Labeled and unlabeled scores behind counts, descending; of many only evenly spaced ones.

    Parameters
    ----------
    counts : Counts

    Returns
    -------
    labeled, unlabeled : ndarray
    """
    return tuple(_spread(counts.thresholds, count) for count in (counts.labeled, counts.unlabeled))


def _spread(thresholds, count):
    size = int(count[-1])
    places = np.arange(size)
    if size > _MOST_SCORES:
        places = ((np.arange(_MOST_SCORES) + 0.5) * size / _MOST_SCORES).astype(np.int64)
    return thresholds[np.searchsorted(count, places, side="right")]
