"""Assessments and comparisons as sentences and as tables for a terminal."""

from math import isnan

from pumetrics import __version__
from pumetrics.inference.request import ACCOUNTS_FOR
from pumetrics.metrics import METRICS, find_metric

__all__ = [
    "CAUTIONS", "FOOTNOTE", "Caution", "assessment_table", "assumed_in_words", "choice_in_words", "comparison_table",
    "design_in_words", "explained", "group_table", "headline_in_words", "is_estimated", "label", "paper_paragraph",
    "priors_in_words", "span", "turns_in_words",
]  # fmt: skip

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
        "scores are tied: {share:.0%} of the examples share one score, {distinct} distinct scores in all; curves have "
        "few points; use scores before rounding or voting"
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
        "there is no valid interval, so neither model is called better: at least {least} resamples, {least} labeled "
        "and {least} unlabeled examples are needed; 200 resamples are common"
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
    "repaired_estimated": (
        "the corrected ROC curve leaves the unit square or is not monotone, and its repair changes the area from "
        "{direct:.3f} to {repaired:.3f}: reasons can be a small sample, or a too high estimate of alpha"
    ),
    "noisy": (
        "some labeled examples score like the unlabeled ones: wrong labels, or positives that are hard to recognize; "
        "the scores do not show which. Check the labeled examples with the lowest scores: remove those that are wrong "
        "and rerun, or give beta if you counted wrong labels in a random sample of the labeled; if the labels are "
        "right, these numbers are valid"
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


FOOTNOTE = (
    "SCAR: labeled positives are a random sample of all positives. best: at the threshold that is best on these rows. "
    "class mix: share of positives in the population."
)


def label(metric, threshold, *, short=False):
    """Name of a metric, with the threshold if it has one."""
    entry = find_metric(metric)
    at_threshold = entry.kind == "threshold"
    if at_threshold and threshold is None and f"max_{metric}" in METRICS:
        entry = METRICS[f"max_{metric}"]
    name = entry.short if short else entry.label
    return f"{name} at {threshold:g}" if at_threshold and threshold is not None else name


def span(pair, between=" to "):
    """An interval as text, or a dash."""
    return "–" if pair is None else f"{_number(pair[0])}{between}{_number(pair[1])}"


def _number(value, sign=""):
    """Three digits behind the point, or four in all."""
    return f"{value:{sign}.3f}" if abs(value) < 10 else f"{value:{sign}.4g}"


def is_estimated(result):
    """Whether alpha is estimated from the scores, not given and not derived from a label frequency."""
    return result.uncertainty not in ("known", "range", "checked")


def priors_in_words(result):
    """One line on sample and priors of an :class:`Assessment` or a :class:`Comparison`."""
    alpha = f"alpha = {result.alpha:.3f}" + (f" ({span(result.alpha_interval)})" if result.alpha_interval else "")
    if not result.alpha_identified:
        within = f" ({span(result.alpha_interval)})" if result.alpha_interval else ""
        alpha = f"alpha is not identified by these scores{within}"
    beta = ""
    if result.beta < 1 or result.beta_interval:
        within = f" ({span(result.beta_interval)})" if result.beta_interval else ""
        beta = f"; among the labeled: beta = {result.beta:.3f}{within}"
    return (
        f"{result.n_labeled:,} labeled, {result.n_unlabeled:,} unlabeled. Positives among the unlabeled: {alpha}, "
        f"{result.source}{beta}."
    )


def assumed_in_words(result):
    """What the numbers of an :class:`Assessment` or a :class:`Comparison` assume of the labels, and what follows."""
    if isinstance(result.checked, dict) and result.checked:
        first = result.checked["alpha"][0]
        unsure = f", {first.n_unsure} not sure (counted both ways)" if first.n_unsure else ""
        return (
            f"These numbers rest on {first.n_checked:,} checked rows, {first.n_positive:,} of them positive{unsure}, "
            "without assumptions about the labels."
        )
    noise = "labels are correct" if result.beta == 1 else f"{result.beta:.1%} of the labeled examples are positive"
    whose = ", of the unlabeled rows alone," if result.population == "unlabeled" else ""
    these = f"{'The other' if result.checked else 'These'} numbers{whose} assume that {noise} and that"
    if result.selection != 1:
        by = result.selected_by
        whose = f", by the {by} model's scores," if by else ""
        return (
            f"{these} the positive with the highest score{whose} is labeled {result.selection:g} times as often as the "
            "one with the lowest."
        )
    if (result.design or {}).get("propensity"):
        return f"{these} positives are labeled with the given propensities, independently of their scores."
    why, follows = "they scored high", "the numbers are too high"
    if hasattr(result, "headline"):
        why, follows = "a model scored them high", "that model looks better than it is"
    return (
        f"{these} the labeled positives are a random sample of all positives (SCAR). If rows were labeled because "
        f"{why}, {follows}{'.' if result.checked else ': check some rows.'}"
    )


def explained(result):
    """What intervals account for, the population, and weights, clusters and folds: one sentence each."""
    sentences = [ACCOUNTS_FOR[result.uncertainty], _POPULATIONS[result.population], *design_in_words(result.design)]
    bound = result.alpha_bound
    if bound is not None and result.selection == 1:
        sentences.append(f"If labels are random, alpha is at most {bound:.3f}.")
    return sentences


def design_in_words(facts):
    """Sentences on what weights, clusters and folds mean for the numbers, as a list; empty without a design."""
    if facts is None:
        return []
    sentences = []
    if facts["weighted"]:
        sentences.append("Rows are weighted.")
    if facts["clusters"] is not None:
        sentences.append(f"Intervals resample {facts['clusters']:,} clusters of rows, not single rows.")
    if facts["folds"] is not None:
        sentences.append(
            f"Scores are compared within folds only: every number is the mean of {facts['folds']} folds, weighted by "
            "size. The best threshold is the share of rows predicted positive, the same in all folds, that is best on "
            "average."
        )
    return sentences


_POPULATIONS = {
    "all": (
        "The population consists of all rows, labeled and unlabeled. All metrics except AUC, balanced accuracy and "
        "recall depend on its class mix. The top of the ranking is taken from these rows."
    ),
    "unlabeled": (
        "The population consists of the unlabeled rows alone. All metrics except AUC, balanced accuracy and recall "
        "depend on its class mix and have no uncorrected value. The top of the ranking is taken from these rows."
    ),
}


def choice_in_words(choice):
    """A sentence on the threshold of a :class:`~pumetrics.thresholds.ThresholdChoice`."""
    cost = "" if choice.cost is None or isnan(choice.cost) else f", expected cost {choice.cost:.4g} per example"
    precision, recall = (_NOT_IDENTIFIED if isnan(value) else f"{value:.3f}" for value in choice[1:3])
    return (
        f"Threshold {choice.threshold:.6g}: {choice.goal}{cost}, precision {precision}, recall {recall}. It was "
        "chosen on these rows, so the numbers are slightly optimistic."
    )


_NOT_IDENTIFIED = "not identified"


def assessment_table(assessment):
    """A table of an :class:`Assessment` for :mod:`rich`, one metric a row; in narrow terminals it stacks numbers."""
    return _Fitted(_assessment_table(assessment, narrow=False), _assessment_table(assessment, narrow=True))


def _assessment_table(assessment, *, narrow):
    """The table with a column for each number, or with thresholds below metrics and intervals below numbers."""
    kinds = ("interval", "bounds")
    left_out = {kind for kind in kinds if not any(getattr(score, kind) for score in assessment.scores)}
    rows = []
    for score in assessment.scores:
        at = "" if score.threshold is None else f"{score.threshold:.4g}"
        uncorrected = "–" if isnan(score.uncorrected) else _number(score.uncorrected)
        bounds = span(score.bounds, "–")
        rows.append([_metric_cell(score, assessment), at, uncorrected, *_corrected_cells(score), bounds])
        for selection, value, interval in score.selected:
            cells = _NOT_IDENTIFIED if isnan(value) else f"{value:.3f}", span(interval, "–")
            rows.append([f"  selection {selection:g}", "", "", *cells, ""])
    names = ["metric", "threshold", "uncorrected", "corrected", "interval", "bounds"]
    if narrow:
        stacked = "" if "interval" in left_out else "{}"
        rows = [
            [_stacked(name, at and f"  at {at}"), "", before, _stacked(value, stacked.format(within)), "", bounds]
            for name, at, before, value, within, bounds in rows
        ]
        names[0], names[3] = "metric\n  threshold", "corrected" if "interval" in left_out else "corrected\ninterval"
        left_out |= {"threshold", "interval"}
    kept = [place for place, name in enumerate(names) if name not in left_out]
    return _table([names[i] for i in kept], [[row[i] for i in kept] for row in rows], wraps=0 if narrow else 3)


def _metric_cell(score, assessment):
    """Name of a metric in a table that has a column of thresholds."""
    at_threshold = find_metric(score.metric).kind == "threshold" and assessment.threshold is not None
    return find_metric(score.metric).short if at_threshold else label(score.metric, None, short=True)


def _corrected_cells(score):
    """Corrected score and interval."""
    corrected = f"[bold]{_number(score.corrected)}[/]" if score.identified else _NOT_IDENTIFIED
    corrected = "–" if score.identified and isnan(score.corrected) else corrected
    return corrected, span(score.interval, "–")


def comparison_table(comparison):
    """A table of a :class:`Comparison` for :mod:`rich`, one metric a row, with intervals below the numbers."""
    tables = []
    for columns, between in ((6, " to "), (5, " to "), (5, " to\n")):
        names = ["metric", "first", "second", "difference", "better", "flips at"][:columns]
        rows = [row[:columns] for row in _compared_rows(comparison, between)]
        tables.append(_table(names, rows, wraps=0, left=("better", "flips at")))
    return _Fitted(*tables)


def _compared_rows(comparison, between):
    """Cells of every metric, with intervals below the numbers."""
    rows = []
    for metric, (first, second, gap, _) in comparison.differences.items():
        *models, difference = comparison.shown(metric)
        rows.append(
            [
                label(metric, comparison.threshold, short=True),
                *(_cell(*each, "–", "") for each in zip(models, (first, second), strict=True)),
                _cell(difference, gap, between, "+"),
                comparison.scar_winner or "open" if metric == comparison.headline else "",
                turns_in_words(comparison.orders[metric], between="\n"),
            ]
        )
    return rows


def _cell(value, interval, between, sign):
    """A number, bold, or that it is not identified, above its interval."""
    shown = "not\nidentified" if value is None else f"[bold]{_number(value, sign)}[/]"
    return f"{shown}\n{_number(interval.lower, sign)}{between}{_number(interval.upper, sign)}"


def group_table(groups, metric, *, column="group"):
    """A table of :class:`GroupAssessments` and one metric for :mod:`rich`, one group a row.

    Parameters
    ----------
    groups : GroupAssessments
    metric : str
        One of those that were assessed.
    column : str
        What the groups are.
    """
    from rich.markup import escape

    thresholds = {each.assessment.threshold for each in groups if each.assessment}
    name, group = label(metric, next(iter(thresholds)), short=True), escape(column)
    if len(thresholds) > 1 and find_metric(metric).kind == "threshold":  # each chosen for its own group
        name = f"{find_metric(metric).short}, own threshold"
    rows = []
    for each in groups:
        sizes = (f"{size:,}" for size in (each.n_labeled, each.n_unlabeled))
        rows.append([escape(str(each.group)), *sizes, *_group_cells(each, metric)])
    wide = _table([group, "labeled", "unlabeled", "alpha", name, "interval"], rows, wraps=0)
    rows = [
        [each, _stacked(labeled, unlabeled), alpha, _stacked(value, interval)]
        for each, labeled, unlabeled, alpha, value, interval in rows
    ]
    return _Fitted(wide, _table([group, "labeled\nunlabeled", "alpha", f"{name}\ninterval"], rows, wraps=0))


def _group_cells(each, metric):
    """Alpha, corrected score and interval of a group."""
    found = each.assessment
    if found is None:
        return "–", "not assessed", "–"
    score = next(score for score in found.scores if score.metric == metric)
    alpha = f"{found.alpha:.3f}" if found.alpha_identified else _NOT_IDENTIFIED
    alpha = span(found.alpha_interval, "–") if found.alpha_interval else alpha
    corrected, interval = _corrected_cells(score)
    return alpha, corrected, interval if score.interval else "too few"


def headline_in_words(comparison):
    """Why one metric of a :class:`Comparison` has a verdict and the others have none."""
    name = label(comparison.headline, comparison.threshold)
    return f"{name} alone decides which model is better, because with several metrics one may differ by chance"


def turns_in_words(order, between=" "):
    """Alphas at which the order of the models changes."""
    return between.join(f"{alpha:.3f}" for alpha in order.changes) or "never"


def paper_paragraph(assessment):
    """Sentences on an :class:`Assessment` to put into a paper."""
    if assessment.checked:
        return _checked_paragraph(assessment)
    alpha = f"{assessment.alpha:.3f}" + (f" ({span(assessment.alpha_interval)})" if assessment.alpha_interval else "")
    if not assessment.alpha_identified:
        alpha = f"is not identified by these scores: {span(assessment.alpha_interval)}"
    elif assessment.rho is not None:
        alpha = f"follows {assessment.source}: {alpha}"
    else:
        alpha = f"was {assessment.source} as {alpha}" if is_estimated(assessment) else f"was set to {alpha}"
    labels = (
        "no label noise was assumed"
        if assessment.beta == 1
        else f"a share of {assessment.beta:.3f} of the labeled examples is positive"
    )
    sentences = [
        f"The classifier was evaluated on {assessment.n_labeled:,} labeled and {assessment.n_unlabeled:,} unlabeled "
        "examples that it was not trained on.",
        f"{_labeling(assessment)}; {labels}.",
        f"The share of positives among the unlabeled {alpha}.",
        *(["'Best' means at the threshold that is best on these examples."] if assessment.threshold is None else []),
        "Corrected for the positives among the unlabeled (Jain et al. 2017; Ramola et al. 2019): "
        + "; ".join(_result(score, assessment) for score in assessment.scores)
        + ".",
    ]
    if assessment.n_resamples:
        sentences.append(
            f"Intervals are {assessment.confidence:.0%} bootstrap intervals from {assessment.n_resamples} resamples of "
            f"labeled and unlabeled examples{_RESAMPLED.get(assessment.uncertainty, '')}."
        )
    if any(score.bounds for score in assessment.scores):
        sentences.append(
            f"Bounds hold with {assessment.confidence:.0%} confidence for any distribution of scores "
            "(Claesen et al. 2015)."
        )
    return " ".join([*sentences, f"Computed with pumetrics {__version__}."])


def _checked_paragraph(assessment):
    """The same of an assessment by checked rows."""
    first = assessment.checked["alpha"][0]
    kind = "exact" if first.guaranteed else "profile likelihood"
    return (
        f"The classifier was evaluated on {assessment.n_labeled:,} labeled and {assessment.n_unlabeled:,} unlabeled "
        f"examples that it was not trained on. The true class of {first.n_checked:,} of them was determined "
        f"({first.n_positive:,} positive). No assumption was made about how labels were assigned. The share of "
        f"positives among the unlabeled is {span(assessment.alpha_interval)}; "
        + "; ".join(_result(score, assessment) for score in assessment.scores)
        + f". Intervals are {assessment.confidence:.0%} {kind} intervals about these examples. "
        f"Computed with pumetrics {__version__}."
    )


_RESAMPLED = {
    "range": ", for every share of positives in that range",
    "calibrated": (
        ", each corrected with a share of positives drawn from its range given the scores, as calibrated on "
        "data sets with known shares"
    ),
    "guaranteed": ", for every share of positives up to an upper bound that holds for any distribution of scores",
    "calibrated_noise": (
        ", each corrected with shares of positives among the unlabeled and the labeled drawn from their ranges given "
        "the scores, as calibrated on data sets with known label noise"
    ),
    "guaranteed_noise": (
        ", for all shares of positives among the unlabeled and the labeled within bounds that hold for any "
        "distribution of scores"
    ),
    "sampling": ", with the priors re-estimated in each, without the error of the estimator",
}


def _labeling(assessment):
    if (assessment.design or {}).get("propensity"):
        return (
            "Labeled positives were weighted by 1 / propensity to represent all positives (Bekker, Robberechts & "
            "Davis 2019)"
        )
    if assessment.selection == 1:
        return "Labeled positives were assumed to be a random sample of all positives (SCAR)"
    return (
        f"The positive with the highest score was assumed to be labeled {assessment.selection:g} times as often as "
        "the one with the lowest, log-linear in the rank"
    )


def _result(score, assessment):
    parts = [f"{kind} {span(pair)}" for kind, pair in (("interval", score.interval), ("bounds", score.bounds)) if pair]
    parts += [] if isnan(score.uncorrected) else [f"uncorrected {score.uncorrected:.3f}"]
    corrected = f"{score.corrected:.3f}" if score.identified else "is not identified by these scores"
    corrected = "" if score.identified and isnan(score.corrected) else f" {corrected}"
    return f"{label(score.metric, assessment.threshold)}{corrected} ({', '.join(parts)})"


def _stacked(*parts):
    """What there is, each on a line of a cell."""
    return "\n".join(filter(None, parts))


def _table(columns, rows, *, wraps, left=()):
    """A table of which one column, the one at place `wraps`, may break its lines between words, and no other."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for place, name in enumerate(columns):
        cells = [name, *(row[place] for row in rows)]
        widths = [Text.from_markup(line).cell_len for cell in cells for line in cell.split("\n")]
        free = place == wraps
        options = {"no_wrap": not free, "min_width": None if free else max(widths), "overflow": "fold"}
        table.add_column(name, justify="left" if place == 0 or name in left else "right", **options)
    for row in rows:
        table.add_row(*row)
    return table


class _Fitted:
    """The first of several tables that fits the width of a terminal, or else the last."""

    def __init__(self, *tables):
        self.tables = tables

    def __rich_console__(self, console, options):
        endless = options.update(max_width=10_000)
        fitting = (
            table for table in self.tables if table.__rich_measure__(console, endless).minimum <= options.max_width
        )
        yield next(fitting, self.tables[-1])
