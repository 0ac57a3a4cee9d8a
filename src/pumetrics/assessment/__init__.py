"""Assessment of a model from its scores, and comparison of models: estimates, intervals, assumptions, warnings."""

from pumetrics.assessment._assess import assess, metrics_for
from pumetrics.assessment._assessment import Assessment, as_json
from pumetrics.assessment._compare import Comparison, compare_scores
from pumetrics.assessment._page import (
    Assessed,
    Contest,
    comparison_page,
    date_of,
    models_page,
    page,
    write_page,
)
from pumetrics.assessment._terminal import explained, in_terminal
from pumetrics.assessment._words import paper_paragraph, shown, unscored_in_words
from pumetrics.cautions import Caution
from pumetrics.inference.answers import Score

__all__ = [
    "Assessed",
    "Assessment",
    "Caution",
    "Comparison",
    "Contest",
    "Score",
    "as_json",
    "assess",
    "compare_scores",
    "comparison_page",
    "date_of",
    "explained",
    "in_terminal",
    "metrics_for",
    "models_page",
    "page",
    "paper_paragraph",
    "shown",
    "unscored_in_words",
    "write_page",
]
