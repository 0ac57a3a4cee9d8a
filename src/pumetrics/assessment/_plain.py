"""An assessment in words that need no statistics: the first lines of a page, its tables, and its terms."""

from math import ceil, floor, inf, isnan
from typing import NamedTuple

from pumetrics.assessment._words import is_estimated, label, span
from pumetrics.inference.answers import informative
from pumetrics.label_frequency import rho_from_alpha
from pumetrics.metrics import find_metric

__all__ = [
    "GLOSSARY", "alpha_sentence", "headline", "of_alarms", "percent", "percents", "rounded_out",
    "rows_at_threshold", "rows_over_thresholds", "term_of", "threshold_words",
]  # fmt: skip

GLOSSARY = {
    "positive": ("positive", "A row of the kind the model looks for, such as a fraud, whether or not it is labeled."),
    "labeled": ("labeled", "A row that is known to be positive."),
    "unlabeled": ("unlabeled", "A row whose class is unknown: a hidden positive or a negative."),
    "alarm": ("alarm", "A row that is flagged: its score is at or above the threshold."),
    "threshold": ("threshold", "Rows with this score or a higher one are flagged."),
    "corrected": (
        "corrected",
        "Estimated against the true class: positives among the unlabeled rows are no longer counted as negatives.",
    ),
    "uncorrected": (
        "uncorrected",
        "Labeled rows counted as positives and all unlabeled rows as negatives, as most tools do.",
    ),
    "interval": (
        "interval",
        "Range that holds the true number with the stated confidence, allowing for chance and for what alpha may be.",
    ),
    "bounds": (
        "bounds",
        "Limits that hold with the stated confidence for any distribution of scores, given alpha and labels at random.",
    ),
    "identified": (
        "not identified",
        "The scores leave so much open that a single number would mislead: only its interval is shown.",
    ),
    "alpha": ("alpha", "The share of positives among the unlabeled rows."),
    "scar": (
        "labels at random",
        "The labeled positives are a random sample of all positives (SCAR, selected completely at random). Scores "
        "rarely reveal whether this holds: consider how the labels were collected.",
    ),
    "recall": ("recall", "Share of all positives that the model flags: how many of them it finds."),
    "precision": ("precision", "Share of the alarms that are right."),
    "new_precision": ("precision of new alarms", "Share of the flagged unlabeled rows that are positive."),
    "fall_out": ("false positive rate", "Share of the negatives that are flagged by mistake."),
    "lift": ("lift", "How many times as often positives occur among the alarms as among all rows."),
    "roc_auc": (
        "AUC",
        "Chance that a random positive scores higher than a random negative: 1 is perfect, 0.5 is guessing.",
    ),
    "average_precision": (
        "AUC-PR",
        "Precision averaged over all levels of recall. Guessing gives the share of positives.",
    ),
    "accuracy": (
        "accuracy",
        "Share of rows that are classified correctly. High for any model where positives are rare.",
    ),
    "balanced_accuracy": (
        "balanced accuracy",
        "Mean of the shares of positives and of negatives classified correctly.",
    ),
    "f1": ("F1", "Harmonic mean of precision and recall."),
    "mcc": (
        "MCC",
        "Matthews correlation between prediction and truth: 1 is perfect, 0 is guessing, -1 is always wrong.",
    ),
}
"""Terms of a page: what each is called, and what it means."""

_SURE = 0.985  # "practically all" alarms are right from here on
_RARE = 0.095  # below which they are 1 of so many


def percent(share):
    """A share in percent with two digits.

    Examples
    --------
    >>> percent(0.7123), percent(0.0142), percent(0.9968), percent(0.0)
    ('71%', '1.4%', '99.7%', '0%')
    """
    value = 100 * share
    digits = 0 if value == 0 or 10 <= value < 99 or value == 100 else 1 if value >= 1 else 2 if value >= 0.1 else 3
    return f"{value:.{digits}f}%"


def percents(pair):
    """A range of shares in percent, rounded outwards so that it still holds what it held.

    Examples
    --------
    >>> percents((0.641, 0.778)), percents((0.0081, 0.0237))
    ('64% to 78%', '0.8% to 2.4%')
    """
    low, high = (100 * end for end in pair)
    scale = 1 if high >= 10 and low >= 1 else 10 if high >= 1 else 100
    low, high = max(floor(low * scale + 1e-9) / scale, 0), min(ceil(high * scale - 1e-9) / scale, 100)
    return f"{low:g}% to {high:g}%"


def rounded_out(pair):
    """A range with two decimals, rounded outwards.

    Examples
    --------
    >>> rounded_out((0.8649, 0.9151))
    '0.86 and 0.92'
    """
    low, high = floor(100 * pair[0] + 1e-9) / 100, ceil(100 * pair[1] - 1e-9) / 100
    return f"{low:.2f} and {high:.2f}"


def of_alarms(share):
    """How many alarms are right, as a fraction of small numbers.

    Examples
    --------
    >>> of_alarms(0.667), of_alarms(0.04), of_alarms(0.999), of_alarms(0.0)
    ('2 of 3 alarms are right', '1 of 25 alarms is right', 'practically all alarms are right', 'no alarm is right')
    """
    if share >= _SURE:
        return "practically all alarms are right"
    if share < 1e-4:
        return "no alarm is right" if share == 0 else "fewer than 1 of 10,000 alarms is right"
    if share < _RARE:
        return f"1 of {round(1 / share):,} alarms is right"
    for whole in (2, 3, 4, 5, 10, 6, 7, 8, 9, 20, 50):
        part = round(share * whole)
        if 0 < part < whole and abs(part / whole - share) <= 0.02:
            return f"{part} of {whole} alarms {'is' if part == 1 else 'are'} right"
    return "practically all alarms are right"


def headline(assessment, point=None):
    """The first lines of a page: how good this model is.

    Parameters
    ----------
    assessment : Assessment
    point : OperatingPoint, optional
        What is done with the scores.

    Returns
    -------
    str
        One sentence where everything is known, else several.
    """
    if assessment.checked:
        return _checked_headline(assessment)
    score = next((each for each in assessment.scores if each.metric == "roc_auc"), assessment.scores[0])
    name, alarms = label(score.metric, assessment.threshold), _alarms(point) if point else ""
    if not score.identified:
        within = f": its {name} may lie anywhere between {rounded_out(score.interval)}" if score.interval else ""
        ranking = f"These scores do not identify how good this model is{within}"
    elif score.interval is None:
        ranking = f"Corrected for hidden positives, this model's {name} is {score.corrected:.2f} (no interval)"
    else:
        within = rounded_out(score.interval)
        ranking = f"With {assessment.confidence:.0%} confidence, this model's {name} is between {within}"
        if point and point.n_flagged and point.precision.identified:
            return f"{ranking}; {alarms[0].lower()}{alarms[1:]}"
    return f"{ranking}. {alarms}".rstrip()


def _checked_headline(assessment):
    """The same by checked rows: at the threshold if there is one, else over all thresholds."""
    n_checked, scores = assessment.checked["alpha"][0].n_checked, {each.metric: each for each in assessment.scores}
    by = f"By {n_checked:,} checked rows, with {assessment.confidence:.0%} confidence and whatever rows were labeled"
    if {"precision", "recall"} <= scores.keys():
        found, right = (percents(scores[name].interval) for name in ("recall", "precision"))
        at = f"at the threshold {assessment.threshold:.4g}"
        return f"{by}, this model finds {found} of the positives {at}, and {right} of its alarms are right."
    if not scores:
        return f"{by}, {percents(assessment.alpha_interval)} of the unlabeled rows are positive."
    score = scores.get("roc_auc", assessment.scores[0])
    name = label(score.metric, assessment.threshold)
    return f"{by}, this model's {name} is between {rounded_out(score.interval)}."


def _alarms(point):
    """What the model finds at the threshold, and how many alarms are right."""
    at = f"At the threshold {point.threshold:.4g}"
    if point.threshold == inf:
        return f"The {'best F1' if point.chosen == 'best F1' else 'goal'} is reached by flagging no row at all."
    if not point.n_flagged:
        return f"{at} it flags no row: all scores are lower."
    recall, precision = point.recall, point.precision
    found = "the share of the positives that it finds is not identified"
    if recall.identified:
        found = f"it finds {percent(recall.corrected)} of the positives"
    right = "the share of its alarms that are right is not identified"
    if precision.identified:
        right = of_alarms(precision.corrected)
    return f"{at} {found}{_within(recall)}, and {right}{_within(precision)}."


def _within(estimate):
    return f" ({percents(estimate.interval)})" if estimate.interval else ""


def threshold_words(point, choice=None):
    """How the threshold was chosen, and what it costs.

    Parameters
    ----------
    point : OperatingPoint
    choice : ThresholdChoice, optional
        What it was chosen for, if it was.

    Returns
    -------
    str
    """
    optimistic = "which makes the numbers at it slightly optimistic"
    if choice is not None:
        cost = "" if choice.cost is None or isnan(choice.cost) else f"; expected cost {choice.cost:.4g} per row"
        return f"chosen on these rows for {choice.goal}, {optimistic}{cost}"
    if point.chosen == "given":
        return "given"
    return f"where the corrected F1 is largest on these rows, {optimistic}"


def alpha_sentence(result):
    """Where the share of positives among the unlabeled comes from, and how sure it is.

    Parameters
    ----------
    result : Assessment or Comparison

    Returns
    -------
    str
    """
    share, pair = percent(result.alpha), result.alpha_interval
    within = f" ({percents(pair)})" if pair else ""
    if result.scar:
        return f"By the checked rows, {percents(pair)} of the unlabeled rows are positive."
    if not result.alpha_identified:
        return (
            f"The share of positives among the unlabeled rows is not identified by these scores{within}; precision, "
            "F1 and everything else that depends on it are as uncertain."
        )
    if is_estimated(result):
        how = result.priors.method if hasattr(result, "priors") else "consensus"
        return f"Estimated from the scores by {how}: {share} of the unlabeled rows are positive{within}."
    if result.source != "given":
        sizes = result.n_labeled, result.n_unlabeled
        rho = result.rho or rho_from_alpha(result.alpha, *sizes, beta=result.beta)
        return f"Given: {percent(rho)} of all positives are labeled, so {share} of the unlabeled rows are positive."
    if pair:
        return (
            f"Given: {percents(pair)} of the unlabeled rows are positive. Intervals hold for every share in this "
            f"range; single numbers are for its middle, {share}."
        )
    return f"Given: {share} of the unlabeled rows are positive."


def term_of(metric):
    """Key of :data:`GLOSSARY` for a metric, or None."""
    measure = find_metric(metric).measure or metric
    return measure if measure in GLOSSARY else None


_POINT = ("recall", "precision", "new_precision", "lift")
"""Numbers of an operating point that have a row."""


class Row(NamedTuple):
    """A number of a page; texts are None where there is nothing to show."""

    key: str | None
    """Of :data:`GLOSSARY`."""
    name: str
    value: str | None
    """None where it is not identified."""
    interval: str | None
    bounds: str | None = None
    uncorrected: str | None = None
    assumes: str | None = None
    nested: bool = False
    """Whether it says what another assumption makes of the row above."""


def rows_at_threshold(assessment, point):
    """What is known at the threshold in use, of the assessment where it has it, else of the operating point.

    Parameters
    ----------
    assessment : Assessment
    point : OperatingPoint or None

    Returns
    -------
    list of Row
    """
    scores = {score.metric: score for score in assessment.scores if _is_at_threshold(assessment, score)}
    precision = "precision" if assessment.population == "all" else "new_precision"
    rows = []
    for key in _POINT:
        score = scores.pop({"recall": "recall", precision: "precision"}.get(key), None)
        if score:
            rows += _rows_of(score, key, GLOSSARY[key][0], (percent, percents))
        elif point:
            rows.append(_row_of(key, getattr(point, key)))
    for score in scores.values():
        rows += _rows_of(score, term_of(score.metric), find_metric(score.metric).label)
    return rows


def rows_over_thresholds(assessment):
    """Areas, metrics at their best threshold, and metrics of the top of the ranking.

    Parameters
    ----------
    assessment : Assessment

    Returns
    -------
    list of Row
    """
    others = [score for score in assessment.scores if not _is_at_threshold(assessment, score)]
    return [row for score in others for row in _rows_of(score, term_of(score.metric), label(score.metric, None))]


def _is_at_threshold(assessment, score):
    return assessment.threshold is not None and find_metric(score.metric).kind == "threshold"


def _rows_of(score, key, name, texts=(lambda value: f"{value:.3f}", span)):
    """The row of a score, and one for each other strength of selection."""
    one, both = texts
    value = "–" if isnan(score.corrected) else one(score.corrected)
    yield Row(
        key,
        name,
        value if score.identified else None,
        score.interval and both(score.interval),
        score.bounds and both(score.bounds),
        None if isnan(score.uncorrected) else one(score.uncorrected),
        score.assumes,
    )
    for selection, value, interval in score.selected:
        known = interval is None or informative(score.metric, interval)
        about = f"selection {selection:g}"
        yield Row(None, about, one(value) if known else None, interval and both(interval), assumes=about, nested=True)


def _row_of(key, estimate):
    """The row of a number of an operating point."""
    one, both = (
        (percent, percents) if key != "lift" else ("{:.1f}".format, lambda pair: "{:.1f} to {:.1f}".format(*pair))
    )
    interval = estimate.interval and both(estimate.interval)
    return Row(key, GLOSSARY[key][0], one(estimate.corrected) if estimate.identified else None, interval)
