"""Linear support vector machine for many labelings, scored in the three ways the paper may refer to."""

import numpy as np

__all__ = ["linear_svm"]

_INTERCEPT = (
    10.0  # the constant input whose weight is the intercept: the penalty on the intercept is 1 / 100 of a weight's
)
_RIDGE = 1e-8  # WEKA's, of the logistic model


def linear_svm(table, labels, folds, removed, rng, *, score="decision", C=1.0):
    """Out-of-fold scores of a linear support vector machine (hinge loss).

    As WEKA's ``SMO`` prepares it: missing values replaced by the training mean or the commonest value, nominal features
    as indicators (two values as one input), inputs scaled to [0, 1] by the training rows, C = 1.

    Parameters
    ----------
    table : MixedTable
        Features of the n rows.
    labels : ndarray of shape (n_labelings, n), uint8
        0 and 1.
    folds : ndarray of shape (n,)
        Fold of each row; a row is scored by the machine of the other folds.
    removed : ndarray of shape (n_labelings,), int
        Column a labeling does not see, or -1.
    rng : numpy.random.Generator
        Draws the seed of the solver's coordinate order, the same for all labelings and folds.
    score : {"decision", "class", "logistic"}
        Decision value; predicted class as 0 or 1, WEKA's default answer; or a logistic model fitted to the training
        decision values, WEKA's option -M, which ranks a fold's rows as the decision value does.
    C : float
        Cost of a unit of slack.

    Returns
    -------
    ndarray of shape (n_labelings, n), float64

    Notes
    -----
    The solver is liblinear's dual coordinate descent, which also shrinks the intercept, a ninth as much as
    a weight; a machine that has not converged after 1,000 passes is taken as it is.
    """
    decisions = _all_decisions(table, labels, folds, removed, int(rng.integers(2**31)), C)
    scores = np.full(labels.shape, 0.5)  # stays where there is nothing to separate
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        for labeling, decision in enumerate(decisions[fold]):
            if not np.isnan(decision[0]):
                scores[labeling, test] = _answer(decision, labels[labeling], train, test, score)
    return scores


def _all_decisions(table, labels, folds, removed, seed, C):
    """Decision values of all rows by each fold's machines, shape (n_folds, n_labelings, n); NaN for one class only.

    The last ones are kept with the table, since the three kinds of scores are three readings of the same machines.
    """
    key = (labels.tobytes(), folds.tobytes(), removed.tobytes(), seed, C)
    if table.kept.get("svm", (None, None))[0] == key:
        return table.kept["svm"][1]
    inputs, source = table.indicators(keep_missing=True)
    decisions = np.full((folds.max() + 1, *labels.shape), np.nan)
    for fold in np.unique(folds):
        train = folds != fold
        scaled = _prepared(inputs, source, table.is_nominal, train)
        for labeling, y in enumerate(labels):
            if y[train].any() and not y[train].all():
                x = scaled[:, source != removed[labeling]]
                decisions[fold, labeling] = _decision_values(x, y[train], train, C, seed)
    table.kept["svm"] = key, decisions
    return decisions


def _prepared(inputs, source, is_nominal, train):
    """Inputs without gaps, scaled to [0, 1] by the training rows."""
    seen = inputs[train]
    known = ~np.isnan(seen)
    fill = np.where(known, seen, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    for feature in np.flatnonzero(is_nominal):
        columns = np.flatnonzero(source == feature)  # the commonest value, the first one if there are several
        common = fill[columns] > 0.5 if len(columns) == 1 else np.arange(len(columns)) == fill[columns].argmax()
        fill[columns] = common
    filled = np.where(np.isnan(inputs), fill, inputs)
    low, high = filled[train].min(axis=0), filled[train].max(axis=0)
    return (filled - low) / np.where(high > low, high - low, np.inf)


def _decision_values(x, y, train, C, seed):
    """Decision values of all rows by a machine fitted to the training rows."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    machine = LinearSVC(loss="hinge", C=C, dual=True, intercept_scaling=_INTERCEPT, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said in the docstring: it is taken as it is
        machine.fit(x[train], y)
    return machine.decision_function(x)


def _answer(decision, y, train, test, score):
    """The test rows' scores in the form asked for."""
    if score == "decision":
        return decision[test]
    if score == "class":
        return (decision[test] > 0).astype(np.float64)
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1 / (2 * _RIDGE)).fit(decision[train, None], y[train])
    return model.predict_proba(decision[test, None])[:, 1]
