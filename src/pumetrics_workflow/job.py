"""Run a function with explicit arguments as a Snakemake job: environment, arguments, log, one-line errors."""

import faulthandler
import inspect
import json
import logging
import os
import platform
import re
import sys
import traceback
from pathlib import Path

from pumetrics_workflow.provenance import STATE, doing, used

__all__ = ["arguments", "killed", "run", "set_aside_damaged", "set_environment"]

_SOURCES = ("input", "output", "params", "wildcards")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
# What every x86-64 processor since 2015 has: OpenBLAS's kernels for one of them, and numpy's without AVX-512.
_KERNELS = "Haswell"
_ENDED = "job ended: "  # begins the last line of a log, unless the process was killed
_LEFT_OUT = "NPY_DISABLE_CPU_FEATURES"
_WIDER = ("X86_V4", "AVX512")


def set_environment(home, state=None):
    """Set the environment variables that every job of a run inherits.

    One thread per job: two jobs with two BLAS threads each on two cores ran ten times slower than with one each. And
    the sources of the project on the search path, so that jobs run the code whose hash the rules hold, also
    if another copy of the project is installed.

    Matrix products, exponentials and sorting are those of one kind of processor: with the vectors of each machine's
    own, the last digits and the order of ties differ, a model trained on one machine differs from that of another,
    and so does the table. ``PUMETRICS_PROCESSOR=host`` leaves the choice to OpenBLAS and numpy. The project's own
    loops give the same numbers on every processor that multiplies and adds in one step.

    Parameters
    ----------
    home : path-like
        Folder of the Snakefile.
    state : dict, optional
        What :func:`pumetrics_workflow.code.git_state` returns, for the outputs of all jobs. If it is empty, the
        environment may already say it, as in an image without the repository.
    """
    os.environ[STATE] = json.dumps(state) if state else os.environ.get(STATE, "{}")
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    if os.environ.get("PUMETRICS_PROCESSOR") != "host" and _stands_in():
        left_out = dict.fromkeys([*os.environ.get(_LEFT_OUT, "").split(), *_wider_vectors()])
        os.environ.update({"OPENBLAS_CORETYPE": _KERNELS, _LEFT_OUT: " ".join(left_out)})
    sources = Path(__file__).resolve().parents[1]
    if (
        sources == Path(home).resolve() / "src"
    ):  # and not a folder with the packages of another environment
        paths = [str(sources), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, paths)))


def _wider_vectors():
    """What numpy uses in this processor that not all have."""
    import numpy as np

    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return [name for name in found if name.startswith(_WIDER)]


def _stands_in(description=Path("/proc/cpuinfo")):
    """Whether the processor has AVX2 and FMA; False where the system does not tell."""
    if platform.machine() != "x86_64" or not description.is_file():
        return False
    words = set(description.read_text(encoding="utf-8", errors="replace").split())
    return {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"} <= words


def run(function, snakemake):
    """Call `function` with the arguments it names, taken from a job's input, output, params and wildcards.

    What the job logs or prints goes to the job's log file, and at the end its time and memory. If it fails, the log
    holds the whole traceback and the terminal one line. A damaged input is named and set aside, so that the next run
    makes it again. Tables that it writes say what made them (:func:`pumetrics_workflow.provenance.made_by`).

    Parameters
    ----------
    function : callable
        Its arguments are named like the job's files, params and wildcards.
    snakemake : snakemake.script.Snakemake
        The object Snakemake puts into a script.

    Raises
    ------
    SystemExit
        With status 1, if the function fails.
    """
    of_study = f"_{dict(snakemake.wildcards.items()).get('study')}"
    job = (
        snakemake.rule.removesuffix(of_study),
        dict(snakemake.params.items()).get("code"),
        snakemake.input,
    )
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    terminal = sys.stderr
    with log.open("w", encoding="utf-8") as stream:
        sys.stdout = sys.stderr = stream
        logging.basicConfig(
            stream=stream, level=logging.INFO, format="%(asctime)s %(message)s", force=True
        )
        logging.captureWarnings(True)
        faulthandler.enable(stream)  # a compiled library that crashes leaves at least a traceback
        try:
            with doing(*job):
                function(**arguments(function, snakemake))
        except Exception as error:
            traceback.print_exc()
            wildcards = ", ".join(f"{key} {value}" for key, value in snakemake.wildcards.items())
            reasons = set_aside_damaged(snakemake.input) or [f"{type(error).__name__}: {error}"]
            print(f"{snakemake.rule} ({wildcards}): {'; '.join(reasons)}", file=terminal)
            print(f"  full log: {log}", file=terminal)
            sys.exit(1)
        finally:
            print(_ENDED + ", ".join(f"{name} {value}" for name, value in used().items()))
            faulthandler.disable()
            sys.stdout = sys.__stdout__
            sys.stderr = terminal


def killed(logs, since):
    """Return a line about each job whose process was killed by a signal, of a run that has ended.

    Parameters
    ----------
    logs : iterable of path-like
        Logs of the jobs that have no output. Those that do not exist, or are older than the run, are of other runs.
    since : float
        When the run began, in seconds since the epoch.
    """
    lines = []
    for log in map(Path, logs):
        if not log.is_file() or log.stat().st_mtime < since:
            continue

        text = log.read_text(encoding="utf-8", errors="replace")
        if _ENDED in text:
            continue

        fatal = re.search(r"^Fatal Python error: (.+)$", text, flags=re.M)
        if fatal:
            advice = (
                f"{fatal[1]} in a compiled library; "
                "try PUMETRICS_PROCESSOR=host, or the versions of requirements.lock"
            )
        else:
            advice = (
                "no reason known, often too little memory or time; try --config repeats_per_job=1"
            )
        lines.append(f"{log}: the job was killed ({advice})")

    return lines


def arguments(function, snakemake):
    """Return the keyword arguments of `function`, each under its name in the job.

    Raises
    ------
    TypeError
        If the job has nothing of such a name.
    """
    values = {}
    for source in reversed(_SOURCES):  # an input goes before a param of the same name
        values |= dict(getattr(snakemake, source).items())
    names = list(inspect.signature(function).parameters)
    missing = [name for name in names if name not in values]
    if missing:
        raise TypeError(
            f"rule {snakemake.rule} has no {' or '.join(_SOURCES)} named {missing[0]!r}"
        )
    return {name: values[name] for name in names}


def set_aside_damaged(paths):
    """Rename the Parquet and JSON files among `paths` that cannot be read, and return a line about each.

    Only damaged files that a run made are touched: a missing file, one that a disk or a permission keeps from being
    read, and one outside the run's folder, such as a user's data, are left alone.
    """
    made = [path for path in map(Path, paths) if not path.is_absolute()]
    return [line for line in map(_set_aside, made) if line]


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
        return f"{path} is damaged ({flaw}): delete it and rerun to rebuild it"
    return f"{path} is damaged ({flaw}): set aside as {aside.name}; rerun to rebuild it"


def _flaw(suffix, content):
    """Return why the content of a file cannot be read, or None if it can."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if suffix == ".parquet":
            pq.read_table(pa.BufferReader(content), page_checksum_verification=True)
        elif suffix == ".json":
            json.loads(content)
    except (
        pa.ArrowException,
        ValueError,
        OSError,
    ) as error:  # pyarrow calls a page that cannot be unpacked an OSError
        return (str(error).strip() or type(error).__name__).splitlines()[0]
    return None
