"""TIcE: the subset of the data, found by a decision tree, in which the largest share is labeled."""

import heapq

import numpy as np

from pumetrics.priors.types import Share

__all__ = ["tice"]

_FOLDS = 5
_ROUNDS = 2
_MAX_SPLITS = 500
_FEWEST = 10  # examples a subset needs before it may speak
_BEPP = 5  # biased estimated positive purity: labeled over (all + 5)
_PARTS = np.array([0.25, 0.5, 0.75])


def tice(component, mixture, *, rng=None):
    r"""Share from the best lower bound on the label frequency over the subsets that a decision tree offers.

    Both samples are pooled. In any subset of size T with L labeled examples the label frequency is at least
    :math:`L/T - \sqrt{c(1-c)(1-\delta)/(\delta T)}` with probability :math:`1-\delta`. One fold grows the tree (best
    node first, split into quarters by the feature with the purest part), the others evaluate the bound on its nodes; c
    is the last round's estimate, 0.5 at first. With the mean bound over the folds, :math:`a = n_p(1/c - 1)/n_u`.

    Assumes that some box of features holds the component alone. As a lower bound on the label frequency it makes the
    share too large, the more so the smaller the purest box. Seconds for ten thousand rows of many features, less for
    scores.

    Parameters
    ----------
    component, mixture : ndarray of shape (n,) and (m,), or (n, n_features) and (m, n_features)
        Scores, or features (numbers only).
    rng : Generator
        Draws the folds.

    Returns
    -------
    Share
        In [0, 1].

    References
    ----------
    Bekker & Davis (2018), "Estimating the class prior in positive and unlabeled data through decision tree induction".
    Quarters are quantiles of the node here, so that a feature can be used again; the published code cuts [0, 1]
    once, and evaluates the bound on the examples that grew the tree.
    """
    data = np.concatenate([component, mixture])
    data = data.reshape(len(data), -1)
    labeled = np.arange(len(data)) < len(component)
    fold = rng.permutation(np.arange(len(data)) % _FOLDS)
    frequency = 0.5
    for _ in range(_ROUNDS):
        bounds = [_best_bound(data, labeled, fold == k, frequency) for k in range(_FOLDS)]
        frequency = float(np.clip(np.mean(bounds), 1e-9, 1))
    share = len(component) * (1 / frequency - 1) / len(mixture)
    return Share(float(np.clip(share, 0, 1)))


def _best_bound(data, labeled, grows, frequency):
    """Highest lower bound of the label frequency among the nodes of a tree grown on the fold `grows`."""
    n_judging = int((~grows).sum())
    delta = max(0.025, 1 / (1 + 0.004 * n_judging))
    spread = np.sqrt(frequency * (1 - frequency) * (1 - delta) / delta)
    root = (np.flatnonzero(grows), np.flatnonzero(~grows))
    # the whole sample needs no margin: its share of labeled is no estimate
    best = labeled[root[1]].mean()

    def bound(rows):
        return labeled[rows].mean() - spread / np.sqrt(rows.size)

    queue = [(0.0, 0, root)]
    order = 0
    for _ in range(_MAX_SPLITS):
        if not queue:
            break
        _, _, node = heapq.heappop(queue)
        gap = max(1 - best, 1e-9)
        enough = frequency * (1 - frequency) * (1 - delta) / (delta * gap**2)
        for growing, judging in _split(data, labeled, *node):
            if judging.size >= _FEWEST:
                best = max(best, bound(judging))
            can_grow = growing.size > _FEWEST and not labeled[growing].all()
            if can_grow and labeled[judging].sum() > enough:
                order += 1
                heapq.heappush(queue, (-bound(growing), order, (growing, judging)))
    return best


def _split(data, labeled, growing, judging):
    """Quarters of a node along the feature whose purest quarter is purest; nothing if no feature divides it."""
    if not growing.size:
        return []  # of fewer than five examples a fold may hold none
    values = data[growing]
    is_labeled = labeled[growing]
    edges = np.quantile(values, _PARTS, axis=0)
    part = (values[None] >= edges[:, None]).sum(axis=0)
    counts = np.array([(part == k).sum(axis=0) for k in range(4)])
    n_labeled = np.array([(part[is_labeled] == k).sum(axis=0) for k in range(4)])
    purity = n_labeled / (counts + _BEPP)
    purity[:, (counts > 0).sum(axis=0) < 2] = -1
    feature = int(purity.max(axis=0).argmax())
    if purity[:, feature].max() <= 0:
        return []
    judged = (data[judging, feature][None] >= edges[:, feature, None]).sum(axis=0)
    return [(growing[part[:, feature] == k], judging[judged == k]) for k in range(4)]
