"""The README and other pages: short, with numbers that tables and the example give; what is recommended was measured.

Their blocks run in test_commands_of_pages.py.
"""

import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

from pumetrics.examples import fraud_cases
from pumetrics.metrics import max_score
from pumetrics.priors import estimate_priors
from pumetrics_workflow.plan import papers
from pumetrics_workflow.reference import SCALES
from pumetrics_workflow.staleness import states

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
sys.path.insert(0, str(ROOT / "docs"))

import page
import picture


def test_it_is_short():
    papers_aside = re.sub(r"^\| \[.*\n", "", README, flags=re.M)
    assert 450 <= len(papers_aside.split()) <= 760


@pytest.mark.slow
def test_a_row_says_whether_its_tables_are_stale():
    found = re.findall(r"^\| \[(\w+) [^\]]*(\d{4})\](.*)$", README, flags=re.M)
    rows = {name.lower() + year: text for name, year, text in found}
    for study in papers(ROOT):
        scale = [
            scale
            for scale in SCALES
            if (ROOT / f"results/reference/{scale}/{study}/tables").is_dir()
        ][-1]
        state = states(ROOT / f"results/reference/{scale}", home=ROOT)[study]
        assert state.is_stale == ("stale" in rows[study]), f"README.md, {study}: {state}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", re.findall(r"^ {4}(snakemake .*?)(?: +#.*)?$", README, flags=re.M)
)
def test_the_commands_of_snakemake_are_planned(command):
    """Each as printed, with a dry run in the place of hours."""
    done = subprocess.run(
        [Path(sys.executable).parent / "snakemake", *shlex.split(command)[1:], "-n"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_true_numbers_are_those_of_the_example():
    cases = fraud_cases()
    true, _ = max_score("f1", cases["fraud"], cases["new_model"], alpha=0)
    precision = cases.loc[cases["new_model"] >= 0.1377, "fraud"].mean()
    assert f"0.60 recovered, {true:.2f} true]" in README
    assert f"The true precision is {precision:.2f}." in README


def test_the_page_that_it_shows_has_the_numbers_that_it_prints():
    assert page.stamp().encode() in page.PICTURE.read_bytes(), "run `python docs/page.py`"


def test_the_picture_is_made_by_its_command_and_has_no_background(tmp_path):
    picture.main(tmp_path / "picture.svg")
    made, kept = (
        path.read_text(encoding="utf-8")
        for path in (tmp_path / "picture.svg", ROOT / "docs/picture.svg")
    )
    for text in (made, kept):
        assert len(text.encode()) < 30_000
        assert re.findall(r">(\d\.\d\d \w+)<", text) == [
            "0.60 recovered",
            "0.60 true",
            "0.33 measured",
        ]
        assert re.search(r'<g id="patch_1">\s*<path [^>]*style="fill: none', text)
    assert made.count("<path") == kept.count("<path")


def test_the_page_of_the_package_has_no_relative_link():
    page = PROJECT["readme"]["text"]
    assert all(target.startswith("https://") for target in re.findall(r"\]\(([^)]*)\)", page))
    assert page.startswith("# pumetrics\n\n" + README.split("\n\n")[1].split(" `pumetrics`")[0])
    shown = re.search(r"((?: {4}>>> .*\n)+ {4}\[.*\n)", README)[1]
    assert shown in page


# What is recommended is what was measured: the tables of pages next to the tracked tables.

REFERENCE = ROOT / "results/reference/paper"


def test_what_is_said_of_the_bootstrap_of_priors_is_what_was_measured():
    """Percentile intervals leave out the bias of an estimator, and the docstring says how much that costs."""
    said = " ".join(inspect.getdoc(estimate_priors).split())
    ends = re.search(
        r"held alpha in (\d+) to (\d+) of 100 samples and beta in (\d+) to (\d+)", said
    ).groups()
    table = pd.read_csv(REFERENCE / "class_priors/tables/coverage.csv").query(
        "method == 'consensus'"
    )
    held = 100 * table.groupby("metric")["coverage"].agg(["min", "max"])
    assert [int(end) for end in ends] == held.loc[["alpha", "beta"]].round().astype(
        int
    ).to_numpy().ravel().tolist()
