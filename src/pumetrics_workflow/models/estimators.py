"""Models of one labeling at a time: bagged networks, scored out of bag, and scikit-learn's, most scored out of fold.

Each function takes a matrix of features, labels 0 and 1 of shape (n,), folds or None, and an integer seed.
"""

import numpy as np

from pumetrics_workflow.models.folds import out_of_fold

__all__ = [
    "bagged_mlp",
    "bagging_svm_scores",
    "boosted_trees",
    "gaussian_naive_bayes",
    "kernel_svm",
    "linear_svm",
    "random_forest",
]


def bagged_mlp(X, s, folds, seed, **options):
    """Score by :class:`pumetrics_workflow.models.ensemble.BaggedMLPClassifier`, out of bag."""
    from pumetrics_workflow.models.ensemble import BaggedMLPClassifier

    return BaggedMLPClassifier(random_state=seed, **options).fit(X, s).oob_decision_function_


def bagging_svm_scores(
    labeled,
    unlabeled,
    test,
    rng,
    *,
    n_models=50,
    n_labeled=50,
    n_unlabeled=150,
    gamma=None,
    C=1.0,
    weight=2.0,
):
    """Mean vote of kernel machines, each trained to tell resampled labeled positives from resampled unlabeled examples.

    Both sides are resampled with replacement (the robust ensemble of Claesen et al. 2015, Neurocomputing 160):
    resampling the labeled side too makes the members differ even where labels are few or wrong, and small resamples
    of the unlabeled side keep hidden positives from outweighing it.

    Parameters
    ----------
    labeled, unlabeled, test : ndarray of shape (n, d)
        Training examples and those to score.
    rng : numpy.random.Generator
    n_models : int
        Members of the ensemble.
    n_labeled, n_unlabeled : int
        Size of the resamples of a member.
    gamma : float or None
        Width of the Gaussian kernel, exp(-gamma |x - x'|^2) on standardized features; None takes 1 / d.
    C : float
        Penalty of an unlabeled example on the wrong side.
    weight : float
        Penalty of a labeled positive, as a multiple of that.

    Returns
    -------
    ndarray of shape (n_test,)
        Mean over members of the logistic function of the decision value: between a count of votes, which would be
        heavily tied, and the mean of decision values, in which a few far-off values outvote the rest.

    References
    ----------
    Claesen, De Smet, Suykens & De Moor (2015), "A robust ensemble approach to learn from positive and unlabeled data
    using SVM base models", Neurocomputing 160:73-84.
    """
    from sklearn.svm import SVC

    pool = np.concatenate([labeled, unlabeled])
    center = pool.mean(axis=0)
    spread = pool.std(axis=0)
    spread[spread == 0] = 1
    labeled, unlabeled, test = ((part - center) / spread for part in (labeled, unlabeled, test))
    votes = np.zeros(len(test))
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    for _ in range(n_models):
        rows = labeled[rng.integers(len(labeled), size=n_labeled)]
        others = unlabeled[rng.integers(len(unlabeled), size=n_unlabeled)]
        machine = SVC(C=C, gamma=gamma or 1 / test.shape[1], class_weight={1: weight, 0: 1.0})
        machine.fit(np.concatenate([rows, others]), y)
        votes += 1 / (1 + np.exp(-np.clip(machine.decision_function(test), -50, 50)))
    return votes / n_models


def random_forest(X, s, folds, seed, **options):
    """Score by a random forest, out of bag."""
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(
        bootstrap=True, oob_score=_no_score, random_state=seed, n_jobs=1, **options
    )
    shares = forest.fit(X, s).oob_decision_function_
    scores = shares[:, 1]
    scored = shares.any(axis=1)  # both shares are 0 for a row that is in every bag
    return np.where(scored, scores, scores[scored].mean() if scored.any() else 0.5)


def _no_score(*_):
    """Replace the accuracy that a forest computes in addition to its out-of-bag scores."""
    return 0.0


def boosted_trees(X, s, folds, seed, **options):
    """Score by gradient-boosted trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return out_of_fold(
        lambda: HistGradientBoostingClassifier(early_stopping=False, random_state=seed, **options),
        X,
        s,
        folds,
    )


def linear_svm(X, s, folds, seed, **options):
    """Score by the decision value of a linear support vector machine with squared hinge loss."""
    from sklearn.svm import LinearSVC

    return out_of_fold(
        lambda: LinearSVC(dual=False, **options), X, s, folds, answer="decision_function"
    )


def kernel_svm(X, s, folds, seed, **options):
    """Score by the decision value of a support vector machine with a Gaussian kernel."""
    from sklearn.svm import SVC

    return out_of_fold(
        lambda: SVC(cache_size=100, **options), X, s, folds, answer="decision_function"
    )


def gaussian_naive_bayes(X, s, folds, seed, **options):
    """Score by the log odds of naive Bayes with normal features."""
    from sklearn.naive_bayes import GaussianNB

    def log_odds(model, rows):
        joint = model.predict_joint_log_proba(rows)
        return joint[:, 1] - joint[:, 0]  # probabilities would be 0 and 1 for many, and tie

    return out_of_fold(lambda: GaussianNB(**options), X, s, folds, answer=log_odds)
