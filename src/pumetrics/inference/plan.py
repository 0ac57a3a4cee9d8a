"""What a user asks of corrected scores, checked, and the prior plan: which alphas and betas a sample is corrected with.

:class:`PriorEstimates` holds the estimates of priors from one sample of counts, each computed when it is first needed.
:func:`plan_priors` makes of them, or of priors that are given, a :class:`PriorPlan`.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from pumetrics._validation import as_array, check_alphas, check_fraction, check_priors
from pumetrics.counts import Counts
from pumetrics.inference.designs import SCORED, scores_of_sample
from pumetrics.inference.selection import reweighted
from pumetrics.metrics import METRICS, clipped, find_metric
from pumetrics.priors.calibration import LEVELS, tells
from pumetrics.priors.estimate import described, estimate_shares
from pumetrics.priors.from_counts import has_order, pair_of, priors_from_counts, samples_of
from pumetrics.priors.interval import CalibratedAlpha, calibrated_alpha, check_telling
from pumetrics.priors.noise import MOST_SHARE, largest_shares
from pumetrics.priors.noise_calibration import CalibratedPriors, calibrated_priors, has_noise_table
from pumetrics.priors.two_component import combine_shares
from pumetrics.priors.upper_bound import largest_alpha

__all__ = [
    "LEAST", "UNCERTAINTIES", "PriorEstimates", "PriorPlan", "check_enough", "check_estimable", "check_metrics",
    "check_threshold", "check_uncertainty", "known_priors", "plan_priors", "scores_over", "selected_priors",
]  # fmt: skip

LEAST = 10
"""Resamples, examples or clusters of either kind below which there is no interval, and no score is identified."""

UNCERTAINTIES = ("calibrated", "guaranteed", "sampling")


def known_priors(alpha, beta, noisy):
    """Pairs (alpha, beta) to correct with, of a range its ends and middle; None where they are to be estimated."""
    if noisy and (alpha is not None or beta != 1):
        raise ValueError(
            f"noisy=True estimates alpha and beta, but alpha={alpha} and beta={beta} are given: leave them out, or "
            "set noisy=False"
        )
    if alpha is None:
        if not check_fraction(beta, "beta"):
            raise ValueError(
                "beta must be larger than 0: nothing can be recovered from labeled examples without positives"
            )
        return None
    ends = check_alphas(alpha)
    values = ends if len(ends) == 1 else [ends[0], (ends[0] + ends[1]) / 2, ends[1]]
    return [check_priors(value, beta) for value in values]


def check_metrics(metrics, threshold=None):
    """Return `metrics` as a list, or raise ValueError unless all of them have intervals."""
    if isinstance(metrics, str) or not metrics:
        raise ValueError(f"metrics must be a list of names out of {', '.join(METRICS)}, got {metrics!r}")
    for name in metrics:
        entry = find_metric(name).numbered()
        if entry.kind == "threshold" and name not in SCORED and threshold is None:
            raise ValueError(f"{name} needs a threshold: without a fixed threshold, it has no meaningful maximum")
    return list(metrics)


def check_threshold(threshold, *scores):
    """Return `threshold` as a float or None, or raise ValueError.

    Scores of less than double precision meet it as they would in their own: 0.7 is no larger than ``float32(0.7)``.
    """
    if threshold is None:
        return None
    try:
        number = float(threshold)
    except (TypeError, ValueError):
        raise ValueError(f"threshold must be a number, got {threshold!r}") from None
    except OverflowError:
        raise ValueError("threshold must be a number up to 1e308") from None
    if np.isnan(number):
        raise ValueError("threshold must be a number, got nan")
    kinds = {(each.thresholds if isinstance(each, Counts) else as_array(each)).dtype for each in scores}
    coarse = [kind for kind in kinds if kind.kind == "f" and np.abs(number) <= np.finfo(kind).max]
    return min([number, *(float(kind.type(number)) for kind in coarse)])


def check_uncertainty(uncertainty, *, alpha, beta, noisy, design=None):
    """Return what an interval accounts for in addition to sampling error: the default is "calibrated" where that is
    defined."""
    if alpha is not None:
        return "known" if len(check_alphas(alpha)) == 1 else "range"
    if uncertainty is None:
        calibrated = has_noise_table() if noisy else beta == 1
        return "calibrated" if calibrated else "sampling"
    if uncertainty not in UNCERTAINTIES:
        raise ValueError(f"uncertainty must be one of {', '.join(map(repr, UNCERTAINTIES))}, got {uncertainty!r}")
    if uncertainty != "sampling" and beta != 1:
        raise ValueError(
            f"uncertainty={uncertainty!r} is not defined for beta={beta:g} with alpha unknown: give alpha, estimate "
            "beta too (noisy=True), or use uncertainty='sampling', which leaves out the error of the estimated alpha"
        )
    if uncertainty == "guaranteed" and design is not None and not design.counts_rows:
        raise ValueError(
            "uncertainty='guaranteed' rests on an exact test that counts independent rows, which weights, clusters "
            "and propensities rule out: use 'calibrated', or give alpha"
        )
    return uncertainty


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


_STEPS = 7  # alphas at which an interval over a range is taken
_NOISY_STEPS = 4  # shares of each kind at which an interval over a region of alpha and beta is taken


class PriorPlan(NamedTuple):
    """Priors that a sample and its resamples are corrected with, and their ranges."""

    pairs: list
    """Of alpha and beta, over which an interval goes; the one in the middle is the estimate."""
    spans: tuple = (None, None)
    """Ranges of alpha and of beta; None where it is that of the resamples, if there are any."""
    confidence: float = 0.95
    """Of the sampling error: more than was asked for where a guaranteed range takes its part."""
    calibrated: CalibratedAlpha | CalibratedPriors | None = None
    """How the priors are distributed, where that is calibrated; resamples draw from it if there is one pair only."""
    anew: bool = False
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
    beta, method, noisy
        See :func:`pumetrics.inference.corrected_interval`.
    rng : numpy.random.Generator or None
        For methods that draw.
    calibration : dict, optional
        The table of the package by default.
    """

    def __init__(self, counts, *, beta=1.0, method="consensus", noisy=False, rng=None, calibration=None):
        self.counts, self.calibration = counts, calibration
        self.options = {"beta": beta, "method": method, "noisy": noisy, "rng": rng}
        self.noisy, self.centered = noisy, method == "consensus"
        self._selected = {1: self}

    @cached_property
    def samples(self):
        """Labeled and unlabeled scores; of many, evenly spaced ones."""
        return samples_of(self.counts)

    @cached_property
    def shares(self):
        """What the method finds: shares of the labeled distribution among the unlabeled and, if noisy, vice versa."""
        method, rng = self.options["method"], self.options["rng"]
        return estimate_shares(*self.samples, method=method, noisy=self.noisy, random_state=rng)

    @cached_property
    def consensus(self):
        """The same by the consensus, whose members are its evidence."""
        return self.shares if self.centered else estimate_shares(*self.samples, noisy=self.noisy)

    @cached_property
    def pair(self):
        """Estimates of alpha and beta; NaN where there are none."""
        if not has_order(self.counts):
            return np.nan, np.nan
        return pair_of(self.shares, self.options["beta"])

    @cached_property
    def described(self):
        """The estimates as if beta was not given, with the evidence and diagnostics of the method."""
        return described(self.shares, *self.samples, method=self.options["method"])

    @cached_property
    def calibrated(self):
        """How alpha, or alpha and beta, are distributed in samples like this one."""
        if self.noisy:
            return calibrated_priors(self.counts, self.calibration, shares=self.consensus)
        return calibrated_alpha(self.counts, self.calibration, share=self.consensus[0])

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
            alpha, beta = selected_priors(self.counts, selection=selection, start=self.pair, **self.options)
            counts = reweighted(self.counts, selection, alpha=min(alpha, MOST_SHARE))
            estimates = PriorEstimates(counts, calibration=self.calibration, **self.options)
            estimates.pair = alpha, beta
            self._selected[selection] = estimates
        return self._selected[selection]


def selected_priors(counts, *, selection, start=None, **options):
    """Priors (alpha, beta) estimated from counts, for labels selected by score with an assumed strength.

    Parameters
    ----------
    counts : Counts
    selection : float
        See :func:`pumetrics.inference.selection.reweighted`.
    start : tuple of float, optional
        The estimates for random labels, if they are there already.
    **options
        As for :func:`pumetrics.priors.from_counts.priors_from_counts`.

    Returns
    -------
    alpha, beta : float
    """
    alpha, beta = priors_from_counts(counts, **options) if start is None else start
    if selection == 1 or not alpha < 1:
        return alpha, beta
    for _ in range(3):  # the reweighted counts depend on alpha
        alpha, beta = priors_from_counts(reweighted(counts, selection, alpha=min(alpha, MOST_SHARE)), **options)
    return alpha, beta


def plan_priors(estimates, known, uncertainty, *, selection=1.0, confidence=0.95, resampled=True):
    """Priors to correct with, given or estimated.

    Parameters
    ----------
    estimates : PriorEstimates
        Not looked at if priors are given.
    known : list of (float, float) or None
        Given pairs of alpha and beta, see :func:`pumetrics.inference.plan.known_priors`.
    uncertainty : str
        From :func:`pumetrics.inference.plan.check_uncertainty`.
    selection, confidence : float
        See :func:`pumetrics.inference.corrected_interval`.
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
    if known is not None:
        return PriorPlan(known, ((known[0][0], known[-1][0]), None), confidence)
    here = estimates.selected(selection)
    if uncertainty == "sampling":
        check_estimable([here.pair])
        return PriorPlan([here.pair], confidence=confidence, anew=True)
    check_telling(here.counts)
    if here.noisy:
        return _noisy_plan(here, uncertainty, confidence)
    calibrated, share = (here.calibrated if uncertainty == "calibrated" else None), confidence
    if calibrated is None and resampled:
        share = (1 + confidence) / 2
    ends = (0.0, here.largest(share)) if calibrated is None else calibrated.interval(confidence)
    span = low, high = tuple(min(end, MOST_SHARE) for end in ends) if resampled else ends
    center = calibrated.center if calibrated and here.centered else here.pair[0]
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


def scores_over(metrics, sample, plan, **options):
    """Scores of a sample by metric, corrected with the pair of a plan, and the least and the largest over its alphas.

    Parameters
    ----------
    metrics : list of str
    sample : Counts or Parts
    plan : PriorPlan
    **options
        `selection`, `threshold` and `population`, see :func:`pumetrics.inference.designs.scores_of`.

    Returns
    -------
    dict of str to (float, (float, float))
    """
    (alpha, beta), span = plan.pair, plan.spans[0]
    inner = () if span is None or span[0] == span[1] else np.linspace(*span, _ALPHAS)
    alphas = [alpha, *(min(float(each), MOST_SHARE * beta) for each in inner)]
    values = np.array([scores_of_sample(metrics, sample, alpha=each, beta=beta, **options) for each in alphas])
    columns = {name: clipped(name, column) for name, column in zip(metrics, values.T, strict=True)}
    return {name: (float(each[0]), (float(each.min()), float(each.max()))) for name, each in columns.items()}
