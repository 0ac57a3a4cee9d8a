"""`pumetrics schema` prints the schema of the JSON of a command."""

from enum import StrEnum
from typing import Annotated

import typer

from pumetrics.cli._errors import written_or_refused

__all__ = ["schema"]


class Command(StrEnum):
    """Commands with --json."""

    evaluate = "evaluate"
    compare_models = "compare-models"


def schema(command: Annotated[Command, typer.Argument(help="Command whose JSON output is described.")]):
    """Print the JSON schema of a command's output.

    Example: pumetrics schema evaluate > evaluate.schema.json
    """
    import json

    from pumetrics.cli._json import output_schema

    with written_or_refused():
        typer.echo(json.dumps(output_schema(str(command)), indent=2))
