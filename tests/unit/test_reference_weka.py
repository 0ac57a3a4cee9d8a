"""The same classifiers in WEKA: areas and scores agree. Runs where Java and python-weka-wrapper3 are installed."""

import shutil
from importlib.util import find_spec

import numpy as np
import pytest
from test_models_registry import mixed

from benchmarks.weka_bridge import weka_scores
from pumetrics_workflow.models.registry import out_of_sample_scores
from pumetrics_workflow.ranking import ranking_scores

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


if HAVE_WEKA:

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
