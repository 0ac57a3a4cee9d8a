"""The figures of the papers, drawn from the tracked tables without a run."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from pumetrics_workflow.plan import papers

ROOT = Path(__file__).parents[2]


def snakemake(folder, *arguments):
    command = [sys.executable, "-m", "snakemake", "-s", ROOT / "Snakefile", "--cores", "1"]
    return subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, timeout=600
    )


def test_every_paper_is_drawn_from_its_tracked_tables_and_nothing_else_runs(tmp_path):
    planned = snakemake(tmp_path, "figures_of_reference", "--dry-run")
    assert planned.returncode == 0, planned.stderr
    plan = planned.stdout + planned.stderr
    jobs = {f"draw_{paper}_of_reference" for paper in papers(ROOT)}
    planned_jobs = set(re.findall(r"^(\w+) +\d+$", plan, flags=re.M))
    assert planned_jobs == jobs | {"figures_of_reference", "total"}


def test_a_single_figure_is_drawn_in_both_formats_with_its_caption(tmp_path):
    done = snakemake(tmp_path, "results/figures/jain2017/figure2.pdf")
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "results/figures/jain2017").iterdir()}
    assert {"figure2.svg", "figure2.pdf", "figure2.txt"} <= made


def test_figures_are_redrawn_from_the_tables_that_are_there_and_nothing_else_runs(tmp_path):
    assert snakemake(tmp_path, "figures").returncode == 1, "no tables are there"
    tables = "quick/jain2017/tables"
    shutil.copytree(ROOT / "results/reference" / tables, tmp_path / "results" / tables)
    done = snakemake(tmp_path, "figures")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tmp_path / "results/quick").iterdir()] == ["jain2017"]
    assert (tmp_path / "results/quick/jain2017/figures/figure2.svg").is_file()
