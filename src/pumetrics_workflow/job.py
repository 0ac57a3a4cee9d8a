"""What turns a function with explicit arguments into a Snakemake job: arguments, log, errors of one line."""

import contextlib
import inspect
import json
import logging
import os
import sys
import time
import traceback
from pathlib import Path

__all__ = ["run"]

_SOURCES = ("input", "output", "params", "wildcards")


def run(function, snakemake):
    """Call `function` with the arguments it names, taken from a job's input, output, params and wildcards.

    What the job logs or prints goes to the job's log file, at last the time and memory it took. If it fails, the log
    holds the whole traceback and the terminal one line. An input that turns out to be damaged is named and set
    aside, so that the next run makes it anew.

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
            told = set_aside_damaged(snakemake.input) or [f"{type(error).__name__}: {error}"]
            print(f"{snakemake.rule} ({where}): {'; '.join(told)}", file=terminal)
            print(f"  the whole story: {log}", file=terminal)
            sys.exit(1)
        finally:
            with contextlib.suppress(Exception):  # what a job took is not worth losing what it made
                print(_usage())
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


def set_aside_damaged(paths):
    """Rename the Parquet and JSON files among `paths` that cannot be read, and say so in a line for each.

    Only what is damaged and what a run made is touched: a file that is missing, or that a disk or a permission keeps
    from being read, is left alone, and so is one outside the folder of the run, such as a user's own data.
    """
    made = [path for path in map(Path, paths) if not path.is_absolute()]
    return [told for told in map(_set_aside, made) if told]


def _set_aside(path):
    try:
        content = path.read_bytes()
    except OSError:
        return None
    flaw = _flaw(path.suffix, content)
    if not flaw:
        return None
    aside = path.with_name(f"{path.name}.damaged")
    try:
        os.replace(path, aside)
    except OSError:
        return f"{path} is damaged ({flaw}): delete it and run again, it is made anew"
    return f"{path} is damaged ({flaw}): set aside as {aside.name}; run again, it is made anew"


def _flaw(suffix, content):
    """What keeps the content of a file from being read, or nothing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if suffix == ".parquet":
            pq.read_table(pa.BufferReader(content), page_checksum_verification=True)
        elif suffix == ".json":
            json.loads(content)
    except (pa.ArrowException, ValueError, OSError) as error:  # pyarrow calls a page that cannot be unpacked an OSError
        return (str(error).strip() or type(error).__name__).splitlines()[0]
    return None


def _usage():
    """Say what this process took, in the form that the journal reads from a job's log."""
    import psutil

    me = psutil.Process()
    return f"took {time.time() - me.create_time():.2f} s, {sum(me.cpu_times()[:4]):.2f} s of CPU, {_peak():.0f} MB"


def _peak():
    """Most memory that this process held at a time, in MB."""
    status = Path("/proc/self/status")
    if status.is_file():  # what getrusage says on Linux starts at the size of the process that started this one
        found = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
        if found:
            return int(found[0]) / 2**10
    try:
        import resource
    except ImportError:  # Windows
        import psutil

        return psutil.Process().memory_info().peak_wset / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
