"""The same classifiers in WEKA: areas agree set by set. Runs where Java and python-weka-wrapper3 are installed."""

import os
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from test_models_registry import mixed

from benchmarks.weka_bridge import weka_scores
from pumetrics_workflow.datasets import fetch, load_registry, prepare
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import out_of_sample_scores
from pumetrics_workflow.ranking import ranking_scores

ROOT = Path(__file__).parents[2]
MIRROR = os.environ.get(
    "PUMETRICS_MIRROR"
)  # a folder of raw files: then three sets of the paper are compared
SETS = (
    ("pima", "vote", "heart_h")
    if MIRROR
    else ("breast_cancer", "diabetes_progression", "wine_bundled")
)
HAVE_WEKA = find_spec("weka") is not None and shutil.which("java") is not None


def compare(model, X, y, folds):
    """Mean AUROC over folds, ours and WEKA's, and the share of rows with equal scores."""
    ours = out_of_sample_scores(X, y, folds, model=model, random_state=0)[0]
    theirs = weka_scores(X, y, folds, model=model, random_state=0)
    areas = [
        np.mean([ranking_scores(scores[folds == f], y[folds == f]).auroc for f in np.unique(folds)])
        for scores in (ours, theirs)
    ]
    return *areas, np.mean(np.abs(ours - theirs) < 1e-6)


@cache
def real(name, folder):
    """Features, labels and folds of a real set, prepared as the study does."""
    entry = load_registry(ROOT / "config/datasets.yaml")[name]
    paths = fetch(entry, folder, mirror=MIRROR, offline=True).paths if entry.needs_files else None
    frame, _ = prepare(entry, paths)
    y = frame.pop("y").to_numpy()
    return frame, y, stratified_folds(y, n_folds=10, random_state=0)


if HAVE_WEKA:

    @pytest.mark.parametrize("name", SETS)
    @pytest.mark.parametrize(
        ("model", "tolerance"),
        [
            ("c45", 0.01),
            ("naive_bayes", 0.01),
            ("nearest_neighbors", 0.01),
            ("svm_logistic", 0.03),
            ("mlp", 0.03),
        ],
    )
    def test_areas_agree_on_real_sets(model, tolerance, name, tmp_path_factory):
        X, y, folds = real(name, tmp_path_factory.getbasetemp() / name)
        ours, theirs, _ = compare(model, X, y, folds)
        assert ours == pytest.approx(theirs, abs=tolerance)

    @pytest.mark.parametrize("seed", [0, 1, 2])
    @pytest.mark.parametrize(
        ("model", "tolerance", "equal"),
        [
            ("c45", 1e-9, 1.0),
            ("naive_bayes", 1e-9, 1.0),
            ("nearest_neighbors", 0.01, 0.9),
            ("svm_class", 0.03, 0.95),
            ("svm_logistic", 0.03, 0.0),
            ("mlp", 0.03, 0.0),
        ],
    )
    def test_areas_agree(model, tolerance, equal, seed):
        X, labelings, folds = mixed(400, seed=seed)
        ours, theirs, share = compare(model, X, labelings[0], folds)
        assert ours == pytest.approx(theirs, abs=tolerance)
        assert share >= equal
