"""The figures of the papers, drawn from the tracked tables without a run, and the page that shows them."""

import subprocess
import sys
from pathlib import Path

import pytest

from pumetrics_workflow.config import load_yaml

ROOT = Path(__file__).parents[2]
PAPERS = [
    path.stem for path in (ROOT / "config/studies").glob("*.yaml") if load_yaml(path).get("kind", "own") == "paper"
]


def snakemake(folder, *arguments):
    command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--cores", "1", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def test_every_paper_is_drawn_from_its_tracked_tables_and_nothing_else_runs(tmp_path):
    planned = snakemake(tmp_path, "figures", "--dry-run", "--config", "reference=true")
    assert planned.returncode == 0, planned.stderr
    for paper in PAPERS:
        assert f"results/figures/{paper}" in planned.stdout
    for other in ("simulate", "train", "fetch", "summarize"):
        assert f"rule {other}:" not in planned.stdout


def test_figures_are_numbered_as_in_the_paper_in_both_formats(tmp_path):
    done = snakemake(tmp_path, "results/figures/jain2017", "--config", "reference=true")
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "results/figures/jain2017").iterdir()}
    assert {"figure1.svg", "figure1.pdf", "figure2.svg", "figure2.pdf"} <= made


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_has_a_section_for_every_paper(paper):
    page = (ROOT / "docs/figures.md").read_text(encoding="utf-8")
    assert "_generated/figures.txt" in page
