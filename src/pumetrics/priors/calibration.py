"""How far estimates are off on data whose priors are known, and the intervals that follow.

A table holds samples with known priors from many data sets. For a new sample, those weigh most that separate labeled
from unlabeled examples as well and have the same estimates; weighted quantiles of their errors give the ends of
intervals for 50, 80 and 95%, and a margin makes these hold on data sets that were left out (conformal prediction).
Related data sets form a family; families weigh equally, and one more represents unseen families.

There are two tables: of alpha for clean labels, and of alpha and 1 - beta where labels may be wrong. In the second each
number has errors on its own scale, and one margin makes both intervals hold together. Both are experience with other
data sets, not a theorem.
"""

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from pumetrics.counts import Counts
from pumetrics.priors.estimate import estimate_shares, samples_of, spread_of_area
from pumetrics.priors.types import priors_of
from pumetrics.priors.upper_bound import MOST_SHARE, largest_alpha, largest_shares

__all__ = [
    "LEAST_WIDTH",
    "LEVELS",
    "CalibratedPriors",
    "alpha_of_scale",
    "calibrated_priors",
    "estimate_on_scale",
    "near_quantiles",
    "nearness",
    "places_of",
    "quantiles",
    "read_table",
    "scale_of_alpha",
    "scale_of_share",
    "summarize",
    "tells",
]

LEVELS = (0.5, 0.8, 0.95)
"""Confidences of the tables."""

# In standard deviations. Features, center and kernel were chosen by the pinball loss of quantiles on families left out.
# For clean labels sample sizes, the spread of the members and the guaranteed bound did not lower it, nor did linear
# quantile regression or a forest; of two bandwidths with about the same loss this one has the better interval score at
# 95%. For noisy ones it is higher without one of the features, with the sample size or the bounds, or with the plateau
# as center.
_BANDWIDTH = {False: 0.2, True: 0.3}  # by whether labels may be wrong
# Smaller shares are indistinguishable from none in samples of some thousands.
_EPSILON = {"alpha": 0.002, "noise": 0.02}
# prefix of the bounds in a summary, if labels may be wrong
_BOUNDS = {
    "alpha": "share",
    "noise": "noise",
}
_FEWEST = (
    10  # examples of either kind, below which the normal approximation of the area says nothing
)
LEAST_WIDTH = (
    0.1  # margins are measured in widths of an interval, of which the narrowest count as this
)


def scale_of_alpha(alpha, *, epsilon=_EPSILON["alpha"]):
    """Map alpha to the scale of the errors: a logit that stays finite at 0 and 1."""
    alpha = np.asarray(alpha, dtype=np.float64)
    return np.log((alpha + epsilon) / (1 - alpha + epsilon))


def alpha_of_scale(value, *, epsilon=_EPSILON["alpha"]):
    """Undo :func:`scale_of_alpha`, clipped to [0, 1]."""
    odds = np.exp(np.minimum(value, 50.0))
    alpha = np.clip((odds * (1 + epsilon) - epsilon) / (1 + odds), 0.0, 1.0)
    return np.where(alpha < 1e-12, 0.0, alpha)[()]  # rounding may miss 0 by a hair


def summarize(counts, samples, *, noisy=False, shares=None):
    """What a sample shows of alpha, and of beta if labels may be wrong, without their truth.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    samples : tuple of ndarray
        Labeled and unlabeled scores; of many, evenly spaced ones are enough.
    noisy : bool
        Whether labels may be wrong.
    shares : tuple of Share, optional
        The consensus on these samples, both ways if `noisy`, if it is there already.

    Returns
    -------
    dict
        ``n_labeled``, ``n_unlabeled`` and ``separation`` (uncorrected area under the ROC curve). For clean labels the
        estimates of the members of the consensus by name, ``consensus``, and ``bound_0.5`` to ``bound_0.975``, the
        guaranteed upper bounds at these confidences. If `noisy`, the members' estimates of the labeled distribution's
        share among the unlabeled (``share_plateau`` and so on) and of the unlabeled one's among the labeled
        (``noise_plateau``), the consensus on both (``share``, ``noise``), the alpha and beta that follow
        (``alpha_estimate``, ``beta_estimate``), and ``share_0.5`` to ``noise_0.975``, the bounds of
        :func:`pumetrics.priors.upper_bound.largest_shares`.
    """
    shares = shares or estimate_shares(*samples, method="consensus", noisy=noisy)
    known = {"n_labeled": counts.n_labeled, "n_unlabeled": counts.n_unlabeled}
    known["separation"] = float(np.trapezoid(counts.tpr_pu, counts.fpr_pu))
    # one side of an interval is its share of the level
    levels = [0.5, *((1 + level) / 2 for level in LEVELS)]
    members = [share.members for share in shares]
    if not noisy:
        bounds = {f"bound_{level:g}": largest_alpha(counts, confidence=level) for level in levels}
        return {**known, **members[0], "consensus": shares[0].value, **bounds}
    sides = ("share", "noise")
    ends = {level: largest_shares(counts, samples, confidence=level) for level in levels}
    known |= {
        f"{side}_{name}": each[name]
        for side, each in zip(sides, members, strict=True)
        for name in each
    }
    known |= {
        side: min(float(each.value), MOST_SHARE) for side, each in zip(sides, shares, strict=True)
    }
    known["alpha_estimate"], known["beta_estimate"] = priors_of((known["share"], known["noise"]))
    return known | {
        f"{side}_{level:g}": ends[level][i] for i, side in enumerate(sides) for level in ends
    }


def tells(n_labeled, n_unlabeled, separation):
    """Whether labeled examples, ten of either kind at least, score significantly higher than unlabeled ones (5%).

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
    n = np.asarray(n_labeled, dtype=np.float64)
    m = np.asarray(n_unlabeled, dtype=np.float64)
    enough = np.minimum(n, m) >= _FEWEST
    return enough & (separation >= 0.5 + 1.645 * spread_of_area(n, m))


def quantiles(summary, table=None, *, noisy=False):
    """Calibrated ends by level.

    Parameters
    ----------
    summary : mapping
        From :func:`summarize`.
    table : dict, optional
        From :func:`pumetrics_workflow.calibration.fit_table`; the one of the package by default.
    noisy : bool
        Whether labels may be wrong.

    Returns
    -------
    dict of str to dict of float to (float, float)
        By "alpha" and, if `noisy`, "noise" (1 - beta): nested intervals by confidence, each within 0 and its bound.
    """
    table = read_table(noisy) if table is None else table
    near = nearness(table, places_of(summary, noisy), noisy)
    blind = ~tells(summary["n_labeled"], summary["n_unlabeled"], summary["separation"])
    margins = {float(level): margin for level, margin in table["margins"].items()}
    ends = {}
    for side in _sides(noisy):
        errors = table["errors"][side] if noisy else table["errors"]
        prefix = _BOUNDS[side] if noisy else "bound"
        estimated = {}
        bounds = {}
        for level, middle in near_quantiles(np.array(errors), near, sorted(margins)).items():
            estimated[level] = _widened(summary, side, middle, margins[level], noisy)
            # bound and estimate fail with half the level each
            bounds[level] = summary[f"{prefix}_{(1 + level) / 2:g}"]
        ends[side] = _nested(estimated, bounds, blind)
    return ends


class CalibratedPriors(NamedTuple):
    """Calibrated ranges of alpha, and of 1 - beta if labels may be wrong, for a sample, and how they go together."""

    summary: dict
    """See :func:`summarize`."""
    ends: dict
    """See :func:`quantiles`."""
    counts: Counts
    """Features of the scores that determine the interval."""
    ranks: np.ndarray | None = None
    """If labels may be wrong, ranks in (0, 1) of both errors in samples like this one, shape (n_known, 2)."""
    weights: np.ndarray | None = None
    """Of those samples, shape (n_known,); their sum is 1."""

    @property
    def noisy(self):
        """Whether labels may be wrong."""
        return "noise" in self.ends

    @property
    def center(self):
        """Alpha and beta in the middle of their ranges on the scales of the errors: the median of similar samples."""
        noise = self.quantile(0.5, "noise") if self.noisy else 0.0
        return float(self.quantile(0.5)), 1 - float(noise)

    def quantile(self, probability, side="alpha"):
        """Quantile of alpha or of 1 - beta, interpolated on the scales of the normal quantile and of the errors.

        Parameters
        ----------
        probability : float or ndarray
            In (0, 1). Beyond the outermost quantile known, that is returned.
        side : {"alpha", "noise"}

        Returns
        -------
        float or ndarray
        """
        known = {}
        for level, (low, high) in self.ends[side].items():
            known[(1 - level) / 2] = low
            known[(1 + level) / 2] = high

        tails = sorted(known)
        values = scale_of_share([known[tail] for tail in tails], side)
        deviate = np.clip(ndtri(probability), ndtri(tails[0]), ndtri(tails[-1]))
        place = np.interp(deviate, ndtri(tails), values)
        if not self.noisy:
            center = np.interp(0.0, ndtri(tails), values)
            place = self._with_sampling_error(place, center, deviate)
        return alpha_of_scale(place, epsilon=_EPSILON[side])

    def _with_sampling_error(self, place, center, deviate):
        """Places on the scale of the errors, farther from the center by the sampling error of alpha itself.

        The pool has few small samples. Of m unlabeled examples alpha m are positive by chance; with few labeled ones
        the variance counts twice. No place moves beyond its guaranteed bound.
        """
        n_labeled = self.summary["n_labeled"]
        n_unlabeled = self.summary["n_unlabeled"]
        alpha = alpha_of_scale(center)
        spread = n_unlabeled * max(alpha * (1 - alpha), 0.25 / n_unlabeled)
        variance = (1 + min(1.0, 10 / n_labeled)) / spread
        moved = center + np.sign(deviate) * np.hypot(place - center, deviate * np.sqrt(variance))

        levels = [0.5, *((1 + level) / 2 for level in LEVELS)]
        bounds = scale_of_alpha([self.summary[f"bound_{level:g}"] for level in levels])
        bound = np.interp(deviate, ndtri(levels), bounds)
        return np.minimum(moved, np.maximum(bound, place))

    def intervals(self, confidence):
        """Ends of alpha and of beta that hold together.

        Alpha has no lower end but 0: with any scores of the unlabeled, all of them may be negative. Beyond the table's
        confidence the others are the guaranteed bounds, or the table's last ends if these reach further.

        Returns
        -------
        alpha, beta : tuple of (float, float)
        """
        tails = np.array([(1 - confidence) / 2, 1 - (1 - confidence) / 2])
        alpha = (0.0, float(self.quantile(tails[1])))
        noise = tuple(map(float, self.quantile(tails, "noise"))) if self.noisy else (0.0, 0.0)
        if confidence > max(self.ends["alpha"]) + 1e-12:
            most = largest_alpha(self.counts, confidence=confidence), 0.0
            if self.noisy:
                most = largest_shares(
                    self.counts, samples_of(self.counts), confidence=(1 + confidence) / 2
                )
            alpha = (0.0, max(alpha[1], most[0]))
            noise = (0.0, max(noise[1], most[1]))
        return alpha, (1 - noise[1], 1 - noise[0])

    def draw(self, size, rng):
        """Pairs of alpha and beta as the calibration distributes them, stratified, in random order.

        Parameters
        ----------
        size : int
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of shape (size, 2)
            Each possible: if labels may be wrong, alpha / beta and (1 - beta) / (1 - alpha) are within their bounds.
        """
        places = (np.arange(size) + 0.5) / size
        alpha = self.quantile(places)
        noise = np.zeros(size)
        most = MOST_SHARE
        if self.noisy:
            order = np.argsort(self.ranks[:, 0], kind="stable")
            reached = np.searchsorted(np.cumsum(self.weights[order]), places)
            rows = order[np.minimum(reached, len(order) - 1)]
            noise = self.quantile(self.ranks[rows, 1], "noise")
            most = min(self.summary["share_0.975"], MOST_SHARE)
            noise_most = min(self.summary["noise_0.975"], MOST_SHARE)

        alpha = np.minimum(alpha, most * (1 - noise))
        if self.noisy:
            noise = np.minimum(noise, noise_most * (1 - alpha))
        return np.column_stack([alpha, 1 - noise])[rng.permutation(size)]


def calibrated_priors(counts, table=None, *, noisy=False, shares=None):
    """Calibrated ranges of alpha, and of beta if labels may be wrong, from counts.

    Parameters
    ----------
    counts : Counts
        Of at least two distinct scores.
    table : dict, optional
        From :func:`pumetrics_workflow.calibration.fit_table`; the one of the package by default.
    noisy : bool
        Whether labels may be wrong.
    shares : tuple of Share, optional
        The consensus on these counts, both ways if `noisy`, if it is there already.

    Returns
    -------
    CalibratedPriors
    """
    table = read_table(noisy) if table is None else table
    summary = summarize(counts, samples_of(counts), noisy=noisy, shares=shares)
    calibrated = CalibratedPriors(summary, quantiles(summary, table, noisy=noisy), counts)
    if not noisy:
        return calibrated
    weights = nearness(table, places_of(summary, noisy), noisy)[0]
    weights = weights / weights.sum()
    ranks = np.column_stack(
        [_ranks(np.array(errors), weights) for errors in table["errors"].values()]
    )
    return calibrated._replace(ranks=ranks, weights=weights)


@cache
def read_table(noisy=False):
    """Return a table of the package, with its ``coverage`` on families left out.

    It is one of :func:`pumetrics_workflow.calibration.fit_table`.
    """
    name = "noise_calibration.json" if noisy else "calibration.json"
    return json.loads(files("pumetrics.priors").joinpath(name).read_text(encoding="utf-8"))


def estimate_on_scale(summary, side, noisy):
    """Estimate of a share on the scale of its errors."""
    if not noisy:
        estimate = summary["consensus"]
    elif side == "alpha":
        estimate = summary["alpha_estimate"]
    else:
        estimate = 1 - np.asarray(summary["beta_estimate"])
    return scale_of_share(estimate, side)


def scale_of_share(share, side):
    """Map alpha or the noise, by the name of the side, to the scale of its errors."""
    return scale_of_alpha(share, epsilon=_EPSILON[side])


def _sides(noisy):
    return ("alpha", "noise") if noisy else ("alpha",)


def places_of(summary, noisy):
    """Separation and estimates on scales on which distances mean the same: (n_features,) or (n_features, n_samples)."""
    separation = np.clip(np.asarray(summary["separation"], dtype=np.float64), 0.5, 0.995)
    centers = [estimate_on_scale(summary, side, noisy) for side in _sides(noisy)]
    return np.array([-np.log(2 * (1 - separation)), *centers])


def nearness(table, places, noisy):
    """Weights, shape (n_new, n_known), of the known samples for new ones at places of shape (n_features, n_new).

    They fall with the sixth power of the distance, so that where no sample is near many count a little.
    """
    known = np.array(table["places"])
    scales = np.array(table["scales"])[:, None]
    places = places.reshape(len(places), -1)
    apart = (places / scales)[:, :, None] - (known / scales)[:, None, :]
    squares = (apart**2).mean(axis=0)
    kernel = (1 + squares / _BANDWIDTH[noisy] ** 2) ** -3.0
    return np.array(table["weights"]) * kernel


def near_quantiles(errors, weights, levels):
    """Ends of the middle of weighted errors by level: the share of the weight between them."""
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(weights[:, order], axis=1)
    reached /= reached[:, -1:]
    last = len(errors) - 1

    def quantile(tail):
        return errors[order][np.minimum((reached < tail).sum(axis=1), last)]

    ends = {}
    for level in levels:
        low = quantile((1 - level) / 2)
        high = quantile((1 + level) / 2)
        ends[level] = (low, high)
    return ends


def _widened(summary, side, errors, margin, noisy):
    """Ends of one level before bounds: the middle of the errors of similar samples, widened by its margin.

    From 0 to 1 if too few families give no margin.
    """
    center = estimate_on_scale(summary, side, noisy)
    low, high = (error.reshape(center.shape) for error in errors)
    if margin is None:
        return np.zeros(center.shape), np.ones(center.shape)
    extra = margin * np.maximum(high - low, LEAST_WIDTH)
    epsilon = _EPSILON[side]
    lower = alpha_of_scale(center + low - extra, epsilon=epsilon)
    upper = alpha_of_scale(center + high + extra, epsilon=epsilon)
    return lower, np.maximum(lower, upper)


def _nested(estimated, bounds, blind):
    """Intervals by ascending level, each within its bound and around the one before.

    From 0 to the bound where the scores tell nothing.
    """
    ends = {}
    inner = (np.inf, -np.inf)
    for level, (lower, upper) in estimated.items():
        upper = np.minimum(np.where(blind, 1.0, upper), bounds[level])
        lower = np.where(blind, 0.0, np.minimum(lower, upper))
        inner = (np.minimum(lower, inner[0]), np.maximum(upper, inner[1]))
        ends[level] = inner
    return ends


def _ranks(errors, weights):
    """Weighted mid-ranks in (0, 1); equal errors share theirs."""
    values, place = np.unique(errors, return_inverse=True)
    mass = np.bincount(place, weights, len(values))
    return (np.cumsum(mass) - mass / 2)[place]
