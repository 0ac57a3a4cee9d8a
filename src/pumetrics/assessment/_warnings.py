"""Warnings as data, what each says by its code, and when an assessment warns of it."""

import numpy as np

from pumetrics.cautions import Caution
from pumetrics.inference.request import FEW, LEAST
from pumetrics.metrics import METRICS
from pumetrics.priors.calibration import scale_of_alpha
from pumetrics.priors.upper_bound import largest_random_alpha, random_label_p_value

__all__ = [
    "LEVEL",
    "all_warnings",
    "design_facts",
    "effective_sizes",
    "far_apart",
    "notes_of",
]

LEVEL = 0.01
"""Significance level of the test of labels at random."""

_APART = 1.0  # between priors, in log odds: a factor of 2.7 where they are small
_REPAIRED = 0.02  # of area
_TWICE = 0.9  # labeled scores found among unlabeled ones that hardly ever tie
_LARGE = 0.9  # effective share of the rows from which on the output does not mention it
_FEW_CLUSTERS = 50


def all_warnings(sample, estimates, *, result, known, own=True, model=0):
    """Reasons to distrust an assessment.

    Parameters
    ----------
    sample : Sample
    estimates : PriorEstimates
        Of the sample, whether or not they were used.
    result : Corrections
        The priors used, and what is reported with them.
    known : bool
        Whether alpha was given.
    own : bool
        Whether these scores speak about alpha: of two models those that separate labeled from unlabeled best do.
    model : int
        Number of the model in the sample.

    Returns
    -------
    tuple of Caution
    """
    return (
        *_of_the_sample(sample, model),
        *(_of_the_priors(estimates, result, known) if own else ()),
        *_of_the_labels(sample.full[model], result, known),
    )


def _of_the_sample(sample, model):
    """Reasons in sample sizes and scores, for any priors; counts of the effective size would merge scores."""
    counts, effective, *_ = sample.full[model]
    n_labeled, n_unlabeled = effective.n_labeled, effective.n_unlabeled
    for n, rows, kind in zip(
        (n_labeled, n_unlabeled), sample.n_rows, ("labeled", "unlabeled"), strict=True
    ):
        if n == 1:
            yield Caution(f"one_{kind}")
        elif n < FEW:
            yield Caution(
                f"few_{kind}", n=n, counted=" by their effective number" if n < rows else ""
            )
    labeled, unlabeled = np.diff(counts.labeled), np.diff(counts.unlabeled)
    twice = labeled[unlabeled > 0].sum() / counts.n_labeled
    if (
        twice > _TWICE
        and n_labeled >= LEAST
        and np.count_nonzero(unlabeled) > _TWICE * sample.n_rows[1]
    ):
        yield Caution("labeled_twice", share=twice)
    wins = np.trapezoid(counts.tpr_pu, counts.fpr_pu)
    if wins > 1 - 1e-12:
        yield Caution("perfect")
    if wins < 0.5:
        yield Caution("reversed", auc=wins)
    if min(n_labeled, n_unlabeled) < LEAST:
        yield Caution("no_interval", least=LEAST)


def far_apart(first, second):
    """Whether two estimates of alpha differ by more than usual: by a factor where they are small."""
    return abs(float(scale_of_alpha(first) - scale_of_alpha(second))) > _APART


def _of_the_priors(estimates, result, known):
    """Reasons in the priors used, and in how well the scores determine them."""
    if known:
        estimate, nearest = estimates.pair[0], result.alpha
        if result.alpha_interval:
            nearest = float(np.clip(estimate, *result.alpha_interval))
        if far_apart(estimate, nearest):
            yield Caution(
                "disagrees_with_given",
                alpha=nearest,
                method=estimates.labels.method,
                estimate=estimate,
            )
        return
    if not estimates.separates:
        yield Caution("not_separated")
        return
    if not result.alpha_identified:
        low, high = result.alpha_interval or (0.0, 1.0)
        yield Caution("not_identified", low=low, high=high)
    if not estimates.noisy and result.beta == 1:
        yield from _of_the_members(estimates.consensus[0].members)


def _of_the_members(members):
    """A warning if the members of the consensus disagree."""
    low, high = min(members.values()), max(members.values())
    if far_apart(low, high):
        each = ", ".join(f"{name} {value:.3g}" for name, value in members.items())
        yield Caution("estimators_disagree", factor=(high + 0.002) / (low + 0.002), estimates=each)


def _of_the_labels(counted, result, known):
    """Reasons in the labels: more of them at the top than the priors allow, of a range the smallest alpha."""
    (counts, effective, *_), beta = counted, result.beta
    if beta == 1 and known:
        lowest = (result.alpha_interval or [result.alpha])[0]
        p_value = random_label_p_value(effective, alpha=lowest)
        if p_value < LEVEL:
            yield Caution(
                "biased",
                p_value=p_value,
                most=largest_random_alpha(effective, level=LEVEL),
                alpha=lowest,
            )
    direct, repaired = (
        METRICS["roc_auc"].formula(counts, alpha=result.alpha, beta=beta, repair=repair)
        for repair in ("none", "envelope")
    )
    if abs(repaired - direct) > _REPAIRED:
        yield Caution("repaired", direct=direct, repaired=repaired)


def effective_sizes(sample):
    """Effective numbers of labeled and of unlabeled examples, of two models the smaller ones."""
    return tuple(
        map(min, zip(*((each.n_labeled, each.n_unlabeled) for each in sample.counts), strict=True))
    )


def design_facts(sample):
    """The design of a sample in numbers, for JSON: None without one.

    Parameters
    ----------
    sample : Sample

    Returns
    -------
    dict or None
        ``weighted``, number of ``clusters`` or None, and the effective numbers of labeled and unlabeled examples.
    """
    design, effective = sample.design, effective_sizes(sample)
    if design is None:
        return None
    return {
        "weighted": design.weights is not None,
        "clusters": None if design.clusters is None else len(np.unique(design.clusters)),
        "effective_labeled": effective[0],
        "effective_unlabeled": effective[1],
    }


def notes_of(sample):
    """Yield warnings on how many independent examples the rows count as."""
    design, effective = sample.design, effective_sizes(sample)
    if design is None:
        return
    n_labeled, n_unlabeled = sample.n_rows
    if effective[0] < _LARGE * n_labeled or effective[1] < _LARGE * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters}
        causes = " and ".join(name for name, each in kinds.items() if each is not None)
        sizes = {"labeled": n_labeled, "unlabeled": n_unlabeled, "causes": causes}
        yield Caution(
            "effective", effective_labeled=effective[0], effective_unlabeled=effective[1], **sizes
        )
    for n, kind in zip(sample.n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            yield Caution(
                "few_clusters" if n >= LEAST else "too_few_clusters", kind=kind, n=n, least=LEAST
            )
