"""The command line, one module per command; commands import heavy packages only when they run."""

from importlib.metadata import entry_points
from typing import Annotated

import typer

from pumetrics import __version__
from pumetrics.cli import output as out
from pumetrics.cli.audit import audit
from pumetrics.cli.compare_models import compare_models
from pumetrics.cli.evaluate import evaluate
from pumetrics.cli.example import example

__all__ = ["app"]

_EXAMPLES = """Examples:

pumetrics evaluate scores.csv --score score --label s

pumetrics evaluate cases.csv --label case --positive fraud --report page.html

pumetrics compare-models scores.csv --score forest --score svm --alpha 0.1,0.3"""

app = typer.Typer(
    help="Estimate true classifier performance from positive, unlabeled or noisy labels.",
    epilog=_EXAMPLES,
    cls=out.OneLineGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("evaluate")(evaluate)
app.command("compare-models")(compare_models)
app.command("audit")(audit)
app.command("example")(example)


def _show_version(wanted: bool):
    if wanted:
        typer.echo(f"pumetrics {__version__}")
        raise typer.Exit()


@app.callback()
def main(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
):
    """Estimate true classifier performance from positive, unlabeled or noisy labels."""


# The workflow adds its commands where its packages are installed; without them the library's still work.
for _entry in entry_points(group="pumetrics.commands"):
    try:
        _entry.load()(app)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0].startswith("pumetrics"):
            raise
