"""Moved to :mod:`pumetrics.assessment._corrections`."""

from pumetrics.assessment._corrections import design_facts, impossible, view_of

__all__ = ["design_facts", "impossible", "view_of"]
