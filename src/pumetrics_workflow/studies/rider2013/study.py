"""The class of the study; each method imports what it needs."""

from pumetrics_workflow.studies import Study, functions_of

__all__ = ["Rider2013"]


class Rider2013(Study):
    """Rider et al. (2013): AUC and AUC-PR with hidden positives among the negatives."""

    def simulate(self, part, **given):
        """Run the module ``simulation``."""
        from pumetrics_workflow.studies.rider2013.simulation import simulate

        return simulate(part, **given)

    def tables(self, results):
        """Run the module ``tables``."""
        from pumetrics_workflow.studies.rider2013.tables import tables

        return tables(results)

    def published(self, tables):
        """Return ours by the ids of the published ones."""
        from pumetrics_workflow.studies.rider2013.tables import reproduced

        return reproduced(tables)

    def derived(self, tables, published):
        """Return the tables that follow from others."""
        from pumetrics_workflow.studies.rider2013.tables import derived

        return derived(tables, published)

    def figures(self):
        """Return the functions of the module ``figures``."""
        from pumetrics_workflow.studies.rider2013 import figures

        return functions_of(figures)
