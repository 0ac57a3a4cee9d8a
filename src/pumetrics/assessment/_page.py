"""An assessment as one self-contained HTML page."""

import base64
import io
from pathlib import Path

from pumetrics.assessment._assess import positive_and_unlabeled
from pumetrics.assessment._bounds import band_for
from pumetrics.assessment._corrections import bounds_alpha
from pumetrics.assessment._words import FOOTNOTE, assumed_in_words, label, paper_paragraph, priors_in_words, span

__all__ = ["page", "write_page"]

# The reports of runs share this style sheet.
_STYLE = Path(__file__).with_name("report.css")


def write_page(path, assessment, s, y_score, *, name="scores"):
    """Write :func:`page` to a file.

    Parameters
    ----------
    path : path-like
    assessment, s, y_score, name
        See :func:`page`.
    """
    Path(path).write_text(page(assessment, s, y_score, name=name), encoding="utf-8")


def page(assessment, s, y_score, *, name="scores"):
    """Page with the scores, both curves, the evidence behind the priors, and text for a paper.

    Parameters
    ----------
    assessment : Assessment
    s, y_score : array-like of shape (n_samples,)
        What was assessed.
    name : str
        What to call it.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    from jinja2 import Environment, FileSystemLoader

    s, y_score, _ = positive_and_unlabeled(s, y_score)
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True)
    return environment.get_template("page.html.j2").render(
        assessment=assessment,
        name=name,
        label=label,
        footnote=FOOTNOTE,
        span=span,
        style=_STYLE.read_text(encoding="utf-8"),
        priors=priors_in_words(assessment),
        assumed=assumed_in_words(assessment),
        paper=paper_paragraph(assessment),
        curves=_curves(assessment, s, y_score),
        evidence=_evidence(assessment.priors),
    )


def _curves(assessment, s, y_score):
    """ROC and precision-recall curves side by side, as a data URI."""
    from pumetrics.displays import PUPrecisionRecallDisplay, PURocCurveDisplay
    from pumetrics.plotting import use_style

    use_style()
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4.5))
    options = {"alpha": assessment.alpha, "beta": assessment.beta, "alpha_range": assessment.alpha_interval}
    options["confidence"] = assessment.confidence
    if assessment.beta == 1:
        span_of_alpha = bounds_alpha(assessment, assessment.n_unlabeled)
        options["alpha_range"] = span_of_alpha if assessment.alpha_interval else None
        options["band"] = band_for(s, y_score, alpha=span_of_alpha, confidence=assessment.confidence)
    for display, axis in zip((PURocCurveDisplay, PUPrecisionRecallDisplay), axes, strict=True):
        display.from_predictions(s, y_score, ax=axis, **options)
    return _embedded(figure)


def _evidence(priors):
    """The curve behind the estimate of the priors, as a data URI; None where the estimator left none."""
    from pumetrics.priors.plots import plot_evidence

    return _embedded(plot_evidence(priors)) if all(priors.evidence.values()) else None


def _embedded(figure):
    import matplotlib.pyplot as plt

    picture = io.BytesIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    plt.close(figure)
    return "data:image/svg+xml;base64," + base64.b64encode(picture.getvalue()).decode()
