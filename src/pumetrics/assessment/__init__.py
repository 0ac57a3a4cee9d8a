"""Assessment of a model from its scores, and comparison of models: estimates, intervals, assumptions, warnings."""

from pumetrics.assessment._assess import Assessment, Result, Score, as_json, assess, metrics_for
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
from pumetrics.assessment._tables import in_terminal
from pumetrics.assessment._words import explained, paper_paragraph, shown
from pumetrics.cautions import Caution

__all__ = [
    "Assessed",
    "Assessment",
    "Caution",
    "Comparison",
    "Contest",
    "Result",
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
    "write_page",
]
