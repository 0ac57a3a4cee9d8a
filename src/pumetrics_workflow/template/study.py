"""TO WRITE: authors (year): what the study is about."""

from pumetrics_workflow.studies import Study

__all__ = ["Template"]


class Template(Study):
    """TO WRITE: what is simulated; each method imports what it needs."""

    def simulate(
        self,
        part,
        *,
        repeats,
        seed,
        data,
        n,
    ):
        """Return one statistic per repeat; the seed depends on its name, so chunks do not change results."""
        import pandas as pd

        from pumetrics_workflow.seeding import rng_for

        values = [rng_for(seed, "template", part, repeat).random(n).mean() for repeat in repeats]
        fixed = {
            "dataset": "generated",
            "model": "none",
            "labeling": f"n={n}",
            "statistic": "mean",
        }
        return pd.DataFrame({**fixed, "repeat": repeats, "value": values})

    def tables(self, results):
        """Return the tables by name: queries on records and statistics."""
        return {"example": results.statistics[["repeat", "value"]]}

    def published(self, tables):
        """Return ours by the ids of the published numbers."""
        return {"example": tables["example"]["value"].mean()}

    def figures(self):
        """Return a function for each figure, of tables as read back from CSV."""
        import matplotlib.pyplot as plt

        from pumetrics_workflow.plotting import COLORS

        def example(table):
            figure, axis = plt.subplots(figsize=(3.4, 2.6))
            axis.plot(table["repeat"], table["value"], "o", color=COLORS["CR"])
            axis.set(xlabel="repeat", ylabel="TO WRITE")
            return figure

        return {"example": example}
