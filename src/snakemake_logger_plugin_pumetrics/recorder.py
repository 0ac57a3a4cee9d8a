"""What a run's events put into its journal, whatever the terminal is shown."""

import sys
from collections import Counter

from snakemake_interface_logger_plugins.common import LogEvent

from pumetrics_workflow.journal import Journal, read_runs, usage_in_log

__all__ = ["Recorder", "job_counts", "whose_lock"]


class Recorder:
    """Turns records of Snakemake into lines of the journal; a run never fails because of it."""

    def __init__(self):
        self._journal, self._cores, self._logs = None, None, {}
        self._told = {
            LogEvent.RESOURCES_INFO: self._resources,
            LogEvent.RUN_INFO: self._begin,
            LogEvent.JOB_INFO: self._start,
            LogEvent.JOB_FINISHED: self._finish,
            LogEvent.JOB_ERROR: self._fail,
        }

    def see(self, record):
        """Write what is worth keeping of a record."""
        told = self._told.get(getattr(record, "event", None))
        if told:
            self._guarded(told, record)

    def close(self):
        """End the journal: the run ended in order, whatever it brought."""
        if self._journal:
            self._guarded(lambda _: self._journal.close(), None)
        self._journal = None

    def _guarded(self, do, record):
        try:
            do(record)
        except Exception as error:  # a full disk or a record of an unknown form: the jobs matter more than the journal
            self._journal = None
            print(f"no journal is kept ({error}): `pumetrics status` cannot follow this run", file=sys.stderr)

    def _resources(self, record):
        self._cores = getattr(record, "cores", None) or self._cores

    def _begin(self, record):
        self._journal = Journal()
        self._journal.start(job_counts(record), self._cores)

    def _start(self, record):
        self._logs[record.jobid] = logs = _texts(record.log)
        self._add(
            "start",
            job=record.jobid,
            rule=record.rule_name,
            what=record.rule_msg or record.rule_name,
            outputs=_texts(record.output),
            log=logs,
        )

    def _finish(self, record):
        logs = self._logs.pop(record.job_id, [])
        used = usage_in_log(logs[0]) if logs else None
        self._add("done", job=record.job_id, **dict(zip(("seconds", "cpu", "memory"), used or (), strict=False)))

    def _fail(self, record):
        self._add("failed", job=record.jobid, log=_texts(record.log))

    def _add(self, event, **facts):
        if self._journal:
            self._journal.add(event, **facts)


def job_counts(record):
    """Number of jobs of each rule that a run is about to do."""
    return Counter({rule: count for rule, count in getattr(record, "stats", {}).items() if rule != "total"})


def whose_lock():
    """Say which run holds this folder and what to do, or None where no journal tells."""
    runs = [run for run in read_runs() if not run.closed]
    if not runs:
        return None
    run = next((run for run in runs if run.state() == "running"), runs[-1])
    who = f"this folder is locked by process {run.pid} on {run.host}"
    if run.state() == "running":
        return f"{who}, which is making the same files: wait for its end; `pumetrics status` tells how far it is"
    gone = "which is gone" if run.state() == "gone" else "which cannot be seen from here; if it is gone"
    return "\n  ".join([f"{who}, {gone}: remove the lock, then start again:", *run.resume()])


def _texts(paths):
    return [str(path) for path in paths or []]
