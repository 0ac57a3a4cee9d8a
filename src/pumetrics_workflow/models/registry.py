"""The registry of models: each scores every example by a model that was not trained on it, for many labelings at once.

Adding one is one entry of :data:`MODELS` and one function. A study file then names it as a ``type``.

The classifiers of Rider et al. (2013) are trained on many labelings of the same rows at once:

| name | classifier | replaces |
|---|---|---|
| `c45` | C4.5 tree, unpruned, uncollapsed, Laplace estimates | J48 -U -O -A |
| `mlp` | multilayer perceptron, online gradient descent | MultilayerPerceptron |
| `naive_bayes` | naive Bayes, normal and nominal features | NaiveBayes |
| `nearest_neighbors` | 5 nearest neighbors | IBk -K 5 |
| `svm` | linear support vector machine, decision value | SMO |
| `svm_class`, `svm_logistic` | the same, answering with the class or a logistic model | SMO, SMO -M |

Each classifier's docstring says where it departs from the original in WEKA. Measured on nine UCI sets, ten folds, mean
AUROC: C4.5 and naive Bayes give WEKA's scores, row by row; neighbors are within 0.004, and the perceptron is as far
off as WEKA's own with another seed. The SVM, on ten sets with no or 30% of the positives hidden: classes within 0.010,
decision values within 0.005 but for Bupa (0.017) and Tic-Tac-Toe (0.021).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from pumetrics.validation import check_random_state
from pumetrics_workflow.models import estimators
from pumetrics_workflow.models.encoding import MixedTable, encode, standardized
from pumetrics_workflow.models.folds import check_folds, logistic_regression
from pumetrics_workflow.models.naive_bayes import naive_bayes

__all__ = ["MODELS", "Model", "model_of", "out_of_sample_scores"]


@dataclass(frozen=True)
class Model:
    """How a model scores examples out of sample.

    Attributes
    ----------
    scores : callable
        ``scores(X, s, folds, seed, **options)`` of one labeling, scores of shape (n,); or, of mixed features,
        ``scores(table, labelings, folds, removed, rng, **options)`` of all, shape (n_labelings, n), where `removed` is
        the position of the feature that each labeling must not see, -1 for none.
    features : {"encoded", "standardized", "mixed"}
        What it is trained on: a matrix of numbers as they are, for a model that scales them itself; columns of mean 0
        and standard deviation 1; or numeric and nominal features with gaps.
    needs_folds : bool
        Whether rows are scored out of fold; else they are scored out of bag.
    """

    scores: Callable
    features: str = "standardized"
    needs_folds: bool = True


# Imported when first used: numba and scipy take long to load.


def _c45(*data):
    from pumetrics_workflow.models.c45 import c45

    return c45(*data)


def _mlp(*data, **options):
    from pumetrics_workflow.models.lockstep_mlp import lockstep_mlp

    return lockstep_mlp(*data, **options)


def _nearest_neighbors(*data, **options):
    from pumetrics_workflow.models.neighbors import nearest_neighbors

    return nearest_neighbors(*data, **options)


def _svm(*data, **options):
    from pumetrics_workflow.models.linear_svm import linear_svm

    return linear_svm(*data, **options)


MODELS = {
    "bagged_mlp": Model(estimators.bagged_mlp, features="encoded", needs_folds=False),
    "random_forest": Model(estimators.random_forest, needs_folds=False),
    "boosted_trees": Model(estimators.boosted_trees),
    "logistic_regression": Model(logistic_regression),
    "linear_svm": Model(estimators.linear_svm),
    "kernel_svm": Model(estimators.kernel_svm),
    "gaussian_naive_bayes": Model(estimators.gaussian_naive_bayes),
    # The classifiers of Rider et al. (2013).
    "c45": Model(_c45, features="mixed"),
    "mlp": Model(_mlp, features="mixed"),
    "naive_bayes": Model(naive_bayes, features="mixed"),
    "nearest_neighbors": Model(_nearest_neighbors, features="mixed"),
    "svm": Model(_svm, features="mixed"),
    "svm_class": Model(partial(_svm, score="class"), features="mixed"),
    "svm_logistic": Model(partial(_svm, score="logistic"), features="mixed"),
}


def out_of_sample_scores(
    X, labelings, folds=None, *, model, removed=None, random_state=None, **options
):
    """Score every example by a model that was not trained on it, for many labelings of the same rows and folds.

    Labelings share whatever does not depend on labels: sorted values, distances, sufficient statistics, the order in
    which rows are presented. Nothing else: scores are the same as if each labeling had been given alone.

    Parameters
    ----------
    X : pandas.DataFrame of shape (n, n_features), MixedTable or ndarray
        Categorical columns are nominal, the others numeric, NaN is missing. Models that know only numbers are trained
        on ``pumetrics_workflow.models.encoding.encode`` of a DataFrame, or on a matrix as it is. Pass a
        ``MixedTable`` to keep label-free work, such as neighbor lists, from one call to the next.
    labelings : array_like of shape (n_labelings, n) or (n,)
        Labels to train on, 0 and 1.
    folds : array_like of shape (n,), optional
        Fold of each row, integers from 0; a row is scored by what was trained on all other folds. Bagged models,
        which score out of bag, need none.
    model : str
        One of :data:`MODELS`.
    removed : str or sequence of str or None, optional
        Column that the labelings, or each of them, must not see (Rider's BNAR).
    random_state : int, SeedSequence, Generator, RandomState or None
        Order of the rows, initial weights and the like, where a model needs them; the same for all labelings.
    **options
        Handed to the model, for example ``epochs`` to `mlp` and ``n_estimators`` to `random_forest`.

    Returns
    -------
    ndarray of shape (n_labelings, n), float64
        Higher is more positive. Where the training rows hold one class only there is nothing to learn, and the rows
        score 0.5.

    Raises
    ------
    ValueError
        If shapes do not fit, a label is neither 0 nor 1, there are fewer than two folds, or a name is unknown.

    References
    ----------
    Rider, Johnson, Davis, Hoens & Chawla (2013), Section 5.2.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"height": np.arange(20.0), "coat": pd.Categorical(list("abcd") * 5)})
    >>> y = (X["height"] > 9).astype(int).to_numpy()
    >>> flipped = np.where(np.arange(20) == 15, 0, y)
    >>> scores = out_of_sample_scores(X, [y, flipped], np.arange(20) % 5, model="nearest_neighbors", removed="coat")
    >>> scores.shape, float(scores[0, 19].round(2)), float(scores[1, 19].round(2))
    ((2, 20), 0.99, 0.79)
    """
    entry = model_of(model)
    names, n = _shape_of(X)
    labels = _checked_labelings(labelings, n)
    if folds is not None:
        folds = check_folds(folds, n)
    elif entry.needs_folds:
        raise ValueError(
            f"model {model!r} is scored out of fold: pass folds, for example stratified_folds(y)"
        )
    columns = _columns(removed, names, len(labels))
    score = _joint if entry.features == "mixed" else _one_by_one
    if len(labels) == 1:  # a common case, and to look for copies takes longer than some models
        return score(entry, X, labels, folds, columns, random_state, options)

    # The same labels twice, as with no positive flipped yet, are trained once.
    _, first, copies = np.unique(
        np.c_[columns, labels], axis=0, return_index=True, return_inverse=True
    )
    scores = score(entry, X, labels[first], folds, columns[first], random_state, options)
    return scores[copies.ravel()]


def model_of(name):
    """Return the entry of :data:`MODELS` called `name`, or raise ValueError."""
    if name not in MODELS:
        raise ValueError(f"model must be one of {', '.join(MODELS)}, got {name!r}")
    return MODELS[name]


def _joint(
    entry,
    X,
    labels,
    folds,
    columns,
    random_state,
    options,
):
    """Scores of a model that is trained on all labelings together, 0.5 in folds whose training rows hold one class."""
    table = X if isinstance(X, MixedTable) else MixedTable(X)
    rng = check_random_state(random_state)

    sizes = np.bincount(folds)
    inside = np.stack([labels[:, folds == fold].sum(axis=1) for fold in range(len(sizes))], axis=1)
    training = inside.sum(axis=1, keepdims=True) - inside
    hopeless = (training == 0) | (training == len(folds) - sizes)

    scores = np.full(labels.shape, 0.5)
    some = ~hopeless.all(axis=1)
    if some.any():
        scores[some] = entry.scores(table, labels[some], folds, columns[some], rng, **options)
    return np.where(hopeless[:, folds], 0.5, scores)


def _one_by_one(
    entry,
    X,
    labels,
    folds,
    columns,
    random_state,
    options,
):
    """Scores of a model that is trained on each labeling with the same seed, 0.5 for labels of one class only."""
    seed = _integer(random_state)
    matrices = {column: _matrix(X, column, entry.features) for column in set(columns)}
    scores = np.full(labels.shape, 0.5)
    for i in np.flatnonzero(labels.min(axis=1) < labels.max(axis=1)):
        scores[i] = entry.scores(matrices[columns[i]], labels[i], folds, seed, **options)
    return scores


def _matrix(X, column, features):
    """A matrix for training, without one of the columns of a table if that is not -1."""
    if isinstance(X, np.ndarray):
        return X
    matrix = encode(X if column < 0 else X.drop(columns=X.columns[column]))
    return matrix if features == "encoded" else standardized(matrix)


def _integer(random_state):
    """Seed of one model from whatever names a source of randomness."""
    if isinstance(random_state, np.random.Generator | np.random.RandomState):
        return int(check_random_state(random_state).integers(2**32))
    if not isinstance(random_state, np.random.SeedSequence):
        random_state = np.random.SeedSequence(random_state)
    return int(random_state.generate_state(1)[0])


def _shape_of(X):
    """Names of the columns, which a matrix has none of, and the number of rows."""
    if isinstance(X, MixedTable):
        return X.names, X.n
    return [str(name) for name in getattr(X, "columns", ())], len(X)


def _checked_labelings(labelings, n):
    labels = np.atleast_2d(np.asarray(labelings))
    if labels.ndim != 2 or labels.shape[1] != n:
        raise ValueError(
            f"labelings must have shape (n_labelings, {n}), a column per row of X, got {labels.shape}"
        )
    bad = labels[(labels != 0) & (labels != 1)]
    if bad.size:
        raise ValueError(f"labelings must hold only 0 and 1, got {bad[0]}")
    return labels.astype(np.uint8)


def _columns(removed, names, n_labelings):
    """Column each labeling does not see, -1 for none."""
    if removed is None or isinstance(removed, str):
        removed = [removed] * n_labelings
    position = {None: -1, **{name: i for i, name in enumerate(names)}}
    unknown = [name for name in removed if name not in position]
    if unknown:
        raise ValueError(
            f"removed must name columns of X ({', '.join(names[:10])}...), got {unknown[0]!r}"
        )
    return np.array([position[name] for name in removed])
