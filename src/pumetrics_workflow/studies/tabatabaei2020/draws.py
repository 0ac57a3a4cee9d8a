"""Data sets, classifiers and labels of the study: first all randomness is drawn, then samples are built from it.

Classifiers come as predictions, a boolean array (n_classifiers, n_samples). Labels come as keys, from which the labels
of any number of labeled positives follow; so another grid of label frequencies draws the same labels.
"""

import math

import numpy as np

__all__ = [
    "HEALTH_PREVALENCE",
    "IRIS_HYPERPLANE",
    "forest_predictions",
    "generated_set",
    "health_set",
    "hyperplane_predictions",
    "label_keys",
    "label_masks",
    "line_predictions",
    "random_hyperplanes",
    "random_lines",
    "scaled",
    "threshold_predictions",
]

# Figure 3b's classifier, from the code published with the paper: four weights and the intercept, for Iris scaled to
# [0, 1] with setosa as the positive class.
IRIS_HYPERPLANE = np.array([[-2.72978472, -2.84862472, -0.75181242, -1.03079578, 1.83660826]])

HEALTH_PREVALENCE = 0.05
_MAX_DEPTH = 10
_MAX_TREES = 100


def generated_set(rng, *, n=200):
    """Uniform points on the unit square; positive above the one line x2 = x1 + 0.2 (Section 5.1).

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of bool, shape (n,)
    """
    X = rng.random((n, 2))
    return X, X[:, 1] > X[:, 0] + 0.2


def random_lines(rng, n):
    """Slope and intercept of `n` lines through uniform points at uniform angles, shape (n, 2)."""
    points = rng.random((n, 2))
    slope = np.tan(rng.uniform(0, 2 * np.pi, n))
    return np.column_stack([slope, points[:, 1] - slope * points[:, 0]])


def line_predictions(X, lines):
    """Predict what lies below a line as positive."""
    return X[:, 1] < lines[:, :1] * X[:, 0] + lines[:, 1:]


def scaled(X):
    """Features moved and scaled to [0, 1]."""
    X = np.asarray(X, dtype=np.float64)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def random_hyperplanes(rng, X, n):
    """Draw weights and intercepts of `n` hyperplanes, uniform on [-3, 3]; those that split nothing are drawn again.

    Returns
    -------
    ndarray of shape (n, n_features + 1)
    """
    kept = np.empty((0, X.shape[1] + 1))
    while len(kept) < n:
        drawn = rng.uniform(-3, 3, (2 * n, X.shape[1] + 1))
        positive = hyperplane_predictions(X, drawn).sum(axis=1)
        kept = np.vstack([kept, drawn[(positive > 0) & (positive < len(X))]])
    return kept[:n]


def hyperplane_predictions(X, planes):
    """Predict the side that the weights point to as positive."""
    return planes[:, :-1] @ X.T + planes[:, -1:] > 0


def health_set(rng, *, n=2000):
    """Stand-in for the private health data: two counts per patient, higher for patients with the disease.

    A patient's own intensity drives both counts, so that they are correlated within each class.

    Returns
    -------
    X : ndarray of int, shape (n, 2)
    y : ndarray of bool, shape (n,)
    """
    y = np.arange(n) < round(HEALTH_PREVALENCE * n)
    intensity = rng.gamma(4.0, 0.25, n)
    means = np.where(y[:, None], [8.0, 5.0], [2.0, 1.0])
    return rng.poisson(intensity[:, None] * means), y


def threshold_predictions(rng, X, n):
    """Predict as positive what exceeds both of two random thresholds, for `n` pairs of them (Section 5.1)."""
    thresholds = rng.integers(0, np.quantile(X, 0.995, axis=0).astype(int), size=(n, 2))
    return (X[:, 0] > thresholds[:, :1]) & (X[:, 1] > thresholds[:, 1:])


def label_keys(rng, n_positive):
    """Random keys, shape (n_positive, n_positive): row k - 1 orders the positives for k labels."""
    return rng.random((n_positive, n_positive))


def label_masks(keys, n_labeled):
    """Label exactly `n_labeled` positives at random, for many numbers of labels at once.

    Parameters
    ----------
    keys : ndarray of shape (n_positive, n_positive)
    n_labeled : ndarray of int, shape (n_rhos,)

    Returns
    -------
    ndarray of bool, shape (n_rhos, n_positive)
        One row per number of labels, one column per positive.
    """
    order = np.argsort(keys[n_labeled - 1], axis=1)
    masks = np.zeros(order.shape, dtype=bool)
    np.put_along_axis(masks, order, np.arange(order.shape[1]) < n_labeled[:, None], axis=1)
    return masks


def forest_predictions(
    rng,
    X_train,
    y_train,
    X_test,
    n,
    *,
    pool=500,
):
    """Predictions of `n` random forests of 1 to 100 trees and depth 1 to 10 (Section 5.1).

    Trees are grown once, to depth 10. Cut at depth d they are trees of depth d in law, as a node's split depends on
    what is in the node alone; a forest is a random choice of trees of the pool, cut at its depth.

    Parameters
    ----------
    rng : numpy.random.Generator
    X_train, X_test : ndarray of shape (n_train, n_features), (n_test, n_features)
    y_train : ndarray of bool, shape (n_train,)
    n : int
        Forests.
    pool : int
        Trees to choose from, at least 100.

    Returns
    -------
    ndarray of bool, shape (n, n_test)
    """
    probability = _tree_probabilities(rng, X_train, y_train, X_test, pool)
    sizes = rng.integers(1, _MAX_TREES + 1, n)
    depths = rng.integers(1, _MAX_DEPTH + 1, n)
    ranks = np.argsort(np.argsort(rng.random((n, pool)), axis=1), axis=1)
    chosen = (ranks < sizes[:, None]).astype(np.float64)
    # All forests at all depths as one product, then each forest's own depth; half the votes is class 0, as in argmax.
    votes = np.einsum("np,pdt->dnt", chosen, probability, optimize=True)
    return votes[depths - 1, np.arange(n)] > sizes[:, None] / 2


def _tree_probabilities(rng, X_train, y_train, X_test, pool):
    """Share of positives where each test point ends in each tree cut at depth 1 to 10: (pool, depths, n_test)."""
    import sklearn
    from sklearn.tree import DecisionTreeRegressor

    n = len(y_train)
    features = max(1, math.isqrt(X_train.shape[1]))
    X_train = X_train.astype(np.float32)
    X_test = X_test.astype(np.float32)
    y = y_train.astype(np.float64)[:, None]
    samples = rng.integers(n, size=(pool, n))
    seeds = rng.integers(1 << 31, size=pool)
    probability = np.empty((pool, _MAX_DEPTH, len(X_test)))
    # For two classes the variance splits as the Gini index does, and a tree without checks of its input grows twice
    # as fast.
    with sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
        for number, (drawn, seed) in enumerate(zip(samples, seeds, strict=True)):
            grower = DecisionTreeRegressor(
                max_depth=_MAX_DEPTH, max_features=features, random_state=int(seed)
            )
            probability[number] = _cut(
                grower.fit(X_train[drawn], y[drawn], check_input=False).tree_, X_test
            )
    return probability


def _cut(tree, X):
    """Mean target where each point ends in a tree cut at depth 1, 2, ...: shape (depths, n_samples)."""
    point = np.arange(len(X))
    node = np.zeros(len(X), dtype=np.intp)
    target = tree.value[:, 0, 0]
    feature = tree.feature
    threshold = tree.threshold
    left = tree.children_left
    right = tree.children_right
    reached = np.empty((_MAX_DEPTH, len(X)))
    for depth in range(_MAX_DEPTH):
        goes_left = X[point, np.maximum(feature[node], 0)] <= threshold[node]
        child = np.where(goes_left, left[node], right[node])
        node = np.where(child < 0, node, child)
        reached[depth] = target[node]
    return reached
