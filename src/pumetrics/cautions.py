"""Warnings about a result, each with a code and its values."""

__all__ = ["CAUTIONS", "FEW", "Caution"]

FEW = 50
"""Labeled or unlabeled examples below which a warning says so."""

CAUTIONS = {
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
    "few_labeled": "only {n} labeled examples{counted}: an interval, if there is one, is wide; label more",
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
        "these scores say of alpha only that it is at most {high:.3g}: the area under the ROC curve may still be known "
        "well, but precision and F1 are not; give alpha, or a range for it"
    ),
    "estimators_disagree": "estimators of alpha disagree by a factor of {factor:.1f}: {estimates}",
    # of the labels
    "biased": (
        "alpha = {alpha:.3g} is not possible with these scores if labels are random (at most {most:.3g}, "
        "P = {p_value:.1g}){slip}; if labels favor high scores, check some rows, which needs no such assumption"
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
        """Make the sentence of a code from its template and values."""
        text = CAUTIONS[code].format(**values)
        made = super().__new__(cls, text if about is None else f"{about}: {text}")
        made.code, made.about, made.values = code, about, values
        return made

    def __getnewargs_ex__(self):
        return (self.code, self.about), self.values

    def of(self, about):
        """Return the same warning about something else."""
        return Caution(self.code, about, **self.values)
