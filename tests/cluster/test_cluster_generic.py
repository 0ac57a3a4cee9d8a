"""Profile for SGE, PBS and LSF, with stand-ins for their commands that run a job in the background."""

import importlib.util
import os
import subprocess
import time

import pytest

from .conftest import ROOT, TABLES, Run, differing, need

PROFILE = ROOT / "profiles/cluster-generic"

# One program under all names. A job is a file with the number of its process group, gone when the job has ended.
STAND_IN = """#!/usr/bin/env python3
import os, signal, subprocess, sys
from pathlib import Path
jobs, name, given = Path(__file__).parent / "jobs", Path(sys.argv[0]).name, sys.argv[1:]
if name in ("qsub", "bsub"):
    number = str(1 + sum(1 for _ in (jobs.parent / "given").iterdir()))
    (jobs.parent / "given" / number).write_text(" ".join(given))
    (jobs / number).touch()
    variables = dict.fromkeys(("JOB_ID", "PBS_JOBID", "LSB_JOBID"), number)
    nothing, command = subprocess.DEVNULL, ["sh", "-c", f'sh "{given[-1]}"; rm -f "{jobs / number}"']
    process = subprocess.Popen(command, env={**os.environ, **variables}, start_new_session=True,
        stdin=nothing, stdout=nothing, stderr=nothing)
    (jobs / number).exists() and (jobs / number).write_text(str(process.pid))
    print(f"Job <{number}> is submitted to queue <normal>." if name == "bsub" else number)
elif name in ("qdel", "bkill"):
    for number in given:
        os.killpg(int((jobs / number).read_text()), signal.SIGKILL)
        (jobs / number).unlink()
elif given and name in ("qstat", "bjobs"):
    sys.exit(0 if (jobs / given[-1]).exists() else 1)
"""
COMMANDS = {
    "SGE": ["qsub", "qstat", "qdel"],
    "PBS": ["qsub", "qstat", "qdel"],
    "LSF": ["bsub", "bjobs", "bkill", "lsid"],
}


@pytest.fixture(scope="module")
def library():
    """Return the profile's module."""
    spec = importlib.util.spec_from_file_location("scheduler", PROFILE / "scheduler.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=COMMANDS)
def scheduler(request, tmp_path, monkeypatch):
    """Put a scheduler's stand-in on the path and return its name."""
    folder = tmp_path / "bin"
    (folder / "jobs").mkdir(parents=True)
    (folder / "given").mkdir()
    for command in COMMANDS[request.param]:
        (folder / command).write_text(STAND_IN)
        (folder / command).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    if request.param == "SGE":
        monkeypatch.setenv("SGE_ROOT", str(tmp_path))
    else:
        monkeypatch.delenv("SGE_ROOT", raising=False)
    return request.param


def ask(command, *arguments):
    """Run one of the profile's three commands."""
    done = subprocess.run([PROFILE / command, *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def hand_in(tmp_path, content):
    """Hand in a job script as Snakemake writes them."""
    script = tmp_path / "snakejob.sh"
    resources = '{"mem_mb": 1500, "runtime": 90, "queue": "long", "account": "lab"}'
    script.write_text(
        f'#!/bin/sh\n# properties = {{"rule": "train", "threads": 2, "resources": {resources}}}\n{content}\n'
    )
    return ask("submit", str(script))


def wait_until(condition, seconds=60):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it did not happen in {seconds} s"
        time.sleep(0.05)


def test_it_is_told_by_its_commands(scheduler, library):
    assert library.here().__name__ == scheduler


def test_without_a_scheduler_the_person_is_told_what_is_missing(library, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"neither qsub .* nor bsub"):
        library.here()


def test_a_job_asks_for_what_its_rule_says(scheduler, tmp_path):
    number = hand_in(tmp_path, "true")
    given = (tmp_path / "bin/given" / number).read_text()
    expected = {
        "SGE": ["h_vmem=750M,h_rt=5400", "-pe smp 2", "-P lab", "-q long"],
        "PBS": ["select=1:ncpus=2:mem=1500mb", "walltime=01:30:00", "-A lab", "-q long"],
        "LSF": ["-n 2", "-M 1500MB", "-W 90", "-P lab", "-q long"],
    }
    missing = [words for words in expected[scheduler] if words not in given]
    assert not missing, f"{missing} not in {given}"


@pytest.mark.parametrize(("code", "end"), [(0, "success"), (3, "failed")])
def test_a_job_runs_and_then_says_how_it_ended(scheduler, library, tmp_path, code, end):
    number = hand_in(tmp_path, f"while [ ! -e go ]; do sleep 0.1; done; exit {code}")
    assert ask("status", number) == "running"
    (tmp_path / "go").touch()
    wait_until(lambda: library.status(library.here(), number) != "running")
    assert ask("status", number) == end


def test_a_job_that_is_taken_back_has_failed(scheduler, library, tmp_path, monkeypatch):
    number = hand_in(tmp_path, "sleep 60")
    assert ask("status", number) == "running"
    ask("cancel", number)
    monkeypatch.setattr(library, "PATIENCE", 0)
    assert library.status(library.here(), number) == "failed"


def test_a_scheduler_that_does_not_answer_loses_no_job(scheduler, library, tmp_path):
    number = hand_in(tmp_path, "while [ ! -e go ]; do sleep 0.1; done")
    for command in COMMANDS[scheduler]:
        (tmp_path / "bin" / command).write_text("#!/bin/sh\nexit 1\n")
    assert library.status(library.here(), number) == "running"
    (tmp_path / "go").touch()


@pytest.mark.parametrize("scheduler", ["SGE"], indirect=True)
def test_the_tables_are_those_of_a_local_run(scheduler, tmp_path, request):
    need("snakemake_executor_plugin_cluster_generic")
    local = request.getfixturevalue("local")
    (tmp_path / "run").mkdir()
    quickly = ("--seconds-between-status-checks", "1", "--max-status-checks-per-second", "10", "--jobs", "2")
    run = Run(tmp_path / "run", "--profile", str(PROFILE), *quickly)
    said = run(TABLES)
    assert "with external jobid '1'" in said, said
    assert not differing(run.tables(), local)
