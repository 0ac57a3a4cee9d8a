"""`pumetrics status` shows the progress of a run, from its journal."""

import time
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["status"]

_SHOWN = 8  # jobs of a kind that are listed
_PROGRESS = {
    "running": "running for {whole}",
    "done": "done after {whole}",
    "failed": "ended with failures after {whole}",
    "stopped": "stopped after {whole}",
    "gone": "ended unexpectedly; last event {ago} ago",
    "elsewhere": "may be running there; last event {ago} ago",
}


def status(
    folder: Annotated[Path, typer.Argument(help="Folder in which Snakemake runs or ran.")] = Path("."),
):
    """Show the jobs that are done, running, failed and left, the time left, unavailable data, and how to resume.

    On a cluster, jobs that wait in the queue count as running. Exit status: 0 running or done, 1 failed or ended early,
    2 no run in this folder.

    Example: pumetrics status
    """
    from pumetrics_workflow.datasets.reports import skipped
    from pumetrics_workflow.journal import FOLDER, read_runs

    runs = [(run, run.state()) for run in read_runs(folder)]
    if not runs:
        typer.echo(f"no run is recorded in {folder / FOLDER}: give the folder in which Snakemake runs", err=True)
        raise typer.Exit(2)
    chosen = [(run, state) for run, state in runs if state == "running"] or runs[-1:]
    for run, state in chosen:
        for line in _described(run, state, folder, time.time()):
            typer.echo(line)
    for line in skipped(folder=folder):
        typer.echo(f"  {line}")
    if any(state not in ("running", "done", "elsewhere") for _, state in chosen):
        raise typer.Exit(1)


def _described(run, state, folder, now):
    """Lines about one run: how it was started, counts of jobs, jobs under way and failed, what to type."""
    from pumetrics_workflow.journal import clock

    at_work, facts = state in ("running", "elsewhere"), run.facts
    done, running, failed = (run.of_state(which) for which in ("done", "running", "failed"))
    times = {"whole": clock((now if state == "running" else run.last) - run.start), "ago": clock(now - run.last)}
    cores = f", {facts['cores']} cores" if facts["cores"] else ""
    started = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.start))
    yield run.command
    yield f"process {facts['pid']} on {facts['host']}{cores}, started {started}: {_PROGRESS[state].format(**times)}"
    counts = [f"{len(done)} of {run.total} jobs done"]
    counts += [f"{len(running)} {'running' if at_work else 'cut off'}"] if at_work or running else []
    counts += [f"{len(failed)} failed", f"{run.total - len(done) - len(failed) - at_work * len(running)} left"]
    counts += [f"about {clock(left)} to go"] if at_work and (left := run.remaining(now)) is not None else []
    yield ", ".join(counts)
    for job in running[:_SHOWN]:
        yield f"  running: {job.what} (for {clock(now - job.start)})" if at_work else f"  cut off: {job.what}"
    yield from [f"  and {len(running) - _SHOWN} more"] * (len(running) > _SHOWN)
    for job in failed[-_SHOWN:]:
        yield f"  failed: {job.what}"
        # A scheduler adds a log, and a job that it ended leaves an empty one.
        ends = {log: line for log in job.log if (line := _last_line(Path(folder, log)))}
        yield from (f"    {log}: {line}" for log, line in (ends or dict.fromkeys(job.log[:1], "empty")).items())
    yield from [f"  and {len(failed) - _SHOWN} more before these"] * (len(failed) > _SHOWN)
    if state not in ("running", "done"):
        yield "if it has ended, resume with:" if state == "elsewhere" else "to resume:"
        yield from (f"  {command}" for command in run.resume())


def _last_line(path):
    """The last line of a file that is not empty; "" if there is none or the file cannot be read."""
    try:
        text = path.read_bytes()[-4096:].decode("utf-8", errors="replace")
    except OSError:
        return ""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")
