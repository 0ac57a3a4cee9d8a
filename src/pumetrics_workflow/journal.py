"""The journal of a run: a line per event, from which `pumetrics status` and the provenance follow a run.

Snakemake's main process appends to one file per run, through the logger plugin; jobs on other machines write nothing.
A line is written by one call, so a kill can cut off the last line at most, and reading skips such a line.
"""

import json
import os
import shlex
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FOLDER", "Journal", "JournaledJob", "JournaledRun", "last_line", "read_runs"]

FOLDER = Path(".snakemake", "pumetrics")

_TAIL = 4096  # bytes of a log that are read to find its last line


class Journal:
    """Writes the journal of one run, in the folder in which Snakemake works.

    Parameters
    ----------
    folder : path
        Folder of journals, made if need be.

    Raises
    ------
    OSError
        If the journal cannot be written; also by :meth:`add`.
    """

    def __init__(self, folder=FOLDER):
        import psutil

        me = psutil.Process()
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{time.strftime('%Y%m%dT%H%M%S')}-{me.pid}.jsonl"
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._me = {"pid": me.pid, "born": me.create_time(), "host": _host()}

    def start(self, jobs, cores=None):
        """Record the jobs of each rule, the command and the number of cores."""
        self.add("run", **self._me, command=sys.argv[1:], cores=cores, jobs=dict(jobs))

    def add(self, event, **facts):
        """Append one event with the time."""
        line = json.dumps({"event": event, "time": round(time.time(), 3), **facts}, default=str)
        os.write(self._file, f"{line}\n".encode())

    def close(self):
        """Record that the run ended in order, with or without failures."""
        try:
            self.add("close")
        finally:
            os.close(self._file)


@dataclass
class JournaledJob:
    """One job; `state` is "running", "done" or "failed", `seconds` the time from its start to its end."""

    rule: str
    what: str
    outputs: list
    log: list
    start: float
    state: str = "running"
    seconds: float = 0.0


@dataclass
class JournaledRun:
    """One run of Snakemake, as far as its journal goes."""

    path: Path
    host: str = ""
    pid: int = 0
    born: float = 0.0
    command: list = field(default_factory=list)
    cores: int | None = None
    start: float = 0.0
    last: float = 0.0
    closed: bool = False
    counts: Counter = field(default_factory=Counter)
    jobs: dict = field(default_factory=dict)

    @property
    def total(self):
        """Number of jobs that the run had to do."""
        return sum(self.counts.values())

    def of_state(self, state):
        """Jobs that are "running", "done" or "failed"."""
        return [job for job in self.jobs.values() if job.state == state]

    def state(self):
        """Return "running", "done", "failed", "stopped", "gone" or "elsewhere".

        A "stopped" run ended in order before all was done; one that is "gone" ended unexpectedly, as after a kill or a
        power loss; one "elsewhere" may still run, on another machine, where its process cannot be seen from here.
        """
        if not self.closed:
            if self.host != _host():
                return "elsewhere"
            return "running" if _alive(self.pid, self.born) else "gone"
        if self.of_state("failed"):
            return "failed"
        return "done" if len(self.of_state("done")) >= self.total else "stopped"

    def resume(self):
        """Commands that resume the run; after a kill the first of them removes the lock."""
        command = f"snakemake {shlex.join(self.command)}"
        return [f"{command} --unlock", command] if self.state() in ("gone", "elsewhere") else [command]


def read_runs(folder="."):
    """Read the journals of a folder in which Snakemake worked, the oldest run first.

    Parameters
    ----------
    folder : path
        The working directory of the runs.

    Returns
    -------
    list of JournaledRun
    """
    runs = (_read_run(path) for path in Path(folder, FOLDER).glob("*.jsonl"))
    return sorted((run for run in runs if run.total), key=lambda run: run.start)


def last_line(path):
    """Return the last line of a file that is not empty, or "" if there is none or the file cannot be read."""
    try:
        with open(path, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _TAIL))
            text = stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


def _read_run(path):
    run = JournaledRun(path)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # of another user
        return run
    for line in lines:
        try:
            entry = json.loads(line)
            _apply(run, entry)
        except (ValueError, KeyError, TypeError):  # the last line of a run that was killed while it wrote
            continue
    return run


def _apply(run, entry):
    """Update a run by one line of its journal."""
    run.last = entry["time"]
    match entry["event"]:
        case "run":
            run.host, run.pid, run.born, run.start = entry["host"], entry["pid"], entry["born"], entry["time"]
            run.command, run.cores, run.counts = entry["command"], entry["cores"], Counter(entry["jobs"])
        case "start":
            run.jobs[entry["job"]] = JournaledJob(
                entry["rule"], entry["what"], entry["outputs"], entry["log"], entry["time"]
            )
        case "done" | "failed" as state:
            job = run.jobs[entry["job"]]
            job.state, job.log = state, entry.get("log", job.log)
            job.seconds = entry["time"] - job.start
        case "close":
            run.closed = True


def _alive(pid, born):
    """Whether the process that was born then still runs; its number alone may have passed to another one."""
    import psutil

    try:
        return abs(psutil.Process(pid).create_time() - born) < 2 and psutil.Process(pid).status() != "zombie"
    except psutil.Error:
        return False


def _host():
    import platform

    return platform.node()
