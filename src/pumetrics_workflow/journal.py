"""The journal of a run: a line per event, from which `pumetrics status` and the provenance read how it went.

Snakemake's main process appends to one file per run, through the logger plugin; jobs on other machines write nothing.
A line is written by one call, so a kill can cut the last line at most, and a cut line is left out when reading.
"""

import json
import os
import re
import shlex
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FOLDER", "Journal", "JournaledJob", "JournaledRun", "last_lines", "read_runs", "usage_in_log"]

FOLDER = Path(".snakemake", "pumetrics")

_USAGE = re.compile(r"^took ([\d.]+) s, ([\d.]+) s of CPU, ([\d.]+) MB$", flags=re.M)
_TAIL = 4096  # bytes of a log that are read to find its last lines


class Journal:
    """Writes the journal of one run, in the folder in which Snakemake works.

    Parameters
    ----------
    folder : path
        Where journals lie, made if need be.

    Raises
    ------
    OSError
        If it cannot be written; also by :meth:`add`.
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
        """Begin: how many jobs of each rule there are, by which command, on how many cores."""
        self.add("run", **self._me, command=sys.argv[1:], cores=cores, jobs=dict(jobs))

    def add(self, event, **facts):
        """Append one event with the time."""
        line = json.dumps({"event": event, "time": round(time.time(), 3), **facts}, default=str)
        os.write(self._file, f"{line}\n".encode())

    def close(self):
        """Say that the run came to its end, whatever that was."""
        try:
            self.add("close")
        finally:
            os.close(self._file)


@dataclass
class JournaledJob:
    """One job as the journal tells it; `state` is "running", "done" or "failed"."""

    rule: str
    what: str
    outputs: list
    log: list
    start: float
    state: str = "running"
    seconds: float = 0.0
    cpu: float | None = None
    memory: float | None = None


@dataclass
class JournaledRun:
    """One run of Snakemake as its journal tells it."""

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
        """Say how the run is: "running", "done", "failed", "stopped", "gone" or "elsewhere".

        "stopped" ended before all was done, in order; "gone" ended without a word, as after a kill or a power loss;
        "elsewhere" may still run, on another machine, where its process cannot be seen from here.
        """
        if not self.closed:
            if self.host != _host():
                return "elsewhere"
            return "running" if _alive(self.pid, self.born) else "gone"
        if self.of_state("failed"):
            return "failed"
        return "done" if len(self.of_state("done")) >= self.total else "stopped"

    def resume(self):
        """Commands that take the run up again; the first removes the lock which a killed run leaves."""
        command = f"snakemake {shlex.join(self.command)}"
        return [f"{command} --unlock", command] if self.state() in ("gone", "elsewhere") else [command]


def read_runs(folder="."):
    """Read the journals below a folder in which Snakemake worked, the oldest run first.

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


def usage_in_log(path):
    """Seconds, seconds of CPU and MB at most that a job wrote at the end of its log, or None."""
    found = _USAGE.findall("\n".join(last_lines(path)))
    return tuple(map(float, found[-1])) if found else None


def last_lines(path, most=12):
    """Return the last lines of a file that are not empty; none if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _TAIL))
            text = stream.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip()][-most:]


def _read_run(path):
    run = JournaledRun(path)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # someone else's, not for us to read
        return run
    for line in lines:
        try:
            entry = json.loads(line)
            _apply(run, entry)
        except (ValueError, KeyError, TypeError):  # the last line of a run that was killed while it wrote
            continue
    return run


def _apply(run, entry):
    """Let one line of the journal change what is known of the run."""
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
            job.seconds = entry.get("seconds") or entry["time"] - job.start
            job.cpu, job.memory = entry.get("cpu"), entry.get("memory")
        case "close":
            run.closed = True


def _alive(pid, born):
    """Whether the process that was born then still lives; its number alone may have passed to another one."""
    import psutil

    try:
        return abs(psutil.Process(pid).create_time() - born) < 2 and psutil.Process(pid).status() != "zombie"
    except psutil.Error:
        return False


def _host():
    import platform

    return platform.node()
