"""What an assessment says: its terms, numbers and sentences, for terminal, page and paper."""

from math import ceil, floor, isnan, log10

from pumetrics import __version__
from pumetrics.inference.request import ACCOUNTS_FOR
from pumetrics.metrics import METRICS, find_metric
from pumetrics.priors.interval import WIDEST

__all__ = [
    "GLOSSARY",
    "assumed_in_words",
    "assumed_of_two",
    "at_threshold",
    "decides_in_words",
    "design_in_words",
    "difference_in_words",
    "explained",
    "explained_of_two",
    "headline",
    "label",
    "name_of",
    "number",
    "paper_paragraph",
    "percent",
    "percents",
    "priors_in_words",
    "shown",
    "span",
    "term_of",
    "unscored_in_words",
    "verdict_sentence",
]


GLOSSARY = {
    "positive": (
        "positive",
        "A row of the kind the model looks for, such as a fraud, whether or not it is labeled.",
    ),
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
    "precision": (
        "precision",
        "Share of the alarms that are true: of the flagged rows that are positive.",
    ),
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

_FOOTNOTE = (
    "SCAR: labeled positives are a random sample of all positives. best: at the threshold that is best on these rows. "
    "prevalence: share of positives in the population."
)

_BASIS = {"checked": "these checks"}


def at_threshold(metric, threshold):
    """Whether a metric is that of predictions at a threshold that is given."""
    return threshold is not None and find_metric(metric).kind == "threshold"


def name_of(metric, threshold, *, short=False):
    """Name of a metric: without a threshold, that of its maximum if it has one."""
    entry = METRICS.get(f"max_{metric}") if threshold is None else None
    entry = entry or find_metric(metric)
    return entry.short if short else entry.label


def label(metric, threshold, *, short=False):
    """Name of a metric, with the threshold if it has one."""
    name = name_of(metric, threshold, short=short)
    return f"{name} at {shown(threshold)}" if at_threshold(metric, threshold) else name


def span(pair, between=" to ", sign=""):
    """An interval as text; nothing for None."""
    return "" if pair is None else f"{number(pair[0], sign)}{between}{number(pair[1], sign)}"


def number(value, sign=""):
    """Four digits; of shares three behind the point, or two that differ from 0 and from those of 1; nothing for NaN.

    Examples
    --------
    >>> number(0.5), number(14.9), number(2000.4), number(4.9e-6), number(0.9984)
    ('0.500', '14.90', '2000', '0.0000049', '0.9984')
    """
    if isnan(value):
        return ""
    digits = sum(abs(value) < limit for limit in (10, 100, 1000))
    near = min(abs(value), abs(1 - abs(value)))
    if abs(value) < 1 and 1e-9 < near < 0.01:
        digits = 1 - floor(log10(near))
    return f"{value:{sign}.{digits}f}"


def shown(threshold):
    """A threshold with all digits that it needs, so that giving it back predicts the same.

    Examples
    --------
    >>> shown(0.1377), shown(700026.0), shown(1e-9)
    ('0.1377', '700026', '1e-09')
    """
    return repr(float(threshold)).removesuffix(".0")


def percent(share):
    """A share in percent with two digits; nothing for NaN.

    Examples
    --------
    >>> percent(0.7123), percent(0.0142), percent(0.9968), percent(0.0)
    ('71%', '1.4%', '99.7%', '0%')
    """
    if isnan(share):
        return ""
    value = 100 * share
    digits = sum(value < limit for limit in (10, 1, 0.1))
    if value in (0, 100):
        digits = 0
    elif value >= 99:
        digits = 1
    return f"{value:.{digits}f}%"


def percents(pair):
    """A range of shares in percent, rounded outwards so that it still holds what it held; nothing for None.

    Examples
    --------
    >>> percents((0.641, 0.778)), percents((0.0081, 0.0237))
    ('64% to 78%', '0.8% to 2.4%')
    """
    if pair is None:
        return ""
    low, high = (100 * end for end in pair)
    scale = 10 if high >= 1 else 100
    if high >= 10 and low >= 1:
        scale = 1
    outer_low = max(floor(low * scale + 1e-9) / scale, 0)
    outer_high = min(ceil(high * scale - 1e-9) / scale, 100)
    return f"{outer_low:g}% to {outer_high:g}%"


def term_of(metric):
    """Key of :data:`GLOSSARY` for a metric, or None."""
    measure = find_metric(metric).measure or metric
    return measure if measure in GLOSSARY else None


def unscored_in_words(*unscored):
    """Sentences on rows without a score of one model or two, each with a blank before it; empty if there are none."""
    words = ""
    for place, each in enumerate(unscored):
        whose = ("", "")
        if len(unscored) == 2 and unscored[0] != unscored[1]:
            whose = (" of the first model", " of the second model")
        if each is None or each in unscored[:place]:
            continue
        if each.treated == "skip":
            words += f" Scored rows only: without the {each} that have no score."
        else:
            words += f" {each} have no score{whose[place]}: they rank below all others, tied."
    return words


def priors_in_words(result, *others):
    """The lines on sample and priors of an :class:`Assessment`, and on rows without a score, also of `others`."""
    beta = ""
    if result.beta < 1 or result.beta_interval:
        within = f" ({span(result.beta_interval)})" if result.beta_interval else ""
        beta = f"; among the labeled: beta = {number(result.beta)}{within}"
    unscored = unscored_in_words(*(each.unscored for each in (result, *others)))
    return (
        f"{result.n_labeled:,} labeled, {result.n_unlabeled:,} unlabeled. Positives among the unlabeled: "
        f"{_alpha_in_words(result)}, {result.source}{beta}.{unscored}"
    )


def _alpha_in_words(result):
    """What is known of alpha: a number with its range, or an upper end alone."""
    alpha = f"alpha = {number(result.alpha)}"
    for each in result.warnings:
        if each.code == "biased":
            return (
                f"{alpha} is not possible with these scores (at most {number(each.values['most'])})"
            )
    if result.alpha_interval is None:
        return alpha if result.alpha_identified else _UNKNOWN_ALPHA.format(_basis(result))

    low, high = result.alpha_interval
    within = f"at most {number(high)}" if low == 0 else span(result.alpha_interval)
    if result.alpha_identified:
        return f"{alpha} ({within})"
    if low == 0 and high < WIDEST:
        return f"alpha is {within}"
    return f"{_UNKNOWN_ALPHA.format(_basis(result))} ({within})"


_UNKNOWN_ALPHA = "alpha is not identified by {}"


def _basis(result):
    """What a result rests on, in words."""
    return _BASIS.get(result.uncertainty, "these scores")


def assumed_in_words(assessment, *, follows=True):
    """What the numbers of an :class:`Assessment` assume of the labels, and what follows."""
    if assessment.checked:
        first = assessment.checked["alpha"]
        unsure = (
            f", {first.n_unsure:,} unsure or blank (counted both ways)" if first.n_unsure else ""
        )
        if first.n_twice:
            agreed = 1 - first.n_differing / first.n_twice
            unsure += f"; {first.n_twice:,} have two verdicts or more, which agree on {percent(agreed)} of them"
        return (
            f"These numbers rest on {first.n_checked:,} checked rows, {first.n_positive:,} of them positive{unsure}, "
            f"{_assumed_by_checks(assessment)}. {_about(assessment)}"
        )
    assumption = f"These {_assumed(assessment)}"
    if not follows:
        return assumption
    return f"{assumption} If rows were labeled because they scored high, the numbers are too high: check some rows."


def _assumed_by_checks(assessment):
    """What checked rows leave to assume of the labels: where none counts, or labeled rows are checked too, nothing."""
    noisy = "beta" in (assessment.checked or {})
    if noisy or assessment.population == "unlabeled" or not assessment.n_labeled:
        return "without assumptions about the labels"
    return "assuming of the labels only that they are correct"


def _about(assessment):
    """Which rows the intervals from checked rows are for."""
    is_new = {name: each.about == "new" for name, each in assessment.checked.items()}
    these = rows_of_file(assessment)
    if not any(is_new.values()):
        return f"Intervals are for {these}."
    others = [label(name, None) for name, new in is_new.items() if not new]
    whose = "unlabeled " if assessment.population == "unlabeled" else ""
    new = f"Intervals are for new {whose}rows of the same kind"
    return f"{new}; those of {_listed(others)} for {these}." if others else f"{new}."


def rows_of_file(assessment):
    """The rows that are scored, in words."""
    if assessment.population == "unlabeled":
        return f"the {assessment.n_unlabeled:,} unlabeled rows of this file"
    return f"the {assessment.n_labeled + assessment.n_unlabeled:,} rows of this file"


def assumed_of_two(comparison):
    """What the numbers of a :class:`Comparison` assume of the labels, and what follows."""
    these, remedy = ("The other", "") if comparison.checked else ("These", ": check some rows")
    return (
        f"{these} {_assumed(comparison.first)} If rows were labeled because a model scored them high, that model looks "
        f"better than it is{remedy}."
    )


def _assumed(assessment):
    """The sentence on the labels, without its first word."""
    noise = "labels are correct"
    if assessment.beta != 1:
        noise = f"{assessment.beta:.1%} of the labeled examples are positive"
    whose = ", of the unlabeled rows alone," if assessment.population == "unlabeled" else ""
    return (
        f"numbers{whose} assume that {noise} and that the labeled positives are a random sample of all positives "
        "(SCAR)."
    )


def explained(assessment):
    """What the numbers of an :class:`Assessment` mean: one sentence each."""
    sentences = _explained(assessment)
    if assessment.alpha_bound is not None:
        sentences.append(
            f"If labels are random, alpha is at most {number(assessment.alpha_bound)}."
        )
    if assessment.checked:
        sentences += _checked_in_words(assessment.checked)
    return [*sentences, _FOOTNOTE]


def decides_in_words(comparison):
    """What decides, of several metrics or of these and checked rows."""
    if comparison.checked:
        return "The checked rows decide; the metrics are shown."
    name = label(comparison.headline, comparison.first.threshold)
    return f"{name} decides; the others are shown."


def explained_of_two(comparison):
    """What the numbers of a :class:`Comparison` mean: one sentence each."""
    first = comparison.first
    below = (
        f"Below each number is its {first.confidence:.0%} interval. " if first.n_resamples else ""
    )
    decides = (
        f"{label(comparison.headline, first.threshold)} alone decides which model is better, because with several "
        "metrics one may differ by chance."
    )
    if comparison.checked:
        decides = "The checked rows decide which model is better."
    return [
        *_explained(first),
        f"{below}Difference: the first model minus the other.",
        f"{decides} A comparison is open if the interval of the difference contains 0 or there "
        "is no interval.",
        f"'Flips at' lists the alphas at which the ranking changes, from 0 to {comparison.most_alpha:.3f}, the largest "
        "alpha that these scores allow.",
        _FOOTNOTE,
    ]


def _explained(assessment):
    sentences = [
        ACCOUNTS_FOR[assessment.uncertainty],
        _POPULATIONS[assessment.population],
        *design_in_words(assessment.design),
    ]
    if assessment.n_resamples:
        sentences.append(
            f"Intervals: {assessment.confidence:.0%}, {assessment.n_resamples} resamples."
        )
    return sentences


def design_in_words(facts):
    """Sentences on what weights and clusters mean for the numbers, as a list; empty without a design."""
    sentences = []
    if facts and facts["weighted"]:
        sentences.append("Rows are weighted.")
    if facts and facts["clusters"] is not None:
        sentences.append(
            f"Intervals resample {facts['clusters']:,} clusters of rows, not single rows."
        )
    return sentences


_POPULATION = (
    "The population consists of {}. All metrics except AUC, balanced accuracy and recall depend on its prevalence{}. "
    "The top of the ranking is taken from these rows."
)
_POPULATIONS = {
    "all": _POPULATION.format("all rows, labeled and unlabeled", ""),
    "unlabeled": _POPULATION.format("the unlabeled rows alone", " and have no uncorrected value"),
}


def paper_paragraph(assessment):
    """Sentences on an :class:`Assessment` to put into a paper."""
    what = "Corrected for these (Jain et al. 2017; Ramola et al. 2019)"
    kind = f"bootstrap intervals from {assessment.n_resamples} resamples"
    if assessment.checked:
        what = "Results"
        exact = assessment.checked["alpha"].guaranteed
        kind = f"{'exact' if exact else 'profile likelihood'} intervals"

    results = [_result(score, assessment) for score in assessment.scores]
    sentences = [
        f"The classifier was evaluated on examples that it was not trained on: {priors_in_words(assessment)}"
    ]
    if results:
        sentences.append(f"{what}: {'; '.join(results)}.")
    sentences.append(assumed_in_words(assessment, follows=False))
    if any(each.startswith("best ") for each in results):
        sentences.append("'Best' means at the threshold that is best on these examples.")
    if assessment.n_resamples or assessment.checked:
        sentences.append(f"Intervals are {assessment.confidence:.0%} {kind}.")
        sentences.append(ACCOUNTS_FOR[assessment.uncertainty])
    return " ".join([*sentences, f"Computed with pumetrics {__version__}."])


def _result(score, assessment):
    parts = {"interval": span(score.interval), "uncorrected": number(score.uncorrected)}
    within = ", ".join(f"{kind} {text}" for kind, text in parts.items() if text)
    unknown = f"not identified by {_basis(assessment)}"
    value = number(score.corrected) if score.identified else unknown
    return f"{label(score.metric, assessment.threshold)} {value} ({within})"


def headline(assessment):
    """The first lines of a page: how good this model is."""
    found = {each.metric: each for each in assessment.scores}
    has_shares = {"precision", "recall"} <= found.keys()
    sure = f"ith {assessment.confidence:.0%} confidence"
    if assessment.checked:
        n_checked = assessment.checked["alpha"].n_checked
        by = f"By {n_checked:,} checked rows, w{sure} and {_assumed_by_checks(assessment)}"
        if has_shares:
            finds, true = (percents(found[name].interval) for name in ("recall", "precision"))
            return (
                f"{by}, this model finds {finds} of the positives at the threshold {shown(assessment.threshold)}, and "
                f"{true} of its alarms are true."
            )
        if not found:
            return (
                f"{by}, {percents(assessment.alpha_interval)} of the unlabeled rows are positive."
            )

    score = found.get("roc_auc", assessment.scores[0])
    name = label(score.metric, assessment.threshold)
    within = span(score.interval, " and ")
    if assessment.checked:
        return f"{by}, this model's {name} is between {within}."
    if not score.identified:
        ranking = "These scores do not identify how good this model is"
        if within:
            ranking += f": its {name} may lie anywhere between {within}"
    elif within:
        ranking = f"W{sure}, this model's {name} is between {within}"
    else:
        ranking = f"Corrected for hidden positives, this model's {name} is {number(score.corrected)} (no interval)"
    if not has_shares:
        return f"{ranking}."
    recall = _share(found["recall"], "an unknown share")
    precision = _share(found["precision"], "not identified")
    return (
        f"{ranking}; at the threshold {shown(assessment.threshold)} it finds {recall} of the positives"
        f"{_within(found['recall'])}, and the share of true alarms is {precision}{_within(found['precision'])}."
    )


def _share(score, unknown):
    return percent(score.corrected) if score.identified else unknown


def _within(score):
    return f" ({percents(score.interval)})" if score.interval else ""


def _checked_in_words(answers):
    """What intervals from checked rows hold for: one sentence each."""
    first = next(iter(answers.values()))
    if first.guaranteed:
        yield "Intervals are valid for any sample size."
    if first.look > 1:
        yield (
            f"Budget {first.look} of this plan: intervals are of {1 - (1 - first.confidence) / first.look:.1%}, so "
            f"that claims at all budgets so far hold together with about {first.confidence:.0%}."
        )


def difference_in_words(comparison, names=("the first", "the second")):
    """Which of two models is better by the rows that were checked, and whether the labels alone say otherwise.

    Parameters
    ----------
    comparison : Comparison
        With checks.
    names : (str, str)
        What to call the models.

    Returns
    -------
    str
    """
    answer = comparison.checked
    first, second = names
    named = {"first": first, "second": second}
    verdict = f"it is open which of {first} and {second} is better"
    if comparison.winner:
        verdict = f"{named[comparison.winner]} is better"
    if answer.n_open:
        verdict += f" until the whole plan is checked (left: {answer.n_open:,})"
    what = label(comparison.checked_metric, None)
    words = (
        f"By {answer.n_checked:,} checked rows, {_assumed_by_checks(comparison.first)}: {verdict}. "
        f"{what.capitalize()} of {first} minus that of {second}: {answer.confidence:.0%} interval "
        f"{answer.lower:+.3f} to {answer.upper:+.3f}, for {rows_of_file(comparison.first)}."
    )
    if answer.n_open or not comparison.first.n_resamples:
        return words

    alone = comparison.differences.get(comparison.checked_metric)
    if alone and (alone.upper < answer.lower or answer.upper < alone.lower):
        words += f" The labels alone (SCAR) say {alone.lower:+.3f} to {alone.upper:+.3f}: the checks contradict it."
    elif comparison.winner and comparison.scar_winner not in (None, comparison.winner):
        name = label(comparison.headline, comparison.first.threshold)
        words += f" By {name}, the labels alone (SCAR) favor {named[comparison.scar_winner]}."
    return words


def verdict_sentence(contests):
    """Which model is better, in one or two sentences that claim no more than the intervals do.

    Parameters
    ----------
    contests : sequence of Contest

    Returns
    -------
    str
    """
    if len(contests) == 1:
        return _verdict_of_two(contests[0])

    verdicts = {"second": "{} better", "first": "{} worse", None: "cannot be distinguished"}
    parts = []
    for winner, verdict in verdicts.items():
        names = [contest.second for contest in contests if contest.comparison.winner == winner]
        if names:
            parts.append(f"{_listed(names)} {verdict.format('are' if len(names) > 1 else 'is')}")
    comparison = contests[0].comparison
    name = label(comparison.headline, comparison.first.threshold)
    return (
        f"With {comparison.first.confidence:.0%} confidence in each pair, against {contests[0].first}, by {name}: "
        f"{'; '.join(parts)}."
    )


def _verdict_of_two(contest):
    comparison = contest.comparison
    if comparison.checked:
        return difference_in_words(comparison, (contest.first, contest.second))

    gap = comparison.differences[comparison.headline]
    name = label(comparison.headline, comparison.first.threshold)
    if comparison.winner is None:
        unknown = f"These scores do not show whether {contest.first} or {contest.second} is better"
        if comparison.first.n_resamples and gap.lower <= 0 <= gap.upper:
            return f"{unknown}: the interval of the difference in {name}, {span((gap.lower, gap.upper))}, holds 0."
        return f"{unknown}: there are too few examples or resamples, or alpha is not identified."

    if comparison.winner == "first":
        loser = contest.second
        ends = (gap.lower, gap.upper)
    else:
        loser = contest.first
        ends = (-gap.upper, -gap.lower)
    return (
        f"With {comparison.first.confidence:.0%} confidence, {contest.winner} is better than {loser}: its {name} is "
        f"higher by {span(ends)}. {_order_in_words(comparison)}"
    )


def _order_in_words(comparison):
    """Whether the order depends on alpha, by the metric that decides and by the others."""
    by = {True: [], False: []}
    for metric, order in comparison.orders.items():
        name = label(metric, comparison.first.threshold)
        if metric == comparison.headline:
            decides = name
            depends = bool(order.changes)
        else:
            by[bool(order.changes)].append(name)
    verb = "depends" if depends else "does not depend"
    text = f"By {decides} the order {verb} on alpha, from 0 to {comparison.most_alpha:.3f}"
    others = by[not depends]
    if others:
        opposite = "does not" if depends else "does"
        text += f"; by {_listed(others)} it {opposite}"
    return f"{text}."


def _listed(names):
    """Names with commas and a last "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
