"""The class of the study; each method imports what it needs."""

from pumetrics_workflow.studies import Study, functions_of

__all__ = ["Tabatabaei2020"]


class Tabatabaei2020(Study):
    """Tabatabaei, Klein & Hoogendoorn (2020): F1 without negatives, and how often it selects the wrong model."""

    def simulate(self, part, **given):
        """Run the module ``simulation``."""
        from pumetrics_workflow.studies.tabatabaei2020.simulation import simulate

        return simulate(part, **given)

    def tables(self, results):
        """Run the module ``tables``."""
        from pumetrics_workflow.studies.tabatabaei2020.tables import tables

        return tables(results)

    def published(self, tables):
        """Return ours by the ids of the published ones."""
        from pumetrics_workflow.studies.tabatabaei2020.verdicts import reproduced

        return reproduced(tables)

    def derived(self, tables, published):
        """Return the tables that follow from others."""
        from pumetrics_workflow.studies.tabatabaei2020.tables import derived

        return derived(tables, published)

    def figures(self):
        """Return the functions of the module ``figures``."""
        from pumetrics_workflow.studies.tabatabaei2020 import figures

        return functions_of(figures)
