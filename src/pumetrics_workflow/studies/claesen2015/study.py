"""The class of the study; each method imports what it needs."""

from pumetrics_workflow.studies import Study, functions_of

__all__ = ["Claesen2015"]


class Claesen2015(Study):
    """Claesen, Davis, De Smet & De Moor (2015): bounds on any metric from positive and unlabeled examples."""

    def simulate(self, part, **given):
        """Run the module ``simulation``."""
        from pumetrics_workflow.studies.claesen2015.simulation import simulate

        return simulate(part, **given)

    def tables(self, results):
        """Run the module ``tables``."""
        from pumetrics_workflow.studies.claesen2015.tables import tables

        return tables(results)

    def published(self, tables):
        """Return ours by the ids of the published ones."""
        from pumetrics_workflow.studies.claesen2015.tables import reproduced

        return reproduced(tables)

    def derived(self, tables, published):
        """Return the tables that follow from others."""
        from pumetrics_workflow.studies.claesen2015.claims import derived

        return derived(tables, published)

    def figures(self):
        """Return the functions of the module ``figures``."""
        from pumetrics_workflow.studies.claesen2015 import figures

        return functions_of(figures)
