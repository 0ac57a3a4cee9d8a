"""Commands that the workflow adds to ``pumetrics``."""

import typer

__all__ = ["add_commands", "or_exit"]


def or_exit(function, *arguments, hint="", **options):
    """Result of a function; a ValueError is printed and ends the command."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        typer.echo(f"{error}{hint}", err=True)
        raise typer.Exit(2) from None


def add_commands(app):
    """Add the workflow's commands to a typer app."""
    from pumetrics_workflow.cli.compare import compare
    from pumetrics_workflow.cli.datasets import datasets
    from pumetrics_workflow.cli.debug import debug
    from pumetrics_workflow.cli.new_study import new_study
    from pumetrics_workflow.cli.reference import reference

    panel = "The papers"
    app.add_typer(datasets, name="datasets", rich_help_panel=panel)
    app.add_typer(reference, name="reference", rich_help_panel=panel)
    app.command("compare", rich_help_panel=panel)(compare)
    app.command("debug", rich_help_panel=panel)(debug)
    app.command("new-study", rich_help_panel=panel)(new_study)
