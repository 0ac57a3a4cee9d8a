"""Metrics from rows that an expert has checked: which rows to check, and estimates from the verdicts.

Scores and labels only give an upper bound for the share of hidden positives. A sample of rows whose true class is
checked also gives a lower bound, without assumptions about how labels were assigned.
"""

from pumetrics.checks.drawing import plan_checks, plan_comparison
from pumetrics.checks.intervals import (
    CheckedInterval,
    UncheckedPartError,
    checked_difference,
    checked_interval,
)
from pumetrics.checks.plans import CheckPlan, FilledPlan, opened
from pumetrics.checks.verdicts import ChosenError, by_position, read_verdicts

__all__ = [
    "CheckPlan",
    "CheckedInterval",
    "ChosenError",
    "FilledPlan",
    "UncheckedPartError",
    "by_position",
    "checked_difference",
    "checked_interval",
    "opened",
    "plan_checks",
    "plan_comparison",
    "read_verdicts",
]
