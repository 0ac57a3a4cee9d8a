"""Moved to :mod:`pumetrics.inference.plan`."""

from pumetrics.inference.plan import check_metrics, check_threshold

__all__ = ["check_metrics", "check_threshold"]
