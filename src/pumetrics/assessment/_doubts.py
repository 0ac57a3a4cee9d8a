"""What speaks against an assessment, each as one sentence that says what to do."""

import numpy as np

from pumetrics.assessment._bounds import room_for_alpha
from pumetrics.metrics import pu_roc_auc_score
from pumetrics.priors.plateau import clean_p_value

__all__ = ["APART", "all_doubts", "no_room", "of_the_sample"]

_FEW = 50  # labeled examples
_TIED = 0.1  # of all examples, in one group of equal scores
_NARROW = 0.1  # beta - alpha
APART = 0.15  # between priors
_REPAIRED = 0.02  # of area
_NOISE_LEVEL = 0.001


def all_doubts(s, y_score, counts, samples, *, alpha, beta, estimated, known, noisy):
    """Reasons to distrust an assessment.

    Parameters
    ----------
    s, y_score : ndarray of shape (n_samples,)
    counts : Counts
        Labeled and unlabeled examples at or above each distinct score.
    samples : tuple of ndarray
        Labeled and unlabeled scores, or evenly spaced ones of them.
    alpha, beta : float
        The priors used.
    estimated : Priors
        What the estimator says of the scores, whether or not it was used.
    known : bool
        Whether alpha was given.
    noisy : bool
        Whether beta was estimated.

    Returns
    -------
    tuple of str
    """
    return (
        *of_the_sample(counts),
        *_of_the_priors(alpha, beta, estimated, known),
        *_of_the_labels(s, y_score, samples, alpha, beta, noisy),
    )


def of_the_sample(counts):
    """Reasons that lie in numbers and scores, whatever the priors."""
    n_labeled, n_unlabeled = int(counts.labeled[-1]), int(counts.unlabeled[-1])
    if n_labeled < _FEW:
        yield f"only {n_labeled} labeled examples: intervals are wide, and bootstrap intervals of so few are too narrow"
    if n_unlabeled < _FEW:
        yield f"only {n_unlabeled} unlabeled examples: the share of positives among them is hardly known"
    sizes = np.diff(counts.labeled + counts.unlabeled)
    tied = sizes.max() / (n_labeled + n_unlabeled)
    if tied > _TIED:
        yield (
            f"scores are tied: {tied:.0%} of the examples share one score, {sizes.size} distinct scores in all; "
            "curves have few points, so use scores before rounding or voting"
        )
    wins = np.trapezoid(counts.labeled / n_labeled, counts.unlabeled / n_unlabeled)
    if wins < 0.5:
        yield (
            f"labeled examples score lower than unlabeled ones (uncorrected AUROC {wins:.3f}): higher scores must be "
            "more positive, so turn the sign if they are not"
        )


def _of_the_priors(alpha, beta, estimated, known):
    if beta - alpha < _NARROW:
        yield (
            f"alpha={alpha:.3g} lies close to beta={beta:.3g}: the correction multiplies every error by "
            f"{1 / (beta - alpha):.0f}"
        )
    if not known:
        yield from estimated.warnings
    elif abs(estimated.alpha - alpha) > APART:
        yield (
            f"priors disagree: alpha={alpha:.3g} is given, {estimated.method} estimates {estimated.alpha:.3g} from "
            "these scores"
        )


def no_room(most, alpha):
    """Whether alpha exceeds what :func:`room_for_alpha` found."""
    if most < alpha:
        yield (
            "labeling looks biased, or alpha is too high: if labels were a random sample of the positives, these "
            f"scores would leave room for alpha up to {most:.3g}, not {alpha:.3g}"
        )


def _of_the_labels(s, y_score, samples, alpha, beta, noisy):
    if beta == 1:
        yield from no_room(room_for_alpha(s, y_score, alpha=alpha), alpha)
    repaired, direct = (
        pu_roc_auc_score(s, y_score, alpha=alpha, beta=beta, method=method, clip=False)
        for method in ("indirect", "direct")
    )
    if abs(repaired - direct) > _REPAIRED:
        yield (
            f"the corrected ROC curve left the unit square or ran backwards, and its repair moves the area from "
            f"{direct:.3f} to {repaired:.3f}: a small sample, alpha too high, or labels that are no random sample"
        )
    if beta == 1 and not noisy:
        p_value = clean_p_value(*samples)
        if p_value < _NOISE_LEVEL:
            yield (
                f"some labeled examples look negative (P = {p_value:.1g} for clean labels): give beta, or let it be "
                "estimated with --noisy"
            )
