"""WEKA's naive Bayes for many labelings at once: sufficient statistics are products of labels with features."""

import numpy as np

__all__ = ["naive_bayes"]

_SMALLEST = 1e-75  # WEKA's floor of a likelihood
_DEFAULT_PRECISION = 0.01  # WEKA's, for a feature with a single value


def naive_bayes(table, labels, folds, removed, rng):
    """Out-of-fold probability of the positive class by naive Bayes.

    As in WEKA's ``NaiveBayes``: a numeric feature is normal in each class, seen in steps of its precision (the mean
    distance of neighboring distinct training values): values are rounded to it, a likelihood is the mass of one step,
    the standard deviation (divided by n) is at least a sixth of it. Nominal features and classes have Laplace counts.
    Missing values are left out, in training and in scoring.

    Parameters
    ----------
    table : MixedTable
        Features of the n rows.
    labels : ndarray of shape (n_labelings, n), uint8
        0 and 1.
    folds : ndarray of shape (n,)
        Fold of each row; a row is scored by the counts of the other folds.
    removed : ndarray of shape (n_labelings,), int
        Column a labeling does not see, or -1.
    rng : numpy.random.Generator
        Not used: there is nothing random.

    Returns
    -------
    ndarray of shape (n_labelings, n), float64
    """
    from scipy.special import expit

    scores = np.empty(labels.shape)
    for fold in np.unique(folds):
        train = np.flatnonzero(folds != fold)
        test = np.flatnonzero(folds == fold)
        classes = np.stack([1.0 - labels[:, train], labels[:, train]])
        log_odds = np.diff(np.log(classes.sum(axis=2) + 1), axis=0)[0][:, None] * np.ones(len(test))
        for j, column in enumerate(table.values):
            if table.is_nominal[j]:
                likelihood = _nominal(column[train], column[test], classes, table.n_values[j])
            else:
                likelihood = _numeric(column[train], column[test], classes)
            evidence = np.diff(np.log(np.maximum(likelihood, _SMALLEST)), axis=0)[0]
            log_odds += np.where((removed == j)[:, None] | np.isnan(column[test]), 0.0, evidence)
        scores[:, test] = expit(log_odds)
    return scores


def _nominal(train, test, classes, n_values):
    """Likelihood of each test value in both classes, shape (2, n_labelings, n_test)."""
    counts = classes @ (train[:, None] == np.arange(n_values)) + 1
    return (counts / counts.sum(axis=2, keepdims=True))[:, :, np.nan_to_num(test).astype(np.intp)]


def _numeric(train, test, classes):
    """Mass of the step of width `precision` around each test value, shape (2, n_labelings, n_test)."""
    from scipy.special import ndtr

    known = ~np.isnan(train)
    distinct = np.unique(train[known])
    precision = _DEFAULT_PRECISION
    if len(distinct) > 1:
        precision = (distinct[-1] - distinct[0]) / (len(distinct) - 1)

    # Values counted in steps: sums of whole numbers are exact, whichever other labelings are summed along.
    center = 0.0
    if len(distinct):
        center = np.rint(distinct.mean() / precision)  # keeps the squares small
    steps = np.where(known, np.rint(np.nan_to_num(train) / precision) - center, 0.0)
    weight, first, second = np.moveaxis(classes @ np.stack([known, steps, steps**2], axis=1), 2, 0)
    weight = np.maximum(weight, 1)  # nothing known: sums are 0
    mean = first / weight
    deviation = np.maximum(np.sqrt(np.abs(second - mean * first) / weight), 1 / 6)

    test_steps = np.rint(np.nan_to_num(test) / precision) - center
    values, where = np.unique(test_steps, return_inverse=True)
    upper = (values + 0.5 - mean[:, :, None]) / deviation[:, :, None]
    lower = (values - 0.5 - mean[:, :, None]) / deviation[:, :, None]
    # The difference of the other tails would be exact far above the mean too: WEKA's answer, as published with.
    return (ndtr(upper) - ndtr(lower))[:, :, where]
