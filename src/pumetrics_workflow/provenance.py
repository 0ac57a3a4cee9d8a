"""Provenance of results: each table says in its metadata which job made it, and which jobs made what that job read."""

import json
import os
import platform
import re
import sys
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

__all__ = ["PACKAGES", "STATE", "doing", "made_by", "merged", "provenance", "used"]

PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "numba", "pyarrow")
"""What results depend on in addition to this project and Python."""

STATE = "PUMETRICS_COMMIT"
"""The environment variable with the state of the sources when Snakemake began, as JSON."""

_job = {}  # what this process does


@contextmanager
def doing(rule, behind, inputs):
    """Let tables say what made them while the job of this process writes them.

    Parameters
    ----------
    rule : str
    behind : str or None
        Hash of the code behind it.
    inputs : iterable of path-like
    """
    _job.update(
        rule=rule,
        behind=behind,
        inputs=[str(path) for path in inputs if str(path).endswith(".parquet")],
    )
    try:
        yield
    finally:
        _job.clear()


def made_by():
    """Return what makes the outputs of this job, for their metadata; {} in a process that runs no job.

    Returns
    -------
    dict
        ``made_by``: ``rule``; ``behind``, the hash of the code behind it; ``commit`` and ``uncommitted_changes``;
        machine and versions; wall and CPU seconds of the job up to now and its largest memory in MB; when it
        ``finished``. And ``made_from``: the same of the jobs that made its inputs, and theirs, by path.
    """
    if not _job:
        return {}
    made_from = {}
    for path in _job["inputs"]:
        facts = _metadata(path)
        made_from |= {**facts.get("made_from", {}), path: facts.get("made_by")}
    facts = {
        "rule": _job["rule"],
        "behind": _job["behind"],
        **json.loads(os.environ.get(STATE, "{}")),
        "host": platform.node(),
        "processor": _processor(),
        "machine": f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores",
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        **used(),
        "finished": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
    }
    return {"made_by": facts, "made_from": {path: made for path, made in made_from.items() if made}}


def used():
    """Return the wall and CPU seconds of this process, its start included, and its largest memory in MB."""
    import psutil

    wall = time.time() - psutil.Process().create_time()
    return {
        "wall_seconds": round(wall, 1),
        "cpu_seconds": round(sum(os.times()[:4]), 1),
        "most_mb": _most_mb(),
    }


def provenance(cards, **facts):
    """Return what is needed to reproduce the tables of a study, in the job that makes them of all answers.

    Parameters
    ----------
    cards : dict
        The card of each data set, by name.
    **facts
        What else holds for all of them, such as the scale and the seed.

    Returns
    -------
    dict
        `facts`; ``commit``, processor and versions of the jobs, with commas where jobs differ; whether any of them had
        ``uncommitted_changes``; ``data``, the hashes of the data sets; and ``rules``, for each rule the number of its
        jobs, their wall and CPU time, the most memory of one of them, and the hash of the code ``behind`` it.
    """
    from pumetrics import __version__

    made = made_by()
    jobs = [*made["made_from"].values(), made["made_by"]] if made else []
    return {
        **facts,
        **{
            name: _all_of(jobs, name)
            for name in ("commit", "processor", "machine", "python", *PACKAGES)
        },
        "uncommitted_changes": any(job.get("uncommitted_changes") for job in jobs),
        "pumetrics": __version__,
        "data": {
            name: card.get("sha256") or card["source"]
            for name, card in cards.items()
            if card["available"]
        },
        "finished": max((job["finished"] for job in jobs), default=""),
        "rules": {
            rule: _sums([job for job in jobs if job["rule"] == rule])
            for rule in _each(jobs, "rule")
        },
    }


def merged(runs):
    """Return the provenance of a page about several studies, from the :func:`provenance` of each."""
    texts = {name: _all_of(runs, name) for name, fact in runs[0].items() if isinstance(fact, str)}
    rules = sorted({rule for run in runs for rule in run.get("rules", {})})
    return {
        **{name: fact for name, fact in runs[0].items() if name in ("scale", "seed")},
        **texts,
        "finished": max(run["finished"] for run in runs),
        "uncommitted_changes": any(run.get("uncommitted_changes") for run in runs),
        "data": {name: origin for run in runs for name, origin in run["data"].items()},
        "rules": {
            rule: _sums([run["rules"][rule] for run in runs if rule in run.get("rules", {})])
            for rule in rules
        },
    }


def _metadata(path):
    """Return what a table of this workflow says of itself; {} for other files."""
    import pyarrow.parquet as pq

    return json.loads((pq.read_schema(path).metadata or {}).get(b"pumetrics", b"{}"))


def _each(jobs, name):
    """Values of a fact, each once, in order."""
    texts = (text for job in jobs for text in str(job.get(name) or "").split(", "))
    return list(dict.fromkeys(filter(None, texts)))


def _all_of(jobs, name):
    return ", ".join(_each(jobs, name))


def _sums(jobs):
    """Number, times, memory and code of jobs, or of sums over jobs."""
    return {
        "jobs": sum(job.get("jobs", 1) for job in jobs),
        **{
            name: round(sum(job[name] for job in jobs), 1)
            for name in ("wall_seconds", "cpu_seconds")
        },
        "most_mb": max(job["most_mb"] for job in jobs),
        "behind": _all_of(jobs, "behind"),
    }


def _most_mb(status=Path("/proc/self/status")):
    """Largest resident memory of this process alone; a system without /proc counts that of its parent, too."""
    if status.is_file() and (
        peak := re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))
    ):
        return round(int(peak[1]) / 1024)
    import resource

    return round(
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        / (2**20 if sys.platform == "darwin" else 2**10)
    )


def _processor(description=Path("/proc/cpuinfo")):
    """Name of the processor, where the system gives one."""
    text = (
        description.read_text(encoding="utf-8", errors="replace") if description.is_file() else ""
    )
    named = re.search(r"^model name\s*: (.+)$", text, flags=re.M)
    return named[1] if named else platform.processor()
