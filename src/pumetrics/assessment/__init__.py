"""Assessment of a model from its scores, and comparison of models: estimates, intervals, assumptions, warnings."""

from pumetrics.assessment._assess import Assessment, OpenThresholdError, Result, Score, as_json, assess, metrics_for
from pumetrics.assessment._by import GroupAssessment, GroupAssessments, assess_by
from pumetrics.assessment._checked import NextStep, budget_of, next_step, step_of
from pumetrics.assessment._compare import Comparison, Order, compare_scores
from pumetrics.assessment._files import Source, columns_of, opened, read_columns
from pumetrics.assessment._page import (
    Assessed,
    Contest,
    comparison_page,
    date_of,
    models_page,
    page,
    write_comparison_page,
    write_page,
)
from pumetrics.assessment._pairs import check_positions, paired
from pumetrics.assessment._read import Scored, count_file, read_models, read_or_count, read_scores
from pumetrics.assessment._tables import group_table, in_terminal
from pumetrics.assessment._warnings import Caution
from pumetrics.assessment._words import explained, paper_paragraph
from pumetrics.label_frequency import alpha_from_rho

__all__ = [
    "Assessed",
    "Assessment",
    "Caution",
    "Comparison",
    "Contest",
    "GroupAssessment",
    "GroupAssessments",
    "NextStep",
    "OpenThresholdError",
    "Order",
    "Result",
    "Score",
    "Scored",
    "Source",
    "alpha_from_rho",
    "as_json",
    "assess",
    "assess_by",
    "budget_of",
    "check_positions",
    "columns_of",
    "compare_scores",
    "comparison_page",
    "count_file",
    "date_of",
    "explained",
    "group_table",
    "in_terminal",
    "metrics_for",
    "models_page",
    "next_step",
    "opened",
    "page",
    "paired",
    "paper_paragraph",
    "read_columns",
    "read_models",
    "read_or_count",
    "read_scores",
    "step_of",
    "write_comparison_page",
    "write_page",
]
