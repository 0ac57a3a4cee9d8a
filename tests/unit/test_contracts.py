"""What every metric and study must do, over the whole of each registry (docs/adding.md).

Labelings have theirs in test_labelings.py, models in test_models_registry.py, estimators of priors in
test_priors_contract.py, data sets in test_datasets.py. The checks are functions, so
that the templates of the documentation can be held to them as well.
"""

from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pumetrics_workflow.answers import write_answers
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.controls import KnownSample
from pumetrics_workflow.plan import check_class, load_study, papers
from pumetrics_workflow.stages.evaluate import METRICS, evaluate_sample
from pumetrics_workflow.studies import (
    Results,
    check_made,
    load,
    read_tables,
    write_tables,
)
from pumetrics_workflow.studies.drawing import drawn
from pumetrics_workflow.tables import empty, read
from pumetrics_workflow.verdicts import check_published, read_published, write_verdicts

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))
SCHEMA = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")


def check_metric(metric, folder):
    rng = np.random.default_rng(3)
    y = (rng.random(600) < 0.4).astype(int)
    s = np.where(y == 1, rng.random(600) < 0.5, 0).astype(int)
    sample = KnownSample(s, y + rng.normal(size=600), y)
    truths = {"same_scores": (sample.truth.tpr_pu, sample.truth.fpr_pu)}
    # The estimator bbe stands for one that failed.
    priors = {"none": (0.0, 1.0), "true": sample.true_priors, "bbe": (np.nan, np.nan)}
    rows = list(metric(sample, priors, truths))
    assert rows
    fixed = {
        "study": "contract",
        "dataset": "set",
        "model": "none",
        "labeling": "here",
        "repeat": 0,
    }
    write_answers([{**fixed, **row} for row in rows], folder / "answers.parquet")
    table, statistics = (
        read(kind, folder / "answers.parquet") for kind in ("records", "statistics")
    )
    failed = table["prior"] == "bbe"
    assert np.isfinite(table["truth"]).all()
    assert np.isfinite(table.loc[~failed, "estimate"]).all()
    assert table.loc[failed, "estimate"].isna().all(), "a failed prior has no estimate"
    assert np.isfinite(statistics[["at", "value"]]).all(axis=None)
    assert set(statistics["prior"]) <= {"none", "true"}, "a failed prior has no curve"
    rows = table if len(table) else statistics[~statistics["statistic"].str.startswith("true_")]
    assert (rows["prior"] == "true").sum() >= (rows["prior"] == "none").sum() > 0


@pytest.mark.parametrize("name", METRICS)
def test_metric(name, tmp_path):
    check_metric(METRICS[name], tmp_path)


def test_without_hidden_positives_every_plain_estimate_is_the_truth():
    rng = np.random.default_rng(4)
    y = (rng.random(500) < 0.4).astype(int)
    scored = pd.DataFrame({"s": y, "y": y, "score": y + rng.normal(size=500)})
    table = pd.DataFrame(
        evaluate_sample(scored, None, ["accuracy", "balanced_accuracy", "f1", "mcc", "roc_auc"])
    )
    plain = table[table["method"].isin(["uncorrected", "direct"])]
    np.testing.assert_allclose(plain["estimate"], plain["truth"], atol=1e-12)


def check_study(path, published):
    """A study loads at every scale, makes what its captions list, and says nothing that is still to write."""
    some = load_study(path, "paper", SCHEMA)
    package = Path(import_module(f"pumetrics_workflow.studies.{some.name}").__path__[0])
    captions = path.parents[1] / f"captions/{path.name}"
    files = [path, published, captions, *package.glob("*.py")]
    unwritten = [file.name for file in files if "TO WRITE" in file.read_text(encoding="utf-8")]
    assert not unwritten, f"{some.name}: replace what says TO WRITE in {unwritten}"
    check_class(some)
    check_published(published, some.captions["tables"])
    if some.captions["figures"]:
        check_made(some.name, "figures", some.captions["figures"], load(some.name).figures())


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_study(path):
    check_study(path, ROOT / f"config/published/{path.stem}.csv")


@pytest.mark.slow
@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_study_without_any_data_has_its_tables_and_no_figures(path, tmp_path):
    study = load_study(path, "quick", SCHEMA)
    cards = {
        name: {"name": name, "available": False, "reason": "gone"} for name in study.all_datasets()
    }
    printed = read_published(ROOT / f"config/published/{study.name}.csv")
    results = Results(*map(empty, ("records", "statistics", "priors")), cards, printed)
    write_tables(load(study.name).tables(results), tmp_path)
    write_verdicts(study.name, tmp_path, printed)
    assert {table.stem for table in tmp_path.iterdir()} == set(study.captions["tables"])
    assert not drawn(study.name, study.captions["figures"], read_tables(tmp_path))


@pytest.mark.parametrize("name", papers(ROOT))
def test_a_paper_has_all_that_is_said_of_it(name):
    """What docs/adding.md lists and no other test would miss."""
    lacking = {
        f"config/studies/{name}.yaml: finding": papers(ROOT)[name].get("finding"),
        f"config/studies/{name}.yaml: deviations": papers(ROOT)[name].get("deviations"),
    }
    lacking = [where for where, there in lacking.items() if not there]
    assert not lacking, f"{name} is lacking in {'; '.join(lacking)}"
