"""Progress of Snakemake runs: the jobs to do, those that are done, those that run, and the time left.

The same events go into the run's journal, which `pumetrics status` and the report's provenance read.
"""

import threading
import time
from dataclasses import dataclass

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from snakemake_logger_plugin_pumetrics.progress import Progress, clock
from snakemake_logger_plugin_pumetrics.recorder import Recorder, job_counts, whose_lock
from snakemake_logger_plugin_pumetrics.screen import Screen

__all__ = ["LogHandler", "LogHandlerSettings"]

# Messages of Snakemake at every start.
_ALWAYS = ("Using workflow specific profile", "Config file ")

# Messages that would only interrupt the list of jobs.
_CHATTER = (
    "Building DAG",
    "Using shell",
    "Provided cores",
    "Rules claiming",
    "Select jobs",
    "Execute ",
    "Finished jobid",
    "Assuming unrestricted",
    "host:",
    "Complete log",
    "Removing ",
    "Conda environments: ignored",
    "Provided resources",
    "Will exit after",
    "Exiting because",
    "Singularity containers: ignored",
    "CalledProcessError",  # the job has already printed what failed
    "RuleException:\nCalledProcessError",
)


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """No settings: one way to show progress."""


class LogHandler(LogHandlerBase):
    """One line per finished job, with the time left; failed jobs in full; on a terminal also the jobs that run."""

    def __post_init__(self):
        self._formatter = DefaultFormatter(self.common_settings.quiet, self.common_settings.show_failed_logs)
        settings = self.common_settings
        self._filter = DefaultFilter(
            settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds
        )
        self._recorder = None if settings.dryrun else Recorder()
        self._screen = Screen(self._status)
        # What follows is shared with the thread of the screen. Nothing is printed while the lock is held.
        self._lock = threading.Lock()
        self._progress = Progress()
        self._jobs, self._failed_ids = {}, set()

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record):
        """Print what a person needs of a record, and nothing else."""
        if self._recorder:
            self._recorder.see(record)
        if not self._filter.filter(record) or str(record.msg).startswith(_ALWAYS):
            return
        event = getattr(record, "event", None)
        if self.common_settings.dryrun or self.common_settings.verbose or event is LogEvent.DEBUG_DAG:
            self._print(self._formatter.format(record))
            return
        show = {
            LogEvent.RUN_INFO: self._plan,
            LogEvent.JOB_INFO: self._started,
            LogEvent.JOB_FINISHED: self._finished,
            LogEvent.JOB_ERROR: self._failed,
            LogEvent.GROUP_ERROR: self._failed,
        }.get(event)
        if show:
            show(record)
        elif event in (None, LogEvent.ERROR):
            self._message(record)

    def close(self):
        """End the moving line and the journal."""
        self._screen.close()
        if self._recorder:
            self._recorder.close()
        super().close()

    def _plan(self, record):
        counts = job_counts(record)
        with self._lock:
            self._progress = Progress(counts)
        listed = ", ".join(f"{n} {rule}" for rule, n in counts.items())
        self._print(f"{sum(counts.values())} jobs to do: {listed}")
        self._screen.start()

    def _started(self, record):
        number, rule = record.jobid, record.rule_name
        with self._lock:
            if number in self._failed_ids:
                self._failed_ids.remove(number)
                self._progress.retry(rule)
            self._jobs[number] = (rule, record.rule_msg or rule, time.monotonic())

    def _finished(self, record):
        now = time.monotonic()
        with self._lock:
            rule, message, start = self._jobs.pop(record.job_id, ("?", "a job", now))
            self._progress.finish(rule, now - start)
            progress = self._progress_line(now)
        self._print(f"{progress}  {message}  ({clock(now - start)})")

    def _failed(self, record):
        number = getattr(record, "jobid", None)
        with self._lock:
            rule, message, _ = self._jobs.pop(number, ("?", "a group of jobs", 0))
            self._failed_ids.add(number)
            self._progress.fail(rule)
        logs = ", ".join(getattr(record, "log", []) or [])
        self._print(f"FAILED  {message}" + (f"; its log: {logs}" if logs else ""))
        for name, value in (getattr(record, "aux", None) or {}).items():
            self._print(f"        {name}: {value}")

    def _message(self, record):
        text = record.getMessage() if record.msg else ""
        if getattr(record, "exception", None) == "LockException":
            text = whose_lock() or text
        if text.strip() and not text.startswith(_CHATTER):
            self._print(text.rstrip())

    def _status(self):
        """Return the moving line: progress, and the jobs that run, the longest first."""
        now = time.monotonic()
        with self._lock:
            jobs = sorted(self._jobs.values(), key=lambda job: job[2])
            progress = self._progress_line(now)
        running = ", ".join(f"{message} ({clock(now - start)})" for _, message, start in jobs)
        return f"{progress}  {running}" if running else progress

    def _progress_line(self, now):
        return self._progress.line([(rule, now - start) for rule, _, start in self._jobs.values()])

    def _print(self, text):
        if text:
            self._screen.print(text)
