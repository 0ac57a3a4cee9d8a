"""What is recommended is what was measured: the pages' tables and the default methods beside the tracked tables."""

import inspect
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from pumetrics.priors import estimate_priors
from pumetrics_workflow.studies.head_to_head import decision

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results/reference/paper"


@pytest.mark.parametrize("page", ["docs/choosing.md", "docs/which_number.md"])
def test_the_tables_of_a_page_are_those_of_the_reference(page, tmp_path):
    copy = Path(shutil.copy(ROOT / page, tmp_path))
    decision.main(REFERENCE, copy)
    command = f"python -m pumetrics_workflow.studies.head_to_head.decision results/reference/paper {page}"
    assert copy.read_text(encoding="utf-8") == (ROOT / page).read_text(encoding="utf-8"), f"to renew it: {command}"


def test_what_is_said_of_the_bootstrap_of_priors_is_what_was_measured():
    """Percentile intervals leave out the bias of an estimator, and the docstring says how much that costs."""
    said = " ".join(inspect.getdoc(estimate_priors).split())
    ends = re.search(r"held alpha in (\d+) to (\d+) of 100 samples and beta in (\d+) to (\d+)", said).groups()
    table = pd.read_csv(REFERENCE / "class_priors/tables/coverage.csv").query("method == 'consensus'")
    held = 100 * table.groupby("metric")["coverage"].agg(["min", "max"])
    assert [int(end) for end in ends] == held.loc[["alpha", "beta"]].round().astype(int).to_numpy().ravel().tolist()
