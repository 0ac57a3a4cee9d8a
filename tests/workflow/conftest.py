"""Real Snakemake runs in folders of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Run:
    """A folder in which the project's workflow runs."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def command(self, *arguments, cores=2, config=()):
        """Return the command line of a Snakemake run in this folder."""
        settings = ["--config", *config] if config else []
        snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        return [*snakemake, "--directory", str(self.folder), "--cores", str(cores), *arguments, *settings]

    def __call__(self, *arguments, expect=0, **options):
        """Run Snakemake and return what it printed."""
        done = subprocess.run(
            self.command(*arguments, **options), capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"}
        )
        said = done.stdout + done.stderr
        assert done.returncode == expect, f"exit status {done.returncode} instead of {expect}:\n{said[-6000:]}"
        return said

    def tables(self, study, scale="quick"):
        """Return the bytes of every CSV table of a study, by name."""
        return {
            path.name: path.read_bytes() for path in sorted(self.folder.glob(f"results/{scale}/{study}/tables/*.csv"))
        }


@pytest.fixture
def run(tmp_path):
    """Return a run in a new folder."""
    return Run(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Return a run whose quick Ramola study is done."""
    done = Run(tmp_path_factory.mktemp("finished"))
    done.said = done("ramola2019", cores=2)
    return done
