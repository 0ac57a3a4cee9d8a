"""The priors that a sample is corrected with.

:class:`PriorEstimates` holds the estimates from one sample of counts, each computed when it is first needed;
:func:`plan_priors` makes of them, or of priors that are given, a :class:`PriorPlan`: which alphas and betas a sample
is corrected with.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics.priors import combine_shares
from pumetrics.priors.calibration import LEVELS, CalibratedPriors, calibrated_priors, tells
from pumetrics.priors.estimate import described, estimate_shares, has_order, pair_of, samples_of
from pumetrics.priors.interval import check_telling
from pumetrics.priors.upper_bound import MOST_SHARE, largest_alpha, largest_shares
from pumetrics.rates import usable
from pumetrics.validation import check_random_state

__all__ = [
    "PriorEstimates",
    "PriorPlan",
    "check_estimable",
    "plan_priors",
    "stream_of_priors",
]


def check_estimable(pair):
    """Raise ValueError unless the priors of the sample itself could be estimated."""
    if not usable(*pair):
        raise ValueError(
            "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha, or use "
            "scores of a model that separates them"
        )


def stream_of_priors(random_state):
    """Random numbers of estimators: rows of resamples have the first stream, estimators the second, methods a third."""
    return check_random_state(random_state).spawn(3)[1]


_NONE_HIDDEN = (0.0, 1.0)  # which no scores exclude: intervals take in the one at this pair
_STEPS = 7  # alphas at which an interval over a range is taken
_NOISY_STEPS = 4  # shares of each kind at which one over a region of alpha and beta is taken


class PriorPlan(NamedTuple):
    """Priors that a sample and its resamples are corrected with, and their ranges."""

    estimate: tuple
    """Alpha and beta that the sample itself is corrected with."""
    others: list = ()
    """Further pairs of both over which an interval goes."""
    spans: tuple = (None, None)
    """Ranges of alpha and of beta; None where it is that of the resamples, if there are any."""
    confidence: float = 0.95
    """Of the sampling error: above the nominal confidence if a guaranteed range uses part of the error."""
    calibrated: CalibratedPriors | None = None
    """How the priors are distributed, where that is calibrated."""
    drawn: bool = False
    """Whether each resample draws its priors from the calibrated distribution, and takes the others at its beta."""
    again: bool = False
    """Whether the priors are re-estimated in every resample."""


class PriorEstimates:
    """Estimates of the priors from one sample, each computed once when it is first needed.

    Parameters
    ----------
    counts : Counts
        What estimators see of the sample.
    labels : Labels
        What is known of the labels: beta, the method and the calibration.
    rng : numpy.random.Generator or None
        For methods that draw.
    """

    def __init__(self, counts, labels, rng=None):
        self.counts = counts
        self.labels = labels
        self.rng = rng
        self.noisy = labels.noisy
        self.centered = labels.method == "consensus"

    @cached_property
    def samples(self):
        """Labeled and unlabeled scores; of many, evenly spaced ones."""
        return samples_of(self.counts)

    @cached_property
    def consensus(self):
        """Shares by the consensus of the labeled distribution among the unlabeled."""
        return estimate_shares(
            *self.samples, noisy=self.noisy, random_state=self.rng if self.centered else None
        )

    @cached_property
    def shares(self):
        """The same by the method; if noisy, also those of the unlabeled distribution among the labeled."""
        if self.centered:
            return self.consensus
        return estimate_shares(
            *self.samples, method=self.labels.method, noisy=self.noisy, random_state=self.rng
        )

    @cached_property
    def pair(self):
        """Estimates of alpha and beta; NaN where there are none."""
        if not has_order(self.counts):
            return np.nan, np.nan
        return pair_of(self.shares, self.labels.beta)

    @cached_property
    def described(self):
        """The estimates as if beta was not given, with the diagnostics of the method."""
        return described(self.shares, *self.samples, method=self.labels.method)

    @cached_property
    def calibrated(self):
        """How alpha, or alpha and beta, are distributed in samples like this one."""
        return calibrated_priors(
            self.counts, self.labels.calibration, noisy=self.noisy, shares=self.consensus
        )

    @cached_property
    def separates(self):
        """Whether labeled examples score higher than unlabeled ones: if not, the scores identify nothing."""
        separation = np.trapezoid(self.counts.tpr_pu, self.counts.fpr_pu)
        return bool(tells(self.counts.n_labeled, self.counts.n_unlabeled, separation))


def plan_priors(estimates, labels, *, confidence=0.95, resampled=True):
    """Priors to correct with, given or estimated.

    Parameters
    ----------
    estimates : PriorEstimates
        Not looked at if priors are given.
    labels : Labels
    confidence : float
    resampled : bool
        Whether there are resamples. A guaranteed range and their sampling error may each fail with half of the level.

    Returns
    -------
    PriorPlan

    Raises
    ------
    ValueError
        If priors cannot be estimated.

    Notes
    -----
    The center of a calibrated range takes the place of a consensus, which leans high, and the calibration knows by how
    much. Other estimates are moved into the range, and so is any where the range is a guaranteed one.
    """
    if labels.pairs is not None:
        estimate, *others = labels.pairs
        alphas = [alpha for alpha, _ in labels.pairs]
        return PriorPlan(estimate, others, ((min(alphas), max(alphas)), None), confidence)

    if labels.uncertainty == "sampling":
        check_estimable(estimates.pair)
        return PriorPlan(estimates.pair, confidence=confidence, again=True)

    check_telling(estimates.counts)
    if labels.noisy:
        return _noisy_plan(estimates, labels.uncertainty, confidence)

    calibrated = estimates.calibrated if labels.uncertainty == "calibrated" else None
    learned = calibrated is not None and _is_learned(confidence)
    share = (1 + confidence) / 2 if resampled and not learned else confidence
    center = estimates.pair[0]
    if calibrated is None:
        span = (0.0, largest_alpha(estimates.counts, confidence=share))
    else:
        (span, _) = calibrated.intervals(share)
        if estimates.centered:
            center = calibrated.center[0]

    if resampled:
        span = tuple(min(end, MOST_SHARE) for end in span)
    estimate = (min(max(center, span[0]), span[1], MOST_SHARE), 1.0)
    if learned:
        return PriorPlan(estimate, [_NONE_HIDDEN], (span, None), confidence, calibrated, True)

    alphas = np.linspace(*(min(end, MOST_SHARE) for end in span), _STEPS)
    others = [(float(each), 1.0) for each in np.delete(alphas, _STEPS // 2)]
    return PriorPlan(estimate, others, (span, None), share, calibrated)


def _is_learned(confidence):
    """Whether the calibration knows intervals of a confidence."""
    return confidence <= max(LEVELS) + 1e-12


def _noisy_plan(estimates, uncertainty, confidence):
    """Alphas and betas as the calibration distributes them, or all that bounds allow."""
    if uncertainty == "calibrated" and _is_learned(confidence):
        calibrated = estimates.calibrated
        spans = calibrated.intervals(confidence)
        pair = _within(calibrated.center if estimates.centered else estimates.pair, spans)
        return PriorPlan(pair, [(0.0, pair[1])], spans, confidence, calibrated, True)

    # Region of the priors and sampling error may each fail with half of the level, and so may each bound of the region.
    part = 1 - (1 - confidence) / 4
    largest = largest_shares(estimates.counts, estimates.samples, confidence=part)
    hidden, wrong = (min(share, MOST_SHARE) for share in largest)
    places = np.linspace(0, 1, _NOISY_STEPS)
    pairs = [combine_shares(i * hidden, j * wrong) for i in places for j in places]
    spans = (0.0, hidden), (1 - wrong, 1.0)
    return PriorPlan(_within(estimates.pair, spans), pairs, spans, (1 + confidence) / 2)


def _within(estimate, spans):
    """The estimate, or the middle of the ranges without one, moved into them; alpha stays below beta."""
    pair = [
        float(np.clip(np.mean(span) if np.isnan(value) else value, *span))
        for value, span in zip(estimate, spans, strict=True)
    ]
    return min(pair[0], MOST_SHARE * pair[1]), pair[1]
