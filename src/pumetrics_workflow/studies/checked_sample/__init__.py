"""A checked sample: what some rows of known class say of a metric, and how often intervals from them hold it."""

__all__ = ["WAYS"]

WAYS = {
    "profile": "no assumption",
    "two_strata": "two strata, exact",
    "random": "random rows",
    "random_exact": "random rows, exact",
    "wald": "stratified Wald",
    "ppi": "random rows, PPI++",
    "plug_in": "random rows, plug-in",
    "without": "no checks, calibrated",
}
"""What tables and figures call the ways to choose and to analyze rows."""
