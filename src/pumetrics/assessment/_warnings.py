"""Warnings of an assessment, each in one sentence with a remedy."""

import numpy as np

from pumetrics.inference.request import FEW, LEAST
from pumetrics.inference.selection import labelable_share
from pumetrics.metrics import pu_roc_auc_score
from pumetrics.priors.calibration import scale_of_alpha
from pumetrics.priors.plateau import clean_p_value, even_p_value
from pumetrics.priors.upper_bound import largest_random_alpha, random_label_p_value

__all__ = ["LEVEL", "all_warnings", "far_apart", "no_room", "of_the_sample", "outside"]

LEVEL = 0.01
"""Significance level of the test of labels at random."""

_DISTINCT = 20  # scores that chance would not give equally often
_TIED = 0.1  # of all examples, in one group of equal scores
_NARROW = 0.1  # beta - alpha
_HAIR = 1e-9
_APART = 1.0  # between priors, in log odds: a factor of 2.7 where they are small
_REPAIRED = 0.02  # of area
# Both needed: right labels then fail in less than 1% where positives become more frequent with the score, heavy tails
# among them. Where a part of the positives scores like the negatives they fail as wrong labels do.
_NOISE_LEVEL, _EVEN_LEVEL = 0.001, 0.05


def all_warnings(estimates, *, result, known, n_bootstrap, own=True):
    """Reasons to distrust an assessment.

    Parameters
    ----------
    estimates : PriorEstimates
        Of the sample, whether or not they were used.
    result : Corrections
        The priors used, and what is reported with them.
    known : bool
        Whether alpha was given.
    n_bootstrap : int
        Number of bootstrap resamples requested.
    own : bool
        Whether alpha is given or estimated from these scores, not from those of another model.

    Returns
    -------
    tuple of str
    """
    return (
        *of_the_sample(estimates.counts),
        *_of_the_intervals(estimates.counts, n_bootstrap),
        *(_of_the_priors(estimates, result, known) if own else ()),
        *_of_the_labels(estimates, result, known),
    )


def of_the_sample(counts):
    """Reasons in sample sizes and scores, for any priors."""
    n_labeled, n_unlabeled = counts.n_labeled, counts.n_unlabeled
    if n_labeled == 1:
        yield (
            "only 1 labeled example: these numbers describe the rank of one example, not the performance of the model; "
            "label more"
        )
    elif n_labeled < FEW:
        yield (
            f"only {n_labeled} labeled examples: bootstrap intervals of so few are too narrow: with 10 to 50, 95% "
            "intervals of the AUC contained the true value in 75 to 90% of simulated samples"
        )
    if n_unlabeled < FEW:
        yield f"only {n_unlabeled} unlabeled examples: the share of positives among them is uncertain"
    sizes = np.diff(counts.predicted)
    copies = np.gcd.reduce(np.diff([counts.labeled, counts.unlabeled]), axis=None)
    if copies > 1 and sizes.size >= _DISTINCT:
        yield (
            f"rows are repeated: every score occurs {copies} times or a multiple of that, so intervals are too "
            "narrow; keep one row per example"
        )
    tied = sizes.max() / counts.n
    if tied > _TIED:
        yield (
            f"scores are tied: {tied:.0%} of the examples share one score, {sizes.size} distinct scores in all; "
            "curves have few points; use scores before rounding or voting"
        )
    wins = np.trapezoid(counts.tpr_pu, counts.fpr_pu)
    if wins > 1 - 1e-12:
        yield (
            "every labeled example scores higher than every unlabeled one: the scores may contain the label, or the "
            "model may have been trained on these examples; use out-of-sample scores"
        )
    if wins < 0.5:
        yield (
            f"labeled examples score lower than unlabeled ones (uncorrected AUC {wins:.3f}): higher scores must mean "
            "more positive; reverse the sign if they do not"
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
            f"labeling appears biased, or alpha is too high (P = {p_value:.1g}): under SCAR these scores allow alpha "
            f"up to {most:.3g}, not {alpha:.3g}; compare the results if easy positives are labeled more often "
            "(selection 2 and 4)"
        )


def outside(scores):
    """A warning on corrected scores outside of their bounds; of pairs of a score and its bounds, by name."""
    beyond = [
        f"{name} {value:.3f} (bounds {low:.3f} to {high:.3f})"
        for name, (value, (low, high)) in scores.items()
        if value < low - _HAIR or value > high + _HAIR  # also not if it is NaN
    ]
    if beyond:
        yield (
            f"corrected scores are outside their bounds, so report the bounds: {', '.join(beyond)}; reasons can be a "
            "small sample, a too high alpha, or labels that are not a random sample"
        )


def _of_the_intervals(counts, n_bootstrap):
    if min(counts.n_labeled, counts.n_unlabeled) < LEAST:
        yield f"there is no interval: it needs at least {LEAST} labeled and {LEAST} unlabeled examples"
    elif 0 < n_bootstrap < LEAST:
        yield f"{n_bootstrap} resamples give no interval: at least {LEAST} are needed, 200 is common"


def _of_the_priors(estimates, result, known):
    alpha, beta, estimated = result.alpha, result.beta, estimates.described
    if beta - alpha < _NARROW:
        yield (
            f"alpha={alpha:.3g} is close to beta={beta:.3g}: the correction multiplies every error by "
            f"{1 / (beta - alpha):.0f}"
        )
    if result.selection != 1:
        yield from _of_the_selection(estimates.counts, result)
    if known:
        if far_apart(estimated.alpha, alpha):
            yield (
                f"priors disagree: alpha={alpha:.3g} is given, but {estimated.method} estimates {estimated.alpha:.3g} "
                "from these scores"
            )
        return
    if not estimates.separates:
        yield (
            "alpha is not identified by these scores: labeled examples do not score higher than unlabeled ones; give "
            "alpha, or use the scores of a model that separates them"
        )
        return
    yield from estimated.warnings
    yield from _of_the_range(result, estimated)
    if not estimates.noisy and beta == 1:
        yield from _of_the_members(estimates.consensus[0].evidence)


def _of_the_range(result, estimated):
    """Warnings from the range of alpha."""
    if not result.alpha_identified:
        low, high = result.alpha_interval
        yield (
            f"alpha is not identified by these scores ({low:.2g} to {high:.2g}): the area under the ROC curve may "
            "still be known well, but precision and F1 are not; give alpha, or a range for it"
        )
    low, high = result.alpha_interval or (0.0, 1.0)
    if result.uncertainty != "sampling" and not low <= estimated.alpha <= high:
        yield f"{estimated.method} estimates alpha={estimated.alpha:.3g}, outside its range {low:.3g} to {high:.3g}"


def _of_the_members(evidence):
    """A warning if the members of the consensus disagree."""
    low, high = min(evidence.y), max(evidence.y)
    if far_apart(low, high):
        each = ", ".join(f"{name} {value:.3g}" for name, value in zip(evidence.members, evidence.y, strict=True))
        yield f"estimators of alpha disagree by a factor of {(high + 0.002) / (low + 0.002):.1f}: {each}"


def _of_the_selection(counts, result):
    rho = counts.n_labeled / (counts.n_labeled + result.alpha * counts.n_unlabeled)
    most = labelable_share(result.selection)
    if rho > most:
        yield (
            f"a selection of {result.selection:g} is impossible with alpha={result.alpha:.3g}: {rho:.0%} of the "
            f"positives would be labeled, but this selection allows at most {most:.0%}"
        )


def _of_the_labels(estimates, result, known):
    alpha, beta, samples = result.alpha, result.beta, estimates.samples
    if beta == 1 and known and result.selection == 1:
        yield from no_room(estimates.counts, alpha)
    repaired, direct = (
        pu_roc_auc_score(None, estimates.counts, alpha=alpha, beta=beta, method=method, clip=False)
        for method in ("indirect", "direct")
    )
    if abs(repaired - direct) > _REPAIRED:
        why = "a too high alpha, or labels that are not a random sample" if known else "or a too high estimate of alpha"
        yield (
            f"the corrected ROC curve leaves the unit square or is not monotone, and its repair changes the area from "
            f"{direct:.3f} to {repaired:.3f}: reasons can be a small sample, {why}"
        )
    if beta == 1 and not estimates.noisy:
        even = even_p_value(*samples, alpha=alpha) < _EVEN_LEVEL
        if even and clean_p_value(*samples) < _NOISE_LEVEL:
            yield (
                "some labeled examples score like the unlabeled ones: wrong labels, or positives that are hard to "
                "recognize; the scores do not show which. Check the labeled examples with the lowest scores: remove "
                "those that are wrong and rerun, or give beta if you counted wrong labels in a random sample of the "
                "labeled; if the labels are right, these numbers are valid"
            )
