"""TO WRITE: what is simulated."""

import pandas as pd

from pumetrics_workflow.seeding import rng_for

__all__ = ["simulate"]


def simulate(part, *, repeats, seed, data, n):
    """Return one statistic per repeat; the seed depends on its name, so chunks do not change results."""
    values = [rng_for(seed, "template", part, repeat).random(n).mean() for repeat in repeats]
    fixed = {"dataset": "generated", "model": "none", "labeling": f"n={n}", "statistic": "mean"}
    return pd.DataFrame({**fixed, "repeat": repeats, "value": values})
