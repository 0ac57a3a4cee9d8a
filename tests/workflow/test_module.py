"""The workflow as a module of another one, in a folder that has nothing else of the project (docs/reuse.md)."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reuse.md").read_text(encoding="utf-8")
SETTINGS = {"pumetrics": {"studies": ["ramola2019"]}}


def snippet(number):
    """A Snakefile as the page shows it."""
    return re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)[number]


def snakemake(folder, *arguments):
    """What Snakemake prints in a folder."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, check=False
    )
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def other(tmp_path):
    """Return a function that runs Snakemake on a Snakefile that uses the project."""

    def run(snakefile, *arguments):
        assert "/path/to/pumetrics" in snakefile
        (tmp_path / "Snakefile").write_text(snakefile.replace("/path/to/pumetrics", str(ROOT)))
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(SETTINGS))
        return snakemake(tmp_path, *arguments)

    return run


def jobs(said):
    """The table of a dry-run: number of jobs by rule."""
    return dict(re.findall(r"^(\w+) +(\d+)$", said, flags=re.M))


def test_as_a_module_it_plans_the_same_jobs(tmp_path, other):
    planned = jobs(other(snippet(0), "--dry-run", "--quiet", "rules"))
    assert int(planned["train"]) > 0
    directly = ["--snakefile", str(ROOT / "Snakefile"), "--config", "studies=[ramola2019]"]
    assert planned == jobs(snakemake(tmp_path, "--dry-run", "--quiet", "rules", *directly))


def test_another_workflow_takes_a_file_from_a_renamed_rule(tmp_path, other):
    other(snippet(1))
    assert (tmp_path / "resources/prepared/gaussians.parquet").is_file()
    assert "gaussians" in (tmp_path / "mine.txt").read_text()
