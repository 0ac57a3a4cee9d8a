"""Metrics from rows that an expert has checked: which rows to check, and what the verdicts then say.

Scores and labels bound the share of hidden positives from above only. Some rows whose true class is found out give it a
lower end, without any assumption on how labels came about.
"""

from pumetrics.checks._comparison import checked_difference, plan_comparison
from pumetrics.checks._interval import CheckedInterval, UncheckedPartError, checked_interval, side_by_side
from pumetrics.checks._plan import CheckPlan, plan_checks
from pumetrics.checks._verdicts import read_verdicts

__all__ = [
    "CheckPlan",
    "CheckedInterval",
    "UncheckedPartError",
    "checked_difference",
    "checked_interval",
    "plan_checks",
    "plan_comparison",
    "read_verdicts",
    "side_by_side",
]
