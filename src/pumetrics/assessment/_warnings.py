"""Warnings as data, what each says by its code, and when an assessment warns of it."""

import numpy as np

from pumetrics.inference.request import FEW, LEAST
from pumetrics.metrics import METRICS
from pumetrics.priors.calibration import scale_of_alpha
from pumetrics.priors.upper_bound import largest_random_alpha, random_label_p_value

__all__ = [
    "CAUTIONS",
    "LEVEL",
    "Caution",
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


CAUTIONS = {
    # of the file
    "skipped": (
        "rows of {file} without a value in column {column!r} are skipped: {missing} of {rows} ({labeled} of them "
        "labeled; first in {where})"
    ),
    "unpaired": (
        "{both} examples have a score in both files; {first} of {first_file} and {second} of {second_file} do not and "
        "are skipped"
    ),
    # of the design
    "effective": (
        "the {labeled:,} labeled and {unlabeled:,} unlabeled rows have effective sample sizes of {effective_labeled:,} "
        "and {effective_unlabeled:,} because of {causes}; the range of alpha and the warnings below use these sizes"
    ),
    "few_clusters": "{kind} rows come from {n} clusters only: intervals are then too narrow",
    "too_few_clusters": "{kind} rows come from {n} clusters only: there is no interval, which needs {least}",
    # of the sample
    "one_labeled": (
        "only 1 labeled example: these numbers describe the rank of one example, not the performance of the model; "
        "label more"
    ),
    "few_labeled": "only {n} labeled examples{counted}: intervals are wide; label more",
    "labeled_twice": (
        "{share:.0%} of the labeled scores also occur among the unlabeled: if the labeled rows are in the unlabeled "
        "part as well, remove them there, or they count twice"
    ),
    "one_unlabeled": "only 1 unlabeled example: the share of positives among the unlabeled is unknown",
    "few_unlabeled": "only {n} unlabeled examples{counted}: the share of positives among them is uncertain",
    "perfect": (
        "every labeled example scores higher than every unlabeled one: the scores may contain the label, or the model "
        "may have been trained on these examples; use out-of-sample scores"
    ),
    "reversed": (
        "labeled examples score lower than unlabeled ones (uncorrected AUC {auc:.3f}): higher scores must mean more "
        "positive; reverse the sign if they do not"
    ),
    # of the intervals
    "no_interval": "there is no interval: it needs at least {least} labeled and {least} unlabeled examples",
    "no_verdict": (
        "there is no valid interval, so neither model is called better: it needs {least} resamples, {least} labeled "
        "and {least} unlabeled examples"
    ),
    # of the priors
    "disagrees_with_given": (
        "priors disagree: alpha={alpha:.3g} is given, but {method} estimates {estimate:.3g} from these scores"
    ),
    "models_disagree": (
        "priors disagree: alpha is {first:.3g} by the first model's scores and {second:.3g} by the second's"
    ),
    "not_separated": (
        "alpha is not identified by these scores: labeled examples do not score significantly higher than "
        "unlabeled ones; give alpha, or use the scores of a model that separates them"
    ),
    "not_identified": (
        "alpha is not identified by these scores ({low:.3g} to {high:.3g}): the area under the ROC curve may still be "
        "known well, but precision and F1 are not; give alpha, or a range for it"
    ),
    "estimators_disagree": "estimators of alpha disagree by a factor of {factor:.1f}: {estimates}",
    # of the labels
    "biased": (
        "labeling appears biased, or alpha is too high (P = {p_value:.1g}): under SCAR these scores allow alpha up to "
        "{most:.3g}, not {alpha:.3g}; check some rows, which needs no assumption about the labels"
    ),
    "repaired": (
        "the corrected ROC curve leaves the unit square or is not monotone, and its repair changes the area from "
        "{direct:.3f} to {repaired:.3f}: reasons can be a small sample, too high an alpha, or labels that are not a "
        "random sample"
    ),
    # of the checked rows
    "contradicted": (
        "the checked rows contradict labels at random: {name} is {checked}, and by the labels alone {alone}"
    ),
    "positives_apart": (
        "none of the {n:,} rows of the random sample is positive: if the {labeled:,} labeled rows are its positives, "
        "these numbers are wrong; give verdicts of 1 for them too, and leave them unlabeled"
    ),
    "unanswered": "the checked rows do not determine {names}{shown}",
    "no_threshold": "without a threshold the checked rows do not determine {names}: give one{shown}",
    "open_rows": (
        "the plan is not finished (rows without a verdict: {n:,}): you may stop early if intervals are narrow enough, "
        "but not because of the result; a claim needs all rows"
    ),
}
"""What a warning says, by its code."""


class Caution(str):
    """A warning, which reads as its sentence: what it warns of, and with which values.

    Attributes
    ----------
    code : str
        Of :data:`CAUTIONS`.
    about : str or None
        What it is about where that is not the whole sample, such as one of two models.
    values : dict
        Of its template.
    """

    def __new__(cls, code, about=None, **values):
        text = CAUTIONS[code].format(**values)
        made = super().__new__(cls, text if about is None else f"{about}: {text}")
        made.code, made.about, made.values = code, about, values
        return made

    def __getnewargs_ex__(self):
        return (self.code, self.about), self.values

    def of(self, about):
        """Return the same warning about something else."""
        return Caution(self.code, about, **self.values)


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
