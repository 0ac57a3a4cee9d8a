"""The five classifiers of Rider et al. (2013) behind one interface that takes many labelings of the same rows at once.

| name | classifier | stands in for |
|---|---|---|
| `c45` | C4.5 tree, unpruned, uncollapsed, Laplace estimates | J48 -U -O -A |
| `mlp` | multilayer perceptron, online gradient descent | MultilayerPerceptron |
| `naive_bayes` | naive Bayes, normal and nominal features | NaiveBayes |
| `nearest_neighbors` | 5 nearest neighbours | IBk -K 5 |
| `svm` | linear support vector machine, decision value | SMO |
| `svm_class`, `svm_logistic` | the same, answering with the class or a logistic model | SMO, SMO -M |

Each classifier's docstring says where it departs from the original in WEKA. Measured on nine UCI sets, ten folds, mean
AUROC: C4.5 and naive Bayes give WEKA's scores, row by row; the SVM's classes have WEKA's area on eight sets (.003 off
on the ninth), its decision values are within .005, neighbours within .004, and the perceptron is as far off as WEKA's
own with another seed.
"""

from functools import partial

import numpy as np

from pumetrics._validation import check_labels
from pumetrics.models.mixed_table import MixedTable

__all__ = ["REFERENCE_MODELS", "cross_val_scores", "stratified_folds"]

# Each classifier is imported when first used: numba and scikit-learn take long to load.


def _c45(*arguments, **options):
    from pumetrics.models.c45 import c45

    return c45(*arguments, **options)


def _mlp(*arguments, **options):
    from pumetrics.models.lockstep_mlp import lockstep_mlp

    return lockstep_mlp(*arguments, **options)


def _naive_bayes(*arguments, **options):
    from pumetrics.models.naive_bayes import naive_bayes

    return naive_bayes(*arguments, **options)


def _nearest_neighbors(*arguments, **options):
    from pumetrics.models.neighbors import nearest_neighbors

    return nearest_neighbors(*arguments, **options)


def _svm(*arguments, **options):
    from pumetrics.models.linear_svm import linear_svm

    return linear_svm(*arguments, **options)


REFERENCE_MODELS = {
    "c45": _c45,
    "mlp": _mlp,
    "naive_bayes": _naive_bayes,
    "nearest_neighbors": _nearest_neighbors,
    "svm": partial(_svm, score="decision"),
    "svm_class": partial(_svm, score="class"),
    "svm_logistic": partial(_svm, score="logistic"),
}


def cross_val_scores(X, labelings, folds, *, model, removed=None, random_state=None, backend="own", **options):
    """Out-of-fold scores of one classifier for many labelings of the same rows.

    Labelings share whatever does not depend on labels: sorted values, distances, sufficient statistics, the order in
    which rows are presented. Nothing else: scores are the same as if each labeling had been handed in alone.

    Parameters
    ----------
    X : pandas.DataFrame of shape (n, n_features) or MixedTable
        Categorical columns are nominal, the others numeric, NaN is missing. Hand in a ``MixedTable`` of it to keep
        label-free work, such as neighbour lists, from one call to the next.
    labelings : array_like of shape (n_labelings, n)
        Labels to train on, 0 and 1.
    folds : array_like of shape (n,)
        Fold of each row, integers from 0; a row is scored by what was trained on all other folds.
    model : str
        One of ``REFERENCE_MODELS``.
    removed : str or sequence of str or None, optional
        Column that the labelings, or each of them, must not see (Rider's BNAR).
    random_state : int, SeedSequence, Generator or None
        Order of the rows, initial weights and the like, where a classifier needs them; the same for all labelings.
    backend : {"own", "weka"}
        Our own classifiers, or the originals, where Java and its wrapper are installed (see ``models/weka.py``).
    **options
        Handed to the classifier, for example ``epochs`` to `mlp` and ``n_neighbors`` to `nearest_neighbors`.

    Returns
    -------
    ndarray of shape (n_labelings, n), float64
        Higher is more positive: a probability, except for `svm` and `svm_class`. Where the training rows of a fold
        hold one class only there is nothing to learn, and its rows score 0.5.

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
    >>> scores = cross_val_scores(X, [y, flipped], np.arange(20) % 5, model="nearest_neighbors", removed="coat")
    >>> scores.shape, float(scores[0, 19].round(2)), float(scores[1, 19].round(2))
    ((2, 20), 0.99, 0.79)
    """
    if model not in REFERENCE_MODELS:
        raise ValueError(f"model must be one of {', '.join(REFERENCE_MODELS)}, got {model!r}")
    table = X if isinstance(X, MixedTable) else MixedTable(X)
    labels, folds = _checked_labelings(labelings, table.n), _checked_folds(folds, table.n)
    columns = _columns(removed, table.names, len(labels))
    if len(table.names) == 1 and (columns >= 0).any():
        raise ValueError(f"removed leaves no feature: X has only {table.names[0]!r}")
    # The same labels twice, as with nobody flipped yet, are trained once.
    _, first, copies = np.unique(np.c_[columns, labels], axis=0, return_index=True, return_inverse=True)
    rng = np.random.default_rng(random_state)
    scores = _trainable(_classifier(model, backend), table, labels[first], folds, columns[first], rng, options)
    return scores[copies.ravel()]


def _classifier(model, backend):
    if backend == "own":
        return REFERENCE_MODELS[model]
    if backend != "weka":
        raise ValueError(f"backend must be 'own' or 'weka', got {backend!r}")
    from pumetrics.models.weka import weka_scores

    return partial(weka_scores, model=model)


def _trainable(classifier, table, labels, folds, columns, rng, options):
    """Scores of labelings, 0.5 in folds whose training rows hold one class only."""
    positives = labels.sum(axis=1, dtype=np.int64)[:, None]
    inside = np.stack([labels[:, folds == fold].sum(axis=1, dtype=np.int64) for fold in range(folds.max() + 1)], axis=1)
    training, size = positives - inside, len(folds) - np.bincount(folds)
    hopeless = (training == 0) | (training == size)
    scores = np.full(labels.shape, 0.5)
    some = ~hopeless.all(axis=1)
    if some.any():
        scores[some] = classifier(table, labels[some], folds, columns[some], rng, **options)
    return np.where(hopeless[:, folds], 0.5, scores)


def stratified_folds(y, *, n_folds=10, random_state=None):
    """Folds of equal size and equal shares of both classes.

    Parameters
    ----------
    y : array_like of shape (n,)
        0 and 1.
    n_folds : int
        From 2 to n.
    random_state : int, SeedSequence, Generator or None
        Which rows go together.

    Returns
    -------
    ndarray of shape (n,), int64
        0 to n_folds - 1. Sizes differ by at most one, and so do the positives of two folds.

    Raises
    ------
    ValueError
        If `n_folds` is out of range, or `y` holds anything but 0 and 1.

    Examples
    --------
    >>> folds = stratified_folds([1, 0, 0, 0, 0, 1], n_folds=2, random_state=0)
    >>> np.bincount(folds).tolist(), sorted(folds[[0, 5]].tolist())
    ([3, 3], [0, 1])
    """
    y = check_labels(y, "y", need=())
    if not 2 <= n_folds <= len(y):
        raise ValueError(f"n_folds must lie between 2 and the number of rows, {len(y)}, got {n_folds}")
    shuffled = np.random.default_rng(random_state).permutation(len(y))
    by_class = shuffled[np.argsort(-y[shuffled], kind="stable")]
    folds = np.empty(len(y), dtype=np.int64)
    folds[by_class] = np.arange(len(y)) % n_folds
    return folds


def _checked_labelings(labelings, n):
    labels = np.atleast_2d(np.asarray(labelings))
    if labels.ndim != 2 or labels.shape[1] != n:
        raise ValueError(f"labelings must have shape (n_labelings, {n}), a column per row of X, got {labels.shape}")
    bad = (labels != 0) & (labels != 1)
    if bad.any():
        labeling, row = np.argwhere(bad)[0]
        raise ValueError(
            f"labelings must hold only 0 and 1, got {labels[labeling, row]} in labeling {labeling}, row {row}"
        )
    return labels.astype(np.uint8)


def _checked_folds(folds, n):
    folds = np.asarray(folds)
    if folds.shape != (n,) or folds.dtype.kind not in "iu":
        raise ValueError(f"folds must be integers of shape ({n},), got {folds.dtype} of shape {folds.shape}")
    sizes = np.bincount(folds) if folds.min() >= 0 else np.zeros(1)
    if len(sizes) < 2 or not sizes.all():
        raise ValueError(f"folds must be 0, 1, ... without gaps and at least two, got {np.unique(folds)[:10].tolist()}")
    return folds.astype(np.int64)


def _columns(removed, names, n_labelings):
    """Column each labeling does not see, -1 for none."""
    if removed is None or isinstance(removed, str):
        removed = [removed] * n_labelings
    if len(removed) != n_labelings:
        raise ValueError(f"removed must name a column for each of {n_labelings} labelings, got {len(removed)}")
    unknown = [name for name in removed if name is not None and name not in names]
    if unknown:
        raise ValueError(f"removed must name columns of X ({', '.join(names[:10])}...), got {unknown[0]!r}")
    return np.array([-1 if name is None else names.index(name) for name in removed])
