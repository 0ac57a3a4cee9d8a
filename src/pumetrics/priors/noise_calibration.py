"""How far estimates of alpha and beta are off where labels may be wrong, and the intervals that follow.

As :mod:`pumetrics.priors.calibration`, for two numbers at once: samples with known alpha and beta that look like a new
one say how far each estimate was off, each on its own scale; one margin makes both intervals hold together. That is
experience with other data sets, not a theorem.
"""

import json
from functools import cache, partial
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from pumetrics.priors._conformal import fit, interpolated, near_weights, nested, separation_place
from pumetrics.priors.calibration import LEVELS, alpha_of_scale, scale_of_alpha, tells
from pumetrics.priors.from_counts import samples_of
from pumetrics.priors.noise import MOST_SHARE, largest_shares, summarize_noise

__all__ = [
    "CalibratedPriors",
    "calibrated_priors",
    "fit_noise_table",
    "has_noise_table",
    "noise_of_scale",
    "noise_quantiles",
    "read_noise_table",
    "scale_of_noise",
]

# In standard deviations. Features, center and bandwidth have the least pinball loss of six quantiles on families left
# out: without one of the features, with the sample size or the bounds, or with the plateau as center it is higher.
_BANDWIDTH = 0.3
_EPSILON = 0.02  # noise below that is hard to tell from none
_NAME = "noise_calibration.json"
_SIDES = ("alpha", "noise")


def scale_of_noise(noise):
    """Map 1 - beta to the scale of its errors, a logit that stays finite at 0 and 1."""
    noise = np.asarray(noise, dtype=np.float64)
    return np.log((noise + _EPSILON) / (1 - noise + _EPSILON))


def noise_of_scale(value):
    """Undo :func:`scale_of_noise`, clipped to [0, 1]."""
    odds = np.exp(np.minimum(value, 50.0))
    noise = np.clip((odds * (1 + _EPSILON) - _EPSILON) / (1 + odds), 0.0, 1.0)
    return np.where(noise < 1e-12, 0.0, noise)[()]


_SCALES = {"alpha": (scale_of_alpha, alpha_of_scale), "noise": (scale_of_noise, noise_of_scale)}


def fit_noise_table(pool, *, levels=LEVELS, version=1):
    """Fit a table to samples whose alpha and beta are known.

    Parameters
    ----------
    pool : pandas.DataFrame
        A row per sample: ``family``, the true ``alpha`` and ``beta``, and the entries of
        :func:`pumetrics.priors.noise.summarize_noise`.
    levels : sequence of float
        Confidences.
    version : int
        Of the table.

    Returns
    -------
    dict
        As :func:`pumetrics.priors.calibration.fit_table`, with ``errors`` of "alpha" and of "noise" (1 - beta); the
        margins make both hold at once.
    """
    truths = {"alpha": pool["alpha"], "noise": 1 - pool["beta"]}
    errors = {side: _SCALES[side][0](truths[side]) - _center(pool, side) for side in _SIDES}
    return fit(pool, _places(pool), errors, _BANDWIDTH, levels=levels, version=version)


def noise_quantiles(summary, table=None):
    """Calibrated ends for alpha and for 1 - beta, by level.

    Parameters
    ----------
    summary : mapping
        From :func:`pumetrics.priors.noise.summarize_noise`.
    table : dict, optional
        From :func:`fit_noise_table`; the one of the package by default.

    Returns
    -------
    dict of str to dict of float to (float, float)
        By "alpha" and "noise": nested intervals by confidence, each within 0 and its bound.
    """
    table = read_noise_table() if table is None else table
    places = _places(summary)
    near = near_weights(table, places.reshape(len(places), -1), _BANDWIDTH)
    blind = ~tells(summary["n_labeled"], summary["n_unlabeled"], summary["separation"])
    bounds = {side: partial(_bound, summary, side) for side in _SIDES}
    return {
        side: nested(
            table["errors"][side], table["margins"], near, center=_center(summary, side), undo=_SCALES[side][1],
            blind=blind, bound=bounds[side],
        )
        for side in _SIDES
    }  # fmt: skip


def _bound(summary, side, level):
    """Guaranteed upper bound that fails with half of a level."""
    return summary[f"{'share' if side == 'alpha' else 'noise'}_{(1 + level) / 2:g}"]


class CalibratedPriors(NamedTuple):
    """Calibrated ranges of alpha and of 1 - beta for a sample, and how they go together."""

    summary: dict
    """See :func:`pumetrics.priors.noise.summarize_noise`."""
    ends: dict
    """See :func:`noise_quantiles`."""
    ranks: np.ndarray
    """Ranks in (0, 1) of the errors of both in samples like this one, shape (n_known, 2)."""
    weights: np.ndarray
    """Of those samples, shape (n_known,); their sum is 1."""
    counts: object
    """Features of the scores that determine the interval."""

    @property
    def center(self):
        """Alpha and beta in the middle of their ranges, on the scales of the errors."""
        alpha, noise = (float(self._quantile(side, 0.5)) for side in _SIDES)
        return alpha, 1 - noise

    def intervals(self, confidence):
        """Ends of alpha and of beta that hold together; beyond the table's confidence, those of the bounds.

        Returns
        -------
        alpha, beta : tuple of (float, float)
        """
        tail = (1 - confidence) / 2
        if confidence > max(LEVELS) + 1e-12:
            alpha, noise = _bounds(self.counts, confidence)
            return (0.0, alpha), (1 - noise, 1.0)
        alpha, noise = (self._quantile(side, np.array([tail, 1 - tail])) for side in _SIDES)
        return tuple(map(float, alpha)), (1 - float(noise[1]), 1 - float(noise[0]))

    def draw(self, size, rng):
        """Pairs of alpha and beta as the calibration distributes them, stratified, in random order.

        Parameters
        ----------
        size : int
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of shape (size, 2)
            Each possible: alpha / beta and (1 - beta) / (1 - alpha) are within their bounds.
        """
        places = (np.arange(size) + 0.5) / size
        order = np.argsort(self.ranks[:, 0])
        rows = order[np.minimum(np.searchsorted(np.cumsum(self.weights[order]), places), len(order) - 1)]
        alpha, noise = self._quantile("alpha", places), self._quantile("noise", self.ranks[rows, 1])
        share_most, noise_most = (min(self.summary[f"{side}_0.975"], MOST_SHARE) for side in ("share", "noise"))
        alpha = np.minimum(alpha, share_most * (1 - noise))
        noise = np.minimum(noise, noise_most * (1 - alpha))
        return np.column_stack([alpha, 1 - noise])[rng.permutation(size)]

    def _quantile(self, side, probability):
        scale, undo = _SCALES[side]
        return interpolated(self.ends[side], probability, scale=scale, undo=undo)


def calibrated_priors(counts, table=None, *, shares=None):
    """Calibrated ranges of alpha and beta from counts.

    Parameters
    ----------
    counts : Counts
        Of at least two distinct scores.
    table : dict, optional
        From :func:`fit_noise_table`; the one of the package by default.
    shares : tuple of Share, optional
        The consensus on these counts both ways, if it is there already.

    Returns
    -------
    CalibratedPriors

    Raises
    ------
    ValueError
        If there is no table.
    """
    table = read_noise_table() if table is None else table
    summary = summarize_noise(counts, samples_of(counts), shares=shares)
    weights = near_weights(table, _places(summary)[:, None], _BANDWIDTH)[0]
    weights = weights / weights.sum()
    ranks = np.column_stack([_ranks(np.array(table["errors"][side]), weights) for side in _SIDES])
    return CalibratedPriors(summary, noise_quantiles(summary, table), ranks, weights, counts)


def has_noise_table():
    """Whether the package holds a table for label noise."""
    return files("pumetrics.priors").joinpath(_NAME).is_file()


@cache
def read_noise_table():
    """Return the table of the package, with its ``coverage`` on families left out; ValueError if there is none."""
    if not has_noise_table():
        raise ValueError(
            "there is no calibrated interval with label noise: it needs a table of samples with known noise, which "
            "this package does not contain; use uncertainty='guaranteed', or 'sampling', which accounts for sampling "
            "error only"
        )
    return json.loads(files("pumetrics.priors").joinpath(_NAME).read_text(encoding="utf-8"))


def _bounds(counts, confidence):
    """Bounds of alpha and of 1 - beta that hold together."""
    return largest_shares(counts, samples_of(counts), confidence=(1 + confidence) / 2)


def _center(summary, side):
    estimate = summary["alpha_estimate"] if side == "alpha" else 1 - np.asarray(summary["beta_estimate"])
    return _SCALES[side][0](estimate)


def _places(summary):
    """Separation and both estimates on scales on which distances mean the same everywhere: (3,) or (3, n_samples)."""
    return np.array([separation_place(summary), *(_center(summary, side) for side in _SIDES)])


def _ranks(errors, weights):
    """Weighted mid-ranks in (0, 1); equal errors share theirs."""
    values, place = np.unique(errors, return_inverse=True)
    mass = np.bincount(place, weights, len(values))
    return (np.cumsum(mass) - mass / 2)[place]
