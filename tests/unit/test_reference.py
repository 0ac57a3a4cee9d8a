"""Many labelings of the same rows at once: together as alone, whatever the classifier."""

import numpy as np
import pandas as pd
import pytest

from pumetrics.models.encoding import MixedTable
from pumetrics.models.folds import stratified_folds
from pumetrics.models.registry import MODELS, Model, out_of_sample_scores
from pumetrics_workflow.ranking import ranking_scores

REFERENCE_MODELS = [name for name, entry in MODELS.items() if entry.joint]
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
            "colour": pd.Categorical(rng.choice(list("rgb"), n), categories=list("rgbx")),
            "side": pd.Categorical(np.where(rng.random(n) < 0.3 + 0.4 * y, "left", "right")),
            "still": np.ones(n),
        }
    )
    X = X.mask(rng.random(X.shape) < missing)
    keep = rng.random((5, n)) > np.arange(5)[:, None] / 8
    return X, (y & keep).astype(np.uint8), stratified_folds(y, n_folds=4, random_state=seed)


@pytest.mark.parametrize("model", REFERENCE_MODELS)
def test_together_as_alone(model):
    X, labelings, folds = mixed()
    removed = [None, None, "colour", "c", None]
    options = {"model": model, "random_state": 3, **QUICK.get(model, {})}
    together = out_of_sample_scores(X, labelings, folds, removed=removed, **options)
    for i, column in enumerate(removed):
        alone = out_of_sample_scores(X, labelings[i], folds, removed=column, **options)
        np.testing.assert_array_equal(together[i], alone[0], err_msg=f"labeling {i} of {model}")


@pytest.mark.parametrize("model", REFERENCE_MODELS)
def test_lanes_beyond_a_vector_change_nothing(model):
    X, labelings, folds = mixed(60)
    rng = np.random.default_rng(0)
    many = np.concatenate([labelings, rng.integers(0, 2, (45, 60))]).astype(np.uint8)
    options = {"model": model, "random_state": 3, **QUICK.get(model, {})}
    np.testing.assert_array_equal(
        out_of_sample_scores(X, many, folds, **options)[:5], out_of_sample_scores(X, labelings, folds, **options)
    )


@pytest.mark.parametrize("model", REFERENCE_MODELS)
def test_removing_a_column_is_not_having_it(model):
    X, labelings, folds = mixed()
    table = MixedTable(X)
    options = {"model": model, "random_state": 1, **QUICK.get(model, {})}
    for column in ("b", "colour"):
        with_removal = out_of_sample_scores(table, labelings, folds, removed=column, **options)
        without = out_of_sample_scores(X.drop(columns=column), labelings, folds, **options)
        if model == "mlp":  # other initial weights: only the removed column itself must not matter
            changed = X.assign(**{column: X[column].sample(frac=1, random_state=0).to_numpy()})
            changed[column] = changed[column].astype(X[column].dtype)
            without = out_of_sample_scores(changed, labelings, folds, removed=column, **options)
        np.testing.assert_allclose(with_removal, without, rtol=1e-9, err_msg=f"{model} without {column}")


@pytest.mark.parametrize("model", [name for name in REFERENCE_MODELS if name != "svm_class"])
def test_classifiers_learn(model):
    X, labelings, folds = mixed(400, missing=0)
    options = {"mlp": {"epochs": 60}}.get(model, {})
    scores = out_of_sample_scores(X, labelings[0], folds, model=model, random_state=0, **options)[0]
    areas = [ranking_scores(scores[folds == fold], labelings[0, folds == fold]).auroc for fold in range(4)]
    assert np.mean(areas) > 0.68, f"{model} reaches an AUROC of {np.mean(areas):.3f} where 0.8 can be had"


def test_a_fold_is_scored_without_its_labels():
    X, labelings, folds = mixed()
    flipped = np.where(folds == 2, 1 - labelings[0], labelings[0])
    for model in REFERENCE_MODELS:
        options = {"model": model, "random_state": 1, **QUICK.get(model, {})}
        before, after = out_of_sample_scores(X, [labelings[0], flipped], folds, **options)
        np.testing.assert_array_equal(before[folds == 2], after[folds == 2], err_msg=model)


def test_nothing_to_learn_scores_a_half():
    X, _, folds = mixed(40)
    one = np.zeros(40, int)
    one[np.flatnonzero(folds == 1)[0]] = 1
    for model in REFERENCE_MODELS:
        scores = out_of_sample_scores(
            X, [np.zeros(40, int), one], folds, model=model, random_state=0, **QUICK.get(model, {})
        )
        assert (scores[0] == 0.5).all()
        assert (scores[1, folds == 1] == 0.5).all()
        assert np.isfinite(scores).all()


def test_equal_labelings_are_trained_once(monkeypatch):
    X, labelings, folds = mixed(60)
    seen, score = [], MODELS["naive_bayes"].scores

    def counted(table, labels, *others):
        seen.append(len(labels))
        return score(table, labels, *others)

    monkeypatch.setitem(MODELS, "naive_bayes", Model(counted, features="mixed"))
    scores = out_of_sample_scores(X, labelings[[0, 1, 0]], folds, model="naive_bayes", removed=[None, None, None])
    assert seen == [2]
    np.testing.assert_array_equal(scores[0], scores[2])


def test_folds_are_even_and_stratified():
    y = np.random.default_rng(0).random(203) < 0.2
    folds = stratified_folds(y, random_state=1)
    assert np.ptp(np.bincount(folds)) <= 1
    assert np.ptp(np.bincount(folds[y], minlength=10)) <= 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "forest"}, "model must be one of bagged_mlp, random_forest"),
        ({"labelings": np.full(40, 2)}, "only 0 and 1, got 2 in labeling 0, row 0"),
        ({"labelings": np.zeros(39, int)}, r"shape \(n_labelings, 40\)"),
        ({"folds": np.zeros(40, int)}, "at least two"),
        ({"folds": np.linspace(0, 1, 40)}, "folds must be integers"),
        ({"removed": "size"}, "removed must name columns of X .*got 'size'"),
        ({"removed": ["a", "b"]}, "for each of 1 labelings, got 2"),
    ],
)
def test_bad_input_is_named(change, message):
    X, labelings, folds = mixed(40)
    given = {"labelings": labelings[0], "folds": folds, "model": "c45", "removed": None, **change}
    with pytest.raises(ValueError, match=message):
        out_of_sample_scores(X, given["labelings"], given["folds"], model=given["model"], removed=given["removed"])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((3, 2)), "must be a pandas DataFrame"),
        (pd.DataFrame({"a": ["x", "y"]}), "column 'a' must be numeric or categorical"),
        (pd.DataFrame({"a": [1.0, np.inf]}), "column 'a' must be finite or missing, got infinity in row 1"),
        (pd.DataFrame(), "at least one row and one column"),
    ],
)
def test_bad_tables_are_named(X, message):
    with pytest.raises(ValueError, match=message):
        MixedTable(X)
