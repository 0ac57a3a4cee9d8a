"""The models among which one is to be picked: each scores every example by a model that was not trained on it."""

import numpy as np

__all__ = ["POOL", "matrix", "pool_scores"]


def matrix(features):
    """Encoded features, standardised, without those that are constant.

    Parameters
    ----------
    features : pandas.DataFrame of shape (n, n_features)

    Returns
    -------
    ndarray of shape (n, n_columns), float64
    """
    from pumetrics_workflow.datasets import encode

    X = encode(features).astype(np.float64)
    spread = X.std(axis=0)
    varying = spread > 1e-9 * np.maximum(1.0, np.abs(X).max(axis=0))
    return (X[:, varying] - X[:, varying].mean(axis=0)) / spread[varying]


def pool_scores(X, s, folds, models, seed):
    """Scores of every model of the pool on one labeling.

    Parameters
    ----------
    X : ndarray of shape (n, n_columns)
    s : ndarray of shape (n,)
        Observed labels the models are trained on, 0 and 1.
    folds : ndarray of shape (n,)
        The same for all models that are scored out of fold; bagged ones are scored out of bag.
    models : dict
        By name the ``type``, an entry of :data:`POOL`, and its options.
    seed : numpy.random.SeedSequence

    Yields
    ------
    name : str
    scores : ndarray of shape (n,)
        Higher is more positive.
    """
    for name, options in models.items():
        kind, own = options["type"], {key: value for key, value in options.items() if key != "type"}
        if kind not in POOL:
            raise ValueError(f"there is no model type {kind!r} in the pool; there are {', '.join(POOL)}")
        yield name, POOL[kind](X, s, folds, int(seed.generate_state(1)[0]), **own)


def _bagged_mlp(X, s, folds, seed, **options):
    from pumetrics.models.ensemble import BaggedMLPClassifier

    return BaggedMLPClassifier(random_state=seed, **options).fit(X, s).oob_decision_function_


def _random_forest(X, s, folds, seed, **options):
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(bootstrap=True, oob_score=_no_score, random_state=seed, n_jobs=1, **options)
    scores = forest.fit(X, s).oob_decision_function_[:, 1]
    # A row that is in every bag, which hardly ever happens, gets the mean of the others.
    return np.where(np.isnan(scores), np.nanmean(scores), scores)


def _no_score(*_):
    """Stand in for the accuracy that a forest computes beside its out-of-bag scores."""
    return 0.0


def _boosted_trees(X, s, folds, seed, **options):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return _out_of_fold(
        lambda: HistGradientBoostingClassifier(early_stopping=False, random_state=seed, **options), X, s, folds
    )


def _logistic_regression(X, s, folds, seed, **options):
    from sklearn.linear_model import LogisticRegression

    return _out_of_fold(lambda: LogisticRegression(max_iter=200, **options), X, s, folds, answer="decision_function")


def _linear_svm(X, s, folds, seed, **options):
    from sklearn.svm import LinearSVC

    return _out_of_fold(lambda: LinearSVC(dual=False, **options), X, s, folds, answer="decision_function")


def _kernel_svm(X, s, folds, seed, **options):
    from sklearn.svm import SVC

    return _out_of_fold(lambda: SVC(cache_size=100, **options), X, s, folds, answer="decision_function")


def _naive_bayes(X, s, folds, seed, **options):
    from sklearn.naive_bayes import GaussianNB

    def log_odds(model, rows):
        joint = model.predict_joint_log_proba(rows)
        return joint[:, 1] - joint[:, 0]  # probabilities would be 0 and 1 for many, and tie

    return _out_of_fold(lambda: GaussianNB(**options), X, s, folds, answer=log_odds)


def _out_of_fold(make, X, s, folds, *, answer="predict_proba"):
    """Scores of each fold by a model trained on the others."""
    scores = np.empty(len(s))
    for fold in range(int(folds.max()) + 1):
        test = folds == fold
        model = make().fit(X[~test], s[~test])
        if callable(answer):
            scores[test] = answer(model, X[test])
        else:
            found = getattr(model, answer)(X[test])
            scores[test] = found[:, 1] if found.ndim == 2 else found
    return scores


POOL = {
    "bagged_mlp": _bagged_mlp,
    "random_forest": _random_forest,
    "boosted_trees": _boosted_trees,
    "logistic_regression": _logistic_regression,
    "linear_svm": _linear_svm,
    "kernel_svm": _kernel_svm,
    "naive_bayes": _naive_bayes,
}
