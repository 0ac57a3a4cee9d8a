"""What turns a function with explicit arguments into a Snakemake job: arguments, log, errors of one line."""

import inspect
import logging
import sys
import traceback
from pathlib import Path

__all__ = ["run"]

_SOURCES = ("input", "output", "params", "wildcards")


def run(function, snakemake):
    """Call `function` with the arguments it names, taken from a job's input, output, params and wildcards.

    What the job logs or prints goes to the job's log file. If it fails, the log holds the whole traceback and the
    terminal one line.

    Parameters
    ----------
    function : callable
        Its arguments are named like the job's files, params and wildcards.
    snakemake : snakemake.script.Snakemake
        The object Snakemake puts into a script.
    """
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    terminal = sys.stderr
    with log.open("w", encoding="utf-8") as stream:
        sys.stdout = sys.stderr = stream
        logging.basicConfig(stream=stream, level=logging.INFO, format="%(asctime)s %(message)s", force=True)
        logging.captureWarnings(True)
        try:
            function(**arguments(function, snakemake))
        except Exception as error:
            traceback.print_exc()
            where = ", ".join(f"{key} {value}" for key, value in snakemake.wildcards.items())
            print(f"{snakemake.rule} ({where}): {type(error).__name__}: {error}", file=terminal)
            print(f"  the whole story: {log}", file=terminal)
            sys.exit(1)
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, terminal


def arguments(function, snakemake):
    """Return the keyword arguments of `function`, each found under its name in the job."""
    found = {}
    for name in inspect.signature(function).parameters:
        sources = [getattr(snakemake, source) for source in _SOURCES]
        values = [source[name] for source in map(dict, (source.items() for source in sources)) if name in source]
        if not values:
            raise TypeError(f"rule {snakemake.rule} has no {' or '.join(_SOURCES)} named {name!r}")
        found[name] = values[0]
    return found
