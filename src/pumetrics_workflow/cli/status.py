"""`pumetrics status` says how a run is going, from the journal that it leaves."""

import time
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["status"]

_SHOWN = 8  # jobs of a kind that are listed


def status(
    folder: Annotated[Path, typer.Argument(help="Folder in which Snakemake runs or ran.")] = Path("."),
):
    """Say what is done, running, failed and left, for how long, which data could not be had, and how to go on.

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

    ended = {
        "running": f"running for {clock(now - run.start)}",
        "done": f"done after {clock(run.last - run.start)}",
        "failed": f"ended with failures after {clock(run.last - run.start)}",
        "stopped": f"stopped after {clock(run.last - run.start)}",
        "gone": f"ended without a word, last heard of {clock(now - run.last)} ago",
        "elsewhere": f"may be running there, last heard of {clock(now - run.last)} ago",
    }[state]
    cores = f", {run.cores} cores" if run.cores else ""
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.start))
    yield f"snakemake {' '.join(run.command)}"
    yield f"process {run.pid} on {run.host}{cores}, started {started}: {ended}"


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
    """Each failed job with its logs and the line of each that says why."""
    from pumetrics_workflow.journal import last_lines

    for job in jobs[-_SHOWN:]:
        yield f"  failed: {job.what}"
        ends = {log: last_lines(Path(folder, log)) for log in job.log}
        ends = {log: [line for line in lines if not line.startswith("took ")] for log, lines in ends.items()}
        # A scheduler adds a log of its own, and what it ended leaves the job's log empty.
        told = {log: lines[-1] for log, lines in ends.items() if lines} or dict.fromkeys(job.log[:1], "empty")
        yield from (f"    {log}: {line}" for log, line in told.items())
    if len(jobs) > _SHOWN:
        yield f"  and {len(jobs) - _SHOWN} more before these"


def _advice(run, state):
    if state in ("running", "done"):
        return
    yield "if it is gone, go on with:" if state == "elsewhere" else "to go on:"
    yield from (f"  {command}" for command in run.resume())
