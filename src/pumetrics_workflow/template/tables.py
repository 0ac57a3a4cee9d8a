"""Tables: queries on records and statistics."""

__all__ = ["reproduced", "tables"]


def tables(results):
    """Return the tables by name."""
    return {"example": results.statistics[["repeat", "value"]]}


def reproduced(tables):
    """Return the reproduced numbers by the ids of the published ones."""
    return {"example": tables["example"]["value"].mean()}
