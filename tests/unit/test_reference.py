"""Many labelings of the same rows at once: together as alone, whatever the classifier."""

import numpy as np
import pandas as pd
import pytest

from pumetrics_workflow.models.encoding import MixedTable
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.registry import MODELS, Model, out_of_sample_scores

REFERENCE_MODELS = [name for name, entry in MODELS.items() if entry.features == "mixed"]
QUICK = {"mlp": {"epochs": 5}}


def mixed(n=150, seed=0, missing=0.05):
    """Numeric, nominal and missing values, two classes that can be told apart, and labelings with flipped positives."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    X = pd.DataFrame(
        {
            "a": rng.normal(y),
            "b": rng.integers(0, 6, n).astype(float),
            "c": rng.normal(0.5 * y),
            "color": pd.Categorical(rng.choice(list("rgb"), n), categories=list("rgbx")),
            "side": pd.Categorical(np.where(rng.random(n) < 0.3 + 0.4 * y, "left", "right")),
            "still": np.ones(n),
        }
    )
    X = X.mask(rng.random(X.shape) < missing)
    keep = rng.random((5, n)) > np.arange(5)[:, None] / 8
    return X, (y & keep).astype(np.uint8), stratified_folds(y, n_folds=4, random_state=seed)


@pytest.mark.parametrize("model", REFERENCE_MODELS)
def test_lanes_beyond_a_vector_change_nothing(model):
    X, labelings, folds = mixed(60)
    rng = np.random.default_rng(0)
    many = np.concatenate([labelings, rng.integers(0, 2, (45, 60))]).astype(np.uint8)
    options = {"model": model, "random_state": 3, **QUICK.get(model, {})}
    np.testing.assert_array_equal(
        out_of_sample_scores(X, many, folds, **options)[:5],
        out_of_sample_scores(X, labelings, folds, **options),
    )


@pytest.mark.parametrize(
    "model", [name for name in REFERENCE_MODELS if name != "mlp"]
)  # it has other initial weights
def test_removing_a_column_is_not_having_it(model):
    X, labelings, folds = mixed()
    table = MixedTable(X)
    for column in ("b", "color"):
        with_removal = out_of_sample_scores(table, labelings, folds, model=model, removed=column)
        without = out_of_sample_scores(X.drop(columns=column), labelings, folds, model=model)
        np.testing.assert_allclose(
            with_removal, without, rtol=1e-9, err_msg=f"{model} without {column}"
        )


def test_equal_labelings_are_trained_once(monkeypatch):
    X, labelings, folds = mixed(60)
    seen, score = [], MODELS["naive_bayes"].scores

    def counted(table, labels, *others):
        seen.append(len(labels))
        return score(table, labels, *others)

    monkeypatch.setitem(MODELS, "naive_bayes", Model(counted, features="mixed"))
    scores = out_of_sample_scores(
        X, labelings[[0, 1, 0]], folds, model="naive_bayes", removed=[None, None, None]
    )
    assert seen == [2]
    np.testing.assert_array_equal(scores[0], scores[2])


def test_folds_are_even_and_stratified():
    y = np.random.default_rng(0).random(203) < 0.2
    folds = stratified_folds(y, random_state=1)
    assert np.ptp(np.bincount(folds)) <= 1
    assert np.ptp(np.bincount(folds[y], minlength=10)) <= 1
