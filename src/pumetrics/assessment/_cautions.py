"""Warnings as data: a code with values, and one table that says what each reads."""

__all__ = ["CAUTIONS", "Caution"]


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
