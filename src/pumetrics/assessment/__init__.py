"""What a practitioner wants to know of scores of their own: how good, how sure, on what grounds, better than whom."""

from pumetrics.assessment._asked import metrics_for
from pumetrics.assessment._assess import Assessment, Score, assess
from pumetrics.assessment._beside import RowColumns, read_beside
from pumetrics.assessment._by import GroupAssessment, GroupAssessments, assess_by
from pumetrics.assessment._compare import Comparison, Order, compare_scores
from pumetrics.assessment._page import date_of, page, write_page
from pumetrics.assessment._pairs import check_positions, paired, same_labels
from pumetrics.assessment._read import Scored, read_models, read_scores
from pumetrics.assessment._side_by_side import Contest, comparison_page, verdict_sentence, write_comparison_page
from pumetrics.assessment._sources import Source, opened
from pumetrics.assessment._stream import Tally, count_file, read_or_count
from pumetrics.assessment._words import (
    FOOTNOTE,
    assessment_table,
    assumed_in_words,
    choice_in_words,
    comparison_table,
    group_table,
    paper_paragraph,
    priors_in_words,
)
from pumetrics.label_frequency import alpha_from_rho

__all__ = [
    "FOOTNOTE",
    "Assessment",
    "Comparison",
    "Contest",
    "GroupAssessment",
    "GroupAssessments",
    "Order",
    "RowColumns",
    "Score",
    "Scored",
    "Source",
    "Tally",
    "alpha_from_rho",
    "assess",
    "assess_by",
    "assessment_table",
    "assumed_in_words",
    "check_positions",
    "choice_in_words",
    "compare_scores",
    "comparison_page",
    "comparison_table",
    "count_file",
    "date_of",
    "group_table",
    "metrics_for",
    "opened",
    "page",
    "paired",
    "paper_paragraph",
    "priors_in_words",
    "read_beside",
    "read_models",
    "read_or_count",
    "read_scores",
    "same_labels",
    "verdict_sentence",
    "write_comparison_page",
    "write_page",
]
