"""On a Slurm: the tables of a local run, byte for byte, also when a job is cancelled or Snakemake is killed.

Run by `.ci/slurm .venv/bin/pytest tests/cluster`, which starts a Slurm of one node on this machine.
"""

import getpass
import re
import subprocess

import pytest

from .conftest import REQUIRED, ROOT, TABLES, Run, differing, kill, need

pytestmark = pytest.mark.slurm

# No accounting here, and jobs of seconds; the profile's own pauses are for jobs of minutes.
HERE = ("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "5", "--latency-wait", "10")


def slurm(*command):
    """Run one of Slurm's commands and return the words that it prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.split()


def jobs(*states):
    """Numbers of our jobs that are in one of these states, or of all that have not ended."""
    chosen = ["--states", ",".join(states)] if states else []
    return slurm("squeue", "--noheader", "--user", getpass.getuser(), "--format", "%i", *chosen)


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
    cancelled = run.wait_for(lambda: jobs("RUNNING"), process)[0]
    slurm("scancel", cancelled)
    run.wait_for(lambda: "Trying to restart job" in run.said.read_text(), process)
    run.wait_for(lambda: re.search(r"^\[ *\d+/\d+ jobs.*Simulating", run.said.read_text(), re.M), process)
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
    assert any(path.stat().st_mtime_ns == before for path, before in done.items()), "everything was done again"
