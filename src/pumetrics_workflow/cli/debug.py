"""`pumetrics debug` runs the job behind an output in this terminal, under Python's debugger."""

import os
import re
import sys
from typing import Annotated

import typer

__all__ = ["debug"]


def debug(
    output: Annotated[str, typer.Argument(help="A file of a run, for example results/quick/jain2017/tables.")],
    more: Annotated[list[str] | None, typer.Argument(help="Options of Snakemake, such as --config, after --.")] = None,
):
    """Run the job that makes an output anew, in this terminal and under pdb, from the first line of its function.

    Type c to go on to the next breakpoint() or error, where variables can be looked at, and q to leave. Inputs are
    those that lie there, whatever changed since; missing ones are made first. Outputs of a job that is left are
    deleted. To be started where Snakemake runs.

    Example: pumetrics debug results/quick/jain2017/tables
    """
    from pumetrics_workflow.job import DEBUG

    target = re.sub(r"/(tables|figures)/.+", r"/\1", output)
    scale = re.match(r"results/(quick|laptop|paper)/", target)
    settings = ["--config", f"scale={scale[1]}"] if scale and "--config" not in (more or ()) else []
    as_it_lies = ["--force", "--cores", "1", "--rerun-triggers", "mtime"]
    command = [sys.executable, "-m", "snakemake", target, *as_it_lies, *settings, *(more or ())]
    os.execve(sys.executable, command, {**os.environ, DEBUG: target})
