"""Assessment of a model from its scores, and comparison of models: estimates, intervals, assumptions, warnings."""

from pumetrics.assessment._assess import Assessment, Result, Score, as_json, assess, metrics_for
from pumetrics.assessment._compare import Comparison, compare_scores
from pumetrics.assessment._files import columns_of, opened, read_columns
from pumetrics.assessment._page import (
    Assessed,
    Contest,
    comparison_page,
    date_of,
    models_page,
    page,
    write_page,
)
from pumetrics.assessment._pairs import check_positions, paired
from pumetrics.assessment._read import Scored, read_models, read_scores
from pumetrics.assessment._tables import in_terminal
from pumetrics.assessment._warnings import Caution
from pumetrics.assessment._words import explained, paper_paragraph, shown

__all__ = [
    "Assessed",
    "Assessment",
    "Caution",
    "Comparison",
    "Contest",
    "Result",
    "Score",
    "Scored",
    "as_json",
    "assess",
    "check_positions",
    "columns_of",
    "compare_scores",
    "comparison_page",
    "date_of",
    "explained",
    "in_terminal",
    "metrics_for",
    "models_page",
    "opened",
    "page",
    "paired",
    "paper_paragraph",
    "read_columns",
    "read_models",
    "read_scores",
    "shown",
    "write_page",
]
