"""Estimates of the label frequency from a classifier of labeled against unlabeled examples.

The label frequency is estimated from a classifier of labeled against unlabeled examples: the probability g(x) of being
labeled is `rho` wherever x is surely positive (Elkan & Noto 2008). So g is averaged over the labeled positives, each
scored by a model not trained on it. That model saw one labeled positive fewer, which two of the three formulas allow
for:

    elkan_noto   rho = m
    published    rho = S / ((S - 1) / m - 1)    as Tabatabaei et al. computed it for their Figure 2
    corrected    rho = S / ((S - 1) / m + 1)    without one labeled point, S - 1 of P - 1 positives are labeled:
                                                 m = (S - 1) / (P - 1), hence P = (S - 1) / m + 1
"""

import math

import numpy as np

from pumetrics.validation import check_labels, check_random_state, check_same_length

__all__ = [
    "RHO_METHODS",
    "RHO_MODELS",
    "leave_one_out_scores",
    "rho_from_mean_score",
]


RHO_METHODS = ("elkan_noto", "published", "corrected")


RHO_MODELS = ("logistic", "forest")


# Trees grown per tree that each point needs: on average exp(-1) of them have not seen it.
_TREES_PER_UNSEEN = 3


# Rows of the largest temporary of the logistic regressions: it fits into the cache of one core.
_BLOCK = 512


def rho_from_mean_score(mean_score, n_labeled, *, method="corrected"):
    """Label frequency from the mean score of the labeled positives, each scored by a model not trained on it.

    Parameters
    ----------
    mean_score : array-like of float
        Mean probability of being labeled, in [0, 1].
    n_labeled : array-like of int
        Labeled positives, at least 2; broadcasts with `mean_score`.
    method : {"corrected", "published", "elkan_noto"}
        See the module's text. "published" exceeds 1, or is not finite, at high means.

    Returns
    -------
    ndarray of float64
        0 where the mean score is 0.

    Raises
    ------
    ValueError
        If `method` is unknown, a mean is outside [0, 1], or there are fewer than 2 labeled positives.

    References
    ----------
    Elkan & Noto (2008), Section 2; Tabatabaei et al. (2020), Section 4.2 and the code they published.

    Examples
    --------
    >>> rho_from_mean_score([9 / 49, 0.0], 10)
    array([0.2, 0. ])
    >>> rho_from_mean_score(9 / 49, 10, method="published").round(4)
    np.float64(0.2083)
    """
    mean = np.asarray(mean_score, dtype=np.float64)
    labeled = np.asarray(n_labeled)
    if method not in RHO_METHODS:
        raise ValueError(f"method must be one of {', '.join(RHO_METHODS)}, got {method!r}")
    if not ((mean >= 0) & (mean <= 1)).all():
        raise ValueError(
            f"mean_score must lie in [0, 1], got {mean[~((mean >= 0) & (mean <= 1))].flat[0]}"
        )
    if not (labeled >= 2).all():
        raise ValueError(
            f"at least 2 labeled positives are needed to leave one out, got {labeled.min()}"
        )
    if method == "elkan_noto":
        return mean
    sign = 1 if method == "corrected" else -1
    # S / ((S - 1) / m + sign), written so that m = 0 needs no division by it.
    with np.errstate(divide="ignore"):
        return labeled * mean / (labeled - 1 + sign * mean)


def leave_one_out_scores(X, s, *, model="forest", n_estimators=10, random_state=None):
    """Probability of being labeled of each labeled positive, from models not trained on it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    s : array-like of shape (n_samples,)
        1 labeled positive, 0 unlabeled; at least two labeled.
    model : {"forest", "logistic"}
        "forest": random forest, grown once; a point is scored by the trees whose bootstrap sample missed it, which
        are trees of a forest grown without it. "logistic": the penalized maximum likelihood of scikit-learn's
        ``LogisticRegression()``, solved without each labeled point in turn, all at once.
    n_estimators : int
        About as many trees score a point on average, 1.1 times as many (the paper's forests had 10).
    random_state : int, numpy.random.Generator, RandomState or None
        Used by the forest.

    Returns
    -------
    ndarray of shape (n_labeled,)
        In the order of the labeled examples.

    Raises
    ------
    ValueError
        If there are fewer than two labeled examples or none unlabeled, `X` does not fit, or `model` is unknown.

    References
    ----------
    Tabatabaei et al. (2020), Section 5.2.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.9], [1.0], [1.1]]
    >>> leave_one_out_scores(X, [0, 0, 0, 1, 1, 0], model="logistic").shape
    (2,)
    """
    s = check_labels(s)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or not np.isfinite(X).all():
        raise ValueError(
            f"X must be a finite table of shape (n_samples, n_features), got shape {X.shape}"
        )
    check_same_length(X=X, s=s)
    if (s == 1).sum() < 2:
        raise ValueError("at least 2 labeled positives are needed to leave one out, got 1")
    if model == "logistic":
        return _logistic_scores(X, s)
    if model == "forest":
        return _forest_scores(X, s, n_estimators, check_random_state(random_state))
    raise ValueError(f"model must be one of {', '.join(RHO_MODELS)}, got {model!r}")


def _forest_scores(X, s, n_estimators, rng):
    """Grow trees of a classification forest; for two classes the variance splits as the Gini index does."""
    import sklearn
    from sklearn.tree import DecisionTreeRegressor

    n = len(s)
    labeled = np.flatnonzero(s == 1)
    X = X.astype(np.float32)
    s = s.astype(np.float64)[:, None]
    features = max(1, math.isqrt(X.shape[1]))
    votes = np.zeros(labeled.size)
    trees = np.zeros(labeled.size)
    grown = 0
    # Most of the time of so small a tree goes into checks of its input, which are done once above.
    with sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
        # A point that every tree has seen has no score yet; more trees are grown until all have one.
        while grown < _TREES_PER_UNSEEN * n_estimators or (trees == 0).any():
            drawn = rng.integers(n, size=n)
            seed = int(rng.integers(1 << 31))
            unseen = ~np.isin(labeled, drawn)
            grown += 1
            if unseen.any():
                tree = DecisionTreeRegressor(max_features=features, random_state=seed)
                tree.fit(X[drawn], s[drawn], check_input=False)
                votes[unseen] += tree.predict(X[labeled[unseen]], check_input=False)
                trees[unseen] += 1
    return votes / trees


def _logistic_scores(X, s):
    """Newton's method on the penalized likelihoods without each labeled point, a block of them at a time."""
    labeled = np.flatnonzero(s == 1)
    design = np.column_stack([X, np.ones(len(X))])
    products = (design[:, :, None] * design[:, None, :]).reshape(len(X), -1)
    penalty = np.append(np.ones(X.shape[1]), 0.0)  # as in scikit-learn, the intercept goes free
    scores = np.empty(labeled.size)
    for start in range(0, labeled.size, _BLOCK):
        left_out = labeled[start : start + _BLOCK]
        used = np.ones((left_out.size, len(X)))
        used[np.arange(left_out.size), left_out] = 0.0
        weights = _newton(design, products, used, s.astype(np.float64), penalty)
        scores[start : start + _BLOCK] = _sigmoid((weights * design[left_out]).sum(axis=1))
    return scores


def _newton(
    design,
    products,
    used,
    target,
    penalty,
    *,
    tolerance=1e-9,
    max_steps=100,
):
    n_columns = design.shape[1]
    share = (used @ target) / used.sum(axis=1)
    weights = np.zeros((len(used), n_columns))
    # the best model without features: a good start for Newton's method
    weights[:, -1] = np.log(share / (1 - share))
    for _ in range(max_steps):
        probability = _sigmoid(weights @ design.T)
        gradient = (used * (probability - target)) @ design + penalty * weights
        curvature = ((used * probability * (1 - probability)) @ products).reshape(
            -1, n_columns, n_columns
        )
        step = np.linalg.solve(curvature + np.diag(penalty), gradient[..., None])[..., 0]
        weights -= step
        if np.abs(step).max() < tolerance:
            return weights
    raise RuntimeError(
        f"the logistic regression did not converge in {max_steps} steps: standardize the features"
    )


def _sigmoid(z):
    return 1 / (1 + np.exp(-np.clip(z, -700, 700)))
