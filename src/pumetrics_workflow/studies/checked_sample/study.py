"""The class of the study; each method imports what it needs."""

from pumetrics_workflow.studies import Study, functions_of

__all__ = ["CheckedSample"]


class CheckedSample(Study):
    """A checked sample: what some rows of known class say of a metric, and how often intervals from them hold it."""

    def simulate(self, part, **given):
        """Run the module ``simulation``."""
        from pumetrics_workflow.studies.checked_sample.simulation import simulate

        return simulate(part, **given)

    def tables(self, results):
        """Run the module ``tables``."""
        from pumetrics_workflow.studies.checked_sample.tables import tables

        return tables(results)

    def published(self, tables):
        """Return ours by the ids of the published ones."""
        from pumetrics_workflow.studies.checked_sample.tables import reproduced

        return reproduced(tables)

    def figures(self):
        """Return the functions of the module ``figures``."""
        from pumetrics_workflow.studies.checked_sample import figures

        return functions_of(figures)
