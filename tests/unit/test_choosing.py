"""What is recommended is what was measured: the pages' tables and the default methods beside the tracked tables."""

import inspect
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pumetrics.priors import estimate_priors

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results/reference/paper"
sys.path.insert(0, str(ROOT / "docs"))
import decision_table


@pytest.mark.parametrize("page", ["docs/choosing.md", "docs/which_number.md"])
def test_the_tables_of_a_page_are_those_of_the_reference(page, tmp_path):
    copy = Path(shutil.copy(ROOT / page, tmp_path))
    decision_table.main(REFERENCE, copy)
    command = f"python docs/decision_table.py results/reference/paper {page}"
    assert copy.read_text(encoding="utf-8") == (ROOT / page).read_text(encoding="utf-8"), f"to renew it: {command}"


def test_what_is_said_of_the_bootstrap_of_priors_is_what_was_measured():
    """Percentile intervals leave out the bias of an estimator, and the docstring says how much that costs."""
    said = " ".join(inspect.getdoc(estimate_priors).split())
    ends = re.search(r"held alpha in (\d+) to (\d+) of 100 samples and beta in (\d+) to (\d+)", said).groups()
    table = pd.read_csv(REFERENCE / "class_priors/tables/coverage.csv").query("method == 'consensus'")
    held = 100 * table.groupby("metric")["coverage"].agg(["min", "max"])
    assert [int(end) for end in ends] == held.loc[["alpha", "beta"]].round().astype(int).to_numpy().ravel().tolist()


def test_the_table_of_checked_rows_shows_the_reference():
    text = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
    section = text.partition("## What checked rows add")[2]
    shown = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\| .*\|$", section, re.M)]
    table = pd.read_csv(REFERENCE / "checked_sample/tables/methods.csv").drop(columns="intervals")
    assert [row[0] for row in shown[1:]] == table["method"].tolist()
    numbers = np.array([[float(cell or "nan") for cell in row[1:]] for row in shown[1:]])
    kept = table.drop(columns="method").to_numpy()
    assert np.array_equal(np.isnan(numbers), np.isnan(kept))
    half_a_digit = 0.501 * 10.0 ** -np.array([2, 2, 3, 2, 2, 2, 2])
    assert (np.nan_to_num(abs(numbers - kept)) <= half_a_digit).all()
