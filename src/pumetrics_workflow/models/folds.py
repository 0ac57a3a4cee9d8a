"""Folds of a cross-validation, scores out of fold, and the one model that labelings need as well."""

import numpy as np

from pumetrics.validation import check_count, check_labels, check_random_state

__all__ = ["check_folds", "logistic_regression", "out_of_fold", "stratified_folds"]


def stratified_folds(y, *, n_folds=10, random_state=None):
    """Folds of equal size and equal shares of both classes.

    Parameters
    ----------
    y : array_like of shape (n,)
        0 and 1.
    n_folds : int
        From 2 to n.
    random_state : int, SeedSequence, Generator, RandomState or None
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
    n_folds = check_count(n_folds, "n_folds", least=2)
    if n_folds > len(y):
        raise ValueError(
            f"n_folds must lie between 2 and the number of rows, {len(y)}, got {n_folds}"
        )
    shuffled = check_random_state(random_state).permutation(len(y))
    by_class = shuffled[np.argsort(-y[shuffled], kind="stable")]
    folds = np.empty(len(y), dtype=np.int64)
    folds[by_class] = np.arange(len(y)) % n_folds
    return folds


def check_folds(folds, n):
    """Return `folds` as int64, or raise ValueError unless they number the folds of `n` rows from 0 without gaps."""
    folds = np.asarray(folds)
    if folds.shape != (n,) or folds.dtype.kind not in "iu":
        raise ValueError(
            f"folds must be integers of shape ({n},), got {folds.dtype} of shape {folds.shape}"
        )
    sizes = np.bincount(folds) if folds.min() >= 0 else np.zeros(1)
    if len(sizes) < 2 or not sizes.all():
        raise ValueError(
            f"folds must be 0, 1, ... without gaps and at least two, got {np.unique(folds)[:10].tolist()}"
        )
    return folds.astype(np.int64)


def out_of_fold(make, X, s, folds, *, answer="predict_proba"):
    """Score each fold by a model trained on the others.

    Parameters
    ----------
    make : callable
        ``make()`` returns an untrained scikit-learn classifier.
    X : ndarray of shape (n, n_features)
    s : ndarray of shape (n,)
        Labels to train on, 0 and 1.
    folds : ndarray of shape (n,)
        Fold of each row, integers from 0.
    answer : str or callable
        Method whose answer is the score, or ``answer(model, rows)``; of two columns the second.

    Returns
    -------
    ndarray of shape (n,), float64
        0.5 where the training rows hold one class only.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, s = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
    >>> out_of_fold(LogisticRegression, X, s, np.arange(8) % 2).shape
    (8,)
    """
    scores = np.full(len(s), 0.5)
    for fold in range(int(folds.max()) + 1):
        test = folds == fold
        if s[~test].min() == s[~test].max():
            continue
        model = make().fit(X[~test], s[~test])
        if callable(answer):
            scores[test] = answer(model, X[test])
        else:
            values = getattr(model, answer)(X[test])
            scores[test] = values[:, 1] if values.ndim == 2 else values
    return scores


def logistic_regression(X, s, folds, seed, **options):
    """Score by the log odds of a logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return out_of_fold(
        lambda: LogisticRegression(max_iter=200, **options), X, s, folds, answer="decision_function"
    )
