"""Figures of a page, each a panel of its own that can be read on a phone."""

import base64
import io
import math
from typing import NamedTuple

import numpy as np

from pumetrics.assessment._words import label
from pumetrics.bounds.scores import band_for
from pumetrics.counts import count_ranks
from pumetrics.metrics import find_metric

__all__ = ["Picture", "draw_numbers", "picture", "pictures_of", "pictures_of_models"]

_BLUE = "#0072B2"
_ORANGE = "#D55E00"


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
            pictures += _curves({"": (assessment, s, y_score)}, {"": None})
            pictures += _choices(assessment, s, y_score)
        return pictures


def pictures_of_models(models, colors):
    """Curves of several models in the same axes; none of weighted rows.

    Parameters
    ----------
    models : dict of str to (Assessment, ndarray, ndarray)
        Numbers, labels and scores by model.
    colors : dict of str to str
        By model.

    Returns
    -------
    list of Picture
    """
    from pumetrics.plotting import styled

    with styled():
        if any(_weighted(assessment) for assessment, *_ in models.values()):
            return []
        return [*_curves(models, colors)]


def _weighted(assessment):
    return bool(assessment.design and assessment.design["weighted"])


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


def _curves(models, colors):
    """ROC and precision-recall curves, with bounds if there is one model that has them."""
    from pumetrics import displays

    alone = len(models) == 1
    assessment, s, y_score = next(iter(models.values()))
    span = band = None
    if alone and _has_bounds(assessment):
        span = _bounds_alpha(assessment)
        ranks = count_ranks(s, y_score)
        band = band_for(ranks, alpha=span, confidence=assessment.confidence)
    for display, metric, title, caption in _CURVES:
        known = all(_identified(each, metric) for each, *_ in models.values())
        # The observed labels, and the bounds of a point of the ROC curve, are of all rows.
        of_all = metric == "roc_auc" or assessment.population == "all"
        bounded = band is not None and (metric != "roc_auc" or assessment.population == "all")
        shade = ""
        if bounded:
            shade = f"With {assessment.confidence:.0%} confidence the true curve lies in the shaded region."
        elif band is None:
            shade = _band_words(assessment)
        ax = None
        for name, (each, *rows) in models.items():
            drawn = getattr(displays, display).from_predictions(
                *rows,
                alpha=each.alpha,
                beta=each.beta,
                alpha_range=span if each.alpha_interval else None,
                confidence=each.confidence,
                population=each.population,
                bounds=bounded,
                band=band,
                drawn=each.drawn if band is None else None,
                uncorrected=alone and of_all,
                corrected=known,
                name=name or None,
                color=colors[name],
                ax=ax,
            )
            ax = drawn.ax_
        whose = "" if alone else f" of {', '.join(models)}"
        random = "The dotted gray line is a random ranking." if drawn.chance else ""
        notes = f"{shade} {'' if known else _NO_CURVE} {random}"
        yield picture(ax.figure, title, f"{title}{whose}, corrected", f"{caption} {notes}")


def _has_bounds(assessment):
    """Whether there are bounds: with right labels, rows that count alike, and a positive among those that are meant."""
    most = (assessment.alpha_interval or (assessment.alpha,))[-1]
    hides_some = assessment.n_unlabeled * most >= 1 or assessment.population == "all"
    return assessment.beta == 1 and not assessment.design and hides_some


def _bounds_alpha(result):
    """Alpha, or its range, for which bounds are computed: with a negative, and a hidden positive if it allows one.

    Where less than one is expected there may be none or one.
    """
    low, high = result.alpha_interval or (result.alpha, result.alpha)
    one = 1 / result.n_unlabeled
    most = 1 - one
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
        at = math.inf  # no line: by default it is at the largest F1, which is not identified
    drawn = PUThresholdDisplay.from_predictions(
        s,
        y_score,
        alpha=assessment.alpha,
        beta=assessment.beta,
        threshold=at,
        population=assessment.population,
        confidence=assessment.confidence,
        corrected=known,
        drawn=assessment.drawn,
    )
    line = " The vertical line is the threshold "
    marked = {None: f"{line}of the largest F1.", math.inf: ""}.get(at, f"{line}in use.")
    caption = (
        "A higher threshold raises fewer alarms: more of them are true (precision), but fewer positives are found "
        f"(recall). F1 balances both.{marked} {_band_words(assessment)} {'' if len(known) == 3 else _NO_CURVE}"
    )
    alt = "Precision, recall and F1 against the threshold"
    yield picture(drawn.figure_, "Choosing a threshold", alt, caption)
    metrics = [score.metric for score in _up_to_1(assessment)]
    if not metrics:
        return
    drawn = PUAlphaDisplay.from_predictions(
        s,
        y_score,
        alpha=assessment.alpha if assessment.alpha_identified else None,
        alpha_interval=assessment.alpha_interval,
        alpha_bound=False if assessment.alpha_bound is None else assessment.alpha_bound,
        beta=assessment.beta,
        threshold=assessment.threshold,
        metrics=metrics,
        population=assessment.population,
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


def _band_words(assessment):
    if assessment.drawn is None:
        return ""
    return f"Shaded: {assessment.confidence:.0%} interval at each point, as in the table."


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
    labels = {
        "interval": f"{assessment.confidence:.0%} interval",
        "corrected": "corrected",
        "uncorrected": "uncorrected",
    }
    values = [0.0]
    for row, score in enumerate(scores):
        if score.interval:
            look = {"color": _BLUE, "linewidth": 2.2, "solid_capstyle": "butt"}
            ax.plot(score.interval, [row, row], label=labels.pop("interval", "_"), **look)
            values += score.interval
        if score.identified:
            look = {"color": _BLUE, "markersize": 6, "label": labels.pop("corrected", "_")}
            ax.plot(score.corrected, row, "o", **look)
            values.append(score.corrected)
        look = {"color": _ORANGE, "markersize": 4.5, "label": labels.pop("uncorrected", "_")}
        ax.plot(score.uncorrected, row, "D", **look)
        values.append(score.uncorrected)
    if not all(score.identified for score in scores):
        ax.plot([], [], " ", label="no dot: not identified")
    names = [label(score.metric, assessment.threshold, short=True) for score in scores]
    ax.set_yticks(range(len(names)), names)
    ax.set(
        ylim=(len(names) - 0.5, -0.5),
        xlim=(np.nanmin(values) - 0.02, 1.02),
        xlabel="Score against the true class",
    )
    legend_below(ax, columns=2)
    return ax
