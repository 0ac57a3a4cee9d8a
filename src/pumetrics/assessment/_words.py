"""Assessments and comparisons in words and in tables of a terminal."""

from math import isnan

from pumetrics import __version__
from pumetrics.assessment._design import design_in_words
from pumetrics.inference.types import ACCOUNTS_FOR, informative
from pumetrics.metrics import METRICS, find_metric

__all__ = [
    "FOOTNOTE",
    "assessment_table",
    "assumed_in_words",
    "choice_in_words",
    "comparison_table",
    "group_table",
    "label",
    "paper_paragraph",
    "priors_in_words",
    "span",
    "turns_in_words",
    "verdict",
]

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


def _number(value):
    """Three digits behind the point, or four in all."""
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.4g}"


def priors_in_words(result):
    """One line on sample and priors of an :class:`Assessment`."""
    ranges = [
        f"{name} = {value:.3f}" + (f" ({span(interval)})" if interval else "")
        for name, value, interval in (
            ("alpha", result.alpha, result.alpha_interval),
            ("beta", result.beta, result.beta_interval),
        )
    ]
    if not getattr(result, "alpha_identified", True):
        within = f" ({span(result.alpha_interval)})" if result.alpha_interval else ""
        ranges[0] = f"alpha is not identified by these scores{within}; the value used is {result.alpha:.3f}"
    bound = getattr(result, "alpha_bound", None)
    at_most = f"; under SCAR at most {bound:.3f}" if bound is not None and result.selection == 1 else ""
    return (
        f"{result.n_labeled:,} labeled, {result.n_unlabeled:,} unlabeled. Share of positives among the unlabeled: "
        f"{ranges[0]}, {result.source}{at_most}; among the labeled: {ranges[1]}."
    )


def assumed_in_words(result):
    """Assumptions of an :class:`Assessment` or a :class:`Comparison`, and what its intervals account for."""
    selection = getattr(result, "selection", 1.0)
    labels = "no label noise" if result.beta == 1 else f"{result.beta:.1%} of the labeled examples are positive"
    if selection == 1:
        assumed = f"Assumed: {labels}, and labeled positives are a random sample of all positives."
    else:
        assumed = (
            f"Assumed: {labels}, and the positive with the highest score is labeled {selection:g} times as often as "
            "that with the lowest."
        )
    parts = [assumed, ACCOUNTS_FOR[result.uncertainty], _POPULATIONS[result.population]]
    return " ".join([*parts, *design_in_words(getattr(result, "design", None))])


_POPULATIONS = {
    "all": (
        "Population: all rows, labeled and unlabeled together; it matters for all metrics but AUC, balanced accuracy "
        "and recall, and tops are ranked among it."
    ),
    "unlabeled": (
        "Population: the unlabeled rows alone; it matters for all metrics but AUC, balanced accuracy and recall, the "
        "others have no uncorrected value, and tops are ranked among it."
    ),
}


def choice_in_words(choice):
    """A sentence on the threshold of a :class:`~pumetrics.thresholds.ThresholdChoice`."""
    cost = "" if choice.cost is None else f", expected cost {choice.cost:.4g} per example"
    return (
        f"Threshold {choice.threshold:.6g}: {choice.goal}{cost}, precision {choice.precision:.3f}, recall "
        f"{choice.recall:.3f}. It was chosen on these rows, so numbers at it are slightly optimistic."
    )


_NOT_IDENTIFIED = "not identified"


def assessment_table(assessment):
    """A :class:`rich.table.Table` of an :class:`Assessment`, one metric a row."""
    numbers = ["uncorrected", "corrected", "bounds"]
    if assessment.n_resamples:
        numbers.insert(2, "interval")
    table = _table(["metric"], ["threshold", *numbers], [])
    for score in assessment.scores:
        corrected = f"[bold]{_number(score.corrected)}[/]" if score.identified else _NOT_IDENTIFIED
        uncorrected = "–" if isnan(score.uncorrected) else _number(score.uncorrected)
        values = ["" if score.threshold is None else f"{score.threshold:.4g}", uncorrected, corrected]
        values += [span(score.interval, "–")] if assessment.n_resamples else []
        values.append(span(score.bounds, "–"))
        at_threshold = find_metric(score.metric).kind == "threshold" and assessment.threshold is not None
        name = find_metric(score.metric).short if at_threshold else label(score.metric, None, short=True)
        table.add_row(name, *values)
        for selection, value, interval in score.selected:
            identified = interval is None or informative(score.metric, interval)
            values = ["", "", f"{value:.3f}" if identified else _NOT_IDENTIFIED]
            values += [span(interval, "–")] if assessment.n_resamples else []
            table.add_row(f"  selection {selection:g}", *values, "")
    return table


def comparison_table(comparison):
    """A :class:`rich.table.Table` of a :class:`Comparison`, one metric a row."""
    numbers = ["first", "second", "diff.", "interval", "P"]
    table = _table(["metric"], numbers, ["better", "flips at"])
    for metric, difference in comparison.differences.items():
        gap = difference.difference
        table.add_row(
            label(metric, comparison.threshold, short=True),
            f"{difference.first.estimate:.3f}",
            f"{difference.second.estimate:.3f}",
            f"[bold]{gap.estimate:+.3f}[/]",
            f"{gap.lower:+.3f} to {gap.upper:+.3f}",
            f"{difference.probability:.3f}",
            verdict(gap),
            turns_in_words(comparison.orders[metric]),
        )
    return table


def group_table(groups, metric, *, column="group"):
    """A :class:`rich.table.Table` of :class:`GroupAssessments` and one metric, one group a row.

    Parameters
    ----------
    groups : GroupAssessments
    metric : str
        One of those that were assessed.
    column : str
        What the groups are.
    """
    from rich.markup import escape

    one = next(each.assessment for each in groups if each.assessment)
    numbers = ["labeled", "unlabeled", "alpha", label(metric, one.threshold, short=True), "interval"]
    table = _table([escape(column)], numbers, [])
    for each in groups:
        sizes = (f"{size:,}" for size in (each.n_labeled, each.n_unlabeled))
        table.add_row(escape(str(each.group)), *sizes, *_group_cells(each, metric))
    return table


def _group_cells(each, metric):
    """Alpha, corrected score and interval of a group."""
    found = each.assessment
    if found is None:
        return "–", "not assessed", "–"
    score = next(score for score in found.scores if score.metric == metric)
    alpha = span(found.alpha_interval, "–") if found.alpha_interval else f"{found.alpha:.3f}"
    corrected = f"[bold]{score.corrected:.3f}[/]" if score.identified else "not identified"
    return alpha, corrected, span(score.interval, "–") if score.interval else "too few"


def verdict(gap):
    """The better model if the interval of the difference, first minus second, leaves out 0."""
    if gap.lower > 0 or gap.upper < 0:
        return "first" if gap.lower > 0 else "second"
    return "open"


def turns_in_words(order):
    """Alphas at which the order of the models changes."""
    return " ".join(f"{alpha:.3f}" for alpha in order.changes) or "never"


def paper_paragraph(assessment):
    """Sentences on an :class:`Assessment` to put into a paper."""
    estimated = assessment.source.startswith("estimated")
    how = f"was {assessment.source} as" if estimated else "was set to"
    alpha = f"{assessment.alpha:.3f}" + (f" ({span(assessment.alpha_interval)})" if assessment.alpha_interval else "")
    if assessment.source.startswith("from rho"):
        how, alpha = "follows", f"{assessment.source}: {alpha}"
    labels = (
        "no label noise was assumed"
        if assessment.beta == 1
        else f"a share of {assessment.beta:.3f} of the labeled examples is positive"
    )
    sentences = [
        f"The classifier was evaluated on {assessment.n_labeled:,} labeled and {assessment.n_unlabeled:,} unlabeled "
        "examples that it was not trained on.",
        f"{_labeling(assessment)}; {labels}.",
        f"The share of positives among the unlabeled {how} {alpha}.",
        *(["Best stands for the threshold that is best on these examples."] if assessment.threshold is None else []),
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
    if assessment.selection == 1:
        return "Labeled positives were assumed to be a random sample of all positives (SCAR)"
    return (
        f"The positive with the highest score was assumed to be labeled {assessment.selection:g} times as often as "
        "that with the lowest, log-linear in the rank"
    )


def _result(score, assessment):
    parts = [f"{kind} {span(pair)}" for kind, pair in (("interval", score.interval), ("bounds", score.bounds)) if pair]
    parts += [] if isnan(score.uncorrected) else [f"uncorrected {score.uncorrected:.3f}"]
    corrected = f"{score.corrected:.3f}" if score.identified else "is not identified by these scores"
    return f"{label(score.metric, assessment.threshold)} {corrected} ({', '.join(parts)})"


def _table(left, numbers, right):
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in left:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for name in right:
        table.add_column(name, overflow="fold", no_wrap=name != right[-1])
    return table
