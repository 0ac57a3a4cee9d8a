"""Figures of a page, each a panel of its own that can be read on a phone."""

import base64
import io
import math
from typing import NamedTuple

from pumetrics.assessment._words import label
from pumetrics.bounds.scores import band_for
from pumetrics.counts import count_ranks
from pumetrics.metrics import find_metric

__all__ = ["Picture", "draw_numbers", "picture", "pictures_of", "pictures_of_models"]

_RESAMPLES = 200
_BLUE, _ORANGE = "#0072B2", "#D55E00"  # the colors of displays


class Picture(NamedTuple):
    """A figure as a data URI, with what it is called, what it shows, and how to read it."""

    title: str
    source: str
    alt: str
    caption: str


def pictures_of(assessment, s, y_score):
    """Figures of one model.

    Parameters
    ----------
    assessment : Assessment
    s, y_score : ndarray of shape (n_samples,)
        What was assessed. Of weighted rows no curve is drawn.

    Returns
    -------
    list of Picture
    """
    from pumetrics.plotting import styled

    with styled():
        pictures = [_numbers(assessment)] if _up_to_1(assessment) else []
        if not _weighted(assessment):
            pictures += _curves([assessment], {"": (s, y_score)}, {"": None})
            pictures += _choices(assessment, s, y_score)
        return pictures


def pictures_of_models(comparison, models, colors):
    """Curves of several models in the same axes; none of weighted rows.

    Parameters
    ----------
    comparison : Comparison
        For the priors.
    models : dict of str to (ndarray, ndarray)
        Labels and scores by model.
    colors : dict of str to str
        By model.

    Returns
    -------
    list of Picture
    """
    from pumetrics.plotting import styled

    with styled():
        if _weighted(comparison.first):
            return []
        return [*_curves([comparison.first, comparison.second], models, colors)]


def _weighted(result):
    return bool(result.design and result.design["weighted"])


_CURVES = (
    (
        "PURocDisplay",
        "roc_auc",
        "ROC curve",
        "Share of the positives that are found against the share of the negatives that are flagged by mistake.",
    ),
    (
        "PUPrecisionRecallDisplay",
        "average_precision",
        "Precision-recall curve",
        "Share of the flagged rows that are positive against the share of the positives that are found.",
    ),
)
_NO_CURVE = "Where these scores do not identify a number, no curve is drawn."


def _curves(results, models, colors):
    """ROC and precision-recall curves, with bounds if there is one model that has them."""
    from pumetrics import displays

    result = results[0]
    alone, bounds = len(models) == 1, {}
    hides = (
        result.n_unlabeled * (result.alpha_interval or (result.alpha,))[-1] >= 1
    )  # positives among the unlabeled
    if alone and result.beta == 1 and not result.design and (hides or result.population == "all"):
        ((s, y_score),) = models.values()
        span = _bounds_alpha(result)
        bounds = {
            "bounds": True,
            "n_bootstrap": 0,
            "alpha_range": span if result.alpha_interval else None,
        }
        bounds["band"] = band_for(count_ranks(s, y_score), alpha=span, confidence=result.confidence)
    for display, metric, title, caption in _CURVES:
        twin = alone and (
            metric == "roc_auc" or result.population == "all"
        )  # the observed labels are of all rows
        options = _interval_options(result) | {
            "bounds": False,
            "uncorrected": twin,
            "population": result.population,
        }
        known = all(_identified(each, metric) for each in results)
        shade, ax = _band_words(result), None
        options |= bounds
        if options["bounds"]:
            shade = (
                f"With {result.confidence:.0%} confidence the true curve lies in the shaded region."
            )
            if (
                metric == "roc_auc" and result.population == "unlabeled"
            ):  # its points have bounds of all rows alone
                options["bounds"], shade = False, ""
        for name, (s, y_score) in models.items():
            look = {"name": name or None, "color": colors[name], "corrected": known}
            drawn = getattr(displays, display).from_predictions(
                s, y_score, ax=ax, **options, **look
            )
            ax = drawn.ax_
        whose = "" if alone else f" of {', '.join(models)}"
        random = "The dotted gray line is a random ranking." if drawn.chance else ""
        notes = f"{shade} {'' if known else _NO_CURVE} {random}"
        yield picture(ax.figure, title, f"{title}{whose}, corrected", f"{caption} {notes}")


def _bounds_alpha(result):
    """Alpha, or its range, for which bounds are computed: with a negative, and a hidden positive if it allows one.

    Where less than one is expected there may be none or one.
    """
    low, high = result.alpha_interval or (result.alpha, result.alpha)
    one, most = 1 / result.n_unlabeled, 1 - 1 / result.n_unlabeled
    if high < one:
        return 0.0, min(one, most)
    if result.alpha_interval is None:
        return result.alpha
    high = min(high, most)
    return min(max(low, one), high), high


def _numbers(assessment):
    caption = (
        "Dots: corrected for hidden positives, with their intervals; where there is no dot, the scores do not identify "
        "the number. Diamonds: the numbers without a correction."
    )
    alt = "Every metric with its interval, corrected and uncorrected; the numbers are in the table"
    return picture(draw_numbers(assessment).figure, "The numbers at a glance", alt, caption)


def _choices(assessment, s, y_score):
    """Scores against threshold and against alpha."""
    from pumetrics.displays import PUAlphaDisplay, PUThresholdDisplay

    known = [name for name in ("recall", "precision", "f1") if _identified(assessment, name)]
    at = assessment.threshold
    if at is None and "f1" not in known:
        at = (
            math.inf
        )  # no line: by default it is at the largest F1, which these scores do not identify
    options = _interval_options(assessment) | {"threshold": at, "corrected": known}
    drawn = PUThresholdDisplay.from_predictions(
        s, y_score, population=assessment.population, **options
    )
    line = " The vertical line is the threshold "
    marked = {None: f"{line}of the largest F1.", math.inf: ""}.get(at, f"{line}in use.")
    caption = (
        "A higher threshold raises fewer alarms: more of them are true (precision), but fewer positives are found "
        f"(recall). F1 balances both.{marked} {_band_words(assessment)} {'' if len(known) == 3 else _NO_CURVE}"
    )
    alt = "Precision, recall and F1 against the threshold"
    yield picture(drawn.figure_, "Choosing a threshold", alt, caption)
    metrics = [
        score.metric for score in assessment.scores if find_metric(score.metric).range[1] == 1
    ]
    if not metrics:
        return
    bound = False if assessment.alpha_bound is None else assessment.alpha_bound
    options = {"alpha_interval": assessment.alpha_interval, "alpha_bound": bound}
    drawn = PUAlphaDisplay.from_predictions(
        s,
        y_score,
        alpha=assessment.alpha if assessment.alpha_identified else None,
        beta=assessment.beta,
        threshold=assessment.threshold,
        metrics=metrics,
        population=assessment.population,
        **options,
    )
    caption = (
        "What the numbers would be if another share of the unlabeled rows were positive. A flat line hardly depends on "
        "alpha."
    )
    if assessment.alpha_interval is not None:
        caption += " Gray: the range of alpha."
    if assessment.alpha_bound is not None:
        caption += (
            " If labels are random, these scores rule out alphas to the right of the dashed line."
        )
    yield picture(drawn.figure_, "If alpha were different", "Each metric against alpha", caption)


def _interval_options(result):
    resamples = _RESAMPLES if _has_bands(result) else 0
    options = {"alpha": result.alpha, "beta": result.beta, "alpha_range": result.alpha_interval}
    return options | {"confidence": result.confidence, "n_bootstrap": resamples}


def _band_words(result):
    if not _has_bands(result):
        return ""
    over = ", for every alpha of its range" if result.alpha_interval else ""
    return f"Shaded: {result.confidence:.0%} interval at each point{over}."


def _has_bands(result):
    """Whether curves have intervals; those of clusters would need resamples of clusters."""
    return bool(result.n_resamples) and result.design is None


def _identified(assessment, metric):
    """Whether a metric is identified; if it was not assessed, recall of right labels is, others with alpha."""
    for score in assessment.scores:
        if score.metric == metric:
            return score.identified
    return assessment.alpha_identified or (metric == "recall" and assessment.beta == 1)


def picture(figure, title, alt, caption):
    """Close a figure and return it as a :class:`Picture`."""
    import matplotlib.pyplot as plt

    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    plt.close(figure)
    source = "data:image/svg+xml;base64," + base64.b64encode(content.getvalue()).decode()
    return Picture(title, source, alt, " ".join(caption.split()))


def _up_to_1(assessment):
    """Scores of the metrics of which 1 is perfect."""
    return [score for score in assessment.scores if find_metric(score.metric).range[1] == 1]


def draw_numbers(assessment, ax=None):
    """Draw the metrics of an assessment, one a row: those of which 1 is perfect."""
    from pumetrics.extras import require
    from pumetrics.plotting import legend_below

    scores = _up_to_1(assessment)
    if not scores:
        raise ValueError("there is no metric to draw: assess one that ends at 1, such as roc_auc")
    if ax is None:
        plt = require("matplotlib.pyplot", extra="plots", purpose="drawing an assessment")
        height = 1.5 + 0.34 * len(scores)
        _, ax = plt.subplots(figsize=(4.0, height), layout="constrained")
    shown = [score.identified for score in scores]
    for row, score in enumerate(scores):
        once = {"label": "_"} if row else {}
        if score.interval:
            named = {"label": f"{assessment.confidence:.0%} interval"} | once
            ax.plot(
                score.interval,
                [row, row],
                color=_BLUE,
                linewidth=2.2,
                solid_capstyle="butt",
                **named,
            )
        if score.identified:
            named = {"label": "corrected" if row == shown.index(True) else "_"}
            ax.plot(score.corrected, row, "o", color=_BLUE, markersize=6, **named)
        ax.plot(
            score.uncorrected,
            row,
            "D",
            color=_ORANGE,
            markersize=4.5,
            **({"label": "uncorrected"} | once),
        )
    if not all(shown):
        ax.plot([], [], " ", label="no dot: not identified")
    names = [label(score.metric, assessment.threshold, short=True) for score in scores]
    ax.set_yticks(range(len(names)), names)
    ends = [end for score in scores if score.interval for end in score.interval]
    values = [
        value
        for score in scores
        for value in (score.corrected, score.uncorrected)
        if value == value
    ]
    ax.set(
        ylim=(len(names) - 0.5, -0.5),
        xlim=(min(0, *values, *ends) - 0.02, 1.02),
        xlabel="Score against the true class",
    )
    legend_below(ax, columns=2)
    return ax
