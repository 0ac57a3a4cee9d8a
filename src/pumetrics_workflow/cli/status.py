"""`pumetrics status` shows the progress of a run, from its journal."""

import time
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["status"]

_SHOWN = 8  # jobs of a kind that are listed


def status(
    folder: Annotated[Path, typer.Argument(help="Folder in which Snakemake runs or ran.")] = Path("."),
):
    """Show what is done, running, failed and left, the time left, data that are not available, and how to resume.

    On a cluster, jobs that wait in its queue count as running. Exit status: 0 running or done, 1 failed or ended
    early, 2 no run here.

    Example: pumetrics status
    """
    from pumetrics_workflow.datasets.reports import skipped
    from pumetrics_workflow.journal import FOLDER, read_runs

    runs = read_runs(folder)
    if not runs:
        typer.echo(f"no run is recorded in {folder / FOLDER}: name the folder in which Snakemake runs", err=True)
        raise typer.Exit(2)
    states = [run.state() for run in runs]
    live = [run for run, state in zip(runs, states, strict=True) if state == "running"]
    chosen = live or runs[-1:]
    for run in chosen:
        typer.echo("\n".join(_described(run, folder, time.time())))
    for line in skipped(folder=folder):
        typer.echo(f"  {line}")
    if any(run.state() not in ("running", "done", "elsewhere") for run in chosen):
        raise typer.Exit(1)


def _described(run, folder, now):
    """Lines about one run."""
    state = run.state()
    return [
        *_heading(run, state, now),
        _counts(run, state, now),
        *_listed("running" if state in ("running", "elsewhere") else "cut off", run.of_state("running"), now),
        *_failures(run.of_state("failed"), folder),
        *_advice(run, state),
    ]


def _heading(run, state, now):
    from snakemake_logger_plugin_pumetrics.progress import clock

    progress = {
        "running": f"running for {clock(now - run.start)}",
        "done": f"done after {clock(run.last - run.start)}",
        "failed": f"ended with failures after {clock(run.last - run.start)}",
        "stopped": f"stopped after {clock(run.last - run.start)}",
        "gone": f"ended unexpectedly; last event {clock(now - run.last)} ago",
        "elsewhere": f"may be running there; last event {clock(now - run.last)} ago",
    }[state]
    cores = f", {run.cores} cores" if run.cores else ""
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.start))
    yield f"snakemake {' '.join(run.command)}"
    yield f"process {run.pid} on {run.host}{cores}, started {started}: {progress}"


def _counts(run, state, now):
    from snakemake_logger_plugin_pumetrics.progress import Progress, clock

    done, running, failed = (run.of_state(which) for which in ("done", "running", "failed"))
    at_work = state in ("running", "elsewhere")
    left = run.total - len(done) - len(failed) - (len(running) if at_work else 0)
    parts = [f"{len(done)} of {run.total} jobs done"]
    parts += [f"{len(running)} {'running' if at_work else 'cut off'}"] if at_work or running else []
    parts += [f"{len(failed)} failed", f"{left} left"]
    if at_work:
        progress = Progress(run.counts)
        for job in done:
            progress.finish(job.rule, job.seconds)
        for job in failed:
            progress.fail(job.rule)
        time_left = progress.remaining(now - run.start, [(job.rule, now - job.start) for job in running])
        parts += [f"about {clock(time_left)} to go"] if time_left is not None else []
    return ", ".join(parts)


def _listed(title, jobs, now):
    from snakemake_logger_plugin_pumetrics.progress import clock

    for job in jobs[:_SHOWN]:
        yield f"  {title}: {job.what}" + (f" (for {clock(now - job.start)})" if title == "running" else "")
    if len(jobs) > _SHOWN:
        yield f"  and {len(jobs) - _SHOWN} more"


def _failures(jobs, folder):
    """Each failed job with its logs and the last line of each, which gives the reason."""
    from pumetrics_workflow.journal import last_line

    for job in jobs[-_SHOWN:]:
        yield f"  failed: {job.what}"
        # A scheduler adds a log, and a job that it ended leaves an empty one.
        ends = {log: line for log in job.log if (line := last_line(Path(folder, log)))}
        yield from (f"    {log}: {line}" for log, line in (ends or dict.fromkeys(job.log[:1], "empty")).items())
    if len(jobs) > _SHOWN:
        yield f"  and {len(jobs) - _SHOWN} more before these"


def _advice(run, state):
    if state in ("running", "done"):
        return
    yield "if it has ended, resume with:" if state == "elsewhere" else "to resume:"
    yield from (f"  {command}" for command in run.resume())
