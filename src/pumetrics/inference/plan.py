"""The prior plan: which alphas and betas a sample is corrected with.

:class:`PriorEstimates` holds the estimates of priors from one sample of counts, each computed when it is first needed.
:func:`plan_priors` makes of them, or of priors that are given, a :class:`PriorPlan`.
"""

from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics._validation import check_random_state
from pumetrics.inference.designs import scores_of_sample
from pumetrics.inference.request import Labels
from pumetrics.inference.selection import reweighted
from pumetrics.metrics import clipped
from pumetrics.priors import combine_shares
from pumetrics.priors.calibration import LEVELS, CalibratedPriors, calibrated_priors, tells
from pumetrics.priors.estimate import described, estimate_shares
from pumetrics.priors.from_counts import has_order, pair_of, priors_from_counts, samples_of
from pumetrics.priors.interval import check_telling
from pumetrics.priors.upper_bound import MOST_SHARE, largest_alpha, largest_shares

__all__ = [
    "PriorEstimates", "PriorPlan", "check_enough", "check_estimable", "plan_priors", "scores_over", "selected_priors",
    "stream_of_priors",
]  # fmt: skip


def check_estimable(pairs):
    """Raise ValueError unless the priors of the sample itself could be estimated."""
    if not all(0 <= low < high <= 1 for low, high in pairs):  # also catches NaN
        raise ValueError(
            "the priors cannot be estimated: the labeled and the unlabeled sample look alike; give alpha, or use "
            "scores of a model that tells them apart"
        )


def check_enough(n_used, n_bootstrap):
    """Raise ValueError if fewer than half of the resamples gave priors."""
    if 2 * n_used < n_bootstrap:
        raise ValueError(
            f"the priors could be estimated in {n_used} of {n_bootstrap} resamples only: give alpha, or another method"
        )


def stream_of_priors(random_state):
    """Random numbers of estimators: rows of resamples have the first stream, estimators the second, methods a third."""
    return check_random_state(random_state).spawn(3)[1]


_STEPS = 7  # alphas at which an interval over a range is taken
_NOISY_STEPS = 4  # shares of each kind at which an interval over a region of alpha and beta is taken


class PriorPlan(NamedTuple):
    """Priors that a sample and its resamples are corrected with, and their ranges."""

    pairs: list
    """Of alpha and beta, over which an interval goes; the one in the middle is the estimate."""
    spans: tuple = (None, None)
    """Ranges of alpha and of beta; None where it is that of the resamples, if there are any."""
    confidence: float = 0.95
    """Of the sampling error: above the nominal confidence if a guaranteed range uses part of the error."""
    calibrated: CalibratedPriors | None = None
    """How the priors are distributed, where that is calibrated; resamples draw from it if there is one pair only."""
    again: bool = False
    """Whether the priors are re-estimated in every resample."""

    @property
    def pair(self):
        """Alpha and beta that the sample itself is corrected with."""
        return self.pairs[len(self.pairs) // 2]

    @property
    def is_drawn(self):
        """Whether every resample is corrected with a pair of its own, drawn from the calibrated distribution."""
        return self.calibrated is not None and len(self.pairs) == 1


class PriorEstimates:
    """Estimates of the priors from one sample, each computed once when it is first needed.

    Parameters
    ----------
    counts : Counts
        What estimators see of the sample.
    labels : Labels, optional
        What is known of the labels: beta, the method and the calibration.
    rng : numpy.random.Generator or None
        For methods that draw.
    """

    def __init__(self, counts, labels=None, rng=None):
        self.counts, self.labels, self.rng = counts, labels or Labels(), rng
        self.noisy, self.centered = self.labels.noisy, self.labels.method == "consensus"
        self._selected = {1: self}

    @cached_property
    def samples(self):
        """Labeled and unlabeled scores; of many, evenly spaced ones."""
        return samples_of(self.counts)

    @cached_property
    def shares(self):
        """What the method finds: shares of the labeled distribution among the unlabeled and, if noisy, vice versa."""
        return estimate_shares(*self.samples, method=self.labels.method, noisy=self.noisy, random_state=self.rng)

    @cached_property
    def consensus(self):
        """The same by the consensus, whose members are its evidence."""
        return self.shares if self.centered else estimate_shares(*self.samples, noisy=self.noisy)

    @cached_property
    def pair(self):
        """Estimates of alpha and beta; NaN where there are none."""
        if not has_order(self.counts):
            return np.nan, np.nan
        return pair_of(self.shares, self.labels.beta)

    @cached_property
    def described(self):
        """The estimates as if beta was not given, with the evidence and diagnostics of the method."""
        return described(self.shares, *self.samples, method=self.labels.method)

    @cached_property
    def calibrated(self):
        """How alpha, or alpha and beta, are distributed in samples like this one."""
        return calibrated_priors(self.counts, self.labels.calibration, noisy=self.noisy, shares=self.consensus)

    @cached_property
    def separates(self):
        """Whether labeled examples score higher than unlabeled ones: if not, the scores identify nothing."""
        separation = np.trapezoid(self.counts.tpr_pu, self.counts.fpr_pu)
        return bool(tells(self.counts.n_labeled, self.counts.n_unlabeled, separation))

    def largest(self, confidence):
        """Guaranteed upper bound for alpha if labels are right."""
        return largest_alpha(self.counts, confidence=confidence)

    def selected(self, selection):
        """Estimates of what the counts would be with random labels, if labels are selected with an assumed strength."""
        if selection not in self._selected:
            labels = replace(self.labels, selection=selection)
            alpha, beta = selected_priors(self.counts, labels, self.rng, start=self.pair)
            counts = reweighted(self.counts, selection, alpha=min(alpha, MOST_SHARE))
            estimates = PriorEstimates(counts, labels, self.rng)
            estimates.pair = alpha, beta
            self._selected[selection] = estimates
        return self._selected[selection]


def selected_priors(counts, labels, rng, *, start=None):
    """Priors (alpha, beta) estimated from counts, for labels selected by score with an assumed strength.

    Parameters
    ----------
    counts : Counts
    labels : Labels
    rng : numpy.random.Generator or None
    start : tuple of float, optional
        The estimates for random labels, if they are there already.

    Returns
    -------
    alpha, beta : float
    """
    selection = labels.selection
    options = {"beta": labels.beta, "method": labels.method, "noisy": labels.noisy, "rng": rng}
    alpha, beta = priors_from_counts(counts, **options) if start is None else start
    if selection == 1 or not alpha < 1:
        return alpha, beta
    for _ in range(3):  # the reweighted counts depend on alpha
        alpha, beta = priors_from_counts(reweighted(counts, selection, alpha=min(alpha, MOST_SHARE)), **options)
    return alpha, beta


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
    known, uncertainty = labels.pairs, labels.uncertainty
    if known is not None:
        return PriorPlan(known, ((known[0][0], known[-1][0]), None), confidence)
    here = estimates.selected(labels.selection)
    if uncertainty == "sampling":
        check_estimable([here.pair])
        return PriorPlan([here.pair], confidence=confidence, again=True)
    check_telling(here.counts)
    if here.noisy:
        return _noisy_plan(here, uncertainty, confidence)
    calibrated, share = (here.calibrated if uncertainty == "calibrated" else None), confidence
    if calibrated is None and resampled:
        share = (1 + confidence) / 2
    ends = (0.0, here.largest(share)) if calibrated is None else calibrated.intervals(confidence)[0]
    span = low, high = tuple(min(end, MOST_SHARE) for end in ends) if resampled else ends
    center = calibrated.center[0] if calibrated and here.centered else here.pair[0]
    alpha = min(max(center, low), high, MOST_SHARE)
    if calibrated is not None and confidence <= max(LEVELS) + 1e-12:
        return PriorPlan([(alpha, 1.0)], (span, None), confidence, calibrated)
    values = np.linspace(*(min(end, MOST_SHARE) for end in span), _STEPS)
    values[_STEPS // 2] = alpha
    return PriorPlan([(float(value), 1.0) for value in values], (span, None), share, calibrated)


def _noisy_plan(estimates, uncertainty, confidence):
    """Alphas and betas as the calibration distributes them, or all that bounds allow."""
    if uncertainty == "calibrated" and confidence <= max(LEVELS) + 1e-12:
        calibrated = estimates.calibrated
        spans = calibrated.intervals(confidence)
        pair = _within(calibrated.center if estimates.centered else estimates.pair, spans)
        return PriorPlan([pair], spans, confidence, calibrated)
    # Region of the priors and sampling error may each fail with half of the level, and so may each bound of the region.
    part = 1 - (1 - confidence) / 4
    most = [min(share, MOST_SHARE) for share in largest_shares(estimates.counts, estimates.samples, confidence=part)]
    places = np.linspace(0, 1, _NOISY_STEPS)
    pairs = [combine_shares(i * most[0], j * most[1]) for i in places for j in places]
    spans = (0.0, most[0]), (1 - most[1], 1.0)
    pairs.insert(len(pairs) // 2, _within(estimates.pair, spans))
    return PriorPlan(pairs, spans, (1 + confidence) / 2)


def _within(estimate, spans):
    """The estimate, or the middle of the ranges without one, moved into them; alpha stays below beta."""
    pair = [
        float(np.clip(np.mean(span) if np.isnan(value) else value, *span))
        for value, span in zip(estimate, spans, strict=True)
    ]
    return min(pair[0], MOST_SHARE * pair[1]), pair[1]


_ALPHAS = 9  # of a range, at which scores are taken where there are no resamples


def scores_over(ask, sample, plan, *, selection=1.0):
    """Scores of a sample by metric, corrected with the pair of a plan, and the least and the largest over its alphas.

    Parameters
    ----------
    ask : Ask
    sample : Counts or Parts
    plan : PriorPlan
    selection : float

    Returns
    -------
    dict of str to (float, (float, float))
    """
    (alpha, beta), span = plan.pair, plan.spans[0]
    options = {"selection": selection, **ask.where}
    inner = () if span is None or span[0] == span[1] else np.linspace(*span, _ALPHAS)
    alphas = [alpha, *(min(float(each), MOST_SHARE * beta) for each in inner)]
    values = np.array([scores_of_sample(ask.metrics, sample, alpha=each, beta=beta, **options) for each in alphas])
    columns = {name: clipped(name, column) for name, column in zip(ask.metrics, values.T, strict=True)}
    return {name: (float(each[0]), (float(each.min()), float(each.max()))) for name, each in columns.items()}
