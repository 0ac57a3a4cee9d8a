"""On a Slurm: the tables of a local run, byte for byte, also when jobs or Snakemake are killed, by people or by limits.

Run by `.ci/slurm .venv/bin/pytest tests/cluster`, which starts a Slurm of one node on this machine.
"""

import getpass
import re
import subprocess
from pathlib import Path

import pytest

from .conftest import REQUIRED, ROOT, TABLES, Run, differing, kill, need

pytestmark = pytest.mark.slurm

# Jobs of seconds; the profile's own pauses are for jobs of minutes.
HERE = (
    "--slurm-init-seconds-before-status-checks",
    "5",
    "--latency-wait",
    "10",
)


def slurm(*command):
    """Run one of Slurm's commands and return the words that it prints."""
    return subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=30
    ).stdout.split()


def jobs(*states):
    """Numbers of our jobs that are in one of these states, or of all that have not ended."""
    chosen = ["--states", ",".join(states)] if states else []
    return slurm("squeue", "--noheader", "--user", getpass.getuser(), "--format", "%i", *chosen)


def steps():
    """Numbers of our jobs whose command has been started on a node."""
    found = slurm("squeue", "--steps", "--noheader", "--user", getpass.getuser(), "--format", "%i")
    return [step.removesuffix(".0") for step in found if step.endswith(".0")]


@pytest.fixture
def run(tmp_path):
    """Return a run by the Slurm profile."""
    if not REQUIRED:
        pytest.skip("no Slurm that is there for tests: .ci/slurm .venv/bin/pytest tests/cluster")
    need("snakemake_executor_plugin_slurm")
    yield Run(tmp_path, "--profile", str(ROOT / "profiles/slurm"), *HERE)
    slurm("scancel", "--user", getpass.getuser())


def test_a_run_that_loses_a_job_and_then_is_killed_gives_the_tables_of_a_local_run(run, request):
    local = request.getfixturevalue("local")  # not before the fixture `run` has found a Slurm
    process = run.start()
    canceled = run.wait_for(lambda: jobs("RUNNING"), process)[0]
    slurm("scancel", canceled)
    run.wait_for(lambda: "Trying to restart job" in run.said.read_text(), process)
    run.wait_for(
        lambda: re.search(r"^Finished jobid: \d+ \(Rule: simulate\)", run.said.read_text(), re.M),
        process,
    )
    kill(process)
    said = run.said.read_text()
    assert re.search("Using profiles .*profiles/slurm and .*profiles/default", said), (
        f"both profiles must hold:\n{said}"
    )
    assert not run.tables(), "killed too late for a test of resuming"
    done = {path: path.stat().st_mtime_ns for path in run.simulated()}

    slurm("scancel", "--user", getpass.getuser())
    run.wait_for(lambda: not jobs())
    run("--unlock")
    run(TABLES)
    assert not differing(run.tables(), local)
    assert any(path.stat().st_mtime_ns == before for path, before in done.items()), (
        "everything was done again"
    )


def test_jobs_beyond_their_memory_are_named_and_tried_with_more(run, request):
    local = request.getfixturevalue("local")
    process = run.start("--set-resources", "simulate:mem_mb=100 * 20 ** (attempt - 1)")
    assert process.wait(600) == 0, run.said.read_text()
    failed = failures(run)
    assert len(failed) == len(run.simulated())
    for job, log in failed.items():
        assert "exceeded memory limit" in log, f"{job}:\n{log}"
    assert [asked[:2] for asked in asked_for(run, "%m") if len(asked) > 1] == [
        ["100M", "2000M"]
    ] * len(failed)
    assert not differing(run.tables(), local)


def test_a_job_beyond_its_time_is_named_and_tried_with_more_and_the_rest_goes_on(run, request):
    local = request.getfixturevalue("local")
    process = run.start("--set-resources", "simulate:runtime=attempt")
    stopped = run.wait_for(steps, process)[
        0
    ]  # not before there is a process that the signal reaches
    slurm("scancel", "--signal", "STOP", "--full", stopped)
    before = len(run.simulated())
    run.wait_for(lambda: failures(run), process)
    meanwhile = len(run.simulated()) - before
    assert process.wait(600) == 0, run.said.read_text()
    ((job, log),) = failures(run).items()
    assert "DUE TO TIME LIMIT" in log, f"{job}:\n{log}"
    assert [asked for asked in asked_for(run, "%l") if len(asked) > 1] == [["1:00", "2:00"]]
    assert meanwhile > 0, "other jobs end while one stands still"  # how many, is up to the machine
    assert not differing(run.tables(), local)


def test_a_restart_of_the_controller_while_jobs_run_loses_none(run, request):
    local = request.getfixturevalue("local")
    process = run.start()
    run.wait_for(steps, process)
    slurm("scontrol", "shutdown", "slurmctld")
    run.wait_for(lambda: not is_up())
    run.wait_for(is_up)
    assert process.wait(600) == 0, run.said.read_text()
    assert "Trying to restart job" not in run.said.read_text()
    assert not differing(run.tables(), local)


def is_up():
    """Whether the controller answers, which .ci/slurm starts again two seconds after its end."""
    ping = subprocess.run(["scontrol", "ping"], capture_output=True, text=True, check=False)
    return " is UP" in ping.stdout


def failures(run):
    """What Slurm said of each job that the run names as failed."""
    error = r"^Error in rule \w+:\n(?:    .*\n)*?    jobid: (\d+)\n(?:    .*\n)*?    log: .*, (\S+) \(check"
    found = re.findall(error, run.said.read_text(), re.M)
    return {job: Path(log).read_text() for job, log in found}


def asked_for(run, field):
    """A field of `squeue --format` for each job of the workflow, from attempt to attempt."""
    said = dict(
        word.split("=")
        for word in slurm("squeue", "--states", "all", "--noheader", "--format", f"%i={field}")
    )
    attempts = {}
    for job, number in re.findall(
        r"Job (\d+) has been submitted with SLURM jobid (\d+)", run.said.read_text()
    ):
        attempts.setdefault(job, []).append(said[number])
    return list(attempts.values())
