"""Commands that the workflow adds to ``pumetrics``."""

__all__ = ["add_commands"]


def add_commands(app):
    """Add the workflow's commands to a typer app."""
    from pumetrics_workflow.cli.compare import compare
    from pumetrics_workflow.cli.datasets import datasets
    from pumetrics_workflow.cli.reference import reference
    from pumetrics_workflow.cli.status import status

    app.add_typer(datasets, name="datasets")
    app.add_typer(reference, name="reference")
    app.command("compare")(compare)
    app.command("status")(status)
