"""`pumetrics compare` lists the tables of two runs that differ, and by how much."""

from pathlib import Path
from typing import Annotated

import typer

from pumetrics_workflow.cli import or_exit

__all__ = ["compare"]


def compare(
    first: Annotated[Path, typer.Argument(help="Folder of results, folder of a study, or a single table.")],
    second: Annotated[Path, typer.Argument(help="Folder or table to compare it with.")],
    tolerance: Annotated[float, typer.Option(min=0.0, help="Largest absolute difference that counts as equal.")] = 0.0,
    rtol: Annotated[float, typer.Option(min=0.0, help="Largest relative difference that counts as equal.")] = 0.0,
):
    """Compare the tables and records (CSV and Parquet) of two runs: bytes first, then values.

    Times are ignored: columns named seconds, and statistics in seconds. A difference counts if it exceeds tolerance +
    rtol * magnitude of the second value. Exit status: 0 equal, 1 different, 2 cannot be compared.

    Example: pumetrics compare results/quick /elsewhere/results/quick --rtol 1e-9
    """
    from pumetrics_workflow.compare import compare_runs

    comparison = or_exit(compare_runs, first, second, tolerance=tolerance, rtol=rtol)
    for line in comparison.lines():
        typer.echo(line)
    raise typer.Exit(0 if comparison.equal else 1)
