"""The class of the study; each method imports what it needs."""

from pumetrics_workflow.studies import Study, functions_of

__all__ = ["HeadToHead"]


class HeadToHead(Study):
    """Head to head: which estimate of which metric can be trusted, and which model should be picked."""

    def simulate(self, part, **given):
        """Run the module ``simulation``."""
        from pumetrics_workflow.studies.head_to_head.simulation import simulate

        return simulate(part, **given)

    def tables(self, results):
        """Run the module ``tables``."""
        from pumetrics_workflow.studies.head_to_head.tables import tables

        return tables(results)

    def published(self, tables):
        """Return ours by the ids of the published ones."""
        from pumetrics_workflow.studies.head_to_head.tables import reproduced

        return reproduced(tables)

    def figures(self):
        """Return the functions of the module ``figures``."""
        from pumetrics_workflow.studies.head_to_head import figures

        return functions_of(figures)
