"""The journal of a run: a line per event, from which the terminal, `pumetrics status` and the provenance follow a run.

Snakemake's main process appends to one file per run, through the logger plugin; jobs on other machines write nothing.
A line is written by one call, so a kill can cut off the last line at most, and reading skips such a line.
"""

import json
import platform
import shlex
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pumetrics_workflow.code import git_state

__all__ = ["FOLDER", "Job", "Journal", "Run", "clock", "read_runs"]

FOLDER = Path(".snakemake", "pumetrics")


class Journal:
    """Follows one run, and writes its journal in the folder in which Snakemake works, as long as that can be written.

    Parameters
    ----------
    jobs : dict
        Number of jobs of each rule.
    cores : int, optional
    folder : path
        Folder of journals, made if need be.

    Attributes
    ----------
    run : Run
    path : Path
    """

    def __init__(self, jobs, cores=None, folder=FOLDER):
        import psutil

        me = psutil.Process()
        self.run, self.path = Run(), Path(folder, f"{time.strftime('%Y%m%dT%H%M%S')}-{me.pid}.jsonl")
        facts = {"pid": me.pid, "born": me.create_time(), "host": platform.node(), **git_state()}
        self.add("run", **facts, command=sys.argv[1:], cores=cores, jobs=dict(jobs))

    def add(self, event, **facts):
        """Follow the run by one event, and append it with the time."""
        entry = {"event": event, "time": round(time.time(), 3), **facts}
        self.run.see(entry)
        if not self.path:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:
                file.write(f"{json.dumps(entry, default=str)}\n".encode())
        except OSError as error:  # a full disk: the jobs matter more than the journal
            self.path = None
            print(
                f"the journal cannot be written ({error}): `pumetrics status` cannot follow this run", file=sys.stderr
            )


@dataclass
class Job:
    """One job; `state` is "running", "done" or "failed", `seconds` the time from its start to its end."""

    rule: str
    what: str
    outputs: list
    log: list
    start: float
    state: str = "running"
    seconds: float = 0.0


@dataclass
class Run:
    """One run of Snakemake, as far as its events go; `facts` are where, when and of what sources it was started."""

    facts: dict = field(default_factory=dict)
    counts: Counter = field(default_factory=Counter)
    jobs: dict = field(default_factory=dict)
    start: float = 0.0
    last: float = 0.0
    closed: bool = False

    def see(self, entry):
        """Update the run by one event."""
        self.last = entry["time"]
        match entry["event"]:
            case "run":
                self.facts, self.counts, self.start = entry, Counter(entry["jobs"]), entry["time"]
            case "start":
                self.jobs[entry["job"]] = Job(*(entry[name] for name in ("rule", "what", "outputs", "log", "time")))
            case "done" | "failed" as state:
                job = self.jobs[entry["job"]]
                job.state, job.seconds, job.log = state, entry["time"] - job.start, entry.get("log", job.log)
            case "close":
                self.closed = True

    @property
    def total(self):
        """Number of jobs that the run had to do."""
        return sum(self.counts.values())

    @property
    def command(self):
        """The command line that started it."""
        return shlex.join(["snakemake", *self.facts["command"]])

    def of_state(self, state):
        """Jobs that are "running", "done" or "failed"."""
        return [job for job in list(self.jobs.values()) if job.state == state]  # another thread may add one

    def state(self):
        """Return "running", "done", "failed", "stopped", "gone" or "elsewhere".

        A "stopped" run ended in order before all was done; one that is "gone" ended unexpectedly, as after a kill or a
        power loss; one "elsewhere" may still run, on another machine, where its process cannot be seen from here.
        """
        if not self.closed:
            if self.facts["host"] != platform.node():
                return "elsewhere"
            return "running" if _alive(self.facts["pid"], self.facts["born"]) else "gone"
        if self.of_state("failed"):
            return "failed"
        return "done" if len(self.of_state("done")) >= self.total else "stopped"

    def resume(self):
        """Commands that resume the run; after a kill the first of them removes the lock."""
        return [f"{self.command} --unlock"] * (self.state() in ("gone", "elsewhere")) + [self.command]

    def remaining(self, now):
        """Seconds that are left, or None before there is anything to go by.

        Each job to do is taken to last as long as those of its rule did on average. Where none of its rule is done, as
        long as all jobs did, or twice as long as one of its rule has been running, if that is more. As many jobs run at
        a time as did so far.
        """
        done, running = self.of_state("done"), [(job.rule, now - job.start) for job in self.of_state("running")]
        if not done or now <= self.start:
            return None
        taken, spent, left = defaultdict(list), sum(job.seconds for job in done), Counter(self.counts)
        for job in done:
            taken[job.rule].append(job.seconds)
        left.subtract(job.rule for job in [*done, *self.of_state("failed")])
        work = 0.0
        for rule, count in left.items():
            under_way = [seconds for other, seconds in running if other == rule]
            average = max([spent / len(done), *(2 * seconds for seconds in under_way)])
            expected = sum(taken[rule]) / len(taken[rule]) if taken[rule] else average
            work += count * expected - sum(min(seconds, expected) for seconds in under_way)
        at_a_time = (spent + sum(seconds for _, seconds in running)) / (now - self.start)
        return max(0.0, work) / max(1.0, at_a_time)


def read_runs(folder="."):
    """Read the journals of a folder in which Snakemake worked, the oldest run first.

    Parameters
    ----------
    folder : path
        The working directory of the runs.

    Returns
    -------
    list of Run
    """
    runs = (_read_run(path) for path in Path(folder, FOLDER).glob("*.jsonl"))
    return sorted((run for run in runs if run.total), key=lambda run: run.start)


def clock(seconds):
    """Write seconds as minutes and seconds, or as hours.

    Examples
    --------
    >>> clock(65), clock(3725)
    ('1:05', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _read_run(path):
    run = Run()
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # of another user
        return run
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):  # the last line of a run that was killed while it wrote
            run.see(json.loads(line))
    return run


def _alive(pid, born):
    """Whether the process that was born then still runs; its number alone may have passed to another one."""
    import psutil

    try:
        return abs(psutil.Process(pid).create_time() - born) < 2 and psutil.Process(pid).status() != "zombie"
    except psutil.Error:
        return False
