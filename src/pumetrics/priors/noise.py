"""What a sample shows of alpha and beta where labels may be wrong, and bounds for both that are a theorem.

Take labeled positives for a random sample of the positives, and wrongly labeled examples for a random sample of the
negatives. Then the unlabeled examples are a mixture of the labeled distribution, with the share alpha / beta, and of
negatives; and the labeled ones of the unlabeled distribution, with the share (1 - beta) / (1 - alpha), and of
positives. Each share has the upper bound of :func:`pumetrics.priors.upper_bound.largest_alpha`.
"""

import numpy as np

from pumetrics.counts import count_samples
from pumetrics.priors.consensus import MEMBERS
from pumetrics.priors.estimate import estimate_shares
from pumetrics.priors.two_component import priors_of
from pumetrics.priors.upper_bound import largest_alpha

__all__ = ["CONFIDENCES", "MOST_SHARE", "largest_shares", "summarize_noise"]

CONFIDENCES = (0.5, 0.75, 0.9, 0.975)
"""Of the bounds in :func:`summarize_noise`."""

MOST_SHARE = 0.995
"""Shares are cut off there: at 1 both samples look alike, and corrections divide by next to nothing."""


def summarize_noise(counts, samples, *, shares=None):
    """What a sample shows of alpha and beta without their truth.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    samples : tuple of ndarray
        Labeled and unlabeled scores; of many, evenly spaced ones are enough.
    shares : tuple of Share, optional
        The consensus on these samples both ways, if it is there already.

    Returns
    -------
    dict
        ``n_labeled``, ``n_unlabeled``, ``separation`` (uncorrected area under the ROC curve), the members' estimates of
        the labeled distribution's share among the unlabeled (``share_plateau`` and so on) and of the unlabeled one's
        among the labeled (``noise_plateau``), the consensus on both (``share``, ``noise``), the alpha and beta that
        follow (``alpha_estimate``, ``beta_estimate``), and ``share_0.5`` to ``noise_0.975``, the bounds of
        :func:`largest_shares` at these confidences.
    """
    both = shares or estimate_shares(*samples, method="consensus", noisy=True)
    members = {
        f"{side}_{name}": float(value)
        for side, each in zip(("share", "noise"), both, strict=True)
        for name, value in zip(MEMBERS, each.evidence.y, strict=True)
    }
    share, noise = (min(float(each.value), MOST_SHARE) for each in both)
    alpha, beta = priors_of((share, noise))
    ends = {level: largest_shares(counts, samples, confidence=level) for level in CONFIDENCES}
    bounds = {f"{side}_{level:g}": ends[level][i] for i, side in enumerate(("share", "noise")) for level in ends}
    return {
        "n_labeled": counts.n_labeled,
        "n_unlabeled": counts.n_unlabeled,
        "separation": float(np.trapezoid(counts.tpr_pu, counts.fpr_pu)),
        **members,
        "share": share,
        "noise": noise,
        "alpha_estimate": alpha,
        "beta_estimate": beta,
        **bounds,
    }


def largest_shares(counts, samples, *, confidence=0.95):
    """Upper confidence bounds on alpha / beta and on (1 - beta) / (1 - alpha), for any distribution of the scores.

    Parameters
    ----------
    counts : Counts
        Labeled and unlabeled examples at or above each threshold.
    samples : tuple of ndarray
        Labeled and unlabeled scores.
    confidence : float
        Probability in (0, 1) that a bound holds, for each of them.

    Returns
    -------
    labeled_in_unlabeled, unlabeled_in_labeled : float
        In [0, 1]; 1 means that there is no restriction. The first bounds alpha, the second 1 - beta.

    Raises
    ------
    ValueError
        If `confidence` is out of range.

    Notes
    -----
    Why the first holds: let each unlabeled example be drawn from the labeled distribution with probability
    alpha / beta and else from the negatives; that gives positives the share alpha. Those drawn from the labeled
    distribution and the labeled examples are one sample, of which the labeled are a random part: the premise of
    :func:`pumetrics.priors.upper_bound.largest_alpha`, with "drawn from it" in the place of "positive". All unlabeled
    positives are among them. The second is the same with the roles of the samples swapped. Both need alpha < beta and
    errors that are random given the class: a rule that mislabels difficult negatives breaks them.

    Examples
    --------
    >>> from pumetrics.counts import count_samples
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(np.repeat([5.0, 0.0], [450, 50]))  # beta 0.9
    >>> unlabeled = rng.normal(np.repeat([5.0, 0.0], [300, 700]))  # alpha 0.3
    >>> alpha_at_most, noise_at_most = largest_shares(count_samples(labeled, unlabeled), (labeled, unlabeled))
    >>> 0.3 < alpha_at_most < 0.4, 0.1 < noise_at_most < 0.2
    (True, True)
    """
    labeled, unlabeled = samples
    swapped = count_samples(-unlabeled, -labeled)
    return largest_alpha(counts, confidence=confidence), largest_alpha(swapped, confidence=confidence)
