"""An ensemble of kernel machines on resamples of labeled positives and unlabeled examples (Claesen et al. 2015)."""

import numpy as np

__all__ = ["bagging_svm_scores"]


def bagging_svm_scores(
    labeled, unlabeled, test, rng, *, n_models=50, n_labeled=50, n_unlabeled=150, gamma=None, C=1.0, weight=2.0
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
        Width of the Gaussian kernel, exp(-gamma |x - x'|^2) on standardised features; None takes 1 / d.
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
    centre, spread = pool.mean(axis=0), pool.std(axis=0)
    spread[spread == 0] = 1
    labeled, unlabeled, test = ((part - centre) / spread for part in (labeled, unlabeled, test))
    votes = np.zeros(len(test))
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    for _ in range(n_models):
        rows = labeled[rng.integers(len(labeled), size=n_labeled)]
        others = unlabeled[rng.integers(len(unlabeled), size=n_unlabeled)]
        machine = SVC(C=C, gamma=gamma or 1 / test.shape[1], class_weight={1: weight, 0: 1.0})
        machine.fit(np.concatenate([rows, others]), y)
        votes += 1 / (1 + np.exp(-np.clip(machine.decision_function(test), -50, 50)))
    return votes / n_models
