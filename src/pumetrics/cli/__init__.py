"""The command line: one module per command; heavy imports wait inside the commands."""

import typer

from pumetrics.cli.compare import compare
from pumetrics.cli.compare_models import compare_models
from pumetrics.cli.datasets import datasets
from pumetrics.cli.evaluate import evaluate
from pumetrics.cli.status import status

__all__ = ["app"]

app = typer.Typer(
    help="True classifier performance from positive, unlabeled and wrong labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(datasets, name="datasets")
app.command("compare")(compare)
app.command("compare-models")(compare_models)
app.command("evaluate")(evaluate)
app.command("status")(status)


@app.callback()
def main():
    """True classifier performance from positive, unlabeled and wrong labels."""
