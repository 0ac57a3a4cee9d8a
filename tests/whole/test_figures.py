"""The figures of the papers, drawn from the tracked tables without a run."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from article.every_figure import heading
from article.reference import PAPERS


def snakemake(folder, *arguments):
    command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--cores", "1", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def test_every_paper_is_drawn_from_its_tracked_tables_and_nothing_else_runs(tmp_path):
    planned = snakemake(tmp_path, "figures", "--dry-run", "--config", "reference=true")
    assert planned.returncode == 0, planned.stderr
    plan = planned.stdout + planned.stderr
    for paper in PAPERS:
        assert re.search(f"Drawing the figures of {paper} from .*results/reference/.*/{paper}/tables", plan)
    assert set(re.findall(r"^(\w+) +\d+$", plan, flags=re.M)) == {"draw_reference", "figures", "total"}


def test_figures_are_numbered_as_in_the_paper_in_both_formats_with_their_captions(tmp_path):
    done = snakemake(tmp_path, "results/figures/jain2017", "--config", "reference=true")
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "results/figures/jain2017").iterdir()}
    assert {f"figure{number}.{suffix}" for number in (1, 2) for suffix in ("svg", "pdf", "txt")} <= made


def test_names_of_files_become_the_numbers_of_the_paper():
    numbers = {"figure6_8": "Figures 6 to 8", "figure1a": "Figure 1a", "table2": "Table 2", "coverage": None}
    assert {name: heading(name) for name in numbers} == numbers
