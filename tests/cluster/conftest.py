"""Runs of the project's workflow on a cluster, beside the same run on this machine."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = (
    "results/quick/claesen2015/tables/published.csv"  # of a study that is cheap and has few jobs
)

# Set by .ci/slurm, where a cluster is there for sure: what would be skipped elsewhere fails.
REQUIRED = os.environ.get("PUMETRICS_REQUIRE_SLURM") == "1"


def need(plugin):
    """Skip what needs a Snakemake plugin that is not installed; fail where it has to be."""
    if importlib.util.find_spec(plugin) is None:
        (pytest.fail if REQUIRED else pytest.skip)(
            f"{plugin} is not installed: pip install -e '.[slurm]'"
        )


class Run:
    """A folder in which the workflow writes the tables of one study."""

    def __init__(self, folder, *options):
        self.folder, self.options, self.said = Path(folder), options, Path(folder) / "said.txt"

    def command(self, *arguments):
        """Return a Snakemake command for this folder."""
        snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        # A job for each simulated part: this study is so small that one would do.
        return [
            *snakemake,
            "--directory",
            str(self.folder),
            *self.options,
            *arguments,
            "--config",
            "repeats_per_job=1000",
        ]

    def start(self, *options):
        """Start Snakemake in a process group of its own."""
        command = self.command(TABLES, *options)
        with self.said.open("a") as stream:
            return subprocess.Popen(command, stdout=stream, stderr=stream, start_new_session=True)

    def __call__(self, *arguments):
        """Run Snakemake to its end and return what it printed."""
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"exit status {done.returncode}:\n{said[-6000:]}"
        return said

    def wait_for(self, condition, process=None, seconds=240):
        """Wait until a condition gives something while a process runs, and return that."""
        end = time.monotonic() + seconds
        while not (found := condition()):
            said = self.said.read_text()[-6000:]
            assert process is None or process.poll() is None, f"the run ended before:\n{said}"
            assert time.monotonic() < end, f"it did not happen in {seconds} s:\n{said}"
            time.sleep(0.1)
        return found

    def tables(self):
        """Return the bytes of every CSV table of the study, by name."""
        return {
            path.name: path.read_bytes()
            for path in sorted((self.folder / TABLES).parent.glob("*.csv"))
        }

    def simulated(self):
        """Return the simulated records that are there."""
        return list(self.folder.glob("results/quick/claesen2015/answers/**/*.parquet"))


def kill(process):
    """Kill Snakemake as a power loss would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="session")
def local(tmp_path_factory):
    """Return the tables that a run on this machine gives."""
    run = Run(tmp_path_factory.mktemp("local"), "--cores", "2")
    run(TABLES)
    tables = run.tables()
    assert len(tables) > 3
    return tables


def differing(ours, theirs):
    """Names of the tables that are not the same bytes in both."""
    return [name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name)]
