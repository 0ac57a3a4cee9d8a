"""`pumetrics debug` reruns the job that produces an output under Python's debugger."""

import os
import sys
from typing import Annotated

import typer

__all__ = ["debug"]


def debug(
    output: Annotated[
        str, typer.Argument(help="File of a run, for example results/quick/jain2017/tables/medians.csv.")
    ],
    more: Annotated[list[str] | None, typer.Argument(help="Options of Snakemake, such as --config, after --.")] = None,
):
    """Rerun the job that produces an output, in this terminal and under pdb, from the first line of its function.

    Enter c to continue to the next breakpoint() or error, where you can inspect variables, and q to quit. Existing
    inputs are used even if they are outdated; missing ones are produced first. If you quit, the outputs of the job are
    deleted. Run this command where Snakemake runs.

    Example: pumetrics debug results/quick/jain2017/tables/medians.csv
    """
    from pumetrics_workflow.job import DEBUG
    from pumetrics_workflow.reference import SCALES

    scale = next((part for part in output.split("/") if part in SCALES), None)
    settings = ["--config", f"scale={scale}"] if scale and "--config" not in (more or ()) else []
    as_it_lies = ["--force", "--cores", "1", "--rerun-triggers", "mtime"]
    command = [sys.executable, "-m", "snakemake", output, *as_it_lies, *settings, *(more or ())]
    os.execve(sys.executable, command, {**os.environ, DEBUG: output})
