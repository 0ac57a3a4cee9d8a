"""Progress of Snakemake runs: one line per finished job, with the time left; on a terminal also the jobs that run.

The same events go into the run's journal, which `pumetrics status` and the report's provenance read.
"""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from pumetrics_workflow.code import edited_since
from pumetrics_workflow.journal import Journal, clock, read_runs

__all__ = ["LogHandler", "LogHandlerSettings"]

_ALWAYS = ("Using workflow specific profile", "Config file ")  # at every start, dry-runs included
# Messages that would only interrupt the list of jobs.
_CHATTER = (
    *("Building DAG", "Using shell", "Provided ", "Rules claiming", "Select jobs", "Execute ", "Finished jobid"),
    *("Assuming unrestricted", "host:", "Complete log", "Removing "),
    *("Conda environments: ignored", "Singularity containers: ignored", "Will exit after", "Exiting because"),
    *("CalledProcessError", "RuleException:\nCalledProcessError"),  # the job has already printed what failed
)
_FILES_NAMED = 5
_IN_FULL = (LogEvent.DEBUG_DAG, LogEvent.GROUP_ERROR)


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """No settings: one way to show progress."""


class LogHandler(LogHandlerBase):
    """Print one line per finished job with the time left, failed jobs in full and, on a terminal, the running jobs."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self):
        settings = self.common_settings
        self._formatter = DefaultFormatter(settings.quiet, settings.show_failed_logs)
        self._filter = DefaultFilter(
            settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds
        )
        self._cores = self._journal = self._live = None

    def emit(self, record):
        """Note a record in the journal, and print what a person needs of it and nothing else."""
        event = getattr(record, "event", None)
        text = "" if self.common_settings.dryrun else self._noted(record, event)
        if not self._filter.filter(record) or str(record.msg).startswith(_ALWAYS):
            return
        if self.common_settings.dryrun or self.common_settings.verbose or event in _IN_FULL:
            text = self._formatter.format(record)
            if event is LogEvent.JOB_INFO:
                text += _edited(record)
        elif event in (None, LogEvent.ERROR):
            text = _message(record)
        self._print(text)
        if event is LogEvent.RUN_INFO and not self.common_settings.dryrun:
            self._move()

    def close(self):
        """End the moving line and the journal: the run ended in order, with or without failures."""
        if self._live:
            self._live.stop()
        self._add("close")
        self._live = self._journal = None
        super().close()

    def _noted(self, record, event):
        """Note an event of a run or job in the journal, and return the line about it."""
        match event:
            case LogEvent.RESOURCES_INFO:
                self._cores = getattr(record, "cores", None) or self._cores
            case LogEvent.RUN_INFO:
                counts = {rule: count for rule, count in record.stats.items() if rule != "total"}
                self._journal = Journal(counts, self._cores)
                return f"{sum(counts.values())} jobs to do: {', '.join(f'{n} {rule}' for rule, n in counts.items())}"
            case LogEvent.JOB_INFO:
                what, outputs = record.rule_msg or record.rule_name, _texts(record.output)
                facts = {"rule": record.rule_name, "what": what, "outputs": outputs, "log": _texts(record.log)}
                self._add("start", job=record.jobid, **facts)
            case LogEvent.JOB_FINISHED:
                return self._ended("done", record.job_id)
            case LogEvent.JOB_ERROR:
                log = _texts(record.log)
                parts = [f"; its log: {', '.join(log)}" if log else ""]
                parts += [f"\n        {name}: {value}" for name, value in (getattr(record, "aux", None) or {}).items()]
                return self._ended("failed", record.jobid, log=log) + "".join(parts)
        return ""

    def _ended(self, event, number, **facts):
        """Note the end of a job, and return the line about it."""
        if not self._journal or number not in self._journal.run.jobs:
            return "" if event == "done" else "FAILED  a job"
        self._add(event, job=number, **facts)
        job = self._journal.run.jobs[number]
        return f"{self._progress()}  {job.what}  ({clock(job.seconds)})" if event == "done" else f"FAILED  {job.what}"

    def _add(self, event, **facts):
        if self._journal:
            self._journal.add(event, **facts)

    def _progress(self):
        """How far the run is, for example ``[ 3/20 jobs, 0:12, about 1:05 left]``."""
        run, now = self._journal.run, time.time()
        done, left = len(run.of_state("done")), run.remaining(now)
        ahead = f", about {clock(left)} left" if left is not None and done < run.total else ""
        return f"[{done:>{len(str(run.total))}}/{run.total} jobs, {clock(now - run.start)}{ahead}]"

    def _move(self):
        """On a terminal, begin a last line that is redrawn every second."""
        if self._live or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.live import Live

        options = {"refresh_per_second": 1, "transient": True, "redirect_stdout": False}
        self._live = Live(console=Console(stderr=True), get_renderable=self._moving, **options)
        self._live.start()
        self._live.console.show_cursor(True)  # a kill must not leave a terminal without one

    def _moving(self):
        """The last line: progress, and the jobs that run, the longest first."""
        from rich.text import Text

        jobs = sorted(self._journal.run.of_state("running"), key=lambda job: job.start)
        running = ", ".join(f"{job.what} ({clock(time.time() - job.start)})" for job in jobs)
        return Text(f"{self._progress()}  {running}".rstrip(), no_wrap=True, overflow="ellipsis")

    def _print(self, text):
        """Show a line that stays, above the one that moves."""
        if text and self._live:
            self._live.console.out(text, highlight=False)
            self._live.refresh()  # a job that has just ended runs no longer
        elif text:
            print(text, file=sys.stderr, flush=True)


def _message(record):
    """The text of a message without an event, "" if it would only interrupt."""
    text = record.getMessage() if record.msg else ""
    if getattr(record, "exception", None) == "LockException":
        text = _whose_lock() or text
    return "" if text.startswith(_CHATTER) else text.rstrip()


def _whose_lock():
    """Which run holds this folder and what to do; "" if no journal shows it."""
    runs = [run for run in read_runs() if not run.closed]
    if not runs:
        return ""
    run = next((run for run in runs if run.state() == "running"), runs[-1])
    holder = f"this folder is locked by process {run.facts['pid']} on {run.facts['host']}"
    if run.state() == "running":
        return f"{holder}, which produces the same files: wait until it ends; `pumetrics status` shows its progress"
    ended = "which has ended" if run.state() == "gone" else "which cannot be seen from here; if it has ended"
    return "\n  ".join([f"{holder}, {ended}: remove the lock, then rerun:", *run.resume()])


def _edited(record):
    """A line with the code that was edited since a job's outputs were made, "" if that is not why it runs again."""
    made = [path.stat().st_mtime for path in map(Path, _texts(record.output)) if path.exists()]
    files = edited_since(record.reason or "", min(made)) if made else []
    named = ", ".join(os.path.relpath(path) for path in files[:_FILES_NAMED])
    more = f" and {len(files) - _FILES_NAMED} more" if len(files) > _FILES_NAMED else ""
    return f"\n    edited since: {named}{more}" if files else ""


def _texts(paths):
    return [str(path) for path in paths or []]
