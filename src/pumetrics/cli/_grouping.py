"""Moved to :mod:`pumetrics.cli._checks`."""

from pumetrics.cli._checks import check_columns

__all__ = ["check_columns"]
