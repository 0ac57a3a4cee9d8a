"""Moved to :mod:`pumetrics.assessment._page`."""

from pumetrics.assessment._page import rendered

__all__ = ["rendered"]
