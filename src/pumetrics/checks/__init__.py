"""Metrics from rows that an expert has checked: which rows to check, and estimates from the verdicts.

Scores and labels only give an upper bound for the share of hidden positives. A sample of rows whose true class is
checked also gives a lower bound, without assumptions about how labels were assigned.
"""

from pumetrics.checks._interval import (
    CheckedInterval,
    UncheckedPartError,
    checked_difference,
    checked_interval,
    side_by_side,
)
from pumetrics.checks._plan import CheckPlan, plan_checks, plan_comparison
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
