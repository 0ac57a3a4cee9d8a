"""What every model must do, over the whole registry: out of sample, deterministic, each labeling on its own."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from pumetrics.models import MODELS, out_of_sample_scores, stratified_folds
from pumetrics.models.encoding import encode, standardised
from pumetrics.models.registry import Model
from pumetrics_workflow.datasets.generators import generate

QUICK = {
    "bagged_mlp": {"n_estimators": 8, "max_epochs": 60},
    "random_forest": {"n_estimators": 30},
    "bagging_svm": {"n_models": 5},
    "boosted_trees": {"max_iter": 8},
    "mlp": {"epochs": 20},
}
FRAME = generate("gaussians_mixed", {"size": 240, "dimension": 3, "share": 0.4, "nominal_features": 1})
X, Y = FRAME.drop(columns="y"), FRAME["y"].to_numpy()
FOLDS = stratified_folds(Y, n_folds=4, random_state=0)


def labelings(k=3):
    keep = np.random.default_rng(1).random((k, len(Y))) > np.arange(k)[:, None] / 6
    return (Y * keep).astype(np.uint8)


def check_model(name, options):
    """Hold one entry of the registry to what every model must do."""

    def scores(labels, folds=FOLDS, seed=3, **more):
        return out_of_sample_scores(X, labels, folds, model=name, random_state=seed, **more, **options)

    labels = labelings()
    together = scores(labels)
    assert together.shape == labels.shape
    assert np.isfinite(together).all()
    np.testing.assert_array_equal(together, scores(labels), "the same seed must give the same scores")
    for i, one in enumerate(labels):
        np.testing.assert_array_equal(together[i], scores(one)[0], "scores depend on the other labelings of the batch")
    np.testing.assert_array_equal(together[[2, 0]], scores(labels[[2, 0]]), "rows of scores are not rows of labels")
    assert roc_auc_score(Y, together[0]) > 0.65, "higher must be more positive, row by row of the input"
    chance = np.random.default_rng(0).permutation(Y)
    assert abs(roc_auc_score(chance, scores(chance)[0]) - 0.5) < 0.15, (
        "labels without meaning are recognised: the scores are not out of sample"
    )
    assert (scores(np.zeros(len(Y), int)) == 0.5).all(), "labels of one class say nothing"


@pytest.mark.parametrize("name", MODELS)
def test_model(name):
    check_model(name, QUICK.get(name, {}))


@pytest.mark.parametrize("name", [name for name, entry in MODELS.items() if entry.needs_folds])
def test_a_fold_is_scored_without_its_labels(name):
    labels = labelings(1)[0]
    flipped = np.where(FOLDS == 2, 1 - labels, labels)
    options = {"model": name, "random_state": 1, **QUICK.get(name, {})}
    before, after = out_of_sample_scores(X, [labels, flipped], FOLDS, **options)
    np.testing.assert_array_equal(before[FOLDS == 2], after[FOLDS == 2])


@pytest.mark.parametrize("name", MODELS)
def test_a_removed_column_does_not_matter(name):
    labels, options = labelings(2), {"model": name, "random_state": 1, **QUICK.get(name, {})}
    column = X.columns[0]
    shuffled = X.assign(**{column: X[column].sample(frac=1, random_state=0).to_numpy()})
    known, unseen = (
        out_of_sample_scores(data, labels, FOLDS, removed=[None, column], **options) for data in (X, shuffled)
    )
    np.testing.assert_array_equal(known[1], unseen[1])
    alone = out_of_sample_scores(X, labels[0], FOLDS, **options)
    np.testing.assert_array_equal(known[0], alone[0])


@settings(deadline=None, max_examples=15)
@given(order=st.permutations(range(5)), name=st.sampled_from(["logistic_regression", "naive_bayes", "c45"]))
def test_the_order_of_labelings_is_theirs(order, name):
    labels = labelings(5)
    scores = out_of_sample_scores(X, labels, FOLDS, model=name, random_state=0)
    np.testing.assert_array_equal(scores[order], out_of_sample_scores(X, labels[order], FOLDS, model=name))


@pytest.mark.parametrize("name", ["bagged_mlp", "logistic_regression"])
def test_a_matrix_is_taken_as_it_is(name):
    matrix = encode(X) if MODELS[name].features == "encoded" else standardised(encode(X))
    options = {"model": name, "random_state": 5, **QUICK.get(name, {})}
    np.testing.assert_array_equal(
        out_of_sample_scores(X, labelings(), FOLDS, **options),
        out_of_sample_scores(matrix, labelings(), FOLDS, **options),
    )


def test_a_seed_is_a_number_a_sequence_or_a_generator():
    options = {"model": "random_forest", "n_estimators": 20}
    by_number = out_of_sample_scores(X, Y, random_state=4, **options)
    by_sequence = out_of_sample_scores(X, Y, random_state=np.random.SeedSequence(4), **options)
    np.testing.assert_array_equal(by_number, by_sequence)
    rng = np.random.default_rng(4)
    first, second = (out_of_sample_scores(X, Y, random_state=rng, **options) for _ in range(2))
    assert (first != second).any()


def test_features_are_standardised_and_constant_ones_left_out():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [7.0] * 4, "c": pd.Categorical(list("xyxy"))})
    matrix = standardised(encode(frame))
    assert matrix.shape == (4, 3)
    np.testing.assert_allclose(matrix.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(matrix.std(axis=0), 1)


def test_one_entry_adds_a_model(monkeypatch):
    monkeypatch.setitem(
        MODELS, "half", Model(lambda X, s, folds, seed, value: np.full(len(s), value), needs_folds=False)
    )
    assert (out_of_sample_scores(X, Y, model="half", value=0.25) == 0.25).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "oak"}, "model must be one of bagged_mlp, random_forest"),
        ({"folds": None}, "model 'logistic_regression' is scored out of fold: pass folds"),
        ({"folds": np.zeros(240, int)}, "at least two"),
        ({"labelings": np.full(240, 2)}, "only 0 and 1, got 2 in labeling 0, row 0"),
        ({"X": [[1.0]] * 240}, "must be a pandas DataFrame or a matrix, got list"),
        ({"X": np.zeros(240)}, "must be two-dimensional"),
        ({"removed": "size"}, "removed must name columns of X .*got 'size'"),
    ],
)
def test_bad_input_is_named(change, message):
    given = {"X": X, "labelings": Y, "folds": FOLDS, "model": "logistic_regression", "removed": None, **change}
    with pytest.raises(ValueError, match=message):
        out_of_sample_scores(
            given["X"], given["labelings"], given["folds"], model=given["model"], removed=given["removed"]
        )
