"""What every labeling, model, metric and study must do, over the whole of each registry (docs/adding.md).

Estimators of priors have theirs in test_priors_contract.py, data sets in test_datasets.py. The checks are functions, so
that the templates of the documentation can be held to them as well.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from pumetrics.labeling import SCHEMES
from pumetrics.models.registry import MODELS
from pumetrics_workflow.config import load_yaml
from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.plan import load_study
from pumetrics_workflow.seeding import rng_for, seed_for
from pumetrics_workflow.stages.evaluate import METRICS, evaluate_sample
from pumetrics_workflow.stages.evaluate.sample import Sample
from pumetrics_workflow.studies import load, module_path
from pumetrics_workflow.tables import read, write_answers

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "config/studies").glob("*.yaml"))
SCHEMA = load_yaml(ROOT / "workflow/schemas/study.schema.yaml")
FRAME = generate("gaussians_contract", {"size": 4000, "dimension": 4})


def options_in_use(kind, name):
    """Options with which a study uses a labeling or a model, at quick scale."""
    for path in STUDIES:
        study = load_study(path, "quick", SCHEMA)
        used = {"scheme": [study.labeling or {}], "type": list(study.models.values())}[kind]
        for options in used:
            if options.get(kind) == name:
                return {key: value for key, value in options.items() if key != kind}
    raise AssertionError(f"no study uses {name!r}: nothing checks that it works in a run")


def check_labeling(scheme, options):
    names = scheme.names(**options)
    assert len(names) == len(set(names)) > 0
    assert scheme.shortage(10**5, 10**5, **options) is None
    assert scheme.shortage(1, 1, **options), "a set with one positive must be refused, with the reason"
    for name in names:
        rows, s = scheme.draw(FRAME, name, rng_for(1, name), **options)
        again = scheme.draw(FRAME, name, rng_for(1, name), **options)
        assert len(rows) == len(s)
        assert len(set(rows)) == len(rows), "a row is drawn twice"
        assert 0 <= min(rows) <= max(rows) < len(FRAME)
        assert set(np.unique(s)) in ({0, 1}, {-1, 0, 1}), f"{name}: labels {np.unique(s)}"
        np.testing.assert_array_equal(rows, again[0], "the same seed must draw the same")
        np.testing.assert_array_equal(s, again[1], "the same seed must draw the same")


@pytest.mark.parametrize("name", SCHEMES)
def test_labeling(name):
    check_labeling(SCHEMES[name], options_in_use("scheme", name))


def check_model(score, options):
    small = FRAME.iloc[:400]
    features, y = small.drop(columns="y").to_numpy(np.float32), small["y"].to_numpy()
    first, again = (score(features, y, seed_for(1, "model"), **options) for _ in range(2))
    assert first.shape == (400,)
    assert np.isfinite(first).all()
    np.testing.assert_array_equal(first, again, "the same seed must give the same scores")
    assert area(y, first) > 0.7, "higher must be more positive"
    chance = np.random.default_rng(0).permutation(y)
    assert abs(area(chance, score(features, chance, seed_for(1, "chance"), **options)) - 0.5) < 0.13, (
        "labels without meaning are recognised: the scores are not out of sample"
    )


def area(y, score):
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(y, score)


@pytest.mark.parametrize("name", MODELS)
def test_model(name):
    check_model(MODELS[name], options_in_use("type", name))


def check_metric(metric, folder):
    rng = np.random.default_rng(3)
    y = (rng.random(600) < 0.4).astype(int)
    s = np.where(y == 1, rng.random(600) < 0.5, 0).astype(int)
    sample = Sample(s, y, y + rng.normal(size=600))
    rows = list(metric(sample, {"none": (0.0, 1.0), "true": (sample.alpha, sample.beta), "failed": (np.nan, np.nan)}))
    assert rows
    fixed = {"study": "contract", "dataset": "set", "model": "none", "labeling": "here", "repeat": 0}
    paths = {door: folder / f"{door}.parquet" for door in ("records", "statistics")}
    write_answers([{**fixed, **row} for row in rows], *paths.values())
    table = read("records", paths["records"])
    assert np.isfinite(table["truth"]).all()
    assert np.isfinite(table.loc[table["prior"] != "failed", "estimate"]).all()
    assert table.loc[table["prior"] == "failed", "estimate"].isna().all(), "a failed prior has no estimate"
    known = table[table["prior"] == "true"]
    unknown = table[table["prior"] == "none"]
    if "threshold" not in rows[0]:
        assert len(known) >= len(unknown) > 0


@pytest.mark.parametrize("name", METRICS)
def test_metric(name, tmp_path):
    check_metric(METRICS[name], tmp_path)


def test_without_hidden_positives_every_plain_estimate_is_the_truth():
    rng = np.random.default_rng(4)
    y = (rng.random(500) < 0.4).astype(int)
    scored = pd.DataFrame({"s": y, "y": y, "score": y + rng.normal(size=500)})
    table = pd.DataFrame(evaluate_sample(scored, None, ["accuracy", "balanced_accuracy", "f1", "mcc", "roc_auc"]))
    plain = table[table["method"].isin(["uncorrected", "direct"])]
    np.testing.assert_allclose(plain["estimate"], plain["truth"], atol=1e-12)


def check_study(path, published):
    study = {scale: load_study(path, scale, SCHEMA) for scale in ("quick", "laptop", "paper")}
    some = study["paper"]
    assert some.title
    assert some.citation
    assert some.claim
    package = load(some.name)
    assert "published" in package.CAPTIONS
    tables = load(some.name, "tables")
    assert callable(tables.tables)
    assert callable(tables.reproduced)
    assert callable(load(some.name, "figures").figures)
    assert not some.simulations or callable(load(some.name, "simulation").simulate)
    assert some.keep_scores or callable(load(some.name, "in_memory").judge)
    printed = pd.read_csv(published, comment="#")
    assert {"id", "quantity", "published", "compare", "tolerance", "source"} <= set(printed)
    assert printed["id"].is_unique
    assert set(printed["compare"]) <= {"within", "below", "above"}
    assert printed[["quantity", "published", "tolerance", "source"]].notna().all(axis=None)


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_study(path):
    check_study(path, ROOT / f"config/published/{path.stem}.csv")
    assert module_path(path.stem, "tables").is_file()


def test_the_report_explains_deviations_of_studies_that_exist():
    deviations = yaml.safe_load((ROOT / "src/pumetrics_workflow/report/deviations.yaml").read_text(encoding="utf-8"))
    assert set(deviations) <= {path.stem for path in STUDIES}
    for entries in deviations.values():
        assert all(set(entry) == {"what", "why"} and all(entry.values()) for entry in entries)
