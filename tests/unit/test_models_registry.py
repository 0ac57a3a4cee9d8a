"""What every model must do, over the whole registry: out of sample, deterministic, each labeling on its own."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from pumetrics_workflow.datasets.generators import generate
from pumetrics_workflow.models import linear_svm
from pumetrics_workflow.models.encoding import encode, standardized
from pumetrics_workflow.models.folds import stratified_folds
from pumetrics_workflow.models.linear_svm import linear_machines, one_variable_logistic
from pumetrics_workflow.models.registry import MODELS, out_of_sample_scores

QUICK = {
    "bagged_mlp": {"n_estimators": 8, "max_epochs": 60},
    "random_forest": {"n_estimators": 30},
    "boosted_trees": {"max_iter": 8},
    "mlp": {"epochs": 20},
}
FRAME = generate(
    "gaussians_mixed", {"size": 240, "dimension": 3, "share": 0.4, "nominal_features": 1}
)
Y = FRAME.pop("y").to_numpy()
X = FRAME.mask(np.random.default_rng(2).random(FRAME.shape) < 0.05)
FOLDS = stratified_folds(Y, n_folds=4, random_state=0)


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


def labelings(k=3):
    keep = np.random.default_rng(1).random((k, len(Y))) > np.arange(k)[:, None] / 6
    return (Y * keep).astype(np.uint8)


def check_model(name, options):
    """Hold one entry of the registry to what every model must do."""

    def scores(labels, folds=FOLDS, seed=3, **more):
        return out_of_sample_scores(
            X, labels, folds, model=name, random_state=seed, **more, **options
        )

    labels = labelings()
    together = scores(labels)
    assert together.shape == labels.shape
    assert np.isfinite(together).all()
    np.testing.assert_array_equal(
        together, scores(labels), "the same seed must give the same scores"
    )
    for i, one in enumerate(labels):
        np.testing.assert_array_equal(
            together[i], scores(one)[0], "scores depend on the other labelings of the batch"
        )
    np.testing.assert_array_equal(
        together[[2, 0]], scores(labels[[2, 0]]), "rows of scores are not rows of labels"
    )
    assert roc_auc_score(Y, together[0]) > 0.65, (
        "higher must be more positive, row by row of the input"
    )
    chance = np.random.default_rng(0).permutation(Y)
    assert abs(roc_auc_score(chance, scores(chance)[0]) - 0.5) < 0.15, (
        "labels without meaning are recognized: the scores are not out of sample"
    )
    assert (scores(np.zeros(len(Y), int)) == 0.5).all(), "labels of one class say nothing"
    if MODELS[name].features == "mixed":
        one = (np.arange(len(Y)) == np.flatnonzero(FOLDS == 1)[0]).astype(int)
        assert (scores(one)[0, FOLDS == 1] == 0.5).all(), (
            "nor do folds outside of which there is one class"
        )


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_removed_column_does_not_matter(name):
    labels = labelings()[[0, 1, 1]]
    options = {"model": name, "random_state": 1, **QUICK.get(name, {})}
    removed = [None, X.columns[0], X.columns[-1]]  # numeric and nominal
    together = out_of_sample_scores(X, labels, FOLDS, removed=removed, **options)
    for scores, one, column in zip(together, labels, removed, strict=True):
        shuffled = (
            X.assign(**{column: X[column].sample(frac=1, random_state=0).array}) if column else X
        )
        alone = out_of_sample_scores(shuffled, one, FOLDS, removed=column, **options)
        np.testing.assert_array_equal(scores, alone[0], err_msg=str(column))


@pytest.mark.parametrize("name", ["bagged_mlp", "logistic_regression"])
def test_a_matrix_is_taken_as_it_is(name):
    matrix = encode(X) if MODELS[name].features == "encoded" else standardized(encode(X))
    options = {"model": name, "random_state": 5, **QUICK.get(name, {})}
    np.testing.assert_array_equal(
        out_of_sample_scores(X, labelings(), FOLDS, **options),
        out_of_sample_scores(matrix, labelings(), FOLDS, **options),
    )


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_a_row_that_is_in_every_bag_scores_as_the_others_do_on_average():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    s = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    scores = out_of_sample_scores(
        X, s, model="random_forest", random_state=0, n_estimators=5, min_samples_leaf=20
    )[0]
    values, counts = np.unique(scores, return_counts=True)
    assert counts.max() == 43
    assert values[counts.argmax()] == pytest.approx(scores.mean())


def test_a_seed_is_a_number_or_a_sequence():
    options = {"model": "random_forest", "n_estimators": 20}
    by_number = out_of_sample_scores(X, Y, random_state=4, **options)
    by_sequence = out_of_sample_scores(X, Y, random_state=np.random.SeedSequence(4), **options)
    np.testing.assert_array_equal(by_number, by_sequence)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "oak"}, "model must be one of bagged_mlp, random_forest"),
        ({"folds": None}, "model 'logistic_regression' is scored out of fold: pass folds"),
        ({"folds": np.zeros(240, int)}, "at least two"),
        ({"folds": np.linspace(0, 1, 240)}, "folds must be integers"),
        ({"labelings": np.full(240, 2)}, "only 0 and 1, got 2"),
        ({"labelings": np.zeros(239, int)}, r"shape \(n_labelings, 240\)"),
        ({"removed": "size"}, "removed must name columns of X .*got 'size'"),
    ],
)
def test_bad_input_is_named(change, message):
    given = {"X": X, "labelings": Y, "folds": FOLDS, "model": "logistic_regression", **change}
    with pytest.raises(ValueError, match=message):
        out_of_sample_scores(**given)


@pytest.mark.parametrize(
    "model", [name for name, entry in MODELS.items() if entry.features == "mixed"]
)
def test_lanes_beyond_a_vector_change_nothing(model):
    X, labelings, folds = mixed(60)
    rng = np.random.default_rng(0)
    many = np.concatenate([labelings, rng.integers(0, 2, (45, 60))]).astype(np.uint8)
    options = {"model": model, "random_state": 3, **QUICK.get(model, {})}
    np.testing.assert_array_equal(
        out_of_sample_scores(X, many, folds, **options)[:5],
        out_of_sample_scores(X, labelings, folds, **options),
    )


# The linear support vector machine of Rider's study: solved to the optimum, whatever the labels.


def problem(seed, n=120, d=4, positives=0.4, noise=0.3):
    """Inputs in [0, 1], and three labelings: as they are, half of the positives hidden, a tenth left."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(n, d))
    value = x @ rng.normal(size=d) + noise * rng.normal(size=n)
    y = value > np.quantile(value, 1 - positives)
    kept = rng.random(n)
    return x, np.array(
        [y, y & (kept < 0.5), y & (kept < np.sort(kept[y])[max(1, y.sum() // 10)])]
    ).astype(np.uint8)


def objective(x, y, machine, C):
    margin = np.where(y, 1, -1) * (x @ machine[:-1] + machine[-1])
    return machine[:-1] @ machine[:-1] / 2 + C * np.maximum(0, 1 - margin).sum()


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 8),
    positives=st.floats(0.03, 0.6),
    C=st.sampled_from([0.1, 1]),
)
def test_no_other_machine_has_a_lower_objective(seed, d, positives, C):
    x, labels = problem(seed, d=d, positives=positives)
    for y, machine in zip(labels, linear_machines(x, labels, C, tolerance=1e-8), strict=True):
        peer = SVC(kernel="linear", C=C, tol=1e-5, max_iter=100_000).fit(x, y)
        other = objective(x, y, np.append(peer.coef_[0], peer.intercept_), C)
        assert objective(x, y, machine, C) <= other + 4 * len(x) * C * 1e-8


def test_a_machine_does_not_depend_on_the_others_nor_on_the_blocks(monkeypatch):
    x, labels = problem(3)
    together = linear_machines(x, labels, 1.0)
    monkeypatch.setattr(linear_svm, "_CELLS", 1)
    np.testing.assert_array_equal(linear_machines(x, labels, 1.0), together)
    np.testing.assert_array_equal(linear_machines(x, labels[1:2], 1.0)[0], together[1])


@pytest.mark.parametrize("scale", [1e-4, 1, 50])
def test_one_variable_logistic_is_the_optimum(scale):
    rng = np.random.default_rng(1)
    values = scale * rng.normal(size=(3, 300))
    labels = (values / scale + rng.logistic(size=(3, 300)) > 1).astype(int)
    labels[2] = values[2] > 0  # separable
    slope, intercept = one_variable_logistic(values, labels, ridge=1e-8)
    for lane, (x, y) in enumerate(zip(values, labels, strict=True)):
        peer = LogisticRegression(C=1 / 2e-8, tol=1e-12, solver="newton-cholesky").fit(
            x[:, None], y
        )

        def loss(a, b, x=x, y=y):
            return np.logaddexp(0, np.where(y, -1, 1) * (a * x + b)).sum() + 1e-8 * a**2

        assert loss(slope[lane, 0], intercept[lane, 0]) <= loss(
            peer.coef_[0, 0], peer.intercept_[0]
        ) * (1 + 1e-9)
        assert slope[lane, 0] == pytest.approx(peer.coef_[0, 0], rel=1e-3)
