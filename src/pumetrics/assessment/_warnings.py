"""Warnings as data, what each says by its code, and when an assessment warns of it."""

import numpy as np

from pumetrics._weights import effective_size
from pumetrics.inference.request import FEW, LEAST
from pumetrics.inference.selection import labelable_share
from pumetrics.metrics import pu_roc_auc_score
from pumetrics.priors.calibration import scale_of_alpha
from pumetrics.priors.plateau import clean_p_value, even_p_value
from pumetrics.priors.upper_bound import largest_random_alpha, random_label_p_value

__all__ = [
    "CAUTIONS", "LEVEL", "Caution", "all_warnings", "design_facts", "far_apart", "impossible", "no_bounds", "notes_of",
    "outside",
]  # fmt: skip

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
_WORTH = 0.9  # effective share of the rows from which on the output does not mention it
_FEW_CLUSTERS = 50


CAUTIONS = {
    # of the file
    "skipped": (
        "{missing} of {rows} rows of {file} have no value in column {column!r} and are skipped ({labeled} of them "
        "labeled; first in {where})"
    ),
    "unpaired": (
        "{both} examples have a score in both files; {first} of {first_file} and {second} of {second_file} do not and "
        "are skipped"
    ),
    "negatives": "{n} labeled negatives (-1) are ignored: corrections compare labeled with unlabeled examples",
    "counted": "{file} was read in batches; each of its {n:,} distinct scores is counted, so results are exact",
    "thinned": (
        "{file} was read in batches; examples are counted exactly at {n:,} thresholds, spread evenly over labeled and "
        "unlabeled examples. All other thresholds together would change the uncorrected AUC by at most {error:.1g}"
    ),
    # of the design
    "effective": (
        "the {labeled:,} labeled and {unlabeled:,} unlabeled rows have effective sample sizes of {effective_labeled:,} "
        "and {effective_unlabeled:,} because of {causes}; the range of alpha and the warnings below use these sizes"
    ),
    "few_clusters": "{kind} rows come from {n} clusters only: intervals are then too narrow",
    "too_few_clusters": "{kind} rows come from {n} clusters only: there is no interval, which needs {least}",
    "no_bounds_folds": "there are no bounds: they rank the rows of different folds together",
    "no_bounds_rows": "there are no bounds: they count independent rows",
    "no_bounds_propensity": "there are no bounds: they assume that the labeled rows are a random sample",
    "impossible_propensity": (
        "these propensities are impossible with alpha={alpha:.3g}: {rho:.0%} of the positives would be labeled, but "
        "these propensities allow at most {most:.0%}"
    ),
    "groups_differ": (
        "the labeled share differs between groups, from {low:.2g} to {high:.2g}, by more than chance "
        "(P = {p_value:.1g}): positives are either more frequent in some of them, or labeled more often; in that case "
        "give a column of propensities"
    ),
    # of the sample
    "one_labeled": (
        "only 1 labeled example: these numbers describe the rank of one example, not the performance of the model; "
        "label more"
    ),
    "few_labeled": (
        "only {n} labeled examples: bootstrap intervals of so few are too narrow: with 10 to 50, 95% intervals of the "
        "AUC contained the true value in 75 to 90% of simulated samples"
    ),
    "few_unlabeled": "only {n} unlabeled examples: the share of positives among them is uncertain",
    "repeated": (
        "rows are repeated: every score occurs {copies} times or a multiple of that, so intervals are too narrow; keep "
        "one row per example"
    ),
    "tied": (
        "scores are tied: {share:.0%} of the examples share one of the {distinct} distinct scores; use scores before "
        "rounding or voting"
    ),
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
    "few_resamples": "{n} resamples give no interval: at least {least} are needed, 200 is common",
    "no_verdict": (
        "there is no valid interval, so neither model is called better: it needs {least} resamples, {least} labeled "
        "and {least} unlabeled examples"
    ),
    # of the priors
    "close_priors": (
        "alpha={alpha:.3g} is close to beta={beta:.3g}: the correction multiplies every error by {factor:.0f}"
    ),
    "impossible_selection": (
        "a selection of {selection:g} is impossible with alpha={alpha:.3g}: {rho:.0%} of the positives would be "
        "labeled, but this selection allows at most {most:.0%}"
    ),
    "disagrees_with_given": (
        "priors disagree: alpha={alpha:.3g} is given, but {method} estimates {estimate:.3g} from these scores"
    ),
    "models_disagree": (
        "priors disagree: alpha is {first:.3g} by the first model's scores and {second:.3g} by the second's"
    ),
    "not_separated": (
        "alpha is not identified by these scores: labeled examples do not score higher than unlabeled ones; give "
        "alpha, or use the scores of a model that separates them"
    ),
    "estimator": "{note}",
    "not_identified": (
        "alpha is not identified by these scores ({low:.2g} to {high:.2g}): the area under the ROC curve may still be "
        "known well, but precision and F1 are not; give alpha, or a range for it"
    ),
    "outside_range": "{method} estimates alpha={estimate:.3g}, outside its range {low:.3g} to {high:.3g}",
    "estimators_disagree": "estimators of alpha disagree by a factor of {factor:.1f}: {estimates}",
    # of the labels
    "biased": (
        "labeling appears biased, or alpha is too high (P = {p_value:.1g}): under SCAR these scores allow alpha up to "
        "{most:.3g}, not {alpha:.3g}; compare the results if easy positives are labeled more often (selection 2 and 4)"
    ),
    "repaired": (
        "the corrected ROC curve leaves the unit square or is not monotone, and its repair changes the area from "
        "{direct:.3f} to {repaired:.3f}: reasons can be a small sample, a too high alpha, or labels that are not a "
        "random sample"
    ),
    "noisy": (
        "some labeled examples score like the unlabeled ones: wrong labels, or positives that are hard to recognize; "
        "the scores do not show which. Check the labeled examples with the lowest scores: remove those that are wrong, "
        "or give beta; if the labels are right, these numbers are valid"
    ),
    # of the scores
    "outside_bounds": (
        "corrected scores are outside their bounds, so report the bounds: {scores}; reasons can be a small sample, a "
        "too high alpha, or labels that are not a random sample"
    ),
    # of the checked rows
    "contradicted": (
        "the checked rows contradict labels at random: {name} is {checked}, and by the labels alone {alone}"
    ),
    "unanswered": (
        "the checked rows do not determine {names}: these are shown only under the assumption that labels are random"
    ),
    "open_rows": (
        "{n:,} rows of the plan have no verdict yet: you may stop early if intervals are narrow enough, but not "
        "because of the result; a claim needs all rows"
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
    tuple of Caution
    """
    return (
        *_of_the_sample(estimates.counts, n_bootstrap),
        *(_of_the_priors(estimates, result, known) if own else ()),
        *_of_the_labels(estimates, result, known),
    )


def _of_the_sample(counts, n_bootstrap):
    """Reasons in sample sizes and scores, for any priors."""
    n_labeled, n_unlabeled = counts.n_labeled, counts.n_unlabeled
    if n_labeled == 1:
        yield Caution("one_labeled")
    elif n_labeled < FEW:
        yield Caution("few_labeled", n=n_labeled)
    if n_unlabeled < FEW:
        yield Caution("few_unlabeled", n=n_unlabeled)
    sizes = np.diff(counts.predicted)
    copies = np.gcd.reduce(np.diff([counts.labeled, counts.unlabeled]), axis=None)
    if copies > 1 and sizes.size >= _DISTINCT:
        yield Caution("repeated", copies=copies)
    tied = sizes.max() / counts.n
    if tied > _TIED:
        yield Caution("tied", share=tied, distinct=sizes.size)
    wins = np.trapezoid(counts.tpr_pu, counts.fpr_pu)
    if wins > 1 - 1e-12:
        yield Caution("perfect")
    if wins < 0.5:
        yield Caution("reversed", auc=wins)
    if min(n_labeled, n_unlabeled) < LEAST:
        yield Caution("no_interval", least=LEAST)
    elif 0 < n_bootstrap < LEAST:
        yield Caution("few_resamples", n=n_bootstrap, least=LEAST)


def far_apart(first, second):
    """Whether two estimates of alpha differ by more than usual: by a factor where they are small."""
    return abs(float(scale_of_alpha(first) - scale_of_alpha(second))) > _APART


def outside(scores):
    """A warning on corrected scores outside of their bounds; of pairs of a score and its bounds, by name."""
    beyond = [
        f"{name} {value:.3f} (bounds {low:.3f} to {high:.3f})"
        for name, (value, (low, high)) in scores.items()
        if value < low - _HAIR or value > high + _HAIR  # also not if it is NaN
    ]
    if beyond:
        yield Caution("outside_bounds", scores=", ".join(beyond))


def _of_the_priors(estimates, result, known):
    """Reasons in the priors used, and in how well the scores determine them."""
    alpha, beta, estimated, counts = result.alpha, result.beta, estimates.described, estimates.counts
    if beta - alpha < _NARROW:
        yield Caution("close_priors", alpha=alpha, beta=beta, factor=1 / (beta - alpha))
    rho, most = counts.n_labeled / (counts.n_labeled + alpha * counts.n_unlabeled), labelable_share(result.selection)
    if rho > most:
        yield Caution("impossible_selection", selection=result.selection, alpha=alpha, rho=rho, most=most)
    if known:
        if far_apart(estimated.alpha, alpha):
            yield Caution("disagrees_with_given", alpha=alpha, method=estimated.method, estimate=estimated.alpha)
        return
    if not estimates.separates:
        yield Caution("not_separated")
        return
    yield from (Caution("estimator", note=note) for note in estimated.warnings)
    low, high = result.alpha_interval or (0.0, 1.0)
    if not result.alpha_identified:
        yield Caution("not_identified", low=low, high=high)
    if result.uncertainty != "sampling" and not low <= estimated.alpha <= high:
        yield Caution("outside_range", method=estimated.method, estimate=estimated.alpha, low=low, high=high)
    if not estimates.noisy and beta == 1:
        yield from _of_the_members(estimates.consensus[0].members)


def _of_the_members(members):
    """A warning if the members of the consensus disagree."""
    low, high = min(members.values()), max(members.values())
    if far_apart(low, high):
        each = ", ".join(f"{name} {value:.3g}" for name, value in members.items())
        yield Caution("estimators_disagree", factor=(high + 0.002) / (low + 0.002), estimates=each)


def _of_the_labels(estimates, result, known):
    """Reasons in the labels: more of them at the top, or among the low scores, than the priors allow."""
    alpha, beta, samples = result.alpha, result.beta, estimates.samples
    if beta == 1 and known and result.selection == 1:
        p_value = random_label_p_value(estimates.counts, alpha=alpha)
        if p_value < LEVEL:
            most = largest_random_alpha(estimates.counts, level=LEVEL)
            yield Caution("biased", p_value=p_value, most=most, alpha=alpha)
    repaired, direct = (
        pu_roc_auc_score(None, estimates.counts, alpha=alpha, beta=beta, method=method, clip=False)
        for method in ("indirect", "direct")
    )
    if abs(repaired - direct) > _REPAIRED:
        yield Caution("repaired", direct=direct, repaired=repaired)
    if beta == 1 and not estimates.noisy:
        even = even_p_value(*samples, alpha=alpha) < _EVEN_LEVEL
        if even and clean_p_value(*samples) < _NOISE_LEVEL:
            yield Caution("noisy")


def design_facts(sample):
    """The design of a sample in numbers, for JSON: None without one.

    Parameters
    ----------
    sample : Sample

    Returns
    -------
    dict or None
        ``weighted``, numbers of ``clusters`` and ``folds`` or None, whether there are propensities, and the effective
        numbers of labeled and unlabeled examples.
    """
    design, counts = sample.design, sample.counts[0]
    if design is None:
        return None
    return {
        "weighted": design.weights is not None,
        "clusters": None if design.clusters is None else len(np.unique(design.clusters)),
        "folds": None if design.folds is None else len(np.unique(design.folds)),
        "propensity": design.propensity is not None,
        "effective_labeled": counts.n_labeled,
        "effective_unlabeled": counts.n_unlabeled,
    }


def no_bounds(design):
    """A warning on why there are no bounds; none without a design."""
    if design is None:
        return ()
    if design.propensity is not None:
        return (Caution("no_bounds_propensity"),)
    return (Caution("no_bounds_folds" if design.counts_rows else "no_bounds_rows"),)


def impossible(sample, alpha):
    """A warning if propensities would have some positives labeled more often than always, even with so high an alpha.

    Parameters
    ----------
    sample : Sample
    alpha : float
        The largest that is held possible.

    Returns
    -------
    tuple of Caution
    """
    design, s = sample.design, sample.s
    if design is None or design.propensity is None:
        return ()
    weights = np.ones(len(s)) if design.weights is None else design.weights
    labeled, unlabeled = (weights * (s == kind) for kind in (1, 0))
    rho = labeled.sum() / (labeled.sum() + alpha * unlabeled.sum())
    stand_for = labeled / design.propensity
    most = labeled.sum() / stand_for.sum()
    error = np.sqrt(max(1 / effective_size(stand_for) - 1 / effective_size(labeled), 0))  # relative, of the sum
    if rho <= most * (1 + 2 * error):
        return ()
    return (Caution("impossible_propensity", alpha=alpha, rho=rho, most=most),)


def notes_of(sample):
    """Yield warnings on how many independent examples the rows count as."""
    design, counts = sample.design, sample.counts[0]
    if design is None:
        return
    n_labeled, n_unlabeled = sample.n_rows
    effective = counts.n_labeled, counts.n_unlabeled
    if effective[0] < _WORTH * n_labeled or effective[1] < _WORTH * n_unlabeled:
        kinds = {"weights": design.weights, "clusters": design.clusters}
        causes = " and ".join(name for name, each in kinds.items() if each is not None)
        sizes = {"labeled": n_labeled, "unlabeled": n_unlabeled, "causes": causes}
        yield Caution("effective", effective_labeled=effective[0], effective_unlabeled=effective[1], **sizes)
    for n, kind in zip(sample.n_clusters, ("labeled", "unlabeled"), strict=False):
        if n < _FEW_CLUSTERS:
            yield Caution("few_clusters" if n >= LEAST else "too_few_clusters", kind=kind, n=n, least=LEAST)
