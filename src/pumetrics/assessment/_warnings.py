"""When an assessment warns of what; the sentences are in :mod:`pumetrics.cautions`."""

from functools import partial

import numpy as np

from pumetrics.cautions import FEW, Caution
from pumetrics.inference.request import LEAST
from pumetrics.metrics import METRICS
from pumetrics.priors.calibration import scale_of_alpha
from pumetrics.priors.upper_bound import largest_random_alpha, random_label_p_value

__all__ = [
    "LEVEL",
    "all_warnings",
    "design_facts",
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


def all_warnings(
    sample,
    estimates,
    *,
    alpha,
    beta,
    alpha_interval,
    alpha_identified,
    known,
    own=True,
    model=0,
):
    """Reasons to distrust an assessment.

    Parameters
    ----------
    sample : Sample
    estimates : PriorEstimates
        Of the model, whether or not they were used.
    alpha, beta, alpha_interval, alpha_identified
        The priors used, see :class:`Assessment`.
    known : bool
        Whether alpha was given.
    own : bool
        Whether these scores speak about alpha: of two models those that separate labeled from unlabeled best do.
    model : int
        Number of the model in the sample.

    Returns
    -------
    list of Caution
    """
    warnings = [*_of_the_sample(sample, model)]
    if own and known:
        warnings += _of_given_alpha(estimates, alpha, alpha_interval)
    elif own and not estimates.separates:
        warnings.append(Caution("not_separated"))
    elif own:
        if not alpha_identified:
            _, high = alpha_interval or (0.0, 1.0)
            warnings.append(Caution("not_identified", high=high))
        if not estimates.noisy and beta == 1:
            warnings += _of_the_members(estimates.consensus[0].members)

    if known and beta == 1:
        lowest = alpha if alpha_interval is None else alpha_interval[0]
        warnings = [*_of_random_labels(sample, model, lowest), *warnings]
    warnings += _of_the_curve(sample.full[model].counts, alpha, beta)
    return warnings


def _of_the_sample(sample, model):
    """Reasons in sample sizes and scores, for any priors; counts of the effective size would merge scores."""
    counts, effective = sample.full[model][:2]
    sizes = {"labeled": effective.n_labeled, "unlabeled": effective.n_unlabeled}
    for (kind, n), rows in zip(sizes.items(), sample.n_rows, strict=True):
        if n == 1:
            yield Caution(f"one_{kind}")
        elif n < FEW:
            counted = " by their effective number" if n < rows else ""
            yield Caution(f"few_{kind}", n=n, counted=counted)

    labeled = np.diff(counts.labeled)
    unlabeled = np.diff(counts.unlabeled)
    twice = labeled[unlabeled > 0].sum() / counts.n_labeled
    hardly_ties = np.count_nonzero(unlabeled) > _TWICE * sample.n_rows[1]
    if twice > _TWICE and hardly_ties and sizes["labeled"] >= LEAST:
        yield Caution("labeled_twice", share=twice)

    wins = np.trapezoid(counts.tpr_pu, counts.fpr_pu)
    if wins > 1 - 1e-12:
        yield Caution("perfect")
    if wins < 0.5:
        yield Caution("reversed", auc=wins)
    if min(sizes.values()) < LEAST:
        yield Caution("no_interval", least=LEAST)


def far_apart(first, second):
    """Whether two estimates of alpha differ by more than usual: by a factor where they are small."""
    return abs(float(scale_of_alpha(first) - scale_of_alpha(second))) > _APART


def _of_given_alpha(estimates, alpha, alpha_interval):
    """A warning if an alpha that was given is far from the estimate; of a range the nearest alpha."""
    estimate = estimates.pair[0]
    nearest = alpha if alpha_interval is None else float(np.clip(estimate, *alpha_interval))
    if far_apart(estimate, nearest) and not _is_usual(estimates, nearest):
        method = estimates.labels.method
        yield Caution("disagrees_with_given", alpha=nearest, method=method, estimate=estimate)


def _is_usual(estimates, alpha):
    """Whether an alpha is among the 95% in the middle of samples like this one: few or unequal rows tell little."""
    if estimates.noisy or estimates.labels.beta < 1:
        return False
    low, high = estimates.calibrated.quantile(np.array([0.025, 0.975]))
    return low <= alpha <= high


def _of_the_members(members):
    """A warning if the members of the consensus disagree."""
    low = min(members.values())
    high = max(members.values())
    if far_apart(low, high):
        each = ", ".join(f"{name} {value:.3g}" for name, value in members.items())
        yield Caution("estimators_disagree", factor=(high + 0.002) / (low + 0.002), estimates=each)


def _of_random_labels(sample, model, alpha):
    """A warning if more labels are at the top than an alpha allows under SCAR."""
    counts = sample.counts[model]
    p_value = random_label_p_value(counts, alpha=alpha)
    if p_value >= LEVEL:
        return
    most = largest_random_alpha(counts, level=LEVEL)
    n_labeled, n_unlabeled = sample.sizes
    hidden = alpha * (n_labeled + n_unlabeled) - n_labeled
    slip = ""
    if 0 <= hidden <= most * n_unlabeled:
        meant = f"alpha is {hidden / n_unlabeled:.3g}: give pi={alpha:.3g}, see docs/alpha.md"
        slip = f"; if {alpha:.3g} is the share among all rows, {meant}"
    yield Caution("biased", p_value=p_value, most=most, alpha=alpha, slip=slip)


def _of_the_curve(counts, alpha, beta):
    """A warning if the repair of the corrected ROC curve changes its area."""
    area = partial(METRICS["roc_auc"].formula, counts, alpha=alpha, beta=beta)
    direct = area(repair="none")
    repaired = area(repair="envelope")
    if abs(repaired - direct) > _REPAIRED:
        yield Caution("repaired", direct=direct, repaired=repaired)


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
    design = sample.design
    if design is None:
        return None
    labeled, unlabeled = sample.effective_sizes
    return {
        "weighted": design.weights is not None,
        "clusters": None if design.clusters is None else len(np.unique(design.clusters)),
        "effective_labeled": labeled,
        "effective_unlabeled": unlabeled,
    }


def notes_of(sample):
    """Yield warnings on how many independent examples the rows count as."""
    design = sample.design
    if design is None:
        return

    labeled, unlabeled = sample.effective_sizes
    n_labeled, n_unlabeled = sample.n_rows
    if labeled < _LARGE * n_labeled or unlabeled < _LARGE * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters}
        yield Caution(
            "effective",
            effective_labeled=labeled,
            effective_unlabeled=unlabeled,
            labeled=n_labeled,
            unlabeled=n_unlabeled,
            causes=" and ".join(name for name, each in kinds.items() if each is not None),
        )
    for n, kind in zip(sample.n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            code = "few_clusters" if n >= LEAST else "too_few_clusters"
            yield Caution(code, kind=kind, n=n, least=LEAST)
