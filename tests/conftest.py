"""One thread, as in the workflow's jobs, and the same cases in every run, so that a run tells the same everywhere.

`HYPOTHESIS_PROFILE=search pytest` draws new cases each time, and more: what to do after a change of mathematics.
"""

import os

for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[_variable] = (
        "1"  # before numpy is imported: small matrices and a busy machine make more threads slower
    )

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # for the package of benchmarks

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", max_examples=1000, deadline=None)
settings.load_profile(PROFILE := os.environ.get("HYPOTHESIS_PROFILE", "same"))
if (
    PROFILE == "same"
):  # else cases have constants of the modules that are loaded, and depend on the order of the tests
    providers._get_local_constants = lambda: providers._local_constants


LONG = ("workflow", "whole")  # folders of files that take minutes
REST = (*LONG, "browser", "notebooks")
FINISHED = (
    "test_elsewhere.py",
    "test_faults.py",
    "test_runs.py",
)  # these share a run, and with it one process


def pytest_itemcollected(item):
    """Mark what `make test` leaves out."""
    if item.path.parent.name in REST and item.path.name != "test_runs.py":
        item.add_marker("slow")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give the tests of a file to one process, as `--dist loadfile` does, and to the same those of the finished run."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return "finished" if file.endswith(FINISHED) else file

    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(trylast=True)  # after any shuffling
def pytest_collection_modifyitems(items):
    """Begin with the files that take minutes: what begins late keeps one of two processes waiting for the other."""
    items.sort(
        key=lambda item: (
            LONG.index(item.path.parent.name) if item.path.parent.name in LONG else len(LONG)
        )
    )


@pytest.fixture(autouse=True)
def _figures_closed():
    """Leave no figure open, so that a test does not see those of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def server():
    """Return a web server of this machine that is closed at the end."""
    from serving import Server

    with Server() as server:
        yield server


@pytest.fixture
def own_studies(monkeypatch):
    """Return a function that takes studies from a folder; what they are imported as is forgotten at the end."""
    from pumetrics_workflow import studies

    before = set(sys.modules)
    yield lambda folder: monkeypatch.setattr(studies, "__path__", [str(folder)])

    for name in set(sys.modules) - before:
        if name.startswith(f"{studies.__name__}."):
            del sys.modules[name]


@pytest.fixture
def sketched(monkeypatch):
    """Leave the pictures of pages blank: tests/unit/test_page.py and the browser see them drawn."""
    from commands import sketch

    sketch(monkeypatch)


@pytest.fixture(scope="session")
def reference_page(tmp_path_factory, worker_id):
    """Return the report of the quick reference, written once for all processes of the tests."""
    folder = tmp_path_factory.getbasetemp()
    page = (folder if worker_id == "master" else folder.parent) / "reference.html"
    with FileLock(page.with_suffix(".lock")):
        if not page.is_file():
            command = [
                sys.executable,
                "-m",
                "pumetrics",
                "reference",
                "report",
                "--scale",
                "quick",
                "--output",
                page,
            ]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[-4000:]
    return page


@pytest.fixture(scope="session")
def built(tmp_path_factory, worker_id):
    """Return the folder of the documentation, built once for all processes, where `make docs` has it."""
    folder, base = ROOT / "docs/_build", tmp_path_factory.getbasetemp()
    mark = (base if worker_id == "master" else base.parent) / "documentation"
    with FileLock(mark.with_suffix(".lock")):
        if not mark.is_file():
            shutil.rmtree(
                folder / ".doctrees", ignore_errors=True
            )  # every page is read, so every warning is seen
            command = [
                sys.executable,
                "-m",
                "sphinx",
                "--fail-on-warning",
                "--quiet",
                ROOT / "docs",
                folder,
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                shutil.rmtree(folder / ".doctrees", ignore_errors=True)
            assert done.returncode == 0, done.stderr[-4000:]
            mark.touch()
    return folder
