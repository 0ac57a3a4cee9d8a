"""Progress of Snakemake runs: one line per finished job, with the time left; on a terminal also the jobs that run."""

import os
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from pumetrics_workflow.code import edited_since

__all__ = ["LogHandler", "LogHandlerSettings", "Progress", "clock"]

# At every start, dry-runs included.
_ALWAYS = ("Using workflow specific profile", "Config file ", "Workflow defines that rule ")
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
class Progress:
    """How far a run is: how many jobs of each rule it has to do, which jobs run, and how long those took that ended."""

    counts: Counter
    start: float = field(default_factory=time.time)
    running: dict = field(default_factory=dict)  # rule, message and start by the job's number
    taken: dict = field(default_factory=lambda: defaultdict(list))
    failed: dict = field(default_factory=dict)

    def begin(self, number, rule, message):
        """Note the start of a job, which may have failed before."""
        self.failed.pop(number, None)
        self.running[number] = rule, message, time.time()

    def end(self, number, *, failed=False):
        """Note the end of a job, and return its message and seconds."""
        rule, message, start = self.running.pop(number)
        seconds = time.time() - start
        if failed:
            self.failed[number] = rule
        else:
            self.taken[rule].append(seconds)
        return message, seconds

    def remaining(self, now):
        """Return the seconds that are left, or None before there is anything to go by.

        Each job to do is taken to last as long as those of its rule did on average. Where none of its rule is done, as
        long as all jobs did, or twice as long as one of its rule has been running, if that is more. As many jobs run at
        a time as did so far.
        """
        done = [seconds for taken in self.taken.values() for seconds in taken]
        if not done or now <= self.start:
            return None
        running = [(rule, now - start) for rule, _, start in [*self.running.values()]]
        work = 0.0
        for rule, count in self.counts.items():
            taken, under_way = self.taken.get(rule, []), [seconds for other, seconds in running if other == rule]
            average = max([sum(done) / len(done), *(2 * seconds for seconds in under_way)])
            expected = sum(taken) / len(taken) if taken else average
            left = count - len(taken) - list(self.failed.values()).count(rule)
            work += left * expected - sum(min(seconds, expected) for seconds in under_way)
        at_a_time = (sum(done) + sum(seconds for _, seconds in running)) / (now - self.start)
        return max(0.0, work) / max(1.0, at_a_time)

    def __str__(self):
        """For example ``[ 3/20 jobs, 0:12, about 1:05 left]``."""
        total, done, now = sum(self.counts.values()), sum(map(len, self.taken.values())), time.time()
        left = self.remaining(now)
        ahead = f", about {clock(left)} left" if left is not None and done < total else ""
        return f"[{done:>{len(str(total))}}/{total} jobs, {clock(now - self.start)}{ahead}]"


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
        self._progress = self._live = None

    def emit(self, record):
        """Print what a person needs of a record and nothing else."""
        event = getattr(record, "event", None)
        text = "" if self.common_settings.dryrun else self._followed(record, event)
        if not self._filter.filter(record) or str(record.msg).startswith(_ALWAYS):
            return
        if self.common_settings.dryrun or self.common_settings.verbose or event in _IN_FULL:
            text = self._formatter.format(record)
            if event is LogEvent.JOB_INFO:
                text += _edited(record)
        elif event in (None, LogEvent.ERROR):
            message = record.getMessage() if record.msg else ""
            text = "" if message.startswith(_CHATTER) else message.rstrip()
        self._print(text)
        if event is LogEvent.RUN_INFO and not self.common_settings.dryrun:
            self._move()

    def close(self):
        """End the moving line."""
        if self._live:
            self._live.stop()
        self._live = None
        super().close()

    def _followed(self, record, event):
        """Follow an event of a run or job, and return the line about it."""
        match event:
            case LogEvent.RUN_INFO:
                self._progress = Progress(Counter({rule: n for rule, n in record.stats.items() if rule != "total"}))
                jobs = self._progress.counts
                return f"{jobs.total()} jobs to do: {', '.join(f'{n} {rule}' for rule, n in jobs.items())}"
            case LogEvent.JOB_INFO if self._progress:
                self._progress.begin(record.jobid, record.rule_name, record.rule_msg or record.rule_name)
            case LogEvent.JOB_FINISHED if self._progress and record.job_id in self._progress.running:
                message, seconds = self._progress.end(record.job_id)
                return f"{self._progress}  {message}  ({clock(seconds)})"
            case LogEvent.JOB_ERROR:
                known = self._progress and record.jobid in self._progress.running
                message = self._progress.end(record.jobid, failed=True)[0] if known else "a job"
                logs = ", ".join(map(str, record.log or []))
                more = [f"\n        {name}: {value}" for name, value in (getattr(record, "aux", None) or {}).items()]
                return "".join([f"FAILED  {message}", f"; its log: {logs}" * bool(logs), *more])
        return ""

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

        jobs = [*self._progress.running.values()]  # another thread may add one
        jobs.sort(key=lambda job: job[2])
        running = ", ".join(f"{message} ({clock(time.time() - start)})" for _, message, start in jobs)
        return Text(f"{self._progress}  {running}".rstrip(), no_wrap=True, overflow="ellipsis")

    def _print(self, text):
        """Show a line that stays, above the one that moves."""
        if text and self._live:
            self._live.console.out(text, highlight=False)
            self._live.refresh()  # a job that has just ended runs no longer
        elif text:
            print(text, file=sys.stderr, flush=True)


def clock(seconds):
    """Write seconds as minutes and seconds, or as hours.

    Examples
    --------
    >>> clock(65), clock(3725)
    ('1:05', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _edited(record):
    """A line with the code that was edited since a job's outputs were made, "" if that is not why it runs again."""
    made = [path.stat().st_mtime for path in map(Path, record.output or []) if path.exists()]
    files = edited_since(record.reason or "", min(made)) if made else []
    named = ", ".join(os.path.relpath(path) for path in files[:_FILES_NAMED])
    more = f" and {len(files) - _FILES_NAMED} more" if len(files) > _FILES_NAMED else ""
    return f"\n    edited since: {named}{more}" if files else ""
