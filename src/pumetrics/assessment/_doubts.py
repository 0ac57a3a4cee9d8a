"""What speaks against an assessment, each as one sentence that says what to do."""

import numpy as np

from pumetrics.assessment._corrections import LEAST
from pumetrics.inference.selection import labelable_share
from pumetrics.metrics import pu_roc_auc_score
from pumetrics.priors.calibration import scale_of_alpha, tells
from pumetrics.priors.consensus import MEMBERS
from pumetrics.priors.plateau import clean_p_value
from pumetrics.priors.upper_bound import largest_random_alpha, random_label_p_value

__all__ = ["LEVEL", "all_doubts", "far_apart", "no_room", "of_the_sample"]

LEVEL = 0.01
"""Of the test of labels at random."""

_FEW = 50  # labeled examples
_DISTINCT = 20  # scores that chance would not give equally often
_TIED = 0.1  # of all examples, in one group of equal scores
_NARROW = 0.1  # beta - alpha
_APART = 1.0  # between priors, in log odds: a factor of 2.7 where they are small
_REPAIRED = 0.02  # of area
_NOISE_LEVEL = 0.001


def all_doubts(s, y_score, counts, samples, *, result, estimated, known, noisy, n_bootstrap):
    """Reasons to distrust an assessment.

    Parameters
    ----------
    s, y_score : ndarray of shape (n_samples,)
    counts : Counts
        Labeled and unlabeled examples at or above each distinct score.
    samples : tuple of ndarray
        Labeled and unlabeled scores, or evenly spaced ones of them.
    result : Corrections
        The priors used, and what is reported with them.
    estimated : Priors
        The estimate from these scores, whether or not it was used.
    known : bool
        Whether alpha was given.
    noisy : bool
        Whether beta was estimated.
    n_bootstrap : int
        Resamples asked for.

    Returns
    -------
    tuple of str
    """
    return (
        *of_the_sample(counts),
        *_of_the_intervals(counts, n_bootstrap),
        *_of_the_priors(counts, samples, result, estimated, known, noisy),
        *_of_the_labels(s, y_score, counts, samples, result, known, noisy),
    )


def of_the_sample(counts):
    """Reasons in sample sizes and scores, for any priors."""
    n_labeled, n_unlabeled = counts.n_labeled, counts.n_unlabeled
    if n_labeled == 1:
        yield "only 1 labeled example: these numbers say how one example ranks, not how the model does; label more"
    elif n_labeled < _FEW:
        yield f"only {n_labeled} labeled examples: intervals are wide, and bootstrap intervals of so few are too narrow"
    if n_unlabeled < _FEW:
        yield f"only {n_unlabeled} unlabeled examples: the share of positives among them is uncertain"
    sizes = np.diff(counts.predicted)
    copies = np.gcd.reduce([*np.diff(counts.labeled), *np.diff(counts.unlabeled)])
    if copies > 1 and sizes.size >= _DISTINCT:
        yield (
            f"rows are repeated: every score occurs {copies} times or a multiple of that, so intervals are too narrow; "
            "keep one row of each example"
        )
    tied = sizes.max() / counts.n
    if tied > _TIED:
        yield (
            f"scores are tied: {tied:.0%} of the examples share one score, {sizes.size} distinct scores in all; "
            "curves have few points, so use scores before rounding or voting"
        )
    wins = np.trapezoid(counts.tpr_pu, counts.fpr_pu)
    if wins > 1 - 1e-12:
        yield (
            "every labeled example scores higher than every unlabeled one: do the scores contain the label, or were "
            "the models trained on these examples? Use out-of-sample scores"
        )
    if wins < 0.5:
        yield (
            f"labeled examples score lower than unlabeled ones (uncorrected AUC {wins:.3f}): higher scores must be "
            "more positive; reverse the sign if they are not"
        )


def far_apart(first, second):
    """Whether two estimates of alpha differ by more than usual: by a factor where they are small."""
    return abs(float(scale_of_alpha(first) - scale_of_alpha(second))) > _APART


def no_room(counts, alpha):
    """A warning if SCAR and that alpha contradict each other."""
    p_value = random_label_p_value(counts, alpha=alpha)
    if p_value < LEVEL:
        most = largest_random_alpha(counts, level=LEVEL)
        yield (
            f"labeling looks biased, or alpha is too high (P = {p_value:.1g}): under SCAR these scores allow alpha "
            f"up to {most:.3g}, not {alpha:.3g}; compare the results for labels that prefer easy positives "
            "(selection 2 and 4)"
        )


def _of_the_intervals(counts, n_bootstrap):
    if 0 < n_bootstrap < LEAST:
        yield f"{n_bootstrap} resamples give no interval: at least {LEAST} are needed, 200 are usual"
    elif n_bootstrap and min(counts.n_labeled, counts.n_unlabeled) < LEAST:
        yield f"no interval: at least {LEAST} labeled and {LEAST} unlabeled examples are needed"


def _of_the_priors(counts, samples, result, estimated, known, noisy):
    alpha, beta = result.alpha, result.beta
    if beta - alpha < _NARROW:
        yield (
            f"alpha={alpha:.3g} lies close to beta={beta:.3g}: the correction multiplies every error by "
            f"{1 / (beta - alpha):.0f}"
        )
    if result.selection != 1:
        yield from _of_the_selection(counts, result)
    if known:
        if far_apart(estimated.alpha, alpha):
            yield (
                f"priors disagree: alpha={alpha:.3g} is given, {estimated.method} estimates {estimated.alpha:.3g} from "
                "these scores"
            )
        return
    if not tells(counts.n_labeled, counts.n_unlabeled, np.trapezoid(counts.tpr_pu, counts.fpr_pu)):
        yield (
            "alpha is not identified by these scores: labeled examples do not score higher than unlabeled ones; give "
            "alpha, or use the scores of a model that separates them"
        )
        return
    yield from estimated.warnings
    yield from _of_the_range(result, estimated)
    if not noisy and beta == 1:
        yield from _of_the_members(samples)


def _of_the_range(result, estimated):
    """Warnings from the range of alpha."""
    if not result.alpha_identified:
        low, high = result.alpha_interval
        yield (
            f"alpha is not identified by these scores to within a factor of ten ({low:.2g} to {high:.2g}): the area "
            "under the ROC curve may still be known well, precision and F1 are not; give alpha, or a range for it"
        )
    if result.uncertainty != "sampling" and abs(estimated.alpha - result.alpha) > 0.01 * result.alpha:
        yield (
            f"{estimated.method} estimates alpha={estimated.alpha:.3g}, outside of the range of alpha: "
            f"{result.alpha:.3g} is used"
        )


def _of_the_members(samples):
    """A warning if the members of the consensus disagree."""
    values = {name: member(*samples).value for name, member in MEMBERS.items()}
    low, high = min(values.values()), max(values.values())
    if far_apart(low, high):
        each = ", ".join(f"{name} {value:.3g}" for name, value in values.items())
        yield f"estimators of alpha disagree by a factor of {(high + 0.002) / (low + 0.002):.1f}: {each}"


def _of_the_selection(counts, result):
    rho = counts.n_labeled / (counts.n_labeled + result.alpha * counts.n_unlabeled)
    most = labelable_share(result.selection)
    if rho > most:
        yield (
            f"a selection of {result.selection:g} is impossible with alpha={result.alpha:.3g}: {rho:.0%} of the "
            f"positives would be labeled, and with so strong a selection at most {most:.0%} can be"
        )


def _of_the_labels(s, y_score, counts, samples, result, known, noisy):
    alpha, beta = result.alpha, result.beta
    if beta == 1 and known and result.selection == 1:
        yield from no_room(counts, alpha)
    repaired, direct = (
        pu_roc_auc_score(s, y_score, alpha=alpha, beta=beta, method=method, clip=False)
        for method in ("indirect", "direct")
    )
    if abs(repaired - direct) > _REPAIRED:
        why = "alpha too high, or labels that are not a random sample" if known else "or alpha estimated too high"
        yield (
            f"the corrected ROC curve leaves the unit square or is not monotone, and its repair changes the area from "
            f"{direct:.3f} to {repaired:.3f}: a small sample, {why}"
        )
    if beta == 1 and not noisy:
        p_value = clean_p_value(*samples)
        if p_value < _NOISE_LEVEL:
            yield (
                f"some labeled examples look negative (P = {p_value:.1g} for clean labels and no positives that look "
                "negative): either some labels are wrong (then give beta, or estimate it with --noisy), or some "
                "positives look like negatives (then do not: they would count as noise and the estimate would be too "
                "high); check the labeled examples with the lowest scores"
            )
