"""Figures of a page, each a panel of its own that can be read on a phone."""

import base64
import io
from typing import NamedTuple

from pumetrics.assessment._bounds import band_for
from pumetrics.assessment._corrections import bounds_alpha
from pumetrics.assessment._views import draw_numbers
from pumetrics.counts import count_scores
from pumetrics.metrics import find_metric

__all__ = ["Picture", "picture", "pictures_of", "pictures_of_models"]

_RESAMPLES = 200
_WIDTH = 4.0  # inches, so that text is as large on a phone as that around it


class Picture(NamedTuple):
    """A figure as a data URI, with what it is called, what it shows, and how to read it."""

    title: str
    source: str
    alt: str
    caption: str


def pictures_of(assessment, s, y_score, point):
    """Figures of one model.

    Parameters
    ----------
    assessment : Assessment
    s, y_score : ndarray of shape (n_samples,)
        What was assessed.
    point : OperatingPoint

    Returns
    -------
    list of Picture
    """
    from pumetrics.plotting import styled

    with styled():
        return [
            _numbers(assessment),
            *_curves(assessment, s, y_score),
            *_gains(assessment, s, y_score),
            *_choices(assessment, s, y_score, point),
            *_reliability(assessment, s, y_score),
            *_evidence(assessment),
        ]


def pictures_of_models(result, models, colors):
    """Curves of several models in the same axes.

    Parameters
    ----------
    result : Assessment or Comparison
        For the priors.
    models : dict of str to (ndarray, ndarray)
        Labels and scores by model.
    colors : dict of str to str
        By model.

    Returns
    -------
    list of Picture
    """
    from pumetrics import displays
    from pumetrics.plotting import styled

    shown = {
        displays.PURocDisplay: ("ROC curves", _ROC),
        displays.PUPrecisionRecallDisplay: ("Precision-recall curves", _PRECISION),
        displays.PUGainsDisplay: ("Gains", _GAINS),
        displays.PULiftDisplay: ("Lift", _LIFT),
    }
    pictures, shade = [], _band_words(result)
    with styled():
        for display, (title, caption) in shown.items():
            ax = None
            for name, (s, y_score) in models.items():
                options = _interval_options(result) | {"color": colors[name], "name": name, "uncorrected": False}
                if display in (displays.PURocDisplay, displays.PUPrecisionRecallDisplay):
                    options["bounds"] = False
                if display is displays.PUPrecisionRecallDisplay:
                    options["population"] = result.population
                ax = display.from_predictions(s, y_score, ax=ax, **options).ax_
            alt = f"{title} of {', '.join(models)}, each corrected"
            pictures.append(picture(ax.figure, title, alt, f"{caption} {shade} {_RANDOM}"))
    return pictures


_ROC = "How many of the positives are found (up) at the price of how many false alarms among the negatives (right)."
_PRECISION = "How many of the rows flagged are right (up) as more of the positives are found (right)."
_GAINS = (
    "How many of the positives are found if this share of all rows is flagged, those with the highest scores first."
)
_LIFT = "How many times as often positives occur among the rows flagged as among all rows."
_RANDOM = "The dotted gray line is a random ranking."


def _numbers(assessment):
    caption = (
        "Dots: corrected for hidden positives, with what they may be. Diamonds: what one would report without a "
        "correction."
    )
    alt = "Every metric with its interval and bounds, corrected and uncorrected; the numbers are in the table"
    return picture(draw_numbers(assessment).figure, "The numbers at a glance", alt, caption)


def _curves(assessment, s, y_score):
    """ROC and precision-recall curves, with bounds where there are any, else with intervals."""
    from pumetrics.displays import PUPrecisionRecallDisplay, PURocDisplay

    options, shade = _interval_options(assessment), _band_words(assessment)
    if assessment.beta == 1 and assessment.selection == 1:
        span = bounds_alpha(assessment, count_scores(s, y_score).n_unlabeled)
        options |= {"alpha_range": span if assessment.alpha_interval else None, "n_bootstrap": 0}
        options["band"] = band_for(s, y_score, alpha=span, confidence=assessment.confidence)
        shade = f"With {assessment.confidence:.0%} confidence the true curve lies in the shaded region."
    else:
        options["bounds"] = False
    for display, title, caption in (
        (PURocDisplay, "ROC curve", _ROC),
        (PUPrecisionRecallDisplay, "Precision-recall curve", _PRECISION),
    ):
        about = {"population": assessment.population} if display is PUPrecisionRecallDisplay else {}
        drawn = display.from_predictions(s, y_score, **options, **about)
        alt = f"{title}, corrected (area {drawn.area:.3f}) and uncorrected (area {drawn.uncorrected[2]:.3f})"
        yield picture(drawn.figure_, title, alt, f"{caption} {shade} {_RANDOM}{_selection(assessment)}")


def _gains(assessment, s, y_score):
    from pumetrics.displays import PUGainsDisplay, PULiftDisplay

    options, shade = _interval_options(assessment) | {"uncorrected": False}, _band_words(assessment)
    for display, title, caption in ((PUGainsDisplay, "Gains", _GAINS), (PULiftDisplay, "Lift", _LIFT)):
        drawn = display.from_predictions(s, y_score, **options)
        alt = f"{title} against the share of rows flagged, corrected"
        yield picture(drawn.figure_, title, alt, f"{caption} {shade} {_RANDOM}{_selection(assessment)}")


def _choices(assessment, s, y_score, point):
    """Scores against threshold and against alpha."""
    from pumetrics.displays import PUAlphaDisplay, PUThresholdDisplay

    drawn = PUThresholdDisplay.from_predictions(
        s, y_score, threshold=point.threshold, **_interval_options(assessment)
    )  # fmt: skip
    caption = (
        "A higher threshold raises fewer alarms: more of them are right (precision), but fewer positives are found "
        f"(recall). F1 balances both. {_band_words(assessment)} The vertical line is the threshold in use."
    )
    alt = f"Precision, recall and F1 against the threshold; {point.threshold:.4g} is marked"
    yield picture(drawn.figure_, "Choosing a threshold", alt, caption + _selection(assessment))
    metrics = [score.metric for score in assessment.scores if find_metric(score.metric).range[1] == 1]
    if not metrics:
        return
    options = {"alpha_interval": assessment.alpha_interval, "alpha_bound": assessment.alpha_bound}
    drawn = PUAlphaDisplay.from_predictions(
        s, y_score, alpha=assessment.alpha, beta=assessment.beta, threshold=assessment.threshold,
        metrics=metrics, population=assessment.population, **options,
    )  # fmt: skip
    caption = (
        "What the numbers would be if another share of the unlabeled rows were positive. A line that is flat within "
        "the gray range hardly depends on it."
    )
    if assessment.alpha_bound is not None:
        caption += " To the right of the dashed line, labels at random and these scores contradict each other."
    alt = f"Each metric against alpha; {assessment.alpha:.3f} is marked"
    yield picture(drawn.figure_, "If alpha were different", alt, caption + _selection(assessment))


def _reliability(assessment, s, y_score):
    """Share of positives against scores that could be probabilities; nothing for other scores."""
    if s is None or not ((y_score >= 0) & (y_score <= 1)).all() or assessment.selection != 1:
        return
    from pumetrics.displays import PUReliabilityDisplay

    options = {"alpha": assessment.alpha, "beta": assessment.beta, "confidence": assessment.confidence}
    drawn = PUReliabilityDisplay.from_predictions(s, y_score, **options)
    caption = (
        "If the scores are meant as probabilities of being positive: dots on the dotted line keep what they promise, "
        "above it more rows are positive than predicted. Each dot is about a tenth of the unlabeled rows."
    )
    if assessment.alpha_interval:
        caption += f" Drawn for alpha {assessment.alpha:.3g}; another alpha raises or lowers all dots."
    alt = "Corrected share of positives in ten bins of scores, against the mean score of each bin"
    yield picture(drawn.figure_, "Scores as probabilities", alt, caption)


def _evidence(assessment):
    """The curve behind the estimate of the priors; nothing where the estimator left none."""
    priors = assessment.priors
    if not (priors.evidence and all(priors.evidence.values())):
        return
    import matplotlib.pyplot as plt

    from pumetrics.priors.plots import draw_evidence

    titles = {"unlabeled": "positives among the unlabeled", "labeled": "negatives among the labeled"}
    unused = "" if assessment.source.startswith("estimated") else f" It was not used: alpha is {assessment.source}."
    for where, evidence in priors.evidence.items():
        figure, axis = plt.subplots(figsize=(_WIDTH, 3.0), layout="constrained")
        draw_evidence(axis, evidence, title=titles[where])
        caption = f"What the method {priors.method} reads its estimate from.{unused}"
        yield picture(figure, "Evidence behind alpha", f"The curve behind the estimate of {titles[where]}", caption)


def _interval_options(result):
    resamples = _RESAMPLES if getattr(result, "n_resamples", 1) else 0
    options = {"alpha": result.alpha, "beta": result.beta, "alpha_range": result.alpha_interval}
    return options | {"confidence": result.confidence, "n_bootstrap": resamples}


def _band_words(result):
    if not getattr(result, "n_resamples", 1):
        return ""
    over = ", for every alpha of its range" if result.alpha_interval else ""
    return f"Shaded: {result.confidence:.0%} interval at each point{over}."


def _selection(assessment):
    if assessment.selection == 1:
        return ""
    return " Drawn for labels at random, without the selection that the table assumes."


def picture(figure, title, alt, caption):
    """Close a figure and return it as a :class:`Picture`."""
    import matplotlib.pyplot as plt

    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    plt.close(figure)
    source = "data:image/svg+xml;base64," + base64.b64encode(content.getvalue()).decode()
    return Picture(title, source, alt, " ".join(caption.split()))
