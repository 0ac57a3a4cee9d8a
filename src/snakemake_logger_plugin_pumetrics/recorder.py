"""Which of Snakemake's events go into the journal of a run, whatever the terminal shows."""

import sys
from collections import Counter

from snakemake_interface_logger_plugins.common import LogEvent

from pumetrics_workflow.journal import Journal, read_runs

__all__ = ["Recorder", "job_counts", "whose_lock"]


class Recorder:
    """Turns records of Snakemake into lines of the journal; a run never fails because of it."""

    def __init__(self):
        self._journal, self._cores = None, None
        self._writers = {
            LogEvent.RESOURCES_INFO: self._resources,
            LogEvent.RUN_INFO: self._begin,
            LogEvent.JOB_INFO: self._start,
            LogEvent.JOB_FINISHED: lambda record: self._add("done", job=record.job_id),
            LogEvent.JOB_ERROR: lambda record: self._add("failed", job=record.jobid, log=_texts(record.log)),
        }

    def see(self, record):
        """Write a record into the journal, if it is of a kind that the journal keeps."""
        writer = self._writers.get(getattr(record, "event", None))
        if writer:
            self._guarded(writer, record)

    def close(self):
        """End the journal: the run ended in order, with or without failures."""
        if self._journal:
            self._guarded(lambda _: self._journal.close(), None)
        self._journal = None

    def _guarded(self, write, record):
        try:
            write(record)
        except Exception as error:  # a full disk or a record of an unknown form: the jobs matter more than the journal
            self._journal = None
            print(f"no journal is kept ({error}): `pumetrics status` cannot follow this run", file=sys.stderr)

    def _resources(self, record):
        self._cores = getattr(record, "cores", None) or self._cores

    def _begin(self, record):
        self._journal = Journal()
        self._journal.start(job_counts(record), self._cores)

    def _start(self, record):
        self._add(
            "start",
            job=record.jobid,
            rule=record.rule_name,
            what=record.rule_msg or record.rule_name,
            outputs=_texts(record.output),
            log=_texts(record.log),
        )

    def _add(self, event, **facts):
        if self._journal:
            self._journal.add(event, **facts)


def job_counts(record):
    """Number of jobs of each rule that a run is about to do."""
    return Counter({rule: count for rule, count in getattr(record, "stats", {}).items() if rule != "total"})


def whose_lock():
    """Return which run holds this folder and what to do, or None if no journal shows it."""
    runs = [run for run in read_runs() if not run.closed]
    if not runs:
        return None
    run = next((run for run in runs if run.state() == "running"), runs[-1])
    holder = f"this folder is locked by process {run.pid} on {run.host}"
    if run.state() == "running":
        return f"{holder}, which is making the same files: wait for its end; `pumetrics status` shows its progress"
    ended = "which has ended" if run.state() == "gone" else "which cannot be seen from here; if it has ended"
    return "\n  ".join([f"{holder}, {ended}: remove the lock, then start again:", *run.resume()])


def _texts(paths):
    return [str(path) for path in paths or []]
