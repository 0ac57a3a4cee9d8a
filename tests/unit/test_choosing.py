"""What is recommended is what was measured: the pages' tables and the default methods beside the tracked tables."""

import inspect
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from pumetrics.methods.estimate import choose
from pumetrics.priors import estimate_priors
from pumetrics_workflow.studies.head_to_head import decision
from pumetrics_workflow.studies.head_to_head.assumptions import HOME
from pumetrics_workflow.studies.head_to_head.worth import candidates

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "results/reference/paper"


@pytest.mark.parametrize("page", ["docs/choosing.md", "docs/own_scores.md"])
def test_the_tables_of_a_page_are_those_of_the_reference(page, tmp_path):
    copy = Path(shutil.copy(ROOT / page, tmp_path))
    decision.main(REFERENCE, copy)
    command = f"python -m pumetrics_workflow.studies.head_to_head.decision results/reference/paper {page}"
    assert copy.read_text(encoding="utf-8") == (ROOT / page).read_text(encoding="utf-8"), f"to renew it: {command}"


def read(name):
    return pd.read_csv(REFERENCE / f"head_to_head/tables/{name}.csv", dtype={"prior": str})


def lines(have, priors):
    table = read("decision").query("have == @have and priors == @priors")
    assert len(table) == 10
    return table.set_index("need")


def test_the_default_method_is_the_recommended_one_where_alpha_is_known():
    recommended = lines(HOME, "known")["use"].to_dict()
    assert {metric: choose(metric, known=True, clean=True) for metric in recommended} == recommended


def test_with_alpha_estimated_it_is_the_simplest_within_one_standard_error_for_the_default_estimator():
    recommended, slack = {}, lines(decision.ANY, "unknown")["standard_error"]
    errors = candidates(read("errors"), known=False).query("prior in ('none', 'consensus_clean')")
    for metric, table in errors[errors["metric"].isin(slack.index)].groupby("metric"):
        means = table.groupby(["method", "prior"])["absolute_error"].agg(["mean", "size"])
        means = means.loc[means["size"] == errors["labeling"].nunique(), "mean"]
        near = means.index[means <= means.min() + slack[metric]]
        recommended[metric] = min(near, key=lambda way: decision.simplicity(*way))[0]
    assert {metric: choose(metric, known=False, clean=True) for metric in slack.index} == recommended


def test_what_is_said_of_the_bootstrap_of_priors_is_what_was_measured():
    """Percentile intervals leave out the bias of an estimator, and the docstring says how much that costs."""
    said = " ".join(inspect.getdoc(estimate_priors).split())
    ends = re.search(r"held alpha in (\d+) to (\d+) of 100 samples and beta in (\d+) to (\d+)", said).groups()
    table = pd.read_csv(REFERENCE / "class_priors/tables/coverage.csv").query("method == 'consensus'")
    held = 100 * table.groupby("metric")["coverage"].agg(["min", "max"])
    assert [int(end) for end in ends] == held.loc[["alpha", "beta"]].round().astype(int).to_numpy().ravel().tolist()
